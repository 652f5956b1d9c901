/* The keys that the readers get from FASTA, columns, binary integers, .npy and block traces:
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

/* ---- Columns -------------------------------------------------------------------------------- */

static void columns_of_small_files(void **state)
{
    (void)state;
    static const uint64_t expected[] = {1, 20, 18446744073709551615u};
    struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    static const char *const texts[] = {
        "a\t1\nb\t20\nc\t18446744073709551615\n",
        "a\t1\r\nb\t20\r\nc\t18446744073709551615\r",
        "a\t01\tx\n\t0000000000000000000000020\n\t18446744073709551615",
        "a,1\nb,20,extra,,\n,18446744073709551615",
        "\xef\xbb\xbfx,1\r\n\"b,\"\"\r\n\",20\r\n\"\",\"18446744073709551615\"",
        "\"tab\tinside\",1\n\",\",\"20\"\nq\"uo\"te,18446744073709551615\n",
        "\"x\",\"1\"\r\n\"y\",\"20\"\r\n\"z\",\"18446744073709551615\"\r",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        spec.separator = i == 5 ? ',' : 0;
        write_text(texts[i]);
        expect_keys(&spec, expected, 3);
    }
    spec = column_spec(1, IO_DECIMAL_U64);
    write_text("1\n20\n18446744073709551615\n");
    expect_keys(&spec, expected, 3);
    write_file("", 0);
    expect_keys(&spec, NULL, 0);
    spec.separator = '\t';
    write_text("\"1\"\n"); /* tsv has no quotes */
    expect_error(&spec, IO_ERR_VALUE, "line 1: column 1: '\"1\"' is not");
}

static void columns_by_name_and_behind_headers(void **state)
{
    (void)state;
    static const uint64_t expected[] = {5, 6};
    struct io_spec spec = column_spec(0, IO_DECIMAL_U32);
    spec.name = "value";
    write_text("key,valu,values,value\n1,2,3,5\n1,2,3,6\n");
    expect_keys(&spec, expected, 2);
    write_text("value\tkey\r\n5\t1\r\n6\t1\r\n");
    expect_keys(&spec, expected, 2);
    write_text("\"key\",\"value\"\n\"a\nb\",5\nc,6");
    expect_keys(&spec, expected, 2);
    write_text("a,value");
    expect_keys(&spec, NULL, 0);
    write_text("key,Value\n1,2\n");
    expect_error(&spec, IO_ERR_COLUMN, "no column 'value'");
    write_text("value,value\n1,2\n");
    expect_error(&spec, IO_ERR_COLUMN, "twice");
    write_file("", 0);
    expect_error(&spec, IO_ERR_FORMAT, "no header");
    spec.name = "say \"hi\"";
    write_text("\"say \"\"hi\"\"\"\n5\n6\n");
    expect_keys(&spec, expected, 2);
    spec = column_spec(2, IO_DECIMAL_U64);
    spec.header = true;
    write_text("key,value\n1,5\n1,6\n");
    expect_keys(&spec, expected, 2);
}

static void numbers_have_their_limits(void **state)
{
    (void)state;
    static const uint64_t u32[] = {0, 4294967295u};
    static const uint64_t base36[] = {0, 35, 35, 36, 18446744073709551615u};
    struct io_spec spec = column_spec(1, IO_DECIMAL_U32);
    write_text("0\n4294967295\n");
    expect_keys(&spec, u32, 2);
    write_text("1\n4294967296\n");
    expect_error(&spec, IO_ERR_VALUE, "line 2: column 1: '4294967296' is too large");
    spec = column_spec(1, IO_BASE36);
    write_text("0\nz\nZ\n10\n3w5e11264sgsf\n");
    expect_keys(&spec, base36, 5);
    write_text("3w5e11264sgsg\n");
    expect_error(&spec, IO_ERR_VALUE, "line 1: column 1: '3w5e11264sgsg' is too large");
    spec = column_spec(1, IO_DECIMAL_U64);
    write_text("18446744073709551616\n");
    expect_error(&spec, IO_ERR_VALUE, "too large");
    write_text("99999999999999999999999999999999999999999999999999999999999999\n");
    expect_error(&spec, IO_ERR_VALUE, "9...' is too large");
}

