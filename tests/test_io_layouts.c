/* The keys that the readers get from FASTA, FASTQ, binary integers, .npy and block traces:
 * small hand-made files, and files whose keys the test computes itself, at batch sizes from 1
 * up.  Then wrong and hostile files. */
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

/* ---- FASTA ---------------------------------------------------------------------------------- */

/* The canonical k-mers of one record's letters, computed with strings.  Returns their number;
 * `keys` must have room. */
static size_t naive_kmers(const char *letters, unsigned k, uint64_t *keys)
{
    size_t n = 0;
    for (size_t i = 0; i + k <= strlen(letters); i++) {
        uint64_t forward = 0;
        uint64_t reverse = 0;
        bool good = true;
        for (unsigned j = 0; j < k; j++) {
            const char *base = strchr("ACGTacgt", letters[i + j]);
            const char *opposite = strchr("TGCAtgca", letters[i + k - 1 - j]);
            good = good && base != NULL && opposite != NULL;
            if (!good) break;
            forward = forward * 4 + (uint64_t)(base - "ACGTacgt") % 4;
            /* A letter's index in "TGCA" is the code of its complement. */
            reverse = reverse * 4 + (uint64_t)(opposite - "TGCAtgca") % 4;
        }
        if (good) keys[n++] = forward < reverse ? forward : reverse;
    }
    return n;
}

static void kmers_of_small_records(void **state)
{
    (void)state;
    struct io_spec spec = kmer_spec(3);
    /* ACG=6 (its complement CGT=27), so CGT -> 6.  Over the end of a line; lower case; N breaks;
     * a record breaks; CR LF and lone CR. */
    static const uint64_t expected[] = {6, 6};
    write_text(">a\nACGT\n");
    expect_keys(&spec, expected, 2);
    write_text("\n\r\n>a b c\r\nac\r\n\r\ngT");
    expect_keys(&spec, expected, 2);
    write_text(">a\rACG\r>b\rAC\rG");
    expect_keys(&spec, expected, 2);
    write_text(">a\nACGNACG\n>b\nAC\n>c\n>d\nGT\n");
    expect_keys(&spec, expected, 2);
    /* a blank breaks too; '>' begins a header only at the beginning of a line */
    write_text(">a\nAC G\nA-C>G\n");
    expect_keys(&spec, NULL, 0);
    write_text(">only a header");
    expect_keys(&spec, NULL, 0);
    static const uint64_t ones[] = {0, 0, 1, 1, 0};
    spec = kmer_spec(1);
    write_text(">x\nATCGa\n");
    expect_keys(&spec, ones, 5);
}

static void kmers_agree_with_strings(void **state)
{
    (void)state;
    enum { LETTERS = 3000 };
    char letters[LETTERS + 1] = {0};
    char text[3 * LETTERS];
    uint64_t *expected = (uint64_t *)malloc(LETTERS * sizeof *expected);
    assert_non_null(expected);
    for (unsigned k = 1; k <= 32; k++) {
        size_t length = (size_t)sprintf(text, ">record %u\n", k);
        for (size_t i = 0; i < LETTERS; i++) {
            letters[i] = draw(&dice) % 200 == 0 ? "NnRX*-"[draw(&dice) % 6] : "ACGTacgt"[draw(&dice) % 8];
            text[length++] = letters[i];
            if (draw(&dice) % 60 == 0) length += (size_t)sprintf(text + length, "%s", draw(&dice) % 2 == 0 ? "\n" : "\r\n");
        }
        write_file(text, length);
        const struct io_spec spec = kmer_spec(k);
        expect_keys(&spec, expected, naive_kmers(letters, k, expected));
        struct keys keys;
        assert_int_equal(read_keys(&spec, 100, &keys), IO_OK);
        assert_int_equal(keys.type, k <= 16 ? IO_U32 : IO_U64);
        free(keys.keys);
    }
    free(expected);
}

static void palindromes_and_extremes(void **state)
{
    (void)state;
    static const uint64_t zeros[] = {0, 0};
    struct io_spec spec = kmer_spec(32);
    write_text(">t\nTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTTT\n"); /* 33 T: their complement is all A */
    expect_keys(&spec, zeros, 2);
    /* ACGT four times is its own reverse complement */
    static const uint64_t palindrome[] = {0x1b1b1b1b};
    spec = kmer_spec(16);
    write_text(">p\nACGTACGTACGTACGT\n");
    expect_keys(&spec, palindrome, 1);
}

