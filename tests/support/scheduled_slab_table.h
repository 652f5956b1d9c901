/* A small slab table in plain memory for the scheduled machine: lists, a pool of few units, and
 * a small universe of keys. A walk over the whole table tells what is stored. */
#ifndef ROOST_TESTS_SCHEDULED_SLAB_TABLE_H
#define ROOST_TESTS_SCHEDULED_SLAB_TABLE_H

#include "support/scheduled_frame.h"
#include "support/scheduled_slab_kernels.h"

enum { SLAB_MOST_KEYS = 96, SLAB_MOST_VALUES = 256, SLAB_MOST_UNITS = 6, SLAB_MOST_BUCKETS = 4 };

/* The sizes of a table, drawn or given. */
struct slab_sizes {
    uint32_t buckets;
    int units;       /* units of the pool */
    uint32_t supers; /* 1 or 2, of one or two blocks each */
    bool light, multi;
    /* distance between the pool's units, from unit 0 on; 0: random units of its blocks */
    int apart;
};

struct slab_scene_table {
    struct shape shape;
    struct slab_view view;
    struct slab_sizes sizes;
    uint32_t exhausted, wants_flush, is_long, admitted;
    uint32_t unit[SLAB_MOST_UNITS]; /* handles; all other units stay taken */
    unsigned char *base_memory, *pool_memory[2];
    int keys; /* keys of the universe; the first two look like marks */
    roost_key key[SLAB_MOST_KEYS];
};

/* The results of a walk. */
struct slab_contents {
    int n[SLAB_MOST_KEYS]; /* pairs of each key */
    roost_value value[SLAB_MOST_KEYS][SLAB_MOST_VALUES];
    struct {
        int slabs, dead, empty;
    } list[SLAB_MOST_BUCKETS + 1];
    /* pairs, tombstones; slabs in lists, units that are taken; slabs of the longest list */
    int stored, dead, chained, taken, longest;
    int tails, skips; /* jumps of base slabs, and of others */
};

void slab_table_draw_sizes(struct slab_sizes *sizes, struct dice *dice);
/* Makes a table of about as many keys as slots, or of `keys` keys if that is above 0. The keys
 * below `crowd` all go to one list, in one order of slots. */
void slab_table_make(struct slab_scene_table *t, const struct shape shape, const struct slab_sizes *sizes, int keys, int crowd,
                     struct dice *dice);
void slab_table_free(struct slab_scene_table *t);

/* Base slabs of n lists, all EMPTY, aligned to their size. */
unsigned char *slab_base_make(uint32_t buckets);

/* Walks all lists and the pool; checks the invariants of slab.h (scheduled_slab_jumps.c: H). */
bool slab_table_walk(struct slab_scene_table *t, struct slab_contents *contents);

/* A list's slabs in their order, for the check of its jumps. */
struct slab_list_slabs {
    int n;
    unsigned char *slab[SLAB_MOST_UNITS + 1];
    bool is_dead[SLAB_MOST_UNITS + 1];
};
bool slab_jumps_check(const struct slab_scene_table *t, const struct slab_list_slabs *list, struct slab_contents *contents);

/* A look at the table while a kernel runs: in unique tables a slot goes from EMPTY to a key to
 * TOMBSTONE, and never otherwise. */
struct slab_watch {
    struct slab_scene_table *table;
    uint64_t key[SLAB_MOST_BUCKETS + 1 + SLAB_MOST_UNITS][SLAB_MOST_SLOTS];
    int slabs; /* number of watched slabs */
    char text[160];
};
void slab_watch_begin(struct slab_watch *w, struct slab_scene_table *t, bool with_units);
const char *slab_watch_look(void *watch);

#endif
