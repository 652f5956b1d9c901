/* Error texts. */
#include "portable/error.h"

#include <stdarg.h>
#include <stdio.h>

roost_status error_set(struct error *error, roost_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}
