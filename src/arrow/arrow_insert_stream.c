/* Inserts of the batches of a stream. */
#include <string.h>

#include "api/collective.h"
#include "arrow/arrow_reader.h"

struct inserting {
    struct roost_table *t;
    roost_mode mode;
    const roost_call *call;
    roost_status items; /* the first failure of items, and its text */
    struct error why;
};

/* Structs have a value, unless ADD adds 1 or the table is a set; other arrays are keys. */
static roost_status columns_of(const struct inserting *in, roost_arrow *keys, roost_arrow *values, bool *has_values)
{
    const char *const format = keys->schema->format;
    *has_values = false;
    if (!format || strcmp(format, "+s")) return ROOST_OK;
    *has_values = in->t->value_bytes && !(in->mode == ROOST_ADD && keys->schema->n_children == 1);
    const roost_status status = reader_columns(keys, *has_values ? 2 : 1);
    *values = *keys;
    keys->child = 0;
    values->child = 1;
    return status;
}

static roost_status batch_insert(void *context, const roost_arrow *batch)
{
    struct inserting *const in = (struct inserting *)context;
    roost_arrow keys = *batch, values = *batch;
    bool has_values = false;
    roost_status status = columns_of(in, &keys, &values, &has_values);
    if (status) return status;
    status = roost_insert_arrow(in->t, in->mode, &keys, has_values ? &values : NULL, in->call);
    if (!status_of_items(status)) return status;
    if (!in->items) in->items = status, in->why = *thread_error();
    return ROOST_OK;
}

/* A handle for several devices makes its ranks' calls itself. */
static roost_status stream_check(struct roost_table *t, const roost_call *call)
{
    if (t->group && !t->group->devices)
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED,
                         "a table that is spread over ranks takes no streams: their batches may differ in number");
    if (!call->statuses) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_ARGUMENT, "the rows of a stream are not known: call.statuses must be NULL");
}

ROOST_EXPORT roost_status roost_insert_arrow_stream(roost_table *table, roost_mode mode, struct ArrowArrayStream *stream,
                                                    uint64_t *rows, const roost_call *call)
{
    roost_call own;
    uint64_t read = 0;
    if (rows) *rows = 0;
    if (!table) return call_without_table("roost_insert_arrow_stream");
    struct inserting in = {.t = table, .mode = mode, .call = &own};
    roost_status status = call_read(table, &call, ROOST_ORDERED, &own);
    if (!status) status = stream_check(table, &own);
    if (status) return call_finish(table, status);
    status = reader_run(stream, batch_insert, &in, &read);
    if (!status && in.items) status = in.items, *thread_error() = in.why;
    if (rows) *rows = read;
    if (status) table->error = *thread_error();
    return status;
}
