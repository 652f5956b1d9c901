/* The readers of key files: every layout and compression against small hand-made files and against what the test computes
 * itself, at batch sizes from 1 up; then truncated, damaged and hostile files. */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "io/io_reader.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static const size_t batches[] = {1, 2, 3, 7, 64, 1000, 1 << 17};

static char path[64];

/* ---- Writing files ----------------------------------------------------------------------------------------------------- */

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/roost-test-io-XXXXXX");
    const int descriptor = mkstemp(path);
    if (descriptor < 0) return -1;
    return close(descriptor);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_mode(const char *mode, const void *bytes, size_t n)
{
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void write_file(const void *bytes, size_t n) { write_mode("wb", bytes, n); }

static void append_file(const void *bytes, size_t n) { write_mode("ab", bytes, n); }

static void write_text(const char *text) { write_file(text, strlen(text)); }

static void write_gz(const char *mode, const void *bytes, size_t n)
{
    gzFile file = gzopen(path, mode);
    assert_non_null(file);
    if (n > 0) assert_int_equal(gzwrite(file, bytes, (unsigned)n), n);
    assert_int_equal(gzclose(file), Z_OK);
}

/* Appends a frame with a checksum. */
static void append_zst(const void *bytes, size_t n)
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

static void write_zst(const void *bytes, size_t n)
{
    write_file("", 0);
    append_zst(bytes, n);
}

static size_t file_length(void)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    fclose(file);
    return (size_t)length;
}

/* ---- Reading them ------------------------------------------------------------------------------------------------------ */

static struct io_error error;

/* Every key of the file, widened to 64 bits without sign. */
struct keys {
    uint64_t *keys;
    size_t n;
    size_t room;
    enum io_key_type type;
};

static void keys_add(struct keys *keys, const void *batch, size_t n, size_t bytes)
{
    if (keys->n + n > keys->room) {
        keys->room = 2 * (keys->n + n);
        keys->keys = (uint64_t *)realloc(keys->keys, keys->room * sizeof *keys->keys);
        assert_non_null(keys->keys);
    }
    for (size_t i = 0; i < n; i++) keys->keys[keys->n++] = bytes == 4 ? ((const uint32_t *)batch)[i] : ((const uint64_t *)batch)[i];
}

static enum io_status read_keys(const struct io_spec *spec, size_t room, struct keys *keys)
{
    struct io_reader *reader;
    memset(keys, 0, sizeof *keys);
    memset(&error, 0, sizeof error);
    enum io_status status = io_reader_open(&reader, path, spec, &error);
    if (status != IO_OK) {
        assert_null(reader);
        return status;
    }
    keys->type = io_reader_key_type(reader);
    const size_t bytes = io_reader_key_bytes(reader);
    void *batch = malloc(room * bytes);
    assert_non_null(batch);
    size_t n = 1;
    while (n > 0 && (status = io_reader_next(reader, batch, room, &n, &error)) == IO_OK) keys_add(keys, batch, n, bytes);
    if (status == IO_OK) {
        assert_int_equal(io_reader_next(reader, batch, room, &n, &error), IO_OK);
        assert_int_equal(n, 0);
        uint64_t length;
        assert_int_equal(io_reader_position(reader, &length), file_length());
    }
    free(batch);
    io_reader_close(reader);
    return status;
}

static void expect_keys(const struct io_spec *spec, const uint64_t *expected, size_t n)
{
    for (size_t b = 0; b < COUNT_OF(batches); b++) {
        if (n / batches[b] > 100000) continue;
        struct keys keys;
        const enum io_status status = read_keys(spec, batches[b], &keys);
        assert_string_equal(error.text, "");
        assert_int_equal(status, IO_OK);
        assert_int_equal(keys.n, n);
        if (n > 0) assert_memory_equal(keys.keys, expected, n * sizeof *expected);
        free(keys.keys);
    }
}

/* The file is refused with this status, and the text names the file and holds `part`. */
static void expect_error_at(const struct io_spec *spec, size_t room, enum io_status expected, const char *part)
{
    struct keys keys;
    const enum io_status status = read_keys(spec, room, &keys);
    free(keys.keys);
    if (status != expected || strstr(error.text, part) == NULL)
        fail_msg("status %d, not %d, or no \"%s\" in \"%s\"", status, expected, part, error.text);
    assert_int_equal(error.status, status);
    assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
}

static void expect_error(const struct io_spec *spec, enum io_status expected, const char *part)
{
    for (size_t b = 0; b < COUNT_OF(batches); b++) expect_error_at(spec, batches[b], expected, part);
}

static struct io_spec raw_spec(enum io_key_type type, bool big_endian)
{
    struct io_spec spec = {.layout = IO_RAW};
    spec.raw = type;
    spec.big_endian = big_endian;
    return spec;
}

