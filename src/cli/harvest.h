/* The results that one walk over a counted table's export yields: the most frequent keys, the
 * spectrum, or all pairs. */
#ifndef ROOST_CLI_HARVEST_H
#define ROOST_CLI_HARVEST_H

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "roost/roost.h"

struct harvest_wish {
    struct key_kind kind;
    size_t count_bytes; /* 4 or 8 */
    uint64_t top;       /* number of the most frequent keys; 0: none */
    bool spectrum;      /* number of keys per count */
    bool all;           /* every key and count */
    /* of the keys in `top`; and of those in `all`, unless none may lack there */
    uint64_t least_count, most_count;
    bool none_may_lack;
};

struct harvest {
    uint64_t distinct;
    uint64_t once;         /* keys whose count is 1 */
    uint64_t largest;      /* count */
    uint64_t saturated;    /* keys whose count is the largest of count_bytes bytes */
    struct key_count *top; /* by falling count, then by rising key */
    size_t top_n;
    struct key_count *spectrum; /* .key: a count, rising; .count: number of keys with it */
    size_t spectrum_n;
    struct key_count *all; /* by rising key, negative ones first */
    size_t all_n;
    struct key_store store; /* the keys in `top` and `all`, unless they are integers */
};

/* Walks the table.  Returns 0, or prints a line and returns EXIT_FAILURE.  The caller releases
 * *harvest in any case. */
int harvest_table(struct harvest *harvest, const roost_table *table, const struct harvest_wish *wish);

/* Brings the harvests of all ranks to rank 0, which then has that of the whole table; the others'
 * are empty. */
int harvest_gather(struct harvest *harvest, const struct harvest_wish *wish);

void harvest_release(struct harvest *harvest);

#endif
