/* The readers of key files, with any layout: every compression, truncated and damaged files,
 * files that cannot be read, and files of random bytes.  test_io_layouts.c has the layouts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zstd.h>

#include "support/draw.h"
#include "support/key_files.h"

static struct dice dice = {1};

/* ---- Compression ---------------------------------------------------------------------------- */

#define STREAM_KEYS 100003 /* a prime, and more than a chunk */

static uint32_t stream_words[STREAM_KEYS];
static uint64_t stream_keys[STREAM_KEYS];

static void fill_stream(void)
{
    for (size_t i = 0; i < STREAM_KEYS; i++) {
        const uint64_t key = i % 3 == 0 ? draw(&dice) & 0xffffffff : i;
        uint8_t *bytes = (uint8_t *)&stream_words[i];
        for (int b = 0; b < 4; b++) bytes[b] = (uint8_t)(key >> 8 * b);
        stream_keys[i] = key;
    }
}

static void compressions_deliver_the_same_bytes(void **state)
{
    (void)state;
    const struct io_spec spec = raw_spec(IO_U32, false);
    const uint8_t *bytes = (const uint8_t *)stream_words;
    const size_t n = sizeof stream_words;
    fill_stream();
    write_file(bytes, n);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    write_gz("wb9", bytes, n);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    write_zst(bytes, n);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    write_bz2(bytes, n);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    write_xz(bytes, n);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    /* Several members and frames, cut inside a key, with empty ones between. */
    write_gz("wb", bytes, 1001);
    write_gz("ab", bytes, 0);
    write_gz("ab", bytes + 1001, n - 1001);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    static const uint8_t skippable[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'};
    write_file(skippable, sizeof skippable);
    append_zst(bytes, 1001);
    append_zst(bytes, 0);
    append_file(skippable, sizeof skippable);
    append_zst(bytes + 1001, n - 1001);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    write_bz2(bytes, 1001);
    append_bz2(bytes, 0);
    append_bz2(bytes + 1001, n - 1001);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
    static const uint8_t padding[8];
    write_xz(bytes, 1001);
    append_file(padding, sizeof padding);
    append_xz(bytes, 0);
    append_xz(bytes + 1001, n - 1001);
    append_file(padding, 4);
    expect_keys(&spec, stream_keys, STREAM_KEYS);
}

static void compressed_emptiness_is_empty(void **state)
{
    (void)state;
    const struct io_spec spec = raw_spec(IO_U64, false);
    write_file("", 0);
    expect_keys(&spec, NULL, 0);
    write_gz("wb", "", 0);
    expect_keys(&spec, NULL, 0);
    write_zst("", 0);
    expect_keys(&spec, NULL, 0);
    write_bz2("", 0);
    expect_keys(&spec, NULL, 0);
    write_xz("", 0);
    expect_keys(&spec, NULL, 0);
}

/* Cuts the file that `write` makes after every number of bytes; each must be refused, except
 * where nothing is left. */
static void refuse_every_cut(void (*write)(const void *, size_t), const struct io_spec *spec)
{
    uint8_t whole[4096];
    write(stream_words, 400);
    const size_t length = file_length();
    assert_true(length < sizeof whole);
    FILE *file = fopen(key_file_path, "rb");
    assert_int_equal(fread(whole, 1, length, file), length);
    fclose(file);
    /* From 4 bytes on the magic is complete.  Fewer bytes are a file of any kind. */
    for (size_t cut = 4; cut < length; cut++) {
        write_file(whole, cut);
        expect_error_at(spec, 1 + cut % 99, IO_ERR_TRUNCATED, "truncated");
    }
    /* The reader reports any single damaged byte behind the header, by the checksum at the
     * latest. */
    for (size_t at = 10; at < length; at++) {
        whole[at] ^= 0x41;
        write_file(whole, length);
        struct keys keys;
        assert_int_not_equal(read_keys(spec, 1000, &keys), IO_OK);
        free(keys.keys);
        whole[at] ^= 0x41;
    }
    write_file(whole, length);
}

/* Bytes behind gzip and bzip2 data that begin no member, as many as a member's head or fewer, or
 * more than a chunk, are left out and counted. */
static void what_follows_is_left_out(void (*write)(const void *, size_t), const char *head)
{
    static char rest[300000];
    const struct io_spec spec = raw_spec(IO_U32, false);
    static const size_t lengths[] = {1, 2, 8, 1000, sizeof rest};
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        for (size_t same = 0; same < strlen(head) && same < lengths[i]; same++) {
            memset(rest, '?', sizeof rest);
            memcpy(rest, head, same);
            write(stream_words, 400);
            append_file(rest, lengths[i]);
            expect_keys(&spec, stream_keys, 100);
            assert_int_equal(key_file_left_out.bytes, lengths[i]);
        }
    }
    write(stream_words, 400);
    expect_keys(&spec, stream_keys, 100);
    assert_int_equal(key_file_left_out.bytes, 0);
}

