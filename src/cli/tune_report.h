/* The report of `roost tune`, for people and as JSON. */
#ifndef ROOST_CLI_TUNE_REPORT_H
#define ROOST_CLI_TUNE_REPORT_H

#include "cli/tune_trials.h"

/* path: the profile that was written; NULL: none. */
int tune_report_print(const struct tune *tune, const char *path);

#endif
