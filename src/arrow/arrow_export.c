/* The pairs of a table as a stream of batches. */
#include <string.h>

#include "arrow/arrow_producer.h"
#include "arrow/arrow_tables.h"
#include "roost/numbers.h"

struct table_producer {
    struct arrow_producer producer;
    roost_cursor cursor;
    roost_call call;
    size_t room;         /* rows of a batch */
    uint64_t bytes_room; /* bytes of a batch's strings */
};

enum { STRING_BYTES = 32 /* of a string, at first */ };

/* The arrays of a batch. */
struct pairs {
    struct arrow_memory keys_memory, values_memory;
    void *keys, *values;
    uint64_t *offsets; /* of keys that are strings */
    size_t n;
};

static void pairs_free(struct pairs *pairs)
{
    arrow_free(&pairs->keys_memory);
    arrow_free(&pairs->values_memory);
}

static roost_status pairs_make(struct pairs *pairs, const struct table_producer *p)
{
    const struct roost_table *const t = p->producer.watch.table;
    memset(pairs, 0, sizeof *pairs);
    pairs->keys = t->strings ? arrow_new(&pairs->keys_memory, p->bytes_room, 1)
                             : arrow_new(&pairs->keys_memory, p->room, (unsigned)t->key_bytes);
    if (t->strings) pairs->offsets = (uint64_t *)arrow_new_zeroed(&pairs->keys_memory, p->room + 1, sizeof(uint64_t));
    if (t->value_bytes) pairs->values = arrow_new(&pairs->values_memory, p->room, (unsigned)t->value_bytes);
    if (pairs->keys && (pairs->offsets || !t->strings) && (pairs->values || !t->value_bytes)) return ROOST_OK;
    pairs_free(pairs);
    return ROOST_ERR_MEMORY;
}

static roost_status pairs_read(struct pairs *pairs, struct table_producer *p)
{
    const struct roost_table *const t = p->producer.watch.table;
    if (!t->strings) return roost_export(t, &p->cursor, pairs->keys, pairs->values, p->room, &pairs->n, &p->call);
    return roost_export_strings(t, &p->cursor, pairs->offsets, 8, pairs->keys, p->bytes_room, pairs->values, p->room, &pairs->n,
                                &p->call);
}

/* Makes room for more bytes, if some strings did not fit: never more than the table has in all. */
static bool room_grow(struct table_producer *p)
{
    roost_stats stats;
    const struct roost_table *const t = p->producer.watch.table;
    if (!t->strings || roost_table_stats(t, &stats, sizeof stats) || p->bytes_room > stats.bytes_now) return false;
    p->bytes_room *= 4;
    return true;
}

/* Reads pairs until there are some, or the end. */
static roost_status batch_read(struct pairs *pairs, struct table_producer *p)
{
    roost_status status = pairs_make(pairs, p);
    while (!status && !pairs->n && !p->cursor.end) {
        const roost_cursor before = p->cursor;
        status = pairs_read(pairs, p);
        if (status != ROOST_ERR_ARGUMENT || !room_grow(p)) continue;
        p->cursor = before;
        pairs_free(pairs);
        status = pairs_make(pairs, p);
    }
    return status;
}

static roost_status batch_give(struct pairs *pairs, const struct table_producer *p, struct ArrowArray *out)
{
    const bool strings = p->producer.watch.table->strings;
    const int64_t n = (int64_t)pairs->n;
    const struct arrow_buffers keys = {{NULL, strings ? pairs->offsets : pairs->keys, pairs->keys}, strings ? 3 : 2, n, 0};
    const struct arrow_buffers values = {{NULL, pairs->values}, 2, n, 0};
    roost_status status = arrow_array_make_struct(out, n, pairs->values ? 2 : 1);
    if (status) return status;
    status = arrow_array_make(out->children[0], &keys, &pairs->keys_memory);
    if (!status && pairs->values) status = arrow_array_make(out->children[1], &values, &pairs->values_memory);
    if (status) arrow_array_drop(out);
    return status;
}

static roost_status table_next(struct arrow_producer *producer, struct ArrowArray *out)
{
    struct table_producer *const p = (struct table_producer *)producer;
    struct pairs pairs;
    if (p->cursor.end) return ROOST_OK;
    roost_status status = batch_read(&pairs, p);
    if (!status && pairs.n) status = batch_give(&pairs, p, out);
    pairs_free(&pairs);
    return status;
}

static roost_status schema_fill(struct table_producer *p, bool utf8)
{
    const struct roost_table *const t = p->producer.watch.table;
    const roost_column key = table_key_type(t), value = table_value_type(t);
    roost_status status = producer_schema(&p->producer, t->value_bytes ? 2 : 1);
    if (!status) status = arrow_schema_make_typed(p->producer.schema.children[0], "key", &key, utf8);
    if (!status && t->value_bytes) status = arrow_schema_make_typed(p->producer.schema.children[1], "value", &value, false);
    return status;
}

static roost_status arguments_check(struct roost_table *t, size_t room, uint32_t flags, const roost_call *call)
{
    if (call->statuses) return error_set(&t->error, ROOST_ERR_ARGUMENT, "an export has no statuses");
    if (flags & ~ROOST_ARROW_UTF8)
        return error_set(&t->error, ROOST_ERR_ARGUMENT, "roost_export_arrow: flags has unknown bits: 0x%x", (unsigned)flags);
    if (!room || room >= ROOST_EXPORT_MIN) return ROOST_OK;
    return error_set(&t->error, ROOST_ERR_ARGUMENT, "room is %zu, and must be 0 or at least %d", room, ROOST_EXPORT_MIN);
}

static roost_status stream_make(struct roost_table *t, struct ArrowArrayStream *stream, size_t room, uint32_t flags,
                                const roost_call *call)
{
    struct table_producer *const p = (struct table_producer *)producer_new(sizeof *p, t);
    if (!p) return ROOST_ERR_MEMORY;
    p->producer.next = table_next;
    p->producer.reads_only = true;
    p->call = *call;
    p->call.space = ROOST_SPACE_AUTO;
    p->room = producer_room(room);
    p->bytes_room = (uint64_t)p->room * STRING_BYTES;
    const roost_status status = schema_fill(p, flags & ROOST_ARROW_UTF8);
    if (status) producer_free(&p->producer);
    else producer_give(&p->producer, stream);
    return status;
}

ROOST_EXPORT roost_status roost_export_arrow(const roost_table *table, struct ArrowArrayStream *stream, size_t room, uint32_t flags,
                                             const roost_call *call)
{
    struct roost_table *const t = (struct roost_table *)(uintptr_t)table;
    roost_call own;
    if (!t) return call_without_table("roost_export_arrow");
    roost_status status = stream_clear(stream);
    if (!status) status = call_finish(t, call_read(t, &call, t->strings ? 0 : ROOST_HASH_ORDER | ROOST_NUMBER_ORDER, &own));
    if (!status) status = call_finish(t, arguments_check(t, room, flags, &own));
    if (!status) status = stream_make(t, stream, room, flags, &own);
    if (status) t->error = *thread_error();
    return status;
}
