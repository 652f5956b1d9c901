/* roost_hash_order: the ranks of keys in the order of their hashes. */
#include "api/checks.h"
#include "roost/merge.h"

static bool orders_keys(const struct engine *e) { return e->ranking != NULL; }

roost_status check_hash_order(struct roost_table *t) { return check_able(t, "order of hashes", orders_keys); }

ROOST_EXPORT roost_status roost_hash_order(const roost_table *table, const void *keys, size_t n, uint64_t *ranks,
                                           const roost_call *call)
{
    roost_call own;
    struct roost_table *t = (struct roost_table *)(uintptr_t)table; /* as roost_find */
    if (!t) return call_without_table("roost_hash_order");
    roost_status status = call_read(t, &call, 0, &own);
    if (!status) status = check_hash_order(t);
    if (!status && call->statuses) status = error_set(&t->error, ROOST_ERR_ARGUMENT, "ranks have no statuses");
    if (!status) status = check_keys(t, keys, n);
    if (!status) status = check_given(t, "ranks", ranks, n, sizeof *ranks);
    if (status || n == 0) return call_finish(t, status);
    struct batch b = batch_of(t, keys, n, call);
    b.counts = ranks;
    return call_finish(t, staged_run(t, t->engine->ranking->ranks, 0, ACCESS_READ, &b, call));
}
