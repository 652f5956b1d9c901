/* Opens a reader for a layout and passes calls on to it. */
#include "io_reader.h"

#include <stdlib.h>
#include <string.h>

#include "io_layout.h"

static const struct io_layout_operations *layout_operations(enum io_layout layout)
{
    switch (layout) {
    case IO_FASTA: return &io_layout_fasta;
    case IO_COLUMN: return &io_layout_column;
    case IO_RAW: return &io_layout_raw;
    case IO_NPY: return &io_layout_npy;
    case IO_ARC: return &io_layout_arc;
    case IO_WORDS: return &io_layout_words;
    }
    return NULL;
}

enum io_status io_reader_open(struct io_reader **reader, const char *path, const struct io_spec *spec, struct io_error *error)
{
    *reader = NULL;
    const struct io_layout_operations *operations = layout_operations(spec->layout);
    if (operations == NULL) return io_fail(error, IO_ERR_ARGUMENT, path, "no such layout");
    struct io_reader *r = (struct io_reader *)calloc(1, sizeof *r);
    if (r == NULL) return io_fail(error, IO_ERR_MEMORY, path, "out of memory");
    r->spec = *spec;
    r->operations = operations;
    const bool widths = spec->layout == IO_RAW ? spec->raw == IO_BYTES : spec->layout == IO_COLUMN && spec->field == IO_FIELD_BYTES;
    enum io_status status = IO_OK;
    if (widths && (spec->key_bytes < 1 || spec->key_bytes > IO_KEY_BYTES_MAX))
        status = io_fail(error, IO_ERR_ARGUMENT, path, "keys have 1 to %d bytes, not %zu", IO_KEY_BYTES_MAX, spec->key_bytes);
    if (status == IO_OK) status = io_stream_open(&r->stream, path, spec->verbatim, error);
    if (status == IO_OK) status = operations->begin(r, error);
    if (status != IO_OK) {
        io_reader_close(r);
        return status;
    }
    *reader = r;
    return IO_OK;
}

enum io_status io_begin_text(struct io_reader *reader, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    bool ended;
    const enum io_status status = io_need_byte(stream, &ended, error);
    const size_t bytes = (size_t)(stream->end - stream->at);
    if (status != IO_OK || bytes < 2) return status;
    if (memcmp(stream->at, "\xff\xfe", 2) == 0 || memcmp(stream->at, "\xfe\xff", 2) == 0)
        return io_fail(error, IO_ERR_FORMAT, stream->path, "it is UTF-16: convert it, as by iconv -f UTF-16 -t UTF-8");
    if (bytes >= 3 && memcmp(stream->at, "\xef\xbb\xbf", 3) == 0) stream->at += 3;
    return IO_OK;
}

enum io_status io_reader_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    *n = 0;
    if (reader->type == IO_STRING) return io_fail(error, IO_ERR_ARGUMENT, reader->stream->path, "its keys are strings");
    return reader->operations->next(reader, keys, room, n, error);
}

enum io_status io_reader_next_strings(struct io_reader *reader, struct io_strings *strings, struct io_error *error)
{
    if (reader->type != IO_STRING) return io_fail(error, IO_ERR_ARGUMENT, reader->stream->path, "its keys are not strings");
    if (strings->begun > 0) memmove(strings->bytes, strings->bytes + strings->offsets[strings->n], strings->begun);
    strings->n = 0;
    strings->offsets[0] = 0;
    return reader->operations->next_strings(reader, strings, error);
}

enum io_status io_reader_share(struct io_reader *reader, uint64_t share, uint64_t shares, bool *divided, struct io_error *error)
{
    const struct io_stream *const stream = reader->stream;
    const bool able = reader->operations->share != NULL && reader->type != IO_STRING;
    *divided = shares > 1 && able && stream->regular && stream->codec == NULL;
    return *divided ? reader->operations->share(reader, share, shares, error) : IO_OK;
}

void io_reader_left_out(const struct io_reader *reader, struct io_left_out *left_out)
{
    left_out->bytes = reader->stream->left_out;
    left_out->records = reader->records_left_out;
    left_out->first = reader->first_left_out;
}

enum io_key_type io_reader_key_type(const struct io_reader *reader) { return reader->type; }

size_t io_reader_key_bytes(const struct io_reader *reader)
{
    switch (reader->type) {
    case IO_U32:
    case IO_I32: return 4;
    case IO_BYTES: return reader->spec.key_bytes;
    case IO_STRING: return 0;
    case IO_U64:
    case IO_I64: break;
    }
    return 8;
}

uint64_t io_reader_position(const struct io_reader *reader, uint64_t *length)
{
    *length = reader->stream->file_bytes;
    return reader->stream->file_position;
}

void io_reader_close(struct io_reader *reader)
{
    if (reader == NULL) return;
    io_stream_close(reader->stream);
    free(reader->state);
    free(reader);
}
