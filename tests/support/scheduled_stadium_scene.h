/* Batches over a small Stadium table on the scheduled machine, and whether what became of them can
 * be explained.
 *
 * Each key's items have an order in which their results, and what is stored before and after,
 * follow from each other (support/linear.h); with strong memory one that real time allows.  Who
 * found no room is looked at: there is none on his key's way; then a refill, or an insert once
 * more, takes him up. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_SCENE_H
#define ROOST_TESTS_SCHEDULED_STADIUM_SCENE_H

#include "support/scheduled_stadium_wide.h"

struct stadium_explored {
    struct frame_explored all;
    uint64_t refilled, parked, reused, moved, compacted;
    uint64_t far;            /* ways of several groups */
    uint64_t arenas, closed; /* compacted ones; batches without room for strings */
};

struct stadium_scene {
    struct frame f; /* first */
    const struct stadium_stamped *stamped;
    struct stadium_scene_table t;
    struct stadium_contents before, after;
    struct stadium_watch watch;
    struct stadium_call call;
    bool absent_zero; /* finds of absent keys */
    bool refill;      /* inserts are under locks, and take ERASED slots */
};

/* A scene without a table; then an empty one of these sizes, and so many keys, as stadium_keys_draw
 * has them. */
void stadium_scene_begin(struct stadium_scene *s, const struct stadium_stamped *stamped, uint64_t seed);
void stadium_scene_make(struct stadium_scene *s, const struct shape shape, const struct stadium_sizes *sizes);
void stadium_scene_keys(struct stadium_scene *s, int keys, int alike, bool infos_too);

/* An item's place in the arrays; of strings those before it are there. */
void stadium_item_set(struct frame *f, int i, int key, uint8_t operation, roost_value value);

/* The call of an insert (all items one mode), erase, apply or find over the scene's items, and what
 * is looked at while it runs; `parks`: those without room go to a list. */
void stadium_batch_call(struct stadium_scene *s, enum stadium_operation operation, bool parks);
struct scheduled_plan stadium_plan(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation);
/* The kernel that does it: a refill is one of mixed batches. */
scheduled_kernel *stadium_kernel(const struct stadium_scene *s, enum stadium_operation operation);
/* After it: the structure, counters and results.  l: how those that found no room are run again. */
bool stadium_batch_check(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation);

/* Launches a kernel over the scene's call; false if the scheduler reports a fault. */
bool stadium_launch_kernel(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation);

/* A batch whose items are drawn: played and checked. */
bool stadium_scene_batch(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation, bool refill);

/* Shapes of wide pairs: bytes of a key, or strings, and of a value. */
enum {
    STADIUM_12_20 = SHAPE_wide + 1,
    STADIUM_12_8,
    STADIUM_5_3,
    STADIUM_12_0,
    STADIUM_16_4,
    STADIUM_STRINGS_20,
    STADIUM_STRINGS_8,
    STADIUM_STRINGS_0,
    STADIUM_WIDTHS = STADIUM_STRINGS_0 - SHAPE_wide
};

/* A whole scene; the kernels are a struct stadium_stamped, the shape one of these or of words. */
frame_explore stadium_explore;
extern struct stadium_explored stadium_explored;
extern const char *const stadium_shape_names[STADIUM_STRINGS_0 + 1];

/* Of an operation on wide pairs, which the shapes of words have not. */
bool stadium_site_is_wide(const struct scheduled_site *site);

#endif
