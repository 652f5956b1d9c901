/* Every file operation and allocation of the readers fails once, for every layout and
 * compression: the k-th of each kind, for k = 1, 2, ... until there is none.  An interrupted or
 * short read changes nothing.  Every other failure gives a status and a text that names the
 * file.  Neither memory nor descriptors leak. */
#define _GNU_SOURCE 1
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bzlib.h>
#include <cmocka.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "io/io_reader.h"
#include "support/faulty_files.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static char path[64];

/* ---- Files, of some chunks each ------------------------------------------------------------- */

enum { ROOM = 1 << 20 };
static char text[ROOM];

struct layout {
    const char *name;
    struct io_spec spec;
    size_t (*write)(void); /* writes into `text`; returns the bytes */
};

static size_t write_fasta(void)
{
    size_t n = (size_t)sprintf(text, ">record\n");
    for (unsigned i = 0; n < 400000; i++) text[n++] = i % 61 == 60 ? '\n' : "ACGT"[i * i % 7 % 4];
    return n;
}

static size_t write_fastq(void)
{
    size_t n = 0;
    for (unsigned i = 0; n < 400000; i++)
        n += (size_t)sprintf(text + n, "@read %u\nACGT%cTTGACCAGT\nGA\n+\n@+IIIIIIIIIIII\nII\n", i, "ACGT"[i * i % 7 % 4]);
    return n;
}

static size_t write_lines(void)
{
    size_t n = (size_t)sprintf(text, "id,key\n");
    for (unsigned i = 0; n < 300000; i++) n += (size_t)sprintf(text + n, "%u,\"%u\"\n", i, i * 2654435761u);
    return n;
}

static size_t write_words(void)
{
    for (uint32_t i = 0; i < 75000; i++) {
        const uint32_t word = i * 2654435761u;
        memcpy(text + i * sizeof word, &word, sizeof word);
    }
    return 300000;
}

static size_t write_npy(void)
{
    static const char header[] = "\x93NUMPY\x01\x00\x40\x00{'descr': '<u4', 'fortran_order': False, 'shape': (75000,), }  \n";
    const size_t bytes = write_words();
    memmove(text + sizeof header - 1, text, bytes);
    memcpy(text, header, sizeof header - 1);
    return bytes + sizeof header - 1;
}

static size_t write_npy_bytes(void)
{
    static const char header[] = "\x93NUMPY\x01\x00\x40\x00{'descr': '|S4', 'fortran_order': False, 'shape': (75000,), }  \n";
    const size_t bytes = write_npy();
    memcpy(text, header, sizeof header - 1);
    return bytes;
}

static size_t write_trace(void)
{
    size_t n = 0;
    for (unsigned i = 0; n < 300000; i++) n += (size_t)sprintf(text + n, "%u %u 0 %u\n", i * 977, i % 3, i);
    return n;
}

static const struct layout layouts[] = {
    {"fasta", {.layout = IO_FASTA, .kmer = 11}, write_fasta},
    {"fastq", {.layout = IO_FASTA, .kmer = 11}, write_fastq},
    {"long k-mers", {.layout = IO_FASTA, .kmer = 45}, write_fasta},
    {"column", {.layout = IO_COLUMN, .name = "key"}, write_lines},
    {"raw", {.layout = IO_RAW, .raw = IO_U32}, write_words},
    {"npy", {.layout = IO_NPY}, write_npy},
    {"npy of bytes", {.layout = IO_NPY}, write_npy_bytes},
    {"arc", {.layout = IO_ARC}, write_trace},
    {"signed", {.layout = IO_COLUMN, .name = "key", .field = IO_SIGNED_I64, .leave_out = true}, write_lines},
    {"strings", {.layout = IO_COLUMN, .name = "key", .field = IO_FIELD_STRING}, write_lines},
    {"words", {.layout = IO_WORDS}, write_trace},
    {"bytes", {.layout = IO_RAW, .raw = IO_BYTES, .key_bytes = 24}, write_words},
};

enum compression { PLAIN, GZIP, ZSTANDARD, BZIP2, XZ, COMPRESSIONS };
static const char *const compressions[] = {"plain", "gzip", "zstd", "bzip2", "xz"};

static void write_file(size_t bytes, enum compression compression)
{
    static char frame[ROOM + ROOM / 8];
    const char *const from = compression == PLAIN || compression == GZIP ? text : frame;
    if (compression == ZSTANDARD) {
        bytes = ZSTD_compress(frame, sizeof frame, text, bytes, 1);
        assert_false(ZSTD_isError(bytes));
    } else if (compression == BZIP2) {
        unsigned length = sizeof frame;
        assert_int_equal(BZ2_bzBuffToBuffCompress(frame, &length, text, (unsigned)bytes, 1, 0, 0), BZ_OK);
        bytes = length;
    } else if (compression == XZ) {
        size_t length = 0;
        const lzma_ret result = lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, bytes, (uint8_t *)frame,
                                                        &length, sizeof frame);
        assert_int_equal(result, LZMA_OK);
        bytes = length;
    }
    gzFile file = gzopen(path, compression == GZIP ? "wb1" : "wbT");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, from, (unsigned)bytes), bytes);
    assert_int_equal(gzclose(file), Z_OK);
}

