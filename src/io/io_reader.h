/* Readers that deliver the keys of a file in batches: k-mers of FASTA, a column of tsv or csv, words of a text, raw binary keys,
 * .npy, block traces.
 *
 * A file is hostile until it is parsed: whatever it holds ends in keys or in one error, in bounded memory.
 */
#ifndef ROOST_IO_READER_H
#define ROOST_IO_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_error.h"

/* Canonical k-mers of up to this length fit 8 bytes; up to the other one, 4 bytes. */
#define IO_KMER_MAX 32
#define IO_KMER_MAX_U32 16

enum io_layout { IO_FASTA, IO_COLUMN, IO_RAW, IO_NPY, IO_ARC, IO_WORDS };

/* The widest keys of type IO_BYTES. */
#define IO_KEY_BYTES_MAX 128

/* What a delivered key is; i32 and i64 come from .npy only.  IO_BYTES: as many bytes as the spec says; IO_STRING: any number of them. */
enum io_key_type { IO_U32, IO_U64, IO_I32, IO_I64, IO_BYTES, IO_STRING };

/* What the fields of a column are: numbers, which may be spelled so, or their bytes. */
enum io_field { IO_DECIMAL_U64, IO_DECIMAL_U32, IO_BASE36, IO_FIELD_BYTES, IO_FIELD_STRING };

/* What to read out of a file.  All zero but for what the layout needs. */
struct io_spec {
    enum io_layout layout;
    bool verbatim;        /* no decompression, whatever the first bytes are */
    unsigned kmer;        /* IO_FASTA: 1..IO_KMER_MAX */
    uint64_t column;      /* IO_COLUMN: from 1; 0: by name */
    const char *name;     /* IO_COLUMN by name: the first line is a header that holds this name exactly once */
    bool header;          /* IO_COLUMN by number: the first line is a header, to be skipped */
    char separator;       /* IO_COLUMN: '\t' or ','; 0: a tab where the first line holds one, else a comma */
    enum io_field field;  /* IO_COLUMN */
    enum io_key_type raw; /* IO_RAW: IO_U32, IO_U64 or IO_BYTES */
    bool big_endian;      /* IO_RAW: the order of integers */
    size_t key_bytes;     /* keys of type IO_BYTES: their width, 1..IO_KEY_BYTES_MAX; a field has exactly as many */
};

struct io_reader;

/* Opens a file ("-": standard input) and reads as much of it as tells the type of its keys.  *reader is NULL after a failure.
 * spec->name must live as long as the reader. */
enum io_status io_reader_open(struct io_reader **reader, const char *path, const struct io_spec *spec, struct io_error *error);

/* Delivers up to `room` keys, each of io_reader_key_bytes bytes, to `keys`: integers in the machine's byte order (aligned to them),
 * other keys as they are in the file.  *n: how many; fewer than room only at the file's end, 0 after it.  After an error the reader can
 * only be closed.  IO_ERR_ARGUMENT: its keys are strings. */
enum io_status io_reader_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error);

/* The caller's buffers for strings, in Arrow's layout: string i is bytes[offsets[i]] up to bytes[offsets[i + 1]]. */
struct io_strings {
    uint64_t *offsets; /* room + 1; offsets[0] becomes 0 */
    size_t room;       /* strings, at least 1 */
    uint8_t *bytes;
    size_t bytes_room; /* at least 2 */
    size_t n;          /* what a call delivered */
    size_t begun; /* of a string that has not ended: its bytes so far, which lie behind the others; they belong to the next call */
};

/* Delivers up to room strings, whose bytes together fit into bytes_room.  n and begun are 0 before the first call and the reader's after
 * it; between two calls the buffers may be made larger, but keep what they hold.
 * n is 0 after the file's end, and where one string alone needs more than bytes_room: begun tells, which is 0 at the end.
 * IO_ERR_ARGUMENT: its keys are no strings. */
enum io_status io_reader_next_strings(struct io_reader *reader, struct io_strings *strings, struct io_error *error);

enum io_key_type io_reader_key_type(const struct io_reader *reader);

/* 4 or 8, or of keys of type IO_BYTES the spec's; 0: strings. */
size_t io_reader_key_bytes(const struct io_reader *reader);

/* How far the file has been read, in bytes of the file itself; *length is 0 where that is not known (a pipe). */
uint64_t io_reader_position(const struct io_reader *reader, uint64_t *length);

/* NULL is allowed. */
void io_reader_close(struct io_reader *reader);

#endif
