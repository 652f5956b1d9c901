/* Splits the text of a table into records and their fields.
 *
 * Only a quote at the beginning of a field quotes it, so text without any quote can be split at any
 * line end. */
#include "io_split.h"

void io_split_begin(struct io_split *split, const uint8_t *at, const uint8_t *end, bool last)
{
    split->at = at;
    split->end = end;
    split->last = last;
    split->lines = 0;
    io_scan_begin(&split->scan, split->syntax.separator, split->syntax.line_end, at);
}

static void add_piece(struct io_split *split, const uint8_t *at, const uint8_t *end, bool quoted, bool doubled)
{
    if (split->n < split->room) {
        struct io_piece *const piece = &split->pieces[split->n];
        piece->at = at;
        piece->length = (size_t)(end - at);
        piece->quoted = quoted;
        piece->doubled = doubled;
    }
    split->n++;
}

static uint64_t lines_in(const struct io_split *split, const uint8_t *at, const uint8_t *end)
{
    uint64_t lines = 0;
    while (at < end && (at = (const uint8_t *)memchr(at, split->syntax.line_end, (size_t)(end - at))) != NULL) {
        lines++;
        at++;
    }
    return lines;
}

/* Takes a quoted field.  *stop: the byte behind it, which ends the field, or the text's end. */
static enum io_split_result take_quoted(struct io_split *split, const uint8_t *at, const uint8_t **stop)
{
    const uint8_t *const begin = at + 1, *const end = split->end;
    bool doubled = false;
    for (at = begin;; at += 2) {
        at = (const uint8_t *)memchr(at, '"', (size_t)(end - at));
        if (at == NULL) return split->last ? IO_SPLIT_UNCLOSED : IO_SPLIT_PART;
        if (at + 1 == end || at[1] != '"') break;
        doubled = true;
    }
    add_piece(split, begin, at, true, doubled);
    split->lines += lines_in(split, begin, at);
    const bool carriage = ++at < end && *at == '\r' && split->syntax.line_end != '\r';
    at += carriage;
    *stop = at;
    if (at == end) return split->last ? IO_SPLIT_RECORD : IO_SPLIT_PART;
    if (*at != split->syntax.line_end && (carriage || *at != split->syntax.separator)) return IO_SPLIT_BEHIND;
    return IO_SPLIT_RECORD;
}

/* Where the field ends whose line ends at `stop`: CR LF is a line end, too. */
static const uint8_t *without_carriage(const struct io_split *split, const uint8_t *begin, const uint8_t *stop)
{
    return split->syntax.line_end == '\n' && stop > begin && stop[-1] == '\r' ? stop - 1 : stop;
}

/* Takes the record at `at`. */
static enum io_split_result take_record(struct io_split *split)
{
    const struct io_syntax syntax = split->syntax;
    const uint8_t *at = split->at, *stop = at, *const end = split->end;
    struct io_scan scan = split->scan;
    for (bool more = true; more; at = stop + 1) {
        if (syntax.quotes && at < end && *at == '"') {
            const uint8_t *behind;
            const enum io_split_result result = take_quoted(split, at, &behind);
            if (result != IO_SPLIT_RECORD) return result;
            stop = behind;
            io_scan_seek(&scan, stop);
            io_scan_next(&scan, end);
            more = stop < end && *stop == syntax.separator;
            split->stop = without_carriage(split, at, stop);
            continue;
        }
        stop = io_scan_next(&scan, end);
        if (stop == end && !split->last) return IO_SPLIT_PART;
        more = stop < end && *stop == syntax.separator;
        split->stop = more ? stop : without_carriage(split, at, stop);
        add_piece(split, at, split->stop, false, false);
    }
    split->scan = scan;
    split->at = stop < end ? stop + 1 : stop;
    split->lines++;
    return IO_SPLIT_RECORD;
}

/* Is the next line no record?  Then takes it.  False at the text's end, also if it ends in the
 * line. */
static bool skip_line(struct io_split *split)
{
    const uint8_t *const at = split->at, *const end = split->end;
    const uint8_t line_end = split->syntax.line_end;
    if (at == end) return false;
    const bool comment = split->syntax.comments && *at == split->syntax.comment;
    const bool carriage = *at == '\r' && line_end != '\r';
    const bool blank = split->skip_blank && (*at == line_end || (carriage && at + 1 < end && at[1] == line_end));
    if (!comment && !blank) return false;
    const uint8_t *const stop = (const uint8_t *)memchr(at, line_end, (size_t)(end - at));
    if (stop == NULL && !split->last) return false;
    split->at = stop != NULL ? stop + 1 : end;
    split->lines++;
    io_scan_seek(&split->scan, split->at);
    return true;
}

enum io_split_result io_split_next(struct io_split *split)
{
    while (skip_line(split)) continue;
    split->n = 0;
    split->begin = split->stop = split->at;
    split->first_line = split->lines;
    if (split->at == split->end) return IO_SPLIT_END;
    if (split->syntax.comments && *split->at == split->syntax.comment) return IO_SPLIT_PART;
    return take_record(split);
}
