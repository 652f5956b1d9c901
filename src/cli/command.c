/* Failures of the command: one line each on stderr. */
#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/progress.h"

static const char *name = "roost";

void command_set_name(const char *new_name) { name = new_name; }

const char *command_name(void) { return name; }

/* The buffer holds a path and a sentence.  Control characters in names or fields must not break
 * the line or move the cursor. */
static void print_line(const char *head, const char *format, va_list arguments, const char *tail)
{
    char text[8192];
    vsnprintf(text, sizeof text, format, arguments);
    for (char *c = text; *c != 0; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = '?';
    fflush(stdout);
    fprintf(stderr, "%s: %s%s%s\n", name, head, text, tail);
}

int command_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    progress_end();
    print_line("", format, arguments, "");
    va_end(arguments);
    return EXIT_FAILURE;
}

void command_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    progress_wipe();
    print_line("warning: ", format, arguments, "");
    va_end(arguments);
}

int command_misused(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    progress_end();
    print_line("", format, arguments, " (see --help)");
    va_end(arguments);
    return EXIT_USAGE;
}
