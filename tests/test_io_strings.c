/* The keys that the readers get where keys are no integers: words, columns of strings, and bytes
 * of a width.  Hand-made files, and files that the test splits itself, in batches from 1 key and
 * 2 bytes up.  Then wrong and hostile files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/draw.h"
#include "support/key_files.h"

static struct dice dice = {1};

/* ---- Words ---------------------------------------------------------------------------------- */

static void words_stand_between_white_space(void **state)
{
    (void)state;
    const struct io_spec spec = words_spec();
    static const struct text words[] = {TEXT("to"), TEXT("be,"), TEXT("\xc3\xa0"), TEXT("\xff\x1f"), TEXT("to")};
    static const char *const texts[] = {
        "to be, \xc3\xa0 \xff\x1f to",
        "\n\n\t to\vbe,\f\xc3\xa0\r\n\xff\x1f \tto \r\n",
        "  to  be,  \xc3\xa0  \xff\x1f  to  ",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        write_text(texts[i]);
        expect_texts(&spec, words, COUNT_OF(words));
    }
    static const char zeros[] = "\0 a\0b";
    static const struct text with_zeros[] = {TEXT("\0"), TEXT("a\0b")};
    write_file(zeros, sizeof zeros - 1);
    expect_texts(&spec, with_zeros, 2);
    write_file("", 0);
    expect_texts(&spec, NULL, 0);
    write_text(" \n\t\r\v\f");
    expect_texts(&spec, NULL, 0);
}

/* Random texts longer than a chunk, as are some of the words.  strtok cuts the expected words. */
static void words_agree_with_strtok(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 19 };
    const struct io_spec spec = words_spec();
    char *text = (char *)malloc(LENGTH + 1);
    assert_non_null(text);
    for (int round = 0; round < 3; round++) {
        const uint64_t run = round == 0 ? 3 : round == 1 ? 300 : 200000;
        for (size_t i = 0; i < LENGTH; i++)
            text[i] = draw(&dice) % run == 0 ? " \t\n\v\f\r"[draw(&dice) % 6] : (char)(33 + draw(&dice) % 90);
        text[LENGTH] = 0;
        write_gz_file(text, LENGTH);
        struct texts read;
        assert_int_equal(read_texts(&spec, 1 + draw(&dice) % 5000, round == 2 ? 100000 : 500 + draw(&dice) % 9999, &read), IO_OK);
        size_t n = 0, from = 0;
        for (char *word = strtok(text, " \t\n\v\f\r"); word != NULL; word = strtok(NULL, " \t\n\v\f\r")) {
            assert_true(n < read.n);
            assert_int_equal(read.ends[n] - from, strlen(word));
            assert_memory_equal(read.bytes + from, word, strlen(word));
            from = read.ends[n++];
        }
        assert_int_equal(n, read.n);
        free(read.bytes);
        free(read.ends);
    }
    free(text);
}

/* ---- Columns -------------------------------------------------------------------------------- */

static void columns_of_strings(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(2, IO_FIELD_STRING);
    static const struct text tsv[] = {TEXT("one"), TEXT(""), TEXT("a \"b\""), TEXT("c\rd\r"), TEXT("last")};
    write_text("x\tone\r\nx\t\tmore\nx\ta \"b\"\t\nx\tc\rd\r\r\n\tlast");
    expect_texts(&spec, tsv, COUNT_OF(tsv));
    static const struct text csv[] = {TEXT("one"), TEXT(""), TEXT("a, \"b\"\r\nc"), TEXT(""), TEXT("last")};
    write_text("\xef\xbb\xbfx,one\r\nx,,more\nx,\"a, \"\"b\"\"\r\nc\"\nx,\"\"\r\n,\"last\"\r");
    expect_texts(&spec, csv, COUNT_OF(csv));
    static const struct text alone[] = {TEXT(""), TEXT("a"), TEXT(""), TEXT("")};
    spec = column_spec(1, IO_FIELD_STRING);
    write_text("\na\n\r\n\r");
    expect_texts(&spec, alone, COUNT_OF(alone));
    spec = column_spec(0, IO_FIELD_STRING);
    spec.name = "key";
    static const struct text named[] = {TEXT("1"), TEXT("22")};
    write_text("a,\"key\"\n0,1\n0,22\n");
    expect_texts(&spec, named, COUNT_OF(named));
    write_file("", 0);
    expect_error(&spec, IO_ERR_FORMAT, "no header line");
    spec.name = "missing";
    write_text("a,\"key\"\n0,1\n");
    expect_error(&spec, IO_ERR_COLUMN, "no column 'missing'");
}

static void wrong_columns_of_strings(void **state)
{
    (void)state;
    const struct io_spec spec = column_spec(2, IO_FIELD_STRING);
    write_text("a,b\nc\n");
    expect_error(&spec, IO_ERR_COLUMN, "line 2: no column 2");
    write_text("a,b\nc,\"d");
    expect_error(&spec, IO_ERR_FORMAT, "line 2: a quoted field is never closed");
    write_text("a,b\nc,\"d\"e\n");
    expect_error(&spec, IO_ERR_FORMAT, "line 2: text after a closing quote");
    write_text("a,b\nc,\"d\"\re\n");
    expect_error(&spec, IO_ERR_FORMAT, "line 2: text after a closing quote");
}

