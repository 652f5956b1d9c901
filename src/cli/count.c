/* `roost count`: reads keys in batches, adds one to each key's count in a table, and reports. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/count_list.h"
#include "cli/count_options.h"
#include "cli/count_plan.h"
#include "cli/count_report.h"
#include "cli/curve.h"
#include "cli/devices.h"
#include "cli/harvest.h"
#include "cli/key_batch.h"
#include "cli/key_note.h"
#include "cli/outfile.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/picture.h"
#include "cli/verify.h"
#include "roost/roost.h"

/* Added to a key's count per occurrence. */
#define STEP ((uint64_t)1)

struct count {
    struct count_options options;
    struct count_plan plan;
    roost_config config;
    roost_table *table;
    struct io_reader *reader;
    struct key_kind kind;
    struct key_batch batch;
    void *steps; /* STEP for each key of a batch */
    uint64_t total;
    uint64_t left_out; /* records without a key */
    uint64_t batches;
    uint64_t bytes_done; /* bytes of the files before the current one */
    double table_seconds;
    double whole_seconds;
    roost_stats stats;
    struct harvest harvest;
    struct curve curve;
    struct outfile output, histogram, plot;
};

static uint64_t largest_count(const struct count *count) { return count->options.count_bits == 32 ? UINT32_MAX : UINT64_MAX; }

static struct key_form form(const struct count *count) { return input_options_form(&count->options.work.input, count->kind); }

/* Does the table lie on several ranks, or devices? */
static bool is_spread(const struct count *count)
{
    const char *const devices = devices_resolve(count->options.work.table.device);
    return ranks_get()->ranks > 1 || (devices != NULL && strchr(devices, ',') != NULL);
}

/* ---- Before counting ------------------------------------------------------------------------- */

static int open_outputs(struct count *count)
{
    const struct count_options *options = &count->options;
    int result = 0;
    if (options->histogram_drawn || options->work.plot != NULL) result = picture_check_gnuplot();
    if (result == 0 && options->output != NULL) result = outfile_open(&count->output, options->output);
    if (result == 0 && options->histogram != NULL) result = outfile_open(&count->histogram, options->histogram);
    if (result == 0 && options->work.plot != NULL) result = outfile_open(&count->plot, options->work.plot);
    if (result == 0 && !is_spread(count)) result = snapshot_output_open(&count->options.save);
    return result;
}

static int make_table(struct count *count)
{
    table_options_config(&count->options.work.table, count->kind, &count->config);
    count->config.value_type = count->options.count_bits == 32 ? ROOST_TYPE_U32 : ROOST_TYPE_U64;
    count->config.saturate = 1;
    count_plan_apply(&count->plan, &count->config);
    return table_options_create(&count->table, &count->config);
}

static int make_batch(struct count *count)
{
    const size_t batch = count->plan.batch;
    const size_t step_bytes = count->options.count_bits / 8;
    const int result = key_batch_make(&count->batch, count->kind, batch);
    if (result != 0) return result;
    count->steps = malloc(batch * step_bytes);
    if (count->steps == NULL) return command_fail("out of memory for a batch of %zu keys", batch);
    for (size_t i = 0; i < batch; i++) {
        if (step_bytes == 4) ((uint32_t *)count->steps)[i] = (uint32_t)STEP;
        else ((uint64_t *)count->steps)[i] = STEP;
    }
    return 0;
}

/* ---- Counting -------------------------------------------------------------------------------- */

static int add_point(struct count *count)
{
    if (count->options.work.plot == NULL) return 0;
    const roost_status status = roost_table_stats(count->table, &count->stats, sizeof count->stats);
    if (status != ROOST_OK) return table_fail(count->table, "statistics", status);
    curve_add(&count->curve, 1e-6 * (double)count->total, &count->stats);
    return 0;
}

