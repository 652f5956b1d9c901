/* `roost replay`: runs the batches of a dynamic workload on a table, and checks and reports the
 * answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/curve.h"
#include "cli/outfile.h"
#include "cli/progress.h"
#include "cli/ranks.h"
#include "cli/replay_gather.h"
#include "cli/replay_options.h"
#include "cli/replay_reference.h"
#include "cli/replay_report.h"
#include "cli/replay_workload.h"
#include "cli/picture.h"
#include "cli/table_walk.h"
#include "roost/roost.h"
#include "roost/strings.h"

struct replay {
    struct replay_options options;
    struct workload workload;
    struct workload whole;             /* the keys of all ranks, for the reference */
    struct replay_reference reference; /* with --verify, on rank 0 */
    struct replay_gathered whole_keys, gathered;
    roost_config config;
    roost_table *table;
    struct workload_array drawn; /* keys of a batch that are drawn */
    uint32_t *values;            /* of a batch */
    uint8_t *found;              /* of a batch */
    uint8_t *statuses;           /* of a batch; NULL without --verify */
    size_t round;                /* batches done, over both halves */
    struct curve curve;
    struct outfile plot;
    struct replay_report report;
};

/* Rank 0 checks and reports what all ranks have done. */
static bool reports(void) { return ranks_get()->rank == 0; }

static int fail_verify(const struct replay *replay)
{
    struct key_text text = {.grown = NULL};
    const size_t last = 2 * replay->workload.batches, batch = replay->round < last ? replay->round + 1 : last;
    const struct key_kind kind = replay->workload.kind;
    const struct key_form form = input_options_form(&replay->options.work.input, kind);
    const struct key_bytes wrong = replay->reference.wrong_key;
    const char *key = key_kind_is_bytes(kind) ? key_spell_bytes(&text, form, wrong)
                                              : key_spell(&text, form, NULL, key_load(wrong.at, 0, kind.bytes));
    const int result = command_fail("--verify: %s %zu, key %.1000s: %s", replay->round < last ? "batch" : "after batch", batch,
                                    key != NULL ? key : "(out of memory)", replay->reference.wrong);
    key_text_release(&text);
    return result;
}

/* ---- Before the first batch ------------------------------------------------------------------ */

static int make_arrays(struct replay *replay)
{
    const size_t room = replay->workload.batch;
    replay->values = (uint32_t *)malloc(room * sizeof *replay->values);
    replay->found = (uint8_t *)malloc(room);
    if (replay->options.work.verify) replay->statuses = (uint8_t *)malloc(room);
    const bool all = replay->values != NULL && replay->found != NULL;
    return all && (replay->statuses != NULL || !replay->options.work.verify) ? 0 : command_fail("out of memory for a batch");
}

static int open_plot(struct replay *replay)
{
    if (replay->options.work.plot == NULL || !reports()) return 0;
    const int result = picture_check_gnuplot();
    return result == 0 ? outfile_open(&replay->plot, replay->options.work.plot) : result;
}

static int make_reference(struct replay *replay)
{
    if (!replay->options.work.verify) return 0;
    const int result = replay_gather_workload(&replay->whole_keys, &replay->workload, &replay->whole);
    if (result != 0 || !reports()) return result;
    return replay_reference_make(&replay->reference, &replay->whole, replay->options.work.table.threads);
}

static int prepare(struct replay *replay)
{
    int result = open_plot(replay);
    if (result == 0) result = curve_begin(&replay->curve);
    if (result == 0) result = workload_read(&replay->workload, &replay->options);
    if (result == 0) result = make_arrays(replay);
    if (result == 0) result = make_reference(replay);
    if (result != 0) return result;
    table_options_config(&replay->options.work.table, replay->workload.kind, &replay->config);
    return table_options_create(&replay->table, &replay->config);
}

/* ---- Batches --------------------------------------------------------------------------------- */

static roost_call call_of(const struct replay *replay)
{
    roost_call call;
    (void)roost_call_init(&call, sizeof call); /* fails for a wrong size only */
    call.statuses = replay->statuses;
    return call;
}

