/* --output and --format of lists of pairs. */
#include "cli/list_options.h"

#include <errno.h>

#include "cli/command.h"

enum { OPTION_OUTPUT = 'o', OPTION_FORMAT = 512 };

static const struct argp_option option_list[] = {
    {"output", OPTION_OUTPUT, "FILE", 0,
     "Write to FILE: .csv, .jsonl, .fa, else tsv; with .gz or .zst behind it compressed (default, and -: standard output)", 1},
    {"format", OPTION_FORMAT, "tsv|csv|jsonl|fasta", 0,
     "The format (default: by the name of --output); fasta: k-mers, each behind its count as a header", 1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static void take_format(struct list_options *list, const char *text)
{
    list->format_given = true;
    if (!count_list_format_named(text, &list->format))
        *list->result = command_misused("--format is tsv, csv, jsonl or fasta, not '%s'", text);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct list_options *list = (struct list_options *)state->input;
    switch (key) {
    case OPTION_OUTPUT: list->output = argument; break;
    case OPTION_FORMAT: take_format(list, argument); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return *list->result != 0 ? EINVAL : 0;
}

const struct argp list_argp = {option_list, parse_option, NULL, NULL, NULL, NULL, NULL};

void list_options_settle(struct list_options *list)
{
    if (list->output == NULL) list->output = "-";
    if (!list->format_given) list->format = count_list_format(list->output);
}
