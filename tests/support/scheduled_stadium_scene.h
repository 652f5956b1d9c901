/* Batches over a small Stadium table on the scheduled machine, and whether what became of them can be explained.
 *
 * Each key's items have an order in which their results, and what is stored before and after, follow from each other (support/linear.h);
 * with strong memory one that real time allows.  Who found no room is looked at: there is none on his key's way; then a refill, or an insert
 * once more, takes him up. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_SCENE_H
#define ROOST_TESTS_SCHEDULED_STADIUM_SCENE_H

#include "support/scheduled_stadium_wide.h"

enum { STADIUM_MOST_ITEMS = 120 };

/* How kernels are launched. */
struct stadium_launch {
    enum driver driver;
    int size, tiles;
    bool weak; /* memory */
};

struct stadium_explored {
    uint64_t items[STADIUM_OPERATIONS], refilled, parked, reused, put_back, moved, compacted, far; /* far: ways of several groups */
    uint64_t arenas, closed; /* compacted ones; batches without room for strings */
    uint64_t points, switches;
};

/* A batch by its keys' places in the universe, and the arrays that kernels see. */
struct stadium_items {
    int n;
    int key[STADIUM_MOST_ITEMS];
    uint64_t keys[STADIUM_MOST_ITEMS * STADIUM_KEY_BYTES / 8], values_in[STADIUM_MOST_ITEMS * STADIUM_VALUE_BYTES / 8],
        values_out[STADIUM_MOST_ITEMS * STADIUM_VALUE_BYTES / 8]; /* in the table's widths */
    uint64_t offsets[STADIUM_MOST_ITEMS + 1];                     /* of strings in `keys` */
    roost_value value[STADIUM_MOST_ITEMS];
    uint8_t statuses[STADIUM_MOST_ITEMS], found[STADIUM_MOST_ITEMS],
        operations[STADIUM_MOST_ITEMS]; /* always known; kernels may see a mode */
    struct item_stamp stamps[STADIUM_MOST_ITEMS];
    uint32_t list[2][STADIUM_MOST_ITEMS];
    uint64_t list_n[2];
};

struct stadium_scene {
    const struct stadium_stamped *stamped;
    struct stadium_explored *explored;
    struct stadium_scene_table t;
    struct stadium_contents before, after;
    struct stadium_watch watch;
    struct counters counters;
    struct stadium_items items;
    struct stadium_call call;
    bool saturate;    /* sums of batches */
    bool absent_zero; /* finds of absent keys */
    bool refill;      /* inserts are under locks, and take ERASED slots */
    struct dice dice;
};

/* An item's place in the arrays; of strings those before it are there. */
void stadium_item_set(struct stadium_scene *s, int i, int key, uint8_t operation, roost_value value);

/* The call of an insert (all items one mode), erase, apply or find over the scene's items, and what is looked at while it runs; `parks`:
 * those without room go to a list. */
void stadium_batch_call(struct stadium_scene *s, enum stadium_operation operation, bool parks);
struct scheduled_plan stadium_plan(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation);
/* The kernel that does it: a refill is one of mixed batches. */
scheduled_kernel *stadium_kernel(const struct stadium_scene *s, enum stadium_operation operation);
/* After it: the structure, counters and results.  l: how those that found no room are run again. */
bool stadium_batch_check(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation);

/* Launches a kernel over the scene's call; false if the scheduler reports a fault. */
bool stadium_launch_kernel(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation);

/* A batch whose items are drawn: played and checked. */
bool stadium_scene_batch(struct stadium_scene *s, const struct stadium_launch *l, enum stadium_operation operation, bool refill);

/* A whole scene from a seed: NULL, or what went wrong; the text stays until the next one. */
struct stadium_scenario {
    const struct stadium_stamped *stamped;
    enum stadium_shape shape;
    const struct stadium_widths *wide; /* of that shape */
    struct stadium_launch launch;      /* tiles: 0, drawn for each kernel */
    uint64_t seed;
};
/* Of an operation on wide pairs, which the shapes of words have not. */
bool stadium_site_is_wide(const struct scheduled_site *site);
const char *stadium_explore(const struct stadium_scenario *scenario, struct stadium_explored *explored);

#endif
