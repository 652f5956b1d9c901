/* Batches over a small slab table on the scheduled machine, and whether what became of them can be explained.
 *
 * Unique tables: each key's items have an order in which their results, and what is stored before and after, follow from each other
 * (support/linear.h); with strong memory one that real time allows.  Multimaps: what comes and goes adds up.  What found no room is run
 * again by a lane alone, and must find none either. */
#ifndef ROOST_TESTS_SCHEDULED_SLAB_SCENE_H
#define ROOST_TESTS_SCHEDULED_SLAB_SCENE_H

#include "support/scheduled_slab_table.h"

enum { SLAB_MOST_ITEMS = 160 };

/* How kernels are launched. */
struct slab_launch {
    enum driver driver;
    int size, tiles;
    bool weak; /* memory */
};

struct slab_explored {
    uint64_t items[SLAB_OPERATIONS], linked, parked, flush_wanted, reused, put_back, exported, moved;
    uint64_t points, switches;
};

/* A batch by its keys' places in the universe, and the arrays that kernels see. */
struct slab_items {
    int n;
    int key[SLAB_MOST_ITEMS];
    uint64_t keys[SLAB_MOST_ITEMS], values_in[SLAB_MOST_ITEMS], values_out[SLAB_MOST_ITEMS]; /* in the table's widths */
    roost_value value[SLAB_MOST_ITEMS];
    uint8_t statuses[SLAB_MOST_ITEMS], found[SLAB_MOST_ITEMS],
        operations[SLAB_MOST_ITEMS]; /* always known; kernels may see a mode */
    struct item_stamp stamps[SLAB_MOST_ITEMS];
    uint32_t list[2][SLAB_MOST_ITEMS];
    uint64_t list_n[2];
};

struct slab_scene {
    const struct slab_stamped *stamped;
    struct slab_explored *explored;
    struct slab_scene_table t;
    struct slab_contents before, after;
    struct slab_watch watch;
    struct counters counters;
    struct slab_items items;
    struct slab_call call;
    int churn;     /* in kernels that insert */
    bool saturate; /* sums of batches */
    bool whole;    /* batches run by the kernels that read both halves of a slab at once, where there are such */
    struct dice dice;
};

/* An item's place in the arrays. */
void slab_item_set(struct slab_scene *s, int i, int key, uint8_t operation, roost_value value);

/* The call of an insert (all items one mode), erase, apply or find over the scene's items, and what is looked at while it runs; `parks`:
 * those without room go to a list. */
void slab_batch_call(struct slab_scene *s, enum slab_operation operation, bool parks);
struct scheduled_plan slab_plan(struct slab_scene *s, const struct slab_launch *l, enum slab_operation operation);
/* After it: the structure, counters and results. */
bool slab_batch_check(struct slab_scene *s, enum slab_operation operation, bool weak);

/* Empties the call, but for what every kernel needs. */
void slab_call_clear(struct slab_scene *s);

/* Launches a kernel over the scene's call; false if the scheduler reports a fault. */
bool slab_launch_kernel(struct slab_scene *s, const struct slab_launch *l, enum slab_operation operation);

/* Operations of a scene: played and checked.  The first draws its items. */
bool slab_scene_batch(struct slab_scene *s, const struct slab_launch *l, enum slab_operation operation);
bool slab_scene_every(struct slab_scene *s, const struct slab_launch *l);
bool slab_scene_rebuild(struct slab_scene *s, const struct slab_launch *l);
bool slab_scene_survey(struct slab_scene *s, const struct slab_launch *l);

/* A whole scene from a seed: NULL, or what went wrong; the text stays until the next one. */
struct slab_scenario {
    const struct slab_stamped *stamped;
    enum slab_shape shape;
    struct slab_launch launch; /* tiles: 0, drawn for each kernel */
    uint64_t seed;
};
const char *slab_explore(const struct slab_scenario *scenario, struct slab_explored *explored);

#endif
