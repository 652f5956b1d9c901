/* The report of `roost tune`. */
#include "cli/tune_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "build_commit.h"
#include "cli/json.h"
#include "cli/table_json.h"
#include "cli/tune_profile.h"

#define ROWS_MOST 25 /* in text */

/* Number of the settings with tables that the search (1) or chance (2) tried. */
static size_t count(const struct tune *tune, int who)
{
    size_t n = 0;
    for (size_t i = 0; i < tune->n; i++) {
        const struct tune_trial *trial = &tune->trials[i];
        n += !trial->refused && (who == 1 ? trial->searched : trial->drawn);
    }
    return n;
}

static double bytes_per_key(const struct tune *tune, const struct tune_trial *trial)
{
    return (double)trial->measured.table_bytes / (double)tune->keys;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void print_head(const struct tune *tune)
{
    const struct tune_options *options = &tune->options;
    printf("engine        %s, %u+%u bytes, on %s (%s)\n", tune->engine, options->key_bytes, options->value_bytes, tune->device.name,
           tune->device.model);
    printf("measured      %" PRIu64 " keys to load %.2f, as many finds, %.0f %% of them hits; every answer checked\n", tune->keys,
           options->load, 100 * options->hits);
    if (options->engine_options != NULL) printf("fixed         %s\n", options->engine_options);
    printf("objective     nanoseconds of an insert and %g finds; * does not reach the load\n\n", options->finds_per_insert);
}

static void print_row(const struct tune *tune, const struct tune_trial *trial)
{
    char kernels[TUNE_TEXT];
    const struct tune_setting defaults = {{""}};
    tune_space_full_text(&tune->space, &defaults, trial->measured.kernels, false, kernels);
    printf("%10.2f%c %10.2f %10.2f %7.2f  %.3f  %-40s %s\n", trial->objective, trial->measured.reaches ? ' ' : '*',
           1e-6 * trial->measured.finds_per_second, 1e-6 * trial->measured.inserts_per_second, bytes_per_key(tune, trial),
           trial->measured.load, *trial->options != 0 ? trial->options : "(defaults)", kernels);
}

static void print_rows(const struct tune *tune)
{
    const struct tune_trial *const *list = tune->order;
    size_t n = 0;
    while (n < tune->n && !list[n]->refused) n++;
    printf("%10s  %10s %10s %7s  %-5s  %-40s %s\n", "objective", "finds M/s", "ins. M/s", "B/key", "load", "options", "kernels");
    for (size_t i = 0; i < n && i < ROWS_MOST; i++) print_row(tune, list[i]);
    if (n > ROWS_MOST) printf("%10s  %zu more, which --json lists\n", "...", n - ROWS_MOST);
    for (size_t i = ROWS_MOST; i < n; i++)
        if (list[i] == &tune->trials[0]) print_row(tune, list[i]);
    if (n < tune->n) printf("%10s  %zu settings have no table (not supported, or too little memory)\n", "", tune->n - n);
}

static void print_best(const struct tune *tune, const char *who, size_t best, size_t n)
{
    if (best == TUNE_NONE) {
        printf("%-13s none\n", who);
        return;
    }
    const struct tune_trial *trial = &tune->trials[best];
    printf("%-13s %.2f ns, the best of %zu settings: %s\n", who, trial->objective, n,
           *trial->options != 0 ? trial->options : "(defaults)");
}

static void print_end(const struct tune *tune, const char *path)
{
    char line[TUNE_LINE];
    const double space = tune_space_size(&tune->space);
    printf("\n");
    print_best(tune, "search", tune->best_searched, count(tune, 1));
    print_best(tune, "random", tune->best_drawn, count(tune, 2));
    if (tune->best_drawn != TUNE_NONE)
        printf("search against the best random setting: %+.1f %% of time, with %.2f %% of the %.0f settings tried\n",
               100 * (tune->trials[tune->best_searched].objective / tune->trials[tune->best_drawn].objective - 1),
               100 * (double)count(tune, 1) / space, space);
    tune_profile_line(tune, line);
    printf("defaults      %.2f ns\nbest          %.2f ns: %s\n", tune->trials[0].objective, tune->trials[tune->best].objective,
           line);
    printf("seconds       %.1f\nprofile       %s\n", tune->seconds, path != NULL ? path : "not written");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *trial_json(const struct tune *tune, const struct tune_trial *trial)
{
    const roost_measured *m = &trial->measured;
    return json_pack("{so so sb sb sf sf sf sf sf sb}", "options", json_text(trial->options), "kernels",
                     table_json_pairs(m->kernels), "searched", trial->searched, "random", trial->drawn, "objective_ns",
                     trial->objective, "finds_per_second", m->finds_per_second, "inserts_per_second", m->inserts_per_second,
                     "bytes_per_key", bytes_per_key(tune, trial), "load", m->load, "reaches_load", m->reaches);
}

static json_t *trials_json(const struct tune *tune)
{
    const struct tune_trial *const *list = tune->order;
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < tune->n && !list[i]->refused; i++)
        array = json_append(array, trial_json(tune, list[i]));
    return array;
}

static json_t *best_json(const struct tune *tune, size_t best, int who)
{
    if (best == TUNE_NONE) return json_null();
    return json_pack("{so sf so}", "options", json_text(tune->trials[best].options), "objective_ns", tune->trials[best].objective,
                     "settings", json_unsigned(count(tune, who)));
}

static json_t *report_json(const struct tune *tune, const char *path)
{
    char line[TUNE_LINE];
    const struct tune_options *o = &tune->options;
    tune_profile_line(tune, line);
    return json_pack("{so so so so so si si so sf sf sf so sf so so so sf so so}", "version", json_text(roost_version_string()),
                     "commit", json_text(BUILD_COMMIT), "engine", json_text(tune->engine), "device", json_text(tune->device.name),
                     "model", json_text(tune->device.model), "key_bytes", (int)o->key_bytes, "value_bytes", (int)o->value_bytes,
                     "keys", json_unsigned(tune->keys), "load", o->load, "hits", o->hits, "finds_per_insert", o->finds_per_insert,
                     "fixed", json_text(o->engine_options != NULL ? o->engine_options : ""), "seconds", tune->seconds, "settings",
                     trials_json(tune), "search", best_json(tune, tune->best_searched, 1), "random",
                     best_json(tune, tune->best_drawn, 2), "space", tune_space_size(&tune->space), "best", json_text(line),
                     "profile", path != NULL ? json_text(path) : json_null());
}

int tune_report_print(const struct tune *tune, const char *path)
{
    if (tune->options.quiet) return 0;
    if (tune->options.json) return json_print(stdout, report_json(tune, path));
    print_head(tune);
    print_rows(tune);
    print_end(tune, path);
    return 0;
}
