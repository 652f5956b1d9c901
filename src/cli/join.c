/* `roost join`: joins the rows of two tables.  RIGHT is read first, and its rows are kept as text;
 * then LEFT streams by. */
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/devices.h"
#include "cli/join_options.h"
#include "cli/join_output.h"
#include "cli/join_report.h"
#include "cli/progress.h"

#define PAIRS ((size_t)1 << 18) /* of a probe */

struct join {
    struct join_options options;
    struct join_side left, right;
    struct key_words words;
    roost_join *join;
    uint64_t *probe_rows, *build_rows; /* PAIRS of each */
    uint8_t *bits;
    size_t bits_room;
    uint64_t matched, last_matched; /* rows of LEFT with a match; the last one's number */
    double table_seconds;
    struct join_output output;
    struct outfile file;
};

static roost_column key_column(const struct join_side *side)
{
    roost_column key = ROOST_COLUMN_INIT;
    key.type = ROOST_TYPE_U64;
    key.values = side->words;
    return key;
}

static int begin(struct join *join)
{
    const struct relation_options *const relation = &join->options.relation;
    const roost_column key = key_column(&join->right);
    roost_join_config config = ROOST_JOIN_CONFIG_INIT;
    config.engine = relation->engine;
    config.device = devices_resolve(relation->device);
    config.threads = relation->threads;
    config.how = join->options.how;
    config.flags = ROOST_ORDERED;
    config.capacity = relation->capacity;
    config.key_columns = 1;
    config.keys = &key;
    join->words.device = config.device;
    join->words.threads = relation_options_threads(relation);
    join->probe_rows = (uint64_t *)malloc(PAIRS * sizeof(uint64_t));
    join->build_rows = (uint64_t *)malloc(PAIRS * sizeof(uint64_t));
    if (join->probe_rows == NULL || join->build_rows == NULL) return command_fail("out of memory");
    return roost_join_create(&join->join, &config) == ROOST_OK ? 0 : relation_fail("the join");
}

/* ---- RIGHT ----------------------------------------------------------------------------------- */

/* Keeps the text of the batch's rows, and for rows without a match that of their keys. */
static int keep_batch(struct join *join)
{
    const struct join_side *const right = &join->right;
    struct join_output *const output = &join->output;
    bool kept = !right->has_lines || join_texts_add(&output->right_lines, join_side_lines(right), right->batch.rows);
    if (join->options.how == ROOST_JOIN_FULL)
        kept = kept && join_texts_add(&output->right_keys, join_side_keys(right), right->batch.rows);
    return kept ? 0 : command_fail("out of memory for the rows of %s", right->path);
}

static int build(struct join *join)
{
    struct join_side *const right = &join->right;
    for (;;) {
        int result = join_side_next(right);
        if (result != 0 || right->batch.rows == 0) return result;
        const double start = clock_seconds();
        result = join_side_words(right, &join->words, false, KEY_WORD_OTHER);
        if (result != 0) return result;
        const roost_column key = key_column(right);
        if (roost_join_build(join->join, &key, right->batch.rows, NULL) != ROOST_OK) return relation_fail("the join");
        join->table_seconds += clock_seconds() - start;
        result = keep_batch(join);
        if (result != 0) return result;
        progress_show(io_table_position(right->table), right->rows);
    }
}

/* ---- LEFT ------------------------------------------------------------------------------------ */

static void count_matched(struct join *join, size_t pairs)
{
    for (size_t i = 0; i < pairs; i++) {
        join->matched += join->build_rows[i] != JOIN_NO_ROW && join->probe_rows[i] != join->last_matched;
        join->last_matched = join->probe_rows[i];
    }
}

static int probe_pairs(struct join *join, const roost_column *key)
{
    const struct join_side *const left = &join->left;
    roost_join_cursor cursor = {0, 0, 0};
    int result = 0;
    while (!cursor.end && result == 0) {
        size_t pairs;
        const double start = clock_seconds();
        if (roost_join_probe(join->join, key, left->batch.rows, &cursor, join->probe_rows, join->build_rows, PAIRS, &pairs, NULL) !=
            ROOST_OK)
            return relation_fail("the join");
        join->table_seconds += clock_seconds() - start;
        count_matched(join, pairs);
        result = join_output_pairs(&join->output, left->rows - left->batch.rows, join->probe_rows, join->build_rows, pairs);
    }
    return result;
}

static int probe_bits(struct join *join, const roost_column *key)
{
    const size_t rows = join->left.batch.rows, bytes = (rows + 7) / 8;
    const uint64_t before = join->output.rows;
    if (bytes > join->bits_room) {
        free(join->bits);
        join->bits = (uint8_t *)malloc(bytes);
        join->bits_room = join->bits != NULL ? bytes : 0;
        if (join->bits == NULL) return command_fail("out of memory for a batch of %zu rows", rows);
    }
    const double start = clock_seconds();
    if (roost_join_bits(join->join, key, rows, join->bits, NULL) != ROOST_OK) return relation_fail("the join");
    join->table_seconds += clock_seconds() - start;
    const int result = join_output_bits(&join->output, join->bits);
    const uint64_t written = join->output.rows - before;
    join->matched += join->options.how == ROOST_JOIN_SEMI ? written : rows - written;
    return result;
}

