/* What broke first, in words. */
#include "support/wrong.h"

#include <stdarg.h>
#include <stdio.h>

bool wrong_say(char text[WRONG_BYTES], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, WRONG_BYTES, format, arguments);
    va_end(arguments);
    return false;
}
