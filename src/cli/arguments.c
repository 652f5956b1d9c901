/* Numbers in options, help, and messages for options that argp refuses. */
#include "cli/arguments.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The unit at the end of a size such as 5M, which ends the number there.  0: there is none such. */
static uint64_t take_unit(char *text)
{
    static const char units[] = "kMGT";
    uint64_t unit = 1;
    const size_t digits = strspn(text, "0123456789");
    const char *letter = text[digits] == 'K' ? units : text[digits] != 0 ? strchr(units, text[digits]) : NULL;
    const bool binary = letter != NULL && text[digits + 1] == 'i';
    if (text[digits] == 0) return 1;
    if (letter == NULL || text[digits + 1 + binary] != 0) return 0;
    for (const char *u = units; u <= letter; u++) unit *= binary ? 1024 : 1000;
    text[digits] = 0;
    return unit;
}

static bool argument_size(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
    char digits[32];
    if (strlen(text) >= sizeof digits) return false;
    strcpy(digits, text);
    const uint64_t unit = take_unit(digits);
    if (unit == 0 || !argument_number(digits, 0, UINT64_MAX / unit, number)) return false;
    *number *= unit;
    return *number >= least && *number <= most;
}

uint64_t argument_take(int *result, const char *option, const char *text, uint64_t least, uint64_t most)
{
    uint64_t number;
    if (argument_size(text, least, most, &number)) return number;
    *result = command_misused("--%s is a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, least, most, text);
    return 0;
}

double argument_take_decimal(int *result, const char *option, const char *text, double least, double most)
{
    char *end;
    const bool plain = *text != 0 && text[strspn(text, "0123456789.")] == 0;
    const double number = plain ? strtod(text, &end) : 0;
    if (plain && *end == 0 && number >= least && number <= most) return number;
    *result = command_misused("--%s is a number from %g to %g, not '%s'", option, least, most, text);
    return 0;
}

void argument_help(const struct argp *argp)
{
    char name[64];
    snprintf(name, sizeof name, "%s", command_name());
    argp_help(argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG | ARGP_HELP_POST_DOC, name);
}

static bool is_last(const struct argp_option *o) { return o->name == NULL && o->key == 0 && o->doc == NULL; }

void argument_each(const struct argp *argp, void (*visit)(const struct argp_option *option))
{
    for (const struct argp_option *o = argp->options; !is_last(o); o++)
        if (o->name != NULL || o->key != 0) visit(o);
    for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL; child++)
        argument_each(child->argp, visit);
}

/* Finds the option with this long name, or (name NULL) this letter, in the parser or its
 * children. */
static const struct argp_option *find_option(const struct argp *argp, const char *name, size_t length, int letter)
{
    for (const struct argp_option *o = argp->options; !is_last(o); o++) {
        if (name == NULL && o->key == letter) return o;
        if (name != NULL && o->name != NULL && strlen(o->name) == length && memcmp(o->name, name, length) == 0) return o;
    }
    for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL; child++) {
        const struct argp_option *found = find_option(child->argp, name, length, letter);
        if (found != NULL) return found;
    }
    return NULL;
}

/* What is wrong with an argument that looks like an option; NULL: nothing. */
static const char *problem_with(const struct argp *argp, const char *argument)
{
    if (argument[0] != '-' || argument[1] == 0) return NULL;
    if (argument[1] == '-') {
        const size_t length = strcspn(argument + 2, "=");
        const struct argp_option *option = find_option(argp, argument + 2, length, 0);
        if (option == NULL) return "is not an option";
        const bool given = argument[2 + length] == '=';
        if (given == (option->arg != NULL)) return NULL;
        return given ? "takes no value" : "needs a value";
    }
    for (const char *letter = argument + 1; *letter != 0; letter++) {
        const struct argp_option *option = find_option(argp, NULL, 0, *letter);
        if (option == NULL) return "is not an option";
        if (option->arg != NULL) return letter[1] == 0 ? "needs a value" : NULL;
    }
    return NULL;
}

int argument_refused(const struct argp *argp, const struct argp_state *state)
{
    /* argp does not say which argument it refused.  It has just moved past it, or, within a
     * cluster such as -xyz, not yet. */
    for (int i = state->next - 1; i <= state->next && i < state->argc; i++) {
        const char *problem = i > 0 ? problem_with(argp, state->argv[i]) : NULL;
        if (problem != NULL) return command_misused("'%s' %s", state->argv[i], problem);
    }
    return command_misused("wrong options");
}