static struct io_spec kmer_spec(unsigned kmer)
{
    struct io_spec spec = {.layout = IO_FASTA};
    spec.kmer = kmer;
    return spec;
}

static struct io_spec column_spec(uint64_t column, enum io_number number)
{
    struct io_spec spec = {.layout = IO_COLUMN};
    spec.column = column;
    spec.number = number;
    return spec;
}

static uint64_t random_state = 1;

/* xorshift64: what the tests draw from. */
static uint64_t draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* ---- Compression ------------------------------------------------------------------------------------------------------- */

#define STREAM_KEYS 100003 /* more than a chunk, and no multiple of anything */

static uint32_t stream_words[STREAM_KEYS];
static uint64_t stream_keys[STREAM_KEYS];

static void fill_stream(void)
{
    for (size_t i = 0; i < STREAM_KEYS; i++) {
        const uint64_t key = i % 3 == 0 ? draw() & 0xffffffff : i;
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
}

/* Cuts the file that `write` makes after every number of bytes; each must be refused, except where nothing is left. */
static void refuse_every_cut(void (*write)(const void *, size_t), const struct io_spec *spec)
{
    uint8_t whole[4096];
    write(stream_words, 400);
    const size_t length = file_length();
    assert_true(length < sizeof whole);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(whole, 1, length, file), length);
    fclose(file);
    /* From 4 bytes on, the magic is complete: before that, these are four bytes of nothing in particular. */
    for (size_t cut = 4; cut < length; cut++) {
        write_file(whole, cut);
        expect_error_at(spec, 1 + cut % 99, IO_ERR_TRUNCATED, "truncated");
    }
    /* Any single damaged byte behind the header is noticed, by the checksum at the latest. */
    for (size_t at = 10; at < length; at++) {
        whole[at] ^= 0x41;
        write_file(whole, length);
        struct keys keys;
        assert_int_not_equal(read_keys(spec, 1000, &keys), IO_OK);
        free(keys.keys);
        whole[at] ^= 0x41;
    }
    write_file(whole, length);
    append_file("garbage!", 8);
    expect_error(spec, IO_ERR_CORRUPT, "damaged");
}

static void write_gz_file(const void *bytes, size_t n) { write_gz("wb", bytes, n); }

static void truncated_and_damaged_compression_is_refused(void **state)
{
    (void)state;
    const struct io_spec spec = raw_spec(IO_U32, false);
    fill_stream();
    refuse_every_cut(write_gz_file, &spec);
    refuse_every_cut(write_zst, &spec);
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

/* A frame of version 0.7 that holds one key: libzstd may be able to read it, but not within our limits. */
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

/* ---- FASTA ------------------------------------------------------------------------------------------------------------- */

/* The canonical k-mers of one record's letters, by strings; n must suffice.  Returns how many. */
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
            /* In "TGCA" the place of a letter is the code of its complement. */
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
    /* ACG=6 (its complement CGT=27), CGT -> 6; over a line end; lower case; N breaks; a record breaks; CR LF and lone CR. */
    static const uint64_t expected[] = {6, 6};
    write_text(">a\nACGT\n");
    expect_keys(&spec, expected, 2);
    write_text("\n\r\n>a b c\r\nac\r\n\r\ngT");
    expect_keys(&spec, expected, 2);
    write_text(">a\rACG\r>b\rAC\rG");
    expect_keys(&spec, expected, 2);
    write_text(">a\nACGNACG\n>b\nAC\n>c\n>d\nGT\n");
    expect_keys(&spec, expected, 2);
    write_text(">a\nAC G\nA-C>G\n"); /* a blank breaks too, and '>' is a header at a line's beginning only */
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
            letters[i] = draw() % 200 == 0 ? "NnRX*-"[draw() % 6] : "ACGTacgt"[draw() % 8];
            text[length++] = letters[i];
            if (draw() % 60 == 0) length += (size_t)sprintf(text + length, "%s", draw() % 2 == 0 ? "\n" : "\r\n");
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
    static const uint64_t palindrome[] = {0x1b1b1b1b}; /* ACGT four times is its own reverse complement */
    spec = kmer_spec(16);
    write_text(">p\nACGTACGTACGTACGT\n");
    expect_keys(&spec, palindrome, 1);
}

static void what_is_no_fasta_is_refused(void **state)
{
    (void)state;
    struct io_spec spec = kmer_spec(21);
    write_file("", 0);
    expect_error(&spec, IO_ERR_FORMAT, "no FASTA");
    write_text("\n\n\n");
    expect_error(&spec, IO_ERR_FORMAT, "no FASTA");
    write_text("@fastq\nACGT\n+\nIIII\n");
    expect_error(&spec, IO_ERR_FORMAT, "no FASTA");
    write_text("ACGT\n>late\nACGT\n");
    expect_error(&spec, IO_ERR_FORMAT, "no FASTA");
    write_text(">a\nACGT\n");
    spec.kmer = 0;
    expect_error(&spec, IO_ERR_ARGUMENT, "32");
    spec.kmer = 33;
    expect_error(&spec, IO_ERR_ARGUMENT, "32");
}

