/* The calls on a table's items: each checks its arguments, and hands the engine a batch. */
#include "api/checks.h"
#include "api/collective.h"
#include "batches/batches.h"
#include "roost/mixed.h"

roost_status check_mode(struct roost_table *t, roost_mode mode)
{
    if ((unsigned)mode > ROOST_APPEND) return error_set(&t->error, ROOST_ERR_ARGUMENT, "mode is not a roost_mode");
    if (t->numbered)
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a ROOST_NUMBERED table takes no inserts but those of roost_number");
    if (t->multi && mode != ROOST_APPEND)
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a ROOST_MULTI table takes only inserts of mode APPEND");
    if (!t->multi && mode == ROOST_APPEND)
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "mode APPEND is for tables made with ROOST_MULTI");
    if (!mode_is_taken(t, mode))
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "ADD, MIN and MAX need values with a type, not NONE or BYTES");
    return ROOST_OK;
}

/* Refuses ROOST_ORDERED on multimaps: the pairs of one key have no order there, so an order of
 * the operations on them would have no meaning. */
static roost_status order_check(struct roost_table *t, const roost_call *call)
{
    if (!(call->flags & ROOST_ORDERED)) return ROOST_OK;
    if (!t->multi) return check_words(t, "ROOST_ORDERED");
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "ROOST_ORDERED is for tables without ROOST_MULTI");
}

roost_status check_values(struct roost_table *t, roost_mode mode, const void *values, size_t n, const roost_call *call)
{
    if (!t->value_bytes) return ROOST_OK;
    if (mode != ROOST_ADD || values) return check_given(t, "values", values, n, t->value_bytes);
    if (!(call->flags & ROOST_ORDERED) && !t->group) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "ADD without values: not with ROOST_ORDERED, nor with a comm");
}

/* A batch of one operation, in the order that is best for the table.  Writes stay unordered where
 * memory for the order is refused, so staging keeps no memory free for it. */
static roost_status run_one_operation(struct roost_table *t, enum engine_call of, const struct batch *b, const roost_call *call)
{
    const bool ones = of == ENGINE_INSERT && t->value_bytes && !b->values_in;
    if (ones) return staged_run(t, batches_add_one, BATCHES_BYTES, ACCESS_WRITE, b, call);
    const struct batches_way way = batches_way_of(t->at, of, b->n);
    return staged_run(t, way.run, way.work_bytes, of == ENGINE_FIND ? ACCESS_READ : ACCESS_WRITE, b, call);
}

static roost_status run_mixed(struct roost_table *t, const struct batch *b, const roost_call *call)
{
    if (t->at->mixes) return staged_run(t, batches_mixed, 0, ACCESS_WRITE, b, call);
    return staged_run(t, batches_in_phases, BATCHES_BYTES, ACCESS_WRITE, b, call);
}

roost_status table_batch(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call)
{
    if (b->n == 0) return ROOST_OK;
    if (call->flags & ROOST_ORDERED) return staged_in_order(t, b, call);
    if (of == COLLECTIVE_APPLY) return run_mixed(t, b, call);
    return run_one_operation(t,
                             of == COLLECTIVE_FIND    ? ENGINE_FIND
                             : of == COLLECTIVE_ERASE ? ENGINE_ERASE
                                                      : ENGINE_INSERT,
                             b, call);
}

/* The rest of a call.  arguments: what its checks say. */
static roost_status batch_finish(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                                 roost_status arguments)
{
    const bool local = of == COLLECTIVE_FIND && (call->flags & ROOST_LOCAL);
    if (t->group && !local) return call_finish(t, t->group->calls->batch(t, of, b, call, arguments));
    return call_finish(t, arguments ? arguments : table_batch(t, of, b, call));
}

