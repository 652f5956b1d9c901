/* Rows of joins that are Arrow columns, and pairs of rows as a stream of batches. */
#include <string.h>

#include "arrow/arrow_bits.h"
#include "arrow/arrow_producer.h"
#include "arrow/arrow_relation.h"
#include "relations/join.h"

/* ---- Building -------------------------------------------------------------------------------- */

static roost_status keys_make(struct relation *r, const struct roost_join *j, const roost_arrow *given, roost_column *keys)
{
    return relation_columns(r, given, &j->keys.coder[0].type, sizeof j->keys.coder[0], j->keys.columns, keys);
}

ROOST_EXPORT roost_status roost_join_build_arrow(roost_join *join, const roost_arrow *keys, const roost_call *call)
{
    roost_column columns[ROOST_JOIN_KEYS_MOST];
    struct relation r;
    roost_call own;
    if (!join || !keys) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_build_arrow: an argument is NULL");
    roost_status status = relation_begin(&r, join->keys.last, call, &own);
    if (!status) status = keys_make(&r, join, keys, columns);
    if (!status) status = roost_join_build(join, columns, r.n, &own);
    arrow_free(&r.m);
    return status;
}

struct building {
    roost_join *join;
    const roost_call *call;
};

static roost_status batch_build(void *context, const roost_arrow *batch)
{
    const struct building *const b = (const struct building *)context;
    roost_arrow columns[ROOST_JOIN_KEYS_MOST];
    const roost_status status = reader_columns(batch, b->join->keys.columns);
    if (status) return status;
    relation_children(batch, 0, b->join->keys.columns, columns);
    return roost_join_build_arrow(b->join, columns, b->call);
}

