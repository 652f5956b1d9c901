/* Profiles: any file gives well-formed options or none, and warnings that end.  The settings
 * found in a text are those of its last line that begins with the engine and the width. */
#define _GNU_SOURCE 1
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/profile_text.h"
#include "reading.h"

#define TEXT_MOST 4096 /* longer inputs are skipped */

/* Finds the line in a 0-terminated copy of the text without lines longer than the parser takes. */
static void check_settings(const char *text, const char *settings)
{
    const char *found = NULL;
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char engine[32], width[8], options[PROFILE_SETTINGS + 1];
        char copy[TEXT_MOST + 1];
        memcpy(copy, line, strcspn(line, "\n"));
        copy[strcspn(line, "\n")] = 0;
        if (sscanf(copy, " %31[^ \t] %7[^ \t] %512[^ \t\r]", engine, width, options) != 3) continue;
        if (!strcmp(engine, "gph") && !strcmp(width, "4+4") && !strcmp(options, settings)) found = line;
    }
    FUZZ_CHECK(found != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static const char first[] = "roost profile 1\n";
    static char text[sizeof first + TEXT_MOST];
    const struct profile_wanted wanted = {n % 2 ? "host" : NULL, "gph", 4, 4};
    struct warnings warnings = {""};
    char settings[PROFILE_SETTINGS] = "";
    if (n > TEXT_MOST) return 0;
    const size_t head =
        /* most inputs have a profile's first line */
        n > 0 && bytes[0] < 128 ? sizeof first - 1 : 0;
    memcpy(text, first, head);
    if (n > 0) memcpy(text + head, bytes, n);
    char *exact = (char *)malloc(head + n + 1); /* exact, so that reads beyond it are noticed */
    FUZZ_CHECK(exact != NULL);
    memcpy(exact, text, head + n);
    const bool found = profile_parse(exact, head + n, "fuzz", &wanted, settings, &warnings);
    free(exact);
    text[head + n] = 0;
    FUZZ_CHECK(strlen(warnings.text) < sizeof warnings.text);
    FUZZ_CHECK(!*warnings.text || warnings.text[strlen(warnings.text) - 1] == '\n');
    if (!found) return 0;
    FUZZ_CHECK(*settings && strlen(settings) < sizeof settings && !strpbrk(settings, "\n\r\t "));
    if (memchr(text, 0, head + n) == NULL) check_settings(text, settings);
    return 0;
}
