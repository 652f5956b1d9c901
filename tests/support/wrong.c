/* The first failure of a scene, in words. */
#include "support/wrong.h"

#include <stdarg.h>
#include <stdio.h>

static char text[WRONG_BYTES];

bool wrong_say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return false;
}

const char *wrong_text(void) { return text; }