static void rests_behind_compressed_data(void **state)
{
    (void)state;
    const struct io_spec spec = raw_spec(IO_U32, false);
    fill_stream();
    what_follows_is_left_out(write_gz_file, "\x1f\x8b");
    what_follows_is_left_out(write_bz2, "BZh");
    write_zst(stream_words, 400);
    append_file("garbage!", 8);
    expect_error(&spec, IO_ERR_CORRUPT, "complete, but followed by 8 bytes of something else");
    write_xz(stream_words, 400);
    append_file("garbage!", 8);
    expect_error(&spec, IO_ERR_CORRUPT, "complete, but followed by 8 bytes of something else");
}

/* Zeros after a member are padding, between members and at the end. */
static void padding_of_gzip_is_skipped(void **state)
{
    (void)state;
    static const uint8_t zeros[300000];
    const struct io_spec spec = raw_spec(IO_U32, false);
    fill_stream();
    for (size_t n = 1; n <= sizeof zeros; n = 7 * n + 1) {
        write_gz("wb", stream_words, 1000);
        append_file(zeros, n);
        expect_keys(&spec, stream_keys, 250);
        write_gz("ab", (const uint8_t *)stream_words + 1000, 1000);
        expect_keys(&spec, stream_keys, 500);
        append_file(zeros, n);
        append_file("x", 1);
        expect_keys(&spec, stream_keys, 500);
        assert_int_equal(key_file_left_out.bytes, 1);
    }
}

static void truncated_and_damaged_compression_is_refused(void **state)
{
    (void)state;
    const struct io_spec spec = raw_spec(IO_U32, false);
    fill_stream();
    refuse_every_cut(write_gz_file, &spec);
    refuse_every_cut(write_zst, &spec);
    refuse_every_cut(write_bz2, &spec);
    refuse_every_cut(write_xz, &spec);
}

/* A frame made by hand: a window of 2^log bytes and one raw block of 4 bytes. */
static void write_frame_with_window(unsigned log)
{
    const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (uint8_t)((log - 10) << 3), 0x21, 0, 0, 7, 0, 0, 0};
    write_file(frame, sizeof frame);
}

static void wide_windows_are_read(void **state)
{
    (void)state;
    static const uint64_t seven[] = {7};
    const struct io_spec spec = raw_spec(IO_U32, false);
    for (unsigned log = 10; log <= 29; log++) {
        struct keys keys;
        write_frame_with_window(log);
        assert_int_equal(read_keys(&spec, 10, &keys), IO_OK);
        assert_int_equal(keys.n, 1);
        assert_memory_equal(keys.keys, seven, sizeof seven);
        free(keys.keys);
    }
    write_frame_with_window(33);
    expect_error(&spec, IO_ERR_CORRUPT, "damaged");
}

/* A frame of version 0.7 that holds one key.  libzstd may be able to read it, but not within the
 * limits of the readers. */
