/* Parses the options of `roost join` with argp and checks that they fit together. */
#define _GNU_SOURCE 1
#include "cli/join_options.h"

#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"

enum option_key { OPTION_ON = 256, OPTION_HOW, OPTION_SUFFIX };

static const struct argp_option option_list[] = {
    {NULL, 0, NULL, 0, "Join:", 1},
    {"on", OPTION_ON, "A[=B][,...]", 0,
     "The columns whose fields must be equal: A of LEFT and B of RIGHT (default: A), by name in the header or by number from 1; =A "
     "if a name is a number",
     1},
    {"how", OPTION_HOW, "inner|left|full|semi|anti", 0,
     "Pairs of rows that match (default); also rows of LEFT that match none; also those of RIGHT, last; rows of LEFT that have a "
     "match; those that have none",
     1},
    {"suffix", OPTION_SUFFIX, "TEXT", 0, "What is added to names of RIGHT's columns that LEFT has, too (default _right)", 1},
    {NULL, 0, NULL, 0, NULL, 0},
};

static const struct argp_child children[] = {{&relation_argp, 0, NULL, 0}, {NULL, 0, NULL, 0}};

static const char doc[] =
    "Joins the rows of the files LEFT and RIGHT whose fields are equal, as text.\v"
    "One of the files may be -, standard input.  RIGHT is kept in memory.  NULL, an unquoted empty field, matches nothing.  The "
    "output has LEFT's columns, and then those of RIGHT without the ones of --on, in LEFT's order.";

static const char *const hows[] = {[ROOST_JOIN_INNER] = "inner",
                                   [ROOST_JOIN_LEFT] = "left",
                                   [ROOST_JOIN_FULL] = "full",
                                   [ROOST_JOIN_SEMI] = "semi",
                                   [ROOST_JOIN_ANTI] = "anti"};

const char *join_how_name(roost_join_how how) { return hows[how]; }

static int take_how(struct join_options *options, const char *text)
{
    for (size_t i = 0; i < sizeof hows / sizeof hows[0]; i++) {
        if (strcmp(text, hows[i]) != 0) continue;
        options->how = (roost_join_how)i;
        return 0;
    }
    return command_misused("--how is inner, left, full, semi or anti, not '%s'", text);
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct join_options *options = (struct join_options *)state->input;
    int *result = options->relation.result;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &options->relation; break;
    case OPTION_ON: *result = column_names_add(&options->on, "on", argument); break;
    case OPTION_HOW: *result = take_how(options, argument); break;
    case OPTION_SUFFIX: options->suffix = argument; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return relation_options_judge(&options->relation);
}

const struct argp join_argp = {option_list, parse_option, "LEFT RIGHT", doc, children, NULL, NULL};

/* Splits A=B; an = at the beginning of either belongs to the name. */
static int split_on(struct join_options *options, const char *on)
{
    const size_t a = 1 + strcspn(*on == '=' ? on + 1 : on, "=") - (*on != '=');
    const char *const b = on[a] == '=' ? on + a + 1 : on;
    const size_t n = options->left.n;
    if (a == 0 || *b == 0) return command_misused("--on: a name is empty in '%s'", on);
    options->left.name[n] = strndup(on, a);
    options->right.name[n] = strdup(b);
    options->left.n = options->right.n = n + 1;
    return options->left.name[n] != NULL && options->right.name[n] != NULL ? 0 : command_fail("out of memory");
}

static int settle(struct join_options *options)
{
    const struct relation_options *const relation = &options->relation;
    int result = 0;
    if (relation->files_n != 2) return command_misused("a join has two files, LEFT and RIGHT, not %zu", relation->files_n);
    if (strcmp(relation->files[0], "-") == 0 && strcmp(relation->files[1], "-") == 0)
        return command_misused("one of the files may be standard input, not both");
    if (options->on.n == 0) return command_misused("no --on given");
    if (*options->suffix == 0) return command_misused("--suffix is empty");
    for (size_t i = 0; i < options->on.n && result == 0; i++) result = split_on(options, options->on.name[i]);
    return result;
}

int join_options_parse(struct join_options *options, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->suffix = "_right";
    const int result = relation_options_parse(&options->relation, &join_argp, options, argc, argv);
    return result == 0 && !options->relation.help ? settle(options) : result;
}

void join_options_release(struct join_options *options)
{
    column_names_release(&options->on);
    column_names_release(&options->left);
    column_names_release(&options->right);
    relation_options_release(&options->relation);
}
