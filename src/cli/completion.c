/* Prints the scripts.  What an option's value may be is read from its name in the table: words
 * between bars, or FILE, ENGINE, DEVICE, FORMAT, TYPE, K+V. */
#include "cli/completion.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/input_options.h"

#define DEVICES "roost info --json 2>/dev/null | sed -n '/\"devices\"/,/\"engines\"/s/.*\"name\": \"\\([^\"]*\\)\".*/\\1/p'"
#define ENGINES "roost info --json 2>/dev/null | sed -n '/\"engines\"/,$s/.*\"name\": \"\\([^\"]*\\)\".*/\\1/p'"

/* ---- Values ---------------------------------------------------------------------------------- */

enum value { VALUE_NONE, VALUE_ANY, VALUE_FILE, VALUE_WORDS, VALUE_ENGINE, VALUE_DEVICE, VALUE_FORMAT, VALUE_TYPE, VALUE_WIDTH };

static enum value value_of(const struct argp_option *option)
{
    static const struct {
        const char *name;
        enum value value;
    } names[] = {{"FILE", VALUE_FILE},     {"DEVICE", VALUE_DEVICE}, {"ENGINE", VALUE_ENGINE},
                 {"FORMAT", VALUE_FORMAT}, {"TYPE", VALUE_TYPE},     {"K+V", VALUE_WIDTH}};
    if (option->arg == NULL) return VALUE_NONE;
    if (strchr(option->arg, '|') != NULL) return VALUE_WORDS;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(option->arg, names[i].name) == 0) return names[i].value;
    return VALUE_ANY;
}

/* Prints the words that the value may be, separated by blanks. */
static void print_words(const struct argp_option *option)
{
    const char *word = "";
    switch (value_of(option)) {
    case VALUE_WORDS:
        for (const char *at = option->arg; *at != 0; at++) putchar(*at == '|' ? ' ' : *at);
        break;
    case VALUE_FORMAT:
        for (size_t i = 0; (word = input_options_format(i)) != NULL; i++) printf("%s%s", i > 0 ? " " : "", word);
        break;
    case VALUE_TYPE:
        for (size_t i = 0; (word = input_options_type(i)) != NULL; i++) printf("%s%s", i > 0 ? " " : "", word);
        break;
    case VALUE_WIDTH: printf("4+4 8+8 8+4 4+8 4+0 8+0"); break;
    case VALUE_NONE:
    case VALUE_ANY:
    case VALUE_FILE:
    case VALUE_ENGINE:
    case VALUE_DEVICE: break;
    }
}

static bool has_words(const struct argp_option *option)
{
    const enum value value = value_of(option);
    return value == VALUE_WORDS || value >= VALUE_FORMAT;
}

/* How a shell's script quotes texts: how an apostrophe is written between two of them, and which
 * characters are left out because they would mean something there. */
struct quoting {
    const char *apostrophe, *dropped;
};
static const struct quoting zsh_quoting = {"'\\''", "\\[]:"}, fish_quoting = {"\\'", "\\"};

static void print_quoted(const char *text, struct quoting quoting)
{
    for (; *text != 0; text++) {
        if (*text == '\'') fputs(quoting.apostrophe, stdout);
        else if (strchr(quoting.dropped, *text) == NULL) putchar(*text);
    }
}

