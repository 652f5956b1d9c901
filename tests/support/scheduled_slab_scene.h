/* Batches over a small slab table on the scheduled machine, and whether their results can be
 * explained.
 *
 * Unique tables: each key's items have an order that explains their results and what is stored
 * before and after (support/linear.h); with strong memory, an order that agrees with real time.
 * Multimaps: appended and erased pairs add up. Items without room run again by one lane alone, or
 * by queues, and must find none either. */
#ifndef ROOST_TESTS_SCHEDULED_SLAB_SCENE_H
#define ROOST_TESTS_SCHEDULED_SLAB_SCENE_H

#include "support/scheduled_slab_table.h"

struct slab_explored {
    struct frame_explored all;
    uint64_t linked, parked, bounded, flush_wanted, reused, exported, moved, tails, skips;
};

struct slab_scene {
    struct frame f; /* first member */
    const struct slab_stamped *stamped;
    struct slab_scene_table t;
    struct slab_contents before, after;
    struct slab_watch watch;
    struct slab_call call;
    int churn;      /* rounds of churn in kernels that insert */
    uint32_t races; /* appends that lose as many park, and are served by queues; 0: none do */
    /* Unique tables: a pass whose items can park stores no more new keys than `room`. */
    bool bounded;
    uint32_t room;
    /* Batches run the kernels that read both halves of a slab at once, or those that read slot by
     * slot, where these exist. */
    bool whole, by_slots;
};

/* slab_scene_begin makes a scene without a table. slab_scene_make gives it an empty one of these
 * sizes, with a universe as of slab_table_make. */
void slab_scene_begin(struct slab_scene *s, const struct slab_stamped *stamped, uint64_t seed);
void slab_scene_make(struct slab_scene *s, const struct shape shape, const struct slab_sizes *sizes, int keys, int crowd);

/* slab_batch_call makes the call of an insert (one mode for all items), erase, apply or find
 * over the scene's items; `parks`: items without room go to a list. slab_plan adds what is
 * watched while it runs. */
void slab_batch_call(struct slab_scene *s, enum slab_operation operation, bool parks);
struct scheduled_plan slab_plan(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation);
/* After a launch: checks the structure, counters and results. */
bool slab_batch_check(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation);

/* Leaves in the call only what every kernel needs. */
void slab_call_clear(struct slab_scene *s);

/* Launches a kernel over the scene's call; false if the scheduler reports a fault. */
bool slab_launch_kernel(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation);

/* Operations of a scene: each runs and checks one. slab_scene_batch draws its items. */
bool slab_scene_batch(struct slab_scene *s, const struct frame_launch *l, enum slab_operation operation);
bool slab_scene_every(struct slab_scene *s, const struct frame_launch *l);
bool slab_scene_rebuild(struct slab_scene *s, const struct frame_launch *l);
bool slab_scene_survey(struct slab_scene *s, const struct frame_launch *l);

/* A whole scene; the kernels are a struct slab_stamped, the shape is an enum slab_shape. */
frame_explore slab_explore;
extern struct slab_explored slab_explored;
extern const char *const slab_shape_names[];

#endif
