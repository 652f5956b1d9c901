/* Writes the rows of a join.  Threads make the text of a share of the rows each. */
#include "cli/join_output.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "io/io_bytes.h"

/* ---- Texts ----------------------------------------------------------------------------------- */

bool join_texts_add(struct join_texts *texts, const struct io_taken *taken, size_t n)
{
    const uint64_t before = texts->text.used;
    if (texts->n + n > texts->room) {
        const size_t room = 2 * (texts->n + n);
        if (!io_enlarge(&texts->ends, room * sizeof *texts->ends)) return false;
        texts->room = room;
    }
    row_text_add(&texts->text, taken->bytes, (size_t)taken->offsets[n]);
    for (size_t i = 0; i < n; i++) texts->ends[texts->n++] = before + taken->offsets[i + 1];
    return row_text_room(&texts->text, IO_PADDING) != NULL;
}

/* A text of a batch or of texts that are kept. */
struct part {
    const uint8_t *at;
    size_t length;
};

static struct part kept_text(const struct join_texts *texts, uint64_t i)
{
    const uint64_t begin = i > 0 ? texts->ends[i - 1] : 0;
    return (struct part){texts->text.bytes + begin, (size_t)(texts->ends[i] - begin)};
}

static struct part left_line(const struct join_output *output, size_t i)
{
    const struct io_taken *const lines = join_side_lines(output->left);
    return (struct part){lines->bytes + lines->offsets[i], (size_t)(lines->offsets[i + 1] - lines->offsets[i])};
}

static char separator(const struct join_output *output) { return output->options->relation.tsv ? '\t' : ','; }

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Adds a row of LEFT, and one of RIGHT or nothing if it has none of the output's columns. */
static void add_row(const struct join_output *output, struct row_text *text, struct part left, const struct part *right)
{
    uint8_t *to = row_text_room(text, left.length + (right != NULL ? right->length : 0) + 2 + IO_PADDING);
    if (to == NULL) return;
    uint8_t *const begin = to;
    to = io_copy_padded(to, left.at, left.length);
    if (right != NULL) {
        *to++ = (uint8_t)separator(output);
        to = io_copy_padded(to, right->at, right->length);
    }
    *to++ = '\n';
    text->used += (size_t)(to - begin);
}

/* What the threads share: n rows, of which each thread makes a part with `make`. */
struct work {
    struct join_output *output;
    const uint64_t *left, *right;
    const uint8_t *bits;
    uint64_t base;
    size_t n;
    void (*make)(const struct work *work, struct row_text *text, size_t first, size_t end);
};

/* Matches lie anywhere in RIGHT, so what pairs ahead will need is read early: first where the line
 * is, then the line. */
enum { ENDS_AHEAD = 24, LINES_AHEAD = 12 };

static void prefetch_pairs(const struct work *work, size_t i, size_t end)
{
    const struct join_texts *const lines = &work->output->right_lines;
    if (i + ENDS_AHEAD < end && work->right[i + ENDS_AHEAD] != JOIN_NO_ROW)
        __builtin_prefetch(&lines->ends[work->right[i + ENDS_AHEAD]]);
    if (i + LINES_AHEAD < end && work->right[i + LINES_AHEAD] != JOIN_NO_ROW)
        __builtin_prefetch(kept_text(lines, work->right[i + LINES_AHEAD]).at);
}

static void make_pairs(const struct work *work, struct row_text *text, size_t first, size_t end)
{
    const struct join_output *const output = work->output;
    const bool lines = output->right->has_lines;
    const struct part none = {(const uint8_t *)output->no_right, output->no_right_n};
    for (size_t i = first; i < end; i++) {
        const uint64_t row = work->right[i];
        struct part right = none;
        if (lines) prefetch_pairs(work, i, end);
        if (lines && row != JOIN_NO_ROW) right = kept_text(&output->right_lines, row);
        add_row(output, text, left_line(output, (size_t)(work->left[i] - work->base)), lines ? &right : NULL);
    }
}

static void make_bits(const struct work *work, struct row_text *text, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (work->bits[i / 8] >> i % 8 & 1) add_row(work->output, text, left_line(work->output, i), NULL);
}

/* A row of LEFT that has only the key of a row of RIGHT. */
static void add_left_key(const struct join_output *output, struct row_text *text, uint64_t row, struct row_fields *fields)
{
    const struct join_side *const left = output->left;
    for (size_t c = 0; c < left->columns; c++) {
        if (c > 0) row_text_byte(text, separator(output));
        if (left->place[c] == 0) continue;
        const struct part key = kept_text(&output->right_keys, row);
        fields->at = key.at;
        fields->end = key.at + key.length;
        for (size_t i = 0; i < left->place[c]; i++) row_fields_next(fields);
        if (!fields->null) row_text_field(text, fields->field, fields->length, output->options->relation.tsv);
    }
}