static void other_than_fasta_is_refused(void **state)
{
    (void)state;
    struct io_spec spec = kmer_spec(21);
    write_file("", 0);
    expect_keys(&spec, NULL, 0);
    write_text("\n\n\n");
    expect_keys(&spec, NULL, 0);
    write_text("ACGT\n>late\nACGT\n");
    expect_error(&spec, IO_ERR_FORMAT, "not FASTA");
    write_text(">a\nACGT\n");
    spec.kmer = 0;
    expect_error(&spec, IO_ERR_ARGUMENT, "64");
    spec.kmer = 65;
    expect_error(&spec, IO_ERR_ARGUMENT, "64");
}

static void blanks_before_a_header(void **state)
{
    (void)state;
    const struct io_spec spec = kmer_spec(3);
    static const uint64_t expected[] = {6, 6};
    write_text(" \t>a\nACG\n\t>b ACG\n ACG");
    expect_keys(&spec, expected, 2);
    write_text("\xef\xbb\xbf\r\n\r\n  >a\nACGT\n");
    expect_keys(&spec, expected, 2);
    write_text(">a\n AC\n G\n AC\n\t\nG\n"); /* they break the window like other blanks */
    expect_keys(&spec, NULL, 0);
    write_text(" ACGT\n>late\nACGT\n");
    expect_error(&spec, IO_ERR_FORMAT, "not FASTA");
    static char blanks[300000]; /* more than a chunk */
    memset(blanks, ' ', sizeof blanks);
    write_file(blanks, sizeof blanks);
    expect_keys(&spec, NULL, 0);
    append_file(">a\nACGT\n", 8);
    expect_keys(&spec, expected, 2);
}

static void one_strand(void **state)
{
    (void)state;
    struct io_spec spec = kmer_spec(3);
    static const uint64_t expected[] = {27, 46}; /* CGT, GTG */
    spec.one_strand = true;
    write_text(">a\nCGTG\n");
    expect_keys(&spec, expected, 2);
}

/* Keys of 16 bytes, against strings. */
static void long_kmers_agree_with_strings(void **state)
{
    (void)state;
    enum { LETTERS = 300 };
    for (unsigned k = 33; k <= 64; k++) {
        char text[LETTERS + 8] = ">long\n";
        uint8_t bytes[LETTERS][16];
        struct text expected[LETTERS];
        char *const letters = text + strlen(text);
        const bool one = k % 3 == 0;
        for (size_t i = 0; i < LETTERS; i++) letters[i] = i == 100 ? 'N' : "ACGT"[draw(&dice) % 4];
        size_t n = 0;
        for (size_t i = 0; i + k <= LETTERS; i++) {
            char forward[65] = {0}, reverse[65] = {0};
            if (memchr(letters + i, 'N', k) != NULL) continue;
            memcpy(forward, letters + i, k);
            for (unsigned j = 0; j < k; j++) reverse[j] = "TGCA"[strchr("ACGT", forward[k - 1 - j]) - "ACGT"];
            const char *key = one || strcmp(forward, reverse) < 0 ? forward : reverse;
            memset(bytes[n], 0, 16);
            for (unsigned j = 0; j < k; j++) {
                const unsigned bit = 2 * (64 - k + j);
                bytes[n][bit / 8] |= (uint8_t)((unsigned)(strchr("ACGT", key[j]) - "ACGT") << (6 - bit % 8));
            }
            expected[n] = (struct text){(const char *)bytes[n], 16};
            n++;
        }
        struct io_spec spec = kmer_spec(k);
        spec.one_strand = one;
        write_text(text);
        expect_texts(&spec, expected, n);
    }
}

/* ---- FASTQ ---------------------------------------------------------------------------------- */

static void kmers_of_fastq(void **state)
{
    (void)state;
    const struct io_spec spec = kmer_spec(3);
    static const uint64_t expected[] = {6, 6};
    static const char *const texts[] = {
        "@a\nACGT\n+\nIIII\n",
        "@a\nACGT\n+a\nIIII",
        "@a b\r\nACGT\r\n+\r\n@III\r\n",
        "@a\rACGT\r+\r+III\r",
        "@a\nACG\n+\n@>+\n@b\nCGT\n+\n+++\n",
        "@a\nAC\nGT\n+\n@I\n@I\n",         /* of several lines */
        "@a\nAC\n\nG\nT\n+\nI\n\n+\n@I\n", /* cut elsewhere, and with blank lines */
        "@a\nACGT\n+\nI\n@\n+\n>",
        "\n\n @a\nACGNACG\n+\nIIIIIII\n\n\n@b\n\n+\n\n@c\nAC\n+\nII\n",
        "\xef\xbb\xbf@a\nACGT\n+\nIIII\n",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        write_text(texts[i]);
        expect_keys(&spec, expected, 2);
    }
    write_text("@only a header\n\n+\n");
    expect_keys(&spec, NULL, 0);
}

