/* A file as a stream of bytes in bounded memory.  It is decompressed if it begins as gzip,
 * bzip2, xz or Zstandard files do. */
#ifndef ROOST_IO_STREAM_H
#define ROOST_IO_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_codec.h"
#include "io_error.h"

/* Bytes per fill, unless the file ends before; at least 4, to recognise a codec.  Fuzz targets
 * choose it per input, so that chunks end within files of some hundred bytes, too. */
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
    uint64_t file_bytes;    /* 0: unknown (a pipe) */
    uint64_t file_position; /* bytes read from the file, before decompression */
    bool file_ended;
    bool regular;                 /* its bytes can be read again */
    uint64_t file_limit;          /* no byte of the file behind this one is read */
    const struct io_codec *codec; /* NULL: no decompression */
    void *codec_state;
    bool complete;     /* the compressed data have ended before the file */
    uint64_t left_out; /* bytes behind them */
    uint8_t *in;       /* IO_CHUNK bytes from the file, in_at..in_end not yet decoded */
    size_t in_at, in_end;
    uint8_t *out; /* IO_CHUNK bytes decoded; NULL without a codec */
};

/* Opens a file, or standard input for "-".  verbatim: no decompression, whatever the first bytes
 * are. */
enum io_status io_stream_open(struct io_stream **stream, const char *path, bool verbatim, struct io_error *error);

/* Brings the next IO_CHUNK bytes to at..end; fewer at the file's end, none after it.
 * Precondition: at == end. */
enum io_status io_stream_fill(struct io_stream *stream, struct io_error *error);

/* Copies the next `bytes` bytes.  *got is less only at the file's end. */
enum io_status io_stream_read(struct io_stream *stream, void *to, size_t bytes, size_t *got, struct io_error *error);

/* Bytes of the file before `at`.  Of streams without a codec. */
static inline uint64_t io_stream_position(const struct io_stream *stream)
{
    return stream->file_position - (uint64_t)(stream->end - stream->at);
}

/* Goes on with the bytes from .. to - 1 of the file, and ends there.  Of regular files without a
 * codec. */
enum io_status io_stream_window(struct io_stream *stream, uint64_t from, uint64_t to, struct io_error *error);

/* NULL is allowed. */
void io_stream_close(struct io_stream *stream);

#endif
