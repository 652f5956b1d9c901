/* A small GPH table in plain memory for the scheduled machine: few cells, buckets and locks, a universe of few keys, and a walk over all of
 * it that says what is stored, and whether a find comes to it. */
#ifndef ROOST_TESTS_SCHEDULED_GPH_TABLE_H
#define ROOST_TESTS_SCHEDULED_GPH_TABLE_H

#include "support/scheduled_frame.h"
#include "support/scheduled_gph_kernels.h"

enum { GPH_MOST_KEYS = 192 };

/* What a table is drawn as, or told to be. */
struct gph_sizes {
    uint32_t virtual_log, cells, buckets, overflow;
    uint32_t cell_locks, bucket_locks; /* powers of two */
    int keys;                          /* of the universe */
    int crowd;                         /* so many of them are of one cell */
    enum hash_family family;
};

struct gph_scene_table {
    struct shape shape;
    struct gph_view view;
    struct gph_sizes sizes;
    uint64_t count[GPH_SPECIAL + 1]; /* by the kernels' counters: GPH_MAIN, GPH_OVERFLOW, GPH_SPECIAL */
    uint64_t flagged;
    int keys;
    roost_key key[GPH_MOST_KEYS];        /* the first is 0, which never comes to a refine */
    struct gph_hash hash[GPH_MOST_KEYS]; /* of each: a walk and a watch ask for it again and again */
};

/* What a walk found. */
struct gph_contents {
    bool stored[GPH_MOST_KEYS];
    uint32_t bucket[GPH_MOST_KEYS], at[GPH_MOST_KEYS]; /* where: the bucket, and the slot among all */
    roost_value value[GPH_MOST_KEYS];
    uint64_t count[GPH_SPECIAL + 1], flagged;
};

void gph_table_draw_sizes(struct gph_sizes *sizes, const struct shape shape, struct dice *dice);
void gph_table_make(struct gph_scene_table *t, const struct shape shape, const struct gph_sizes *sizes, struct dice *dice);
void gph_table_free(struct gph_scene_table *t);
/* All that kernels change. */
void gph_table_keep(struct gph_scene_table *t, struct frame_image *image);

/* Of a key of the universe. */
uint32_t gph_cell_of(const struct gph_scene_table *t, int key);
uint32_t gph_code(const struct gph_scene_table *t, uint32_t cell);
uint32_t gph_home(const struct gph_scene_table *t, int key); /* its bucket, as its cell's code says */

/* Walks all buckets: the invariants A to E, G and H of gph.h, and no key that is not of the universe. */
bool gph_table_walk(struct gph_scene_table *t, struct gph_contents *contents);

/* Is there a mapping under which all keys of the cell that are stored, and one more (-1: none), have room? */
bool gph_cell_fits(const struct gph_scene_table *t, const struct gph_contents *contents, uint32_t cell, int more);

/* Is there room for the key, which is not stored, as its cell is, mapped anew, or flagged? */
bool gph_key_fits(const struct gph_scene_table *t, const struct gph_contents *contents, int key);

/* A look at the table while a kernel runs: a key whose cell is not locked, and that was there once, is there once; and a lock is taken and
 * given back by one tile. */
enum { GPH_MOST_LOCKS = 64, GPH_MOST_STAMPS = 65 };

struct gph_watch {
    struct gph_scene_table *table;
    bool erases; /* keys may go */
    bool seen[GPH_MOST_KEYS];
    int size;                                                /* lanes of a tile */
    int tile[GPH_MOST_STAMPS];                               /* whose a stamp is; -1: anybody's */
    uint32_t cells[GPH_MOST_LOCKS], buckets[GPH_MOST_LOCKS]; /* the locks as they were */
    char text[160];
};
void gph_watch_begin(struct gph_watch *w, struct gph_scene_table *t, bool erases, int size);
void gph_watch_stamp(struct gph_watch *w, uint32_t stamp, int whose);
const char *gph_watch_look(void *watch);

#endif
