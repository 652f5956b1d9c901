/* `roost count`: reads keys in batches, adds one to each key's count in a table, and reports. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/count_options.h"
#include "cli/count_report.h"
#include "cli/harvest.h"
#include "cli/outfile.h"
#include "cli/progress.h"
#include "cli/svg.h"
#include "cli/verify.h"
#include "roost/roost.h"

/* What one occurrence adds.  The planted build reaches saturation without reading 2^32 keys. */
#ifdef ROOST_PLANT_HEAVY_KEYS
#define STEP ((uint64_t)1 << 31)
#else
#define STEP ((uint64_t)1)
#endif

#define POINTS_MOST ((size_t)4096) /* of the growth picture; beyond, every second one is dropped */

struct count {
    struct count_options options;
    roost_config config;
    roost_table *table;
    struct io_reader *reader;
    enum io_key_type key_type;
    void *keys;  /* a batch */
    void *steps; /* STEP for each key of a batch */
    uint64_t total;
    uint64_t batches;
    uint64_t bytes_done; /* of the files before the current one */
    double table_seconds;
    double whole_seconds;
    roost_stats stats;
    struct harvest harvest;
    struct svg_growth_point *points;
    size_t points_n;
    uint64_t points_every; /* batches between two points */
    struct outfile output, histogram, plot;
};

static size_t key_bytes(const struct count *count) { return count->key_type == IO_U32 || count->key_type == IO_I32 ? 4 : 8; }

static uint64_t largest_count(const struct count *count) { return count->options.count_bits == 32 ? UINT32_MAX : UINT64_MAX; }

static enum key_spelling spelling(const struct count *count)
{
    if (count->options.spec.layout == IO_FASTA) return SPELL_KMER;
    if (count->options.spec.layout == IO_COLUMN && count->options.spec.number == IO_BASE36) return SPELL_BASE36;
    if (count->key_type == IO_I32) return SPELL_I32;
    return count->key_type == IO_I64 ? SPELL_I64 : SPELL_UNSIGNED;
}

/* ---- Before counting --------------------------------------------------------------------------------------------------- */

/* What can be known to fail later fails now: missing inputs, --verify of what can be read only once. */
static int check_inputs(struct count *count, uint64_t *bytes)
{
    bool all_known = true;
    *bytes = 0;
    for (size_t i = 0; i < count->options.files_n; i++) {
        const char *path = count->options.files[i];
        const bool standard_input = strcmp(path, "-") == 0;
        struct stat about;
        if ((standard_input ? fstat(STDIN_FILENO, &about) : stat(path, &about)) != 0)
            return command_fail("%s: %s", path, strerror(errno));
        if (count->options.verify && (standard_input || !S_ISREG(about.st_mode)))
            return command_fail("%s: --verify reads a file twice, and this is no regular file", path);
        all_known = all_known && S_ISREG(about.st_mode);
        *bytes += S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
    }
    if (!all_known) *bytes = 0;
    return 0;
}

static int open_outputs(struct count *count)
{
    const struct count_options *options = &count->options;
    int result = 0;
    if (options->histogram != NULL || options->plot != NULL) result = svg_check_gnuplot();
    if (result == 0 && options->output != NULL) result = outfile_open(&count->output, options->output);
    if (result == 0 && options->histogram != NULL) result = outfile_open(&count->histogram, options->histogram);
    if (result == 0 && options->plot != NULL) result = outfile_open(&count->plot, options->plot);
    return result;
}

static roost_type table_key_type(enum io_key_type type)
{
    switch (type) {
    case IO_U32: return ROOST_TYPE_U32;
    case IO_I32: return ROOST_TYPE_I32;
    case IO_I64: return ROOST_TYPE_I64;
    case IO_U64: break;
    }
    return ROOST_TYPE_U64;
}

static int make_table(struct count *count)
{
    const struct count_options *options = &count->options;
    roost_config *config = &count->config;
    roost_status status = roost_config_init(config, sizeof *config);
    config->engine = options->engine;
    config->device = options->device;
    config->key_type = table_key_type(count->key_type);
    config->value_type = options->count_bits == 32 ? ROOST_TYPE_U32 : ROOST_TYPE_U64;
    config->capacity = options->capacity;
    config->saturate = 1;
    config->seed = options->seed;
    config->threads = options->threads;
    config->options = options->engine_options;
    if (status == ROOST_OK) status = roost_table_create(&count->table, config);
    if (status == ROOST_OK) return 0;
    const char *why = roost_last_error(NULL);
    return command_fail("%s", *why != 0 ? why : roost_status_string(status));
}

