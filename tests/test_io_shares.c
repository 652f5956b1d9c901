/* Parts of key files: read one after another, all parts of a file have its keys, in their order,
 * whatever the file has where it is cut, and however many parts there are. */
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

enum { KEYS_MOST = 1 << 20, TEXT_MOST = 3000, FILES = 300, PARTS_MOST = 9 };

static struct dice dice = {1};

struct delivered {
    uint64_t key[KEYS_MOST];
    size_t n;
};
static struct delivered whole, parts;

/* Appends the keys of one part of key_file; returns false on an error of the file. */
static bool part_read(const struct io_spec *spec, uint64_t share, uint64_t shares, struct delivered *keys)
{
    struct io_reader *reader;
    struct io_error error;
    uint64_t some[100];
    size_t n;
    bool divided;
    if (io_reader_open(&reader, key_file_path, spec, &error) != IO_OK) return false;
    enum io_status status = io_reader_share(reader, share, shares, &divided, &error);
    assert_int_equal(divided, shares > 1);
    do {
        if (status == IO_OK) status = io_reader_next(reader, some, sizeof some / sizeof *some, &n, &error);
        for (size_t i = 0; status == IO_OK && i < n; i++) {
            assert_true(keys->n < KEYS_MOST);
            keys->key[keys->n] = 0;
            memcpy(&keys->key[keys->n++], (const char *)some + i * io_reader_key_bytes(reader), io_reader_key_bytes(reader));
        }
    } while (status == IO_OK && n > 0);
    io_reader_close(reader);
    return status == IO_OK;
}

/* A file with an error has it in some part, too. */
static void require_parts(const struct io_spec *spec, const char *text, size_t n)
{
    whole.n = 0;
    write_file(text, n);
    const bool good = part_read(spec, 0, 1, &whole);
    for (uint64_t shares = 2; shares <= PARTS_MOST; shares++) {
        bool all_good = true;
        parts.n = 0;
        for (uint64_t share = 0; share < shares; share++) all_good = part_read(spec, share, shares, &parts) && all_good;
        if (all_good == good && (!good || (parts.n == whole.n && !memcmp(parts.key, whole.key, whole.n * sizeof *whole.key))))
            continue;
        print_error("%u parts: %zu keys, and %zu of the whole file:\n%.*s\n", (unsigned)shares, parts.n, whole.n, (int)n, text);
        fail();
    }
}

/* A text of some of the pieces, which are separated by | in `from`. */
static size_t text_draw(char *text, const char *from, size_t most)
{
    const char *piece[64];
    size_t length[64], pieces = 0, n = 0;
    for (const char *at = from; *at; at += length[pieces], pieces++, at += *at == '|')
        piece[pieces] = at, length[pieces] = strcspn(at, "|");
    while (n + 32 < most) {
        const size_t i = (size_t)draw_below(&dice, pieces);
        memcpy(text + n, piece[i], length[i]);
        n += length[i];
    }
    return n;
}

static void fasta_is_cut_anywhere(void **state)
{
    /* Letters; lines of one; breaks; headers with letters in them, short and long. */
    static const char *const kinds[] = {
        "ACGT|GATTACA|C\n|TTGACC\n|N|\r\n|\n\n|\n>ACGT ACGT\n|\n>\n|acg", "A|C|G|T", "A\n|C\n|G\r|T\n\n\n\n|N\n",
        "ACGTTGCATGACGTACGTTAGCAT|\n>a header that is much longer than a k-mer ACGTACGTACGTACGT\n|GG"};
    char text[TEXT_MOST];
    (void)state;
    for (size_t file = 0; file < FILES; file++) {
        const struct io_spec spec = {.layout = IO_FASTA, .kmer = (unsigned)(1 + draw_below(&dice, 32))};
        memcpy(text, ">x\n", 3);
        const size_t n = 3 + text_draw(text + 3, kinds[file % 4], 40 + (size_t)draw_below(&dice, TEXT_MOST - 50));
        require_parts(&spec, text, file % 10 == 9 ? draw_below(&dice, 8) : n);
    }
}

