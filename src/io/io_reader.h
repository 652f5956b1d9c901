/* Readers that deliver the keys of a file in batches: k-mers of FASTA or FASTQ, a column of tsv or
 * csv, words of a text, raw binary keys, .npy, block traces.
 *
 * A file is hostile until it is parsed: any content ends in keys or in one error, in bounded
 * memory. */
#ifndef ROOST_IO_READER_H
#define ROOST_IO_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io_error.h"

/* The longest k-mers: those that fit into 16 bytes, into 8, and into 4. */
#define IO_KMER_MAX 64
#define IO_KMER_MAX_U64 32
#define IO_KMER_MAX_U32 16

/* IO_FASTA also reads FASTQ. */
enum io_layout { IO_FASTA, IO_COLUMN, IO_RAW, IO_NPY, IO_ARC, IO_WORDS };

/* The widest keys of type IO_BYTES. */
#define IO_KEY_BYTES_MAX 128

/* The type of a delivered key.  IO_BYTES: a width that the
 * spec gives; IO_STRING: any number of bytes. */
enum io_key_type { IO_U32, IO_U64, IO_I32, IO_I64, IO_BYTES, IO_STRING };

/* The fields of a column: numbers without sign; their bytes; numbers with an optional sign; those
 * times 10 to the power of spec->decimals (IO_FIXED, of type i64); dates as days since 1970-01-01
 * (YYYY-MM-DD, i32); and times as microseconds since then (YYYY-MM-DDTHH:MM:SS.ffffff, i64), where
 * T may be a blank, seconds and their decimals may lack, and Z or +HH:MM may follow as a zone. */
enum io_field {
    IO_DECIMAL_U64,
    IO_DECIMAL_U32,
    IO_BASE36,
    IO_FIELD_BYTES,
    IO_FIELD_STRING,
    IO_SIGNED_I64,
    IO_SIGNED_I32,
    IO_FIXED,
    IO_DATE,
    IO_TIME
};

#define IO_DECIMALS_MAX 18

/* What to read from a file.  Members that the layout does not need are 0. */
struct io_spec {
    enum io_layout layout;
    bool verbatim;   /* no decompression, whatever the first bytes are */
    unsigned kmer;   /* IO_FASTA: 1..IO_KMER_MAX */
    bool one_strand; /* IO_FASTA: each k-mer as it stands; else the smaller of it and its reverse
                      * complement */
    uint64_t column; /* IO_COLUMN: from 1; 0: by name */
    /* IO_COLUMN by name: the first line is a header that holds this name exactly once. */
    const char *name;
    bool header;     /* IO_COLUMN by number: skip the first line, a header */
    bool skip_blank; /* IO_COLUMN: skip empty lines; else they are records with one empty field */
    char comment;    /* IO_COLUMN: skip lines that begin with this byte; 0: none */
    bool leave_out;  /* IO_COLUMN: leave out records without a key; else the first is an error */
    /* IO_COLUMN: any byte but a quote, CR and LF; 0: a tab if the first line has one outside of
     * quotes, else a comma */
    char separator;
    enum io_field field;  /* IO_COLUMN */
    unsigned decimals;    /* IO_FIXED: 0..IO_DECIMALS_MAX */
    enum io_key_type raw; /* IO_RAW: IO_U32, IO_U64 or IO_BYTES */
    bool big_endian;      /* IO_RAW: the order of integers */
    /* width of keys of type IO_BYTES: 1..IO_KEY_BYTES_MAX; a field has exactly this width */
    size_t key_bytes;
    /* IO_COLUMN, IO_ARC, IO_WORDS: the most bytes of a line, with all fields in quotes, or of a
     * word; 0: no bound.  Lines of FASTA need no memory, and have none. */
    uint64_t max_line;
};

struct io_reader;

/* Opens a file ("-": standard input) and reads enough of it to know the type of its keys.
 * *reader is NULL on failure.  spec->name must live as long as the reader. */
enum io_status io_reader_open(struct io_reader **reader, const char *path, const struct io_spec *spec, struct io_error *error);

/* Delivers up to `room` keys, of io_reader_key_bytes bytes each, to `keys`: integers, aligned,
 * in the machine's byte order; other keys as in the file.  *n: number of keys; less than room
 * only at the file's end, 0 after it.  After an error the reader can only be closed.
 * Returns: IO_ERR_ARGUMENT: its keys are strings. */
enum io_status io_reader_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error);

/* The caller's buffers for strings, in Arrow's layout: string i is bytes[offsets[i]] up to
 * bytes[offsets[i + 1]]. */
struct io_strings {
    uint64_t *offsets; /* room + 1; offsets[0] becomes 0 */
    size_t room;       /* at least 1 */
    uint8_t *bytes;
    size_t bytes_room; /* at least 2 */
    size_t n;          /* strings that the call delivered */
    /* bytes so far of a string that has not ended; they follow the others and belong to the next
     * call */
    size_t begun;
};

/* Delivers up to room strings, whose bytes together fit into bytes_room.  The caller sets n and
 * begun to 0 before the first call; the reader owns them afterwards.  Between two calls the
 * caller may enlarge the buffers, but must keep their contents.
 * n is 0 after the file's end, and if one string alone needs more than bytes_room.  Then begun
 * is not 0; at the end it is 0.
 * Returns: IO_ERR_ARGUMENT: its keys are not strings. */
enum io_status io_reader_next_strings(struct io_reader *reader, struct io_strings *strings, struct io_error *error);

/* Right after opening: the reader delivers one of `shares` parts of the file instead.  Together the
 * parts have each key once.  *divided: false: this file has no parts (it is compressed, or no
 * regular file, or its keys are strings), and the reader still delivers all. */
enum io_status io_reader_share(struct io_reader *reader, uint64_t share, uint64_t shares, bool *divided, struct io_error *error);

/* What the reader has left out of the part of the file that it has read. */
struct io_left_out {
    uint64_t bytes;    /* behind complete compressed data */
    uint64_t records;  /* without a key, of spec->leave_out */
    const char *first; /* where the first of these is, and what is wrong; lives like the reader */
};

void io_reader_left_out(const struct io_reader *reader, struct io_left_out *left_out);

enum io_key_type io_reader_key_type(const struct io_reader *reader);

/* 4 or 8, for keys of type IO_BYTES the spec's width, for strings 0. */
size_t io_reader_key_bytes(const struct io_reader *reader);

/* Bytes of the file that have been read, and in *length its length, or 0 if unknown (a pipe). */
uint64_t io_reader_position(const struct io_reader *reader, uint64_t *length);

/* NULL is allowed. */
void io_reader_close(struct io_reader *reader);

#endif