static void expect_column(const char *text, struct io_spec spec, uint64_t first, uint64_t second)
{
    const uint64_t keys[] = {first, second};
    write_text(text);
    expect_keys(&spec, keys, 2);
}

static void separators_are_outside_of_quotes(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    spec.header = true;
    expect_column("\"a\tb\",c\n1,2\n3,4\n", spec, 2, 4);
    expect_column("a,\"\"\"b\t\",c\n1,2\n3,4\n", spec, 2, 4);
    expect_column("\"a\"\t\"c\"\n1\t2\n3\t4\n", spec, 2, 4);
    expect_column("\"a\tb\n1\t2\n3\t4\n", spec, 2, 4);     /* never closed: no quote */
    expect_column("\"a\tb\"x\n1\t2\n3\t4\n", spec, 2, 4);  /* text behind it: no quote */
    expect_column("a \"b\tc\"\n1\t2\n3\t4\n", spec, 2, 4); /* inside a field */
    spec.separator = ';';
    expect_column("a;b\n\"1;,\";2\n3;\"4\"\n", spec, 2, 4);
}

static void blank_lines_are_skipped_if_asked(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(1, IO_DECIMAL_U64);
    spec.skip_blank = true;
    expect_column("\n1\n\n\r\n2\n\n\r", spec, 1, 2);
    spec.header = true;
    expect_column("\n\nhead\n\n1\n2", spec, 1, 2);
    write_text("head\n1\n\"\"\n2\n");
    expect_error(&spec, IO_ERR_VALUE, "line 3: column 1 is empty");
    write_text("\n\r");
    expect_error(&spec, IO_ERR_FORMAT, "there is no header line");
    spec.skip_blank = false;
    write_text("head\n1\n\n");
    expect_error(&spec, IO_ERR_VALUE, "line 3 is blank");
}

static void lines_that_end_in_cr_alone(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    expect_column("a,1\rb,2\r", spec, 1, 2);
    expect_column("a,1\rb,2", spec, 1, 2);
    expect_column("\"a\r\",1\r\"b\",2\r", spec, 1, 2);
    expect_column("a\t1\rb\t2\r", spec, 1, 2);
    spec.header = true;
    expect_column("id,town\r1,1\r2,2\r", spec, 1, 2);
    spec = column_spec(0, IO_DECIMAL_U64);
    spec.name = "town";
    spec.skip_blank = true;
    expect_column("\rid,town\r\r1,1\r2,2\r\r", spec, 1, 2);
    write_text("id,town\r1,x\r");
    expect_error(&spec, IO_ERR_VALUE, "line 2: column 2: 'x' is not");
    /* With an LF in quotes, or behind the first chunk, CR is no line end. */
    static char text[300000];
    memset(text, 'x', sizeof text);
    spec = column_spec(2, IO_FIELD_STRING);
    write_text("\"a\nb\",c\rd,e");
    expect_error(&spec, IO_ERR_FORMAT, "line ends are CR alone");
    strcpy(text + sizeof text - 10, ",1\rx,2\r");
    write_text(text);
    expect_error(&spec, IO_ERR_FORMAT, "line ends are CR alone");
}

static void comments_are_skipped(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    spec.comment = '#';
    expect_column("# made, \"by\n#\nx,1\ny,2\n", spec, 1, 2);
    expect_column("x,1\r\n# made by\r\ny,2\r\n#", spec, 1, 2);
    expect_column("x,1\r#\ty\r\"#\",2\r# end", spec, 1, 2);
    expect_column("# a\tb\nx,1\n#\n#\ny,2", spec, 1, 2); /* the separator is that of records */
    expect_column("# a, b\nx\t1\n\"\t7\n", spec, 1, 7);
    spec = column_spec(0, IO_DECIMAL_U64);
    spec.name = "b";
    spec.comment = '%';
    expect_column("% a\tb\na,b\n1,1\n%1,7\n1,2\n", spec, 1, 2);
}

