/* Rows of groups that are Arrow columns, and groups as a stream of batches. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arrow/arrow_bits.h"
#include "arrow/arrow_producer.h"
#include "arrow/arrow_relation.h"
#include "relations/group.h"

/* ---- Adding ---------------------------------------------------------------------------------- */

static const roost_column *key_types(const struct roost_group *g) { return &g->keys.coder[0].type; }

ROOST_EXPORT roost_status roost_group_add_arrow(roost_group *group, const roost_arrow *keys, const roost_arrow *values,
                                                const roost_call *call)
{
    roost_column key[ROOST_GROUP_KEYS_MOST], value[ROOST_GROUP_VALUES_MOST];
    struct relation r;
    roost_call own;
    if (!group || !keys || (!values && group->value_columns))
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_group_add_arrow: an argument is NULL");
    roost_status status = relation_begin(&r, group->keys.last, call, &own);
    if (!status) status = relation_columns(&r, keys, key_types(group), sizeof group->keys.coder[0], group->keys.columns, key);
    if (!status) status = relation_columns(&r, values, group->value, sizeof group->value[0], group->value_columns, value);
    if (!status) status = roost_group_add(group, key, value, r.n, &own);
    arrow_free(&r.m);
    return status;
}

struct adding {
    roost_group *group;
    const roost_call *call;
};

static roost_status batch_add(void *context, const roost_arrow *batch)
{
    const struct adding *const a = (const struct adding *)context;
    roost_arrow columns[ROOST_GROUP_KEYS_MOST + ROOST_GROUP_VALUES_MOST];
    const int keys = a->group->keys.columns, all = keys + a->group->value_columns;
    const roost_status status = reader_columns(batch, all);
    if (status) return status;
    relation_children(batch, 0, all, columns);
    return roost_group_add_arrow(a->group, columns, columns + keys, a->call);
}

ROOST_EXPORT roost_status roost_group_add_arrow_stream(roost_group *group, struct ArrowArrayStream *stream, uint64_t *rows,
                                                       const roost_call *call)
{
    struct adding a = {group, call};
    uint64_t read = 0;
    if (!group) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_group_add_arrow_stream: group is NULL");
    const roost_status status = reader_run(stream, batch_add, &a, &read);
    if (rows) *rows = read;
    return status;
}

/* ---- Giving ---------------------------------------------------------------------------------- */

struct group_producer {
    struct arrow_producer producer;
    struct roost_group *group;
    uint64_t first, rows; /* the next group; rows of all groups when the stream began */
    size_t room;
};

/* An aggregate's results have the type that group.h says. */
static roost_column result_type(const struct aggregate *a)
{
    roost_column type = ROOST_COLUMN_INIT;
    const bool counts = a->kind == ROOST_COUNT_ROWS || a->kind == ROOST_COUNT_VALUES || a->kind == ROOST_COUNT_DISTINCT;
    type.type = counts ? ROOST_TYPE_U64 : a->kind == ROOST_MEAN ? ROOST_TYPE_F64 : a->kind == ROOST_SUM ? a->wide : a->type;
    type.nullable = !counts;
    return type;
}

static uint64_t rows_of(const struct roost_group *g)
{
    uint64_t rows = g->rows;
    for (int p = 0; g->part && p < 1 << g->part_bits; p++) rows += g->part[p]->rows;
    return rows;
}

/* A column of a batch, while it is written. */
struct given {
    struct arrow_memory m;
    roost_result result;
    roost_column type;
};

static roost_status given_make(struct given *c, const struct roost_group *g, uint64_t first, size_t n, int column)
{
    const int keys = g->keys.columns;
    static const roost_result defaults = ROOST_RESULT_INIT;
    c->m.blocks = NULL;
    c->result = defaults;
    c->type = column < keys ? g->keys.coder[column].type : result_type(&g->aggregate[column - keys]);
    const bool strings = c->type.type == ROOST_TYPE_STRING;
    const uint64_t *const end = strings ? g->key[column].strings.end : NULL;
    if (strings) c->result.bytes_room = end[first + n - 1] - (first ? end[first - 1] : 0);
    c->result.values = strings ? arrow_new(&c->m, c->result.bytes_room, 1)
                               : arrow_new(&c->m, n, (unsigned)type_width(c->type.type, c->type.bytes));
    if (strings) c->result.offsets = (uint64_t *)arrow_new_zeroed(&c->m, n + 1, sizeof(uint64_t));
    c->result.validity = (uint8_t *)arrow_new_zeroed(&c->m, (n + 7) / 8, 1);
    return c->result.values && c->result.validity && (c->result.offsets || !strings) ? ROOST_OK : ROOST_ERR_MEMORY;
}

