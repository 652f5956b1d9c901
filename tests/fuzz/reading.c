/* The file's bytes come from memory.  The system calls of src/io/io_stream.c are linked to the
 * functions below (--wrap).  So an execution takes microseconds, and reads can be short and
 * interrupted. */
#define _GNU_SOURCE 1
#include "reading.h"

#include <errno.h>
#include <fcntl.h>
#include <sanitizer/allocator_interface.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io_stream.h"

#define DESCRIPTOR 1000000 /* number of no open file of the process */
#define SLOW_BYTES 3

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

size_t io_fuzz_chunk;

void fuzz_fail(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: this does not hold: %s\n", file, line, condition);
    abort();
}

/* The defaults, a quarantine of 256 MB and a call stack for each allocation, would take most of
 * the time. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "quarantine_size_mb=1:malloc_context_size=1:allocator_may_return_null=1"; }

/* ---- The file ------------------------------------------------------------------------------- */

static struct {
    struct fuzz_bytes left;
    size_t length;
    struct fuzz_way way;
    bool open;
    bool interrupted; /* true: the last read was interrupted */
} served;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
    if (strcmp(path, FUZZ_PATH) == 0) {
        FUZZ_CHECK(!served.open);
        served.open = true;
        return DESCRIPTOR;
    }
    va_list arguments;
    va_start(arguments, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(arguments, int) : 0;
    va_end(arguments);
    return __real_open(path, flags, mode);
}

int __real_fstat(int descriptor, struct stat *about);
int __wrap_fstat(int descriptor, struct stat *about);
int __wrap_fstat(int descriptor, struct stat *about)
{
    if (descriptor != DESCRIPTOR) return __real_fstat(descriptor, about);
    memset(about, 0, sizeof *about);
    about->st_mode = served.way.pipe ? S_IFIFO : S_IFREG;
    about->st_size = served.way.pipe ? 0 : (off_t)served.length;
    return 0;
}

ssize_t __real_read(int descriptor, void *to, size_t bytes);
ssize_t __wrap_read(int descriptor, void *to, size_t bytes);
ssize_t __wrap_read(int descriptor, void *to, size_t bytes)
{
    if (descriptor != DESCRIPTOR) return __real_read(descriptor, to, bytes);
    FUZZ_CHECK(served.open && bytes > 0);
    served.interrupted = served.way.slow && !served.interrupted;
    if (served.interrupted) {
        errno = EINTR;
        return -1;
    }
    if (served.way.slow && bytes > SLOW_BYTES) bytes = SLOW_BYTES;
    if (bytes > served.left.n) bytes = served.left.n;
    if (bytes > 0) memcpy(to, served.left.at, bytes);
    served.left.at += bytes;
    served.left.n -= bytes;
    return (ssize_t)bytes;
}

int __real_close(int descriptor);
int __wrap_close(int descriptor);
int __wrap_close(int descriptor)
{
    if (descriptor != DESCRIPTOR) return __real_close(descriptor);
    FUZZ_CHECK(served.open);
    served.open = false;
    return 0;
}

bool fuzz_is_open(void) { return served.open; }

void fuzz_serve(struct fuzz_bytes file, struct fuzz_way way)
{
    served.left = file;
    served.length = file.n;
    served.way = way;
    served.interrupted = false;
    io_fuzz_chunk = way.chunk;
}

/* ---- Memory --------------------------------------------------------------------------------- */

/* Memory of this thread: the fuzzer's other thread also allocates. */
static _Thread_local struct {
    bool watching;
    size_t now, most; /* bytes allocated while watching and not yet freed; their peak */
} memory_held;

static void count_malloc(const volatile void *at, size_t bytes)
{
    (void)at;
    if (!memory_held.watching) return;
    memory_held.now += bytes;
    if (memory_held.now > memory_held.most) memory_held.most = memory_held.now;
}

static void count_free(const volatile void *at)
{
    if (memory_held.watching && at != NULL) memory_held.now -= __sanitizer_get_allocated_size((const void *)at);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    FUZZ_CHECK(__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) > 0);
    return 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

