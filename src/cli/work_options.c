/* Parses the options of subcommands that work on a table with the keys of files. */
#include "cli/work_options.h"

#include <errno.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"

enum option_key { OPTION_PLOT = 1024, OPTION_JSON, OPTION_QUIET = 'q' };

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Output:", 4},
    {"plot", OPTION_PLOT, "FILE", 0, "Draw the table's fill and memory over the batches, as PNG if FILE ends in .png, else as SVG",
     4},
    {"json", OPTION_JSON, NULL, 0, "Report in JSON", 4},
    {"quiet", OPTION_QUIET, NULL, 0, "No report and no progress bar", 4},
    {"help", OPTION_HELP, NULL, 0, "Print this text", -1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {
    {&input_argp, 0, "Keys (one of --kmer, --column, --words, or a --format for binary files and traces):", 1},
    {&table_argp, 0, "The table and its batches:", 2},
    {NULL, 0, NULL, 0},
};

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct work_options *options = (struct work_options *)state->input;
    int *result = options->input.result;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &options->input;
        state->child_inputs[1] = &options->table;
        break;
    case ARGP_KEY_ERROR:
        if (*result == 0) *result = argument_refused(state->root_argp, state);
        break;
    case OPTION_PLOT: options->plot = argument; break;
    case OPTION_JSON: options->json = true; break;
    case OPTION_QUIET: options->quiet = true; break;
    case OPTION_HELP: options->help = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return work_options_judge(options);
}

const struct argp work_argp = {option_list, parse_option, NULL, NULL, children, NULL, NULL};

error_t work_options_judge(const struct work_options *options) { return *options->input.result != 0 ? EINVAL : 0; }

int work_options_parse(struct work_options *options, const struct argp *argp, void *input, int argc, char **argv)
{
    int result = 0;
    options->input.result = options->table.result = &result;
    const error_t error = argp_parse(argp, argc, argv, ARGUMENT_FLAGS, NULL, input);
    if (result == 0 && error != 0) result = command_fail("%s", strerror(error));
    if (result == 0 && options->help) argument_help(argp);
    else if (result == 0) result = input_options_settle(&options->input);
    options->report = stdout;
    options->input.result = options->table.result = NULL;
    return result;
}

void work_options_release(struct work_options *options)
{
    input_options_release(&options->input);
    table_options_release(&options->table);
}