static void add_sum(struct replay *replay, enum replay_operation operation, size_t items, double seconds)
{
    replay->report.sum[operation].items += items;
    replay->report.sum[operation].seconds += seconds;
}

static roost_strings strings_of(struct workload_keys keys)
{
    roost_strings strings;
    (void)roost_strings_init(&strings, sizeof strings); /* fails for a wrong size only */
    strings.offsets = keys.offsets;
    strings.bytes = keys.bytes;
    return strings;
}

static roost_status insert_keys(struct replay *replay, roost_mode mode, struct workload_keys keys, const roost_call *call)
{
    if (keys.offsets == NULL) return roost_insert(replay->table, mode, keys.bytes, replay->values, keys.n, call);
    const roost_strings strings = strings_of(keys);
    return roost_insert_strings(replay->table, mode, &strings, replay->values, keys.n, call);
}

static roost_status find_keys(struct replay *replay, struct workload_keys keys, const roost_call *call)
{
    if (keys.offsets == NULL) return roost_find(replay->table, keys.bytes, keys.n, replay->values, replay->found, call);
    const roost_strings strings = strings_of(keys);
    return roost_find_strings(replay->table, &strings, keys.n, replay->values, replay->found, call);
}

static roost_status erase_keys(struct replay *replay, struct workload_keys keys, const roost_call *call)
{
    if (keys.offsets == NULL) return roost_erase(replay->table, keys.bytes, keys.n, call);
    const roost_strings strings = strings_of(keys);
    return roost_erase_strings(replay->table, &strings, keys.n, call);
}

/* With --verify: compares the answers of all ranks with the reference. */
static int verify(struct replay *replay, enum replay_operation operation, struct workload_keys keys)
{
    struct replay_reference *const reference = &replay->reference;
    struct replay_items items = {keys, operation == REPLAY_ERASE ? NULL : replay->values,
                                 operation == REPLAY_FIND ? replay->found : NULL, replay->statuses};
    bool right = true;
    if (!replay->options.work.verify) return 0;
    const int result = replay_gather(&replay->gathered, replay->workload.kind.bytes, &items);
    if (result != 0 || !reports()) return result;
    switch (operation) {
    case REPLAY_INSERT: right = replay_reference_insert(reference, items.keys, items.values, items.statuses); break;
    case REPLAY_FIND: right = replay_reference_find(reference, items.keys, items.values, items.found, items.statuses); break;
    case REPLAY_ERASE: right = replay_reference_erase(reference, items.keys, items.statuses); break;
    case REPLAY_OPERATIONS: break;
    }
    return right ? 0 : fail_verify(replay);
}

/* Each operation begins when all ranks have come, so that its seconds contain no other work: rank 0
 * verifies while the others wait. */
static int insert(struct replay *replay, struct workload_keys keys)
{
    const roost_call call = call_of(replay);
    if (ranks_meet() != 0) return EXIT_FAILURE;
    for (size_t i = 0; i < keys.n; i++) replay->values[i] = workload_value(workload_key(&replay->workload, keys, i), replay->round);
    const double start = clock_seconds();
    const roost_status status = insert_keys(replay, ROOST_ASSIGN, keys, &call);
    add_sum(replay, REPLAY_INSERT, keys.n, clock_seconds() - start);
    if (status != ROOST_OK) return table_fail(replay->table, "the table refused keys", status);
    return verify(replay, REPLAY_INSERT, keys);
}

static int find(struct replay *replay, struct workload_keys keys)
{
    const roost_call call = call_of(replay);
    if (ranks_meet() != 0) return EXIT_FAILURE;
    const double start = clock_seconds();
    const roost_status status = find_keys(replay, keys, &call);
    add_sum(replay, REPLAY_FIND, keys.n, clock_seconds() - start);
    if (status != ROOST_OK) return table_fail(replay->table, "finds failed", status);
    for (size_t i = 0; i < keys.n; i++) replay->report.sum[REPLAY_FIND].hits += replay->found[i];
    return verify(replay, REPLAY_FIND, keys);
}

