/* Columns of rows that groups and joins take. */
#include "arrow/arrow_relation.h"

#include <stdio.h>
#include <string.h>

#include "arrow/arrow_bits.h"

roost_status relation_begin(struct relation *r, struct roost_table *t, const roost_call *call, roost_call *own)
{
    memset(r, 0, sizeof *r);
    r->t = t;
    r->n = RELATION_OPEN;
    const roost_status status = call_finish(t, call_read(t, &call, 0, own));
    r->stream = own->stream;
    return status;
}

/* A column that may not have NULLs has no validity, if none of its rows is one. */
static roost_status validity_leave(struct arrow_source *s, struct arrow_memory *m, roost_column *c)
{
    const bool there = s->on_device && !s->array->dictionary; /* its bits may be, too */
    const uint8_t *validity = c->validity;
    size_t nulls = 0;
    if (c->nullable || !c->validity) return ROOST_OK;
    const roost_status status = there ? column_validity(s, m, &validity, &nulls) : ROOST_OK;
    if (!there) nulls = bits_zeros(validity, s->n);
    if (!status && !nulls) c->validity = NULL;
    return status;
}

static roost_status column_of(struct relation *r, const roost_arrow *given, const roost_column *type, roost_column *column)
{
    char what[32];
    struct arrow_source s;
    roost_status status = source_open(given, &s);
    if (status) return status;
    (void)snprintf(what, sizeof what, "column %d", r->columns++);
    if (r->n != RELATION_OPEN && s.n != r->n)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "%s has %zu rows, and the first one %zu", what, s.n, r->n);
    r->n = s.n;
    status = column_agrees(&s, type, what);
    if (!status) status = column_make(&s, type, false, &r->m, column);
    if (!status) status = validity_leave(&s, &r->m, column);
    return status ? status : source_follow(&s, r->t, r->stream);
}

roost_status relation_columns(struct relation *r, const roost_arrow *given, const roost_column *types, size_t stride, int n,
                              roost_column *columns)
{
    roost_status status = ROOST_OK;
    for (int i = 0; !status && i < n; i++) {
        const void *const type = (const char *)types + (size_t)i * stride;
        status = column_of(r, &given[i], (const roost_column *)type, &columns[i]);
    }
    return status;
}

void relation_children(const roost_arrow *batch, int first, int n, roost_arrow *columns)
{
    for (int i = 0; i < n; i++) {
        columns[i] = *batch;
        columns[i].child = first + i;
    }
}