static void wrong_fastq_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum io_status status;
        const char *part;
    } cases[] = {
        {"@a\nACGT\n+\nIIIII\n", IO_ERR_FORMAT, "line 4: the record has more qualities than letters"},
        {"@a\nACGT\n+\nII\nIII\n", IO_ERR_FORMAT, "line 5: the record has more qualities than letters"},
        {"@a\nACGT\n+\nIII\n", IO_ERR_TRUNCATED, "line 1: truncated: the record has fewer qualities than letters"},
        {"\r\n@a\r\nACGT\r\n", IO_ERR_TRUNCATED, "line 2: truncated"},
        {"@a\nACGT\n+\nIIII\nACGT\n", IO_ERR_FORMAT, "line 5: a record of FASTQ begins with '@'"},
        {"@a\nACGT\n+\nIIII\n>b\nACGT\n", IO_ERR_FORMAT, "line 5: a record of FASTQ begins with '@'"},
        {"@a", IO_ERR_TRUNCATED, "line 1: truncated"},
    };
    const struct io_spec spec = kmer_spec(3);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        write_text(cases[i].text);
        expect_error(&spec, cases[i].status, cases[i].part);
    }
}

/* Records are cut into lines anywhere; qualities are drawn from bytes that begin other lines. */
static void fastq_agrees_with_strings(void **state)
{
    (void)state;
    enum { RECORDS = 3000, LETTERS = 150 };
    char *text = (char *)malloc(RECORDS * (8 * LETTERS + 64));
    uint64_t *expected = (uint64_t *)malloc(RECORDS * LETTERS * sizeof *expected);
    assert_non_null(text);
    assert_non_null(expected);
    size_t length = 0, n = 0;
    for (size_t record = 0; record < RECORDS; record++) {
        char letters[LETTERS + 1] = {0};
        const size_t size = draw(&dice) % LETTERS;
        length += (size_t)sprintf(text + length, "@read %zu +\n", record);
        for (size_t i = 0; i < size; i++) {
            text[length++] = letters[i] = "ACGTNacgt"[draw(&dice) % 9];
            if (draw(&dice) % 50 == 0) text[length++] = '\n';
        }
        n += naive_kmers(letters, 11, expected + n);
        length += (size_t)sprintf(text + length, "\n+\n");
        for (size_t i = 0; i < size; i++) {
            text[length++] = "@+>I~!"[draw(&dice) % 6];
            if (draw(&dice) % 50 == 0) text[length++] = '\n';
        }
        text[length++] = '\n';
    }
    const struct io_spec spec = kmer_spec(11);
    write_file(text, length);
    expect_keys(&spec, expected, n);
    write_gz_file(text, length);
    expect_keys(&spec, expected, n);
    free(text);
    free(expected);
}

/* ---- Binary integers ------------------------------------------------------------------------ */

static void raw_integers_in_both_orders(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0, 1, 2, 3, 0xfc, 0xfd, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint64_t u32le[] = {0x03020100, 0xfffefdfc, 0xffffffff, 0xffffffff};
    static const uint64_t u32be[] = {0x00010203, 0xfcfdfeff, 0xffffffff, 0xffffffff};
    static const uint64_t u64le[] = {0xfffefdfc03020100, UINT64_MAX};
    static const uint64_t u64be[] = {0x00010203fcfdfeff, UINT64_MAX};
    write_file(bytes, sizeof bytes);
    struct io_spec spec = raw_spec(IO_U32, false);
    expect_keys(&spec, u32le, 4);
    spec = raw_spec(IO_U32, true);
    expect_keys(&spec, u32be, 4);
    spec = raw_spec(IO_U64, false);
    expect_keys(&spec, u64le, 2);
    spec = raw_spec(IO_U64, true);
    expect_keys(&spec, u64be, 2);
    spec = raw_spec(IO_I32, true);
    expect_error(&spec, IO_ERR_ARGUMENT, "u32, u64 or bytes");
}

