/* The syntax of a file of columns, as far as it differs between files. */
#ifndef ROOST_IO_SYNTAX_H
#define ROOST_IO_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "io_reader.h"

struct io_syntax {
    uint8_t separator;
    uint8_t line_end; /* LF, also of lines that end in CR LF; or CR */
    bool quotes;      /* fields may be quoted as in RFC 4180 */
    bool comments;    /* a line that begins with `comment` is none */
    uint8_t comment;
};

/* The spec's syntax.  What the spec leaves open is guessed from the file's first bytes. */
struct io_syntax io_syntax_guess(const struct io_spec *spec, const uint8_t *at, const uint8_t *end);

#endif
