/* A piece of a batch while it is inserted. */
#include "engines/insertion.h"

#include <inttypes.h>
#include <string.h>

struct batch batch_slice(const struct engine_table *t, const struct batch *whole, uint64_t first, uint64_t n)
{
    struct batch part = batch_part(whole, first, n, t->key_bytes, t->value_bytes);
    part.counters = t->ledger.words;
    part.value_type = (uint8_t)t->value_type;
    part.saturate = t->saturate;
    part.park_status = ROOST_ITEM_FULL;
    return part;
}

struct batch batch_of_pairs(const struct engine_table *t, const void *keys, const void *values, uint64_t n)
{
    struct batch whole;
    memset(&whole, 0, sizeof whole);
    whole.keys = keys;
    whole.values_in = t->value_bytes ? values : NULL;
    whole.mode = ROOST_KEEP;
    return batch_slice(t, &whole, 0, n);
}

roost_status insertion_take(struct insertion *in, int pass)
{
    struct engine_stats *stats = &in->table->stats;
    struct counters since;
    const roost_status status = ledger_read(&in->table->ledger, &since);
    if (status) return status;
    in->items.order_n = NULL; /* the host knows it now */
    in->items.n = in->table->lists.waiting[pass];
    in->fresh += since.inserted;
    stats->inserted += since.inserted;
    stats->updated += since.updated;
    stats->erased += since.erased;
    return ROOST_OK;
}

roost_status insertion_pass(struct insertion *in, const struct kernel *k, const void *args, size_t args_bytes, struct batch *batch)
{
    struct engine_table *t = in->table;
    const int to = in->items.order == t->lists.list[0] ? 1 : 0;
    lists_pass(&t->lists, batch, &in->items, to);
    batch->park_status = in->batch.park_status;
    roost_status status = lists_clear(&t->lists);
    if (!status) status = backend_launch(t->backend, k, args, args_bytes, batch->n);
    return status ? status : insertion_take(in, to);
}

roost_status insertion_full(const struct insertion *in)
{
    return error_set(in->table->error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and growth is off", in->items.n);
}

roost_status insertion_finish(struct insertion *in)
{
    roost_status status = ROOST_OK;
    in->batch.park_status = ROOST_ITEM_FULL;
    while (!status && in->items.n) {
        status = in->provide(in);
        if (!status) status = in->run(in);
    }
    if (status != ROOST_ERR_MEMORY) return status;
    const struct error_mark why = error_keep(in->table->error);
    ledger_refuse(&in->table->ledger);
    in->batch.park_status = ROOST_ITEM_NO_MEMORY;
    status = in->run(in);
    error_restore(&why);
    return status ? status : in->items.n ? ROOST_ERR_MEMORY : ROOST_OK;
}