static int make_batch(struct count *count)
{
    const size_t batch = (size_t)count->options.batch;
    const size_t step_bytes = count->options.count_bits / 8;
    count->keys = malloc(batch * key_bytes(count));
    count->steps = malloc(batch * step_bytes);
    if (count->keys == NULL || count->steps == NULL) return command_fail("out of memory for a batch of %zu keys", batch);
    for (size_t i = 0; i < batch; i++) {
        if (step_bytes == 4) ((uint32_t *)count->steps)[i] = (uint32_t)STEP;
        else ((uint64_t *)count->steps)[i] = STEP;
    }
    return 0;
}

/* ---- Counting ---------------------------------------------------------------------------------------------------------- */

static int fail_table(struct count *count, const char *doing, roost_status status)
{
    const char *why = roost_last_error(count->table);
    return command_fail("%s: %s", doing, *why != 0 ? why : roost_status_string(status));
}

/* Keeps a point of the growth picture; memory stays bounded because the distance between points doubles when they are many. */
static int add_point(struct count *count)
{
    if (count->options.plot == NULL || count->batches % count->points_every != 0) return 0;
    const roost_status status = roost_table_stats(count->table, &count->stats, sizeof count->stats);
    if (status != ROOST_OK) return fail_table(count, "statistics", status);
    if (count->points_n == POINTS_MOST) {
        for (size_t i = 0; i < POINTS_MOST / 2; i++) count->points[i] = count->points[2 * i + 1];
        count->points_n = POINTS_MOST / 2;
        count->points_every *= 2;
        if (count->batches % count->points_every != 0) return 0;
    }
    struct svg_growth_point *point = &count->points[count->points_n++];
    point->keys = count->total;
    point->load_factor = count->stats.load_factor;
    point->table_bytes = count->stats.table_bytes;
    return 0;
}

/* Adds a batch's keys to the table.  The faults that a build may plant here are for --verify to find. */
static int feed(struct count *count, size_t n)
{
    size_t fed = n;
#ifdef ROOST_PLANT_DROPPED_KEY
    if (count->batches == 0) fed--;
#endif
    const double start = clock_seconds();
    roost_status status = roost_insert(count->table, ROOST_ADD, count->keys, count->steps, fed, NULL);
#ifdef ROOST_PLANT_DOUBLED_COUNT
    if (count->batches == 0 && status == ROOST_OK)
        status = roost_insert(count->table, ROOST_ADD, count->keys, count->steps, 1, NULL);
#endif
    count->table_seconds += clock_seconds() - start;
    if (status != ROOST_OK) return fail_table(count, "the table refused keys", status);
    count->total += n;
    count->batches++;
    return add_point(count);
}

/* What the first file decides: the table's key type.  Later files have to agree. */
static int meet_file(struct count *count, const char *path)
{
    const enum io_key_type type = io_reader_key_type(count->reader);
    if (count->table != NULL)
        return type == count->key_type ? 0 : command_fail("%s: its keys have another type than the first file's", path);
    count->key_type = type;
    const int result = make_table(count);
    return result == 0 ? make_batch(count) : result;
}

static int count_file(struct count *count, const char *path)
{
    struct io_error error;
    if (io_reader_open(&count->reader, path, &count->options.spec, &error) != IO_OK) return command_fail("%s", error.text);
    int result = meet_file(count, path);
    const size_t room = (size_t)count->options.batch;
    uint64_t length = 0;
    for (size_t n = room; result == 0 && n > 0;) {
        if (io_reader_next(count->reader, count->keys, room, &n, &error) != IO_OK) return command_fail("%s", error.text);
        if (n > 0) result = feed(count, n);
        progress_show(count->bytes_done + io_reader_position(count->reader, &length), count->total);
    }
    count->bytes_done += io_reader_position(count->reader, &length);
    io_reader_close(count->reader);
    count->reader = NULL;
    return result;
}

static int count_files(struct count *count)
{
    const double start = clock_seconds();
    for (size_t i = 0; i < count->options.files_n; i++) {
        const int result = count_file(count, count->options.files[i]);
        if (result != 0) return result;
    }
    const double before_sync = clock_seconds();
    roost_status status = roost_table_sync(count->table, NULL);
    const double end = clock_seconds();
    count->table_seconds += end - before_sync;
    count->whole_seconds = end - start;
    progress_end();
    if (status == ROOST_OK) status = roost_table_stats(count->table, &count->stats, sizeof count->stats);
    return status == ROOST_OK ? 0 : fail_table(count, "the table refused keys", status);
}

/* ---- After counting ---------------------------------------------------------------------------------------------------- */

/* Takes out of the table what was asked for; without a need for it the table is not walked. */
static int take_results(struct count *count)
{
    const struct count_options *options = &count->options;
    const struct harvest_wish wish = {key_bytes(count), options->count_bits / 8, options->top, options->histogram != NULL,
                                      options->output != NULL || options->verify};
    const bool may_be_saturated = count->total >= largest_count(count) / STEP;
    if (wish.top == 0 && !wish.spectrum && !wish.all && !may_be_saturated) return 0;
    return harvest_table(&count->harvest, count->table, &wish);
}

