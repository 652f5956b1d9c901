/* Arrow arrays made by hand. */
#include "support/arrow_arrays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/settings.h"
#include "support/tables.h"

/* ---- Arrays ---------------------------------------------------------------------------------- */

static void schema_released(struct ArrowSchema *schema)
{
    struct arrow_made *const made = (struct arrow_made *)schema->private_data;
    made->schema_released++;
    schema->release = NULL;
}

static void array_released(struct ArrowArray *array)
{
    struct arrow_made *const made = (struct arrow_made *)array->private_data;
    made->released++;
    array->release = NULL;
}

void arrow_begin(struct arrow_made *made, const char *format, size_t n, size_t offset, bool on_device)
{
    memset(made, 0, sizeof *made);
    made->on_device = on_device;
    made->schema.format = format;
    made->schema.name = "";
    made->schema.metadata = "ignored";
    made->schema.flags = ARROW_FLAG_NULLABLE;
    made->schema.children = made->schemas;
    made->schema.release = schema_released;
    made->schema.private_data = made;
    made->array.length = (int64_t)n;
    made->array.offset = (int64_t)offset;
    made->array.buffers = made->buffers;
    made->array.children = made->arrays;
    made->array.release = array_released;
    made->array.private_data = made;
}

void arrow_buffer(struct arrow_made *made, const void *bytes, size_t n)
{
    const int64_t b = made->array.n_buffers++;
    if (!bytes) return;
    if (made->on_device) {
        made->memory[b] = array_make(n ? n : 1);
        memcpy(made->memory[b].host, bytes, n);
        array_send(&made->memory[b], true);
        made->buffers[b] = made->memory[b].given;
        return;
    }
    made->host[b] = malloc(n ? n : 1);
    if (!made->host[b]) abort();
    made->buffers[b] = memcpy(made->host[b], bytes, n);
}

void arrow_validity(struct arrow_made *made, size_t of, size_t rest)
{
    const size_t first = (size_t)made->array.offset, all = first + (size_t)made->array.length;
    uint8_t *const bits = make_bytes(all / 8 + 1);
    if (!of) arrow_buffer(made, NULL, 0);
    memset(bits, 0x5a, all / 8 + 1); /* those before the offset do not count */
    made->array.null_count = of ? -1 : 0;
    for (size_t i = first; of && i < all; i++)
        bits[i / 8] = (uint8_t)((bits[i / 8] & ~(1u << i % 8)) | (unsigned)((i - first) % of != rest) << i % 8);
    if (of) arrow_buffer(made, bits, (all + 7) / 8);
    free(bits);
}

void arrow_child(struct arrow_made *made, struct arrow_made *child)
{
    const int64_t c = made->array.n_children++;
    made->schema.n_children = made->array.n_children;
    made->schemas[c] = &child->schema;
    made->arrays[c] = &child->array;
}

void arrow_dictionary(struct arrow_made *made, struct arrow_made *dictionary)
{
    made->schema.dictionary = &dictionary->schema;
    made->array.dictionary = &dictionary->array;
}

void arrow_end(struct arrow_made *made)
{
    for (int b = 0; b < ARROW_BUFFERS_MOST; b++) {
        free(made->host[b]);
        if (made->memory[b].host) array_free(&made->memory[b]);
    }
}

void arrow_integers_null(struct arrow_made *made, const char *format, unsigned bytes, const uint64_t *patterns, size_t n,
                         size_t offset, size_t of, size_t rest, bool on_device)
{
    char *const items = (char *)make_bytes((n + offset) * bytes + 1);
    arrow_begin(made, format, n, offset, on_device);
    arrow_validity(made, of, rest);
    memset(items, UNTOUCHED_BYTE, (n + offset) * bytes);
    for (size_t i = 0; i < n; i++) memcpy(items + (offset + i) * bytes, &patterns[i], bytes);
    arrow_buffer(made, items, (n + offset) * bytes);
    free(items);
}

void arrow_integers(struct arrow_made *made, const char *format, unsigned bytes, const uint64_t *patterns, size_t n, size_t offset,
                    bool on_device)
{
    arrow_integers_null(made, format, bytes, patterns, n, offset, 0, 0, on_device);
}

roost_arrow arrow_of(const struct arrow_made *made, int child)
{
    roost_arrow arrow = ROOST_ARROW_INIT;
    const char *const number = strchr(settings_get()->device, ':');
    arrow.schema = &made->schema;
    arrow.array = &made->array;
    arrow.child = child;
    arrow.device_type = made->on_device ? ARROW_DEVICE_CUDA : 0;
    arrow.device_id = number ? atoi(number + 1) : 0;
    return arrow;
}

/* ---- Streams --------------------------------------------------------------------------------- */

static struct arrow_stream *stream_of(struct ArrowArrayStream *stream) { return (struct arrow_stream *)stream->private_data; }

static void given_schema_released(struct ArrowSchema *schema)
{
    ((struct arrow_stream *)schema->private_data)->schemas_released++;
    schema->release = NULL;
}

static void given_batch_released(struct ArrowArray *array)
{
    ((struct arrow_stream *)array->private_data)->batches_released++;
    array->release = NULL;
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    struct arrow_stream *const s = stream_of(stream);
    *out = s->batches[0]->schema;
    out->release = given_schema_released;
    out->private_data = s;
    return 0;
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct arrow_stream *const s = stream_of(stream);
    if (s->at == s->fails_at) return EIO;
    memset(out, 0, sizeof *out);
    if (s->at == s->n) return 0;
    *out = s->batches[s->at++]->array;
    out->release = given_batch_released;
    out->private_data = s;
    s->given++;
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *stream) { return (void)stream, "it fails here"; }

static void stream_released(struct ArrowArrayStream *stream)
{
    stream_of(stream)->released++;
    stream->release = NULL;
}

void arrow_stream_begin(struct arrow_stream *stream, struct arrow_made **batches, int n)
{
    memset(stream, 0, sizeof *stream);
    stream->stream = (struct ArrowArrayStream){stream_schema, stream_next, stream_error, stream_released, stream};
    stream->batches = batches;
    stream->n = n;
    stream->fails_at = -1;
}