/* ---- Columns ----------------------------------------------------------------------------------------------------------- */

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
    write_text("\"1\"\n"); /* tsv knows no quotes */
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
        {"a,1\n\nb,1\n", IO_ERR_COLUMN, "line 2: no column 2, the line has 1"},
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
        expected[i] = draw() >> draw() % 64;
        length += (size_t)sprintf(text + length, draw() % 2 == 0 ? "\"q,%zu\",%llu\r\n" : "%zu,\"%llu\",\n", i % 1000,
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

/* ---- Binary integers --------------------------------------------------------------------------------------------------- */

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
    expect_error(&spec, IO_ERR_ARGUMENT, "u32 or u64");
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
        else expect_error(&u32, IO_ERR_TRUNCATED, "no multiple of 4");
        if (n % 8 != 0) expect_error(&u64, IO_ERR_TRUNCATED, "no multiple of 8");
    }
}

/* ---- .npy -------------------------------------------------------------------------------------------------------------- */

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
        "{'descr': '<u8', 'fortran_order': True, 'shape': (2,)}",
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
        "{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}",
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
    expect_error(&spec, IO_ERR_FORMAT, "no .npy");
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
        FILE *file = fopen(path, "rb");
        assert_int_equal(fread(whole, 1, bytes, file), bytes);
        fclose(file);
        write_file(whole, bytes);
        expect_error(&spec, IO_ERR_TRUNCATED, "truncated");
    }
    /* The most that a header can announce: no memory is taken for it. */
    write_npy(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (2305843009213693951,)}", npy_data, 16);
    expect_error(&spec, IO_ERR_TRUNCATED, "truncated");
}

/* ---- Anything ---------------------------------------------------------------------------------------------------------- */

/* ---- Block traces ------------------------------------------------------------------------------------------------------ */

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
        {"1 1 0 0\n1,1\n", "line 2: it is no `start count"},
        {"-1 1\n", "line 1: it is no `start count"},
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

static void files_that_cannot_be_read(void **state)
{
    (void)state;
    struct io_reader *reader;
    const struct io_spec spec = raw_spec(IO_U32, false);
    assert_int_equal(io_reader_open(&reader, "/nowhere/at/all", &spec, &error), IO_ERR_SYSTEM);
    assert_null(reader);
    assert_non_null(strstr(error.text, "/nowhere/at/all: "));
    assert_int_equal(io_reader_open(&reader, "/", &spec, &error), IO_ERR_SYSTEM);
    assert_null(reader);
    io_reader_close(NULL);
}

/* Random bytes, mostly from what each layout knows: keys or an error, never more. */
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
        const size_t n = draw() % sizeof bytes;
        const char *alphabet = alphabets[draw() % COUNT_OF(alphabets)];
        for (size_t i = 0; i < n; i++) bytes[i] = draw() % 30 == 0 ? (uint8_t)draw() : (uint8_t)alphabet[draw() % strlen(alphabet)];
        write_text(heads[draw() % COUNT_OF(heads)]);
        append_file(bytes, n);
        for (size_t s = 0; s < COUNT_OF(specs); s++) {
            struct keys keys;
            const enum io_status status = read_keys(&specs[s], 1 + draw() % 9, &keys);
            assert_true((status == IO_OK) == (error.text[0] == 0));
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
        cmocka_unit_test(truncated_and_damaged_compression_is_refused),
        cmocka_unit_test(wide_windows_are_read),
        cmocka_unit_test(old_frames_are_refused),
        cmocka_unit_test(verbatim_reads_what_looks_compressed),
        cmocka_unit_test(kmers_of_small_records),
        cmocka_unit_test(kmers_agree_with_strings),
        cmocka_unit_test(palindromes_and_extremes),
        cmocka_unit_test(what_is_no_fasta_is_refused),
        cmocka_unit_test(columns_of_small_files),
        cmocka_unit_test(columns_by_name_and_behind_headers),
        cmocka_unit_test(numbers_have_their_limits),
        cmocka_unit_test(wrong_fields_are_named),
        cmocka_unit_test(long_lines_need_no_memory_of_their_own),
        cmocka_unit_test(many_lines_cross_chunks),
        cmocka_unit_test(raw_integers_in_both_orders),
        cmocka_unit_test(raw_remainders_are_refused),
        cmocka_unit_test(npy_types_and_versions),
        cmocka_unit_test(hostile_npy_headers_are_refused),
        cmocka_unit_test(npy_files_of_a_wrong_length_are_refused),
        cmocka_unit_test(traces_expand_to_their_blocks),
        cmocka_unit_test(wrong_traces_are_refused),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(random_files_end_somehow),
        cmocka_unit_test(statuses_have_words),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