static int probe(struct join *join)
{
    struct join_side *const left = &join->left;
    for (;;) {
        int result = join_side_next(left);
        if (result != 0 || left->batch.rows == 0) return result;
        const double start = clock_seconds();
        result = join_side_words(left, &join->words, true, KEY_WORD_NONE);
        join->table_seconds += clock_seconds() - start;
        if (result != 0) return result;
        const roost_column key = key_column(left);
        result = join_has_right(&join->options) ? probe_pairs(join, &key) : probe_bits(join, &key);
        if (result != 0) return result;
        progress_show(io_table_position(join->right.table) + io_table_position(left->table), left->rows);
    }
}

/* Rows of RIGHT without a match. */
static int rest(struct join *join)
{
    roost_join_cursor cursor = {0, 0, 0};
    int result = 0;
    while (!cursor.end && result == 0) {
        size_t rows;
        if (roost_join_rest(join->join, &cursor, join->build_rows, PAIRS, &rows, NULL) != ROOST_OK)
            return relation_fail("the join");
        result = join_output_rest(&join->output, join->build_rows, rows);
    }
    return result;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static int begin_verify(struct join *join)
{
    static const enum verify_how hows[] = {[ROOST_JOIN_INNER] = VERIFY_INNER,
                                           [ROOST_JOIN_LEFT] = VERIFY_LEFT,
                                           [ROOST_JOIN_FULL] = VERIFY_FULL,
                                           [ROOST_JOIN_SEMI] = VERIFY_SEMI,
                                           [ROOST_JOIN_ANTI] = VERIFY_ANTI};
    struct verify_join_plan plan;
    if (!join->options.relation.verify) return 0;
    memset(&plan, 0, sizeof plan);
    relation_options_verify(&join->options.relation, &plan.rows);
    plan.left = (const char *const *)join->options.left.name;
    plan.right = (const char *const *)join->options.right.name;
    plan.keys_n = join->options.on.n;
    plan.how = hows[join->options.how];
    plan.suffix = join->options.suffix;
    return verify_join_begin(&join->output.verify, &plan);
}

static int read_and_write(struct join *join)
{
    const struct relation_options *const relation = &join->options.relation;
    int result = join_side_open(&join->left, &join->options, 0, &join->options.left, true);
    if (result == 0) result = join_side_open(&join->right, &join->options, 1, &join->options.right, false);
    if (result == 0) result = begin_verify(join);
    if (result == 0) result = begin(join);
    if (result == 0) result = join_output_begin(&join->output);
    if (result == 0) result = build(join);
    if (result == 0) join->right.left_out = relation_options_warn(relation, join->right.path, join->right.table);
    if (result == 0) result = probe(join);
    if (result == 0) join->left.left_out = relation_options_warn(relation, join->left.path, join->left.table);
    if (result == 0 && join->options.how == ROOST_JOIN_FULL) result = rest(join);
    if (result == 0 && join->output.verify != NULL)
        result = verify_join_end(join->output.verify, join->left.left_out + join->right.left_out);
    progress_end();
    return result;
}

static int run(struct join *join)
{
    const struct relation_options *const relation = &join->options.relation;
    const double start = clock_seconds();
    uint64_t bytes;
    int result = relation_options_check_files(relation, &bytes);
    if (result == 0) result = outfile_open(&join->file, relation->output);
    if (result != 0) return result;
    progress_begin(bytes, relation->quiet);
    result = read_and_write(join);
    if (result == 0) result = outfile_finish(&join->file);
    if (result == 0) result = outfile_commit(&join->file);
    const struct join_report report = {&join->options,    &join->left,         &join->right,           join->matched,
                                       join->output.rows, join->table_seconds, clock_seconds() - start};
    return result == 0 ? join_report_print(&report) : result;
}

int join_main(int argc, char **argv)
{
    struct join *const join = (struct join *)calloc(1, sizeof *join);
    if (join == NULL) return command_fail("out of memory");
    join->last_matched = UINT64_MAX;
    join->output.options = &join->options;
    join->output.left = &join->left;
    join->output.right = &join->right;
    join->output.file = &join->file;
    int result = join_options_parse(&join->options, argc, argv);
    if (result == 0 && !join->options.relation.help) result = run(join);
    verify_join_close(join->output.verify);
    outfile_discard(&join->file);
    join_output_release(&join->output);
    roost_join_destroy(join->join);
    key_words_release(&join->words);
    join_side_close(&join->left);
    join_side_close(&join->right);
    free(join->probe_rows);
    free(join->build_rows);
    free(join->bits);
    join_options_release(&join->options);
    free(join);
    return result;
}