ROOST_EXPORT roost_status roost_join_build_arrow_stream(roost_join *join, struct ArrowArrayStream *stream, uint64_t *rows,
                                                        const roost_call *call)
{
    struct building b = {join, call};
    uint64_t read = 0;
    if (!join) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_build_arrow_stream: join is NULL");
    const roost_status status = reader_run(stream, batch_build, &b, &read);
    if (rows) *rows = read;
    return status;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

struct join_producer {
    struct arrow_producer producer;
    struct roost_join *join;
    roost_call call;
    roost_join_cursor cursor;
    size_t room;
    bool rests;           /* rows without a match, of the side that is built */
    struct relation rows; /* of a probe */
    roost_column *keys;
};

/* The columns of a batch: numbers of probe rows, of build rows, or both. */
enum { PROBE, BUILD, SIDES };

static bool has_side(const struct join_producer *p, int side)
{
    const roost_join_how how = p->join->how;
    if (p->rests) return side == BUILD;
    return side == PROBE || (how != ROOST_JOIN_SEMI && how != ROOST_JOIN_ANTI);
}

struct pairs {
    struct arrow_memory m[SIDES];
    void *rows[SIDES];
    size_t n;
};

static void pairs_free(struct pairs *pairs)
{
    for (int side = 0; side < SIDES; side++) arrow_free(&pairs->m[side]);
}

static roost_status pairs_make(struct pairs *pairs, const struct join_producer *p)
{
    memset(pairs, 0, sizeof *pairs);
    for (int side = 0; side < SIDES; side++) {
        if (!has_side(p, side)) continue;
        pairs->rows[side] = arrow_new(&pairs->m[side], p->room, (unsigned)p->join->row_bytes);
        if (!pairs->rows[side]) return ROOST_ERR_MEMORY;
    }
    return ROOST_OK;
}

static roost_status pairs_read(struct pairs *pairs, struct join_producer *p)
{
    if (p->rests) return roost_join_rest(p->join, &p->cursor, pairs->rows[BUILD], p->room, &pairs->n, &p->call);
    return roost_join_probe(p->join, p->keys, p->rows.n, &p->cursor, pairs->rows[PROBE], pairs->rows[BUILD], p->room, &pairs->n,
                            &p->call);
}

/* LEFT, FULL: rows without a match have the number with all bits set, and are NULL. */
static roost_status side_give(struct pairs *pairs, const struct join_producer *p, int side, struct ArrowArray *out)
{
    const int bytes = p->join->row_bytes;
    const uint64_t none = bytes == 8 ? UINT64_MAX : UINT32_MAX;
    const bool outer = side == BUILD && !p->rests && p->join->how != ROOST_JOIN_INNER;
    struct arrow_buffers buffers = {{NULL, pairs->rows[side]}, 2, (int64_t)pairs->n, 0};
    uint8_t *const validity = outer ? (uint8_t *)arrow_new_zeroed(&pairs->m[side], (pairs->n + 7) / 8, 1) : NULL;
    if (outer && !validity) return ROOST_ERR_MEMORY;
    for (size_t i = 0; outer && i < pairs->n; i++) {
        if (load_width(bytes, pairs->rows[side], i) != none) bit_set(validity, i);
        else buffers.nulls++;
    }
    if (buffers.nulls) buffers.at[0] = validity;
    return arrow_array_make(out, &buffers, &pairs->m[side]);
}

static roost_status batch_give(struct pairs *pairs, const struct join_producer *p, struct ArrowArray *out)
{
    int column = 0;
    roost_status status = arrow_array_make_struct(out, (int64_t)pairs->n, has_side(p, PROBE) + has_side(p, BUILD));
    if (status) return status;
    for (int side = 0; !status && side < SIDES; side++)
        if (has_side(p, side)) status = side_give(pairs, p, side, out->children[column++]);
    if (status) arrow_array_drop(out);
    return status;
}

static roost_status join_next(struct arrow_producer *producer, struct ArrowArray *out)
{
    struct join_producer *const p = (struct join_producer *)producer;
    struct pairs pairs;
    if (p->cursor.end) return ROOST_OK;
    roost_status status = pairs_make(&pairs, p);
    while (!status && !pairs.n && !p->cursor.end) status = pairs_read(&pairs, p);
    if (!status && pairs.n) status = batch_give(&pairs, p, out);
    pairs_free(&pairs);
    return status;
}

/* ---- Streams --------------------------------------------------------------------------------- */

static roost_status schema_fill(struct join_producer *p)
{
    static const char *const names[SIDES] = {"probe", "build"};
    roost_column type = ROOST_COLUMN_INIT;
    int column = 0;
    type.type = p->join->row_bytes == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_U32;
    roost_status status = producer_schema(&p->producer, has_side(p, PROBE) + has_side(p, BUILD));
    for (int side = 0; !status && side < SIDES; side++) {
        if (!has_side(p, side)) continue;
        type.nullable = side == BUILD && !p->rests && p->join->how != ROOST_JOIN_INNER;
        status = arrow_schema_make_typed(p->producer.schema.children[column++], names[side], &type, false);
    }
    return status;
}

static void join_free(struct arrow_producer *producer) { arrow_free(&((struct join_producer *)producer)->rows.m); }

static struct join_producer *join_producer_new(struct roost_join *join, size_t room)
{
    struct join_producer *const p = (struct join_producer *)producer_new(sizeof *p, join->keys.last);
    if (!p) return NULL;
    p->producer.next = join_next;
    p->producer.end = join_free;
    p->join = join;
    p->room = producer_room(room);
    return p;
}

static roost_status stream_end(struct join_producer *p, roost_status status, struct ArrowArrayStream *stream)
{
    if (status) producer_free(&p->producer);
    else producer_give(&p->producer, stream);
    return status;
}

/* Options of the inner calls. */
static roost_status producer_begin(struct join_producer *p, const roost_call *call)
{
    const roost_status status = relation_begin(&p->rows, p->join->keys.last, call, &p->call);
    p->call.statuses = NULL;
    return status ? status : schema_fill(p);
}

static roost_status keys_keep(struct join_producer *p, const roost_arrow *keys)
{
    p->keys = (roost_column *)arrow_new(&p->rows.m, ROOST_JOIN_KEYS_MOST, sizeof *p->keys);
    return p->keys ? keys_make(&p->rows, p->join, keys, p->keys) : ROOST_ERR_MEMORY;
}

ROOST_EXPORT roost_status roost_join_probe_arrow(roost_join *join, const roost_arrow *keys, struct ArrowArrayStream *stream,
                                                 size_t room, const roost_call *call)
{
    roost_status status = stream_clear(stream);
    if (status) return status;
    if (!join || !keys) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_probe_arrow: an argument is NULL");
    struct join_producer *const p = join_producer_new(join, room);
    if (!p) return ROOST_ERR_MEMORY;
    status = producer_begin(p, call);
    if (!status) status = keys_keep(p, keys);
    return stream_end(p, status, stream);
}

ROOST_EXPORT roost_status roost_join_rest_arrow(roost_join *join, struct ArrowArrayStream *stream, size_t room,
                                                const roost_call *call)
{
    roost_status status = stream_clear(stream);
    if (status) return status;
    if (!join) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_rest_arrow: join is NULL");
    if (join->how != ROOST_JOIN_FULL)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_join_rest_arrow is for full joins");
    struct join_producer *const p = join_producer_new(join, room);
    if (!p) return ROOST_ERR_MEMORY;
    p->rests = true;
    status = producer_begin(p, call);
    return stream_end(p, status, stream);
}
