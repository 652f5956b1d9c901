/* Streams that calls give: their callbacks. */
#include "arrow/arrow_producer.h"

#include <errno.h>
#include <string.h>

struct arrow_producer *producer_new(size_t bytes, struct roost_table *t)
{
    struct arrow_memory m = {NULL};
    struct arrow_producer *const p = (struct arrow_producer *)arrow_new_zeroed(&m, bytes, 1);
    if (!p) return NULL;
    p->m = m;
    watch_begin(&p->watch, t);
    return p;
}

void producer_free(struct arrow_producer *p)
{
    if (!p) return;
    struct arrow_memory m = p->m;
    watch_end(&p->watch);
    if (p->end) p->end(p);
    arrow_schema_drop(&p->schema);
    arrow_free(&m);
}

roost_status producer_schema(struct arrow_producer *p, int64_t columns)
{
    return arrow_schema_make(&p->schema, "", "+s", false, columns);
}

roost_status stream_clear(struct ArrowArrayStream *stream)
{
    if (!stream) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "the stream is NULL");
    memset(stream, 0, sizeof *stream);
    return ROOST_OK;
}

/* ---- Callbacks ------------------------------------------------------------------------------- */

static struct arrow_producer *producer_of(struct ArrowArrayStream *stream) { return (struct arrow_producer *)stream->private_data; }

/* Statuses as the interface has them. */
static int code_of(roost_status status)
{
    return !status ? 0 : status == ROOST_ERR_MEMORY ? ENOMEM : status == ROOST_ERR_DEVICE ? EIO : EINVAL;
}

static int fail(struct arrow_producer *p, roost_status status)
{
    if (status) p->error = *thread_error();
    return code_of(status);
}

static roost_status schema_copy(struct ArrowSchema *to, const struct ArrowSchema *from)
{
    roost_status status = arrow_schema_make(to, from->name, from->format, from->flags & ARROW_FLAG_NULLABLE, from->n_children);
    if (status) return status;
    for (int64_t i = 0; !status && i < from->n_children; i++) {
        const struct ArrowSchema *const child = from->children[i];
        status = arrow_schema_make(to->children[i], child->name, child->format, child->flags & ARROW_FLAG_NULLABLE, 0);
    }
    if (status) arrow_schema_drop(to);
    return status;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct arrow_producer *const p = producer_of(stream);
    return fail(p, schema_copy(out, &p->schema));
}

static roost_status source_check(const struct arrow_producer *p)
{
    if (!p->watch.table) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "the stream has ended: what it reads was destroyed");
    if (!p->reads_only || !watch_saw_write(&p->watch)) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "the stream has ended: a call wrote to the table that it reads");
}

/* An error stays: what would follow it is not what would have come without it. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct arrow_producer *const p = producer_of(stream);
    memset(out, 0, sizeof *out);
    if (p->broken) return code_of(p->broken);
    p->broken = source_check(p);
    if (!p->broken) p->broken = p->next(p, out);
    return fail(p, p->broken);
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const struct arrow_producer *const p = producer_of(stream);
    return *p->error.text ? p->error.text : NULL;
}

static void release(struct ArrowArrayStream *stream)
{
    producer_free(producer_of(stream));
    stream->release = NULL;
}

void producer_give(struct arrow_producer *p, struct ArrowArrayStream *stream)
{
    stream->get_schema = get_schema;
    stream->get_next = get_next;
    stream->get_last_error = get_last_error;
    stream->release = release;
    stream->private_data = p;
}
