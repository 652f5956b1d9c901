/* A file of keys for the tests of the readers: written plain or compressed, read with every
 * batch size, and compared. */
#ifndef ROOST_TESTS_KEY_FILES_H
#define ROOST_TESTS_KEY_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "io/io_reader.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* A program's one file; cmocka calls these before and after its tests. */
int make_path(void **state);
int remove_path(void **state);
extern char key_file_path[64];

/* ---- Writing it ------------------------------------------------------------------------------ */

void write_file(const void *bytes, size_t n);
void append_file(const void *bytes, size_t n);
void write_text(const char *text);

/* mode: "wb", or "ab" to append another member. */
void write_gz(const char *mode, const void *bytes, size_t n);
void write_gz_file(const void *bytes, size_t n);

/* The frames have checksums. */
void append_zst(const void *bytes, size_t n);
void write_zst(const void *bytes, size_t n);

/* One stream of bzip2 or xz. */
void append_bz2(const void *bytes, size_t n);
void write_bz2(const void *bytes, size_t n);
void append_xz(const void *bytes, size_t n);
void write_xz(const void *bytes, size_t n);

size_t file_length(void);

/* ---- Reading it ------------------------------------------------------------------------------ */

/* The error of the last call of a reader. */
extern struct io_error key_file_error;

/* Every key of the file, zero-extended to 64 bits. */
struct keys {
    uint64_t *keys; /* freed by the caller */
    size_t n;
    size_t room;
    enum io_key_type type;
};

/* Reads in batches of `room` keys. */
enum io_status read_keys(const struct io_spec *spec, size_t room, struct keys *keys);

/* What the reader of the last file that was read to its end has left out. */
extern struct io_left_out key_file_left_out;

/* Requires that the file holds these keys, with every batch size. */
void expect_keys(const struct io_spec *spec, const uint64_t *expected, size_t n);

/* Keys that are bytes, of one width or strings, one after another. */
struct texts {
    char *bytes; /* freed by the caller, like `ends` */
    size_t *ends;
    size_t n, room, bytes_room;
};

/* Reads in batches of `room` strings and `bytes_room` bytes; the latter grows for a string that
 * is longer. */
enum io_status read_texts(const struct io_spec *spec, size_t room, size_t bytes_room, struct texts *texts);

/* A text that may hold zero bytes. */
struct text {
    const char *at;
    size_t length;
};
#define TEXT(literal)                                                                                                              \
    {                                                                                                                              \
        literal, sizeof(literal) - 1                                                                                               \
    }

/* Requires that the file holds these keys, with every batch size in strings and in bytes. */
void expect_texts(const struct io_spec *spec, const struct text *expected, size_t n);

/* Requires that the file is refused with this status, and that the text names the file and holds
 * `part`. */
void expect_error_at(const struct io_spec *spec, size_t room, enum io_status expected, const char *part);

/* The same with every batch size. */
void expect_error(const struct io_spec *spec, enum io_status expected, const char *part);

struct io_spec raw_spec(enum io_key_type type, bool big_endian);
struct io_spec kmer_spec(unsigned kmer);
struct io_spec bytes_spec(size_t bytes);
struct io_spec words_spec(void);
struct io_spec column_spec(uint64_t column, enum io_field field);

#endif
