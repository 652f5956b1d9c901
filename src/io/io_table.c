/* Reads tables of csv or tsv in batches.
 *
 * The text comes in blocks.  Their records are shared out among threads: without quotes any line
 * end separates two records; else the block is split once to find where records end.  Each part is
 * a batch.  What follows the last record of a block is the beginning of the next one. */
#include "io_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io_layout.h"
#include "io_records.h"
#include "io_threads.h"

/* Bytes of a part.  Fuzz targets have small blocks. */
#ifdef ROOST_FUZZ
#define PART_BYTES io_fuzz_chunk
#else
#define PART_BYTES ((size_t)4 << 20)
#endif

/* Bad records that are counted if they are errors. */
#define COUNTED_MOST 1000

struct io_table {
    struct io_reader reader; /* for its stream and the bound of lines */
    struct io_table_spec spec;
    struct io_records how;
    struct io_take *takes;
    uint64_t *name_ends;
    char *names;
    uint8_t *block; /* block_bytes and IO_PADDING */
    size_t block_bytes;
    size_t at, end; /* the text in it that is not yet in parts */
    bool last;      /* the file ends with it */
    struct io_part parts[IO_THREADS_MOST];
    int threads;
    int parts_n, next; /* parts of this block, and the one to deliver next */
    uint64_t lines;    /* before that one */
    uint64_t left_out;
    char first[IO_RECORD_TEXT + 32]; /* of them */
};

