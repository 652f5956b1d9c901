/* A file of keys for the tests of the readers. */
#include "support/key_files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bzlib.h>
#include <cmocka.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

static const size_t batches[] = {1, 2, 3, 7, 64, 1000, 1 << 17};

char key_file_path[64];

/* ---- Writing files --------------------------------------------------------------------------- */

int make_path(void **state)
{
    (void)state;
    strcpy(key_file_path, "/tmp/roost-test-io-XXXXXX");
    const int descriptor = mkstemp(key_file_path);
    if (descriptor < 0) return -1;
    return close(descriptor);
}

int remove_path(void **state)
{
    (void)state;
    return unlink(key_file_path);
}

static void write_mode(const char *mode, const void *bytes, size_t n)
{
    FILE *file = fopen(key_file_path, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

void write_file(const void *bytes, size_t n) { write_mode("wb", bytes, n); }

void append_file(const void *bytes, size_t n) { write_mode("ab", bytes, n); }

void write_text(const char *text) { write_file(text, strlen(text)); }

void write_gz(const char *mode, const void *bytes, size_t n)
{
    gzFile file = gzopen(key_file_path, mode);
    assert_non_null(file);
    if (n > 0) assert_int_equal(gzwrite(file, bytes, (unsigned)n), n);
    assert_int_equal(gzclose(file), Z_OK);
}

void write_gz_file(const void *bytes, size_t n) { write_gz("wb", bytes, n); }

void append_zst(const void *bytes, size_t n)
{
    const size_t room = ZSTD_compressBound(n);
    void *frame = malloc(room);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(frame);
    assert_non_null(context);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t length = ZSTD_compress2(context, frame, room, bytes, n);
    assert_false(ZSTD_isError(length));
    append_file(frame, length);
    ZSTD_freeCCtx(context);
    free(frame);
}

void write_zst(const void *bytes, size_t n)
{
    write_file("", 0);
    append_zst(bytes, n);
}

void append_bz2(const void *bytes, size_t n)
{
    unsigned length = (unsigned)n + (unsigned)n / 50 + 1000;
    char *stream = (char *)malloc(length);
    assert_non_null(stream);
    const int blocks = 1, silent = 0, work = 0;
    assert_int_equal(BZ2_bzBuffToBuffCompress(stream, &length, (char *)bytes, (unsigned)n, blocks, silent, work), BZ_OK);
    append_file(stream, length);
    free(stream);
}

void write_bz2(const void *bytes, size_t n)
{
    write_file("", 0);
    append_bz2(bytes, n);
}

void append_xz(const void *bytes, size_t n)
{
    const size_t room = lzma_stream_buffer_bound(n);
    uint8_t *stream = (uint8_t *)malloc(room);
    size_t length = 0;
    assert_non_null(stream);
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, (const uint8_t *)bytes, n, stream, &length, room), LZMA_OK);
    append_file(stream, length);
    free(stream);
}

void write_xz(const void *bytes, size_t n)
{
    write_file("", 0);
    append_xz(bytes, n);
}

