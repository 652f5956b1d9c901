/* Batches over a small GPH table on the scheduled machine, and whether their results can be
 * explained:
 * - by the table's structure and counters
 * - by an order of each key's items (support/linear.h)
 * - by finds, which reach all keys
 * - by items without room, which must not occur where there is room */
#ifndef ROOST_TESTS_SCHEDULED_GPH_SCENE_H
#define ROOST_TESTS_SCHEDULED_GPH_SCENE_H

#include "support/scheduled_gph_table.h"

enum { GPH_MOST_ITEMS = 60 };

struct gph_explored {
    struct frame_explored all;
    /* late: items that found room once a tile ran alone */
    uint64_t parked_by_fill, parked_by_deaths, full, late;
    uint64_t died, evicted, delta_moves, phi_moves, flagged, mended, in_overflow;
    uint64_t placed; /* items of evict that found room */
};

struct gph_scene {
    struct frame f; /* first member */
    const struct gph_stamped *stamped;
    struct gph_scene_table t;
    struct gph_contents before, after;
    struct gph_watch watch;
    bool unwatched;               /* for planted faults: only the final state is checked */
    enum gph_operation operation; /* operation of the call */
    struct gph_call call;
};

/* gph_scene_begin makes a scene without a table; gph_scene_make gives it an empty one of these
 * sizes. */
void gph_scene_begin(struct gph_scene *s, const struct gph_stamped *stamped, uint64_t seed);
void gph_scene_make(struct gph_scene *s, const struct shape shape, const struct gph_sizes *sizes);

/* Gives all items the same operation. */
void gph_items_do(struct gph_scene *s, uint8_t operation);

/* gph_call_clear leaves in the call only what every kernel needs; gph_mend_call makes a call of
 * mend. */
void gph_call_clear(struct gph_scene *s, enum gph_operation operation);
void gph_mend_call(struct gph_scene *s);

/* Makes the call of a fill, refine or erase over the scene's items. `from`: a list of items, or
 * -1 for all. Items without room go to list `to`. */
void gph_batch_call(struct gph_scene *s, enum gph_operation operation, int from, int to);
void gph_watch_launch(struct gph_scene *s, const struct frame_launch *l);
struct scheduled_plan gph_plan(struct gph_scene *s, const struct frame_launch *l);
bool gph_launch_kernel(struct gph_scene *s, const struct frame_launch *l);

/* After a launch: check the structure, counters and results. */
bool gph_counts_take(struct gph_scene *s);
bool gph_batch_check(struct gph_scene *s, int to);

/* Runs the items of list `from` again, one tile alone: by refine, and those without room by
 * evict. An item that finds none now must have none, and no cell that can move out of its way. */
bool gph_insert_alone(struct gph_scene *s, int from);

/* Mends cells by one lane alone until nothing changes. Cells that stay flagged must have no
 * mapping. */
bool gph_mend_alone(struct gph_scene *s);
bool gph_mend_launch(struct gph_scene *s, const struct frame_launch *l);
bool gph_mend_check(struct gph_scene *s); /* the stored pairs are the same as before */

/* Finds all keys. */
bool gph_find_all(struct gph_scene *s);

/* Few slots, so that few keys fill a bucket; one shape has many. The last two shapes are for
 * crowds: a cell has more keys than a workspace holds. Crowds run unwatched, because looks at
 * this number of keys would take most of the time. */
enum { GPH_SHAPES = 9, GPH_CROWDS = 2 };
extern const struct shape gph_shapes[GPH_SHAPES + GPH_CROWDS];
extern const char *const gph_shape_names[GPH_SHAPES + GPH_CROWDS];

/* A whole scene; the kernels are a struct gph_stamped, the shape is an index in gph_shapes. */
frame_explore gph_explore;
extern struct gph_explored gph_explored;

#endif
