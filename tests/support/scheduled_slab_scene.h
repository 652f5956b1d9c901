/* Batches over a small slab table on the scheduled machine, and whether what became of them can be
 * explained.
 *
 * Unique tables: each key's items have an order in which their results, and what is stored before
 * and after, follow from each other (support/linear.h); with strong memory one that real time
 * allows.  Multimaps: what comes and goes adds up.  What found no room is run again by a lane
 * alone, and must find none either. */
#ifndef ROOST_TESTS_SCHEDULED_SLAB_SCENE_H
#define ROOST_TESTS_SCHEDULED_SLAB_SCENE_H

#include "support/scheduled_slab_table.h"

struct slab_explored {
    struct frame_explored all;
    uint64_t linked, parked, flush_wanted, reused, exported, moved;
};

struct slab_scene {
    struct frame f; /* first */
    const struct slab_stamped *stamped;
    struct slab_scene_table t;
    struct slab_contents before, after;
    struct slab_watch watch;
    struct slab_call call;
    int churn; /* in kernels that insert */
    /* Batches run by the kernels that read both halves of a slab at once, where there are such. */
    bool whole;
};

/* A scene without a table; then an empty one of these sizes, with a universe as slab_table_make has
 * it. */
void slab_scene_begin(struct slab_scene *s, const struct slab_stamped *stamped, uint64_t seed);
void slab_scene_make(struct slab_scene *s, const struct shape shape, const struct slab_sizes *sizes, int keys, int crowd);

/* The call of an insert (all items one mode), erase, apply or find over the scene's items, and what
 * is looked at while it runs; `parks`: those without room go to a list. */
void slab_batch_call(struct slab_scene *s, enum slab_operation operation, bool parks);
struct scheduled_plan slab_plan(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation);
/* After it: the structure, counters and results. */
bool slab_batch_check(struct slab_scene *s, enum slab_operation operation, bool weak);

/* Empties the call, but for what every kernel needs. */
void slab_call_clear(struct slab_scene *s);

/* Launches a kernel over the scene's call; false if the scheduler reports a fault. */
bool slab_launch_kernel(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation);

/* Operations of a scene: played and checked.  The first draws its items. */
bool slab_scene_batch(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation);
bool slab_scene_every(struct slab_scene *s, const struct frame_launch *l);
bool slab_scene_rebuild(struct slab_scene *s, const struct frame_launch *l);
bool slab_scene_survey(struct slab_scene *s, const struct frame_launch *l);

/* A whole scene; the kernels are a struct slab_stamped, the shape an enum slab_shape. */
frame_explore slab_explore;
extern struct slab_explored slab_explored;
extern const char *const slab_shape_names[];

#endif
