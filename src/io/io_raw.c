/* Raw binary keys without anything between them: integers of 4 or 8 bytes in either byte order,
 * or bytes of any width. */
#include "io_layout.h"

static uint64_t load_integer(const uint8_t *bytes, size_t width, bool big_endian, bool is_signed)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) value |= (uint64_t)bytes[i] << 8 * (big_endian ? width - 1 - i : i);
    const uint64_t sign = (uint64_t)1 << (8 * width - 1);
    return is_signed ? (value ^ sign) - sign : value;
}

enum io_status io_read_items(struct io_reader *reader, size_t width, bool big_endian, void *keys, size_t room, size_t *n,
                             struct io_error *error)
{
    const size_t key_bytes = io_reader_key_bytes(reader);
    if (room > SIZE_MAX / key_bytes) room = SIZE_MAX / key_bytes;
    /* To the end of the keys' room, so that narrower items are read before keys overwrite them. */
    uint8_t *const items = (uint8_t *)keys + room * (key_bytes - width);
    size_t bytes;
    const enum io_status status = io_stream_read(reader->stream, items, room * width, &bytes, error);
    if (status != IO_OK) return status;
    if (bytes % width != 0)
        return io_fail(error, IO_ERR_TRUNCATED, reader->stream->path, "truncated: its length is not a multiple of %zu bytes",
                       width);
    *n = bytes / width;
    if (reader->type == IO_BYTES) return IO_OK;
    const bool is_signed = reader->type == IO_I32 || reader->type == IO_I64;
    for (size_t i = 0; i < *n; i++)
        io_put_key(keys, i, reader->type, load_integer(items + i * width, width, big_endian, is_signed));
    return IO_OK;
}

static enum io_status raw_begin(struct io_reader *reader, struct io_error *error)
{
    if (reader->spec.raw != IO_U32 && reader->spec.raw != IO_U64 && reader->spec.raw != IO_BYTES)
        return io_fail(error, IO_ERR_ARGUMENT, reader->stream->path, "raw keys are u32, u64 or bytes");
    reader->type = reader->spec.raw;
    return IO_OK;
}

static enum io_status raw_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    return io_read_items(reader, io_reader_key_bytes(reader), reader->spec.big_endian, keys, room, n, error);
}

static enum io_status raw_share(struct io_reader *reader, uint64_t share, uint64_t shares, struct io_error *error)
{
    const uint64_t unit = io_reader_key_bytes(reader);
    struct io_stream *const stream = reader->stream;
    return io_stream_window(stream, io_share_begin(stream, 0, unit, share, shares),
                            io_share_begin(stream, 0, unit, share + 1, shares), error);
}

const struct io_layout_operations io_layout_raw = {raw_begin, raw_next, NULL, raw_share};