/* Without --comment, '#' begins a comment for the guess of the separator alone. */
static void separators_are_those_of_records(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(0, IO_DECIMAL_U64);
    spec.name = "b";
    spec.skip_blank = true;
    expect_column("\n\r\na\tb\n1\t1\n1\t2\n", spec, 1, 2);
    expect_column("#a\tb\n1\t1\n1\t2\n", spec, 1, 2);
    write_text("# made by\na,b\n1,1\n");
    expect_error(&spec, IO_ERR_COLUMN, "no column 'b' in the header (--comment '#' skips");
}

/* ---- Records without a key ------------------------------------------------------------------- */

static void records_without_a_key_are_counted(void **state)
{
    (void)state;
    struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    static const uint64_t keys[] = {1, 2};
    write_text("a,x\na,1\na\n\na,-1\na,2\na,99999999999999999999\na,");
    expect_error(&spec, IO_ERR_VALUE,
                 "line 1: column 2: 'x' is not a decimal number of 64 bits (the first of 6 records without a key;");
    spec.leave_out = true;
    expect_keys(&spec, keys, 2);
    assert_int_equal(key_file_left_out.records, 6);
    assert_string_equal(key_file_left_out.first, "line 1: column 2: 'x' is not a decimal number of 64 bits");
    /* Whatever is wrong behind it, the first is the error. */
    spec.leave_out = false;
    write_text("a,x\n\"");
    expect_error(&spec, IO_ERR_VALUE, "line 1: column 2: 'x'");
    spec.leave_out = true;
    expect_error(&spec, IO_ERR_FORMAT, "a quoted field is never closed");
    static const struct text texts[] = {TEXT("b"), TEXT("")};
    struct io_spec strings = column_spec(2, IO_FIELD_STRING);
    write_text("a,b\nc\nd,\ne\n");
    expect_error(&strings, IO_ERR_COLUMN, "line 2: no column 2, the line has 1 (the first of 2 records");
    strings.leave_out = true;
    expect_texts(&strings, texts, 2);
    strings.field = IO_FIELD_BYTES;
    strings.key_bytes = 1;
    expect_texts(&strings, texts, 1);
}

static void endless_errors_end(void **state)
{
    (void)state;
    static char text[200000];
    const struct io_spec spec = column_spec(1, IO_DECIMAL_U64);
    for (size_t i = 0; i + 1 < sizeof text; i += 2) memcpy(text + i, "x\n", 2);
    write_file(text, sizeof text);
    expect_error(&spec, IO_ERR_VALUE, "(the first of more than 1000 records without a key;");
    write_file(text, 2000);
    expect_error(&spec, IO_ERR_VALUE, "(the first of 1000 records without a key;");
}

static void expect_parsed(struct io_spec spec, const char *const *texts, const int64_t *expected, size_t n)
{
    const uint64_t mask = spec.field == IO_SIGNED_I32 || spec.field == IO_DATE ? UINT32_MAX : UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = (uint64_t)expected[i] & mask;
        write_text(texts[i]);
        expect_keys(&spec, &key, 1);
    }
}

static void expect_unparsed(struct io_spec spec, const char *const *texts, size_t n, const char *part)
{
    for (size_t i = 0; i < n; i++) {
        write_text(texts[i]);
        expect_error(&spec, IO_ERR_VALUE, part);
    }
}