static int erase(struct replay *replay, struct workload_keys keys)
{
    const roost_call call = call_of(replay);
    if (ranks_meet() != 0) return EXIT_FAILURE;
    const double start = clock_seconds();
    const roost_status status = erase_keys(replay, keys, &call);
    add_sum(replay, REPLAY_ERASE, keys.n, clock_seconds() - start);
    if (status != ROOST_OK) return table_fail(replay->table, "erases failed", status);
    return verify(replay, REPLAY_ERASE, keys);
}

/* After a batch: reads the table's statistics, and compares its count with the reference. */
static int take_stats(struct replay *replay)
{
    struct replay_report *report = &replay->report;
    roost_stats *stats = &report->stats;
    const roost_status status = roost_table_stats(replay->table, stats, sizeof *stats);
    if (status != ROOST_OK) return table_fail(replay->table, "statistics", status);
    if (replay->options.work.verify && reports() && stats->count != replay->reference.count)
        return command_fail("--verify: batch %zu: the table reports %llu keys, and should have %llu", replay->round + 1,
                            (unsigned long long)stats->count, (unsigned long long)replay->reference.count);
    curve_add(&replay->curve, (double)replay->round + 1, stats);
    if (stats->table_bytes > report->highest_bytes) report->highest_bytes = stats->table_bytes;
    if (stats->count > 0 && (report->lowest_fill <= 0 || stats->load_factor < report->lowest_fill))
        report->lowest_fill = stats->load_factor;
    if (stats->load_factor > report->highest_fill) report->highest_fill = stats->load_factor;
    return 0;
}

/* Runs a batch: in the first half insert, find, erase; in the second erase, find, insert. */
static int run_batch(struct replay *replay, size_t batch, bool second_half)
{
    const struct workload *workload = &replay->workload;
    const struct workload_keys of_files = workload_of_files(workload, batch);
    struct workload_keys drawn;
    int result = second_half ? erase(replay, of_files) : insert(replay, of_files);
    if (result != 0) return result;
    if (!workload_found(workload, batch, second_half, &replay->drawn, &drawn)) return command_fail("out of memory for a batch");
    result = find(replay, drawn);
    if (result != 0) return result;
    if (!workload_drawn(workload, batch, &replay->drawn, &drawn)) return command_fail("out of memory for a batch");
    result = second_half ? insert(replay, drawn) : erase(replay, drawn);
    return result == 0 ? take_stats(replay) : result;
}

static int run_batches(struct replay *replay)
{
    const size_t batches = replay->workload.batches;
    int result = 0;
    const double start = clock_seconds();
    progress_begin(2 * (uint64_t)batches, replay->options.work.quiet || !reports());
    for (replay->round = 0; result == 0 && replay->round < 2 * batches; replay->round++) {
        const bool second_half = replay->round >= batches;
        result = run_batch(replay, second_half ? replay->round - batches : replay->round, second_half);
        progress_show(replay->round + 1, replay->report.sum[REPLAY_INSERT].items);
    }
    progress_end();
    replay->report.whole_seconds = clock_seconds() - start;
    return result;
}

/* ---- After the last one ---------------------------------------------------------------------- */

static int verify_pairs(struct replay *replay, const struct replay_items *pairs)
{
    for (size_t i = 0; i < pairs->keys.n; i++)
        if (!replay_reference_exported(&replay->reference, workload_key(&replay->whole, pairs->keys, i), pairs->values[i]))
            return fail_verify(replay);
    return 0;
}

/* Each rank exports its own shard; those with fewer pairs go on without any until all have ended.
 * *more: some have not. */
static int verify_step(struct replay *replay, struct table_walk *walk, bool *more)
{
    int result = walk->cursor.end ? 0 : table_walk_next(walk);
    uint64_t open = !walk->cursor.end;
    struct replay_items pairs = {{(const uint8_t *)walk->keys, walk->offsets, walk->n}, (const uint32_t *)walk->values, NULL, NULL};
    if (result == 0) result = replay_gather(&replay->gathered, replay->workload.kind.bytes, &pairs);
    if (result == 0 && reports()) result = verify_pairs(replay, &pairs);
    if (result == 0) result = ranks_sum(&open, 1);
    *more = open > 0;
    walk->n = 0;
    return result;
}

