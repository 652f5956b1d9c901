/* A file of keys for the tests of the readers: written plain or compressed, read with every size of batch, and compared. */
#ifndef ROOST_TESTS_KEY_FILES_H
#define ROOST_TESTS_KEY_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "io/io_reader.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* A program's one file: for cmocka, before and after its tests. */
int make_path(void **state);
int remove_path(void **state);
extern char key_file_path[64];

/* ---- Writing it --------------------------------------------------------------------------------------------------------- */

void write_file(const void *bytes, size_t n);
void append_file(const void *bytes, size_t n);
void write_text(const char *text);

/* mode: "wb", or "ab" for one more member. */
void write_gz(const char *mode, const void *bytes, size_t n);
void write_gz_file(const void *bytes, size_t n);

/* Frames have checksums. */
void append_zst(const void *bytes, size_t n);
void write_zst(const void *bytes, size_t n);

size_t file_length(void);

/* ---- Reading it --------------------------------------------------------------------------------------------------------- */

/* What the last call of a reader said. */
extern struct io_error key_file_error;

/* Every key of the file, widened to 64 bits without sign. */
struct keys {
    uint64_t *keys; /* to be freed */
    size_t n;
    size_t room;
    enum io_key_type type;
};

/* In batches of `room`. */
enum io_status read_keys(const struct io_spec *spec, size_t room, struct keys *keys);

/* The file holds these keys, at every size of batch. */
void expect_keys(const struct io_spec *spec, const uint64_t *expected, size_t n);

/* Keys that are bytes, of one width or strings: as many as there are, one after another. */
struct texts {
    char *bytes; /* to be freed, and the ends */
    size_t *ends;
    size_t n, room, bytes_room;
};

/* In batches of `room`, of strings with `bytes_room` bytes, which become more where one of them alone needs more. */
enum io_status read_texts(const struct io_spec *spec, size_t room, size_t bytes_room, struct texts *texts);

/* A text that may hold zeros. */
struct text {
    const char *at;
    size_t length;
};
#define TEXT(literal)                                                                                                              \
    {                                                                                                                              \
        literal, sizeof(literal) - 1                                                                                               \
    }

/* The file holds these keys, at every size of batch and of its bytes. */
void expect_texts(const struct io_spec *spec, const struct text *expected, size_t n);

/* The file is refused with this status, and the text names the file and holds `part`. */
void expect_error_at(const struct io_spec *spec, size_t room, enum io_status expected, const char *part);

/* The same at every size of batch. */
void expect_error(const struct io_spec *spec, enum io_status expected, const char *part);

struct io_spec raw_spec(enum io_key_type type, bool big_endian);
struct io_spec kmer_spec(unsigned kmer);
struct io_spec bytes_spec(size_t bytes);
struct io_spec words_spec(void);
struct io_spec column_spec(uint64_t column, enum io_field field);

#endif
