/* What the scenario of the scheduled machine is played with: a table, batches of its keys, and kernels launched over them. */
#ifndef ROOST_TESTS_SCHEDULED_SCENE_H
#define ROOST_TESTS_SCHEDULED_SCENE_H

#include "support/scheduled_explore.h"

enum { MOST_ITEMS = 2 * MOST_KEYS, CLAIM_BITS = 64 /* few: keys that share a bit must occur, too */ };

/* A batch by its keys' places in the universe, and the arrays that kernels see: just as long as they must be. */
struct items {
    int n;
    int key[MOST_ITEMS];
    roost_value value[MOST_ITEMS];
    void *keys, *values_in, *values_out;
    uint8_t *statuses, *found;
    uint32_t *list[3]; /* what fill, evict and path park */
    uint64_t list_n[3];
    uint32_t claims[CLAIM_BITS / 32];
    struct item_stamp stamps[MOST_ITEMS];
    uint64_t clock; /* of the stamps */
};

struct scene {
    const struct frame_scenario *scenario;
    struct dice dice;
    struct scheduled_table t;
    struct scheduled_watch watch;
    struct counters counters; /* of the last operation */
    roost_type type;          /* of the table's values */
};

/* Memory that holds a pattern; never NULL. */
void *scene_array(size_t bytes);

/* At most `most` items and at least a quarter of that, with duplicates: half of the batches draw half of their items from few keys,
 * a crowd all of them. */
void items_make(struct scene *s, struct items *items, roost_type type, int most, bool crowded);
void items_free(struct items *items);
uint64_t items_status_count(const struct items *items, uint8_t status);

/* The next pass takes its items from list `from` (below 0: all of them), and parks them in list `to`. */
void items_pass_over(struct dycuckoo_args *args, struct items *items, int from, int to);

/* The arguments of a kernel over a batch, or without one. */
struct dycuckoo_args scene_args(struct scene *s, const struct items *items);

/* Of an insert. */
struct dycuckoo_args scene_insert_args(struct scene *s, const struct items *items, roost_mode mode);

/* How a kernel is launched. */
struct launch {
    enum dycuckoo_operation operation;
    enum driver driver;
    int size, tiles;
};

/* False if the scheduler reports a fault. */
bool scene_launch(struct scene *s, const struct launch l, const struct dycuckoo_args *args);

/* Launches with the scenario's driver and tile: several tiles at once. */
bool scene_launch_here(struct scene *s, enum dycuckoo_operation operation, int cell, const struct dycuckoo_args *args);

/* What came and went, by the kernels' counters. */
void scene_counts_take(struct scene *s);

/* A batch's results and counters against the reference, to which they are then taken; after inserts the contents tell the values. */
bool scene_find_check(struct scene *s, const struct items *items);
bool scene_erase_check(struct scene *s, const struct items *items);
bool scene_insert_check(struct scene *s, const struct items *items, const struct dycuckoo_args *args,
                        const struct contents *contents);

/* The operations that have files of their own: played and checked; false if something was wrong. */
bool scene_insert(struct scene *s, roost_mode mode, bool crowded);

/* What follows an insert's pass `done` (fill, evict or path): the others, by one lane alone, and the checks of what became of the batch. */
bool scene_insert_finish(struct scene *s, struct items *items, struct dycuckoo_args *args, enum dycuckoo_operation done);
bool scene_grow(struct scene *s);
bool scene_halve(struct scene *s);
bool scene_export(struct scene *s);

/* The spill list, played last: it empties the table, and the reference tells what is in the list. */
bool scene_spill(struct scene *s);

#endif
