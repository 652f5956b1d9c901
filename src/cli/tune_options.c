/* Parses the options of `roost tune` with argp. */
#include "cli/tune_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/outfile.h"
#include "cli/table_options.h"

#define KEYS_MOST ((uint64_t)INT32_MAX)
#define RANDOM_MOST 10000
#define KEY_BYTES_LEAST 4

enum option_key {
    OPTION_ENGINE = 256,
    OPTION_DEVICE,
    OPTION_ENGINE_OPTION,
    OPTION_WIDTH,
    OPTION_KEYS,
    OPTION_LOAD,
    OPTION_HITS,
    OPTION_FINDS,
    OPTION_BUDGET,
    OPTION_RANDOM,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_OUTPUT,
    OPTION_DRY_RUN,
    OPTION_JSON,
    OPTION_QUIET = 'q'
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Engine and table:", 1},
    {"engine", OPTION_ENGINE, "ENGINE", 0, "The engine; `roost info` lists them, with --json their parameters, too", 1},
    {"device", OPTION_DEVICE, "DEVICE", 0, "host, cuda, cuda:0 ... (default: the first GPU, else the host)", 1},
    {"width", OPTION_WIDTH, "K+V", 0, "Bytes of a key, 4 to 128, and a value, 0 to 4096 (default 4+4)", 1},
    {"option", OPTION_ENGINE_OPTION, "NAME=VALUE", 0,
     "An option of all settings and the profile, which is not searched; may be repeated", 1},
    {"threads", OPTION_THREADS, "N", 0, "Threads on the host, at most 1024 (default: one per core)", 1},
    {NULL, 0, NULL, 0, "Measurement:", 2},
    {"keys", OPTION_KEYS, "N", 0, "Keys of a table (default: 4194304 on the host, 67108864 on a GPU)", 2},
    {"load", OPTION_LOAD, "F", 0, "Load factor of the tables (default 0.7)", 2},
    {"hits", OPTION_HITS, "F", 0, "Share of the finds whose key is there (default 0.5)", 2},
    {"finds-per-insert", OPTION_FINDS, "X", 0, "Minimise the time of an insert and X finds (default 10)", 2},
    {"seed", OPTION_SEED, "N", 0, "Seeds the keys and the random settings (default 0)", 2},
    {NULL, 0, NULL, 0, "Time:", 3},
    {"budget", OPTION_BUDGET, "SECONDS", 0, "Time for all settings (default 300)", 3},
    {"random", OPTION_RANDOM, "N", 0, "Random settings, at most, while time is left (default 200)", 3},
    {NULL, 0, NULL, 0, "Output:", 4},
    {"output", OPTION_OUTPUT, "FILE", 0, "Write the profile there (default: where the library looks for the device's)", 4},
    {"dry-run", OPTION_DRY_RUN, NULL, 0, "Write no profile", 4},
    {"json", OPTION_JSON, NULL, 0, "Report in JSON", 4},
    {"quiet", OPTION_QUIET, NULL, 0, "No report and no progress bar", 4},
    {"help", OPTION_HELP, NULL, 0, "Print this text", -1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const char doc[] =
    "Searches an engine's parameters on this machine, one after another from its defaults, and beside that tries "
    "random settings; every answer is checked.  The best setting goes into the device's profile, which later "
    "tables of the engine and width use.\v"
    "Profiles lie in the folder ROOST_PROFILES, else in XDG_CONFIG_HOME/roost, else in HOME/.config/roost.";

/* Takes a number of bytes up to the character `end`, and moves *text behind it. */
static bool take_bytes(const char **text, char end, uint64_t least, uint64_t most, unsigned *bytes)
{
    char digits[8];
    uint64_t number;
    const size_t length = strspn(*text, "0123456789");
    if (length >= sizeof digits || (*text)[length] != end) return false;
    memcpy(digits, *text, length);
    digits[length] = 0;
    if (!argument_number(digits, least, most, &number)) return false;
    *bytes = (unsigned)number;
    *text += length + (end != 0);
    return true;
}

/* Takes the widths.  roost_measure must be able to draw keys of them. */
static void take_width(struct tune_options *options, const char *text)
{
    const char *at = text;
    unsigned key_bytes = 0, value_bytes = 0;
    const bool strings = strncmp(text, "string+", strlen("string+")) == 0;
    if (strings) at += strlen("string+");
    if ((!strings && !take_bytes(&at, '+', 1, ROOST_KEY_BYTES_MOST, &key_bytes)) ||
        !take_bytes(&at, 0, 0, ROOST_VALUE_BYTES_MOST, &value_bytes))
        options->result =
            command_misused("--width is the bytes of a key, 1 to %d, + those of a value, 0 to %d, such as 4+4, not '%s'",
                            ROOST_KEY_BYTES_MOST, ROOST_VALUE_BYTES_MOST, text);
    else if (key_bytes < KEY_BYTES_LEAST)
        options->result =
            command_fail("--width %s: settings are measured with keys of %d to %d bytes, not with shorter ones or strings; "
                         "for other keys, pass --option to the command that makes the table",
                         text, KEY_BYTES_LEAST, ROOST_KEY_BYTES_MOST);
    options->key_bytes = key_bytes;
    options->value_bytes = value_bytes;
}

static void take_engine_option(struct tune_options *options, const char *text)
{
    if (table_options_have(text, "profile"))
        options->result = command_misused("--option %s: settings are measured without profiles", text);
    else table_options_add(&options->engine_options, text, &options->result);
}

static bool take_number(struct tune_options *options, int key, const char *text)
{
    int *result = &options->result;
    switch (key) {
    case OPTION_KEYS: options->keys = argument_take(result, "keys", text, 1, KEYS_MOST); return true;
    case OPTION_LOAD: options->load = argument_take_decimal(result, "load", text, 0.05, 1); return true;
    case OPTION_HITS: options->hits = argument_take_decimal(result, "hits", text, 0, 1); return true;
    case OPTION_FINDS: options->finds_per_insert = argument_take_decimal(result, "finds-per-insert", text, 0, 1e6); return true;
    case OPTION_BUDGET: options->budget = argument_take_decimal(result, "budget", text, 0, 1e6); return true;
    case OPTION_RANDOM: options->random = argument_take(result, "random", text, 0, RANDOM_MOST); return true;
    case OPTION_SEED: options->seed = argument_take(result, "seed", text, 0, UINT64_MAX); return true;
    case OPTION_THREADS: options->threads = (int)argument_take(result, "threads", text, 1, ROOST_THREADS_MOST); return true;
    default: return false;
    }
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct tune_options *options = (struct tune_options *)state->input;
    switch (key) {
    case OPTION_ENGINE: options->engine = argument; break;
    case OPTION_DEVICE: options->device = argument; break;
    case OPTION_ENGINE_OPTION: take_engine_option(options, argument); break;
    case OPTION_WIDTH: take_width(options, argument); break;
    case OPTION_OUTPUT: options->output = argument; break;
    case OPTION_DRY_RUN: options->dry_run = true; break;
    case OPTION_JSON: options->json = true; break;
    case OPTION_QUIET: options->quiet = true; break;
    case OPTION_HELP: options->help = true; break;
    case ARGP_KEY_ARG: options->result = command_misused("'%s' is unexpected: tune takes options only", argument); break;
    case ARGP_KEY_ERROR:
        if (options->result == 0) options->result = argument_refused(state->root_argp, state);
        break;
    default:
        if (!take_number(options, key, argument)) return ARGP_ERR_UNKNOWN;
    }
    return options->result != 0 ? EINVAL : 0;
}

const struct argp tune_argp = {option_list, parse_option, NULL, doc, NULL, NULL, NULL};

/* The profile goes where the report would. */
static int yield_stdout(struct tune_options *options)
{
    if (options->json) return command_misused("--output - takes standard output, where --json would go");
    options->quiet = true;
    return 0;
}

int tune_options_parse(struct tune_options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->key_bytes = options->value_bytes = 4;
    options->load = 0.7;
    options->hits = 0.5;
    options->finds_per_insert = 10;
    options->budget = 300;
    options->random = 200;
    const error_t error = argp_parse(&tune_argp, argc, argv, ARGUMENT_FLAGS, NULL, options);
    if (options->result == 0 && error != 0) options->result = command_fail("%s", strerror(error));
    if (options->result != 0) return options->result;
    if (options->help) argument_help(&tune_argp);
    else if (options->engine == NULL) return command_misused("no engine given: --engine NAME");
    else if (options->dry_run && options->output != NULL) return command_misused("--dry-run and --output exclude each other");
    else if (outfile_is_stdout(options->output)) return yield_stdout(options);
    return 0;
}

void tune_options_release(struct tune_options *options) { free(options->engine_options); }
