/* Batches over a small GPH table on the scheduled machine, and whether what became of them can be explained: the table's structure and
 * counters, each key's items in some order (support/linear.h), finds that come to all keys, and no item without room where there is some. */
#ifndef ROOST_TESTS_SCHEDULED_GPH_SCENE_H
#define ROOST_TESTS_SCHEDULED_GPH_SCENE_H

#include "support/scheduled_gph_table.h"

enum { GPH_MOST_ITEMS = 60 };

/* How a kernel is launched. */
struct gph_launch {
    enum gph_operation operation;
    int size, tiles;
    bool weak; /* memory */
};

struct gph_explored {
    uint64_t items[GPH_OPERATIONS_HERE];
    uint64_t parked_by_fill, parked_by_deaths, full, late; /* late: alone there was room for them */
    uint64_t died, put_back, evicted, delta_moves, phi_moves, flagged, mended, in_overflow;
    uint64_t points, switches;
};

/* A batch by its keys' places in the universe, and the arrays that kernels see. */
struct gph_items {
    int n;
    uint8_t operation; /* of all */
    int key[GPH_MOST_ITEMS];
    uint64_t keys[GPH_MOST_ITEMS], values_in[GPH_MOST_ITEMS], values_out[GPH_MOST_KEYS]; /* in the table's widths */
    roost_value value[GPH_MOST_ITEMS];
    uint8_t statuses[GPH_MOST_KEYS], found[GPH_MOST_KEYS];
    uint32_t list[2][GPH_MOST_ITEMS];
    uint64_t list_n[2];
};

struct gph_scene {
    const struct gph_stamped *stamped;
    struct gph_explored *explored;
    struct gph_scene_table t;
    struct gph_contents before, after;
    struct gph_watch watch;
    bool unwatched; /* of planted faults, only what remains counts */
    struct counters counters;
    struct gph_items items;
    struct gph_call call;
    bool saturate; /* sums */
    struct dice dice;
};

void gph_item_set(struct gph_scene *s, int i, int key, roost_value value);

/* Empties the call, but for what every kernel needs. */
void gph_call_clear(struct gph_scene *s);

/* The call of a fill, refine or erase over the scene's items; `from`: the list of those that are meant, or -1: all; those that find no room
 * go to list `to`. */
void gph_batch_call(struct gph_scene *s, enum gph_operation operation, int from, int to);
void gph_watch_launch(struct gph_scene *s, const struct gph_launch *l);
struct scheduled_plan gph_plan(struct gph_scene *s, const struct gph_launch *l);
bool gph_launch_kernel(struct gph_scene *s, const struct gph_launch *l);

/* After it: the structure, counters and results. */
bool gph_counts_take(struct gph_scene *s);
bool gph_batch_check(struct gph_scene *s, const struct gph_launch *l, int to);

/* The items of list `from` once more by a tile alone: who finds no room now is right. */
bool gph_refine_alone(struct gph_scene *s, int from);

/* Cells by a lane alone, until nothing changes: those that are flagged have to be. */
bool gph_mend_alone(struct gph_scene *s);
bool gph_mend_launch(struct gph_scene *s, const struct gph_launch *l);
bool gph_mend_check(struct gph_scene *s); /* what is stored is as before */

/* Finds of all keys. */
bool gph_find_all(struct gph_scene *s);

/* A whole scene from a seed: NULL, or what went wrong; the text stays until the next one. */
struct gph_scenario {
    const struct gph_stamped *stamped;
    struct shape shape;
    int size; /* lanes of a tile */
    bool weak, unwatched;
    uint64_t seed;
    bool crowd; /* a cell has more keys than a workspace; of shapes with 16 slots */
};
const char *gph_explore(const struct gph_scenario *scenario, struct gph_explored *explored);

#endif
