/* Inserts that add 1 for each item: their values are made piece by piece. */
#include <string.h>

#include "batches/batches.h"
#include "batches/batches_work.h"

enum { MOST = 1 << 24 /* items of a piece */ };

static roost_status plan(struct batches_work *w)
{
    w->words = 0;
    w->sort.scratch_bytes = 0;
    return ROOST_OK;
}

static uint64_t one_of(const struct engine_table *t)
{
    const float single = 1;
    const double wide = 1;
    uint32_t bits;
    uint64_t wide_bits;
    memcpy(&bits, &single, sizeof bits);
    memcpy(&wide_bits, &wide, sizeof wide_bits);
    return t->value_type == ROOST_TYPE_F32 ? bits : t->value_type == ROOST_TYPE_F64 ? wide_bits : 1;
}

static roost_status piece_run(struct batches_work *w)
{
    struct batch b = w->args.batch;
    b.values_in = w->args.columns.values_in;
    w->args.numbers.base = one_of(w->table);
    const roost_status status = batches_launch(w, BATCHES_number_one, b.n);
    if (status) return status;
    return (b.key_offsets ? engine_insert : batches_way_of(w->table, ENGINE_INSERT, b.n).run)(w->table, &b);
}

roost_status batches_add_one(struct engine_table *table, const struct batch *batch)
{
    struct batches_work w;
    struct batches_few few;
    roost_status status = batches_begin(&w, table, MOST, &few);
    if (status) return status;
    w.bytes[PART_VALUES_IN] = batch->value_bytes;
    batches_untried_from(w.b, batch, 0);
    status = batches_open(&w, batch->n, plan);
    if (!status) status = batches_pieces(&w, batch, piece_run);
    batches_close(&w);
    return status;
}
