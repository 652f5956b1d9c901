/* Parses the options of the table. */
#define _GNU_SOURCE 1
#include "cli/table_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/devices.h"
#include "cli/ranks.h"
#include "roost/tuning.h"

#define BATCH_MOST ((uint64_t)1 << 30)

enum option_key {
    OPTION_BATCH = 768,
    OPTION_CAPACITY,
    OPTION_MIN_FILL,
    OPTION_MAX_FILL,
    OPTION_ENGINE,
    OPTION_DEVICE,
    OPTION_THREADS,
    OPTION_SEED,
    OPTION_ENGINE_OPTION,
    OPTION_MEMORY_LIMIT
};

static const struct argp_option option_list[] = {
    {"batch", OPTION_BATCH, "N", 0, "Keys per batch (default: count as many as are fast in little memory, replay 1000000)", 0},
    {"capacity", OPTION_CAPACITY, "N", 0,
     "Make room for N keys at the start (default: count estimates them where it can read files twice; else the smallest table, "
     "which grows)",
     0},
    {"min-fill", OPTION_MIN_FILL, "F", 0, "The table shrinks where fewer of its slots are taken (default 0.30; 0: never)", 0},
    {"max-fill", OPTION_MAX_FILL, "F", 0, "The table grows where more of its slots are taken (default 0.85)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_option place_list[] = {
    {"memory-limit", OPTION_MEMORY_LIMIT, "BYTES", 0,
     "The most memory of the table at any one time, such as 2G (default: no limit).  A table that needs more is an error", 0},
    {"engine", OPTION_ENGINE, "ENGINE", 0, "The table's design; `roost info` lists them", 0},
    {"option", OPTION_ENGINE_OPTION, "NAME=VALUE", 0, "An option of the engine, or profile=none; may be repeated", 0},
    {"device", OPTION_DEVICE, "DEVICE", 0,
     "host, cuda:0, several as cuda:0,cuda:1, or all GPUs: all (default: the first GPU, else the host)", 0},
    {"threads", OPTION_THREADS, "N", 0, "Threads on the host, at most 1024 (default: one per core)", 0},
    {"seed", OPTION_SEED, "N", 0, "Seeds the hash functions (default: a random number, which reports in JSON have)", 0},
    {NULL, 0, NULL, 0, NULL, 0},
};

void table_options_add(char **engine_options, const char *text, int *result)
{
    char *joined = NULL;
    const char *before = *engine_options;
    if (strchr(text, '=') == NULL || *text == '=') {
        *result = command_misused("--option is NAME=VALUE, not '%s'", text);
    } else if (asprintf(&joined, "%s%s%s", before != NULL ? before : "", before != NULL ? "," : "", text) < 0) {
        *result = command_fail("out of memory");
    } else {
        free(*engine_options);
        *engine_options = joined;
    }
}

bool table_options_have(const char *options, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = options; at != NULL && *at != 0;) {
        if (strncmp(at, name, length) == 0 && at[length] == '=') return true;
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return false;
}

static error_t parse_place(int key, char *argument, struct argp_state *state)
{
    struct table_options *options = (struct table_options *)state->input;
    int *result = options->result;
    switch (key) {
    case OPTION_MEMORY_LIMIT: options->memory_limit = argument_take(result, "memory-limit", argument, 1, UINT64_MAX); break;
    case OPTION_ENGINE: options->engine = argument; break;
    case OPTION_ENGINE_OPTION: table_options_add(&options->engine_options, argument, result); break;
    case OPTION_DEVICE: options->device = argument; break;
    case OPTION_THREADS: options->threads = (int)argument_take(result, "threads", argument, 1, ROOST_THREADS_MOST); break;
    case OPTION_SEED:
        options->seed = argument_take(result, "seed", argument, 0, UINT64_MAX);
        options->seed_given = true;
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return *result != 0 ? EINVAL : 0;
}

const struct argp place_argp = {place_list, parse_place, NULL, NULL, NULL, NULL, NULL};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct table_options *options = (struct table_options *)state->input;
    int *result = options->result;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = options; break;
    case OPTION_BATCH: options->batch = argument_take(result, "batch", argument, 1, BATCH_MOST); break;
    case OPTION_CAPACITY: options->capacity = argument_take(result, "capacity", argument, 0, UINT64_MAX); break;
    case OPTION_MIN_FILL:
        options->min_fill = argument_take_decimal(result, "min-fill", argument, 0, 1);
        options->min_fill_given = true;
        break;
    case OPTION_MAX_FILL: options->max_fill = argument_take_decimal(result, "max-fill", argument, 0.01, 1); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return *result != 0 ? EINVAL : 0;
}

static const struct argp_child children[] = {{&place_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

const struct argp table_argp = {option_list, parse_option, NULL, NULL, children, NULL, NULL};

static roost_type key_type_of(enum io_key_type type)
{
    switch (type) {
    case IO_U32: return ROOST_TYPE_U32;
    case IO_I32: return ROOST_TYPE_I32;
    case IO_I64: return ROOST_TYPE_I64;
    case IO_BYTES: return ROOST_TYPE_BYTES;
    case IO_STRING: return ROOST_TYPE_STRING;
    case IO_U64: break;
    }
    return ROOST_TYPE_U64;
}

/* The ranks of a machine share its processors. */
static int threads_of_rank(const struct ranks *ranks)
{
    const long each = sysconf(_SC_NPROCESSORS_ONLN) / ranks->all_here;
    return each < 1 ? 1 : each < ROOST_THREADS_MOST ? (int)each : ROOST_THREADS_MOST;
}

void table_options_place(const struct table_options *options, roost_config *config)
{
    const struct ranks *const ranks = ranks_get();
    if (options->engine != NULL) config->engine = options->engine;
    /* The options in the configuration are those of its engine. */
    if (options->engine != NULL || options->engine_options != NULL) config->options = options->engine_options;
    config->device = devices_resolve(options->device);
    config->memory_limit = options->memory_limit;
    config->seed = options->seed;
    config->seed_given = options->seed_given;
    config->threads = options->threads;
    if (options->threads == 0 && ranks->all_here > 1) config->threads = threads_of_rank(ranks);
}

void table_options_config(const struct table_options *options, struct key_kind kind, roost_config *config)
{
    (void)roost_config_init(config, sizeof *config); /* fails for a wrong size only */
    config->comm = ranks_get()->comm;
    config->key_type = key_type_of(kind.type);
    config->key_bytes = kind.bytes;
    config->capacity = options->capacity;
    if (options->min_fill_given) config->min_fill = options->min_fill;
    if (options->max_fill > 0) config->max_fill = options->max_fill;
    table_options_place(options, config);
}

static const char *words_for(const roost_table *table, roost_status status)
{
    const char *why = roost_last_error(table);
    return *why != 0 ? why : roost_status_string(status);
}

int table_fail(const roost_table *table, const char *doing, roost_status status)
{
    return command_fail("%s: %s", doing, words_for(table, status));
}

void table_options_warn(const roost_table *table)
{
    char text[ROOST_DESCRIPTION_BYTES];
    char *line = text;
    if (roost_table_describe(table, ROOST_DESCRIBE_WARNINGS, text, sizeof text) != ROOST_OK) return;
    for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        command_warn("%s", line);
    }
}

int table_options_create(roost_table **table, const roost_config *config)
{
    const roost_status status = roost_table_create(table, config);
    if (status != ROOST_OK) return command_fail("%s", words_for(NULL, status));
    table_options_warn(*table);
    return 0;
}

void table_options_release(struct table_options *options)
{
    free(options->engine_options);
    memset(options, 0, sizeof *options);
}