static void signed_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"0", "-0", "+7", "-7", "007", "9223372036854775807", "-9223372036854775808"};
    static const int64_t keys[] = {0, 0, 7, -7, 7, INT64_MAX, INT64_MIN};
    static const char *const small[] = {"2147483647", "-2147483648", "-1"};
    static const int64_t small_keys[] = {INT32_MAX, INT32_MIN, -1};
    static const char *const wrong[] = {"-", "+", "--1", "1-", "1.0", " 1", "1 ", "0x1", "1e3"};
    static const char *const large[] = {"9223372036854775808", "-9223372036854775809", "99999999999999999999999"};
    const struct io_spec i64 = column_spec(1, IO_SIGNED_I64), i32 = column_spec(1, IO_SIGNED_I32);
    expect_parsed(i64, texts, keys, COUNT_OF(texts));
    expect_parsed(i32, small, small_keys, COUNT_OF(small));
    expect_unparsed(i64, wrong, COUNT_OF(wrong), "is not a signed number of 64 bits");
    expect_unparsed(i64, large, COUNT_OF(large), "is too large for a signed number of 64 bits");
    write_text("2147483648");
    expect_error(&i32, IO_ERR_VALUE, "is too large for a signed number of 32 bits");
    write_text("12345678901234567890123456789012345678901");
    expect_error(&i64, IO_ERR_VALUE, "is not a signed");
}

static void numbers_with_decimals(void **state)
{
    (void)state;
    static const char *const texts[] = {"0", "1", "1.5", "1.50", "1.5000", "-1.25", ".5", "5.", "-0.01", "92233720368547758.07"};
    static const int64_t keys[] = {0, 100, 150, 150, 150, -125, 50, 500, -1, INT64_MAX};
    static const char *const wrong[] = {".", "-.", "1.234", "1..2", "1,2", "1e2", "nan", "-", "1.5x"};
    static const char *const large[] = {"92233720368547758.08", "99999999999999999999"};
    struct io_spec spec = column_spec(1, IO_FIXED);
    spec.decimals = 2;
    spec.separator = '\t';
    expect_parsed(spec, texts, keys, COUNT_OF(texts));
    expect_unparsed(spec, wrong, COUNT_OF(wrong), "is not a number with at most so many decimals");
    expect_unparsed(spec, large, COUNT_OF(large), "is too large");
    spec.decimals = 0;
    expect_parsed(spec, (const char *const[]){"7.000"}, (const int64_t[]){7}, 1);
    spec.decimals = 18;
    expect_parsed(spec, (const char *const[]){"-9.223372036854775808"}, (const int64_t[]){INT64_MIN}, 1);
}

static void dates_and_times(void **state)
{
    (void)state;
    static const char *const dates[] = {"1970-01-01", "1969-12-31", "2000-02-29", "2024-12-31",
                                        "0001-01-01", "9999-12-31", "1900-03-01"};
    static const int64_t days[] = {0, -1, 11016, 20088, -719162, 2932896, -25508};
    static const char *const wrong[] = {"2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01",  "2024-01-00", "2024-04-31",
                                        "0000-01-01", "24-01-01",   "2024-1-1",   "2024-01-01T", "2024/01/01", "2024-01-01 "};
    static const char *const times[] = {"1970-01-01T00:00",          "1970-01-01 00:00:01",    "1969-12-31T23:59:59.5",
                                        "2000-02-29T12:34:56.789Z",  "1970-01-01T01:00+01:00", "1970-01-01T00:00:00-00:30",
                                        "1970-01-01T00:00:00.000001"};
    static const int64_t stamps[] = {0, 1000000, -500000, 951827696789000, 0, 1800000000, 1};
    static const char *const wrong_times[] = {"1970-01-01",          "1970-01-01T24:00",      "1970-01-01T00:60",
                                              "1970-01-01T00:00:60", "1970-01-01T00:00:00.",  "1970-01-01T00:00:00,5",
                                              "1970-01-01T00:00+1",  "1970-01-01T00:00.5",    "1970-01-01T00:00:00.1234567",
                                              "1970-01-01t00:00",    "1970-01-01T00:00+24:00"};
    struct io_spec spec = column_spec(1, IO_DATE);
    spec.separator = '\t';
    expect_parsed(spec, dates, days, COUNT_OF(dates));
    expect_unparsed(spec, wrong, COUNT_OF(wrong), "is not a date as 2026-12-31");
    spec.field = IO_TIME;
    expect_parsed(spec, times, stamps, COUNT_OF(times));
    expect_unparsed(spec, wrong_times, COUNT_OF(wrong_times), "is not a time as 2026-12-31T23:59:59");
}