static void raw_remainders_are_refused(void **state)
{
    (void)state;
    for (size_t n = 1; n < 24; n++) {
        static const uint8_t zeros[24];
        write_file(zeros, n);
        const struct io_spec u32 = raw_spec(IO_U32, false);
        const struct io_spec u64 = raw_spec(IO_U64, true);
        static const uint64_t expected[24];
        if (n % 4 == 0) expect_keys(&u32, expected, n / 4);
        else expect_error(&u32, IO_ERR_TRUNCATED, "not a multiple of 4");
        if (n % 8 != 0) expect_error(&u64, IO_ERR_TRUNCATED, "not a multiple of 8");
    }
}

/* ---- .npy ----------------------------------------------------------------------------------- */

/* Writes a .npy file with this header text and data. */
static void write_npy(int version, const char *header, const void *data, size_t bytes)
{
    const size_t length = strlen(header);
    uint8_t start[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0, (uint8_t)length, (uint8_t)(length >> 8), 0, 0};
    write_file(start, version == 1 ? 10 : 12);
    append_file(header, length);
    append_file(data, bytes);
}

static const uint8_t npy_data[] = {1, 2, 3, 4, 5, 6, 7, 0x88, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* Narrow integers become keys of 4 bytes with the same value. */
static void narrow_npy_integers_are_widened(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        enum io_key_type key_type;
        size_t n;
        uint64_t keys[3];
    } cases[] = {
        {"|u1", IO_U32, 3, {1, 0x88, 0xff}},      {"|i1", IO_I32, 3, {1, 0xffffff88, 0xffffffff}},
        {"<u2", IO_U32, 2, {0x8801, 0x02ff}},     {">u2", IO_U32, 2, {0x0188, 0xff02}},
        {"<i2", IO_I32, 2, {0xffff8801, 0x02ff}}, {">i2", IO_I32, 2, {0x0188, 0xffffff02}},
    };
    static const uint8_t data[] = {1, 0x88, 0xff, 2};
    const struct io_spec spec = {.layout = IO_NPY};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char header[128];
        struct keys keys;
        sprintf(header, "{'descr': '%s', 'fortran_order': True, 'shape': (%zu,), }", cases[i].type, cases[i].n);
        write_npy(1, header, data, cases[i].n * (size_t)(cases[i].type[2] - '0'));
        expect_keys(&spec, cases[i].keys, cases[i].n);
        assert_int_equal(read_keys(&spec, 5, &keys), IO_OK);
        assert_int_equal(keys.type, cases[i].key_type);
        free(keys.keys);
        write_npy(1, header, data, cases[i].n * (size_t)(cases[i].type[2] - '0') - 1);
        expect_error(&spec, IO_ERR_TRUNCATED, "truncated");
    }
}

static void shapes_of_one_dimension(void **state)
{
    (void)state;
    static const char *const good[] = {"(2,)", "(2L,)", "(2, 1)", "(2,1,)", "(2L, 1L)", "(2, 1, 1)"};
    static const char *const others[] = {"(2, 2)", "(1, 2)", "(2L)", "(2,,)", "(2, 0)", "(2, 1", "(2 1)", "(2, 1, 2)", "(L,)"};
    static const uint64_t keys[] = {0x8807060504030201, UINT64_MAX};
    const struct io_spec spec = {.layout = IO_NPY};
    char header[128];
    for (size_t i = 0; i < COUNT_OF(good); i++) {
        sprintf(header, "{'descr': '<u8', 'fortran_order': False, 'shape': %s, }", good[i]);
        write_npy(1, header, npy_data, 16);
        expect_keys(&spec, keys, 2);
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        sprintf(header, "{'descr': '<u8', 'fortran_order': False, 'shape': %s, }", others[i]);
        write_npy(1, header, npy_data, 16);
        expect_error(&spec, IO_ERR_FORMAT, "its shape is not one-dimensional");
    }
}

