/* Format strings of Arrow's C data interface: what the buffers of an array hold, and which types of
 * the library agree with it. */
#ifndef ROOST_ARROW_ARROW_FORMAT_H
#define ROOST_ARROW_ARROW_FORMAT_H

#include "api/checks.h"
#include "roost/arrow.h"

enum format_kind {
    FORMAT_BOOL, /* a bit for each item */
    FORMAT_UNSIGNED,
    FORMAT_SIGNED,
    FORMAT_FLOAT,
    FORMAT_BYTES,  /* as many for each item */
    FORMAT_STRING, /* offsets, and bytes */
    FORMAT_VIEW,   /* lengths with the bytes or where they are */
    FORMAT_STRUCT  /* columns */
};

struct arrow_format {
    enum format_kind kind;
    size_t bytes; /* of an item; STRING: of an offset */
};

/* Reads a format string.
 * Returns: ROOST_ERR_ARGUMENT: it is none, or NULL; ROOST_ERR_UNSUPPORTED: no call takes it. */
roost_status format_read(const char *text, struct arrow_format *format);

/* The type that a column of this format has by itself: the narrowest that agrees. */
void format_column(const struct arrow_format *format, roost_column *column);

/* Does a column of this format agree with the type? */
bool format_agrees(const struct arrow_format *format, const roost_column *type);

/* Are its items laid out as those of the type, which agrees? */
bool format_is_direct(const struct arrow_format *format, const roost_column *type);

/* Writes the format string of what a call gives: of a type, and of BYTES `bytes`. */
enum { FORMAT_TEXT = 24 };
void format_write(roost_type type, size_t bytes, bool utf8, char text[FORMAT_TEXT]);

/* The name of a type for messages, such as "U32". */
const char *format_type_name(roost_type type);

#endif