static void make_rest(const struct work *work, struct row_text *text, size_t first, size_t end)
{
    const struct join_output *const output = work->output;
    struct row_fields fields = {.at = NULL};
    for (size_t i = first; i < end; i++) {
        add_left_key(output, text, work->right[i], &fields);
        if (output->right->has_lines) {
            const struct part line = kept_text(&output->right_lines, work->right[i]);
            row_text_byte(text, separator(output));
            row_text_add(text, line.at, line.length);
        }
        row_text_byte(text, '\n');
    }
    text->failed = text->failed || fields.unquoted.failed;
    row_text_release(&fields.unquoted);
}

static void run_share(void *context, int i)
{
    const struct work *const work = (const struct work *)context;
    const size_t share = work->n / (size_t)work->output->threads + 1, first = share * (size_t)i;
    /* Its own while it grows: the threads' buffers lie in one line. */
    struct row_text text = work->output->buffers[i];
    const size_t end = first + share < work->n ? first + share : work->n;
    text.used = 0;
    if (first < end) work->make(work, &text, first, end);
    work->output->buffers[i] = text;
}

/* ---- The file -------------------------------------------------------------------------------- */

static int write_text(struct join_output *output, const struct row_text *text)
{
    if (text->failed)
        return command_fail("%s: a field has a tab or a line end, which tsv cannot hold, or memory was refused",
                            output->file->name);
    if (text->used > 0) fwrite(text->bytes, 1, text->used, output->file->stream);
    if (!outfile_good(output->file)) return outfile_finish(output->file);
    return output->verify != NULL && text->used > 0 ? verify_join_rows(output->verify, (const char *)text->bytes, text->used) : 0;
}

static int write_work(struct join_output *output, struct work *work)
{
    int result = 0;
    io_threads_run(output->threads, run_share, work);
    for (int i = 0; i < output->threads && result == 0; i++) result = write_text(output, &output->buffers[i]);
    return result;
}

int join_output_pairs(struct join_output *output, uint64_t base, const uint64_t *left, const uint64_t *right, size_t n)
{
    struct work work = {output, left, right, NULL, base, n, make_pairs};
    output->rows += n;
    return write_work(output, &work);
}

int join_output_bits(struct join_output *output, const uint8_t *bits)
{
    struct work work = {output, NULL, NULL, bits, 0, output->left->batch.rows, make_bits};
    for (size_t i = 0; i < work.n; i++) output->rows += bits[i / 8] >> i % 8 & 1;
    return write_work(output, &work);
}

int join_output_rest(struct join_output *output, const uint64_t *right, size_t n)
{
    struct work work = {output, NULL, right, NULL, 0, n, make_rest};
    output->rows += n;
    return write_work(output, &work);
}

/* ---- The header ------------------------------------------------------------------------------ */

/* Is the name among the output's n names? */
static bool has_name(char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* A column's name as a string, with the suffix until it differs from the names before.  NULL:
 * memory is refused. */
static char *name_of(const struct join_output *output, const struct join_side *side, size_t column, char *const *names, size_t n)
{
    size_t length, used;
    const char *const suffix = output->options->suffix, *const name = io_table_name(side->table, column, &length);
    const size_t more = strlen(suffix);
    char *text = (char *)malloc(length + (n + 1) * more + 1);
    if (text == NULL) return NULL;
    memcpy(text, name, length);
    text[used = length] = 0;
    while (side == output->right && has_name(names, n, text)) {
        memcpy(text + used, suffix, more + 1);
        used += more;
    }
    return text;
}

static int write_header(struct join_output *output)
{
    const struct join_side *const sides[] = {output->left, output->right};
    struct row_text *const text = &output->buffers[0];
    char **const names = (char **)calloc(output->left->kept_n + output->right->kept_n + 1, sizeof *names);
    size_t n = 0;
    if (names == NULL) return command_fail("out of memory");
    for (size_t s = 0; s < 2; s++) {
        for (size_t k = 0; sides[s]->has_lines && k < sides[s]->kept_n; k++) {
            names[n] = name_of(output, sides[s], sides[s]->kept[k], names, n);
            text->failed = text->failed || names[n] == NULL;
            if (text->failed) break;
            if (n > 0) row_text_byte(text, separator(output));
            row_text_field(text, (const uint8_t *)names[n], strlen(names[n]), output->options->relation.tsv);
            n++;
        }
    }
    row_text_byte(text, '\n');
    for (size_t i = 0; i < n; i++) free(names[i]);
    free(names);
    return write_text(output, text);
}

int join_output_begin(struct join_output *output)
{
    const size_t fields = output->right->has_lines ? output->right->kept_n : 1;
    const int threads = relation_options_threads(&output->options->relation);
    output->threads = threads < IO_THREADS_MOST ? threads : IO_THREADS_MOST;
    output->no_right = (char *)malloc(fields + IO_PADDING);
    if (output->no_right == NULL) return command_fail("out of memory");
    memset(output->no_right, separator(output), fields + IO_PADDING);
    output->no_right_n = fields - 1;
    return write_header(output);
}

void join_output_release(struct join_output *output)
{
    for (int i = 0; i < IO_THREADS_MOST; i++) row_text_release(&output->buffers[i]);
    row_text_release(&output->right_lines.text);
    row_text_release(&output->right_keys.text);
    free(output->right_lines.ends);
    free(output->right_keys.ends);
    free(output->no_right);
}
