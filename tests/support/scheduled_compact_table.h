/* A small universe of keys in a compact table in plain memory, for the scheduled machine.  The
 * table has as many buckets as its tags need, but the keys' homes are few: most keys live in some
 * crowded buckets.  A walk over all homes tells what is stored. */
#ifndef ROOST_TESTS_SCHEDULED_COMPACT_TABLE_H
#define ROOST_TESTS_SCHEDULED_COMPACT_TABLE_H

#include "support/scheduled_compact_kernels.h"
#include "support/scheduled_frame.h"

enum {
    COMPACT_MOST_KEYS = 96,
    COMPACT_MOST_HOMES = 2 * COMPACT_MOST_KEYS,
    COMPACT_MOST_SLOTS = 30,
    COMPACT_MOST_CROWDED = 6,       /* buckets, at most */
    COMPACT_MOST_BUCKETS = 394000,  /* of a table */
    COMPACT_FEW_BUCKETS = 1u << 14, /* of one that would have more, with keys of small remainders */
    COMPACT_TABLES = 2,             /* at the same time */
    COMPACT_ENTRIES = 3,            /* of the stash */
    COMPACT_IN_STASH = 2            /* the place of a key that is in none of its homes */
};

/* The sizes of a table, drawn or given. */
struct compact_sizes {
    int shape; /* enum compact_shape */
    uint32_t buckets;
    int slots;   /* at most the shape's */
    int crowded; /* buckets for which keys are sought; 0: all, for there are few */
};

/* A key, and its places. */
struct compact_known {
    struct compact_home home[2];
    uint32_t bit; /* in the filter */
};

struct compact_scene_table {
    struct shape shape;
    struct compact_view view;
    struct compact_sizes sizes;
    struct compact_marks marks;
    struct compact_entry stash[COMPACT_ENTRIES];
    int memory; /* number among COMPACT_TABLES */
    int keys;   /* of the universe */
    int edges;  /* the first ones, whose homes are both crowded */
    int twins;  /* keys with another one's low part of the tag in its first home */
    uint32_t crowded[COMPACT_MOST_CROWDED];
    int crowded_n;
    roost_key key[COMPACT_MOST_KEYS];
    struct compact_known known[COMPACT_MOST_KEYS];
    uint32_t home[COMPACT_MOST_HOMES]; /* all buckets that are a key's home, ascending */
    int homes;
};

/* The results of a walk. */
struct compact_contents {
    int n[COMPACT_MOST_KEYS];
    roost_value value[COMPACT_MOST_KEYS];
    int at[COMPACT_MOST_KEYS];     /* 0 or 1: the home in which the key is; COMPACT_IN_STASH */
    int taken[COMPACT_MOST_HOMES]; /* slots with keys, of each home */
    int stored, dead, second, stashed;
};

/* The largest remainder that a shape's tags hold. */
uint64_t compact_remainder_top(const struct shape s);
/* All slots of a shape, or fewer, so that buckets are soon full. */
int compact_slots_draw(enum compact_shape shape, struct dice *dice);
/* Sizes for a shape: of a table whose tags hold the remainders of all keys. */
void compact_sizes_draw(struct compact_sizes *sizes, enum compact_shape shape, struct dice *dice);
/* Makes an empty table, and a universe of at most `keys` keys. */
void compact_table_make(struct compact_scene_table *t, const struct compact_sizes *sizes, int keys, struct dice *dice);
/* Makes an empty table of another size with this table's universe.  False: some key's remainder is
 * too large. */
bool compact_table_make_beside(struct compact_scene_table *t, const struct compact_scene_table *of,
                               const struct compact_sizes *sizes);
void compact_table_free(struct compact_scene_table *t);
/* After a fault, which may write to any bucket.  No table exists. */
void compact_tables_clear(void);
/* The table as kernels see it. */
struct compact_view compact_table_view(struct compact_scene_table *t);
/* Puts a key that is not stored into the stash. */
void compact_stash_put(struct compact_scene_table *t, int key, roost_value value);

/* Draws the universe; 0 keys: as many as the sizes suggest.  (scheduled_compact_keys.c) */
void compact_universe_draw(struct compact_scene_table *t, const struct compact_sizes *sizes, int keys, struct dice *dice);

/* Leaves in the universe only `keys` keys of one first home, whose second homes are others; of the
 * first two keys both have one low part of their tags there, if `twins`.  False: there are not as
 * many. */
bool compact_universe_narrow(struct compact_scene_table *t, int keys, bool twins);

/* The number of a key, `from` or higher, whose tag has in its first home the low part of the next
 * one's; -1: none. */
int compact_twins_next(const struct compact_scene_table *t, int from);

/* Sets the places of a table's keys; false if some remainder is too large. */
bool compact_places_set(struct compact_scene_table *t);
/* Number of a bucket among the homes, or -1. */
int compact_home_index(const struct compact_scene_table *t, uint32_t bucket);
uint32_t *compact_bucket_words(const struct compact_scene_table *t, uint32_t bucket);

/* The contents of a slot, read plainly from a bucket's words. */
struct compact_seen {
    uint32_t low;
    uint32_t state, high; /* of a slot with a key */
};
struct compact_seen compact_slot_see(const struct shape s, const uint32_t *words, int slot);
bool compact_seen_is(const struct compact_seen *seen, const struct compact_tag *tag);
/* The key with this tag in this bucket, and in *home which of its homes that is; -1: none. */
int compact_key_at(const struct compact_scene_table *t, uint32_t bucket, const struct compact_seen *seen, int *home);
uint32_t compact_filter_see(const struct compact_scene_table *t, uint32_t bucket);

/* Walks all homes and the stash, and checks invariants A to E, G and H of compact.h. */
bool compact_table_walk(const struct compact_scene_table *t, struct compact_contents *contents);

/* ---- Watching (scheduled_compact_watch.c) ---------------------------------------------------- */

/* What a kernel may do with slots. */
enum compact_watched { WATCH_MIXED, WATCH_INSERTS, WATCH_ERASES, WATCH_MOVES };

/* A look at the table while a kernel runs.
 * - Except for MOVES a slot goes open, claimed, complete, dead, and in no other way.
 * - No key is complete in two slots, and one that a kernel moves is always in one or two.
 * - A complete key in its second home or in the stash has its bit in the filter of the first one,
 *   and the mark says that the stash has keys. */
struct compact_watch {
    const struct compact_scene_table *t;
    enum compact_watched kind;
    uint32_t words[COMPACT_MOST_HOMES][COMPACT_BYTES / 4];
    uint8_t stage[COMPACT_MOST_HOMES][COMPACT_MOST_SLOTS + 2];
    int complete[COMPACT_MOST_KEYS]; /* slots with the key */
    int second[COMPACT_MOST_KEYS];   /* those in its second home */
    bool stays[COMPACT_MOST_KEYS];
    char text[160];
};
void compact_watch_begin(struct compact_watch *w, const struct compact_scene_table *t, enum compact_watched kind);
const char *compact_watch_look(void *watch);

#endif
