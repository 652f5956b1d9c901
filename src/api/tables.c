/* The calls on a whole table: its size, its statistics, its contents. */
#include "api/checks.h"

ROOST_EXPORT roost_status roost_table_clear(roost_table *table)
{
    if (!table) return call_without_table("roost_table_clear");
    const roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    return call_finish(table, status ? status : call_end(table, ACCESS_WRITE, engine_clear(table->at)));
}

ROOST_EXPORT roost_status roost_table_reserve(roost_table *table, uint64_t keys)
{
    if (!table) return call_without_table("roost_table_reserve");
    const roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    return call_finish(table, status ? status : call_end(table, ACCESS_WRITE, engine_reserve(table->at, keys)));
}

ROOST_EXPORT roost_status roost_compact(roost_table *table)
{
    if (!table) return call_without_table("roost_compact");
    const roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    return call_finish(table, status ? status : call_end(table, ACCESS_WRITE, engine_compact(table->at)));
}

ROOST_EXPORT roost_status roost_table_sync(roost_table *table, uint64_t *items_failed)
{
    uint64_t failed = 0;
    if (!table) return call_without_table("roost_table_sync");
    roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    if (!status) status = call_end(table, ACCESS_WRITE, engine_sync(table->at, &failed));
    if (items_failed) *items_failed = failed;
    return call_finish(table, status);
}

ROOST_EXPORT roost_status roost_table_check(const roost_table *table)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (!t) return call_without_table("roost_table_check");
    const roost_status status = call_begin(t, NULL, ACCESS_READ);
    return call_finish(t, status ? status : call_end(t, ACCESS_READ, t->engine->check(t->at)));
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

ROOST_EXPORT roost_status roost_export(const roost_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                       size_t *n, const roost_call *call)
{
    roost_call own;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (n) *n = 0;
    if (!t) return call_without_table("roost_export");
    roost_status status = call_read(t, &call, ROOST_HASH_ORDER, &own);
    if (!status && (call->flags & ROOST_HASH_ORDER)) status = check_hash_order(t);
    if (!status) status = check_export(t, cursor, values, room, n, call);
    if (!status) status = check_keys(t, keys, room);
    if (status) return call_finish(t, status);
    return call_finish(t, staged_export(t, cursor, keys, t->value_bytes ? values : NULL, room, n, call));
}
