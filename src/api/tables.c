/* The calls on a whole table: its size, its statistics, its contents. */
#include "api/changes.h"
#include "api/checks.h"
#include "api/collective.h"
#include "roost/numbers.h"

static roost_status whole_run(struct roost_table *t, enum collective of, uint64_t *number)
{
    switch (of) {
    case COLLECTIVE_CLEAR:
        changes_lose(t, "the table was cleared");
        t->saved.written = true;
        return engine_clear(t->at);
    case COLLECTIVE_RESERVE: return engine_reserve(t->at, *number);
    case COLLECTIVE_COMPACT: return engine_compact(t->at);
    case COLLECTIVE_SYNC: return engine_sync(t->at, number);
    default: return t->engine->check(t->at);
    }
}

roost_status table_whole(struct roost_table *t, enum collective of, uint64_t *number)
{
    const enum access access = of == COLLECTIVE_CHECK ? ACCESS_READ : ACCESS_WRITE;
    const roost_status status = call_begin(t, NULL, access);
    return status ? status : call_end(t, access, whole_run(t, of, number));
}

static roost_status whole_finish(struct roost_table *t, enum collective of, uint64_t *number)
{
    return call_finish(t, t->group ? t->group->calls->whole(t, of, number) : table_whole(t, of, number));
}

ROOST_EXPORT roost_status roost_table_clear(roost_table *table)
{
    return table ? whole_finish(table, COLLECTIVE_CLEAR, NULL) : call_without_table("roost_table_clear");
}

ROOST_EXPORT roost_status roost_table_reserve(roost_table *table, uint64_t keys)
{
    return table ? whole_finish(table, COLLECTIVE_RESERVE, &keys) : call_without_table("roost_table_reserve");
}

ROOST_EXPORT roost_status roost_compact(roost_table *table)
{
    return table ? whole_finish(table, COLLECTIVE_COMPACT, NULL) : call_without_table("roost_compact");
}

ROOST_EXPORT roost_status roost_table_sync(roost_table *table, uint64_t *items_failed)
{
    uint64_t failed = 0;
    if (!table) return call_without_table("roost_table_sync");
    const roost_status status = whole_finish(table, COLLECTIVE_SYNC, &failed);
    if (items_failed) *items_failed = failed;
    return status;
}

ROOST_EXPORT roost_status roost_table_check(const roost_table *table)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    return t ? whole_finish(t, COLLECTIVE_CHECK, NULL) : call_without_table("roost_table_check");
}

roost_status check_export(struct roost_table *t, const roost_cursor *cursor, const void *values, size_t room, const size_t *n,
                          const roost_call *call)
{
    if (call->statuses) return error_set(&t->error, ROOST_ERR_ARGUMENT, "an export has no statuses");
    if (!cursor || !n) return error_set(&t->error, ROOST_ERR_ARGUMENT, "cursor or n is NULL");
    if (room < ROOST_EXPORT_MIN)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "room is %zu, and must be at least %d", room, ROOST_EXPORT_MIN);
    return t->value_bytes ? check_array(t, "values", values, room, t->value_bytes) : ROOST_OK;
}

static roost_status export_order_check(struct roost_table *t, uint32_t flags)
{
    const uint32_t orders = flags & (ROOST_HASH_ORDER | ROOST_NUMBER_ORDER);
    if (orders == (ROOST_HASH_ORDER | ROOST_NUMBER_ORDER))
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "ROOST_HASH_ORDER and ROOST_NUMBER_ORDER are two orders");
    return orders == ROOST_HASH_ORDER ? check_hash_order(t) : orders ? check_numbered(t) : ROOST_OK;
}

/* Exports shard by shard. */
static roost_status shards_export(struct roost_table *t, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n,
                                  const roost_call *call)
{
    const struct collective_calls *const calls = t->group->calls;
    const uint64_t number = cursor->position >> SHARD_SHIFT;
    struct roost_table *const shard = cursor->end ? NULL : calls->shard(t, number);
    roost_cursor within = {cursor->position & (((uint64_t)1 << SHARD_SHIFT) - 1), cursor->end};
    if (!shard) return cursor->end = 1, ROOST_OK;
    const roost_status status = staged_export(shard, &within, keys, t->value_bytes ? values : NULL, room, n, call);
    if (shard != t && status) t->error = shard->error;
    const bool last = within.end && !calls->shard(t, number + 1);
    cursor->end = last;
    cursor->position = within.end && !last ? (number + 1) << SHARD_SHIFT : number << SHARD_SHIFT | within.position;
    return status;
}

ROOST_EXPORT roost_status roost_export(const roost_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                       size_t *n, const roost_call *call)
{
    roost_call own;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (n) *n = 0;
    if (!t) return call_without_table("roost_export");
    roost_status status = call_read(t, &call, ROOST_HASH_ORDER | ROOST_NUMBER_ORDER, &own);
    if (!status) status = export_order_check(t, call->flags);
    if (!status) status = check_export(t, cursor, values, room, n, call);
    if (!status) status = check_keys(t, keys, room);
    if (status) return call_finish(t, status);
    if (t->group) return call_finish(t, shards_export(t, cursor, keys, values, room, n, call));
    return call_finish(t, staged_export(t, cursor, keys, t->value_bytes ? values : NULL, room, n, call));
}
