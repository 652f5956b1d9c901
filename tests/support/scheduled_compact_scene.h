/* Batches over a small compact table on the scheduled machine, and whether their results can be
 * explained.
 *
 * Each key's items have an order that explains their results and what is stored before and after
 * (support/linear.h); with strong memory, an order that agrees with real time.  Items without room
 * go through evictions, by several tiles and then by one lane alone, which leaves only those that
 * have none. */
#ifndef ROOST_TESTS_SCHEDULED_COMPACT_SCENE_H
#define ROOST_TESTS_SCHEDULED_COMPACT_SCENE_H

#include "support/scheduled_compact_table.h"

struct compact_explored {
    struct frame_explored all;
    uint64_t parked, displaced, evicted, placed, stuck, permitted, reused, second, twins, tidied, stranded, moved, stashed, drained;
};

struct compact_scene {
    struct frame f; /* first member */
    const struct compact_stamped *stamped;
    struct compact_scene_table t;
    struct compact_contents before, after;
    struct compact_watch watch;
    struct compact_call call;
    bool unwatched;
    uint64_t permits; /* for an insert, if the view has them */
};

/* compact_scene_begin makes a scene without a table.  compact_scene_make gives it an empty one with
 * a universe of at most `keys` keys; 0: as many as the sizes suggest. */
void compact_scene_begin(struct compact_scene *s, const struct compact_stamped *stamped, uint64_t seed);
void compact_scene_make(struct compact_scene *s, const struct compact_sizes *sizes, int keys);

/* compact_batch_call makes the call of an insert (one mode for all items), erase, apply or find
 * over the scene's items.  compact_plan adds what is watched while it runs. */
void compact_batch_call(struct compact_scene *s, enum compact_operation operation);
struct scheduled_plan compact_plan(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation);
/* After a launch: lets parked items evict; checks structure, counters and results. */
bool compact_batch_check(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation);

/* Launches a kernel over the scene's call; false if the scheduler reports a fault. */
bool compact_launch_kernel(struct compact_scene *s, const struct frame_launch *l, enum compact_operation operation);
/* Turns the epoch. */
bool compact_scene_turn(struct compact_scene *s);
/* The call of a kernel whose items are the homes. */
void compact_homes_call(struct compact_scene *s);

/* The first pass of tidying; then the second one, and checks of both. */
void compact_tidy_call(struct compact_scene *s);
bool compact_tidy_check(struct compact_scene *s, const struct frame_launch *l);

/* A whole scene; the kernels are a struct compact_stamped, the shape is an enum compact_shape. */
frame_explore compact_explore;
extern struct compact_explored compact_explored;
extern const char *const compact_shape_names[];

#endif