static void marks_at_the_beginning(void **state)
{
    (void)state;
    static const uint8_t wide[2][6] = {{0xff, 0xfe, '1', 0, '\n', 0}, {0xfe, 0xff, 0, '1', 0, '\n'}};
    static const uint64_t kmers[] = {1};
    const struct io_spec fasta = kmer_spec(2), column = column_spec(1, IO_DECIMAL_U64), words = {.layout = IO_WORDS};
    for (int i = 0; i < 2; i++) {
        write_file(wide[i], sizeof wide[i]);
        expect_error(&fasta, IO_ERR_FORMAT, "UTF-16");
        expect_error(&column, IO_ERR_FORMAT, "UTF-16");
        expect_error(&words, IO_ERR_FORMAT, "UTF-16");
    }
    write_text("\xef\xbb\xbf>a\nAC\n");
    expect_keys(&fasta, kmers, 1);
    write_text("\xef\xbb\xbf");
    expect_keys(&fasta, NULL, 0);
    write_text("\xef\xbbx 1\n");
    expect_error(&fasta, IO_ERR_FORMAT, "not FASTA");
}

/* Lines of the column's file are as long as the bound, or one byte longer, in each chunk. */
static void lines_have_a_bound(void **state)
{
    (void)state;
    static char text[400000];
    struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    static const uint64_t keys[] = {7};
    for (size_t length = 131000; length < 262200; length += 9371) {
        memset(text, 'x', length);
        strcpy(text + length, ",7\n");
        write_text(text);
        spec.max_line = length + 2;
        expect_keys(&spec, keys, 1);
        spec.max_line = length + 1;
        expect_error(&spec, IO_ERR_LENGTH, "line 1: it has more than");
        text[length + 2] = 0; /* no line end */
        write_text(text);
        expect_error(&spec, IO_ERR_LENGTH, "line 1: it has more than");
    }
}

static void wrong_fields_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum io_status status;
        const char *part;
    } cases[] = {
        {"a,1\nb,x\n", IO_ERR_VALUE, "line 2: column 2: 'x' is not"},
        {"a,1\n\"b\nc\",-1\n", IO_ERR_VALUE, "line 3: column 2: '-1' is not"},
        {"a,+1\n", IO_ERR_VALUE, "line 1: column 2: '+1' is not"},
        {"a, 1\n", IO_ERR_VALUE, "line 1: column 2: ' 1' is not"},
        {"a,1\rb\n", IO_ERR_VALUE, "line 1: column 2: '1\rb' is not"},
        {"a,\nb,1\n", IO_ERR_VALUE, "line 1: column 2 is empty"},
        {"a,\"\"\nb,1\n", IO_ERR_VALUE, "line 1: column 2 is empty"},
        {"a,1\nb\n", IO_ERR_COLUMN, "line 2: no column 2, the line has 1"},
        {"a,1\n\nb,1\n", IO_ERR_VALUE, "line 2 is blank: column 2 is empty (--skip-blank"},
        {"a,1\r\n\r\nb,1\n", IO_ERR_VALUE, "line 2 is blank"},
        {"a,1\n\"\"\nb,1\n", IO_ERR_COLUMN, "line 2: no column 2, the line has 1"},
        {"\n\na,1\rb,2", IO_ERR_VALUE, "line 1 is blank"},
        {"a,1\nb", IO_ERR_COLUMN, "line 2: no column 2, the line has 1"},
        {"a,1\n\"b\"x,1\n", IO_ERR_FORMAT, "line 2: text after a closing quote"},
        {"a,1\n\"b\"\rx,1\n", IO_ERR_FORMAT, "line 2: text after a closing quote"},
        {"a,1\n\"b,1\nc,1\n", IO_ERR_FORMAT, "line 2: a quoted field is never closed"},
        {"a,1\n\"b,1\n\"\"", IO_ERR_FORMAT, "line 2: a quoted field is never closed"},
    };
    const struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        write_text(cases[i].text);
        expect_error(&spec, cases[i].status, cases[i].part);
    }
    write_file("a,1\nb,1\0\n", 9);
    expect_error(&spec, IO_ERR_VALUE, "line 2: column 2");
    const struct io_spec no_column = column_spec(0, IO_DECIMAL_U64);
    expect_error(&no_column, IO_ERR_ARGUMENT, "from 1");
}

