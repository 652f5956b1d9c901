/* Prints the report of `roost count`. */
#include "cli/count_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/table_json.h"
#include "cli/table_stat.h"
#include "roost/tuning.h"

static double millions_per_second(uint64_t keys, double seconds) { return seconds > 0 ? (double)keys / seconds / 1e6 : 0; }

static void print_saturated(FILE *to, const struct count_report *report)
{
    if (report->harvest->saturated == 0) return;
    fprintf(to, "saturated     %" PRIu64 " counts reached the largest value of %u bits: they are lower bounds%s\n",
            report->harvest->saturated, report->options->count_bits,
            report->options->count_bits == 32 ? "; --count-bits 64 counts further" : "");
}

static void print_text(const struct count_report *report)
{
    char keys[256];
    FILE *const to = report->options->work.report;
    const roost_stats *stats = &report->stats;
    fprintf(to, "keys          %s\n", input_options_describe(&report->options->work.input, keys, sizeof keys));
    fprintf(to, "total         %" PRIu64 "\ndistinct      %" PRIu64 "\n", report->total, stats->count);
    fprintf(to, "once          %" PRIu64 " keys\nlargest       %" PRIu64 " times\n", report->harvest->once,
            report->harvest->largest);
    fprintf(to, "rate          %.1f M keys/s in the table, %.1f M keys/s in all (%.3f s of %.3f s)\n",
            millions_per_second(report->total, report->table_seconds), millions_per_second(report->total, report->whole_seconds),
            report->table_seconds, report->whole_seconds);
    fprintf(to, "table         %s on %s, %s, %u-byte counts, %" PRIu64 " batches\n", roost_table_engine(report->table),
            roost_table_device(report->table), key_kind_describe(report->kind, keys, sizeof keys), report->options->count_bits / 8,
            report->batches);
    fprintf(to, "growth steps  %" PRIu64 "\nload factor   %.3f (%" PRIu64 " slots)\n", stats->grow_steps, stats->load_factor,
            stats->slots);
    fprintf(to, "table bytes   %" PRIu64 " (%" PRIu64 " at the peak, work space included)\n", stats->table_bytes,
            stats->bytes_peak);
    if (report->kind.type == IO_STRING)
        fprintf(to, "strings       %" PRIu64 " bytes of %" PRIu64 " for them\n", table_stat(report->table, "arena_used"),
                table_stat(report->table, "arena_bytes"));
    if (report->left_out > 0)
        fprintf(to, "left out      %" PRIu64 " records without a key%s\n", report->left_out,
                report->options->work.input.bad == BAD_NULL ? ", counted as " KEY_NULL : "");
    print_saturated(to, report);
    if (report->options->work.verify) fprintf(to, "verified      every key and count agrees with a second count by sorting\n");
}

/* ---- The most frequent keys ------------------------------------------------------------------ */

/* A row of the list.  NULL as its pair: records without a key. */
struct top_row {
    const struct key_count *pair;
    uint64_t count;
};

/* How often records without a key occur in the list; 0: they are not listed. */
static uint64_t listed_nulls(const struct count_report *report)
{
    const uint64_t nulls = count_options_nulls(report->options, report->left_out);
    return nulls >= report->options->least_count && nulls <= report->options->most_count ? nulls : 0;
}

static size_t top_rows(const struct count_report *report)
{
    const size_t n = report->harvest->top_n + (listed_nulls(report) > 0);
    return n < report->options->top ? n : (size_t)report->options->top;
}

/* Records without a key come before the first key that occurs as often or less. */
static struct top_row top_row(const struct count_report *report, size_t i)
{
    const struct harvest *harvest = report->harvest;
    const uint64_t nulls = listed_nulls(report);
    const bool before = i < harvest->top_n && harvest->top[i].count > nulls;
    if (nulls == 0 || before) return (struct top_row){&harvest->top[i], harvest->top[i].count};
    if (i == 0 || harvest->top[i - 1].count > nulls) return (struct top_row){NULL, nulls};
    return (struct top_row){&harvest->top[i - 1], harvest->top[i - 1].count};
}

static int print_top(const struct count_report *report)
{
    struct key_text text = {.grown = NULL};
    const char *key = "";
    for (size_t i = 0; key != NULL && i < top_rows(report); i++) {
        const struct top_row row = top_row(report, i);
        key = row.pair == NULL ? KEY_NULL : key_spell(&text, report->form, &report->harvest->store, row.pair->key);
        if (key != NULL) fprintf(report->options->work.report, "%s\t%" PRIu64 "\n", key, row.count);
    }
    key_text_release(&text);
    return key != NULL ? 0 : command_fail("out of memory for a key");
}

static json_t *top_json(const struct count_report *report)
{
    struct key_text text = {.grown = NULL};
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < top_rows(report); i++) {
        const struct top_row row = top_row(report, i);
        const char *key = row.pair == NULL ? NULL : key_spell(&text, report->form, &report->harvest->store, row.pair->key);
        json_t *spelled = key != NULL ? json_text(key) : row.pair == NULL ? json_null() : NULL;
        list = json_append(list, spelled == NULL ? NULL : json_pack("{so so}", "key", spelled, "count", json_unsigned(row.count)));
    }
    key_text_release(&text);
    return list;
}

/* ---- The report ------------------------------------------------------------------------------ */

static json_t *numbers_json(const struct count_report *report)
{
    const roost_stats *stats = &report->stats;
    json_t *numbers = json_pack("{si si so so sf so so so so}", "key_bytes", (int)report->kind.bytes, "count_bytes",
                                (int)(report->options->count_bits / 8), "growth_steps", json_unsigned(stats->grow_steps), "slots",
                                json_unsigned(stats->slots), "load_factor", stats->load_factor, "table_bytes",
                                json_unsigned(stats->table_bytes), "bytes_peak", json_unsigned(stats->bytes_peak), "rehashed",
                                json_unsigned(stats->rehashed), "evicted", json_unsigned(table_stat(report->table, "evicted")));
    return report->kind.type == IO_STRING ? table_json_strings(numbers, report->table) : numbers;
}

static json_t *report_json(const struct count_report *report)
{
    char keys[256];
    const struct count_options *options = report->options;
    json_t *json =
        json_pack("{so so so so so so so so so sf sf sf sf so sb so}", "version", json_text(roost_version_string()), "files",
                  input_options_json(&options->work.input), "keys",
                  json_text(input_options_describe(&options->work.input, keys, sizeof keys)), "total", json_unsigned(report->total),
                  "left_out", json_unsigned(report->left_out), "distinct", json_unsigned(report->stats.count), "once",
                  json_unsigned(report->harvest->once), "largest", json_unsigned(report->harvest->largest), "batches",
                  json_unsigned(report->batches), "table_seconds", report->table_seconds, "whole_seconds", report->whole_seconds,
                  "table_mkeys_per_second", millions_per_second(report->total, report->table_seconds), "whole_mkeys_per_second",
                  millions_per_second(report->total, report->whole_seconds), "saturated", json_unsigned(report->harvest->saturated),
                  "verified", options->work.verify, "table", table_json(report->table, numbers_json(report)));
    if (json != NULL && options->top > 0 && json_object_set_new(json, "top", top_json(report)) != 0) {
        json_decref(json);
        return NULL;
    }
    return json;
}

int count_report_print(const struct count_report *report)
{
    const struct work_options *const work = &report->options->work;
    if (work->json && !work->quiet) return json_print(work->report, report_json(report));
    if (!work->quiet) print_text(report);
    if (!work->quiet && report->options->top > 0) fprintf(work->report, "\n");
    return print_top(report);
}
