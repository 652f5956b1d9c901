/* Columns as calls name them: what comes from outside is checked here. */
#include "arrow/arrow_source.h"

#include <inttypes.h>
#include <string.h>

static roost_status wrong(const char *what) { return error_set(thread_error(), ROOST_ERR_ARGUMENT, "an Arrow array %s", what); }

/* ---- Where it is ----------------------------------------------------------------------------- */

static roost_status place_read(const roost_arrow *column, struct arrow_source *s)
{
    struct error *const error = thread_error();
    const int32_t type = column->device_type;
    const bool gpu = type == ARROW_DEVICE_CUDA || type == ARROW_DEVICE_CUDA_MANAGED;
    s->on_device = gpu;
    s->event = column->sync_event;
    if (!type || type == ARROW_DEVICE_CPU) return column->sync_event ? wrong("in host memory has a sync_event") : ROOST_OK;
    if (!gpu && type != ARROW_DEVICE_CUDA_HOST)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "an Arrow array is on a device of type %d: it may be on the host or CUDA",
                         (int)type);
    if (!cuda_device_count())
        return error_set(error, ROOST_ERR_ARGUMENT, "an Arrow array is said to be CUDA memory, but there is no CUDA device here");
    if (!gpu || (column->device_id >= 0 && column->device_id < cuda_device_count())) return ROOST_OK;
    return error_set(error, ROOST_ERR_ARGUMENT, "an Arrow array's device_id is %" PRId64 ", and there are %d CUDA devices",
                     column->device_id, cuda_device_count());
}

roost_status source_await(struct arrow_source *s)
{
    if (!s->event) return ROOST_OK;
    const roost_status status = cuda_event_await(s->event, thread_error());
    s->event = NULL;
    return status;
}

roost_status source_follow(struct arrow_source *s, struct roost_table *t, void *stream)
{
    if (!s->event || t->backend->ordinal < 0 || t->group) return source_await(s);
    const roost_status status = cuda_event_follow(t->backend, stream, s->event);
    if (status) *thread_error() = t->error;
    return status;
}

roost_status source_fetch(struct arrow_source *s, struct arrow_memory *m, const void *buffer, uint64_t first, uint64_t bytes,
                          const void **to)
{
    *to = bytes ? NULL : "";
    if (!bytes) return ROOST_OK;
    if (!buffer) return wrong("has a buffer that is NULL");
    const roost_status status = source_await(s);
    if (status) return status;
    if (!s->on_device) return *to = (const char *)buffer + first, ROOST_OK;
    void *const copy = arrow_new_copy(m, bytes, 1);
    if (!copy) return ROOST_ERR_MEMORY;
    if (!copy_between(copy, (const char *)buffer + first, (size_t)bytes))
        return error_set(thread_error(), ROOST_ERR_DEVICE, "a copy of an Arrow buffer from the device failed");
    *to = copy;
    return ROOST_OK;
}

/* ---- Checks ---------------------------------------------------------------------------------- */

/* Lengths are such that the bytes of any items and of their bits can be counted. */
#define ROWS_MOST ((int64_t)1 << 48)

static roost_status array_check(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    struct error *const error = thread_error();
    if (!schema || !array) return wrong("or its schema is NULL");
    if (!schema->release || !array->release) return wrong("or its schema is released");
    if (array->length < 0 || array->offset < 0 || array->length > ROWS_MOST || array->offset > ROWS_MOST)
        return error_set(error, ROOST_ERR_ARGUMENT, "an Arrow array has length %" PRId64 " and offset %" PRId64, array->length,
                         array->offset);
    if (array->null_count < -1 || array->null_count > array->length)
        return error_set(error, ROOST_ERR_ARGUMENT, "an Arrow array of length %" PRId64 " has null_count %" PRId64, array->length,
                         array->null_count);
    if (array->n_buffers < 0 || (array->n_buffers && !array->buffers)) return wrong("has no buffers, or less than none");
    if (array->n_children != schema->n_children || array->n_children < 0)
        return error_set(error, ROOST_ERR_ARGUMENT, "an Arrow array has %" PRId64 " children, and its schema %" PRId64,
                         array->n_children, schema->n_children);
    return !array->dictionary == !schema->dictionary ? ROOST_OK : wrong("or its schema lacks the other one's dictionary");
}

