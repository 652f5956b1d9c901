/* A mixed batch for an engine that does one operation at a time: items are sorted by phase and
 * gathered, the phases run one after the other, and the results are scattered back. */
#include "batches/batches.h"

#include <string.h>

#include "batches/batches_work.h"
#include "engines/crowd.h"

static roost_status phase_run(struct batches_work *w, int phase, uint64_t first, uint64_t n)
{
    const struct columns *c = &w->args.columns;
    struct batch b = w->args.batch;
    b.keys = c->keys;
    b.values_in = c->values_in;
    b.values_out = c->values_out;
    b.found = NULL;
    b.statuses = c->statuses;
    b.operations = NULL;
    b = batch_part(&b, first, n, b.key_bytes, b.value_bytes);
    if (phase == PHASE_FIND || phase == PHASE_ERASE) b.values_in = NULL;
    if (phase != PHASE_FIND) b.values_out = NULL;
    if (phase == PHASE_FIND) return engine_find(w->table, &b);
    if (phase == PHASE_ERASE) return engine_erase(w->table, &b);
    b.mode = (uint8_t)(phase - PHASE_INSERT);
    return engine_insert(w->table, &b);
}

/* Runs all phases.  If items of one phase fail, the other phases still run. */
static roost_status phases_run(struct batches_work *w, const uint64_t bounds[PHASES + 1])
{
    roost_status failure = ROOST_OK;
    for (int phase = 0; phase < PHASE_NONE; phase++) {
        const uint64_t n = bounds[phase + 1] - bounds[phase];
        const roost_status status = n ? phase_run(w, phase, bounds[phase], n) : ROOST_OK;
        if (status && !status_of_items(status)) return status;
        if (!failure) failure = status;
    }
    return failure;
}

static roost_status phases_piece(struct batches_work *w)
{
    uint64_t bounds[PHASES + 1];
    const uint64_t n = w->args.batch.n;
    roost_status status = batches_launch(w, BATCHES_phase, n);
    if (!status) status = batches_sort_items(w, 4, PHASE_BITS);
    if (!status) status = batches_launch(w, BATCHES_bound, n);
    if (!status) status = batches_launch(w, BATCHES_gather, n);
    if (!status) status = w->b->operations->fill(w->b, w->args.columns.statuses, ROOST_ITEM_NONE, n);
    if (!status) status = batches_read_words(w, bounds, PHASES + 1);
    if (status) return status;
    const roost_status failure = phases_run(w, bounds);
    if (failure && !status_of_items(failure)) return failure;
    status = batches_launch(w, BATCHES_scatter, n);
    return status ? status : failure;
}

roost_status batches_in_phases(struct engine_table *table, const struct batch *batch)
{
    int bytes[PARTS] = {0};
    bytes[PART_SORT] = bytes[PART_SORT_ROOM] = bytes[PART_ITEMS] = bytes[PART_ITEMS_ROOM] = 4;
    bytes[PART_KEYS] = batch->key_bytes;
    bytes[PART_VALUES_IN] = batch->values_in ? batch->value_bytes : 0;
    bytes[PART_VALUES_OUT] = batch->values_out ? batch->value_bytes : 0;
    bytes[PART_STATUSES] = 1;
    roost_status status = engine_foresee(table, batch);
    if (!status) status = batches_run(table, batch, PHASES, bytes, phases_piece);
    engine_forget(table);
    return status;
}

roost_status batches_mixed(struct engine_table *table, const struct batch *batch)
{
    /* Phases gather keys and values, which must be words. */
    const bool words = width_is_word(batch->key_bytes) && (!batch->value_bytes || width_is_word(batch->value_bytes));
    bool churns = false;
    const roost_status status = words ? crowd_churns(table, batch, &churns) : ROOST_OK;
    if (status) return status;
    return churns ? batches_in_phases(table, batch) : engine_apply(table, batch);
}
