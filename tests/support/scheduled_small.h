/* Small scenes: two or three items, each with a tile of its own, on a table of one bucket per
 * subtable, through all schedules of few preemptions. */
#ifndef ROOST_TESTS_SCHEDULED_SMALL_H
#define ROOST_TESTS_SCHEDULED_SMALL_H

#include "support/scheduled_scene.h"

struct small_scene {
    const char *name;
    enum dycuckoo_operation operation; /* erase, fill, evict or path */
    roost_mode mode;
    uint32_t subtables;
    /* most keys stored before; fewer once two keys found both homes full */
    int stored;
    /* keys of the items: a, b, c are new ones, first those that found no room; s, t, u are
     * stored */
    const char *items;
};

/* How a scene is explored. */
struct small_run {
    const struct scheduled_kernels *kernels;
    enum dycuckoo_shape shape;
    int size; /* lanes of a tile */
    bool weak;
    uint64_t seed; /* seed of the table */
    struct scheduled_limits limits;
};

/* Returns NULL, or what went wrong; the text is valid until the next scene. */
const char *small_scene_explore(const struct small_scene *small, const struct small_run *run, struct scheduled_searched *searched);

#endif