static roost_status buffers_check(const struct arrow_format *format, const struct ArrowArray *array)
{
    const int64_t n = array->n_buffers, wanted = format->kind == FORMAT_STRING || format->kind == FORMAT_VIEW ? 3 : 2;
    if (n == wanted || (format->kind == FORMAT_VIEW && n > wanted && n <= INT32_MAX)) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "an Arrow array has %" PRId64 " buffers, and must have %" PRId64 "%s", n,
                     wanted, format->kind == FORMAT_VIEW ? " or more" : "");
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* Opens an array's own rows. */
static roost_status array_open(const struct ArrowSchema *schema, const struct ArrowArray *array, struct arrow_source *s)
{
    roost_status status = array_check(schema, array);
    if (!status) status = format_read(schema->format, &s->format);
    if (status) return status;
    s->schema = schema;
    s->array = array;
    s->first = (uint64_t)array->offset;
    s->n = (size_t)array->length;
    return ROOST_OK;
}

/* Goes on to a child, whose rows are those of its parent from the parent's offset on. */
static roost_status child_open(int64_t child, struct arrow_source *s)
{
    struct error *const error = thread_error();
    const struct ArrowArray *const parent = s->array;
    const struct ArrowSchema *const schema = s->schema;
    if (s->format.kind != FORMAT_STRUCT)
        return error_set(error, ROOST_ERR_ARGUMENT, "child %" PRId64 " of an Arrow array that is no struct", child);
    if (parent->n_buffers != 1) return wrong("is a struct without the one buffer of its validity");
    if (child >= parent->n_children || !parent->children || !schema->children)
        return error_set(error, ROOST_ERR_ARGUMENT, "child %" PRId64 " of an Arrow struct that has %" PRId64, child,
                         parent->n_children);
    const roost_status status = array_open(schema->children[child], parent->children[child], s);
    if (status) return status;
    if (s->array->length < parent->offset || s->array->length - parent->offset < parent->length)
        return error_set(error, ROOST_ERR_ARGUMENT,
                         "child %" PRId64 " has %" PRId64 " rows, and its struct %" PRId64 " from offset %" PRId64, child,
                         s->array->length, parent->length, parent->offset);
    s->first += (uint64_t)parent->offset;
    s->n = (size_t)parent->length;
    s->parent = parent;
    s->parent_first = (uint64_t)parent->offset;
    return ROOST_OK;
}

static roost_status leaf_check(const struct arrow_source *s)
{
    if (s->format.kind == FORMAT_STRUCT)
        return error_set(thread_error(), ROOST_ERR_UNSUPPORTED, "a struct (format \"+s\") is no column: name one of its children");
    const bool number = s->format.kind == FORMAT_SIGNED || s->format.kind == FORMAT_UNSIGNED;
    if (s->array->dictionary && !number) return wrong("has indices of a dictionary that are no integers");
    return buffers_check(&s->format, s->array);
}

roost_status source_open(const roost_arrow *column, struct arrow_source *s)
{
    memset(s, 0, sizeof *s);
    if (!column) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "a roost_arrow is NULL");
    if (column->size != sizeof *column || column->reserved)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_arrow: size is %zu, and must be %zu, and reserved 0",
                         column->size, sizeof *column);
    roost_status status = place_read(column, s);
    if (!status) status = array_open(column->schema, column->array, s);
    if (!status && column->child >= 0) status = child_open(column->child, s);
    return status ? status : leaf_check(s);
}

roost_status source_open_dictionary(const struct arrow_source *s, struct arrow_source *dictionary)
{
    memset(dictionary, 0, sizeof *dictionary);
    dictionary->on_device = s->on_device;
    dictionary->event = s->event;
    const roost_status status = array_open(s->schema->dictionary, s->array->dictionary, dictionary);
    if (status) return status;
    if (dictionary->array->dictionary) return wrong("has a dictionary that is a dictionary array itself");
    return leaf_check(dictionary);
}

roost_status source_format(const struct arrow_source *s, struct arrow_format *format)
{
    *format = s->format;
    return s->array->dictionary ? format_read(s->schema->dictionary->format, format) : ROOST_OK;
}
