/* Options of an engine, one row for each.  The parser, the defaults, the help text and the search
 * of `roost tune` all use these rows. */
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
    size_t at; /* offset of its value in the engine's options */
    double least, most;
    bool automatic;             /* "auto" is a valid value: 0 */
    const char *values;         /* "mix|summed" */
    const char *const *presets; /* one for each value: "slots=16,virtual=8" */
    const char *initial;        /* the default, as an option's text */
    const char *help;
    const char *tune; /* "4|8|16": values that `roost tune` searches; NULL: none */
};

/* The place of a row's value: a member of struct TYPE. */
#define OPTION_AT(type, member) offsetof(struct type, member)

/* The kernels that options ask for: `driver` and `tile` for all operations with such a kernel; and
 * the name of an operation, as in find=once2, for that operation, where the kernel must exist.  A
 * profile may name a kernel of another build or shape: the nearest one then replaces it. */
struct kernel_ask {
    int driver, lanes; /* -1 and 0: auto */
    bool profiles;     /* the profile asks for it */
    char value[32];    /* the option's text */
};

enum { KERNEL_ASKS = 5 /* most operations whose kernels options choose */ };

struct kernel_asks {
    struct kernel_ask all, of[KERNEL_ASKS];
    bool profiles; /* a profile's options are being read */
};

/* Sets the defaults, then the profile's options and then the configuration's.  ROOST_ERR_NOT_FOUND:
 * unknown option; ROOST_ERR_ARGUMENT: invalid value. */
roost_status options_read(struct engine_table *t, const struct engine_config *config);

/* Is an option of this name in the string?  NULL: an empty string. */
bool option_given(const char *options, const char *name);

/* The error of a string that gives an option twice. */
roost_status options_fail_twice(const char *name, struct error *error);

/* The help text, one line for each option, "name=default: meaning"; and the options worth tuning,
 * "name=a|b" or "find=@".  Both end with 0 and are cut at `bytes`. */
void options_help(const struct engine *engine, char *text, size_t bytes);
void options_tuned(const struct engine *engine, char *text, size_t bytes);

#endif