static void print_names(const struct subcommand *subcommands, size_t n)
{
    for (size_t i = 0; i < n; i++) printf("%s%s", i > 0 ? " " : "", subcommands[i].name);
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void bash_value(const struct argp_option *option)
{
    if (option->name == NULL) return;
    switch (value_of(option)) {
    case VALUE_ENGINE: printf("    --%s) words=$(" ENGINES ") ;;\n", option->name); return;
    case VALUE_DEVICE: printf("    --%s) words=$(" DEVICES ") ;;\n", option->name); return;
    default: break;
    }
    if (!has_words(option)) return;
    printf("    --%s) words='", option->name);
    print_words(option);
    printf("' ;;\n");
}

static void bash_name(const struct argp_option *option)
{
    if (option->name != NULL) printf(" --%s", option->name);
}

static void print_bash(const struct subcommand *subcommands, size_t n)
{
    printf("# Completes the command roost in bash.\n_roost()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=\n    COMPREPLY=()\n"
           "    case ${COMP_WORDS[1]}$previous in\n");
    for (size_t i = 0; i < n; i++) {
        printf("    %s--*) case $previous in\n", subcommands[i].name);
        argument_each(subcommands[i].options, bash_value);
        printf("    esac ;;\n");
    }
    printf("    esac\n    if [[ -z $words && $COMP_CWORD -eq 1 ]]; then\n        words='");
    print_names(subcommands, n);
    printf(
        " completion help --help --version'\n    elif [[ -z $words && $current == -* ]]; then\n        case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; i < n; i++) {
        printf("        %s) words='", subcommands[i].name);
        argument_each(subcommands[i].options, bash_name);
        printf("' ;;\n");
    }
    printf("        esac\n    elif [[ -z $words && ${COMP_WORDS[1]} == help ]]; then\n        words='");
    print_names(subcommands, n);
    printf("'\n    elif [[ -z $words && ${COMP_WORDS[1]} == completion ]]; then\n        words='bash zsh fish'\n    fi\n"
           "    if [[ -n $words ]]; then\n        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n    else\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n        compopt -o filenames 2>/dev/null\n    fi\n}\n"
           "complete -F _roost roost\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

static void zsh_option(const struct argp_option *option)
{
    if (option->name == NULL) return;
    printf("        '--%s%s[", option->name, option->arg != NULL ? "=" : "");
    print_quoted(option->doc, zsh_quoting);
    printf("]");
    if (option->arg != NULL) {
        putchar(':');
        print_quoted(option->arg, zsh_quoting);
        putchar(':');
    }
    switch (value_of(option)) {
    case VALUE_FILE: printf("_files"); break;
    case VALUE_ENGINE: printf("_roost_engines"); break;
    case VALUE_DEVICE: printf("_roost_devices"); break;
    default: break;
    }
    if (has_words(option)) {
        putchar('(');
        print_words(option);
        putchar(')');
    }
    printf("' \\\n");
}

static void print_zsh(const struct subcommand *subcommands, size_t n)
{
    printf("#compdef roost\n# Completes the command roost in zsh.\n"
           "_roost_engines() { compadd -- ${(f)\"$(" ENGINES ")\"} }\n"
           "_roost_devices() { compadd -- ${(f)\"$(" DEVICES ")\"} }\n"
           "_roost() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; i < n; i++) {
        printf("        '%s:", subcommands[i].name);
        print_quoted(subcommands[i].summary, zsh_quoting);
        printf("'\n");
    }
    printf("        'completion:print a completion script'\n        'help:print help'\n    )\n"
           "    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n");
    for (size_t i = 0; i < n; i++) {
        printf("    %s) _arguments \\\n", subcommands[i].name);
        argument_each(subcommands[i].options, zsh_option);
        printf("        '*:FILE:_files' ;;\n");
    }
    printf("    completion) _values shell bash zsh fish ;;\n    help) _describe command commands ;;\n    esac\n}\n"
           "if [ \"$funcstack[1]\" = _roost ]; then _roost \"$@\"; else compdef _roost roost; fi\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static const char *fish_subcommand; /* whose options are printed */

static void fish_option(const struct argp_option *option)
{
    if (option->name == NULL) return;
    const enum value value = value_of(option);
    printf("complete -c roost -n '__fish_seen_subcommand_from %s' -l %s", fish_subcommand, option->name);
    if (value == VALUE_FILE) printf(" -r -F");
    else if (value != VALUE_NONE) printf(" -x");
    if (value == VALUE_ENGINE) printf(" -a \"(__roost_engines)\"");
    if (value == VALUE_DEVICE) printf(" -a \"(__roost_devices)\"");
    if (has_words(option)) {
        printf(" -a '");
        print_words(option);
        printf("'");
    }
    printf(" -d '");
    print_quoted(option->doc, fish_quoting);
    printf("'\n");
}

static void print_fish(const struct subcommand *subcommands, size_t n)
{
    printf("# Completes the command roost in fish.\n"
           "function __roost_engines\n    " ENGINES "\nend\nfunction __roost_devices\n    " DEVICES "\nend\n");
    for (size_t i = 0; i < n; i++) {
        printf("complete -c roost -f -n __fish_use_subcommand -a %s -d '", subcommands[i].name);
        print_quoted(subcommands[i].summary, fish_quoting);
        printf("'\n");
    }
    printf("complete -c roost -f -n __fish_use_subcommand -a completion -d 'print a completion script'\n"
           "complete -c roost -f -n __fish_use_subcommand -a help -d 'print help'\n"
           "complete -c roost -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n"
           "complete -c roost -f -n '__fish_seen_subcommand_from help' -a '");
    print_names(subcommands, n);
    printf("'\n");
    for (size_t i = 0; i < n; i++) {
        fish_subcommand = subcommands[i].name;
        argument_each(subcommands[i].options, fish_option);
    }
}

/* ---- All of them ----------------------------------------------------------------------------- */

int completion_print(const char *shell, const struct subcommand *subcommands, size_t n)
{
    if (strcmp(shell, "bash") == 0) print_bash(subcommands, n);
    else if (strcmp(shell, "zsh") == 0) print_zsh(subcommands, n);
    else if (strcmp(shell, "fish") == 0) print_fish(subcommands, n);
    else return command_misused("completion is for bash, zsh or fish, not '%s'", shell);
    return 0;
}
