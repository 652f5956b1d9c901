/* Parts of a file: where they begin. */
#include <string.h>

#include "io_layout.h"

uint64_t io_share_begin(const struct io_stream *stream, uint64_t first, uint64_t unit, uint64_t share, uint64_t shares)
{
    const uint64_t units = stream->file_bytes > first ? (stream->file_bytes - first) / unit : 0, each = units / shares,
                   more = units % shares;
    if (share == shares) return stream->file_bytes; /* with what is no whole unit */
    return first + (share * each + (share < more ? share : more)) * unit;
}

/* Where a byte of a line is, as in the column's reader. */
enum place { LINE_START, FIELD_START, IN_FIELD, IN_QUOTES, AFTER_QUOTE, IN_COMMENT };

static enum place place_after(enum place place, uint8_t byte, struct io_syntax syntax)
{
    if (place == IN_QUOTES) return byte == '"' ? AFTER_QUOTE : IN_QUOTES;
    if (byte == syntax.line_end) return LINE_START;
    if (place == IN_COMMENT) return IN_COMMENT;
    if (place == LINE_START && syntax.comments && byte == syntax.comment) return IN_COMMENT;
    if (byte == syntax.separator) return FIELD_START;
    if (place == LINE_START || place == FIELD_START) return byte == '"' && syntax.quotes ? IN_QUOTES : IN_FIELD;
    return place == AFTER_QUOTE && byte == '"' ? IN_QUOTES : place;
}

/* Finds where the first line begins that does so at byte `from` or behind it, or the file's end.
 * *lines: line ends between `first`, where a line begins, and there. */
static enum io_status line_begin(struct io_stream *stream, uint64_t first, uint64_t from, struct io_syntax syntax, uint64_t *begin,
                                 uint64_t *lines, struct io_error *error)
{
    enum io_status status = io_stream_window(stream, first, UINT64_MAX, error);
    enum place place = LINE_START;
    *begin = first;
    *lines = 0;
    while (status == IO_OK && *begin < from) {
        bool ended;
        status = io_need_byte(stream, &ended, error);
        if (status != IO_OK || ended) break;
        const uint8_t byte = *stream->at++;
        place = place_after(place, byte, syntax);
        *lines += byte == syntax.line_end;
        if (place == LINE_START) *begin = io_stream_position(stream);
    }
    if (status == IO_OK && *begin < from) *begin = stream->file_position; /* no line begins there */
    return status;
}

enum io_status io_line_share(struct io_stream *stream, uint64_t first, uint64_t low, uint64_t high, struct io_syntax syntax,
                             uint64_t *lines, struct io_error *error)
{
    uint64_t from, to, within;
    enum io_status status = line_begin(stream, first, low, syntax, &from, lines, error);
    if (status == IO_OK) status = line_begin(stream, from, high, syntax, &to, &within, error);
    return status == IO_OK ? io_stream_window(stream, from, to, error) : status;
}
