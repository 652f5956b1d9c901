/* Tables of csv or tsv, of which all columns are taken as text, and one as numbers.  Two ways of
 * reading, with one thread and with three, give the same.  What was read, written as csv, is read
 * again as it stands: NULL, the empty string, quotes and line ends survive. */
#include <stdlib.h>
#include <string.h>

#include "io/io_table.h"
#include "reading.h"

enum { FILE_MOST = 1024, TEXT_MOST = 16 * FILE_MOST, ROWS_MOST = FILE_MOST + 1 };

struct result {
    enum io_status status;
    struct io_error error;
    struct io_left_out left_out;
    size_t columns, rows, n;
    char text[TEXT_MOST]; /* a header of other names, and the records */
    uint8_t kinds[ROWS_MOST];
    uint64_t numbers[ROWS_MOST];
};

static void add(struct result *result, const void *bytes, size_t n)
{
    FUZZ_CHECK(n <= TEXT_MOST - result->n);
    if (n > 0) memcpy(result->text + result->n, bytes, n);
    result->n += n;
}

static void add_header(struct result *result)
{
    for (size_t c = 0; c < result->columns; c++) {
        if (c > 0) add(result, ",", 1);
        add(result, "c", 1);
    }
    add(result, "\n", 1);
}

static bool has_bit(const uint8_t *bits, size_t i) { return bits[i / 8] >> i % 8 & 1; }

/* Adds record i of a batch.  Its number is an integer, another one, or neither. */
static void add_record(struct result *result, const struct io_batch *batch, size_t i)
{
    const struct io_taken *const text = &batch->taken[0], *const number = &batch->taken[1];
    const bool whole = has_bit(number->whole_validity, i), real = has_bit(number->real_validity, i);
    FUZZ_CHECK(result->rows < ROWS_MOST && !(whole && real));
    add(result, text->bytes + text->offsets[i], (size_t)(text->offsets[i + 1] - text->offsets[i]));
    add(result, "\n", 1);
    result->kinds[result->rows] = (uint8_t)(whole | real << 1);
    result->numbers[result->rows] = 0;
    if (whole) memcpy(&result->numbers[result->rows], &number->whole[i], sizeof(uint64_t));
    if (real) memcpy(&result->numbers[result->rows], &number->real[i], sizeof(uint64_t));
    result->rows++;
}

static void take_all(struct io_table *table, struct result *result)
{
    static size_t columns[IO_COLUMNS_MOST];
    struct io_batch batch = {.rows = 1};
    result->columns = io_table_columns(table);
    FUZZ_CHECK(result->columns > 0 && result->columns <= FILE_MOST + 1);
    for (size_t c = 0; c < result->columns; c++) columns[c] = c;
    const struct io_take takes[] = {
        {.kind = IO_TAKE_TEXT, .columns = columns, .n = result->columns, .separator = ',', .quotes = true},
        {.kind = IO_TAKE_NUMBER, .columns = columns + result->columns - 1, .n = 1}};
    add_header(result);
    result->status = io_table_take(table, takes, 2, &result->error);
    while (result->status == IO_OK && batch.rows > 0) {
        result->status = io_table_next(table, &batch, &result->error);
        for (size_t i = 0; result->status == IO_OK && i < batch.rows; i++) add_record(result, &batch, i);
    }
    io_table_left_out(table, &result->left_out);
}

static void read_table(struct fuzz_bytes file, const struct io_table_spec *spec, struct fuzz_way way, struct result *result)
{
    struct io_table *table;
    fuzz_serve(file, way);
    result->n = result->rows = result->columns = 0;
    result->error.status = IO_OK;
    result->error.text[0] = 0;
    result->status = io_table_open(&table, FUZZ_PATH, spec, &result->error);
    FUZZ_CHECK((result->status == IO_OK) == (table != NULL));
    if (table != NULL) take_all(table, result);
    io_table_close(table);
    FUZZ_CHECK(!fuzz_is_open());
    FUZZ_CHECK(result->status != IO_ERR_SYSTEM && result->status != IO_ERR_MEMORY && result->status == result->error.status);
    FUZZ_CHECK(result->status == IO_OK || strncmp(result->error.text, FUZZ_PATH ": ", strlen(FUZZ_PATH ": ")) == 0);
}

static bool same_text(const struct result *a, const struct result *b)
{
    return a->n == b->n && memcmp(a->text, b->text, a->n) == 0;
}

static bool same_numbers(const struct result *a, const struct result *b)
{
    return a->rows == b->rows && memcmp(a->kinds, b->kinds, a->rows) == 0 &&
           memcmp(a->numbers, b->numbers, a->rows * sizeof a->numbers[0]) == 0;
}

/* Up to an error they may deliver another number of records. */
static void agree(const struct result *a, const struct result *b)
{
    FUZZ_CHECK(a->status == b->status && strcmp(a->error.text, b->error.text) == 0);
    if (a->status != IO_OK) return;
    FUZZ_CHECK(same_text(a, b) && same_numbers(a, b));
    FUZZ_CHECK(a->left_out.records == b->left_out.records);
}

/* The options that a byte encodes. */
static struct io_table_spec spec_of(uint8_t form)
{
    static const char separators[] = {0, ',', '\t', ';'};
    struct io_table_spec spec = {.verbatim = true, .threads = 1};
    spec.separator = separators[form & 3];
    spec.bad = (enum io_bad)((form >> 2 & 3) % 3);
    spec.skip_blank = (form & 16) != 0;
    spec.comment = (form & 32) != 0 ? '#' : 0;
    spec.null = (form & 64) != 0 ? "NA" : NULL;
    spec.max_line = (form & 128) != 0 ? 100 : 0;
    return spec;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    static struct result first, second, again;
    struct fuzz_bytes input = {bytes, n};
    struct fuzz_way one = fuzz_way_of(fuzz_take(&input)), other = fuzz_way_of(fuzz_take(&input));
    struct io_table_spec spec = spec_of(fuzz_take(&input));
    if (input.n > FILE_MOST) return 0;
    /* One block: from its beginning the separator and the kind of line ends are guessed, and of
     * several errors the one that is told depends on where blocks end. */
    one.chunk = other.chunk = FILE_MOST;
    read_table(input, &spec, one, &first);
    spec.threads = 3;
    read_table(input, &spec, other, &second);
    agree(&first, &second);
    if (first.status != IO_OK) return 0;
    const struct io_table_spec plain = {.verbatim = true, .separator = ',', .bad = spec.bad, .threads = 2};
    read_table((struct fuzz_bytes){(const uint8_t *)first.text, first.n}, &plain, one, &again);
    FUZZ_CHECK(again.status == IO_OK && same_text(&first, &again) && same_numbers(&first, &again));
    return 0;
}
