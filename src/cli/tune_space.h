/* The settings that `roost tune` can try: a value for each of an engine's parameters. */
#ifndef ROOST_CLI_TUNE_SPACE_H
#define ROOST_CLI_TUNE_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include "roost/roost.h"

enum { TUNE_PARAMETERS = 12, TUNE_VALUES = 24, TUNE_WORD = 32, TUNE_TEXT = TUNE_PARAMETERS * 2 * TUNE_WORD };

struct tune_parameter {
    char name[TUNE_WORD];
    bool kernel; /* of an operation: its values depend on the other parameters */
    size_t n;
    char value[TUNE_VALUES][TUNE_WORD];
};

struct tune_space {
    size_t n;
    struct tune_parameter parameter[TUNE_PARAMETERS];
};

/* A value for each parameter; "": the engine's default. */
struct tune_setting {
    char value[TUNE_PARAMETERS][TUNE_WORD];
};

/* The parameters with their values for tables such as this one, except those that the options
 * (NULL: none) fix.  Parameters beyond the limits above are left out. */
void tune_space_of(struct tune_space *space, const roost_table *table, const char *fixed);

/* "slots=8,find=once2"; "" if all values are the defaults. */
void tune_space_text(const struct tune_space *space, const struct tune_setting *setting, char text[TUNE_TEXT]);

/* The same, with default kernels as `kernels` (ROOST_DESCRIBE_KERNELS) names them.  as_options:
 * leaves out kernels that tables choose by themselves, whose driver no option names. */
void tune_space_full_text(const struct tune_space *space, const struct tune_setting *setting, const char *kernels, bool as_options,
                          char text[TUNE_TEXT]);

/* The number of settings for tables of one shape. */
double tune_space_size(const struct tune_space *space);

#endif