static enum io_status no_memory(const struct io_table *table, struct io_error *error)
{
    return io_fail(error, IO_ERR_MEMORY, table->reader.stream->path, "out of memory");
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Makes the block longer, for a record that does not end in it. */
static enum io_status enlarge_block(struct io_table *table, struct io_error *error)
{
    const size_t bytes = 2 * table->block_bytes;
    const enum io_status status = io_check_line(&table->reader, table->lines + 1, table->end - table->at, error);
    if (status != IO_OK) return status;
    uint8_t *const block = (uint8_t *)realloc(table->block, bytes + IO_PADDING);
    if (block == NULL) return no_memory(table, error);
    table->block = block;
    table->block_bytes = bytes;
    return IO_OK;
}

/* Moves the rest of the block to its beginning, and reads until it is full. */
static enum io_status fill(struct io_table *table, struct io_error *error)
{
    size_t got;
    const size_t rest = table->end - table->at;
    memmove(table->block, table->block + table->at, rest);
    table->at = 0;
    const enum io_status status = io_stream_read(table->reader.stream, table->block + rest, table->block_bytes - rest, &got, error);
    table->end = rest + got;
    table->last = got < table->block_bytes - rest;
    memset(table->block + table->end, 0, IO_PADDING);
    return status;
}

/* ---- Parts ----------------------------------------------------------------------------------- */

static void add_part(struct io_table *table, size_t end)
{
    if (end == table->at) return;
    struct io_part *const part = &table->parts[table->parts_n++];
    part->begin = table->block + table->at;
    part->end = table->block + end;
    table->at = end;
}

/* Cuts text without quotes at line ends. */
static void cut_lines(struct io_table *table)
{
    const size_t whole = table->end - table->at;
    for (int i = 1; i < table->threads; i++) {
        const size_t from = table->end - whole / (size_t)table->threads * (size_t)(table->threads - i);
        if (from < table->at) continue;
        const uint8_t *const stop = (const uint8_t *)memchr(table->block + from, table->how.syntax.line_end, table->end - from);
        if (stop == NULL) break;
        add_part(table, (size_t)(stop - table->block) + 1);
    }
    size_t end = table->end;
    while (!table->last && end > table->at && table->block[end - 1] != table->how.syntax.line_end) end--;
    add_part(table, end);
}

/* Cuts text at ends of records.  What is wrong with the text shows when its part is parsed. */
static void cut_records(struct io_table *table)
{
    struct io_split split = {.syntax = table->how.syntax, .skip_blank = table->spec.skip_blank};
    const size_t first = table->at, share = (table->end - first) / (size_t)table->threads + 1;
    enum io_split_result result = IO_SPLIT_RECORD;
    io_split_begin(&split, table->block + first, table->block + table->end, table->last);
    while (result == IO_SPLIT_RECORD) {
        result = io_split_next(&split);
        const size_t end = (size_t)(split.at - table->block);
        if (result == IO_SPLIT_RECORD && end - table->at >= share) add_part(table, end);
    }
    if (result == IO_SPLIT_END || result == IO_SPLIT_PART) add_part(table, (size_t)(split.at - table->block));
    else add_part(table, table->end);
}

static void parse_part(void *context, int i)
{
    struct io_table *const table = (struct io_table *)context;
    io_part_parse(&table->parts[i], &table->how);
}

/* Parses the next records.  None are left: parts_n is 0. */
static enum io_status next_block(struct io_table *table, struct io_error *error)
{
    enum io_status status = IO_OK;
    table->parts_n = table->next = 0;
    while (table->parts_n == 0 && status == IO_OK) {
        if (table->last && table->at == table->end) return IO_OK;
        status = fill(table, error);
        if (status != IO_OK) return status;
        const bool quotes = table->how.syntax.quotes && memchr(table->block, '"', table->end) != NULL;
        (quotes ? cut_records : cut_lines)(table);
        if (table->parts_n == 0 && !table->last) status = enlarge_block(table, error);
    }
    if (status == IO_OK) io_threads_run(table->parts_n, parse_part, table);
    return status;
}

/* ---- Batches --------------------------------------------------------------------------------- */

static enum io_status fail_bad(const struct io_table *table, struct io_error *error)
{
    const uint64_t n = table->left_out;
    const char *const path = table->reader.stream->path;
    if (n == 1) return io_fail(error, IO_ERR_VALUE, path, "%s", table->first);
    return io_fail(error, IO_ERR_VALUE, path, "%s (the first of %s%llu bad records; --bad skip leaves them out)", table->first,
                   n > COUNTED_MOST ? "more than " : "", (unsigned long long)(n > COUNTED_MOST ? COUNTED_MOST : n));
}

/* Counts what is bad in the part, and fails if the part did. */
static enum io_status take_part(struct io_table *table, const struct io_part *part, struct io_error *error)
{
    if (part->bad > 0 && table->left_out == 0)
        snprintf(table->first, sizeof table->first, "line %llu: %s", (unsigned long long)(table->lines + part->bad_line + 1),
                 part->bad_text);
    table->left_out += part->bad;
    if (part->status != IO_OK)
        return io_fail(error, part->status, table->reader.stream->path, "line %llu: %s",
                       (unsigned long long)(table->lines + part->wrong_line + 1), part->wrong_text);
    table->lines += part->lines;
    return IO_OK;
}

/* Is a bad record the error? */
static bool is_failing(const struct io_table *table) { return table->spec.bad == IO_BAD_ERROR && table->left_out > 0; }

enum io_status io_table_next(struct io_table *table, struct io_batch *batch, struct io_error *error)
{
    enum io_status status = IO_OK;
    batch->rows = 0;
    while (status == IO_OK && batch->rows == 0) {
        if (is_failing(table) && table->left_out > COUNTED_MOST) break;
        if (table->next == table->parts_n) status = next_block(table, error);
        if (status != IO_OK || table->parts_n == 0) break;
        const struct io_part *const part = &table->parts[table->next++];
        status = take_part(table, part, error);
        if (is_failing(table)) continue;
        batch->rows = part->rows;
        batch->taken = part->taken;
    }
    return is_failing(table) ? fail_bad(table, error) : status;
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Copies the names, which are the fields of the header. */
static enum io_status take_names(struct io_table *table, const struct io_split *split, struct io_error *error)
{
    size_t used = 0;
    table->names = (char *)malloc((size_t)(split->stop - split->begin) + 1);
    table->name_ends = (uint64_t *)malloc(split->n * sizeof *table->name_ends);
    if (table->names == NULL || table->name_ends == NULL) return no_memory(table, error);
    for (size_t c = 0; c < split->n; c++) {
        const struct io_piece *const piece = &split->pieces[c];
        for (size_t i = 0; i < piece->length; i++) {
            table->names[used++] = (char)piece->at[i];
            if (piece->doubled && piece->at[i] == '"') i++;
        }
        table->name_ends[c] = used;
    }
    table->how.columns = split->n;
    table->how.names = table->names;
    table->how.name_ends = table->name_ends;
    return IO_OK;
}

/* Splits the header, which the block may not hold. */
static enum io_status find_header(struct io_table *table, struct io_split *split, struct io_error *error)
{
    for (;;) {
        enum io_status status = fill(table, error);
        if (status != IO_OK) return status;
        io_split_begin(split, table->block, table->block + table->end, table->last);
        const enum io_split_result result = io_split_next(split);
        const char *const why = result == IO_SPLIT_END && table->last ? "empty: there is no header line" : io_split_words(result);
        if (why != NULL) return io_fail(error, IO_ERR_FORMAT, table->reader.stream->path, "%s", why);
        if (result == IO_SPLIT_RECORD) return IO_OK;
        status = enlarge_block(table, error);
        if (status != IO_OK) return status;
    }
}

static enum io_status read_header(struct io_table *table, struct io_error *error)
{
    struct io_split split = {.syntax = table->how.syntax, .skip_blank = table->spec.skip_blank};
    split.pieces = (struct io_piece *)malloc(IO_COLUMNS_MOST * sizeof *split.pieces);
    split.room = IO_COLUMNS_MOST;
    if (split.pieces == NULL) return no_memory(table, error);
    enum io_status status = find_header(table, &split, error);
    if (status == IO_OK && split.n > IO_COLUMNS_MOST)
        status = io_fail(error, IO_ERR_FORMAT, table->reader.stream->path, "the header has more than %d columns", IO_COLUMNS_MOST);
    if (status == IO_OK) status = take_names(table, &split, error);
    free(split.pieces);
    if (status != IO_OK) return status;
    table->at = (size_t)(split.at - table->block);
    table->lines = split.lines;
    return IO_OK;
}

/* ---- Opening and closing --------------------------------------------------------------------- */

static enum io_status begin(struct io_table *table, struct io_error *error)
{
    const struct io_table_spec *const spec = &table->spec;
    struct io_reader *const reader = &table->reader;
    reader->spec.separator = spec->separator;
    reader->spec.comment = spec->comment;
    reader->spec.max_line = spec->max_line;
    table->how.spec = spec;
    table->threads = spec->threads < IO_THREADS_MOST ? spec->threads : IO_THREADS_MOST;
    table->block_bytes = PART_BYTES * (size_t)table->threads;
    table->block = (uint8_t *)malloc(table->block_bytes + IO_PADDING);
    if (table->block == NULL) return no_memory(table, error);
    const enum io_status status = io_begin_text(reader, error);
    if (status != IO_OK) return status;
    table->how.syntax = io_syntax_guess(&reader->spec, reader->stream->at, reader->stream->end);
    return read_header(table, error);
}

enum io_status io_table_open(struct io_table **table, const char *path, const struct io_table_spec *spec, struct io_error *error)
{
    *table = NULL;
    struct io_table *const t = (struct io_table *)calloc(1, sizeof *t);
    if (t == NULL) return io_fail(error, IO_ERR_MEMORY, path, "out of memory");
    t->spec = *spec;
    enum io_status status = io_stream_open(&t->reader.stream, path, spec->verbatim, error);
    if (status == IO_OK) status = begin(t, error);
    if (status != IO_OK) {
        io_table_close(t);
        return status;
    }
    *table = t;
    return IO_OK;
}

size_t io_table_columns(const struct io_table *table) { return table->how.columns; }

const char *io_table_name(const struct io_table *table, size_t column, size_t *length)
{
    const uint64_t begin = column > 0 ? table->name_ends[column - 1] : 0;
    *length = (size_t)(table->name_ends[column] - begin);
    return table->names + begin;
}

enum io_status io_table_take(struct io_table *table, const struct io_take *takes, size_t n, struct io_error *error)
{
    if (n > IO_TAKES_MOST)
        return io_fail(error, IO_ERR_ARGUMENT, table->reader.stream->path, "more than %d columns are wanted", IO_TAKES_MOST);
    table->takes = (struct io_take *)malloc((n + 1) * sizeof *table->takes);
    if (table->takes == NULL) return no_memory(table, error);
    memcpy(table->takes, takes, n * sizeof *takes);
    table->how.takes = table->takes;
    table->how.takes_n = n;
    for (int i = 0; i < table->threads; i++)
        if (!io_part_make(&table->parts[i], &table->how)) return no_memory(table, error);
    return IO_OK;
}

void io_table_left_out(const struct io_table *table, struct io_left_out *left_out)
{
    left_out->bytes = table->reader.stream->left_out;
    left_out->records = table->left_out;
    left_out->first = table->first;
}

uint64_t io_table_position(const struct io_table *table) { return table->reader.stream->file_position; }

void io_table_close(struct io_table *table)
{
    if (table == NULL) return;
    for (int i = 0; i < table->threads; i++) io_part_release(&table->parts[i], &table->how);
    io_stream_close(table->reader.stream);
    free(table->block);
    free(table->takes);
    free(table->names);
    free(table->name_ends);
    free(table);
}
