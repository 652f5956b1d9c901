/* Parses the options of `roost count` with argp and checks that they fit together. */
#include "cli/count_options.h"

#include <errno.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"

#define BATCH_DEFAULT ((uint64_t)1 << 18)

enum option_key {
    OPTION_COUNT_BITS = 256,
    OPTION_TOP,
    OPTION_OUTPUT,
    OPTION_HISTOGRAM,
    OPTION_PLOT,
    OPTION_JSON,
    OPTION_VERIFY,
    OPTION_QUIET = 'q'
};

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "What comes out:", 4},
    {"count-bits", OPTION_COUNT_BITS, "32|64", 0, "Width of the counts, which saturate (default 32)", 4},
    {"top", OPTION_TOP, "N", 0, "Print the N most frequent keys", 4},
    {"output", OPTION_OUTPUT, "FILE.tsv", 0, "Write every key and its count, by rising key", 4},
    {"histogram", OPTION_HISTOGRAM, "FILE.svg", 0, "Draw the spectrum: how many keys occur how often", 4},
    {"plot", OPTION_PLOT, "FILE.svg", 0, "Draw the table's fill and memory over the batches", 4},
    {"json", OPTION_JSON, NULL, 0, "Report in JSON", 4},
    {"verify", OPTION_VERIFY, NULL, 0, "Count again by sorting, with code of its own, and compare every key", 4},
    {"quiet", OPTION_QUIET, NULL, 0, "No report and no progress bar", 4},
    {"help", OPTION_HELP, NULL, 0, "Print this text", -1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {
    {&input_argp, 0, "Which keys (one of --kmer, --column and a --format of its own):", 1},
    {&table_argp, 0, "The table that counts them:", 2},
    {NULL, 0, NULL, 0},
};

static const char doc[] = "Counts how often each key of the FILEs occurs, in a hash table that grows while it counts.\v"
                          "A FILE of - is standard input.  Keys that do not parse, and files that are truncated or damaged, "
                          "are errors: exit 1; wrong options: exit 2.";

static error_t parse_option(int key, char *argument, struct argp_state *state);
static const struct argp count_argp = {option_list, parse_option, "FILE...", doc, children, NULL, NULL};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct count_options *options = (struct count_options *)state->input;
    int *result = options->input.result;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->input;
        state->child_inputs[1] = &options->table;
        break;
    case ARGP_KEY_ERROR:
        if (*result == 0) *result = argument_refused(&count_argp, state);
        break;
    case OPTION_COUNT_BITS:
        options->count_bits = strcmp(argument, "64") == 0 ? 64 : 32;
        if (strcmp(argument, "32") != 0 && strcmp(argument, "64") != 0)
            *result = command_misused("--count-bits is 32 or 64, not '%s'", argument);
        break;
    case OPTION_TOP: options->top = argument_take(result, "top", argument, 0, UINT64_MAX); break;
    case OPTION_OUTPUT: options->output = argument; break;
    case OPTION_HISTOGRAM: options->histogram = argument; break;
    case OPTION_PLOT: options->plot = argument; break;
    case OPTION_JSON: options->json = true; break;
    case OPTION_VERIFY: options->verify = true; break;
    case OPTION_QUIET: options->quiet = true; break;
    case OPTION_HELP: options->help = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return *result != 0 ? EINVAL : 0;
}

int count_options_parse(struct count_options *options, int argc, char **argv)
{
    int result = 0;
    memset(options, 0, sizeof *options);
    options->count_bits = 32;
    options->table.batch = BATCH_DEFAULT;
    options->input.result = options->table.result = &result;
    const error_t error = argp_parse(&count_argp, argc, argv, ARGUMENT_FLAGS, NULL, options);
    if (result == 0 && error != 0) result = command_fail("%s", strerror(error));
    if (result == 0 && options->help) argument_help(&count_argp);
    else if (result == 0) result = input_options_settle(&options->input);
    options->input.result = options->table.result = NULL;
    return result;
}

void count_options_release(struct count_options *options)
{
    input_options_release(&options->input);
    table_options_release(&options->table);
}
