/* What a life of the fuzzer has done, for the report of a failure, and the numbers of a run. */
#include "fuzz/api/api_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPORT_BYTES = 1 << 16, LINE_BYTES = 1024 };

static struct {
    bool aloud;
    size_t used;
    char text[REPORT_BYTES];
} report;

uint64_t totals_items(const struct api_totals *totals)
{
    uint64_t all = 0;
#define ADD(member, text) all += totals->member;
    API_KINDS(ADD)
#undef ADD
    return all;
}

uint64_t totals_reads(const struct api_totals *totals) { return totals->finds + totals->counts; }

void totals_add(struct api_totals *to, const struct api_totals *totals)
{
#define ADD(member, text) to->member += totals->member;
    API_KINDS(ADD)
    API_NUMBERS(ADD)
#undef ADD
}

void report_begin(bool aloud)
{
    report.aloud = aloud;
    report.used = 0;
    report.text[0] = 0;
}

void report_step(const char *format, ...)
{
    char line[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (report.aloud) fprintf(stderr, "%s\n", line);
    const size_t bytes = strlen(line);
    if (report.used + bytes + 2 > sizeof report.text) return;
    memcpy(report.text + report.used, line, bytes);
    report.used += bytes;
    memcpy(report.text + report.used++, "\n", 2);
}

void report_print(void)
{
    if (!report.aloud) fputs(report.text, stderr);
    fflush(stderr);
}

void report_fail(const char *file, int line, const char *condition, const char *format, ...)
{
    char text[LINE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report_print();
    fprintf(stderr, "%s:%d: not so: %s\n    %s\n", file, line, condition, text);
    fflush(stderr);
    abort();
}
