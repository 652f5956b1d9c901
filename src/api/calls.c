/* The calls on a table: each checks its arguments, and hands the engine a batch. */
#include "api/table.h"

static const roost_call default_call = {sizeof(roost_call), NULL, ROOST_SPACE_AUTO, NULL, 0};

/* Every call writes its error where roost_last_error looks for it: with the table, and in the thread. */
static roost_status finish(const struct roost_table *table, roost_status status)
{
    if (status) *thread_error() = table->error;
    return status;
}

static roost_status no_table(const char *function)
{
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%s: table is NULL", function);
}

static roost_status call_check(struct roost_table *t, const roost_call **call)
{
    if (!*call) *call = &default_call;
    if ((*call)->size != sizeof **call)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "call.size is not this version's %zu: call roost_call_init", sizeof **call);
    if ((*call)->flags)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "call.flags has unknown bits: 0x%x", (unsigned)(*call)->flags);
    if ((unsigned)(*call)->space > ROOST_SPACE_DEVICE)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "call.space is no roost_space");
    if ((*call)->space == ROOST_SPACE_DEVICE && cuda_device_count() == 0)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "call.space is DEVICE, and there is no device here");
    return ROOST_OK;
}

static roost_status array_check(struct roost_table *t, const char *name, const void *array, size_t n, int bytes)
{
    if (n > SIZE_MAX / 16) return error_set(&t->error, ROOST_ERR_ARGUMENT, "n is %zu: its bytes overflow", n);
    if (array && (uintptr_t)array % (unsigned)bytes)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "%s is not aligned to %d bytes", name, bytes);
    return ROOST_OK;
}

static roost_status keys_check(struct roost_table *t, const void *keys, size_t n)
{
    if (n && !keys) return error_set(&t->error, ROOST_ERR_ARGUMENT, "keys is NULL");
    return array_check(t, "keys", keys, n, t->key_bytes);
}

static roost_status mode_check(struct roost_table *t, roost_mode mode)
{
    if ((unsigned)mode > ROOST_MAX) return error_set(&t->error, ROOST_ERR_ARGUMENT, "mode is no roost_mode");
    if (mode >= ROOST_ADD && !t->arithmetic)
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "ADD, MIN and MAX need values with a type, not NONE or BYTES");
    return ROOST_OK;
}

static struct batch batch_of(const void *keys, size_t n, const roost_call *call)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.keys = keys;
    b.n = n;
    b.statuses = call->statuses;
    return b;
}

ROOST_EXPORT roost_status roost_insert(roost_table *table, roost_mode mode, const void *keys, const void *values, size_t n,
                                       const roost_call *call)
{
    if (!table) return no_table("roost_insert");
    roost_status status = call_check(table, &call);
    if (!status) status = mode_check(table, mode);
    if (!status) status = keys_check(table, keys, n);
    if (!status && table->value_bytes && n && !values) status = error_set(&table->error, ROOST_ERR_ARGUMENT, "values is NULL");
    if (!status && table->value_bytes) status = array_check(table, "values", values, n, table->value_bytes);
    if (status || n == 0) return finish(table, status);
    struct batch b = batch_of(keys, n, call);
    b.mode = (uint8_t)mode;
    b.values_in = table->value_bytes ? values : NULL;
    return finish(table, staged_run(table, table->engine->insert, ACCESS_WRITE, &b, call));
}

ROOST_EXPORT roost_status roost_find(const roost_table *table, const void *keys, size_t n, void *values, uint8_t *found,
                                     const roost_call *call)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table; /* finds write only what the mutex guards */
    if (!t) return no_table("roost_find");
    roost_status status = call_check(t, &call);
    if (!status) status = keys_check(t, keys, n);
    if (!status && t->value_bytes) status = array_check(t, "values", values, n, t->value_bytes);
    if (status || n == 0) return finish(t, status);
    struct batch b = batch_of(keys, n, call);
    b.values_out = t->value_bytes ? values : NULL;
    b.found = found;
    return finish(t, staged_run(t, t->engine->find, ACCESS_READ, &b, call));
}

ROOST_EXPORT roost_status roost_erase(roost_table *table, const void *keys, size_t n, const roost_call *call)
{
    if (!table) return no_table("roost_erase");
    roost_status status = call_check(table, &call);
    if (!status) status = keys_check(table, keys, n);
    if (status || n == 0) return finish(table, status);
    const struct batch b = batch_of(keys, n, call);
    return finish(table, staged_run(table, table->engine->erase, ACCESS_WRITE, &b, call));
}

ROOST_EXPORT roost_status roost_table_clear(roost_table *table)
{
    if (!table) return no_table("roost_table_clear");
    const roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    return finish(table, status ? status : call_end(table, ACCESS_WRITE, table->engine->clear(table->at)));
}

ROOST_EXPORT roost_status roost_table_reserve(roost_table *table, uint64_t keys)
{
    if (!table) return no_table("roost_table_reserve");
    const roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    return finish(table, status ? status : call_end(table, ACCESS_WRITE, table->engine->reserve(table->at, keys)));
}

ROOST_EXPORT roost_status roost_table_sync(roost_table *table, uint64_t *items_failed)
{
    uint64_t failed = 0;
    if (!table) return no_table("roost_table_sync");
    roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    if (!status) status = call_end(table, ACCESS_WRITE, table->engine->sync(table->at, &failed));
    if (items_failed) *items_failed = failed;
    return finish(table, status);
}

ROOST_EXPORT roost_status roost_table_check(const roost_table *table)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (!t) return no_table("roost_table_check");
    const roost_status status = call_begin(t, NULL, ACCESS_READ);
    return finish(t, status ? status : call_end(t, ACCESS_READ, t->engine->check(t->at)));
}

ROOST_EXPORT roost_status roost_table_stats(const roost_table *table, roost_stats *stats, size_t size)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (!t) return no_table("roost_table_stats");
    if (!stats || size != sizeof *stats)
        return finish(t,
                      error_set(&t->error, ROOST_ERR_ARGUMENT, "stats is NULL, or size is not this version's %zu", sizeof *stats));
    roost_status status = call_begin(t, NULL, ACCESS_READ);
    if (status) return finish(t, status);
    status = call_end(t, ACCESS_READ, t->engine->stats(t->at, stats));
    stats->size = size;
    stats->bytes_now = t->backend->bytes_now;
    stats->bytes_peak = t->backend->bytes_peak;
    stats->host_waits = t->backend->waits;
    return finish(t, status);
}

static roost_status export_check(struct roost_table *t, const roost_cursor *cursor, const void *keys, const void *values,
                                 size_t room, const size_t *n)
{
    if (!cursor || !n) return error_set(&t->error, ROOST_ERR_ARGUMENT, "cursor or n is NULL");
    if (room < ROOST_EXPORT_MIN)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "room is %zu, and must be at least %d", room, ROOST_EXPORT_MIN);
    roost_status status = keys_check(t, keys, room);
    if (!status && t->value_bytes) status = array_check(t, "values", values, room, t->value_bytes);
    return status;
}

ROOST_EXPORT roost_status roost_export(const roost_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                       size_t *n, const roost_call *call)
{
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (n) *n = 0;
    if (!t) return no_table("roost_export");
    roost_status status = call_check(t, &call);
    if (!status) status = export_check(t, cursor, keys, values, room, n);
    if (!status && call->statuses) status = error_set(&t->error, ROOST_ERR_ARGUMENT, "an export has no statuses");
    if (status) return finish(t, status);
    return finish(t, staged_export(t, cursor, keys, t->value_bytes ? values : NULL, room, n, call));
}
