/* Texts of errors while reading. */
#include "io_error.h"

#include <stdarg.h>
#include <stdio.h>

const char *io_status_string(enum io_status status)
{
#define IO_STATUS_CASE(name, number, text)                                                                                         \
    case name: return text;
    switch (status) {
        IO_STATUS_LIST(IO_STATUS_CASE)
    }
#undef IO_STATUS_CASE
    return "unknown status";
}

enum io_status io_fail(struct io_error *error, enum io_status status, const char *path, const char *format, ...)
{
    error->status = status;
    const int head = snprintf(error->text, sizeof error->text, "%s: ", path);
    if (head < 0 || (size_t)head >= sizeof error->text) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + head, sizeof error->text - (size_t)head, format, arguments);
    va_end(arguments);
    return status;
}
