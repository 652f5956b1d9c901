/* A small Stadium table in plain memory for the scheduled machine: a few groups of tickets, a universe of few keys, and a walk over all of it
 * that says what is stored. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_TABLE_H
#define ROOST_TESTS_SCHEDULED_STADIUM_TABLE_H

#include "support/scheduled_frame.h"
#include "support/scheduled_stadium_kernels.h"

enum { STADIUM_MOST_SLOTS = 640, STADIUM_MOST_KEYS = STADIUM_MOST_SLOTS + 16, STADIUM_MOST_LOCKS = 32 };

/* Of wide pairs. */
struct stadium_widths {
    int key_bytes; /* 0: strings */
    int value_bytes;
};

#define STADIUM_NO_KEY 0xfeedfeedfeedfeedULL /* what the bytes of no key are taken for */

/* What a table is drawn as, or told to be. */
struct stadium_sizes {
    uint32_t groups; /* a prime number */
    uint32_t bound;  /* of the groups that an insert goes to; 0: all */
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
    uint32_t locks[STADIUM_MOST_LOCKS / 32];
    struct stadium_ends ends; /* of the arena of strings, */
    uint64_t arena_room;
    int slots; /* with those of keys that look like marks */
    int keys;  /* of the universe; the first two look like marks, unless the keys are alike */
    roost_key key[STADIUM_MOST_KEYS];
};

/* What a walk found. */
struct stadium_contents {
    int n[STADIUM_MOST_KEYS]; /* pairs of a key */
    roost_value value[STADIUM_MOST_KEYS];
    int stored, erased, free;
    uint64_t string_bytes; /* of stored ones, in the arena */
};

void stadium_sizes_draw(struct stadium_sizes *sizes, const struct shape shape, struct dice *dice);
/* A view of an empty table of these sizes, in memory of its own, with the hashes of `like`, or (NULL) drawn ones. */
void stadium_scene_table_make(struct stadium_scene_table *t, const struct shape shape, const struct stadium_sizes *sizes,
                              const struct stadium_scene_table *like, struct dice *dice);
void stadium_scene_table_free(struct stadium_scene_table *t);
/* The arena of strings, which goes on from table to table. */
void stadium_scene_arena_free(struct stadium_scene_table *t);
/* Bytes of a value, and the bits that it has. */
int stadium_value_bytes(const struct stadium_scene_table *t);
uint64_t stadium_value_mask(const struct stadium_scene_table *t);
/* Draws so many keys; the first `alike` of them have the same order of tickets, and if so asked the same info. */
void stadium_keys_draw(struct stadium_scene_table *t, int keys, int alike, bool infos_too, struct dice *dice);

/* Stores a key that is not there, as an insert would, but by plain stores; false: no room. */
bool stadium_put(struct stadium_scene_table *t, int key, roost_value value);
/* Erases one that is there. */
void stadium_take_away(struct stadium_scene_table *t, int key);

/* Walks all slots: the invariants of stadium.h; but for H those of a table that has not taken in all pairs. */
bool stadium_pairs_walk(struct stadium_scene_table *t, struct stadium_contents *contents);
bool stadium_table_walk(struct stadium_scene_table *t, struct stadium_contents *contents);

/* A key that found no room: is there none on its way?  holes: nor one of an erased key. */
bool stadium_way_is_full(struct stadium_scene_table *t, int key, bool holes);

/* A look at the table while a kernel runs: tickets go FREE, RESERVED, STORED, ERASED, and nothing else but in refills from ERASED to
 * RESERVED; and no key is in two slots. */
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
