/* A small slab table in plain memory for the scheduled machine: lists, a pool of few units, a universe of few keys, and a walk over all of
 * it that says what is stored. */
#ifndef ROOST_TESTS_SCHEDULED_SLAB_TABLE_H
#define ROOST_TESTS_SCHEDULED_SLAB_TABLE_H

#include "support/scheduled_frame.h"
#include "support/scheduled_slab_kernels.h"

enum { SLAB_MOST_KEYS = 96, SLAB_MOST_VALUES = 256, SLAB_MOST_UNITS = 6, SLAB_MOST_BUCKETS = 4 };

/* What a table is drawn as, or told to be. */
struct slab_sizes {
    uint32_t buckets;
    int units;       /* of the pool */
    uint32_t supers; /* 1 or 2, of one or two blocks */
    bool light, multi;
    int apart; /* its units are the first, and others so far behind each other; 0: anywhere in its blocks */
};

struct slab_scene_table {
    struct shape shape;
    struct slab_view view;
    struct slab_sizes sizes;
    uint32_t exhausted, wants_flush;
    uint32_t unit[SLAB_MOST_UNITS]; /* handles; all others are taken for ever */
    unsigned char *base_memory, *pool_memory[2];
    int keys; /* of the universe; the first two look like marks */
    roost_key key[SLAB_MOST_KEYS];
};

/* What a walk found. */
struct slab_contents {
    int n[SLAB_MOST_KEYS]; /* pairs of a key */
    roost_value value[SLAB_MOST_KEYS][SLAB_MOST_VALUES];
    struct {
        int slabs, dead, empty;
    } list[SLAB_MOST_BUCKETS + 1];
    int stored, dead, chained, taken,
        longest; /* pairs, tombstones; slabs in lists, units that are taken; slabs of the longest list */
};

void slab_table_draw_sizes(struct slab_sizes *sizes, struct dice *dice);
/* Its keys are about as many as its slots, or (keys above 0) so many; those below `crowd` all go to one list in one order of slots. */
void slab_table_make(struct slab_scene_table *t, const struct shape shape, const struct slab_sizes *sizes, int keys, int crowd,
                     struct dice *dice);
void slab_table_free(struct slab_scene_table *t);

/* Base slabs of so many lists, all EMPTY, aligned to their size. */
unsigned char *slab_base_make(uint32_t buckets);

/* Walks all lists and the pool: the invariants of slab.h. */
bool slab_table_walk(struct slab_scene_table *t, struct slab_contents *contents);

/* A look at the table while a kernel runs: slots of unique tables go EMPTY, key, TOMBSTONE, and nothing else. */
struct slab_watch {
    struct slab_scene_table *table;
    uint64_t key[SLAB_MOST_BUCKETS + 1 + SLAB_MOST_UNITS][SLAB_MOST_SLOTS];
    int slabs; /* of these */
    char text[160];
};
void slab_watch_begin(struct slab_watch *w, struct slab_scene_table *t, bool with_units);
const char *slab_watch_look(void *watch);

#endif
