/* What the fuzz targets of the readers share: a file that the fuzzer's bytes are served as, and the checks that hold for every
 * layout.  A check that fails aborts, which the fuzzer reports with the input. */
#ifndef ROOST_FUZZ_READING_H
#define ROOST_FUZZ_READING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/io_reader.h"

/* Of one file; reading stops there, so that a bomb is no hang. */
#define FUZZ_KEYS_MOST 1024

struct fuzz_bytes {
    const uint8_t *at;
    size_t n;
};

/* How a file is read.  Nothing of it may change what is read. */
struct fuzz_way {
    size_t room;  /* keys asked for at once */
    size_t chunk; /* what IO_CHUNK is */
    bool slow;    /* the system delivers three bytes at a time, and is interrupted before each time */
    bool pipe;    /* the file's length is not known */
};

/* What came of reading, or what should come of it. */
struct fuzz_keys {
    enum io_status status;
    struct io_error error;
    enum io_key_type type;
    bool finished; /* the file's end or an error was reached */
    size_t n;
    uint64_t keys[FUZZ_KEYS_MOST]; /* without sign */
};

#define FUZZ_TEXT_MOST 8192 /* bytes of keys that are no integers, together */

/* Keys that are bytes: strings, or of one width. */
struct fuzz_texts {
    enum io_status status;
    struct io_error error;
    bool finished; /* the file's end or an error was reached */
    size_t n, bytes;
    size_t ends[FUZZ_KEYS_MOST];
    uint8_t text[FUZZ_TEXT_MOST];
};

#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

__attribute__((noreturn)) void fuzz_fail(const char *file, int line, const char *condition);

/* Takes one byte off the front, or 0 where there is none left. */
uint8_t fuzz_take(struct fuzz_bytes *input);

struct fuzz_way fuzz_way_of(uint8_t byte);

uint64_t fuzz_load(const uint8_t *bytes, size_t width, bool big_endian);

/* False: there is no room left for it. */
bool fuzz_add(struct fuzz_keys *keys, uint64_t key);

/* Reads the file.  `memory`: how many bytes the reader may hold at any time, besides its chunks. */
void fuzz_read(struct fuzz_bytes file, const struct io_spec *spec, struct fuzz_way way, size_t memory, struct fuzz_keys *keys);

/* Reads a file in the ways that two bytes say, which must give the same; *keys is the second one's.  Not for compressed files:
 * where damage is noticed among their bytes depends on the chunks, and so does what is said about it. */
void fuzz_read_twice(struct fuzz_bytes file, const struct io_spec *spec, uint8_t first, uint8_t second, size_t memory,
                     struct fuzz_keys *keys);

/* The same where keys are bytes.  FUZZ_CHECKs what fuzz_read does; strings are read into as many bytes as the way's room, and where one
 * of them alone needs more, into twice as many. */
void fuzz_read_texts_twice(struct fuzz_bytes file, const struct io_spec *spec, uint8_t first, uint8_t second, size_t memory,
                           struct fuzz_texts *texts);

/* False: there is no room left for it. */
bool fuzz_add_text(struct fuzz_texts *texts, const void *bytes, size_t length);

void fuzz_agree_texts(const struct fuzz_texts *a, const struct fuzz_texts *b);

/* Both are an error or neither is, and as far as both go they hold the same keys. */
void fuzz_agree(const struct fuzz_keys *a, const struct fuzz_keys *b);

/* The same, where `expected` goes as far as the file has keys: what was read cannot be more. */
void fuzz_expect(const struct fuzz_keys *read, const struct fuzz_keys *expected);

#endif
