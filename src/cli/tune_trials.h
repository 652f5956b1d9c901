/* The settings that `roost tune` has measured. */
#ifndef ROOST_CLI_TUNE_TRIALS_H
#define ROOST_CLI_TUNE_TRIALS_H

#include "cli/tune_options.h"
#include "cli/tune_space.h"
#include "roost/tuning.h"

enum {
    TUNE_FIXED = 256,                        /* bytes of the options that all settings have, at most */
    TUNE_LINE = 64 + TUNE_FIXED + TUNE_TEXT, /* of a profile */
};

struct tune_trial {
    struct tune_setting setting;
    char options[TUNE_TEXT];
    bool searched, drawn; /* who came to it */
    bool refused;         /* there are no such tables, or not enough memory for one */
    double objective;     /* nanoseconds of an insert and of finds_per_insert finds */
    roost_measured measured;
};

/* The first one is of the engine's defaults. */
struct tune {
    struct tune_options options;
    roost_config config;
    roost_device_info device;
    const char *engine;
    uint64_t keys;
    struct tune_space space; /* of the defaults' tables */
    struct tune_trial *trials;
    size_t n, room;
    size_t best_searched, best_drawn, best; /* TUNE_NONE: there is none */
    const struct tune_trial **order;        /* all of them by rising objective, once it is over */
    double begun;                           /* by the clock */
    double seconds;                         /* in all, once it is over */
};

#define TUNE_NONE SIZE_MAX

/* Finds out what is tuned where; prints a line and returns an exit code if that cannot be done. */
int tune_begin(struct tune *tune);

/* An empty table of this setting, which says which kernels there are for it; NULL: there are no such tables. */
roost_table *tune_table(const struct tune *tune, const struct tune_setting *setting);

/* Measures a setting, if it was not before; *trial: its place. */
int tune_try(struct tune *tune, const struct tune_setting *setting, size_t *trial);

/* Measures again; the faster times count. */
int tune_try_again(struct tune *tune, size_t trial);

#define TUNE_MARGIN 0.02 /* of the time: repeated measurements differ by as much */

/* Is the first one better, by more than such a share?  Who does not reach the load is worse than who does; TUNE_NONE is worse than all. */
bool tune_better(const struct tune *tune, size_t trial, size_t than, double margin);

/* The share of the budget that has gone. */
double tune_spent(const struct tune *tune);

void tune_release(struct tune *tune);

#endif
