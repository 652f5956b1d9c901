/* Arrow's views of strings: 16 bytes each, which are the length and, of up to 12 bytes, the bytes;
 * of more the first four, the number of a buffer and an offset there. */
#include <string.h>

#include "arrow/arrow_bits.h"
#include "arrow/arrow_decode.h"

enum { VIEW_BYTES = 16, VIEW_INLINE = 12 };

struct view {
    int32_t length;
    union {
        char bytes[VIEW_INLINE];
        struct {
            int32_t prefix, buffer, offset;
        } far;
    } at;
};
_Static_assert(sizeof(struct view) == VIEW_BYTES, "a view has 16 bytes");

/* The buffers that views point into. */
struct viewed {
    struct arrow_source *source;
    struct arrow_memory *m;
    int64_t buffers;
    const void *sizes;  /* 8 bytes of each */
    const void **bytes; /* of each; NULL: not fetched yet */
};

static roost_status viewed_open(struct viewed *v)
{
    const struct ArrowArray *const array = v->source->array;
    v->buffers = array->n_buffers - 3;
    const uint64_t bytes = 8 * (uint64_t)v->buffers;
    const roost_status status = source_fetch(v->source, v->m, array->buffers[array->n_buffers - 1], 0, bytes, &v->sizes);
    if (status) return status;
    v->bytes = (const void **)arrow_new_zeroed(v->m, (uint64_t)v->buffers, sizeof *v->bytes);
    return v->bytes ? ROOST_OK : ROOST_ERR_MEMORY;
}

static int64_t size_of(const struct viewed *v, int64_t buffer)
{
    int64_t size;
    memcpy(&size, (const char *)v->sizes + 8 * buffer, sizeof size);
    return size;
}

static roost_status outside(size_t row)
{
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "row %zu of an Arrow array is a view of no bytes of its buffers", row);
}

/* Checks a view. */
static roost_status view_check(const struct viewed *v, const struct view *view, size_t row)
{
    if (view->length < 0) return outside(row);
    if (view->length <= VIEW_INLINE) return ROOST_OK;
    const int64_t buffer = view->at.far.buffer, offset = view->at.far.offset;
    if (buffer < 0 || buffer >= v->buffers || offset < 0 || offset + view->length > size_of(v, buffer)) return outside(row);
    return ROOST_OK;
}

/* Copies the bytes of a view that was checked. */
static roost_status view_copy(const struct viewed *v, const struct view *view, char *to)
{
    const size_t length = (size_t)view->length;
    if (length <= VIEW_INLINE) return memcpy(to, view->at.bytes, length), ROOST_OK;
    const int32_t buffer = view->at.far.buffer;
    const void **const bytes = &v->bytes[buffer];
    roost_status status = ROOST_OK;
    if (!*bytes)
        status = source_fetch(v->source, v->m, v->source->array->buffers[2 + buffer], 0, (uint64_t)size_of(v, buffer), bytes);
    if (!status) memcpy(to, (const char *)*bytes + view->at.far.offset, length);
    return status;
}

static struct view view_load(const void *views, size_t i)
{
    struct view view;
    memcpy(&view, (const char *)views + i * VIEW_BYTES, sizeof view);
    return view;
}

static roost_status lengths_decode(const struct viewed *v, const void *views, const uint8_t *validity, uint64_t *offsets)
{
    offsets[0] = 0;
    for (size_t i = 0; i < v->source->n; i++) {
        const struct view view = view_load(views, i);
        const bool valid = !validity || bit_is_set(validity, i);
        const roost_status status = valid ? view_check(v, &view, i) : ROOST_OK;
        if (status) return status;
        offsets[i + 1] = offsets[i] + (valid ? (uint32_t)view.length : 0);
        if (offsets[i + 1] > INT64_MAX) return outside(i);
    }
    return ROOST_OK;
}

roost_status views_decode(struct arrow_source *source, const void *views, const uint8_t *validity, struct arrow_memory *m,
                          roost_column *column)
{
    struct viewed v = {source, m, 0, NULL, NULL};
    uint64_t *const offsets = (uint64_t *)arrow_new_copy(m, source->n + 1, sizeof *offsets);
    if (!offsets) return ROOST_ERR_MEMORY;
    roost_status status = viewed_open(&v);
    if (!status) status = lengths_decode(&v, views, validity, offsets);
    if (status) return status;
    char *const bytes = (char *)arrow_new_copy(m, offsets[source->n], 1);
    if (!bytes) return ROOST_ERR_MEMORY;
    for (size_t i = 0; !status && i < source->n; i++) {
        const struct view view = view_load(views, i);
        if (offsets[i + 1] > offsets[i]) status = view_copy(&v, &view, bytes + offsets[i]);
    }
    column->offset_bytes = 8;
    column->offsets = offsets;
    column->values = bytes;
    return status;
}
