/* What `roost tune` prints at the end, for people and as JSON. */
#ifndef ROOST_CLI_TUNE_REPORT_H
#define ROOST_CLI_TUNE_REPORT_H

#include "cli/tune_trials.h"

/* path: of the profile that was written; NULL: none was. */
int tune_report_print(const struct tune *tune, const char *path);

#endif
