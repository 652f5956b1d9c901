/* The profile that `roost tune` writes: one line is replaced or added, all others are kept. */
#ifndef ROOST_CLI_TUNE_PROFILE_H
#define ROOST_CLI_TUNE_PROFILE_H

#include "cli/outfile.h"
#include "cli/tune_trials.h"

struct tune_profile {
    const char *path; /* NULL: no profile is written */
    char *before;     /* the file's contents; NULL: there is no file */
    struct outfile file;
};

/* Before the measurements: reads the existing file and checks that it can be replaced.  On
 * failure prints a line and returns EXIT_FAILURE. */
int tune_profile_open(struct tune_profile *profile, const struct tune *tune);

/* The line of the best setting: engine, width, options and kernels. */
void tune_profile_line(const struct tune *tune, char line[TUNE_LINE]);

int tune_profile_write(struct tune_profile *profile, const struct tune *tune);
void tune_profile_release(struct tune_profile *profile);

#endif
