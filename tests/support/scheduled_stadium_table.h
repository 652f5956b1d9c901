/* A small Stadium table in plain memory for the scheduled machine: a few groups of tickets, and
 * a small universe of keys. A walk over the whole table tells what is stored. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_TABLE_H
#define ROOST_TESTS_SCHEDULED_STADIUM_TABLE_H

#include "support/scheduled_frame.h"
#include "support/scheduled_stadium_kernels.h"

enum { STADIUM_MOST_SLOTS = 640, STADIUM_MOST_KEYS = STADIUM_MOST_SLOTS + 16, STADIUM_MOST_LOCKS = 32 };

/* Widths of wide pairs. */
struct stadium_widths {
    int key_bytes; /* 0: strings */
    int value_bytes;
};

#define STADIUM_NO_KEY 0xfeedfeedfeedfeedULL /* read for bytes that are no key's */

/* The sizes of a table, drawn or given. */
struct stadium_sizes {
    uint32_t groups; /* a prime number */
    uint32_t bound;  /* groups that an insert visits at most; 0: all */
    int ticket_log, group_bytes;
    bool single, access;
    const struct stadium_widths *wide; /* NULL: pairs are words */
};

struct stadium_scene_table {
    struct shape shape;
    struct stadium_sizes sizes;
    struct stadium_view view;
    unsigned char *board_memory, *pairs_memory;
    uint64_t longest;
    uint32_t reach[STADIUM_MOST_SLOTS + 1]; /* of the homes, while view.reach is set */
    uint32_t locks[STADIUM_MOST_LOCKS / 32];
    struct stadium_ends ends; /* of the arena of strings */
    uint64_t arena_room;
    int slots; /* slots, including those of keys that look like marks */
    /* keys of the universe; the first two look like marks, unless the keys are alike */
    int keys;
    roost_key key[STADIUM_MOST_KEYS];
};

/* The results of a walk. */
struct stadium_contents {
    int n[STADIUM_MOST_KEYS]; /* pairs of each key */
    roost_value value[STADIUM_MOST_KEYS];
    int stored, erased, free;
    uint64_t string_bytes; /* bytes of stored strings in the arena */
};

void stadium_sizes_draw(struct stadium_sizes *sizes, const struct shape shape, struct dice *dice);
/* Makes a view of an empty table of these sizes in memory of its own, with the hashes of `like`,
 * or with drawn ones if that is NULL. */
void stadium_scene_table_make(struct stadium_scene_table *t, const struct shape shape, const struct stadium_sizes *sizes,
                              const struct stadium_scene_table *like, struct dice *dice);
void stadium_scene_table_free(struct stadium_scene_table *t);
/* Frees the arena of strings, which outlives single tables. */
void stadium_scene_arena_free(struct stadium_scene_table *t);
/* The bytes of a value, and the bits that it can have. */
int stadium_value_bytes(const struct stadium_scene_table *t);
uint64_t stadium_value_mask(const struct stadium_scene_table *t);
/* Draws n keys. The first `alike` of them have the same order of tickets; `infos_too`: and the
 * same info. */
void stadium_keys_draw(struct stadium_scene_table *t, int keys, int alike, bool infos_too, struct dice *dice);

/* Stores an absent key as an insert would, but by plain stores; false if there is no room. */
bool stadium_put(struct stadium_scene_table *t, int key, roost_value value);
/* Erases a stored key. */
void stadium_take_away(struct stadium_scene_table *t, int key);
/* Makes the homes' reach known to the next kernels: as far as stored keys are.  Keys that look like
 * marks have none. */
void stadium_reach_measure(struct stadium_scene_table *t);

/* Walk all slots and check the invariants of stadium.h. stadium_pairs_walk leaves out H, for a
 * table that has not taken in all pairs. */
bool stadium_pairs_walk(struct stadium_scene_table *t, struct stadium_contents *contents);
bool stadium_table_walk(struct stadium_scene_table *t, struct stadium_contents *contents);

/* For a key that found no room: true if there is none on its way; within its home's reach, if
 * inserts are bounded by it. holes: ERASED slots count as room, too. */
bool stadium_way_is_full(struct stadium_scene_table *t, int key, bool holes);

/* The first slot on a key's way whose ticket may be the key's; -1: none. */
int64_t stadium_candidate(const struct stadium_scene_table *t, int key);

/* A look at the table while a kernel runs. Tickets go from FREE to RESERVED, STORED and ERASED,
 * and only in refills from ERASED to RESERVED. No key is in two slots. */
struct stadium_watch {
    struct stadium_scene_table *table;
    bool refill;
    struct {
        enum slot_state state;
        uint32_t ticket;
        roost_key key;
    } slot[STADIUM_MOST_SLOTS];
    char text[160];
};
void stadium_watch_begin(struct stadium_watch *w, struct stadium_scene_table *t, bool refill);
const char *stadium_watch_look(void *watch);

#endif
