/* The interface between the reader and its layouts: one const struct of operations per layout. */
#ifndef ROOST_IO_LAYOUT_H
#define ROOST_IO_LAYOUT_H

#include "io_reader.h"
#include "io_stream.h"
#include "io_syntax.h"

/* Room for a field's place, its first bytes and a sentence. */
#define IO_FIRST_TEXT 256

struct io_reader {
    struct io_stream *stream;
    struct io_spec spec;
    enum io_key_type type;
    const struct io_layout_operations *operations;
    void *state; /* of the layout; freed with free() */
    uint64_t records_left_out;
    char first_left_out[IO_FIRST_TEXT]; /* what is wrong with the first of them */
};

struct io_layout_operations {
    /* Checks the spec, makes reader->state, sets reader->type, reads headers. */
    enum io_status (*begin)(struct io_reader *reader, struct io_error *error);
    /* Called unless reader->type is IO_STRING. */
    enum io_status (*next)(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error);
    /* Called if reader->type is IO_STRING.  strings->begun bytes of the first string are in the
     * buffer, and n is 0. */
    enum io_status (*next_strings)(struct io_reader *reader, struct io_strings *strings, struct io_error *error);
    /* Makes the reader deliver one of `shares` parts of the file, which is regular and has no
     * codec: together they have each key once.  NULL: the layout has no such parts. */
    enum io_status (*share)(struct io_reader *reader, uint64_t share, uint64_t shares, struct io_error *error);
};

extern const struct io_layout_operations io_layout_fasta;
extern const struct io_layout_operations io_layout_column;
extern const struct io_layout_operations io_layout_raw;
extern const struct io_layout_operations io_layout_npy;
extern const struct io_layout_operations io_layout_arc;
extern const struct io_layout_operations io_layout_words;

/* Makes the stream hold a byte at stream->at.  *ended: there is none left. */
static inline enum io_status io_need_byte(struct io_stream *stream, bool *ended, struct io_error *error)
{
    enum io_status status = IO_OK;
    if (stream->at == stream->end) status = io_stream_fill(stream, error);
    *ended = stream->at == stream->end;
    return status;
}

/* Before the first byte of a text: skips the byte order mark of UTF-8, and refuses UTF-16. */
enum io_status io_begin_text(struct io_reader *reader, struct io_error *error);

/* Fails if the line has more bytes than the spec allows. */
static inline enum io_status io_check_line(const struct io_reader *reader, uint64_t line, uint64_t bytes, struct io_error *error)
{
    const uint64_t most = reader->spec.max_line;
    if (most == 0 || bytes <= most) return IO_OK;
    return io_fail(error, IO_ERR_LENGTH, reader->stream->path, "line %llu: it has more than %llu bytes, the bound of --max-line",
                   (unsigned long long)line, (unsigned long long)most);
}

/* The byte of the file at which part `share` of its bytes from `first` on begins; a part has whole
 * multiples of `unit` bytes. */
uint64_t io_share_begin(const struct io_stream *stream, uint64_t first, uint64_t unit, uint64_t share, uint64_t shares);

/* Goes on with the lines that begin at the bytes low .. high - 1 of the file, and ends there.  Line
 * ends inside of quotes end no line.  *lines: line ends before.  Reads the file from byte `first`
 * on, where a line begins. */
enum io_status io_line_share(struct io_stream *stream, uint64_t first, uint64_t low, uint64_t high, struct io_syntax syntax,
                             uint64_t *lines, struct io_error *error);

/* Stores key i, of 4 or 8 bytes. */
static inline void io_put_key(void *keys, size_t i, enum io_key_type type, uint64_t key)
{
    if (type == IO_U32 || type == IO_I32) ((uint32_t *)keys)[i] = (uint32_t)key;
    else ((uint64_t *)keys)[i] = key;
}

/* Ends the current string. */
static inline void io_end_string(struct io_strings *strings)
{
    strings->offsets[strings->n + 1] = strings->offsets[strings->n] + strings->begun;
    strings->n++;
    strings->begun = 0;
}

/* Bytes left in the buffer. */
static inline size_t io_strings_left(const struct io_strings *strings)
{
    return strings->bytes_room - (size_t)strings->offsets[strings->n] - strings->begun;
}

/* Adds a byte to the current string.  The caller has checked that there is room. */
static inline void io_put_byte(struct io_strings *strings, uint8_t byte)
{
    strings->bytes[strings->offsets[strings->n] + strings->begun++] = byte;
}

/* Delivers up to `room` consecutive keys from the stream, which have `width` bytes there, no more
 * than io_reader_key_bytes.  IO_RAW and IO_NPY share it. */
enum io_status io_read_items(struct io_reader *reader, size_t width, bool big_endian, void *keys, size_t room, size_t *n,
                             struct io_error *error);

#endif
