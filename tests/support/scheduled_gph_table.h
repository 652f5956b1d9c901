/* A small GPH table in plain memory for the scheduled machine: few cells, buckets and locks, and
 * a small universe of keys. A walk over the whole table tells what is stored, and whether a find
 * reaches it. */
#ifndef ROOST_TESTS_SCHEDULED_GPH_TABLE_H
#define ROOST_TESTS_SCHEDULED_GPH_TABLE_H

#include "support/scheduled_frame.h"
#include "support/scheduled_gph_kernels.h"

enum { GPH_MOST_KEYS = 192 };

/* The sizes of a table, drawn or given. */
struct gph_sizes {
    uint32_t virtual_log, cells, buckets, overflow;
    uint32_t cell_locks, bucket_locks; /* powers of two */
    int keys;                          /* keys of the universe */
    int crowd;                         /* number of keys in one common cell */
    enum hash_family family;
};

struct gph_scene_table {
    struct shape shape;
    struct gph_view view;
    struct gph_sizes sizes;
    /* by the kernels' counters: GPH_MAIN, GPH_OVERFLOW, GPH_SPECIAL */
    uint64_t count[GPH_SPECIAL + 1];
    uint64_t flagged;
    int keys;
    roost_key key[GPH_MOST_KEYS];        /* the first is 0, which never comes to a refine */
    struct gph_hash hash[GPH_MOST_KEYS]; /* of each key: walks and watches need it often */
};

/* The results of a walk. */
struct gph_contents {
    bool stored[GPH_MOST_KEYS];
    /* place: the bucket, and the slot among all slots */
    uint32_t bucket[GPH_MOST_KEYS], at[GPH_MOST_KEYS];
    roost_value value[GPH_MOST_KEYS];
    uint64_t count[GPH_SPECIAL + 1], flagged;
};

void gph_table_draw_sizes(struct gph_sizes *sizes, const struct shape shape, struct dice *dice);
void gph_table_make(struct gph_scene_table *t, const struct shape shape, const struct gph_sizes *sizes, struct dice *dice);
void gph_table_free(struct gph_scene_table *t);
/* Adds everything that kernels change to the image. */
void gph_table_keep(struct gph_scene_table *t, struct frame_image *image);

/* The cell of a key of the universe, the code of a cell, and a key's bucket by its cell's code. */
uint32_t gph_cell_of(const struct gph_scene_table *t, int key);
uint32_t gph_code(const struct gph_scene_table *t, uint32_t cell);
uint32_t gph_home(const struct gph_scene_table *t, int key);

/* Walks all buckets; checks the invariants A to E, G and H of gph.h, and that all keys are of
 * the universe. */
bool gph_table_walk(struct gph_scene_table *t, struct gph_contents *contents);

/* True if some mapping has room for all stored keys of the cell and for one more (`more`; -1:
 * none). */
bool gph_cell_fits(const struct gph_scene_table *t, const struct gph_contents *contents, uint32_t cell, int more);

/* True if there is room for the key, which is not stored: with its cell as it is, mapped again,
 * or flagged. */
bool gph_key_fits(const struct gph_scene_table *t, const struct gph_contents *contents, int key);

/* True if a cell of another key in the key's bucket can move to buckets of another Phi. */
bool gph_key_evicts(const struct gph_scene_table *t, const struct gph_contents *contents, int key);

/* A look at the table while a kernel runs. A key whose cell is not locked, and that was stored
 * before, is stored exactly once; a lock is taken and released by the same tile. */
enum { GPH_MOST_LOCKS = 64, GPH_MOST_STAMPS = 65 };

struct gph_watch {
    struct gph_scene_table *table;
    bool erases; /* keys may vanish */
    bool seen[GPH_MOST_KEYS];
    int size;                                                /* lanes of a tile */
    int tile[GPH_MOST_STAMPS];                               /* tile that owns a stamp; -1: any */
    uint32_t cells[GPH_MOST_LOCKS], buckets[GPH_MOST_LOCKS]; /* locks at the last look */
    char text[160];
};
void gph_watch_begin(struct gph_watch *w, struct gph_scene_table *t, bool erases, int size);
void gph_watch_stamp(struct gph_watch *w, uint32_t stamp, int whose);
const char *gph_watch_look(void *watch);

#endif
