/* A progress bar on stderr, drawn only where stderr is a terminal. */
#ifndef ROOST_CLI_PROGRESS_H
#define ROOST_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* bytes: length of the input, 0: unknown.  quiet: draws nothing. */
void progress_begin(uint64_t bytes, bool quiet);

/* Draws at most ten times a second. */
void progress_show(uint64_t bytes_read, uint64_t keys);

/* The same for work that is not measured in bytes.  share: the part that is done. */
void progress_say(double share, const char *text);

/* Wipes the bar, so that a line can be printed.  The next drawing brings it back. */
void progress_wipe(void);

/* Wipes the bar, if there is one, and ends it. */
void progress_end(void);

#endif