static void columns_of_a_width(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(2, IO_FIELD_BYTES);
    spec.key_bytes = 3;
    static const struct text keys[] = {TEXT("abc"), TEXT("d,\n"), TEXT("\"\"\"")};
    write_text("x,abc\nx,\"d,\n\"\r\nx,\"\"\"\"\"\"\"\"");
    expect_texts(&spec, keys, COUNT_OF(keys));
    write_text("x,abc\nx,ab\n");
    expect_error(&spec, IO_ERR_VALUE, "line 2: column 2: 'ab' has 2 bytes, not 3");
    write_text("x,abc\nx,\n");
    expect_error(&spec, IO_ERR_VALUE, "line 2: column 2: '' has 0 bytes, not 3");
    write_text("x,abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz\n");
    expect_error(&spec, IO_ERR_VALUE, "line 1: column 2: 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn...' has 52 bytes, not 3");
    spec.key_bytes = 0;
    expect_error(&spec, IO_ERR_ARGUMENT, "1 to 128 bytes, not 0");
}

/* ---- Bytes of a width ----------------------------------------------------------------------- */

static void raw_bytes_of_every_width(void **state)
{
    (void)state;
    enum { KEYS = 41 };
    static uint8_t bytes[KEYS * IO_KEY_BYTES_MAX];
    struct text keys[KEYS];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)draw(&dice);
    for (size_t width = 1; width <= IO_KEY_BYTES_MAX; width++) {
        const struct io_spec spec = bytes_spec(width);
        for (size_t i = 0; i < KEYS; i++) keys[i] = (struct text){(const char *)bytes + i * width, width};
        write_file(bytes, KEYS * width);
        expect_texts(&spec, keys, KEYS);
        if (width == 1) continue;
        write_file(bytes, KEYS * width - 1);
        expect_error(&spec, IO_ERR_TRUNCATED, "its length is not a multiple of");
    }
    struct io_spec spec = bytes_spec(0);
    expect_error(&spec, IO_ERR_ARGUMENT, "keys have 1 to 128 bytes, not 0");
    spec = bytes_spec(129);
    expect_error(&spec, IO_ERR_ARGUMENT, "keys have 1 to 128 bytes, not 129");
}

/* ---- All of them ---------------------------------------------------------------------------- */

static void each_call_has_its_keys(void **state)
{
    (void)state;
    struct io_reader *reader;
    struct io_spec spec = words_spec();
    uint64_t room[2];
    uint8_t bytes[2];
    size_t n;
    struct io_strings strings = {room, 1, bytes, sizeof bytes, 0, 0};
    write_text("word");
    assert_int_equal(io_reader_open(&reader, key_file_path, &spec, &key_file_error), IO_OK);
    assert_int_equal(io_reader_key_bytes(reader), 0);
    assert_int_equal(io_reader_next(reader, room, 1, &n, &key_file_error), IO_ERR_ARGUMENT);
    assert_non_null(strstr(key_file_error.text, "its keys are strings"));
    io_reader_close(reader);
    spec = bytes_spec(4);
    assert_int_equal(io_reader_open(&reader, key_file_path, &spec, &key_file_error), IO_OK);
    assert_int_equal(io_reader_next_strings(reader, &strings, &key_file_error), IO_ERR_ARGUMENT);
    assert_non_null(strstr(key_file_error.text, "its keys are not strings"));
    io_reader_close(reader);
}

static void random_files_end_somehow(void **state)
{
    (void)state;
    struct io_spec named = column_spec(0, IO_FIELD_STRING), width = column_spec(1, IO_FIELD_BYTES);
    named.name = "1";
    width.key_bytes = 2;
    const struct io_spec specs[] = {words_spec(), column_spec(1, IO_FIELD_STRING), column_spec(2, IO_FIELD_STRING), named, width,
                                    bytes_spec(3)};
    static const char alphabet[] = "01,\t\"\n\r \v";
    for (int round = 0; round < 3000; round++) {
        uint8_t bytes[256];
        const size_t n = draw(&dice) % sizeof bytes;
        for (size_t i = 0; i < n; i++)
            bytes[i] = draw(&dice) % 30 == 0 ? (uint8_t)draw(&dice) : (uint8_t)alphabet[draw(&dice) % (sizeof alphabet - 1)];
        write_file(bytes, n);
        for (size_t s = 0; s < COUNT_OF(specs); s++) {
            struct texts texts;
            const enum io_status status = read_texts(&specs[s], 1 + draw(&dice) % 9, 2 + draw(&dice) % 20, &texts);
            assert_true((status == IO_OK) == (key_file_error.text[0] == 0));
            free(texts.bytes);
            free(texts.ends);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_stand_between_white_space),
        cmocka_unit_test(words_agree_with_strtok),
        cmocka_unit_test(columns_of_strings),
        cmocka_unit_test(wrong_columns_of_strings),
        cmocka_unit_test(columns_of_a_width),
        cmocka_unit_test(raw_bytes_of_every_width),
        cmocka_unit_test(each_call_has_its_keys),
        cmocka_unit_test(random_files_end_somehow),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
