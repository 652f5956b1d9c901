/* What is taken out of a counted table in one walk over its export: the most frequent keys, the spectrum, or all of it. */
#ifndef ROOST_CLI_HARVEST_H
#define ROOST_CLI_HARVEST_H

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "roost/roost.h"

struct harvest_wish {
    struct key_kind kind;
    size_t count_bytes; /* 4 or 8 */
    uint64_t top;       /* how many of the most frequent keys; 0: none */
    bool spectrum;      /* how many keys have each count */
    bool all;           /* every key and count */
};

struct harvest {
    uint64_t distinct;
    uint64_t saturated;    /* keys whose count is the largest that count_bytes can hold */
    struct key_count *top; /* by falling count, then by rising key */
    size_t top_n;
    struct key_count *spectrum; /* .key: a count, rising; .count: how many keys have it */
    size_t spectrum_n;
    struct key_count *all; /* by rising key */
    size_t all_n;
    struct key_store store; /* of keys that are no integers, in `top` and `all` */
};

/* Walks the table.  Prints a line and returns EXIT_FAILURE if that fails; *harvest is to be released in any case. */
int harvest_table(struct harvest *harvest, const roost_table *table, const struct harvest_wish *wish);

void harvest_release(struct harvest *harvest);

#endif