ROOST_EXPORT roost_status roost_insert(roost_table *table, roost_mode mode, const void *keys, const void *values, size_t n,
                                       const roost_call *call)
{
    roost_call own;
    if (!table) return call_without_table("roost_insert");
    roost_status status = call_read(table, &call, ROOST_ORDERED, &own);
    if (!status) status = order_check(table, call);
    if (!status) status = check_mode(table, mode);
    if (!status) status = check_keys(table, keys, n);
    if (!status) status = check_values(table, mode, values, n, call);
    struct batch b = batch_of(table, keys, n, call);
    b.mode = (uint8_t)mode;
    b.values_in = table->value_bytes ? values : NULL;
    b.takes = status ? 0 : (uint16_t)(1u << (ROOST_OP_INSERT + mode));
    return batch_finish(table, COLLECTIVE_INSERT, &b, call, status);
}

ROOST_EXPORT roost_status roost_find(const roost_table *table, const void *keys, size_t n, void *values, uint8_t *found,
                                     const roost_call *call)
{
    roost_call own;
    /* Finds write only what the mutex guards. */
    struct roost_table *t = (struct roost_table *)(uintptr_t)table;
    if (!t) return call_without_table("roost_find");
    roost_status status = call_read(t, &call, ROOST_ABSENT_KEEP | (t->group && !t->group->devices ? ROOST_LOCAL : 0), &own);
    if (!status) status = check_keys(t, keys, n);
    if (!status && t->value_bytes) status = check_array(t, "values", values, n, t->value_bytes);
    struct batch b = batch_of(t, keys, n, call);
    b.values_out = t->value_bytes ? values : NULL;
    b.found = found;
    b.absent_zero = !(call->flags & ROOST_ABSENT_KEEP);
    return batch_finish(t, COLLECTIVE_FIND, &b, call, status);
}

ROOST_EXPORT roost_status roost_erase(roost_table *table, const void *keys, size_t n, const roost_call *call)
{
    roost_call own;
    if (!table) return call_without_table("roost_erase");
    roost_status status = call_read(table, &call, 0, &own);
    if (!status) status = check_keys(table, keys, n);
    const struct batch b = batch_of(table, keys, n, call);
    return batch_finish(table, COLLECTIVE_ERASE, &b, call, status);
}

ROOST_EXPORT roost_status roost_batch_init(roost_batch *batch, size_t size)
{
    return struct_init(&struct_batch, batch, size, "roost_batch_init");
}

/* Copies the batch to *own, and checks it. */
static roost_status mixed_read(struct roost_table *t, const roost_batch *batch, roost_batch *own)
{
    if (!batch) return error_set(&t->error, ROOST_ERR_ARGUMENT, "batch is NULL");
    roost_status status = struct_read(&struct_batch, own, batch, &t->error);
    if (!status) status = check_given(t, "operations", own->operations, own->n, 1);
    if (!status) status = check_keys(t, own->keys, own->n);
    if (!status && t->value_bytes) status = check_array(t, "values_in", own->values_in, own->n, t->value_bytes);
    if (!status && t->value_bytes) status = check_array(t, "values_out", own->values_out, own->n, t->value_bytes);
    return status;
}

ROOST_EXPORT roost_status roost_apply(roost_table *table, const roost_batch *batch, const roost_call *call)
{
    roost_call own;
    roost_batch mixed;
    if (!table) return call_without_table("roost_apply");
    roost_status status = call_read(table, &call, ROOST_ORDERED, &own);
    if (!status) status = order_check(table, call);
    if (!status) status = mixed_read(table, batch, &mixed);
    if (status) memset(&mixed, 0, sizeof mixed);
    struct batch b = batch_of(table, mixed.keys, mixed.n, call);
    b.operations = mixed.operations;
    b.values_in = table->value_bytes ? mixed.values_in : NULL;
    b.values_out = table->value_bytes ? mixed.values_out : NULL;
    b.takes = operations_taken(table, !table->numbered && (!table->value_bytes || b.values_in));
    return batch_finish(table, COLLECTIVE_APPLY, &b, call, status);
}