static void long_lines_need_no_memory_of_their_own(void **state)
{
    (void)state;
    enum { FIELD = 1 << 20 };
    char *text = (char *)malloc(FIELD + 16);
    assert_non_null(text);
    memset(text, 'x', FIELD);
    strcpy(text + FIELD, ",77\n\"z\",78\n");
    static const uint64_t expected[] = {77, 78};
    const struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    write_gz("wb", text, strlen(text));
    expect_keys(&spec, expected, 2);
    free(text);
}

static void many_lines_cross_chunks(void **state)
{
    (void)state;
    enum { LINES = 60000 };
    char *text = (char *)malloc(LINES * 48);
    uint64_t *expected = (uint64_t *)malloc(LINES * sizeof *expected);
    assert_non_null(text);
    assert_non_null(expected);
    size_t length = 0;
    for (size_t i = 0; i < LINES; i++) {
        expected[i] = draw(&dice) >> draw(&dice) % 64;
        length += (size_t)sprintf(text + length, draw(&dice) % 2 == 0 ? "\"q,%zu\",%llu\r\n" : "%zu,\"%llu\",\n", i % 1000,
                                  (unsigned long long)expected[i]);
    }
    const struct io_spec spec = column_spec(2, IO_DECIMAL_U64);
    write_file(text, length);
    expect_keys(&spec, expected, LINES);
    write_zst(text, length);
    expect_keys(&spec, expected, LINES);
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
        cmocka_unit_test(columns_of_small_files),
        cmocka_unit_test(columns_by_name_and_behind_headers),
        cmocka_unit_test(numbers_have_their_limits),
        cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(long_lines_need_no_memory_of_their_own),
        cmocka_unit_test(many_lines_cross_chunks),
        cmocka_unit_test(raw_integers_in_both_orders),
        cmocka_unit_test(raw_remainders_are_refused),
        cmocka_unit_test(npy_types_and_versions),
        cmocka_unit_test(narrow_npy_integers_are_widened),
        cmocka_unit_test(shapes_of_one_dimension),
        cmocka_unit_test(bool_is_0_or_1),
        cmocka_unit_test(bytes_lose_their_padding),
        cmocka_unit_test(separators_are_outside_of_quotes),
        cmocka_unit_test(blank_lines_are_skipped_if_asked),
        cmocka_unit_test(lines_that_end_in_cr_alone),
        cmocka_unit_test(comments_are_skipped),
        cmocka_unit_test(separators_are_those_of_records),
        cmocka_unit_test(records_without_a_key_are_counted),
        cmocka_unit_test(endless_errors_end),
        cmocka_unit_test(signed_numbers),
        cmocka_unit_test(numbers_with_decimals),
        cmocka_unit_test(dates_and_times),
        cmocka_unit_test(marks_at_the_beginning),
        cmocka_unit_test(lines_have_a_bound),
        cmocka_unit_test(hostile_npy_headers_are_refused),
        cmocka_unit_test(npy_files_of_a_wrong_length_are_refused),
        cmocka_unit_test(traces_expand_to_their_blocks),
        cmocka_unit_test(wrong_traces_are_refused),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
