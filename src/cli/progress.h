/* A progress bar on stderr, drawn only where stderr is a terminal. */
#ifndef ROOST_CLI_PROGRESS_H
#define ROOST_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* bytes: how long the input is, 0 if unknown.  quiet: draw nothing in any case. */
void progress_begin(uint64_t bytes, bool quiet);

/* Draws at most ten times a second. */
void progress_show(uint64_t bytes_read, uint64_t keys);

/* The same for work that is not measured in bytes: the share of it that is done. */
void progress_say(double share, const char *text);

/* Makes room for a line; the bar comes again. */
void progress_wipe(void);

/* Wipes the bar and ends it; nothing happens if there is none. */
void progress_end(void);

#endif