/* Adds a batch's keys to the table. */
static int feed(struct count *count)
{
    const double start = clock_seconds();
    const roost_status status = key_batch_insert(&count->batch, count->table, ROOST_ADD, count->steps, count->batch.n);
    count->table_seconds += clock_seconds() - start;
    if (status != ROOST_OK) return table_fail(count->table, "the table refused keys", status);
    count->total += count->batch.n;
    count->batches++;
    return add_point(count);
}

/* Do any ranks have keys for another batch?  Inserts are calls of all ranks. */
static int agree_on_more(const struct count *count, bool *more)
{
    uint64_t having = count->batch.n > 0;
    const int result = ranks_sum(&having, 1);
    *more = result == 0 && having > 0;
    return result;
}

static int count_file(struct count *count, size_t i)
{
    bool reads = false;
    int result = input_options_open(&count->options.work.input, i, &count->reader, &count->kind);
    if (result == 0) result = input_options_share(count->reader, i, &reads);
    if (result != 0) return result;
    if (i == 0) count_plan_make(&count->plan, &count->options, count->kind);
    if (i == 0) result = make_table(count);
    if (result == 0 && i == 0) result = make_batch(count);
    uint64_t length = 0;
    for (bool more = true; result == 0 && more;) {
        if (reads) result = key_batch_read(&count->batch, count->reader);
        else count->batch.n = 0;
        if (result == 0) result = agree_on_more(count, &more);
        if (result == 0 && more) result = feed(count);
        if (result == 0) progress_show(count->bytes_done + io_reader_position(count->reader, &length), count->total);
    }
    count->bytes_done += io_reader_position(count->reader, &length);
    if (result == 0) count->left_out += input_options_warn(&count->options.work.input, i, count->reader);
    io_reader_close(count->reader);
    count->reader = NULL;
    return result;
}

static int count_files(struct count *count)
{
    const double start = clock_seconds();
    for (size_t i = 0; i < count->options.work.input.files_n; i++) {
        const int result = count_file(count, i);
        if (result != 0) return result;
    }
    const double before_sync = clock_seconds();
    roost_status status = roost_table_sync(count->table, NULL);
    const double end = clock_seconds();
    count->table_seconds += end - before_sync;
    count->whole_seconds = end - start;
    progress_end();
    if (status == ROOST_OK) status = roost_table_stats(count->table, &count->stats, sizeof count->stats);
    if (status != ROOST_OK) return table_fail(count->table, "the table refused keys", status);
    uint64_t sums[] = {count->total, count->left_out};
    const int result = ranks_sum(sums, 2);
    count->total = sums[0];
    count->left_out = sums[1];
    return result;
}

/* ---- After counting -------------------------------------------------------------------------- */

/* Is the list written straight from the table? */
static bool streams(const struct count *count)
{
    const struct count_options *options = &count->options;
    return options->output != NULL && options->unsorted && !options->work.verify && ranks_get()->ranks == 1;
}

static struct harvest_wish wish_of(const struct count *count)
{
    const struct count_options *options = &count->options;
    const bool lists = options->output != NULL && !streams(count);
    const struct harvest_wish wish = {count->kind,
                                      options->count_bits / 8,
                                      options->top,
                                      options->histogram != NULL,
                                      lists || options->work.verify,
                                      options->least_count,
                                      options->most_count,
                                      options->work.verify};
    return wish;
}

/* Takes the wanted results out of the table, which is walked only if some are wanted. */
static int take_results(struct count *count)
{
    const struct harvest_wish wish = wish_of(count);
    if (wish.top == 0 && !wish.spectrum && !wish.all && count->options.work.quiet) return 0;
    const int result = harvest_table(&count->harvest, count->table, &wish);
    return result == 0 ? harvest_gather(&count->harvest, &wish) : result;
}

