/* Options of an engine: a row each.  The parser, the defaults, the help text and what `roost tune`
 * searches all come from these rows. */
#ifndef ROOST_ENGINES_OPTION_TABLE_H
#define ROOST_ENGINES_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "portable/error.h"

struct engine;
struct engine_config;
struct engine_table;

enum option_kind {
    OPTION_NUMBER,   /* an int from least to most */
    OPTION_POWER,    /* the same, a power of two */
    OPTION_FRACTION, /* a double from least to most */
    OPTION_CHOICE,   /* an int: the value's place in `values` */
    OPTION_PRESET    /* the same; each value stands for the options in `presets` */
};

struct option {
    const char *name;
    enum option_kind kind;
    size_t at; /* of its value, from the engine's options on */
    double least, most;
    bool automatic;             /* "auto" is a value, too: 0 */
    const char *values;         /* "mix|summed" */
    const char *const *presets; /* as many as there are values: "slots=16,virtual=8" */
    const char *initial;        /* the default, as an option's text */
    const char *help;
    const char *tune; /* "4|8|16": what `roost tune` searches; NULL: nothing */
};

/* A row: its place is a member of struct TYPE. */
#define OPTION_AT(type, member) offsetof(struct type, member)

/* The kernels that options ask for: `driver` and `tile` for all operations that have such a kernel,
 * and by the name of an operation, such as find=once2, which has to exist.  A profile's kernel may
 * be of another build or shape: it gives way to the nearest. */
struct kernel_ask {
    int driver, lanes; /* -1 and 0: auto */
    bool profiles;     /* the profile asks */
    char value[32];    /* as it was written */
};

enum { KERNEL_ASKS = 5 /* operations whose kernels options choose, at most */ };

struct kernel_asks {
    struct kernel_ask all, of[KERNEL_ASKS];
    bool profiles; /* a profile's options are read now */
};

/* Sets the defaults, then the profile's options and then the configuration's.
 * ROOST_ERR_NOT_FOUND: no such option; ROOST_ERR_ARGUMENT: no such value. */
roost_status options_read(struct engine_table *t, const struct engine_config *config);

/* The help text, a line an option, "name=default: meaning"; and what is worth tuning, "name=a|b" or
 * "find=@".  Both end with 0 and are cut at `bytes`. */
void options_help(const struct engine *engine, char *text, size_t bytes);
void options_tuned(const struct engine *engine, char *text, size_t bytes);

#endif
