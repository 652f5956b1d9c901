/* The settings that `roost tune` measures. */
#define _GNU_SOURCE 1
#include "cli/tune_trials.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"
#include "cli/progress.h"

/* Tables far larger than the caches that one process has to itself. */
#define HOST_KEYS ((uint64_t)1 << 22)
#define GPU_KEYS ((uint64_t)1 << 26)

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The options for the library: no profile, the options common to all settings, and the setting.
 * NULL: out of memory. */
static char *options_of(const struct tune *tune, const char *setting)
{
    char *text = NULL;
    const char *own = tune->options.engine_options;
    const int made =
        asprintf(&text, "profile=none%s%s%s%s", own != NULL ? "," : "", own != NULL ? own : "", *setting != 0 ? "," : "", setting);
    return made < 0 ? NULL : text;
}

static int library_failed(void)
{
    const char *why = roost_last_error(NULL);
    return command_fail("%s", *why != 0 ? why : "out of memory");
}

roost_table *tune_table(const struct tune *tune, const struct tune_setting *setting)
{
    char text[TUNE_TEXT];
    roost_table *table = NULL;
    roost_config config = tune->config;
    tune_space_text(&tune->space, setting, text);
    char *options = options_of(tune, text);
    if (options == NULL) return NULL;
    config.options = options;
    if (roost_table_create(&table, &config) != ROOST_OK) table = NULL;
    free(options);
    return table;
}

static int find_device(struct tune *tune, const char *name)
{
    for (size_t i = 0; roost_device_describe(i, &tune->device, sizeof tune->device) == ROOST_OK; i++)
        if (strcmp(tune->device.name, name) == 0) return 0;
    return command_fail("%s: no such device", name);
}

static roost_type type_of(unsigned bytes)
{
    switch (bytes) {
    case 0: return ROOST_TYPE_NONE;
    case 4: return ROOST_TYPE_U32;
    case 8: return ROOST_TYPE_U64;
    default: return ROOST_TYPE_BYTES;
    }
}

/* Makes a table of the defaults, which tells engine, device and parameters. */
int tune_begin(struct tune *tune)
{
    const struct tune_options *options = &tune->options;
    const struct tune_setting defaults = {{""}};
    if (options->engine_options != NULL && strlen(options->engine_options) >= TUNE_FIXED)
        return command_misused("--option: the options have more than %d bytes together, too many for a profile", TUNE_FIXED - 1);
    (void)roost_config_init(&tune->config, sizeof tune->config); /* fails for a wrong size only */
    tune->config.engine = options->engine;
    tune->config.seed = options->seed;
    tune->config.seed_given = 1; /* trials of all settings have one layout */
    tune->config.device = options->device;
    tune->config.key_type = type_of(options->key_bytes);
    tune->config.key_bytes = options->key_bytes;
    tune->config.value_type = type_of(options->value_bytes);
    tune->config.value_bytes = options->value_bytes;
    tune->config.threads = options->threads;
    tune->best_searched = tune->best_drawn = tune->best = TUNE_NONE;
    tune->begun = clock_seconds();
    roost_table *table = tune_table(tune, &defaults);
    if (table == NULL) return library_failed();
    tune_space_of(&tune->space, table, options->engine_options);
    tune->engine = options->engine;
    const int result = find_device(tune, roost_table_device(table));
    roost_table_destroy(table);
    const bool host = strcmp(tune->device.name, "host") == 0;
    tune->keys = options->keys > 0 ? options->keys : host ? HOST_KEYS : GPU_KEYS;
    return result;
}

void tune_release(struct tune *tune)
{
    free(tune->trials);
    free(tune->order);
    tune_options_release(&tune->options);
}

/* ---- Measuring ------------------------------------------------------------------------------- */

double tune_spent(const struct tune *tune)
{
    const double gone = clock_seconds() - tune->begun;
    return tune->options.budget > 0 ? gone / tune->options.budget : 1;
}

