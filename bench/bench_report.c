/* The report: a text table, printed row by row, and a JSON file with everything about the rows. */
#include "bench.h"
#include "targets.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROWS = 2048, CACHE_FACTOR = 10 };

static struct row kept[MOST_ROWS];
static int kept_rows;
static struct gpu_facts gpu;
static bool have_gpu;

static const char *const state_names[] = {"UNUSED", "OK", "WRONG", "OVER 100 %", "FAILED", "unavailable"};

/* ---- Rows ------------------------------------------------------------------------------------ */

struct row row_make(const char *name, enum row_unit unit)
{
    struct row row = {.unit = unit};
    snprintf(row.name, sizeof row.name, "%s", name);
    return row;
}

void row_fail(struct row *row, enum row_state state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->note, sizeof row->note, format, arguments);
    va_end(arguments);
    row->state = state;
}

void row_add_time(struct row *row, double seconds, double device_seconds)
{
    if (row->repetitions == BENCH_MAX_REPETITIONS) return;
    row->seconds[row->repetitions] = seconds;
    row->device_seconds[row->repetitions++] = device_seconds;
}

void row_set_limit(struct row *row, const char *name, double limit)
{
    snprintf(row->limit_name, sizeof row->limit_name, "%s", name);
    row->limit = limit;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(const double *values, int n)
{
    double sorted[BENCH_MAX_REPETITIONS];
    if (n > BENCH_MAX_REPETITIONS) n = BENCH_MAX_REPETITIONS;
    if (n < 1) return 0;
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
    return n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

double row_seconds(const struct row *row)
{
    double slower[BENCH_MAX_REPETITIONS];
    for (int i = 0; i < row->repetitions; i++) slower[i] = fmax(row->seconds[i], row->device_seconds[i]);
    return median(slower, row->repetitions);
}

double row_rate(const struct row *row)
{
    const double seconds = row->repetitions && !row->wrong ? row_seconds(row) : 0;
    return seconds > 0 ? (double)row->items / seconds : 0;
}

static double row_share(const struct row *row) { return row->limit > 0 ? row->rate / row->limit : 0; }

static double row_cache_ratio(const struct row *row)
{
    return row->cache_bytes ? (double)row->stats.table_bytes / (double)row->cache_bytes : 0;
}

static void row_complete(const struct options *o, struct row *row)
{
    if (row->repetitions > 0 && row->items > 0 && row->rate == 0) row->rate = (double)row->items / row_seconds(row);
    if (row->wrong && row->state != ROW_FAILED) row->state = ROW_WRONG;
    if (row->state != ROW_UNUSED || row->rate <= 0) return;
    row->state = row_share(row) > 1 && !o->quick ? ROW_OVER : ROW_OK;
}

/* A build that counts (ROOST_PROBES) is not compared with targets, which are for builds that do
 * not. */
static const struct target *row_target(const struct options *o, const struct row *row)
{
    if (row->stats.bucket_reads || row->stats.lanes_possible) return NULL;
    const uint64_t keys = strncmp(row->name, "gpu", 3) == 0 ? o->keys : o->host_keys;
    for (int i = 0; i < TARGETS; i++)
        if (strcmp(targets[i].row, row->name) == 0 && targets[i].keys == keys && o->load == TARGET_LOAD) return &targets[i];
    return NULL;
}

/* ---- The text table -------------------------------------------------------------------------- */

static double unit_size(enum row_unit unit) { return unit == UNIT_MEGA ? 1e6 : unit == UNIT_TIMES ? 1 : 1e9; }

static const char *unit_name(enum row_unit unit)
{
    static const char *const names[] = {[UNIT_GIGA] = "G/s", [UNIT_MEGA] = "M/s", [UNIT_TIMES] = "x", [UNIT_BYTES] = "GB/s"};
    return names[unit];
}

void report_heading(void)
{
    printf("%-34s %8s %-4s %6s  %-18s %-11s %8s %7s %5s %5s %8s %10s\n", "row", "rate", "unit", "share", "limit", "asked", "keys/M",
           "MB", "load", "used", "x cache", "verified/M");
}

/* Prints into a text of its own: the number if there is one, else a dash. */
static const char *number_or_dash(char text[16], bool have, const char *format, double number)
{
    if (have) snprintf(text, 16, format, number);
    else snprintf(text, 16, "-");
    return text;
}

static void row_print(const struct options *o, const struct row *row)
{
    const double unit = unit_size(row->unit), ratio = row_cache_ratio(row);
    const struct target *target = row_target(o, row);
    char share[16], limit[80] = "-", asked[32] = "-", distinct[16], bytes[16], load[16], used[16], cache[16], verified[16];
    number_or_dash(share, row->limit > 0, "%.0f %%", 100 * row_share(row));
    if (row->limit > 0) snprintf(limit, sizeof limit, "%.4g %s", row->limit / unit, row->limit_name);
    if (target) snprintf(asked, sizeof asked, "%.3g %s", target->asked / unit, row->rate >= target->asked ? "met" : "MISSED");
    number_or_dash(distinct, row->distinct > 0, "%.2f", 1e-6 * (double)row->distinct);
    number_or_dash(bytes, row->stats.table_bytes > 0, "%.0f", 1e-6 * (double)row->stats.table_bytes);
    number_or_dash(load, row->stats.load_factor > 0, "%.3f", row->stats.load_factor);
    number_or_dash(used, row->stats.memory_utilisation > 0, "%.3f", row->stats.memory_utilisation);
    number_or_dash(cache, ratio > 0, ratio < CACHE_FACTOR ? "%.1f <10" : "%.1f", ratio);
    number_or_dash(verified, row->verified > 0, "%.2f", 1e-6 * (double)row->verified);
    printf("%-34s %8.4g %-4s %6s  %-18s %-11s %8s %7s %5s %5s %8s %10s\n", row->name, row->rate / unit, unit_name(row->unit), share,
           limit, asked, distinct, bytes, load, used, cache, verified);
}

/* Prints the line under a row that failed or has a note. */
static void row_print_state(const struct row *row)
{
    if (row->state == ROW_WRONG)
        printf("    WRONG %s: %llu of %llu answers%s%s\n", row->name, (unsigned long long)row->wrong,
               (unsigned long long)row->verified, row->note[0] ? "; " : "", row->note);
    else if (row->state == ROW_OVER) printf("    OVER 100 %% %s: the limit %s was measured badly\n", row->name, row->limit_name);
    else if (row->state != ROW_OK) printf("    %s %s: %s\n", state_names[row->state], row->name, row->note);
    else if (row->note[0]) printf("    %s\n", row->note);
}

static bool is_limit(const struct row *row) { return strstr(row->name, "/limit/") != NULL; }

void report_row(const struct options *o, struct row row)
{
    row_complete(o, &row);
    const bool quiet = row.state == ROW_OK && !is_limit(&row) && !options_want(o, row.name);
    if (row.state == ROW_UNUSED || quiet || kept_rows == MOST_ROWS) {
        free(row.fill);
        return;
    }
    if (row.rate > 0 || row.state == ROW_OK) row_print(o, &row);
    row_print_state(&row);
    fflush(stdout);
    kept[kept_rows++] = row;
}

void report_gpu(const struct gpu_facts *facts)
{
    gpu = *facts;
    have_gpu = true;
    printf("gpu: %s, driver %s (CUDA %d.%d), %.0f GB, L2 %.1f MB\n", facts->name, facts->driver[0] ? facts->driver : "unknown",
           facts->cuda_driver / 1000, facts->cuda_driver % 1000 / 10, 1e-9 * (double)facts->memory_bytes,
           1e-6 * (double)facts->l2_bytes);
}

bool report_failed(void)
{
    for (int i = 0; i < kept_rows; i++)
        if (kept[i].state != ROW_OK && kept[i].state != ROW_UNAVAILABLE) return true;
    return kept_rows == MOST_ROWS;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void set_integer(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void set_real(json_t *object, const char *name, double value) { json_object_set_new(object, name, json_real(value)); }

static void set_text(json_t *object, const char *name, const char *text)
{
    if (text && text[0]) json_object_set_new(object, name, json_string_nocheck(text));
}

static void set_reals(json_t *object, const char *name, const double *values, uint64_t n)
{
    json_t *array = json_array();
    for (uint64_t i = 0; i < n; i++) json_array_append_new(array, json_real(values[i]));
    json_object_set_new(object, name, array);
}

/* Numbers with names of their own: of chained tables, perfect hashing, ticket-boards, and all
 * tables. */
#define LIST_COUNTERS(X) X(longest_list) X(flushes)
#define CELL_COUNTERS(X) X(cells) X(flagged_cells) X(overflow_keys) X(delta_moves) X(phi_moves) X(mapping_tries) X(wait_die_aborts)
#define TICKET_COUNTERS(X) X(ticket_bits) X(board_bytes) X(host_bytes) X(bytes_now) X(bytes_peak) X(lanes_active) X(lanes_possible)
#define WORK_COUNTERS(X)                                                                                                           \
    X(grow_steps) X(forced_grow_steps) X(shrink_steps) X(rehashed) X(residuals) X(evicted) X(parked) X(put_back) X(host_waits)
#define SET_COUNTER(name) set_integer(object, #name, stats->name);

static void json_lists(json_t *object, const struct numbers *stats)
{
    set_real(object, "memory_utilisation", stats->memory_utilisation);
    set_real(object, "average_slabs", stats->average_slabs);
    LIST_COUNTERS(SET_COUNTER)
}

static void json_cells(json_t *object, const struct numbers *stats) { CELL_COUNTERS(SET_COUNTER) }

static void json_tickets(json_t *object, const struct numbers *stats) { TICKET_COUNTERS(SET_COUNTER) }

static void json_work(json_t *object, const struct numbers *stats) { WORK_COUNTERS(SET_COUNTER) }

static void json_table(json_t *object, const struct row *row)
{
    set_text(object, "engine", row->engine);
    set_text(object, "options", row->options);
    set_integer(object, "table_bytes", row->stats.table_bytes);
    set_real(object, "load_factor", row->stats.load_factor);
    if (row->stats.memory_utilisation > 0) json_lists(object, &row->stats);
    if (row->stats.cells) json_cells(object, &row->stats);
    if (row->stats.ticket_bits) json_tickets(object, &row->stats);
    if (row->stats.route_seconds > 0) {
        set_real(object, "route_seconds", row->stats.route_seconds);
        set_real(object, "routed_find_seconds", row->stats.routed_find_seconds);
    }
    set_real(object, "table_bytes_over_cache", row_cache_ratio(row));
    json_object_set_new(object, "below_10_times_cache", json_boolean(row_cache_ratio(row) < CACHE_FACTOR));
    set_integer(object, "distinct_keys", row->distinct);
    if (row->counted_reads > 0) set_real(object, "counted_bucket_reads", row->counted_reads);
    set_integer(object, "verified_answers", row->verified);
    set_integer(object, "wrong_answers", row->wrong);
    json_work(object, &row->stats);
    if (row->fill) set_reals(object, "fill_after_each_batch", row->fill, row->batches);
}

static void json_limit(json_t *object, const struct row *row)
{
    set_text(object, "limit", row->limit_name);
    set_real(object, "limit_rate", row->limit);
    set_real(object, "share", row_share(row));
    if (row->bucket_reads <= 0) return;
    set_real(object, "expected_bucket_reads", row->bucket_reads);
    set_real(object, "bound_by_bucket_reads", row->limit / row->bucket_reads);
}

static json_t *json_row(const struct options *o, const struct row *row)
{
    json_t *object = json_object();
    const struct target *target = row_target(o, row);
    set_text(object, "row", row->name);
    set_text(object, "state", state_names[row->state]);
    set_text(object, "note", row->note);
    set_real(object, "rate", row->rate);
    set_text(object, "rate_is", row->unit == UNIT_TIMES ? "ratio" : row->unit == UNIT_BYTES ? "bytes/s" : "operations/s");
    if (row->limit > 0) json_limit(object, row);
    if (target) {
        set_real(object, "asked", target->asked);
        set_text(object, "asked_by", target->source);
        json_object_set_new(object, "met", json_boolean(row->rate >= target->asked));
    }
    if (row->items) set_integer(object, "items", row->items);
    if (row->stats.table_bytes) json_table(object, row);
    set_text(object, "shape", row->shape);
    set_reals(object, "seconds", row->seconds, (uint64_t)row->repetitions);
    if (row->device_seconds[0] > 0) set_reals(object, "device_seconds", row->device_seconds, (uint64_t)row->repetitions);
    return object;
}

static json_t *json_gpu(void)
{
    json_t *object = json_object();
    set_text(object, "name", gpu.name);
    set_text(object, "driver", gpu.driver);
    set_integer(object, "cuda_driver", (uint64_t)gpu.cuda_driver);
    set_integer(object, "cuda_runtime", (uint64_t)gpu.cuda_runtime);
    set_integer(object, "multiprocessors", (uint64_t)gpu.multiprocessors);
    set_integer(object, "memory_bytes", gpu.memory_bytes);
    set_integer(object, "l2_bytes", gpu.l2_bytes);
    return object;
}

static json_t *json_host(void)
{
    json_t *object = json_object();
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        set_text(object, "processor", colon + 2);
        break;
    }
    if (file) fclose(file);
    set_integer(object, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    double load;
    if (getloadavg(&load, 1) == 1) set_real(object, "load_average_at_the_end", load);
    return object;
}

static json_t *json_command(int argc, char **argv)
{
    json_t *array = json_array();
    for (int i = 0; i < argc; i++) json_array_append_new(array, json_string(argv[i]));
    return array;
}

static void set_date(json_t *object)
{
    char text[32];
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    set_text(object, "date", text);
}

static bool dump(FILE *file, const json_t *value) { return json_dumpf(value, file, JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) == 0; }

/* Writes one member per line, and one row per line. */
static bool dump_report(FILE *file, json_t *head, json_t *rows)
{
    const char *name;
    json_t *value;
    size_t i;
    bool good = true;
    fputs("{\n", file);
    json_object_foreach(head, name, value)
    {
        fprintf(file, "\"%s\": ", name);
        good = dump(file, value) && good;
        fputs(",\n", file);
    }
    fputs("\"rows\": [", file);
    json_array_foreach(rows, i, value)
    {
        fputs(i ? ",\n" : "\n", file);
        good = dump(file, value) && good;
    }
    fputs("\n]\n}\n", file);
    return good && !ferror(file);
}

bool report_json(const struct options *o, int argc, char **argv)
{
    json_t *root = json_object(), *rows = json_array();
    set_text(root, "program", "roost-bench");
    set_text(root, "version", roost_version_string());
    set_text(root, "commit", o->commit);
    set_date(root);
    json_object_set_new(root, "command", json_command(argc, argv));
    set_integer(root, "seed", o->seed);
    if (BENCH_COUNTS) json_object_set_new(root, "kernels_count", json_true()); /* ROOST_PROBES */
    if (have_gpu) json_object_set_new(root, "gpu", json_gpu());
    json_object_set_new(root, "host", json_host());
    for (int i = 0; i < kept_rows; i++) json_array_append_new(rows, json_row(o, &kept[i]));
    FILE *file = fopen(o->json, "w");
    bool good = file && dump_report(file, root, rows);
    if (file && fclose(file)) good = false;
    json_decref(root);
    json_decref(rows);
    if (!good) fprintf(stderr, "roost-bench: cannot write %s\n", o->json);
    return good;
}