/* The line that is cut began more than a chunk before. */
static void long_lines_are_cut(void **state)
{
    enum { LETTERS = 500000 };
    const struct io_spec spec = {.layout = IO_FASTA, .kmer = 31};
    char *const text = (char *)malloc(LETTERS);
    (void)state;
    for (int line = 0; line < 2; line++) {
        for (size_t i = 0; i < LETTERS; i++) text[i] = "ACGT"[draw_below(&dice, 4)];
        memcpy(text, ">x\n", 3);
        if (line) memcpy(text + LETTERS / 2, "\n>a header ", 11), text[LETTERS - 1000] = '\n';
        require_parts(&spec, text, LETTERS);
    }
    free(text);
}

static void columns_are_cut_between_records(void **state)
{
    /* Column 1 and column 2 of csv, with line ends in quotes before or behind it; tsv, which has no
     * quotes; lines that end in CR; comments with quotes. */
    static const char *const kinds[] = {"1,2\n|34,5\n|6,\"a\nb\"\n|7,\"x\"\"\n\"\r\n|8,\n",
                                        "\"x\n\",34\n|1,2\n|,5\n|\"\"\"\n\",6\r\n", "1\t2\n|333\t4\r\n|55\t\"\n|6\t7\n",
                                        "1,2\r|34,5\r|6,\"a\rb\"\r", "1,2\n|#, \"\n|#\n|\"3\",#\n|5,\"\n#\"\n"};
    static const char *const headers[] = {"a,\"b\nc\"\n", "\"b\nc\",a\n", "a\tb\"\n", "a,\"b\rc\"\r", "#,\"\na,b\n"};
    char text[TEXT_MOST];
    (void)state;
    for (size_t file = 0; file < FILES; file++) {
        const size_t kind = file % 5, header = file / 5 % 3; /* none, skipped, with the name */
        struct io_spec spec = {
            .layout = IO_COLUMN, .column = kind == 1 ? 2 : 1, .separator = kind == 2 ? '\t' : ',', .field = IO_DECIMAL_U64};
        size_t n = 0;
        if (header == 1) spec.header = true;
        if (header == 2) spec.column = 0, spec.name = "a";
        spec.skip_blank = file % 2 == 0; /* then the header may follow empty lines */
        spec.comment = kind == 4 ? '#' : 0;
        spec.leave_out = file % 4 == 1;
        if (header) n = (size_t)sprintf(text, "%s%s", !spec.skip_blank ? "" : kind == 3 ? "\r\r" : "\n\n", headers[kind]);
        n += text_draw(text + n, kinds[kind], 40 + (size_t)draw_below(&dice, 1000));
        require_parts(&spec, text, n);
    }
}

static void raw_keys_and_traces_are_cut(void **state)
{
    char text[TEXT_MOST];
    (void)state;
    for (size_t file = 0; file < FILES; file++) {
        struct io_spec spec = {.layout = IO_RAW, .raw = file % 2 ? IO_U64 : IO_U32};
        const size_t n = (size_t)draw_below(&dice, 300);
        for (size_t i = 0; i < n; i++) text[i] = (char)draw(&dice);
        require_parts(&spec, text, file % 5 ? n / 8 * 8 : n);
        spec = (struct io_spec){.layout = IO_ARC};
        require_parts(&spec, text, text_draw(text, "1 2 0 0\n|77 3\n|\n|500 0\r\n|9 1 0", 40 + (size_t)draw_below(&dice, 400)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fasta_is_cut_anywhere), cmocka_unit_test(long_lines_are_cut),
                                       cmocka_unit_test(columns_are_cut_between_records),
                                       cmocka_unit_test(raw_keys_and_traces_are_cut)};
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