static void bool_is_0_or_1(void **state)
{
    (void)state;
    static const uint8_t data[] = {1, 0, 1, 255};
    static const uint64_t keys[] = {1, 0, 1, 1};
    const struct io_spec spec = {.layout = IO_NPY};
    write_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", data, 4);
    expect_keys(&spec, keys, 4);
    write_npy(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", data, 3);
    expect_error(&spec, IO_ERR_TRUNCATED, "truncated: 1 keys are missing");
}

static void bytes_lose_their_padding(void **state)
{
    (void)state;
    static const struct text keys[] = {TEXT("ab\0c"), TEXT(""), TEXT("abcde"), TEXT("x")};
    const struct io_spec spec = {.layout = IO_NPY};
    const char *header = "{'descr': '|S5', 'fortran_order': False, 'shape': (4,), }";
    write_npy(1, header, "ab\0c\0\0\0\0\0\0abcdex\0\0\0\0", 20);
    expect_texts(&spec, keys, COUNT_OF(keys));
    append_file("x", 1);
    struct texts texts;
    assert_int_equal(read_texts(&spec, 3, 8, &texts), IO_ERR_FORMAT);
    assert_non_null(strstr(key_file_error.text, "goes on"));
    free(texts.bytes);
    free(texts.ends);
    for (size_t bytes = 0; bytes < 20; bytes++) {
        write_npy(1, header, "aaaaaaaaaaaaaaaaaaaa", bytes);
        assert_int_equal(read_texts(&spec, 1 + bytes % 5, 2 + bytes % 9, &texts), IO_ERR_TRUNCATED);
        free(texts.bytes);
        free(texts.ends);
    }
    /* The widest items that a header can announce: no memory is asked for them. */
    write_npy(1, "{'descr': '|S18446744073709551615', 'fortran_order': False, 'shape': (2305843009213693951,), }", "a", 1);
    assert_int_equal(read_texts(&spec, 1, 8, &texts), IO_ERR_TRUNCATED);
    free(texts.bytes);
    free(texts.ends);
    write_npy(1, "{'descr': '|S0', 'fortran_order': False, 'shape': (2,), }", "", 0);
    expect_error(&spec, IO_ERR_FORMAT, "its items are not");
}

static void npy_types_and_versions(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        enum io_key_type key_type;
        size_t n;
        uint64_t keys[4];
    } cases[] = {
        {"<u4", IO_U32, 4, {0x04030201, 0x88070605, 0xffffffff, 0xffffffff}},
        {">u4", IO_U32, 4, {0x01020304, 0x05060788, 0xffffffff, 0xffffffff}},
        {"<u8", IO_U64, 2, {0x8807060504030201, UINT64_MAX}},
        {">u8", IO_U64, 2, {0x0102030405060788, UINT64_MAX}},
        {"<i4", IO_I32, 4, {0x04030201, 0x88070605, 0xffffffff, 0xffffffff}},
        {">i4", IO_I32, 4, {0x01020304, 0x05060788, 0xffffffff, 0xffffffff}},
        {"<i8", IO_I64, 2, {0x8807060504030201, UINT64_MAX}},
        {">i8", IO_I64, 2, {0x0102030405060788, UINT64_MAX}},
    };
    const struct io_spec spec = {.layout = IO_NPY};
    char header[128];
    for (int version = 1; version <= 3; version++) {
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            sprintf(header, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }    \n", cases[i].type, cases[i].n);
            write_npy(version, header, npy_data, sizeof npy_data);
            expect_keys(&spec, cases[i].keys, cases[i].n);
            struct keys keys;
            assert_int_equal(read_keys(&spec, 5, &keys), IO_OK);
            assert_int_equal(keys.type, cases[i].key_type);
            free(keys.keys);
        }
    }
    write_npy(1, "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"<u8\"}", npy_data, 16);
    expect_keys(&spec, cases[2].keys, 2);
    write_npy(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (0,)}", "", 0);
    expect_keys(&spec, NULL, 0);
}

static void hostile_npy_headers_are_refused(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "",
        "{",
        "{}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), ",
        "{'descr': '<u8', 'fortran_order': False}",
        "{'descr': '<u8', 'shape': (2,)}",
        "{'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<u8', 'fortran_order': true, 'shape': (2,)}",
        "{'descr': '<u8', 'fortran_order': True, 'shape': (1, 2)}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (2,), 'more': 1}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (18446744073709551616,)}",
        "{'descr': '<u8', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '|u8', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<u1', 'fortran_order': False, 'shape': (16,)}",
        "{'descr': '|u2', 'fortran_order': False, 'shape': (8,)}",
        "{'descr': '<u3', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<u8\", 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('a', '<u8')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr' '<u8' 'fortran_order' False 'shape' (2,)}",
        "__import__('os')",
    };
    const struct io_spec spec = {.layout = IO_NPY};
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        write_npy(1 + (int)(i % 3), headers[i], npy_data, sizeof npy_data);
        expect_error(&spec, IO_ERR_FORMAT, "");
    }
    write_npy(4, "{'descr': '<u8', 'fortran_order': False, 'shape': (2,)}", npy_data, 16);
    expect_error(&spec, IO_ERR_FORMAT, "version 4.0");
    write_file("\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13);
    expect_error(&spec, IO_ERR_FORMAT, "too long");
    write_text("PK\x03\x04 an .npz archive");
    expect_error(&spec, IO_ERR_FORMAT, "not an .npy");
}