static roost_status given_give(struct given *c, size_t n, struct ArrowArray *out)
{
    const size_t nulls = bits_zeros(c->result.validity, n);
    struct arrow_buffers buffers = {{nulls ? c->result.validity : NULL, c->result.values, NULL}, 2, (int64_t)n, (int64_t)nulls};
    if (c->result.offsets) buffers.at[1] = c->result.offsets, buffers.at[2] = c->result.values, buffers.count = 3;
    return arrow_array_make(out, &buffers, &c->m);
}

static roost_status batch_write(struct group_producer *p, struct given *columns, size_t n)
{
    struct roost_group *const g = p->group;
    roost_result results[ROOST_GROUP_KEYS_MOST + ROOST_GROUP_VALUES_MOST];
    const int keys = g->keys.columns, all = keys + g->aggregates;
    size_t written = 0;
    roost_status status = ROOST_OK;
    for (int c = 0; !status && c < all; c++) {
        status = given_make(&columns[c], g, p->first, n, c);
        results[c] = columns[c].result;
    }
    if (!status) status = roost_group_export(g, p->first, n, results, results + keys, &written);
    if (status || written == n) return status;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%zu groups were exported, not %zu", written, n);
}

static roost_status batch_give(struct group_producer *p, struct given *columns, size_t n, struct ArrowArray *out)
{
    const int all = p->group->keys.columns + p->group->aggregates;
    roost_status status = arrow_array_make_struct(out, (int64_t)n, all);
    if (status) return status;
    for (int c = 0; !status && c < all; c++) status = given_give(&columns[c], n, out->children[c]);
    if (status) arrow_array_drop(out);
    return status;
}

static roost_status group_next(struct arrow_producer *producer, struct ArrowArray *out)
{
    struct group_producer *const p = (struct group_producer *)producer;
    const struct roost_group *const g = p->group;
    const int all = g->keys.columns + g->aggregates;
    const uint64_t left = g->groups - p->first;
    const size_t n = left < p->room ? (size_t)left : p->room;
    if (rows_of(g) != p->rows) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "the stream has ended: rows were added");
    if (!n) return ROOST_OK;
    struct arrow_memory m = {NULL};
    struct given *const columns = (struct given *)arrow_new_zeroed(&m, (unsigned)all, sizeof *columns);
    roost_status status = columns ? batch_write(p, columns, n) : ROOST_ERR_MEMORY;
    if (!status) status = batch_give(p, columns, n, out);
    for (int c = 0; columns && c < all; c++) arrow_free(&columns[c].m);
    arrow_free(&m);
    if (!status) p->first += n;
    return status;
}

static roost_status schema_fill(struct group_producer *p, const char *const *names, bool utf8)
{
    const struct roost_group *const g = p->group;
    const int keys = g->keys.columns, all = keys + g->aggregates;
    roost_status status = producer_schema(&p->producer, all);
    for (int c = 0; !status && c < all; c++) {
        char name[32];
        const roost_column type = c < keys ? g->keys.coder[c].type : result_type(&g->aggregate[c - keys]);
        (void)snprintf(name, sizeof name, c < keys ? "key%d" : "result%d", c < keys ? c : c - keys);
        status = arrow_schema_make_typed(p->producer.schema.children[c], names ? names[c] : name, &type, utf8);
    }
    return status;
}

static roost_status names_check(const struct roost_group *g, const char *const *names)
{
    for (int c = 0; names && c < g->keys.columns + g->aggregates; c++)
        if (!names[c]) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "name %d is NULL", c);
    return ROOST_OK;
}

ROOST_EXPORT roost_status roost_group_export_arrow(roost_group *group, struct ArrowArrayStream *stream, size_t room,
                                                   const char *const *names, uint32_t flags)
{
    roost_status status = stream_clear(stream);
    if (status) return status;
    if (!group || (flags & ~ROOST_ARROW_UTF8))
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_group_export_arrow: group is NULL, or flags has unknown bits");
    status = group_usable(group);
    if (!status) status = names_check(group, names);
    if (status) return status;
    struct group_producer *const p = (struct group_producer *)producer_new(sizeof *p, group->keys.last);
    if (!p) return ROOST_ERR_MEMORY;
    p->producer.next = group_next;
    p->group = group;
    p->rows = rows_of(group);
    p->room = producer_room(room);
    status = schema_fill(p, names, flags & ROOST_ARROW_UTF8);
    if (status) producer_free(&p->producer);
    else producer_give(&p->producer, stream);
    return status;
}
