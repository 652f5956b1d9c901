/* Admission of calls to a table: any number of readers, or one writer.  Calls that share more
 * than the table take turns.  The rest is up to the caller; builds with assertions report a
 * violation. */
#include "api/table.h"
#include "batches/batches.h"

#ifndef NDEBUG
/* False if a writer would not be alone.  Of two calls that enter at the same time, the exchange
 * makes one see the other. */
static bool enter(struct roost_table *t, bool writes)
{
    int inside = __atomic_load_n(&t->inside, __ATOMIC_RELAXED);
    do {
        if (inside < 0 || (writes && inside > 0)) return false;
    } while (
        !__atomic_compare_exchange_n(&t->inside, &inside, writes ? -1 : inside + 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
    return true;
}

static void leave(struct roost_table *t, bool writes) { __atomic_fetch_add(&t->inside, writes ? 1 : -1, __ATOMIC_RELEASE); }
#else
static bool enter(struct roost_table *t, bool writes) { return (void)t, (void)writes, true; }
static void leave(struct roost_table *t, bool writes) { (void)t, (void)writes; }
#endif

roost_status call_begin(struct roost_table *t, void *stream, enum access access)
{
    const bool writes = access == ACCESS_WRITE;
    if (writes && t->viewed)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "a view of this table is acquired: call roost_view_release first");
    if (!enter(t, writes))
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "two calls use this table at the same time, and one of them writes");
    if (access != ACCESS_SHARED) pthread_mutex_lock(&t->turns);
    const roost_status status = t->backend->operations->begin(t->backend, stream, writes);
    if (writes) t->writes++;
    if (!status && writes && !t->backend->capturing) batches_export_forget(t->at);
    if (!status) return ROOST_OK;
    if (access != ACCESS_SHARED) pthread_mutex_unlock(&t->turns);
    leave(t, writes);
    return status;
}

roost_status call_end(struct roost_table *t, enum access access, roost_status status)
{
    const bool writes = access == ACCESS_WRITE;
    const roost_status ended = t->backend->operations->end(t->backend, writes);
    if (access != ACCESS_SHARED) pthread_mutex_unlock(&t->turns);
    leave(t, writes);
    return status ? status : ended;
}