static void npy_files_of_a_wrong_length_are_refused(void **state)
{
    (void)state;
    static const char header[] = "{'descr': '<u8', 'fortran_order': False, 'shape': (2,)}";
    const struct io_spec spec = {.layout = IO_NPY};
    for (size_t bytes = 0; bytes < 16; bytes++) {
        write_npy(1, header, npy_data, bytes);
        expect_error(&spec, IO_ERR_TRUNCATED, "truncated");
    }
    write_npy(1, header, npy_data, 16);
    append_file("x", 1);
    expect_error(&spec, IO_ERR_FORMAT, "goes on");
    for (size_t bytes = 0; bytes < 10 + sizeof header - 1; bytes++) {
        uint8_t whole[128];
        write_npy(1, header, "", 0);
        FILE *file = fopen(key_file_path, "rb");
        assert_int_equal(fread(whole, 1, bytes, file), bytes);
        fclose(file);
        write_file(whole, bytes);
        expect_error(&spec, IO_ERR_TRUNCATED, "truncated");
    }
    /* The largest shape that a header can announce: the reader allocates no memory for it. */
    write_npy(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (2305843009213693951,)}", npy_data, 16);
    expect_error(&spec, IO_ERR_TRUNCATED, "truncated");
}

/* ---- Block traces --------------------------------------------------------------------------- */

static void traces_expand_to_their_blocks(void **state)
{
    const struct io_spec spec = {.layout = IO_ARC};
    static const uint64_t expected[] = {7, 100, 101, 102, UINT64_MAX - 1, UINT64_MAX, 5};
    (void)state;
    write_text("7 1 0 1\n100 3 0 2\n\n  9\t0\r\n18446744073709551614 2 0 4\n5 1");
    expect_keys(&spec, expected, sizeof expected / sizeof expected[0]);
    write_text("");
    expect_keys(&spec, NULL, 0);
    write_gz_file("3 2 0 0\n", 8);
    expect_keys(&spec, (const uint64_t[]){3, 4}, 2);
}

static void wrong_traces_are_refused(void **state)
{
    const struct io_spec spec = {.layout = IO_ARC};
    static const struct {
        const char *text, *part;
    } wrong[] = {
        {"1 1\n7\n", "line 2: it has one number"},
        {"1 1 0 0 0\n", "line 1: it has more than four numbers"},
        {"1 1 0 0\n1,1\n", "line 2: it is not of the form `start count"},
        {"-1 1\n", "line 1: it is not of the form `start count"},
        {"1 16777217\n", "line 1: its count is above 16777216"},
        {"18446744073709551616 1\n", "line 1: a number is too large"},
        {"18446744073709551615 2\n", "line 1: its last block is too large"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_text(wrong[i].text);
        expect_error(&spec, IO_ERR_FORMAT, wrong[i].part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kmers_of_small_records),
        cmocka_unit_test(kmers_agree_with_strings),
        cmocka_unit_test(palindromes_and_extremes),
        cmocka_unit_test(other_than_fasta_is_refused),
        cmocka_unit_test(blanks_before_a_header),
        cmocka_unit_test(one_strand),
        cmocka_unit_test(long_kmers_agree_with_strings),
        cmocka_unit_test(kmers_of_fastq),
        cmocka_unit_test(wrong_fastq_is_refused),
        cmocka_unit_test(fastq_agrees_with_strings),
        cmocka_unit_test(raw_integers_in_both_orders),
        cmocka_unit_test(raw_remainders_are_refused),
        cmocka_unit_test(npy_types_and_versions),
        cmocka_unit_test(narrow_npy_integers_are_widened),
        cmocka_unit_test(shapes_of_one_dimension),
        cmocka_unit_test(bool_is_0_or_1),
        cmocka_unit_test(bytes_lose_their_padding),
        cmocka_unit_test(hostile_npy_headers_are_refused),
        cmocka_unit_test(npy_files_of_a_wrong_length_are_refused),
        cmocka_unit_test(traces_expand_to_their_blocks),
        cmocka_unit_test(wrong_traces_are_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
