/* The parts of a scenario on the scheduled machine: a table, batches of its keys, and kernels
 * launched over them. */
#ifndef ROOST_TESTS_SCHEDULED_SCENE_H
#define ROOST_TESTS_SCHEDULED_SCENE_H

#include "support/scheduled_explore.h"

enum { MOST_ITEMS = 2 * MOST_KEYS, CLAIM_BITS = 64 /* few, so that keys share bits */ };

/* A batch by its keys' indices in the universe, and the arrays that kernels see, without spare
 * room. */
struct items {
    int n;
    int key[MOST_ITEMS];
    roost_value value[MOST_ITEMS];
    void *keys, *values_in, *values_out;
    uint8_t *statuses, *found;
    uint32_t *list[3]; /* items parked by fill, evict and path */
    uint64_t list_n[3];
    uint32_t claims[CLAIM_BITS / 32];
    struct item_stamp stamps[MOST_ITEMS];
    uint64_t clock; /* source of the timestamps */
};

struct scene {
    const struct frame_scenario *scenario;
    struct dice dice;
    struct scheduled_table t;
    struct scheduled_watch watch;
    struct counters counters; /* counters of the last operation */
    roost_type type;          /* type of the table's values */
};

/* Memory filled with a pattern; never NULL. */
void *scene_array(size_t bytes);

/* Draws at most `most` items and at least a quarter of that, with duplicates. Half of the
 * batches draw half of their items from few keys; crowded ones draw all of them from few keys. */
void items_make(struct scene *s, struct items *items, roost_type type, int most, bool crowded);
void items_free(struct items *items);
uint64_t items_status_count(const struct items *items, uint8_t status);

/* Makes the next pass take its items from list `from` (below 0: all items), and park in list
 * `to`. */
void items_pass_over(struct dycuckoo_args *args, struct items *items, int from, int to);

/* The arguments of a kernel over a batch, or without one (NULL). */
struct dycuckoo_args scene_args(struct scene *s, const struct items *items);

/* The arguments of an insert. */
struct dycuckoo_args scene_insert_args(struct scene *s, const struct items *items, roost_mode mode);

/* How a kernel is launched. */
struct launch {
    enum dycuckoo_operation operation;
    enum driver driver;
    int size, tiles;
};

/* Launches a kernel; false if the scheduler reports a fault. */
bool scene_launch(struct scene *s, const struct launch l, const struct dycuckoo_args *args);

/* Launches with the scenario's driver and tile size: several tiles at once. */
bool scene_launch_here(struct scene *s, enum dycuckoo_operation operation, int cell, const struct dycuckoo_args *args);

/* Updates the table's counts by the kernels' counters. */
void scene_counts_take(struct scene *s);

/* Each checks a batch's results and counters against the reference, and then updates the
 * reference. After inserts, the contents give the values. */
bool scene_find_check(struct scene *s, const struct items *items);
bool scene_erase_check(struct scene *s, const struct items *items);
bool scene_insert_check(struct scene *s, const struct items *items, const struct dycuckoo_args *args,
                        const struct contents *contents);

/* The operations with files of their own: each runs and checks one; false if something was
 * wrong. */
bool scene_insert(struct scene *s, roost_mode mode, bool crowded);

/* Completes an insert after its pass `done` (fill, evict or path): runs the other passes by one
 * lane alone, and checks the results of the batch. */
bool scene_insert_finish(struct scene *s, struct items *items, struct dycuckoo_args *args, enum dycuckoo_operation done);
bool scene_grow(struct scene *s);
bool scene_shrink(struct scene *s);
bool scene_export(struct scene *s);

/* The spill list, which runs last: it empties the table, and the reference tells what the list
 * holds. */
bool scene_spill(struct scene *s);

#endif