static void plan_verify(const struct count *count, struct verify_plan *plan)
{
    static const enum verify_layout layouts[] = {
        [IO_FASTA] = VERIFY_FASTA, [IO_COLUMN] = VERIFY_COLUMN, [IO_RAW] = VERIFY_RAW, [IO_NPY] = VERIFY_NPY};
    const struct io_spec *spec = &count->options.spec;
    memset(plan, 0, sizeof *plan);
    plan->files = count->options.files;
    plan->files_n = count->options.files_n;
    plan->layout = layouts[spec->layout];
    plan->verbatim = spec->verbatim;
    plan->kmer = spec->kmer;
    plan->column = spec->column;
    plan->name = spec->name;
    plan->header = spec->header;
    plan->separator = spec->separator;
    plan->base = spec->number == IO_BASE36 ? 36 : 10;
    plan->key_bytes = (unsigned)key_bytes(count);
    plan->big_endian = spec->big_endian;
    plan->step = STEP;
    plan->largest = largest_count(count);
}

static int verify(const struct count *count)
{
    struct verify_plan plan;
    struct verify_difference difference;
    char why[5000];
    char text[KEY_TEXT];
    if (!count->options.verify) return 0;
    plan_verify(count, &plan);
    switch (verify_counts(&plan, count->harvest.all, count->harvest.all_n, &difference, why, sizeof why)) {
    case VERIFY_EQUAL: return 0;
    case VERIFY_FAILED: return command_fail("--verify could not count again: %s", why);
    case VERIFY_DIFFERENT: break;
    }
    return command_fail(
        "--verify: the first difference is key %s, counted %" PRIu64 " times in the table and %" PRIu64 " times by sorting",
        key_spell(text, difference.key, spelling(count), count->options.spec.kmer), difference.in_table, difference.in_files);
}

static int write_output(struct count *count)
{
    char text[KEY_TEXT];
    const struct harvest *harvest = &count->harvest;
    if (count->options.output == NULL) return 0;
    for (size_t i = 0; i < harvest->all_n && outfile_good(&count->output); i++)
        fprintf(count->output.stream, "%s\t%" PRIu64 "\n",
                key_spell(text, harvest->all[i].key, spelling(count), count->options.spec.kmer), harvest->all[i].count);
    return outfile_commit(&count->output);
}

static int write_pictures(struct count *count)
{
    int result = 0;
    if (count->options.histogram != NULL)
        result = svg_spectrum(&count->histogram, count->harvest.spectrum, count->harvest.spectrum_n);
    if (result == 0 && count->options.plot != NULL)
        result = svg_growth(&count->plot, count->points, count->points_n, count->config.min_fill, count->config.max_fill);
    return result;
}

static int print_report(const struct count *count)
{
    struct count_report report;
    memset(&report, 0, sizeof report);
    report.options = &count->options;
    report.harvest = &count->harvest;
    report.engine = roost_table_engine(count->table);
    report.device = roost_table_device(count->table);
    report.key_bytes = key_bytes(count);
    report.spelling = spelling(count);
    report.total = count->total;
    report.batches = count->batches;
    report.table_seconds = count->table_seconds;
    report.whole_seconds = count->whole_seconds;
    report.stats = count->stats;
    return count_report_print(&report);
}

static int run(struct count *count)
{
    uint64_t bytes;
    count->points_every = 1;
    count->points = (struct svg_growth_point *)calloc(POINTS_MOST, sizeof *count->points);
    if (count->points == NULL) return command_fail("out of memory");
    int result = check_inputs(count, &bytes);
    if (result == 0) result = open_outputs(count);
    if (result != 0) return result;
    progress_begin(bytes, count->options.quiet);
    result = count_files(count);
    if (result == 0) result = take_results(count);
    if (result == 0) result = verify(count);
    if (result == 0) result = write_output(count);
    if (result == 0) result = write_pictures(count);
    return result == 0 ? print_report(count) : result;
}

static void release(struct count *count)
{
    io_reader_close(count->reader);
    roost_table_destroy(count->table);
    harvest_release(&count->harvest);
    outfile_discard(&count->output);
    outfile_discard(&count->histogram);
    outfile_discard(&count->plot);
    free(count->points);
    free(count->keys);
    free(count->steps);
    count_options_release(&count->options);
}

int count_main(int argc, char **argv)
{
    struct count count;
    memset(&count, 0, sizeof count);
    int result = count_options_parse(&count.options, argc, argv);
    if (result == 0 && !count.options.help) result = run(&count);
    release(&count);
    return result;
}
