/* Views: the caller's kernels use a table, from acquire to release. */
#include "api/changes.h"
#include "api/checks.h"
#include "roost/views.h"

static bool gives_views(const struct engine *e) { return e->hooks.view_bytes > 0; }

static roost_status view_check(struct roost_table *t, const void *view, const roost_call *call)
{
    const roost_status status = check_able(t, "views", gives_views);
    if (status) return status;
    if (t->numbered) return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a ROOST_NUMBERED table has no views");
    if (!view) return error_set(&t->error, ROOST_ERR_ARGUMENT, "view is NULL");
    if (call->statuses) return error_set(&t->error, ROOST_ERR_ARGUMENT, "a view has no statuses");
    return ROOST_OK;
}

static roost_status view_give(struct roost_table *t, void *view, size_t bytes, uint64_t inserts)
{
    if (!t->backend->capturing) {
        changes_lose(t, "a view wrote to the table");
        t->saved.written = true;
        return engine_view_acquire(t->at, view, bytes, inserts, operations_taken(t, true));
    }
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a view cannot be acquired on a stream that is captured");
}

ROOST_EXPORT roost_status roost_view_acquire(roost_table *table, void *view, size_t view_bytes, uint64_t inserts,
                                             const roost_call *call)
{
    roost_call own;
    if (!table) return call_without_table("roost_view_acquire");
    roost_status status = call_read(table, &call, 0, &own);
    if (!status) status = view_check(table, view, call);
    if (!status) status = call_begin(table, call->stream, ACCESS_WRITE);
    if (status) return call_finish(table, status);
    status = call_end(table, ACCESS_WRITE, view_give(table, view, view_bytes, inserts));
    table->viewed = status == ROOST_OK;
    table->view_stream = status == ROOST_OK ? call->stream : NULL;
    return call_finish(table, status);
}

static roost_status view_take_back(struct roost_table *t)
{
    if (!t->backend->capturing) return engine_view_release(t->at);
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a view cannot be released while its stream is captured");
}

ROOST_EXPORT roost_status roost_view_release(roost_table *table)
{
    if (!table) return call_without_table("roost_view_release");
    if (!table->viewed)
        return call_finish(table, error_set(&table->error, ROOST_ERR_ARGUMENT, "no view of this table is acquired"));
    table->viewed = false;
    roost_status status = call_begin(table, table->view_stream, ACCESS_WRITE);
    if (!status) status = call_end(table, ACCESS_WRITE, view_take_back(table));
    table->viewed = status == ROOST_ERR_UNSUPPORTED || status == ROOST_ERR_ARGUMENT; /* refused:
                                                                                      * the view
                                                                                      * is kept */
    if (!table->viewed) table->view_stream = NULL;
    return call_finish(table, status);
}