static void old_frames_are_refused(void **state)
{
    (void)state;
    static const uint8_t old[] = {0x27, 0xb5, 0x2f, 0xfd, 0, 0, 0x40, 0, 4, 7, 0, 0, 0, 0xc0, 0, 0};
    const struct io_spec spec = raw_spec(IO_U32, false);
    write_frame_with_window(10);
    append_file(old, sizeof old);
    expect_error(&spec, IO_ERR_CORRUPT, "damaged");
}

static void verbatim_reads_what_looks_compressed(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x1f, 0x8b, 0x08, 0x00, 0x28, 0xb5, 0x2f, 0xfd};
    static const uint64_t keys[] = {0x00088b1f, 0xfd2fb528};
    struct io_spec spec = raw_spec(IO_U32, false);
    write_file(bytes, sizeof bytes);
    expect_error(&spec, IO_ERR_TRUNCATED, "");
    spec.verbatim = true;
    expect_keys(&spec, keys, 2);
}

/* ---- Random files ---------------------------------------------------------------------------- */

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    struct io_reader *reader;
    const struct io_spec spec = raw_spec(IO_U32, false);
    assert_int_equal(io_reader_open(&reader, "/nowhere/at/all", &spec, &key_file_error), IO_ERR_SYSTEM);
    assert_null(reader);
    assert_non_null(strstr(key_file_error.text, "/nowhere/at/all: "));
    assert_int_equal(io_reader_open(&reader, "/", &spec, &key_file_error), IO_ERR_SYSTEM);
    assert_null(reader);
    io_reader_close(NULL);
}

/* Random bytes, mostly from each layout's own characters, give keys or an error. */
static void random_files_end_somehow(void **state)
{
    (void)state;
    static const char *const alphabets[] = {">ACGTNacgt\n\r", "0123456789,\t\"\n\rz", "{'descr<u8shape(1,)}: False_order"};
    struct io_spec named = column_spec(0, IO_BASE36);
    named.name = "1";
    const struct io_spec specs[] = {kmer_spec(2), column_spec(1, IO_DECIMAL_U64), column_spec(2, IO_BASE36),
                                    named,        raw_spec(IO_U64, true),         {.layout = IO_NPY}};
    static const char *const heads[] = {"", "\x1f\x8b\x08", "\x28\xb5\x2f\xfd", "\x93NUMPY\x01", "\xef\xbb\xbf"};
    for (int round = 0; round < 3000; round++) {
        uint8_t bytes[256];
        const size_t n = draw(&dice) % sizeof bytes;
        const char *alphabet = alphabets[draw(&dice) % COUNT_OF(alphabets)];
        for (size_t i = 0; i < n; i++)
            bytes[i] = draw(&dice) % 30 == 0 ? (uint8_t)draw(&dice) : (uint8_t)alphabet[draw(&dice) % strlen(alphabet)];
        write_text(heads[draw(&dice) % COUNT_OF(heads)]);
        append_file(bytes, n);
        for (size_t s = 0; s < COUNT_OF(specs); s++) {
            struct keys keys;
            const enum io_status status = read_keys(&specs[s], 1 + draw(&dice) % 9, &keys);
            assert_true((status == IO_OK) == (key_file_error.text[0] == 0));
            free(keys.keys);
        }
    }
}

static void statuses_have_words(void **state)
{
    (void)state;
#define CHECK_WORDS(name, number, text) assert_string_equal(io_status_string(name), text);
    IO_STATUS_LIST(CHECK_WORDS)
#undef CHECK_WORDS
    assert_non_null(io_status_string((enum io_status)999));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressions_deliver_the_same_bytes),
        cmocka_unit_test(compressed_emptiness_is_empty),
        cmocka_unit_test(padding_of_gzip_is_skipped),
        cmocka_unit_test(rests_behind_compressed_data),
        cmocka_unit_test(truncated_and_damaged_compression_is_refused),
        cmocka_unit_test(wide_windows_are_read),
        cmocka_unit_test(old_frames_are_refused),
        cmocka_unit_test(verbatim_reads_what_looks_compressed),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(random_files_end_somehow),
        cmocka_unit_test(statuses_have_words),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
