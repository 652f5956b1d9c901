/* Parses the options of `roost replay` with argp and checks that they fit together. */
#include "cli/replay_options.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/outfile.h"

/* The paper's batch, and its default r. */
#define BATCH_DEFAULT ((uint64_t)1000000)
#define ERASE_RATIO_DEFAULT 0.2

enum option_key { OPTION_ERASE_RATIO = 256, OPTION_VERIFY };

static const struct argp_option option_list[] = {
    {"erase-ratio", OPTION_ERASE_RATIO, "R", 0, "Erases per insert, 0 to 1 (default 0.2)", 3},
    {"verify", OPTION_VERIFY, NULL, 0, "Compare every answer with an exact reference, and the contents at the end", 4},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&work_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] =
    "Runs the workload of DyCuckoo's paper (section 6.1) on a table: the keys of the FILEs are inserted batch by batch; with each "
    "batch go "
    "as many finds, of keys drawn from all of the FILEs, and R times as many erases, of keys drawn from those that were read so "
    "far.  When the FILEs are exhausted, the batches come again with inserts and erases swapped, so that the table empties.\v"
    "A FILE of - is standard input.  All keys are held in memory.  Exit 1: an input is wrong, the table failed, or --verify found "
    "a wrong answer; exit 2: wrong options.";

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct replay_options *options = (struct replay_options *)state->input;
    int *result = options->work.input.result;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &options->work; break;
    case OPTION_ERASE_RATIO: options->erase_ratio = argument_take_decimal(result, "erase-ratio", argument, 0, 1); break;
    case OPTION_VERIFY: options->work.verify = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return work_options_judge(&options->work);
}

const struct argp replay_argp = {option_list, parse_option, "FILE...", doc, children, NULL, NULL};

int replay_options_parse(struct replay_options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->erase_ratio = ERASE_RATIO_DEFAULT;
    options->work.table.batch = BATCH_DEFAULT;
    const int result = work_options_parse(&options->work, &replay_argp, options, argc, argv);
    if (result == 0 && options->work.input.bad == BAD_NULL)
        return command_misused("--bad null only counts: a replay takes error or skip");
    if (outfile_is_stdout(options->work.plot)) options->work.report = stderr;
    return result;
}