static void show(const struct tune *tune)
{
    char text[96];
    const size_t best = tune->best;
    if (best == TUNE_NONE) snprintf(text, sizeof text, "the defaults");
    else snprintf(text, sizeof text, "%zu settings, the best %.2f ns", tune->n, tune->trials[best].objective);
    progress_say(tune_spent(tune), text);
}

static roost_status measure(const struct tune *tune, const char *setting, roost_measured *measured)
{
    roost_config config = tune->config;
    roost_measure_plan plan;
    (void)roost_measure_plan_init(&plan, sizeof plan);
    plan.keys = tune->keys;
    plan.load = tune->options.load;
    plan.hits = tune->options.hits;
    plan.seed = tune->options.seed;
    char *options = options_of(tune, setting);
    if (options == NULL) return ROOST_ERR_MEMORY;
    config.options = options;
    const roost_status status = roost_measure(&config, &plan, measured, sizeof *measured);
    free(options);
    return status;
}

/* Does the status only mean that there are no tables of this setting?  Other failures end the
 * run. */
static bool is_refusal(roost_status status)
{
    return status == ROOST_ERR_UNSUPPORTED || status == ROOST_ERR_ARGUMENT || status == ROOST_ERR_MEMORY;
}

static void judge(const struct tune *tune, struct tune_trial *trial)
{
    const double keys = (double)tune->keys;
    trial->objective =
        1e9 * (trial->measured.insert_seconds + tune->options.finds_per_insert * trial->measured.find_seconds) / keys;
}

bool tune_better(const struct tune *tune, size_t trial, size_t than, double margin)
{
    if (trial == TUNE_NONE || tune->trials[trial].refused) return false;
    if (than == TUNE_NONE) return true;
    const struct tune_trial *a = &tune->trials[trial], *b = &tune->trials[than];
    if (a->measured.reaches != b->measured.reaches) return a->measured.reaches != 0;
    return a->objective < (1 - margin) * b->objective;
}

static int make_room(struct tune *tune)
{
    if (tune->n < tune->room) return 0;
    const size_t room = tune->room > 0 ? 2 * tune->room : 64;
    struct tune_trial *trials = (struct tune_trial *)reallocarray(tune->trials, room, sizeof *trials);
    if (trials == NULL) return command_fail("out of memory for %zu settings", room);
    tune->trials = trials;
    tune->room = room;
    return 0;
}

static size_t find_trial(const struct tune *tune, const char *options)
{
    for (size_t i = 0; i < tune->n; i++)
        if (strcmp(tune->trials[i].options, options) == 0) return i;
    return TUNE_NONE;
}

int tune_try(struct tune *tune, const struct tune_setting *setting, size_t *place)
{
    char text[TUNE_TEXT];
    tune_space_text(&tune->space, setting, text);
    *place = find_trial(tune, text);
    if (*place != TUNE_NONE) return 0;
    const int result = make_room(tune);
    if (result != 0) return result;
    struct tune_trial *trial = &tune->trials[tune->n];
    memset(trial, 0, sizeof *trial);
    trial->setting = *setting;
    strcpy(trial->options, text);
    show(tune);
    const roost_status status = measure(tune, text, &trial->measured);
    trial->refused = status != ROOST_OK;
    if (trial->refused && (tune->n == 0 || !is_refusal(status))) return library_failed();
    judge(tune, trial);
    *place = tune->n++;
    if (tune_better(tune, *place, tune->best, 0)) tune->best = *place;
    return 0;
}

int tune_try_again(struct tune *tune, size_t place)
{
    struct tune_trial *trial = &tune->trials[place];
    roost_measured again;
    show(tune);
    if (measure(tune, trial->options, &again) != ROOST_OK) return library_failed();
    if (trial->measured.insert_seconds < again.insert_seconds) again.insert_seconds = trial->measured.insert_seconds;
    if (trial->measured.find_seconds < again.find_seconds) again.find_seconds = trial->measured.find_seconds;
    again.inserts_per_second = (double)tune->keys / again.insert_seconds;
    again.finds_per_second = (double)tune->keys / again.find_seconds;
    trial->measured = again;
    judge(tune, trial);
    return 0;
}
