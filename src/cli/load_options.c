/* Parses the options of subcommands that load snapshots. */
#include "cli/load_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"

enum option_key { OPTION_CHANGES = 512, OPTION_SALVAGE, OPTION_QUIET = 'q' };

static const struct argp_option option_list[] = {
    {"changes", OPTION_CHANGES, "FILE", 0,
     "Apply the changes in FILE, which roost_save_changes wrote, to the first snapshot; several come in the order in which they "
     "were saved",
     5},
    {"salvage", OPTION_SALVAGE, NULL, 0,
     "Leave damaged blocks out, warn of what is lost, and exit with 3 if something is (default: a damaged block is an error)", 5},
    {"quiet", OPTION_QUIET, NULL, 0, "No report and no progress bar", 5},
    {"help", OPTION_HELP, NULL, 0, "Print this text", -1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&place_argp, 0, "The table (default: engine and options as saved):", 3},
                                             {NULL, 0, NULL, 0}};

/* Appends to a list, which has room for all arguments of the command. */
static void take_name(const struct load_options *options, char ***names, size_t *n, char *name, const struct argp_state *state)
{
    /* Not at ARGP_KEY_INIT: argp leaks its parser if that fails. */
    if (*names == NULL) *names = (char **)calloc((size_t)state->argc, sizeof **names);
    if (*names != NULL) (*names)[(*n)++] = name;
    else *options->result = command_fail("out of memory");
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct load_options *options = (struct load_options *)state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &options->place; break;
    case ARGP_KEY_ERROR:
        if (*options->result == 0) *options->result = argument_refused(state->root_argp, state);
        break;
    case ARGP_KEY_ARG: take_name(options, &options->files, &options->files_n, argument, state); break;
    case OPTION_CHANGES: take_name(options, &options->changes, &options->changes_n, argument, state); break;
    case OPTION_SALVAGE: options->salvage = true; break;
    case OPTION_QUIET: options->quiet = true; break;
    case OPTION_HELP: options->help = true; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return load_options_judge(options);
}

const struct argp load_argp = {option_list, parse_option, NULL, NULL, children, NULL, NULL};

error_t load_options_judge(const struct load_options *options) { return *options->result != 0 ? EINVAL : 0; }

int load_options_parse(struct load_options *options, const struct argp *argp, void *input, int argc, char **argv)
{
    int result = 0;
    options->result = options->place.result = &result;
    const error_t error = argp_parse(argp, argc, argv, ARGUMENT_FLAGS, NULL, input);
    if (result == 0 && error != 0) result = command_fail("%s", strerror(error));
    if (result == 0 && options->help) argument_help(argp);
    else if (result == 0 && options->salvage && options->changes_n > 0)
        result = command_misused("--changes and --salvage exclude each other: changes follow a snapshot that is whole");
    options->result = options->place.result = NULL;
    return result;
}

void load_options_release(struct load_options *options)
{
    free(options->files);
    free(options->changes);
    table_options_release(&options->place);
    options->files = options->changes = NULL;
}
