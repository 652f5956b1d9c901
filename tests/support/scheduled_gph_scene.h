/* Batches over a small GPH table on the scheduled machine, and whether what became of them can be
 * explained: the table's structure and counters, each key's items in some order (support/linear.h),
 * finds that come to all keys, and no item without room where there is some. */
#ifndef ROOST_TESTS_SCHEDULED_GPH_SCENE_H
#define ROOST_TESTS_SCHEDULED_GPH_SCENE_H

#include "support/scheduled_gph_table.h"

enum { GPH_MOST_ITEMS = 60 };

struct gph_explored {
    struct frame_explored all;
    uint64_t parked_by_fill, parked_by_deaths, full, late; /* late: alone there was room for them */
    uint64_t died, evicted, delta_moves, phi_moves, flagged, mended, in_overflow;
};

struct gph_scene {
    struct frame f; /* first */
    const struct gph_stamped *stamped;
    struct gph_scene_table t;
    struct gph_contents before, after;
    struct gph_watch watch;
    bool unwatched;               /* of planted faults, only what remains counts */
    enum gph_operation operation; /* of the call */
    struct gph_call call;
};

/* A scene without a table; then an empty one of these sizes. */
void gph_scene_begin(struct gph_scene *s, const struct gph_stamped *stamped, uint64_t seed);
void gph_scene_make(struct gph_scene *s, const struct shape shape, const struct gph_sizes *sizes);

/* All items do the same. */
void gph_items_do(struct gph_scene *s, uint8_t operation);

/* Empties the call, but for what every kernel needs; and one of a mend. */
void gph_call_clear(struct gph_scene *s, enum gph_operation operation);
void gph_mend_call(struct gph_scene *s);

/* The call of a fill, refine or erase over the scene's items; `from`: the list of those that are
 * meant, or -1: all; those that find no room go to list `to`. */
void gph_batch_call(struct gph_scene *s, enum gph_operation operation, int from, int to);
void gph_watch_launch(struct gph_scene *s, const struct frame_launch *l);
struct scheduled_plan gph_plan(struct gph_scene *s, const struct frame_launch *l);
bool gph_launch_kernel(struct gph_scene *s, const struct frame_launch *l);

/* After it: the structure, counters and results. */
bool gph_counts_take(struct gph_scene *s);
bool gph_batch_check(struct gph_scene *s, int to);

/* The items of list `from` once more by a tile alone: who finds no room now is right. */
bool gph_refine_alone(struct gph_scene *s, int from);

/* Cells by a lane alone, until nothing changes: those that are flagged have to be. */
bool gph_mend_alone(struct gph_scene *s);
bool gph_mend_launch(struct gph_scene *s, const struct frame_launch *l);
bool gph_mend_check(struct gph_scene *s); /* what is stored is as before */

/* Finds of all keys. */
bool gph_find_all(struct gph_scene *s);

/* Few slots, so that few keys fill a bucket; and one shape that has many.  Of the last two, a
 * crowd's, a cell has more keys than a workspace; and nothing looks while kernels run: at so many
 * keys that would take most of the time. */
enum { GPH_SHAPES = 9, GPH_CROWDS = 2 };
extern const struct shape gph_shapes[GPH_SHAPES + GPH_CROWDS];
extern const char *const gph_shape_names[GPH_SHAPES + GPH_CROWDS];

/* A whole scene; the kernels are a struct gph_stamped, the shape a number of gph_shapes. */
frame_explore gph_explore;
extern struct gph_explored gph_explored;

#endif
