/* Shared code of the fuzz targets of the readers: a file with the fuzzer's bytes, and the checks
 * that hold for every layout.  A failed check aborts, and the fuzzer reports it with the input. */
#ifndef ROOST_FUZZ_READING_H
#define ROOST_FUZZ_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io_reader.h"

/* Of one file; reading stops there, so that a decompression bomb ends. */
#define FUZZ_KEYS_MOST 1024

struct fuzz_bytes {
    const uint8_t *at;
    size_t n;
};

/* The way in which a file is read.  It may not change the keys. */
struct fuzz_way {
    size_t room;  /* keys per call */
    size_t chunk; /* bytes, for IO_CHUNK */
    bool slow;    /* true: reads deliver three bytes, and each is interrupted first */
    bool pipe;    /* true: the file's length is not known */
};

/* The result of reading, or the expected one. */
struct fuzz_keys {
    enum io_status status;
    struct io_error error;
    enum io_key_type type;
    bool finished;               /* true: the file's end or an error was reached */
    struct io_left_out left_out; /* of a file that was read to its end */
    size_t n;
    uint64_t keys[FUZZ_KEYS_MOST]; /* unsigned */
};

#define FUZZ_TEXT_MOST 8192 /* bytes of all keys that are no integers */

/* Keys that are bytes: strings, or bytes of a width. */
struct fuzz_texts {
    enum io_status status;
    struct io_error error;
    bool finished; /* true: the file's end or an error was reached */
    size_t n, bytes;
    size_t ends[FUZZ_KEYS_MOST];
    uint8_t text[FUZZ_TEXT_MOST];
};

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

__attribute__((noreturn)) void fuzz_fail(const char *file, int line, const char *condition);

/* Takes one byte off the front; 0 if there is none. */
uint8_t fuzz_take(struct fuzz_bytes *input);

/* Removes the byte order mark of UTF-8 from a text.  False if the text is UTF-16. */
bool fuzz_begin_text(struct fuzz_bytes *text);

struct fuzz_way fuzz_way_of(uint8_t byte);

/* The file of this name has these bytes from now on, and is read in this way.  For targets of other
 * readers than struct io_reader. */
#define FUZZ_PATH "fuzz"
void fuzz_serve(struct fuzz_bytes file, struct fuzz_way way);
bool fuzz_is_open(void);

uint64_t fuzz_load(const uint8_t *bytes, size_t width, bool big_endian);

/* False: there is no room for it. */
bool fuzz_add(struct fuzz_keys *keys, uint64_t key);

/* Reads the file.  memory: limit in bytes of what the reader holds at any time, besides its
 * chunks. */
void fuzz_read(struct fuzz_bytes file, const struct io_spec *spec, struct fuzz_way way, size_t memory, struct fuzz_keys *keys);

/* Reads a file in the two ways that the bytes encode, which must give the same; *keys is the
 * result of the second one.  Not for compressed files: there the chunks determine where damage
 * is noticed and what the error says. */
void fuzz_read_twice(struct fuzz_bytes file, const struct io_spec *spec, uint8_t first, uint8_t second, size_t memory,
                     struct fuzz_keys *keys);

/* The same for keys that are bytes, with fuzz_read's checks.  Strings are read into as many
 * bytes as the way's room.  If one string needs more, the room is doubled. */
void fuzz_read_texts_twice(struct fuzz_bytes file, const struct io_spec *spec, uint8_t first, uint8_t second, size_t memory,
                           struct fuzz_texts *texts);

/* False: there is no room for it. */
bool fuzz_add_text(struct fuzz_texts *texts, const void *bytes, size_t length);

void fuzz_agree_texts(const struct fuzz_texts *a, const struct fuzz_texts *b);

/* Both results are an error or neither is, and they have the same keys as far as both go. */
void fuzz_agree(const struct fuzz_keys *a, const struct fuzz_keys *b);

/* The same, where `expected` has all keys of the file: the result of reading cannot have more. */
void fuzz_expect(const struct fuzz_keys *read, const struct fuzz_keys *expected);

#endif
