/* The progress bar: one for the whole process, because there is one terminal. */
#define _GNU_SOURCE 1
#include "cli/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/clock.h"

#define BAR_WIDTH 40
#define REDRAW_SECONDS 0.1

static struct {
    bool enabled;
    bool drawn;
    uint64_t bytes;
    double last; /* time of the last drawing */
} bar;

void progress_begin(uint64_t bytes, bool quiet)
{
    bar.enabled = !quiet && isatty(STDERR_FILENO);
    bar.drawn = false;
    bar.bytes = bytes;
    bar.last = clock_seconds();
}

static bool is_due(void)
{
    if (!bar.enabled || clock_seconds() - bar.last < REDRAW_SECONDS) return false;
    bar.last = clock_seconds();
    return bar.drawn = true;
}

static void draw(double share, const char *text)
{
    char drawn[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++) drawn[i] = i < (int)(share * BAR_WIDTH) ? '#' : '.';
    drawn[BAR_WIDTH] = 0;
    fprintf(stderr, "\r[%s] %3.0f %%  %s\033[K", drawn, 100 * share, text);
}

void progress_show(uint64_t bytes_read, uint64_t keys)
{
    char text[64];
    if (!is_due()) return;
    snprintf(text, sizeof text, "%.1f million keys", (double)keys / 1e6);
    if (bar.bytes == 0) fprintf(stderr, "\r%s\033[K", text);
    else draw(bytes_read < bar.bytes ? (double)bytes_read / (double)bar.bytes : 1.0, text);
}

void progress_say(double share, const char *text)
{
    if (is_due()) draw(share < 1 ? share : 1, text);
}

void progress_wipe(void)
{
    if (bar.drawn) fputs("\r\033[K", stderr);
    bar.drawn = false;
}

void progress_end(void)
{
    progress_wipe();
    bar.enabled = false;
}