static void plan_verify(const struct count *count, struct verify_plan *plan)
{
    static const enum verify_layout layouts[] = {[IO_FASTA] = VERIFY_KMERS, [IO_COLUMN] = VERIFY_COLUMN, [IO_RAW] = VERIFY_RAW,
                                                 [IO_NPY] = VERIFY_NPY,     [IO_ARC] = VERIFY_ARC,       [IO_WORDS] = VERIFY_WORDS};
    static const enum verify_field fields[] = {[IO_SIGNED_I64] = VERIFY_SIGNED,
                                               [IO_SIGNED_I32] = VERIFY_SIGNED,
                                               [IO_FIXED] = VERIFY_FIXED,
                                               [IO_DATE] = VERIFY_DATE,
                                               [IO_TIME] = VERIFY_TIME};
    const struct io_spec *spec = &count->options.work.input.spec;
    memset(plan, 0, sizeof *plan);
    plan->files = count->options.work.input.files;
    plan->files_n = count->options.work.input.files_n;
    plan->layout = layouts[spec->layout];
    plan->verbatim = spec->verbatim;
    plan->kmer = spec->kmer;
    plan->one_strand = spec->one_strand;
    plan->column = spec->column;
    plan->name = spec->name;
    plan->header = spec->header;
    plan->skip_blank = spec->skip_blank;
    plan->comment = spec->comment;
    plan->leave_out = spec->leave_out;
    plan->left_out = count->left_out;
    plan->field = spec->layout == IO_COLUMN ? fields[spec->field] : VERIFY_UNSIGNED;
    plan->decimals = spec->decimals;
    plan->sign = key_kind_sign(count->kind);
    plan->separator = spec->separator;
    plan->base = spec->field == IO_BASE36 ? 36 : 10;
    plan->key_bytes = (unsigned)count->kind.bytes;
    plan->store = key_kind_is_bytes(count->kind) ? &count->harvest.store : NULL;
    plan->big_endian = spec->big_endian;
    plan->step = STEP;
    plan->largest = largest_count(count);
}

static int report_difference(const struct count *count, const struct verify_difference *difference)
{
    struct key_text text = {.grown = NULL};
    const struct key_bytes shown = {difference->shown, difference->shown_bytes};
    const char *key = key_kind_is_bytes(count->kind) ? key_spell_bytes(&text, form(count), shown)
                                                     : key_spell(&text, form(count), NULL, difference->key);
    const int result = command_fail(
        "--verify: the first difference is key %s%s, counted %" PRIu64 " times in the table and %" PRIu64 " times by sorting",
        key != NULL ? key : "(out of memory)", difference->cut ? "..." : "", difference->in_table, difference->in_files);
    key_text_release(&text);
    return result;
}

static int verify(const struct count *count)
{
    struct verify_plan plan;
    struct verify_difference difference;
    char why[5000];
    if (!count->options.work.verify) return 0;
    plan_verify(count, &plan);
    switch (verify_counts(&plan, count->harvest.all, count->harvest.all_n, &difference, why, sizeof why)) {
    case VERIFY_EQUAL: return 0;
    case VERIFY_FAILED: return command_fail("--verify: the second count failed: %s", why);
    case VERIFY_DIFFERENT: break;
    }
    return report_difference(count, &difference);
}

static int write_output(struct count *count)
{
    const struct count_options *options = &count->options;
    const struct harvest_wish wish = wish_of(count);
    const struct count_list list = {&count->output,
                                    options->list,
                                    form(count),
                                    value_form_count(wish.count_bytes),
                                    options->least_count,
                                    options->most_count,
                                    count_options_nulls(options, count->left_out)};
    if (options->output == NULL) return 0;
    const int result =
        streams(count) ? count_list_table(&list, count->table, wish.kind) : count_list_harvest(&list, &count->harvest);
    return result == 0 ? outfile_finish(&count->output) : result;
}

/* Writes the spectrum as numbers. */
static int write_histogram(struct count *count)
{
    const struct harvest *harvest = &count->harvest;
    for (size_t i = 0; i < harvest->spectrum_n && outfile_good(&count->histogram); i++)
        fprintf(count->histogram.stream, "%" PRIu64 "\t%" PRIu64 "\n", harvest->spectrum[i].key, harvest->spectrum[i].count);
    return outfile_finish(&count->histogram);
}

