/* Dense numbers of keys, and inserts that return what was stored before them. */
#include "api/checks.h"
#include "batches/batches.h"
#include "roost/mixed.h"
#include "roost/numbers.h"

#include <string.h>

roost_status check_numbered(struct roost_table *t)
{
    if (t->numbered) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "the table gives no numbers: it was made without ROOST_NUMBERED");
}

ROOST_EXPORT roost_status roost_number(roost_table *table, const void *keys, size_t n, void *numbers, const roost_call *call)
{
    roost_call own;
    if (!table) return call_without_table("roost_number");
    roost_status status = call_read(table, &call, ROOST_ORDERED, &own);
    if (!status) status = check_numbered(table);
    if (!status) status = check_keys(table, keys, n);
    if (!status) status = check_given(table, "numbers", numbers, n, table->value_bytes);
    if (status || n == 0) return call_finish(table, status);
    struct batch b = batch_of(table, keys, n, call);
    b.values_out = numbers;
    b.numbers = b.absent_zero = true; /* all are written */
    batch_function *const run = call->flags & ROOST_ORDERED ? batches_number_by_first : batches_number;
    return call_finish(table, staged_run(table, run, BATCHES_BYTES, ACCESS_WRITE, &b, call));
}

static roost_status exchange_check(struct roost_table *t, const void *keys, const void *values, size_t n, const void *old)
{
    if (t->group) return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a table that is spread over ranks has no roost_exchange");
    if (t->multi) return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "roost_exchange is for tables without ROOST_MULTI");
    roost_status status = check_words(t, "roost_exchange");
    if (!status) status = check_keys(t, keys, n);
    if (!status && t->value_bytes) status = check_given(t, "values", values, n, t->value_bytes);
    return status || !t->value_bytes ? status : check_array(t, "old", old, n, t->value_bytes);
}

/* Ordered batches leave values of absent keys as they are. */
static roost_status old_clear(struct roost_table *t, void *old, size_t n, const roost_call *call)
{
    static const char zeros[4096] = {0};
    struct backend *const b = t->backend;
    const size_t bytes = n * (unsigned)t->value_bytes;
    const bool reached = array_is_reached(t, old, call);
    roost_status status = call_begin(t, call->stream, ACCESS_WRITE);
    if (status) return status;
    if (reached) status = b->operations->fill(b, old, 0, bytes);
    for (size_t at = 0; !reached && !status && at < bytes; at += sizeof zeros)
        status = copy_anywhere(b, (char *)old + at, zeros, bytes - at < sizeof zeros ? bytes - at : sizeof zeros);
    return call_end(t, ACCESS_WRITE, status);
}

/* Which keys were there follows from the statuses: large batches are carried out key by key, and
 * bring the statuses alone back item by item. */
static roost_status found_write(struct roost_table *t, const uint8_t *statuses, uint8_t *found, size_t n, const roost_call *call)
{
    const struct error_mark before = error_keep(&t->error);
    struct batch b;
    memset(&b, 0, sizeof b);
    b.operations = statuses;
    b.found = found;
    b.n = n;
    b.exchanges = true;
    const roost_status status = staged_run(t, batches_met_of, 0, ACCESS_WRITE, &b, call);
    if (!status) error_restore(&before);
    return status;
}

ROOST_EXPORT roost_status roost_exchange(roost_table *table, roost_mode mode, const void *keys, const void *values, size_t n,
                                         void *old, uint8_t *found, const roost_call *call)
{
    roost_call own;
    if (!table) return call_without_table("roost_exchange");
    roost_status status = call_read(table, &call, ROOST_ABSENT_KEEP, &own);
    if (!status) status = check_mode(table, mode);
    if (!status) status = exchange_check(table, keys, values, n, old);
    if (!status && n && old && table->value_bytes && !(call->flags & ROOST_ABSENT_KEEP)) status = old_clear(table, old, n, call);
    if (status || n == 0) return call_finish(table, status);
    struct batch b = batch_of(table, keys, n, call);
    b.mode = (uint8_t)mode;
    b.takes = (uint16_t)(1u << (ROOST_OP_INSERT + mode));
    b.values_in = table->value_bytes ? values : NULL;
    b.values_out = table->value_bytes ? old : NULL;
    if (!b.statuses) b.statuses = found;
    b.exchanges = true;
    status = staged_in_order(table, &b, call);
    const roost_status told = found ? found_write(table, b.statuses, found, n, call) : ROOST_OK;
    return call_finish(table, status ? status : told);
}
