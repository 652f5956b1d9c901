/* Small scenes: two or three items, each with a tile of its own, on a table of one bucket a subtable, through all schedules of few
 * preemptions. */
#ifndef ROOST_TESTS_SCHEDULED_SMALL_H
#define ROOST_TESTS_SCHEDULED_SMALL_H

#include "support/scheduled_scene.h"

struct small_scene {
    const char *name;
    enum dycuckoo_operation operation; /* erase, fill, evict or path */
    roost_mode mode;
    uint32_t subtables;
    int stored;        /* keys before: at most so many, and no more once two found both homes full */
    const char *items; /* their keys: a, b, c are new ones, those first that found no room; s, t, u are stored */
};

/* How it is explored. */
struct small_run {
    const struct scheduled_kernels *kernels;
    enum dycuckoo_shape shape;
    int size; /* lanes of a tile */
    bool weak;
    uint64_t seed; /* of the table */
    struct scheduled_limits limits;
};

/* NULL, or what went wrong; the text stays until the next scene. */
const char *small_scene_explore(const struct small_scene *small, const struct small_run *run, struct scheduled_searched *searched);

#endif
