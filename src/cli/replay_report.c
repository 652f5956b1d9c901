/* Prints the report of `roost replay`. */
#include "cli/replay_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/table_json.h"
#include "roost/tuning.h"

static const char *const names[REPLAY_OPERATIONS] = {"insert", "find", "erase"};
static const char *const hits[REPLAY_OPERATIONS] = {"new", "found", "erased"};

static double millions_per_second(const struct replay_sum *sum)
{
    return sum->seconds > 0 ? 1e-6 * (double)sum->items / sum->seconds : 0;
}

static void print_text(const struct replay_report *report)
{
    char keys[256];
    FILE *const to = report->options->work.report;
    const struct workload *workload = report->workload;
    const roost_stats *stats = &report->stats;
    fprintf(to, "keys          %s, %zu of them\n", input_options_describe(&report->options->work.input, keys, sizeof keys),
            workload->n);
    fprintf(to, "table         %s on %s, %s, 4-byte values\n", roost_table_engine(report->table), roost_table_device(report->table),
            key_kind_describe(workload->kind, keys, sizeof keys));
    fprintf(to, "batches       %zu of %zu keys, and again with inserts and erases swapped; %g erases per insert\n\n",
            workload->batches, workload->batch, report->options->erase_ratio);
    fprintf(to, "operation          items           of them       seconds     M items/s\n");
    for (int i = 0; i < REPLAY_OPERATIONS; i++) {
        const struct replay_sum *sum = &report->sum[i];
        fprintf(to, "%-9s %14" PRIu64 " %14" PRIu64 " %-6s %8.3f %13.1f\n", names[i], sum->items, sum->hits, hits[i], sum->seconds,
                millions_per_second(sum));
    }
    fprintf(to, "\nload factor   %.3f to %.3f after the batches, %.3f at the end (%" PRIu64 " keys in %" PRIu64 " slots)\n",
            report->lowest_fill, report->highest_fill, stats->load_factor, stats->count, stats->slots);
    fprintf(to,
            "table bytes   %" PRIu64 " at most after a batch, %" PRIu64 " at the end (%" PRIu64
            " at the peak, work space included)\n",
            report->highest_bytes, stats->table_bytes, stats->bytes_peak);
    fprintf(to, "resizing      %" PRIu64 " growth steps, %" PRIu64 " forced; %" PRIu64 " shrinks, %" PRIu64 " undone\n",
            stats->grow_steps, stats->forced_grow_steps, stats->shrink_steps, stats->shrink_aborts);
    if (report->options->work.verify)
        fprintf(to, "verified      every answer, and the contents at the end, agree with an exact reference\n");
}

static json_t *operations_json(const struct replay_report *report)
{
    json_t *list = json_array();
    for (int i = 0; list != NULL && i < REPLAY_OPERATIONS; i++) {
        const struct replay_sum *sum = &report->sum[i];
        list = json_append(list, json_pack("{ss so so sf sf}", "name", names[i], "items", json_unsigned(sum->items), hits[i],
                                           json_unsigned(sum->hits), "seconds", sum->seconds, "mitems_per_second",
                                           millions_per_second(sum)));
    }
    return list;
}

static json_t *curve_json(const struct curve *curve)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < curve->n; i++) {
        const struct curve_point *point = &curve->points[i];
        list = json_append(list, json_pack("{sf so sf so}", "batch", point->x, "count", json_unsigned(point->count), "load_factor",
                                           point->load_factor, "table_bytes", json_unsigned(point->table_bytes)));
    }
    return list;
}

static json_t *numbers_json(const struct replay_report *report)
{
    const roost_stats *stats = &report->stats;
    json_t *numbers =
        json_pack("{si so so sf so so so so so so}", "key_bytes", (int)report->workload->kind.bytes, "count",
                  json_unsigned(stats->count), "slots", json_unsigned(stats->slots), "load_factor", stats->load_factor,
                  "table_bytes", json_unsigned(stats->table_bytes), "bytes_peak", json_unsigned(stats->bytes_peak), "growth_steps",
                  json_unsigned(stats->grow_steps), "forced_growth_steps", json_unsigned(stats->forced_grow_steps), "shrinks",
                  json_unsigned(stats->shrink_steps), "shrinks_undone", json_unsigned(stats->shrink_aborts));
    return report->workload->kind.type == IO_STRING ? table_json_strings(numbers, report->table) : numbers;
}

static json_t *report_json(const struct replay_report *report)
{
    char keys[256];
    const struct workload *workload = report->workload;
    return json_pack("{so so so so so so sf so sf sf so sf sb so so}", "version", json_text(roost_version_string()), "files",
                     input_options_json(&report->options->work.input), "keys",
                     json_text(input_options_describe(&report->options->work.input, keys, sizeof keys)), "total",
                     json_unsigned(workload->n), "batch", json_unsigned(workload->batch), "batches",
                     json_unsigned(2 * (uint64_t)workload->batches), "erase_ratio", report->options->erase_ratio, "operations",
                     operations_json(report), "lowest_load_factor", report->lowest_fill, "highest_load_factor",
                     report->highest_fill, "highest_table_bytes", json_unsigned(report->highest_bytes), "whole_seconds",
                     report->whole_seconds, "verified", report->options->work.verify, "table",
                     table_json(report->table, numbers_json(report)), "points", curve_json(report->curve));
}

int replay_report_print(const struct replay_report *report)
{
    if (report->options->work.quiet) return 0;
    if (report->options->work.json) return json_print(report->options->work.report, report_json(report));
    print_text(report);
    return 0;
}