static int write_pictures(struct count *count)
{
    int result = 0;
    if (count->options.histogram_drawn)
        result = picture_spectrum(&count->histogram, count->harvest.spectrum, count->harvest.spectrum_n);
    else if (count->options.histogram != NULL) result = write_histogram(count);
    const struct picture_frame frame = {
        "The table while it counts", "keys counted (millions)", count->config.min_fill, count->config.max_fill, NULL, 0};
    if (result == 0 && count->options.work.plot != NULL) result = picture_curve(&count->plot, &count->curve, &frame);
    return result;
}

/* Saves the table; one on several ranks by a call of all of them, when the other outputs are
 * there. */
static int save(struct count *count, bool spread)
{
    const struct io_spec *const spec = &count->options.work.input.spec;
    const bool canonical = spec->layout == IO_FASTA && !spec->one_strand;
    const struct key_meaning meaning = {count->kind, form(count), canonical, true};
    char note[ROOST_NOTE_BYTES];
    if (count->options.save.name == NULL || spread != is_spread(count)) return 0;
    key_note_write(&meaning, note);
    return (spread ? snapshot_output_spread : snapshot_output_write)(&count->options.save, count->table, note);
}

/* Renames the outputs once all of them are finished, so that a run that fails changes no file. */
static int commit_outputs(struct count *count)
{
    int result = outfile_commit(&count->output);
    if (result == 0) result = outfile_commit(&count->histogram);
    if (result == 0) result = outfile_commit(&count->plot);
    if (result == 0) result = outfile_commit(&count->options.save.file);
    return result;
}

/* What rank 0 writes. */
static int write_outputs(struct count *count)
{
    int result = verify(count);
    if (result == 0) result = write_output(count);
    if (result == 0) result = write_pictures(count);
    if (result == 0) result = save(count, false);
    return result == 0 ? commit_outputs(count) : result;
}

static int print_report(const struct count *count)
{
    struct count_report report;
    memset(&report, 0, sizeof report);
    report.options = &count->options;
    report.harvest = &count->harvest;
    report.table = count->table;
    report.kind = count->kind;
    report.form = form(count);
    report.total = count->total;
    report.left_out = count->left_out;
    report.batches = count->batches;
    report.table_seconds = count->table_seconds;
    report.whole_seconds = count->whole_seconds;
    report.stats = count->stats;
    return count_report_print(&report);
}

static int run(struct count *count)
{
    uint64_t bytes;
    int result = curve_begin(&count->curve);
    if (result == 0) result = input_options_check_files(&count->options.work.input, "--verify", count->options.work.verify, &bytes);
    const bool reports = ranks_get()->rank == 0;
    if (result == 0 && reports) result = open_outputs(count);
    if (result != 0) return result;
    progress_begin(bytes / (uint64_t)ranks_get()->ranks, count->options.work.quiet || !reports);
    result = count_files(count);
    if (result == 0) result = take_results(count);
    if (result == 0 && reports) result = write_outputs(count);
    if (result == 0) result = save(count, true);
    return result == 0 && reports ? print_report(count) : result;
}

static void release(struct count *count)
{
    io_reader_close(count->reader);
    roost_table_destroy(count->table);
    harvest_release(&count->harvest);
    outfile_discard(&count->output);
    outfile_discard(&count->histogram);
    outfile_discard(&count->plot);
    outfile_discard(&count->options.save.file);
    curve_release(&count->curve);
    key_batch_release(&count->batch);
    free(count->steps);
    work_options_release(&count->options.work);
}

int count_main(int argc, char **argv)
{
    struct count count;
    memset(&count, 0, sizeof count);
    int result = count_options_parse(&count.options, argc, argv);
    if (result == 0 && !count.options.work.help) result = run(&count);
    release(&count);
    return result;
}
