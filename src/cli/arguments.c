/* Numbers in options, help, and words for options that argp refuses. */
#include "cli/arguments.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"

bool argument_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    *number = 0;
    if (*text == 0) return false;
    for (; *text != 0; text++) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (*number > (UINT64_MAX - digit) / 10) return false;
        *number = *number * 10 + digit;
    }
    return *number >= least && *number <= most;
}

void argument_help(const struct argp *argp)
{
    char name[64];
    snprintf(name, sizeof name, "%s", command_name());
    argp_help(argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC, name);
}

static const struct argp_option *find_long(const struct argp_option *options, const char *name, size_t length)
{
    for (; options->name != NULL || options->key != 0 || options->doc != NULL; options++)
        if (options->name != NULL && strlen(options->name) == length && memcmp(options->name, name, length) == 0) return options;
    return NULL;
}

static const struct argp_option *find_short(const struct argp_option *options, int letter)
{
    for (; options->name != NULL || options->key != 0 || options->doc != NULL; options++)
        if (options->key == letter) return options;
    return NULL;
}

/* What is wrong with an argument that looks like an option; NULL if nothing is. */
static const char *problem_with(const struct argp_option *options, const char *argument)
{
    if (argument[0] != '-' || argument[1] == 0) return NULL;
    if (argument[1] == '-') {
        const size_t length = strcspn(argument + 2, "=");
        const struct argp_option *option = find_long(options, argument + 2, length);
        if (option == NULL) return "is no option";
        const bool given = argument[2 + length] == '=';
        if (given == (option->arg != NULL)) return NULL;
        return given ? "takes no value" : "needs a value";
    }
    for (const char *letter = argument + 1; *letter != 0; letter++) {
        const struct argp_option *option = find_short(options, *letter);
        if (option == NULL) return "is no option";
        if (option->arg != NULL) return letter[1] == 0 ? "needs a value" : NULL;
    }
    return NULL;
}

int argument_refused(const struct argp_option *options, const struct argp_state *state)
{
    /* argp does not say which one it refused: it has just moved past it, or, within a cluster such as -xyz, not yet. */
    for (int i = state->next - 1; i <= state->next && i < state->argc; i++) {
        const char *problem = i > 0 ? problem_with(options, state->argv[i]) : NULL;
        if (problem != NULL) return command_misused("'%s' %s", state->argv[i], problem);
    }
    return command_misused("wrong options");
}