bool fuzz_begin_text(struct fuzz_bytes *text)
{
    if (text->n >= 2 && (memcmp(text->at, "\xff\xfe", 2) == 0 || memcmp(text->at, "\xfe\xff", 2) == 0)) return false;
    if (text->n >= 3 && memcmp(text->at, "\xef\xbb\xbf", 3) == 0) *text = (struct fuzz_bytes){text->at + 3, text->n - 3};
    return true;
}

uint8_t fuzz_take(struct fuzz_bytes *input)
{
    if (input->n == 0) return 0;
    input->n--;
    return *input->at++;
}

struct fuzz_way fuzz_way_of(uint8_t byte)
{
    static const size_t rooms[] = {1, 2, 3, 7, 16, 61, 256, 1000};
    static const size_t chunks[] = {4, 5, 6, 7, 16, 61, 256, 4096};
    return (struct fuzz_way){rooms[byte & 7], chunks[byte >> 3 & 7], (byte & 64) != 0, (byte & 128) != 0};
}

uint64_t fuzz_load(const uint8_t *bytes, size_t width, bool big_endian)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width; i++) value = value << 8 | bytes[big_endian ? i : width - 1 - i];
    return value;
}

bool fuzz_add(struct fuzz_keys *keys, uint64_t key)
{
    if (keys->n == FUZZ_KEYS_MOST) return false;
    keys->keys[keys->n++] = key;
    return true;
}

/* The reader's position is behind the bytes that it was given. */
static void check_position(const struct io_reader *reader)
{
    uint64_t length;
    const uint64_t position = io_reader_position(reader, &length);
    FUZZ_CHECK(length == (served.way.pipe ? 0 : served.length));
    FUZZ_CHECK(position == served.length - served.left.n);
}

/* After the end, further calls give no keys. */
static void check_end(struct io_reader *reader, void *batch, size_t room, struct fuzz_keys *keys)
{
    for (int again = 0; again < 2; again++) {
        size_t n;
        FUZZ_CHECK(io_reader_next(reader, batch, room, &n, &keys->error) == IO_OK);
        FUZZ_CHECK(n == 0);
    }
    FUZZ_CHECK(served.left.n == 0);
}

static void read_keys(struct io_reader *reader, size_t room, struct fuzz_keys *keys)
{
    keys->type = io_reader_key_type(reader);
    const size_t bytes = io_reader_key_bytes(reader);
    FUZZ_CHECK(bytes == (keys->type == IO_U32 || keys->type == IO_I32 ? 4 : 8));
    /* No longer than the room, so that the sanitizer sees a key behind it. */
    void *batch = malloc(room * bytes);
    FUZZ_CHECK(batch != NULL);
    size_t n = room;
    while (keys->status == IO_OK && n == room && keys->n + room <= FUZZ_KEYS_MOST) {
        keys->status = io_reader_next(reader, batch, room, &n, &keys->error);
        FUZZ_CHECK(n <= room);
        check_position(reader);
        for (size_t i = 0; keys->status == IO_OK && i < n; i++)
            fuzz_add(keys, bytes == 4 ? ((const uint32_t *)batch)[i] : ((const uint64_t *)batch)[i]);
    }
    keys->finished = keys->status != IO_OK || n < room;
    if (keys->status == IO_OK && n < room) check_end(reader, batch, room, keys);
    io_reader_left_out(reader, &keys->left_out);
    free(batch);
}

/* An error has a status and a text that are possible for this file. */
static void check_error(const struct io_spec *spec, enum io_status status, const struct io_error *error)
{
    FUZZ_CHECK(status == error->status);
    FUZZ_CHECK(status != IO_ERR_SYSTEM && status != IO_ERR_MEMORY);
    FUZZ_CHECK(status != IO_ERR_CORRUPT || !spec->verbatim);
    FUZZ_CHECK(memchr(error->text, 0, sizeof error->text) != NULL);
    if (status == IO_OK) FUZZ_CHECK(error->text[0] == 0);
    else FUZZ_CHECK(strncmp(error->text, FUZZ_PATH ": ", strlen(FUZZ_PATH ": ")) == 0);
}

