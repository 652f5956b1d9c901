/* A small DyCuckoo table in plain memory for the scheduled machine, beside an exact reference: a
 * small universe of keys, each of which is stored with a known value or absent. */
#ifndef ROOST_TESTS_SCHEDULED_TABLE_H
#define ROOST_TESTS_SCHEDULED_TABLE_H

#include "engines/dycuckoo/dycuckoo_kernels.h"

#include "support/scheduled_frame.h"

enum { MOST_KEYS = 128, MOST_SLOTS_AT_START = 100 };

struct scheduled_table {
    struct shape shape;
    struct dycuckoo_view view;
    uint32_t buckets[MAX_SUBTABLES];   /* at the beginning */
    uint64_t count[MAX_SUBTABLES + 1]; /* by the kernels' counters */

    int keys; /* keys of the universe */
    roost_key key[MOST_KEYS];
    bool stored[MOST_KEYS];
    roost_value value[MOST_KEYS];
};

/* The results of a walk over all buckets. */
struct contents {
    bool stored[MOST_KEYS];
    roost_value value[MOST_KEYS];
};

/* Draws a table's sizes, hash functions and universe: about as many keys as slots, 0 and ~0
 * among them. */
void scheduled_table_make(struct scheduled_table *t, const struct shape shape, struct dice *dice);

/* The same with given sizes: `subtables` subtables of one bucket each, and twice as many keys as
 * slots. */
void scheduled_table_make_small(struct scheduled_table *t, const struct shape shape, uint32_t subtables, struct dice *dice);
void scheduled_table_free(struct scheduled_table *t);

/* A subtable in memory of its own. Its size is exact, so that an address sanitizer sees an
 * access outside. */
struct dycuckoo_subtable scheduled_subtable_make(const struct shape shape, uint32_t buckets, int byte, uint32_t weight);
void scheduled_subtable_free(struct dycuckoo_subtable *sub);

/* Sets another trying order: random weights and preferred subtables. A tidy table (invariant I)
 * keeps its order. */
void scheduled_table_weigh(struct scheduled_table *t, struct dice *dice);

/* Walks all buckets; checks the invariants A, B, C, D, G and I of dycuckoo.h, and that all keys
 * are of the universe. */
bool scheduled_table_walk(struct scheduled_table *t, struct contents *contents);

/* The same, and checks that the contents are the reference's. */
bool scheduled_table_check(struct scheduled_table *t);

/* A look at the table while a kernel runs: a key that was once stored stays stored. */
struct scheduled_watch {
    const struct scheduled_table *table;
    const struct dycuckoo_view *view;
    struct home home[MOST_KEYS][MAX_HOMES];
    bool seen[MOST_KEYS];
    char text[160];
};
void scheduled_watch_begin(struct scheduled_watch *w, const struct scheduled_table *t, const struct dycuckoo_view *view);
const char *scheduled_watch_look(void *watch);

#endif
