/* Fields of a column that are read as a whole: signed numbers, numbers with decimals, dates and
 * times. */
#ifndef ROOST_IO_FIELD_H
#define ROOST_IO_FIELD_H

#include "io_reader.h"

#define IO_FIELD_TEXT 40 /* bytes of the longest field that can be parsed */

enum io_parsed { IO_PARSED, IO_NOT_PARSED, IO_TOO_LARGE };

/* Is it one of these kinds? */
static inline bool io_field_is_whole(enum io_field field) { return field >= IO_SIGNED_I64; }

/* Parses a field of such a kind.  *key: its bits. */
enum io_parsed io_field_parse(const struct io_spec *spec, const char *text, size_t length, uint64_t *key);

/* The kind of a field in words, for errors, such as "a decimal number of 64 bits".  Of numbers,
 * dates and times.  The words may lie in `text`. */
const char *io_field_words(const struct io_spec *spec, char text[IO_FIELD_TEXT]);

#endif
