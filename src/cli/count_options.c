/* Parses the options of `roost count` with argp and checks that they fit together. */
#include "cli/count_options.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/outfile.h"

enum option_key { OPTION_COUNT_BITS = 256, OPTION_TOP, OPTION_OUTPUT, OPTION_UNSORTED, OPTION_HISTOGRAM, OPTION_VERIFY };

static const struct argp_option option_list[] = {
    {"count-bits", OPTION_COUNT_BITS, "32|64", 0, "Width of the counts, which saturate (default 32)", 4},
    {"top", OPTION_TOP, "N", 0, "Print the N most frequent keys", 4},
    {"output", OPTION_OUTPUT, "FILE.tsv", 0,
     "Write every key and its count, by rising key; -: to standard output, without a report", 4},
    {"unsorted", OPTION_UNSORTED, NULL, 0, "Write the keys of --output in no order, which takes less time and memory", 4},
    {"histogram", OPTION_HISTOGRAM, "FILE.svg", 0, "Draw the spectrum: how many keys occur how often", 4},
    {"verify", OPTION_VERIFY, NULL, 0, "Count again by sorting, with code of its own, and compare every key", 4},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&work_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] = "Counts how often each key of the FILEs occurs, in a hash table that grows while it counts.\v"
                          "A FILE of - is standard input.  Keys that do not parse, and files that are truncated or damaged, "
                          "are errors: exit 1; wrong options: exit 2.";

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct count_options *options = (struct count_options *)state->input;
    int *result = options->work.input.result;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &options->work; break;
    case OPTION_COUNT_BITS:
        options->count_bits = strcmp(argument, "64") == 0 ? 64 : 32;
        if (strcmp(argument, "32") != 0 && strcmp(argument, "64") != 0)
            *result = command_misused("--count-bits is 32 or 64, not '%s'", argument);
        break;
    case OPTION_TOP: options->top = argument_take(result, "top", argument, 0, UINT64_MAX); break;
    case OPTION_OUTPUT: options->output = argument; break;
    case OPTION_UNSORTED: options->unsorted = true; break;
    case OPTION_HISTOGRAM: options->histogram = argument; break;
    case OPTION_VERIFY: options->work.verify = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return work_options_judge(&options->work);
}

static const struct argp count_argp = {option_list, parse_option, "FILE...", doc, children, NULL, NULL};

int count_options_parse(struct count_options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->count_bits = 32;
    const int result = work_options_parse(&options->work, &count_argp, options, argc, argv);
    if (result == 0 && options->unsorted && options->output == NULL)
        return command_misused("--unsorted is about the list of --output, and there is none");
    const bool stdout_taken =
        outfile_is_stdout(options->output) || outfile_is_stdout(options->histogram) || outfile_is_stdout(options->work.plot);
    return result == 0 && stdout_taken ? work_options_yield_stdout(&options->work, options->top) : result;
}
