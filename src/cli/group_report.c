/* Prints the report of `roost group`. */
#include "cli/group_report.h"

#include <inttypes.h>

#include "cli/json.h"

static double millions_per_second(uint64_t rows, double seconds) { return seconds > 0 ? (double)rows / seconds / 1e6 : 0; }

/* Is the column summed? */
static bool is_summed(const struct group_options *options, size_t column)
{
    for (size_t w = 0; w < options->wishes_n; w++)
        if (options->wishes[w].kind == WISH_SUM && options->wishes[w].column == column) return true;
    return false;
}

static const char *numbers_of(const struct group_rows *rows, size_t column)
{
    if (rows->real[column]) return is_summed(rows->options, column) ? "numbers, sums as double" : "numbers";
    return is_summed(rows->options, column) ? "integers, sums exact" : "integers";
}

static int print_json(const struct group_report *report)
{
    const struct group_rows *const rows = report->rows;
    const struct group_options *const options = rows->options;
    json_t *files = json_array(), *columns = json_object();
    for (size_t i = 0; files != NULL && i < options->relation.files_n; i++)
        files = json_append(files, json_text(options->relation.files[i]));
    for (size_t v = 0; v < rows->number_titles.n; v++)
        json_object_set_new(columns, rows->number_titles.name[v], json_string(rows->real[v] ? "double" : "integer"));
    return json_print(options->relation.report,
                      json_pack("{so so so so so so sf sf sb}", "version", json_text(roost_version_string()), "files", files,
                                "rows", json_unsigned(rows->rows), "left_out", json_unsigned(rows->left_out), "groups",
                                json_unsigned(report->groups), "columns", columns, "table_seconds", rows->table_seconds,
                                "whole_seconds", report->whole_seconds, "verified", options->relation.verify));
}

int group_report_print(const struct group_report *report)
{
    const struct group_rows *const rows = report->rows;
    const struct relation_options *const relation = &rows->options->relation;
    FILE *const to = relation->report;
    if (relation->quiet) return 0;
    if (relation->json) return print_json(report);
    fprintf(to, "rows          %" PRIu64 "\ngroups        %zu\n", rows->rows, report->groups);
    for (size_t v = 0; v < rows->number_titles.n; v++)
        fprintf(to, "column        %s: %s\n", rows->number_titles.name[v], numbers_of(rows, v));
    if (rows->left_out > 0)
        fprintf(to, "left out      %" PRIu64 " %s\n", rows->left_out,
                relation->table.bad == IO_BAD_NULL ? "fields, which are NULL" : "records");
    fprintf(to, "rate          %.1f M rows/s in the library, %.1f M rows/s in all (%.3f s of %.3f s)\n",
            millions_per_second(rows->rows, rows->table_seconds), millions_per_second(rows->rows, report->whole_seconds),
            rows->table_seconds, report->whole_seconds);
    if (relation->verify) fprintf(to, "verified      every group agrees with a second computation by sorting\n");
    return 0;
}
