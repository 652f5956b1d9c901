/* Prints the report of `roost join`. */
#include "cli/join_report.h"

#include <inttypes.h>

#include "cli/json.h"

static double millions_per_second(uint64_t rows, double seconds) { return seconds > 0 ? (double)rows / seconds / 1e6 : 0; }

static int print_json(const struct join_report *report)
{
    const struct relation_options *const relation = &report->options->relation;
    return json_print(relation->report,
                      json_pack("{so so so ss so so so so so sf sf sb}", "version", json_text(roost_version_string()), "left",
                                json_text(report->left->path), "right", json_text(report->right->path), "how",
                                join_how_name(report->options->how), "left_rows", json_unsigned(report->left->rows), "right_rows",
                                json_unsigned(report->right->rows), "left_out",
                                json_unsigned(report->left->left_out + report->right->left_out), "matched",
                                json_unsigned(report->matched), "rows", json_unsigned(report->rows), "table_seconds",
                                report->table_seconds, "whole_seconds", report->whole_seconds, "verified", relation->verify));
}

int join_report_print(const struct join_report *report)
{
    const struct relation_options *const relation = &report->options->relation;
    const uint64_t left = report->left->rows, right = report->right->rows,
                   left_out = report->left->left_out + report->right->left_out;
    FILE *const to = relation->report;
    if (relation->quiet) return 0;
    if (relation->json) return print_json(report);
    fprintf(to, "left          %" PRIu64 " rows, %" PRIu64 " of them (%.2f %%) have a match\n", left, report->matched,
            left > 0 ? 100.0 * (double)report->matched / (double)left : 0);
    fprintf(to, "right         %" PRIu64 " rows\noutput        %" PRIu64 " rows, %s\n", right, report->rows,
            join_how_name(report->options->how));
    if (left_out > 0)
        fprintf(to, "left out      %" PRIu64 " %s\n", left_out,
                relation->table.bad == IO_BAD_NULL ? "fields, which are NULL" : "records");
    fprintf(to, "rate          %.1f M rows/s in the library, %.1f M rows/s in all (%.3f s of %.3f s)\n",
            millions_per_second(left + right, report->table_seconds), millions_per_second(left + right, report->whole_seconds),
            report->table_seconds, report->whole_seconds);
    if (relation->verify) fprintf(to, "verified      every row agrees with a second computation by sorting\n");
    return 0;
}
