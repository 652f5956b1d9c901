/* Error texts. */
#include "portable/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

roost_status error_set(struct error *error, roost_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

void warning_add(struct warnings *warnings, const char *format, ...)
{
    va_list arguments;
    const size_t length = strlen(warnings->text), room = sizeof warnings->text - length;
    va_start(arguments, format);
    const int added = vsnprintf(warnings->text + length, room, format, arguments);
    va_end(arguments);
    if (added < 0 || (size_t)added + 1 >= room) warnings->text[length] = 0;
    else strcpy(warnings->text + length + added, "\n");
}
