/* The calls on all pairs of a key: count, find_all, erase_all. */
#include "api/checks.h"
#include "roost/multi.h"

static bool counts_keys(const struct engine *e) { return e->count != NULL; }
static bool finds_all(const struct engine *e) { return e->find_all != NULL; }
static bool erases_all(const struct engine *e) { return e->multi; }

ROOST_EXPORT roost_status roost_count(const roost_table *table, const void *keys, size_t n, uint64_t *counts,
                                      const roost_call *call)
{
    roost_call own;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table; /* as roost_find */
    if (!t) return call_without_table("roost_count");
    roost_status status = call_read(t, &call, 0, &own);
    if (!status) status = check_able(t, "roost_count", counts_keys);
    if (!status) status = check_keys(t, keys, n);
    if (!status) status = check_given(t, "counts", counts, n, sizeof *counts);
    if (status || n == 0) return call_finish(t, status);
    struct batch b = batch_of(t, keys, n, call);
    b.counts = counts;
    return call_finish(t, staged_run(t, t->engine->count, 0, ACCESS_READ, &b, call));
}

ROOST_EXPORT roost_status roost_erase_all(roost_table *table, const void *keys, size_t n, uint64_t *counts, const roost_call *call)
{
    roost_call own;
    if (!table) return call_without_table("roost_erase_all");
    roost_status status = call_read(table, &call, 0, &own);
    if (!status) status = check_able(table, "roost_erase_all", erases_all);
    if (!status) status = check_keys(table, keys, n);
    if (!status) status = check_array(table, "counts", counts, n, sizeof *counts);
    if (status || n == 0) return call_finish(table, status);
    struct batch b = batch_of(table, keys, n, call);
    b.counts = counts;
    return call_finish(table, staged_run(table, engine_erase_all, 0, ACCESS_WRITE, &b, call));
}

ROOST_EXPORT roost_status roost_find_all(const roost_table *table, const void *keys, size_t n, const uint64_t *offsets,
                                         void *values, const roost_call *call)
{
    roost_call own;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (!t) return call_without_table("roost_find_all");
    roost_status status = call_read(t, &call, 0, &own);
    if (!status) status = check_able(t, "roost_find_all", finds_all);
    if (!status && !t->value_bytes) status = error_set(&t->error, ROOST_ERR_UNSUPPORTED, "the table has no values to gather");
    if (!status) status = check_keys(t, keys, n);
    if (!status) status = check_given(t, "offsets", offsets, n, sizeof *offsets);
    if (!status) status = check_array(t, "values", values, n, t->value_bytes);
    if (status || n == 0) return call_finish(t, status);
    struct batch b = batch_of(t, keys, n, call);
    b.offsets = offsets;
    b.values_out = values;
    return call_finish(t, staged_find_all(t, &b, call));
}
