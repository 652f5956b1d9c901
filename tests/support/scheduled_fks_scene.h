/* Batches over a small FKS table on the scheduled machine: writes, shifts, erases and finds,
 * several tiles at once. After each kernel the table is walked, and the results of the items are
 * explained. */
#ifndef ROOST_TESTS_SCHEDULED_FKS_SCENE_H
#define ROOST_TESTS_SCHEDULED_FKS_SCENE_H

#include "support/scheduled_fks_table.h"

struct fks_explored {
    struct frame_explored all;
    /* items that write parked, and those whose bucket was at its limit despite vacancies */
    uint64_t parked, limited;
    uint64_t shifted;      /* items that shift placed */
    uint64_t moved, stuck; /* pairs that shift moved, and items for which it found no move */
    uint64_t by_columns;   /* items that were placed from columns */
    uint64_t second;       /* pairs that write put into their second line */
};

struct fks_scene {
    struct frame f; /* first member */
    const struct frame_scenario *scenario;
    struct small_table t;
    struct small_state before, after;
    struct fks_call call;
    enum fks_operation operation;
    bool waits[FRAME_ITEMS]; /* items that found no room in the kernel */
    uint64_t hashes[FRAME_ITEMS];
};

/* fks_scene_begin makes a scene without a table. fks_scene_walk makes the table's keys the scene's
 * universe, and walks the table before the first kernel. */
void fks_scene_begin(struct fks_scene *s, const struct frame_scenario *scenario);
bool fks_scene_walk(struct fks_scene *s);

/* Makes the call of a kernel over the scene's items. */
struct batch *fks_call_begin(struct fks_scene *s, enum fks_operation operation);

/* Takes the items of a list as those that wait: each is there once. Its status is the one that the
 * batch asked for, or untouched if the batch asked for none. */
bool fks_list_take(struct fks_scene *s, int to);

/* Checks the table and the items after a kernel. */
bool fks_kernel_check(struct fks_scene *s);

/* A whole scene; the kernels are a struct fks_stamped, the shape is an enum fks_shape. */
frame_explore fks_explore;
extern struct fks_explored fks_explored;
extern const char *const fks_shape_names[SHAPE_any];
extern const struct shape fks_shapes[SHAPE_any];

#endif
