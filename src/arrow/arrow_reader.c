/* Reading the streams that calls are given. */
#include "arrow/arrow_reader.h"

#include <inttypes.h>
#include <string.h>

static roost_status stream_failed(struct ArrowArrayStream *stream, const char *what, int code)
{
    const char *const why = stream->get_last_error(stream);
    return error_set(thread_error(), ROOST_ERR_DEVICE, "%s of an Arrow stream failed with %d: %.160s", what, code,
                     why ? why : strerror(code));
}

static roost_status batches_read(struct ArrowArrayStream *stream, const struct ArrowSchema *schema, reader_visit *visit,
                                 void *context, uint64_t *rows)
{
    roost_arrow batch = ROOST_ARROW_INIT;
    roost_status status = ROOST_OK;
    batch.schema = schema;
    while (!status) {
        struct ArrowArray array;
        memset(&array, 0, sizeof array);
        const int code = stream->get_next(stream, &array);
        if (code) return stream_failed(stream, "get_next", code);
        if (!array.release) break;
        batch.array = &array;
        status = visit(context, &batch);
        if (!status && array.length > 0) *rows += (uint64_t)array.length;
        array.release(&array);
    }
    return status;
}

roost_status reader_run(struct ArrowArrayStream *stream, reader_visit *visit, void *context, uint64_t *rows)
{
    struct ArrowSchema schema;
    *rows = 0;
    if (!stream || !stream->release)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "the Arrow stream is %s", stream ? "released" : "NULL");
    memset(&schema, 0, sizeof schema);
    const int code = stream->get_schema(stream, &schema);
    if (code) return stream_failed(stream, "get_schema", code);
    if (!schema.release) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "an Arrow stream gave a schema that is released");
    const roost_status status = batches_read(stream, &schema, visit, context, rows);
    schema.release(&schema);
    return status;
}

roost_status reader_columns(const roost_arrow *batch, int64_t columns)
{
    const char *const format = batch->schema->format;
    if (!format || strcmp(format, "+s"))
        return error_set(thread_error(), ROOST_ERR_ARGUMENT,
                         "an Arrow stream has arrays of format \"%.32s\", and must have structs", format ? format : "");
    if (batch->schema->n_children == columns) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "an Arrow stream has %" PRId64 " columns, and must have %" PRId64,
                     batch->schema->n_children, columns);
}