/* ---- Reading them --------------------------------------------------------------------------- */

struct outcome {
    enum io_status status;
    struct io_error error;
    uint64_t n, digest;
};

static void digest(struct outcome *outcome, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) outcome->digest = (outcome->digest ^ bytes[i]) * 0x100000001b3u;
}

static size_t read_strings(struct io_reader *reader, struct io_strings *strings, struct outcome *outcome)
{
    outcome->status = io_reader_next_strings(reader, strings, &outcome->error);
    if (outcome->status != IO_OK) return 0;
    digest(outcome, strings->bytes, (size_t)strings->offsets[strings->n]);
    for (size_t i = 0; i < strings->n; i++) outcome->digest += strings->offsets[i + 1] - strings->offsets[i];
    return strings->n;
}

static size_t read_keys(struct io_reader *reader, struct outcome *outcome)
{
    static uint64_t keys[IO_KEY_BYTES_MAX / 8 * 1000];
    const size_t bytes = io_reader_key_bytes(reader);
    size_t n = 0;
    outcome->status = io_reader_next(reader, keys, sizeof keys / bytes, &n, &outcome->error);
    if (outcome->status == IO_OK) digest(outcome, (const uint8_t *)keys, n * bytes);
    return n;
}

static void read_all(const struct io_spec *spec, struct outcome *outcome)
{
    static uint64_t offsets[5001];
    static uint8_t bytes[5000];
    struct io_strings strings = {offsets, COUNT_OF(offsets) - 1, bytes, sizeof bytes, 0, 0};
    struct io_reader *reader;
    memset(outcome, 0, sizeof *outcome);
    outcome->status = io_reader_open(&reader, path, spec, &outcome->error);
    for (size_t n = 1; outcome->status == IO_OK && n > 0; outcome->n += n)
        n = io_reader_key_type(reader) == IO_STRING ? read_strings(reader, &strings, outcome) : read_keys(reader, outcome);
    io_reader_close(reader);
}

static int next_descriptor(void)
{
    const int next = dup(STDOUT_FILENO);
    close(next);
    return next;
}

static void compare(const struct outcome *got, const struct outcome *right, enum file_fault kind)
{
    const bool harmless = kind == FILE_FAULT_interrupted || kind == FILE_FAULT_brief || kind == FILE_FAULT_close;
    if (harmless) {
        assert_int_equal(got->status, IO_OK);
        assert_int_equal(got->n, right->n);
        assert_int_equal(got->digest, right->digest);
        return;
    }
    assert_int_equal(got->status, kind == FILE_FAULT_allocate ? IO_ERR_MEMORY : IO_ERR_SYSTEM);
    assert_int_equal(got->error.status, got->status);
    assert_memory_equal(got->error.text, path, strlen(path));
    assert_true(strlen(got->error.text) > strlen(path) + 2);
}

/* Returns the last k at which a fault was injected. */
static uint64_t fail_each(const struct io_spec *spec, const struct outcome *right, enum file_fault kind)
{
    for (uint64_t k = 1;; k++) {
        struct outcome got;
        const int64_t pieces = faulty_files_pieces();
        const int descriptor = next_descriptor();
        faulty_files_arm(kind, k);
        read_all(spec, &got);
        const bool injected = faulty_files_injected();
        faulty_files_arm(kind, 0);
        assert_int_equal(faulty_files_pieces(), pieces);
        assert_int_equal(next_descriptor(), descriptor);
        compare(&got, right, injected ? kind : FILE_FAULT_brief);
        if (!injected) return k - 1;
    }
}

static void every_operation_fails(void **state)
{
    static const enum file_fault kinds[] = {FILE_FAULT_open,  FILE_FAULT_look,  FILE_FAULT_read,    FILE_FAULT_interrupted,
                                            FILE_FAULT_brief, FILE_FAULT_close, FILE_FAULT_allocate};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(layouts); i++)
        for (int compression = 0; compression < COMPRESSIONS; compression++) {
            struct outcome right;
            write_file(layouts[i].write(), (enum compression)compression);
            read_all(&layouts[i].spec, &right);
            assert_int_equal(right.status, IO_OK);
            assert_true(right.n > 10000);
            printf("%s, %s: last k:", layouts[i].name, compressions[compression]);
            for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
                const uint64_t last = fail_each(&layouts[i].spec, &right, kinds[kind]);
                printf(" %s %llu,", faulty_files_name(kinds[kind]), (unsigned long long)last);
                assert_true(last > 0);
            }
            printf("\n");
        }
}

static int make_path(void **state)
{
    (void)state;
    strcpy(path, "/tmp/roost-test-io-faults-XXXXXX");
    const int descriptor = mkstemp(path);
    if (descriptor < 0) return -1;
    return close(descriptor);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_operation_fails)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
