/* Guesses line ends and the separator. */
#include "io_syntax.h"

#include <string.h>

/* The end of a field that begins at `at`, if it is quoted as in csv: closed, and a separator or the
 * line's end follows.  Else `at`. */
static const uint8_t *skip_quoted(const uint8_t *at, const uint8_t *end)
{
    const uint8_t *next = at;
    if (at == end || *at != '"') return at;
    do {
        next = (const uint8_t *)memchr(next + 1, '"', (size_t)(end - next - 1));
        if (next == NULL) return at;
        next++;
    } while (next < end && *next == '"');
    return next == end || memchr(",\t\r\n", *next, 4) != NULL ? next : at;
}

/* Has the line a tab outside of quoted fields? */
static bool has_tab(const uint8_t *at, const uint8_t *end, uint8_t line_end)
{
    if (at == end) return false;
    for (at = skip_quoted(at, end); at < end && *at != line_end && *at != '\t';) {
        const bool field = *at++ == ',';
        if (field) at = skip_quoted(at, end);
    }
    return at < end && *at == '\t';
}

/* Skips blank lines, and those that begin with `comment`.  Returns `end` if no other one begins. */
static const uint8_t *first_record(const uint8_t *at, const uint8_t *end, uint8_t line_end, uint8_t comment)
{
    while (at < end) {
        const bool blank = *at == line_end || (*at == '\r' && (at + 1 == end || at[1] == line_end));
        if (!blank && *at != comment) return at;
        at = (const uint8_t *)memchr(at, line_end, (size_t)(end - at));
        if (at == NULL) return end;
        at++;
    }
    return at;
}

struct io_syntax io_syntax_guess(const struct io_spec *spec, const uint8_t *at, const uint8_t *end)
{
    const size_t bytes = (size_t)(end - at);
    const bool only_cr = bytes > 0 && memchr(at, '\r', bytes) != NULL && memchr(at, '\n', bytes) == NULL;
    struct io_syntax syntax = {(uint8_t)spec->separator, only_cr ? '\r' : '\n', true, spec->comment != 0, (uint8_t)spec->comment};
    if (spec->separator == 0) {
        /* Lines that look like comments tell nothing, unless there are no others. */
        const uint8_t *line = first_record(at, end, syntax.line_end, syntax.comments ? syntax.comment : '#');
        if (line == end && !syntax.comments) line = at;
        syntax.separator = has_tab(line, end, syntax.line_end) ? '\t' : ',';
    }
    syntax.quotes = syntax.separator != '\t';
    return syntax;
}
