/* A file as a stream of bytes, decompressed where its first bytes are those of gzip or Zstandard, in bounded memory. */
#ifndef ROOST_IO_STREAM_H
#define ROOST_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_codec.h"
#include "io_error.h"

/* Bytes that one fill brings, unless the file ends before; at least 4, for a codec to be known by.  Fuzz targets choose it for each
 * input: chunks have to end within files of some hundred bytes too. */
#ifdef ROOST_FUZZ
extern size_t io_fuzz_chunk;
#define IO_CHUNK io_fuzz_chunk
#else
#define IO_CHUNK ((size_t)1 << 17)
#endif

struct io_stream {
    const uint8_t *at; /* the next byte to read; a parser moves it up to `end`, then fills */
    const uint8_t *end;
    char *path;
    int file;
    uint64_t file_bytes;    /* the file's length, 0 if it has none (a pipe) */
    uint64_t file_position; /* bytes taken from the file, compressed ones if it is */
    bool file_ended;
    const struct io_codec *codec; /* NULL: the bytes as they are */
    void *codec_state;
    uint8_t *in; /* IO_CHUNK bytes from the file, in_at..in_end not yet decoded */
    size_t in_at, in_end;
    uint8_t *out; /* IO_CHUNK bytes decoded; NULL without a codec */
};

/* Opens a file, or standard input for "-".  verbatim: no decompression, whatever the first bytes are. */
enum io_status io_stream_open(struct io_stream **stream, const char *path, bool verbatim, struct io_error *error);

/* Brings the next IO_CHUNK bytes to at..end; fewer at the file's end, none after it.  Call it only when at == end. */
enum io_status io_stream_fill(struct io_stream *stream, struct io_error *error);

/* Copies the next `bytes` bytes; *got is less only where the file ends. */
enum io_status io_stream_read(struct io_stream *stream, void *to, size_t bytes, size_t *got, struct io_error *error);

/* NULL is allowed. */
void io_stream_close(struct io_stream *stream);

#endif