static struct io_reader *begin(struct fuzz_bytes file, const struct io_spec *spec, struct fuzz_way way, struct io_error *error)
{
    struct io_reader *reader;
    fuzz_serve(file, way);
    error->status = IO_OK;
    error->text[0] = 0;
    memory_held.now = memory_held.most = 0;
    memory_held.watching = true;
    const enum io_status status = io_reader_open(&reader, FUZZ_PATH, spec, error);
    FUZZ_CHECK((status == IO_OK) == (reader != NULL));
    return reader;
}

/* memory: limit in bytes of the reader and the buffers for its keys, besides the chunks. */
static void end(struct io_reader *reader, struct fuzz_way way, size_t memory)
{
    io_reader_close(reader);
    memory_held.watching = false;
    FUZZ_CHECK(!served.open);
    FUZZ_CHECK(memory_held.now == 0);
    FUZZ_CHECK(memory_held.most <= memory + 2 * way.chunk);
}

void fuzz_read(struct fuzz_bytes file, const struct io_spec *spec, struct fuzz_way way, size_t memory, struct fuzz_keys *keys)
{
    struct io_reader *reader = begin(file, spec, way, &keys->error);
    keys->n = 0;
    keys->finished = true;
    keys->status = keys->error.status;
    if (reader != NULL) read_keys(reader, way.room, keys);
    end(reader, way, memory + way.room * sizeof(uint64_t));
    check_error(spec, keys->status, &keys->error);
}

void fuzz_agree(const struct fuzz_keys *a, const struct fuzz_keys *b)
{
    const size_t both = a->n < b->n ? a->n : b->n;
    FUZZ_CHECK(memcmp(a->keys, b->keys, both * sizeof a->keys[0]) == 0);
    if (!a->finished || !b->finished) return;
    FUZZ_CHECK((a->status == IO_OK) == (b->status == IO_OK));
    if (a->status == IO_OK) FUZZ_CHECK(a->n == b->n);
}

void fuzz_expect(const struct fuzz_keys *read, const struct fuzz_keys *expected)
{
    fuzz_agree(read, expected);
    FUZZ_CHECK(read->n <= expected->n);
}

void fuzz_read_twice(struct fuzz_bytes file, const struct io_spec *spec, uint8_t first, uint8_t second, size_t memory,
                     struct fuzz_keys *keys)
{
    static struct fuzz_keys other;
    fuzz_read(file, spec, fuzz_way_of(first), memory, &other);
    fuzz_read(file, spec, fuzz_way_of(second), memory, keys);
    fuzz_agree(&other, keys);
    if (!other.finished || !keys->finished) return;
    FUZZ_CHECK(strcmp(other.error.text, keys->error.text) == 0);
    FUZZ_CHECK(other.status == keys->status);
}

/* ---- Keys that are bytes -------------------------------------------------------------------- */

bool fuzz_add_text(struct fuzz_texts *texts, const void *bytes, size_t length)
{
    if (texts->n == FUZZ_KEYS_MOST || length > FUZZ_TEXT_MOST - texts->bytes) return false;
    if (length > 0) memcpy(texts->text + texts->bytes, bytes, length);
    texts->bytes += length;
    texts->ends[texts->n++] = texts->bytes;
    return true;
}

/* Doubles the room for bytes, in new memory. */
static void grow(struct io_strings *strings)
{
    uint8_t *bytes = (uint8_t *)malloc(2 * strings->bytes_room);
    FUZZ_CHECK(bytes != NULL);
    FUZZ_CHECK(strings->begun + 2 > strings->bytes_room);
    memcpy(bytes, strings->bytes, strings->begun);
    free(strings->bytes);
    strings->bytes = bytes;
    strings->bytes_room *= 2;
}

