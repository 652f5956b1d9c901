/* The settings that `roost tune` measures. */
#ifndef ROOST_CLI_TUNE_TRIALS_H
#define ROOST_CLI_TUNE_TRIALS_H

#include "cli/tune_options.h"
#include "cli/tune_space.h"
#include "roost/tuning.h"

enum {
    TUNE_FIXED = 256,                        /* bytes of the common options at most */
    TUNE_LINE = 64 + TUNE_FIXED + TUNE_TEXT, /* of a profile */
};

struct tune_trial {
    struct tune_setting setting;
    char options[TUNE_TEXT];
    bool searched, drawn; /* tried by the search, by chance */
    bool refused;         /* no such tables, or not enough memory */
    double objective;     /* nanoseconds of an insert and finds_per_insert finds */
    roost_measured measured;
};

/* A run.  trials[0] is the engine's defaults. */
struct tune {
    struct tune_options options;
    roost_config config;
    roost_device_info device;
    const char *engine;
    uint64_t keys;
    struct tune_space space; /* of tables with the defaults */
    struct tune_trial *trials;
    size_t n, room;
    size_t best_searched, best_drawn, best; /* TUNE_NONE: there is none */
    const struct tune_trial **order;        /* all trials by rising objective, at the end */
    double begun;                           /* start by the clock */
    double seconds;                         /* duration, at the end */
};

#define TUNE_NONE SIZE_MAX

/* Finds the device and the parameters.  On failure prints a line and returns an exit code. */
int tune_begin(struct tune *tune);

/* Makes an empty table of this setting, which tells its kernels.  NULL: there are no such
 * tables. */
roost_table *tune_table(const struct tune *tune, const struct tune_setting *setting);

/* Measures a setting, unless it was measured before.  *trial: its place. */
int tune_try(struct tune *tune, const struct tune_setting *setting, size_t *trial);

/* Measures again.  The faster times count. */
int tune_try_again(struct tune *tune, size_t trial);

/* Share of the time by which repeated measurements differ. */
#define TUNE_MARGIN 0.02

/* Is the first one better than the second by more than this share?  A setting that reaches the
 * load is better than one that does not.  TUNE_NONE is worse than all. */
bool tune_better(const struct tune *tune, size_t trial, size_t than, double margin);

/* The share of the budget that is used up. */
double tune_spent(const struct tune *tune);

void tune_release(struct tune *tune);

#endif
