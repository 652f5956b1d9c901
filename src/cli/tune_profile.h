/* The profile that `roost tune` writes: one line of it is replaced, or added; all others stay as they are. */
#ifndef ROOST_CLI_TUNE_PROFILE_H
#define ROOST_CLI_TUNE_PROFILE_H

#include "cli/outfile.h"
#include "cli/tune_trials.h"

struct tune_profile {
    const char *path; /* NULL: none is to be written */
    char *before;     /* what the file holds; NULL: there is none yet */
    struct outfile file;
};

/* Before anything is measured: reads what is there and makes sure that it can be replaced; prints a line and returns EXIT_FAILURE if not. */
int tune_profile_open(struct tune_profile *profile, const struct tune *tune);

/* The line of the best setting: engine, width, its options and kernels. */
void tune_profile_line(const struct tune *tune, char line[TUNE_LINE]);

int tune_profile_write(struct tune_profile *profile, const struct tune *tune);
void tune_profile_release(struct tune_profile *profile);

#endif
