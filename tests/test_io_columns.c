/* The keys that the reader gets from columns of tsv and csv: small hand-made files, and files whose
 * keys the test computes itself, at batch sizes from 1 up; fields of all kinds; records without a
 * key; wrong files. */
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
    expect_unparsed(spec, wrong, COUNT_OF(wrong), "is not a number with at most 2 decimals");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_small_files),
        cmocka_unit_test(columns_by_name_and_behind_headers),
        cmocka_unit_test(numbers_have_their_limits),
        cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(long_lines_need_no_memory_of_their_own),
        cmocka_unit_test(many_lines_cross_chunks),
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
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
