/* Operations on one key in the order of the arrays, for any engine.  A batch that memory holds is
 * one piece; others are cut by key. */
#include <string.h>

#include "batches/batches_ranges.h"
#include "batches/batches_runs.h"

enum { MOST = 1 << 24 /* items of a piece: more would take too much from the table */ };

/* ---- Memory ---------------------------------------------------------------------------------- */

static void parts_plan(struct batches_work *w)
{
    const struct batch *b = &w->args.batch;
    int *bytes = w->bytes;
    bytes[PART_SORT] = bytes[PART_SORT_ROOM] = bytes[PART_RUN_KEYS] = bytes[PART_WRITE_KEYS] = b->key_bytes;
    bytes[PART_ITEMS] = bytes[PART_ITEMS_ROOM] = bytes[PART_RUNS] = bytes[PART_WRITTEN] = sizeof(uint32_t);
    bytes[PART_STATUSES] = bytes[PART_RUN_FATES] = bytes[PART_WRITE_STATUSES] = 1;
    bytes[PART_OPERATIONS] = b->operations ? 1 : 0;
    bytes[PART_VALUES_IN] = b->values_in ? b->value_bytes : 0;
    bytes[PART_VALUES_OUT] = b->values_out ? b->value_bytes : 0;
    bytes[PART_RUN_VALUES] = bytes[PART_WRITE_VALUES] = b->value_bytes;
}

/* Items are taken: copied from the call's arrays into those of a piece. */
static void parts_plan_taken(struct batches_work *w)
{
    int *bytes = w->bytes;
    const int from = w->args.range.from_bytes = w->n > UINT32_MAX ? 8 : 4;
    bytes[PART_TAKEN_KEYS] = w->args.batch.key_bytes;
    bytes[PART_TAKEN_IN] = bytes[PART_VALUES_IN];
    bytes[PART_TAKEN_OUT] = bytes[PART_VALUES_OUT];
    bytes[PART_TAKEN_OPERATIONS] = bytes[PART_OPERATIONS];
    bytes[PART_TAKEN_STATUSES] = 1;
    bytes[PART_TAKEN_FROM] = from;
    if (bytes[PART_SORT] < from) bytes[PART_SORT] = bytes[PART_SORT_ROOM] = from;
    w->args.bins = RANGES_BINS;
}

/* Plans memory for sorts by keys of either width. */
static roost_status plan(struct batches_work *w)
{
    size_t other;
    memset(w->bytes, 0, sizeof w->bytes);
    w->args.bins = 0;
    parts_plan(w);
    if (w->swept || w->room < w->n) parts_plan_taken(w);
    roost_status status = batches_plan_sort(w);
    w->sort.key_bytes = 12 - w->sort.key_bytes;
    if (!status) status = batches_sort_scratch(w->b, &w->sort, &other);
    if (!status && w->sort.scratch_bytes < other) w->sort.scratch_bytes = other;
    return status;
}

roost_status batches_spare_make(struct engine_table *table)
{
    struct batches_work w;
    struct batch *b = &w.args.batch;
    const roost_status status = batches_begin(&w, table, MOST, NULL);
    if (status) return status;
    b->operations = b->statuses = (uint8_t *)table;
    b->values_in = b->values_out = table;
    b->key_bytes = (uint8_t)table->key_bytes;
    b->value_bytes = (uint16_t)table->value_bytes;
    w.n = UINT64_MAX;
    return batches_spare_allocate(&w, plan);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* All items are in reach: one part. */
static roost_status sweep_whole(struct batches_sweep *sweep, int arrays, batches_visit *visit, void *context)
{
    (void)arrays;
    return visit(context, sweep->batch, 0);
}

static roost_status order_run(struct engine_table *table, struct batches_sweep *sweep, bool swept)
{
    struct batches_work w;
    struct batches_few few;
    roost_status status = batches_begin(&w, table, MOST, &few);
    if (status) return status;
    w.swept = swept;
    w.args.batch = *sweep->batch;
    status = batches_open(&w, sweep->batch->n, plan);
    if (!status && (swept || w.room < w.n)) status = batches_in_ranges(&w, sweep);
    else if (!status) status = batches_pieces(&w, sweep->batch, runs_piece);
    batches_close(&w);
    return status;
}

roost_status batches_swept_in_order(struct engine_table *table, struct batches_sweep *sweep)
{
    return order_run(table, sweep, true);
}

roost_status batches_in_order(struct engine_table *table, const struct batch *batch)
{
    struct batches_sweep sweep = {sweep_whole, batch};
    batches_untried_from(table->backend, batch, 0);
    return order_run(table, &sweep, false);
}

roost_status batches_met_of(struct engine_table *table, const struct batch *batch)
{
    struct backend *const b = table->backend;
    struct batches_args args;
    memset(&args, 0, sizeof args);
    args.batch = *batch;
    args.n = batch->n;
    const roost_status status = backend_launch(b, batches_kernel_for(b, BATCHES_met), &args, sizeof args, batch->n);
    return status ? status : backend_wait(b);
}