static void read_strings(struct io_reader *reader, size_t room, struct fuzz_texts *texts)
{
    struct io_strings strings = {malloc((room + 1) * sizeof(uint64_t)), room, malloc(room + 1), room + 1, 0, 0};
    FUZZ_CHECK(strings.offsets != NULL && strings.bytes != NULL);
    for (bool more = true; more;) {
        texts->status = io_reader_next_strings(reader, &strings, &texts->error);
        check_position(reader);
        more = texts->status == IO_OK && (strings.n > 0 || strings.begun > 0);
        if (more && strings.n == 0) grow(&strings);
        FUZZ_CHECK(texts->status != IO_OK || (strings.n <= room && strings.offsets[0] == 0));
        for (size_t i = 0; texts->status == IO_OK && i < strings.n; i++)
            if (!fuzz_add_text(texts, strings.bytes + strings.offsets[i], (size_t)(strings.offsets[i + 1] - strings.offsets[i])))
                more = texts->finished = false;
    }
    if (texts->finished && texts->status == IO_OK) {
        FUZZ_CHECK(io_reader_next_strings(reader, &strings, &texts->error) == IO_OK);
        FUZZ_CHECK(strings.n == 0 && strings.begun == 0 && served.left.n == 0);
    }
    free(strings.offsets);
    free(strings.bytes);
}

static void read_widths(struct io_reader *reader, size_t room, struct fuzz_texts *texts)
{
    const size_t bytes = io_reader_key_bytes(reader);
    uint8_t *batch = malloc(room * bytes);
    FUZZ_CHECK(batch != NULL);
    for (size_t n = room; texts->finished && texts->status == IO_OK && n > 0;) {
        texts->status = io_reader_next(reader, batch, room, &n, &texts->error);
        FUZZ_CHECK(n <= room);
        check_position(reader);
        for (size_t i = 0; texts->status == IO_OK && i < n; i++)
            if (!fuzz_add_text(texts, batch + i * bytes, bytes)) texts->finished = false;
    }
    free(batch);
}

static void read_texts(struct fuzz_bytes file, const struct io_spec *spec, struct fuzz_way way, size_t memory,
                       struct fuzz_texts *texts)
{
    struct io_reader *reader = begin(file, spec, way, &texts->error);
    texts->n = texts->bytes = 0;
    texts->finished = true;
    texts->status = texts->error.status;
    size_t keys = 0;
    if (reader != NULL && io_reader_key_type(reader) == IO_STRING) {
        read_strings(reader, way.room, texts);
        keys = (way.room + 1) * (sizeof(uint64_t) + 1) + 6 * file.n;
    } else if (reader != NULL) {
        read_widths(reader, way.room, texts);
        keys = way.room * spec->key_bytes;
    }
    end(reader, way, memory + keys);
    check_error(spec, texts->status, &texts->error);
}

void fuzz_agree_texts(const struct fuzz_texts *a, const struct fuzz_texts *b)
{
    const size_t both = a->n < b->n ? a->n : b->n;
    FUZZ_CHECK(memcmp(a->ends, b->ends, both * sizeof a->ends[0]) == 0);
    FUZZ_CHECK(both == 0 || memcmp(a->text, b->text, a->ends[both - 1]) == 0);
    if (!a->finished || !b->finished) return;
    FUZZ_CHECK((a->status == IO_OK) == (b->status == IO_OK));
    if (a->status == IO_OK) FUZZ_CHECK(a->n == b->n);
}

void fuzz_read_texts_twice(struct fuzz_bytes file, const struct io_spec *spec, uint8_t first, uint8_t second, size_t memory,
                           struct fuzz_texts *texts)
{
    static struct fuzz_texts other;
    read_texts(file, spec, fuzz_way_of(first), memory, &other);
    read_texts(file, spec, fuzz_way_of(second), memory, texts);
    fuzz_agree_texts(&other, texts);
    if (!other.finished || !texts->finished) return;
    FUZZ_CHECK(strcmp(other.error.text, texts->error.text) == 0);
    FUZZ_CHECK(other.status == texts->status);
}