static int verify_export(struct replay *replay)
{
    struct table_walk walk;
    int result = table_walk_begin(&walk, replay->table, replay->workload.kind, sizeof *replay->values);
    for (bool more = true; result == 0 && more;) result = verify_step(replay, &walk, &more);
    table_walk_release(&walk);
    return result;
}

/* With --verify: compares every pair of the table, and runs the table's own check. */
static int verify_contents(struct replay *replay)
{
    if (!replay->options.work.verify) return 0;
    const int result = verify_export(replay);
    if (result != 0) return result;
    if (reports() && !replay_reference_all_exported(&replay->reference)) return fail_verify(replay);
    const roost_status status = roost_table_check(replay->table);
    return status == ROOST_OK ? 0 : table_fail(replay->table, "--verify", status);
}

/* Adds up what the ranks have done; their seconds are those of the slowest one.  These are the last
 * calls of all ranks: files are changed only after all have come so far. */
static int add_ranks(struct replay *replay)
{
    struct replay_report *const report = &replay->report;
    uint64_t numbers[2 * REPLAY_OPERATIONS];
    double seconds[REPLAY_OPERATIONS + 1];
    for (int i = 0; i < REPLAY_OPERATIONS; i++) {
        numbers[2 * i] = report->sum[i].items;
        numbers[2 * i + 1] = report->sum[i].hits;
        seconds[i] = report->sum[i].seconds;
    }
    seconds[REPLAY_OPERATIONS] = report->whole_seconds;
    int result = ranks_sum(numbers, 2 * REPLAY_OPERATIONS);
    if (result == 0) result = ranks_most(seconds, REPLAY_OPERATIONS + 1);
    for (int i = 0; i < REPLAY_OPERATIONS; i++)
        report->sum[i] = (struct replay_sum){numbers[2 * i], numbers[2 * i + 1], seconds[i]};
    report->whole_seconds = seconds[REPLAY_OPERATIONS];
    if (result != 0) return result;
    const roost_status status = roost_table_stats(replay->table, &report->stats, sizeof report->stats);
    return status == ROOST_OK ? 0 : table_fail(replay->table, "statistics", status);
}

static int draw(struct replay *replay)
{
    const struct picture_frame frame = {"The table under the replayed batches",
                                        "batches",
                                        replay->config.min_fill,
                                        replay->config.max_fill,
                                        "inserts and erases swap",
                                        (double)replay->workload.batches};
    return replay->options.work.plot != NULL && reports() ? picture_curve(&replay->plot, &replay->curve, &frame) : 0;
}

static int report(struct replay *replay)
{
    struct replay_report *report = &replay->report;
    if (!reports()) return 0;
    report->options = &replay->options;
    report->workload = &replay->workload;
    report->table = replay->table;
    report->curve = &replay->curve;
    report->sum[REPLAY_INSERT].hits = report->stats.inserted;
    report->sum[REPLAY_ERASE].hits = report->stats.erased;
    return replay_report_print(report);
}

static void release(struct replay *replay)
{
    roost_table_destroy(replay->table);
    replay_reference_release(&replay->reference);
    replay_gathered_release(&replay->whole_keys);
    replay_gathered_release(&replay->gathered);
    workload_release(&replay->workload);
    curve_release(&replay->curve);
    outfile_discard(&replay->plot);
    workload_array_release(&replay->drawn);
    free(replay->values);
    free(replay->found);
    free(replay->statuses);
    work_options_release(&replay->options.work);
}

int replay_main(int argc, char **argv)
{
    static struct replay replay;
    memset(&replay, 0, sizeof replay);
    int result = replay_options_parse(&replay.options, argc, argv);
    if (result == 0 && !replay.options.work.help) {
        result = prepare(&replay);
        if (result == 0) result = run_batches(&replay);
        if (result == 0) result = verify_contents(&replay);
        if (result == 0) result = add_ranks(&replay);
        if (result == 0) result = draw(&replay);
        if (result == 0) result = outfile_commit(&replay.plot);
        if (result == 0) result = report(&replay);
    }
    release(&replay);
    return result;
}
