/* roost_scatter: a batch's way to the owners of its keys, where it stays. */
#include "api/checks.h"
#include "sharding/round.h"

static roost_status scatter_check(struct roost_table *t, const void *keys, const void *payload, int payload_bytes, size_t n,
                                  const size_t *count)
{
    const struct group *const g = group_of(t);
    if (!g || g->team) return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "roost_scatter is for tables with a comm");
    if (!count) return error_set(&t->error, ROOST_ERR_ARGUMENT, "count is NULL");
    if (payload_bytes != 0 && !width_is_word(payload_bytes))
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "payload_bytes is %d: it must be 0, 4 or 8", payload_bytes);
    const roost_status status = check_keys(t, keys, n);
    return status || !payload_bytes ? status : check_given(t, "payload", payload, n, payload_bytes);
}

static roost_status delivery_check(struct roost_table *t, const struct delivery *d, int payload_bytes)
{
    const roost_status status = d->room ? check_given(t, "keys_out", d->keys, d->room, t->key_bytes) : ROOST_OK;
    return status || !payload_bytes || !d->room ? status : check_given(t, "payload_out", d->payload, d->room, payload_bytes);
}

ROOST_EXPORT roost_status roost_scatter(roost_table *table, const void *keys, const void *payload, int payload_bytes, size_t n,
                                        void *keys_out, void *payload_out, size_t room, size_t *count, const roost_call *call)
{
    roost_call own;
    if (!table) return call_without_table("roost_scatter");
    struct delivery delivery = {.keys = keys_out, .payload = payload_out, .room = room};
    roost_status status = call_read(table, &call, 0, &own);
    if (!status) status = scatter_check(table, keys, payload, payload_bytes, n, count);
    if (!status) status = delivery_check(table, &delivery, payload_bytes);
    if (!table->group || group_of(table)->team) return call_finish(table, status);
    if (status) delivery.room = 0; /* the others' items are lost here */
    struct batch b = batch_of(table, keys, n, call);
    b.statuses = NULL;
    b.values_in = payload_bytes ? payload : NULL;
    b.value_bytes = (uint16_t)payload_bytes;
    b.takes = payload_bytes ? 1u << ROOST_OP_INSERT : 0;
    status = sharded_rounds(table, COLLECTIVE_SCATTER, &b, &delivery, call, status);
    if (!count) return call_finish(table, status);
    *count = delivery.count;
    if (status || delivery.count <= room) return call_finish(table, status);
    return call_finish(
        table, error_set(&table->error, ROOST_ERR_FULL, "%zu items arrived, and there is room for %zu", delivery.count, room));
}
