/* Batches over a small Stadium table on the scheduled machine, and whether their results can be
 * explained.
 *
 * Each key's items have an order that explains their results and what is stored before and after
 * (support/linear.h); with strong memory, an order that agrees with real time. For an item
 * without room, the scene checks that there is none on its key's way; then a refill, or a second
 * insert, places the item. */
#ifndef ROOST_TESTS_SCHEDULED_STADIUM_SCENE_H
#define ROOST_TESTS_SCHEDULED_STADIUM_SCENE_H

#include "support/scheduled_stadium_wide.h"

struct stadium_explored {
    struct frame_explored all;
    uint64_t refilled, parked, reused, moved, compacted;
    uint64_t far;            /* ways of several groups */
    uint64_t arenas, closed; /* compactions of the arena; batches without room for strings */
    uint64_t bounded;        /* inserts that look for room within their homes' reach */
    uint64_t permitted;      /* batches that may add few keys */
    uint64_t sifted, left;   /* finds that a sift ended; those that it left to the next kernel */
};

struct stadium_scene {
    struct frame f; /* first member */
    const struct stadium_stamped *stamped;
    struct stadium_scene_table t;
    struct stadium_contents before, after;
    struct stadium_watch watch;
    struct stadium_call call;
    bool absent_zero; /* finds zero the values of absent keys */
    bool refill;      /* inserts run under locks, and take ERASED slots */
    uint64_t permits; /* keys that a batch may still add, where its view has permits */
};

/* stadium_scene_begin makes a scene without a table. stadium_scene_make gives it an empty one of
 * these sizes, and stadium_scene_keys n keys as of stadium_keys_draw. */
void stadium_scene_begin(struct stadium_scene *s, const struct stadium_stamped *stamped, uint64_t seed);
void stadium_scene_make(struct stadium_scene *s, const struct shape shape, const struct stadium_sizes *sizes);
void stadium_scene_keys(struct stadium_scene *s, int keys, int alike, bool infos_too);

/* Writes item i into the arrays; with strings, after all items before it. */
void stadium_item_set(struct frame *f, int i, int key, uint8_t operation, roost_value value);

/* stadium_batch_call makes the call of an insert (one mode for all items), erase, apply or find
 * over the scene's items; `parks`: items without room go to a list. stadium_plan adds what is
 * watched while it runs. */
void stadium_batch_call(struct stadium_scene *s, enum stadium_operation operation, bool parks);
struct scheduled_plan stadium_plan(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation);
/* The kernel of the operation; a refill uses the kernel of mixed batches. */
scheduled_kernel *stadium_kernel(const struct stadium_scene *s, enum stadium_operation operation);
/* After a launch: checks the structure, counters and results. l: the launch that runs items
 * without room again. */
bool stadium_batch_check(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation);

/* Checks the results of the scene's items: found values are whole, and each key's items have an
 * order. */
bool stadium_results_check(struct stadium_scene *s, bool weak);

/* Launches a kernel over the scene's call; false if the scheduler reports a fault. */
bool stadium_launch_kernel(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation);

/* Draws, runs and checks a batch. */
bool stadium_scene_batch(struct stadium_scene *s, const struct frame_launch *l, enum stadium_operation operation, bool refill);

/* Draws and checks finds: a sift, and a find of the items that it parks
 * (scheduled_stadium_sift.c). */
bool stadium_scene_sift(struct stadium_scene *s, const struct frame_launch *l);

/* Shapes of wide pairs: bytes of a key (or strings) and of a value. */
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

/* A whole scene; the kernels are a struct stadium_stamped, the shape is one of these or one of
 * words. */
frame_explore stadium_explore;
extern struct stadium_explored stadium_explored;
extern const char *const stadium_shape_names[STADIUM_STRINGS_0 + 1];

/* True if the site belongs to an operation on wide pairs, which shapes of words do not have. */
bool stadium_site_is_wide(const struct scheduled_site *site);

#endif