size_t file_length(void)
{
    FILE *file = fopen(key_file_path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    fclose(file);
    return (size_t)length;
}

/* ---- Reading them ---------------------------------------------------------------------------- */

struct io_error key_file_error;
struct io_left_out key_file_left_out;

static void keys_add(struct keys *keys, const void *batch, size_t n, size_t bytes)
{
    if (keys->n + n > keys->room) {
        keys->room = 2 * (keys->n + n);
        keys->keys = (uint64_t *)realloc(keys->keys, keys->room * sizeof *keys->keys);
        assert_non_null(keys->keys);
    }
    for (size_t i = 0; i < n; i++) keys->keys[keys->n++] = bytes == 4 ? ((const uint32_t *)batch)[i] : ((const uint64_t *)batch)[i];
}

static enum io_status open_key_file(struct io_reader **reader, const struct io_spec *spec)
{
    memset(&key_file_error, 0, sizeof key_file_error);
    const enum io_status status = io_reader_open(reader, key_file_path, spec, &key_file_error);
    if (status != IO_OK) assert_null(*reader);
    return status;
}

static void keep_left_out(const struct io_reader *reader)
{
    static char first[512];
    io_reader_left_out(reader, &key_file_left_out);
    snprintf(first, sizeof first, "%s", key_file_left_out.first);
    key_file_left_out.first = first;
}

enum io_status read_keys(const struct io_spec *spec, size_t room, struct keys *keys)
{
    struct io_reader *reader;
    memset(keys, 0, sizeof *keys);
    enum io_status status = open_key_file(&reader, spec);
    if (status != IO_OK) return status;
    keys->type = io_reader_key_type(reader);
    const size_t bytes = io_reader_key_bytes(reader);
    void *batch = malloc(room * bytes);
    assert_non_null(batch);
    size_t n = 1;
    while (n > 0 && (status = io_reader_next(reader, batch, room, &n, &key_file_error)) == IO_OK) keys_add(keys, batch, n, bytes);
    if (status == IO_OK) {
        assert_int_equal(io_reader_next(reader, batch, room, &n, &key_file_error), IO_OK);
        assert_int_equal(n, 0);
        uint64_t length;
        assert_int_equal(io_reader_position(reader, &length), file_length());
        keep_left_out(reader);
    }
    free(batch);
    io_reader_close(reader);
    return status;
}

void expect_keys(const struct io_spec *spec, const uint64_t *expected, size_t n)
{
    for (size_t b = 0; b < COUNT_OF(batches); b++) {
        if (n / batches[b] > 100000) continue;
        struct keys keys;
        const enum io_status status = read_keys(spec, batches[b], &keys);
        assert_string_equal(key_file_error.text, "");
        assert_int_equal(status, IO_OK);
        assert_int_equal(keys.n, n);
        if (n > 0) assert_memory_equal(keys.keys, expected, n * sizeof *expected);
        free(keys.keys);
    }
}

static void texts_add(struct texts *texts, const void *bytes, size_t length)
{
    const size_t before = texts->n > 0 ? texts->ends[texts->n - 1] : 0;
    if (texts->n == texts->room) {
        texts->room = 2 * texts->n + 16;
        texts->ends = (size_t *)realloc(texts->ends, texts->room * sizeof *texts->ends);
        assert_non_null(texts->ends);
    }
    if (before + length >= texts->bytes_room) {
        texts->bytes_room = 2 * (before + length) + 16;
        texts->bytes = (char *)realloc(texts->bytes, texts->bytes_room);
        assert_non_null(texts->bytes);
    }
    memcpy(texts->bytes + before, bytes, length);
    texts->ends[texts->n++] = before + length;
}

/* Reads the next strings. A string longer than the buffer makes the buffer grow by one byte. The
 * buffer is a block of its own, so that the sanitizer sees an access beyond it. */
static enum io_status next_strings(struct io_reader *reader, struct io_strings *strings)
{
    for (;;) {
        const enum io_status status = io_reader_next_strings(reader, strings, &key_file_error);
        if (status != IO_OK || strings->n > 0 || strings->begun == 0) return status;
        assert_true(strings->begun + 2 > strings->bytes_room);
        uint8_t *larger = (uint8_t *)malloc(strings->bytes_room + 1);
        assert_non_null(larger);
        memcpy(larger, strings->bytes, strings->bytes_room);
        free(strings->bytes);
        strings->bytes = larger;
        strings->bytes_room++;
    }
}

static enum io_status read_strings(struct io_reader *reader, size_t room, size_t bytes_room, struct texts *texts)
{
    struct io_strings strings = {
        (uint64_t *)malloc((room + 1) * sizeof(uint64_t)), room, (uint8_t *)malloc(bytes_room), bytes_room, 0, 0};
    assert_non_null(strings.offsets);
    assert_non_null(strings.bytes);
    enum io_status status;
    while ((status = next_strings(reader, &strings)) == IO_OK && strings.n > 0) {
        assert_true(strings.n <= room && strings.offsets[0] == 0 &&
                    strings.offsets[strings.n] + strings.begun <= strings.bytes_room);
        for (size_t i = 0; i < strings.n; i++)
            texts_add(texts, strings.bytes + strings.offsets[i], (size_t)(strings.offsets[i + 1] - strings.offsets[i]));
    }
    free(strings.offsets);
    free(strings.bytes);
    return status;
}

static enum io_status read_widths(struct io_reader *reader, size_t room, struct texts *texts)
{
    const size_t bytes = io_reader_key_bytes(reader);
    char *batch = (char *)malloc(room * bytes);
    assert_non_null(batch);
    enum io_status status;
    size_t n;
    while ((status = io_reader_next(reader, batch, room, &n, &key_file_error)) == IO_OK && n > 0)
        for (size_t i = 0; i < n; i++) texts_add(texts, batch + i * bytes, bytes);
    free(batch);
    return status;
}

enum io_status read_texts(const struct io_spec *spec, size_t room, size_t bytes_room, struct texts *texts)
{
    struct io_reader *reader;
    memset(texts, 0, sizeof *texts);
    enum io_status status = open_key_file(&reader, spec);
    if (status != IO_OK) return status;
    if (io_reader_key_type(reader) == IO_STRING) status = read_strings(reader, room, bytes_room, texts);
    else status = read_widths(reader, room, texts);
    io_reader_close(reader);
    return status;
}

static void free_texts(struct texts *texts)
{
    free(texts->bytes);
    free(texts->ends);
}

void expect_texts(const struct io_spec *spec, const struct text *expected, size_t n)
{
    static const size_t rooms[] = {2, 3, 5, 17, 4096};
    for (size_t b = 0; b < COUNT_OF(batches) * COUNT_OF(rooms); b++) {
        struct texts texts;
        const enum io_status status = read_texts(spec, batches[b % COUNT_OF(batches)], rooms[b / COUNT_OF(batches)], &texts);
        assert_string_equal(key_file_error.text, "");
        assert_int_equal(status, IO_OK);
        assert_int_equal(texts.n, n);
        for (size_t i = 0, from = 0; i < n; from = texts.ends[i++]) {
            assert_int_equal(texts.ends[i] - from, expected[i].length);
            assert_memory_equal(texts.bytes + from, expected[i].at, expected[i].length);
        }
        free_texts(&texts);
    }
}

static bool is_texts(const struct io_spec *spec)
{
    if (spec->layout == IO_COLUMN) return spec->field == IO_FIELD_STRING || spec->field == IO_FIELD_BYTES;
    if (spec->layout == IO_FASTA) return spec->kmer > IO_KMER_MAX_U64;
    return spec->layout == IO_WORDS || (spec->layout == IO_RAW && spec->raw == IO_BYTES);
}

void expect_error_at(const struct io_spec *spec, size_t room, enum io_status expected, const char *part)
{
    enum io_status status;
    if (is_texts(spec)) {
        struct texts texts;
        status = read_texts(spec, room, 1 + room, &texts);
        free_texts(&texts);
    } else {
        struct keys keys;
        status = read_keys(spec, room, &keys);
        free(keys.keys);
    }
    if (status != expected || strstr(key_file_error.text, part) == NULL)
        fail_msg("status %d, not %d, or no \"%s\" in \"%s\"", status, expected, part, key_file_error.text);
    assert_int_equal(key_file_error.status, status);
    assert_int_equal(strncmp(key_file_error.text, key_file_path, strlen(key_file_path)), 0);
}

void expect_error(const struct io_spec *spec, enum io_status expected, const char *part)
{
    for (size_t b = 0; b < COUNT_OF(batches); b++) expect_error_at(spec, batches[b], expected, part);
}

struct io_spec raw_spec(enum io_key_type type, bool big_endian)
{
    struct io_spec spec = {.layout = IO_RAW};
    spec.raw = type;
    spec.big_endian = big_endian;
    return spec;
}

struct io_spec bytes_spec(size_t bytes)
{
    struct io_spec spec = {.layout = IO_RAW};
    spec.raw = IO_BYTES;
    spec.key_bytes = bytes;
    return spec;
}

struct io_spec words_spec(void) { return (struct io_spec){.layout = IO_WORDS}; }

struct io_spec kmer_spec(unsigned kmer)
{
    struct io_spec spec = {.layout = IO_FASTA};
    spec.kmer = kmer;
    return spec;
}

struct io_spec column_spec(uint64_t column, enum io_field field)
{
    struct io_spec spec = {.layout = IO_COLUMN};
    spec.column = column;
    spec.field = field;
    return spec;
}
