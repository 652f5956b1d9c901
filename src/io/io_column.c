/* One column of a tsv or csv file as keys: numbers, dates, times, bytes of a width, or strings.  It
 * is parsed byte by byte, so that lines and fields may have any length.
 *
 * In tsv there are no quotes.  In csv, with any other separator than a tab, a field may be quoted
 * as in RFC 4180: inside, quotes are doubled, and separators and line ends are literal.  Lines
 * end in LF or CR LF, or in files without LF in CR; a byte order mark at the beginning is skipped.
 * A record is the text between line ends, so an empty line is a record with one empty field, unless
 * empty lines are skipped.
 *
 * A record whose wanted field is absent or does not parse has no key.  Such records are left out,
 * or the first one is the error; then the rest of the file is read to count them. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io_field.h"
#include "io_layout.h"

#define SHOWN_BYTES IO_FIELD_TEXT /* of a field, in error texts */

/* Records without a key that are counted if they are errors: an endless pipe must not be read to
 * its end for them. */
#define COUNTED_MOST 1000

enum place { FIELD_START, IN_FIELD, IN_QUOTES, AFTER_QUOTE, IN_COMMENT };

struct column {
    uint64_t wanted; /* the column to deliver, from 1; 0: not yet known from the header */
    bool in_header;
    uint64_t data_begin; /* of a file with a header: the byte behind it */
    enum place place;
    /* The last byte was a CR: a line end if LF or the file's end follows, else part of the
     * field. */
    bool cr_pending;
    bool cr_alone; /* a CR was part of a field, outside of quotes */
    struct io_syntax syntax;
    bool hash; /* the file begins with '#' */
    /* A record without a key was an error.  No key is delivered any more. */
    bool failing;
    enum io_status failure;
    uint64_t line;       /* from 1 */
    uint64_t first_line; /* of the current record */
    /* Bytes of the current record in earlier chunks, and where it continues in this one. */
    uint64_t record_bytes;
    const uint8_t *record_at;
    uint64_t field;      /* number of the current field in its record, from 1 */
    uint64_t quote_line; /* where the current quoted field began */
    uint64_t value;      /* of the current field so far */
    uint64_t length;     /* bytes of the current field, without quotes */
    bool no_number;
    bool too_large;
    bool same_name; /* in the header: the field equals the name so far */
    char shown[SHOWN_BYTES + 1];
};

/* Where the fields of a call go: to `strings`, or if that is NULL to the array `keys`. */
struct column_keys {
    void *keys;
    size_t n;
    struct io_strings *strings;
};

static void start_field(struct column *column)
{
    column->place = FIELD_START;
    column->value = 0;
    column->length = 0;
    column->no_number = false;
    column->too_large = false;
    column->same_name = true;
}

static void start_record(struct column *column, const uint8_t *at)
{
    column->field = 1;
    column->first_line = column->line;
    column->record_bytes = 0;
    column->record_at = at;
    start_field(column);
}

/* Counts the record's bytes before `end`, which is in the chunk. */
static enum io_status count_bytes(struct io_reader *reader, const uint8_t *end, struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    column->record_bytes += (uint64_t)(end - column->record_at);
    column->record_at = end;
    return io_check_line(reader, column->first_line, column->record_bytes, error);
}

/* As io_need_byte, for the current record. */
static enum io_status need_byte(struct io_reader *reader, bool *ended, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    enum io_status status = IO_OK;
    if (stream->at == stream->end) {
        status = count_bytes(reader, stream->at, error);
        if (status == IO_OK) status = io_stream_fill(stream, error);
        ((struct column *)reader->state)->record_at = stream->at;
    }
    *ended = stream->at == stream->end;
    return status;
}

static enum io_status column_begin(struct io_reader *reader, struct io_error *error)
{
    static const enum io_key_type types[] = {[IO_DECIMAL_U64] = IO_U64,   [IO_DECIMAL_U32] = IO_U32,     [IO_BASE36] = IO_U64,
                                             [IO_FIELD_BYTES] = IO_BYTES, [IO_FIELD_STRING] = IO_STRING, [IO_SIGNED_I64] = IO_I64,
                                             [IO_SIGNED_I32] = IO_I32,    [IO_FIXED] = IO_I64,           [IO_DATE] = IO_I32,
                                             [IO_TIME] = IO_I64};
    const struct io_spec *spec = &reader->spec;
    const char *path = reader->stream->path;
    if (spec->column == 0 && spec->name == NULL) return io_fail(error, IO_ERR_ARGUMENT, path, "columns are counted from 1");
    struct column *column = (struct column *)calloc(1, sizeof *column);
    if (column == NULL) return io_fail(error, IO_ERR_MEMORY, path, "out of memory");
    reader->state = column;
    reader->type = types[spec->field];
    column->wanted = spec->column;
    column->in_header = spec->header || spec->column == 0;
    column->line = 1;

    const struct io_stream *stream = reader->stream;
    const enum io_status status = io_begin_text(reader, error);
    if (status != IO_OK) return status;
    start_record(column, stream->at);
    column->syntax = io_syntax_guess(spec, stream->at, stream->end);
    column->hash = stream->at < stream->end && *stream->at == '#';
    return IO_OK;
}

/* The digit's value, or 36 if it is not a digit in any base. */
static unsigned digit_value(uint8_t byte)
{
    if (byte >= '0' && byte <= '9') return byte - '0';
    if (byte >= 'a' && byte <= 'z') return byte - 'a' + 10u;
    if (byte >= 'A' && byte <= 'Z') return byte - 'A' + 10u;
    return 36;
}

static void take_digit(struct column *column, enum io_field field, uint8_t byte)
{
    const unsigned base = field == IO_BASE36 ? 36 : 10;
    const uint64_t largest = field == IO_DECIMAL_U32 ? UINT32_MAX : UINT64_MAX;
    const unsigned digit = digit_value(byte);
    if (digit >= base) column->no_number = true;
    else if (column->value > (largest - digit) / base) column->too_large = true;
    else column->value = column->value * base + digit;
}

/* Takes a byte of the wanted field. */
static void wanted_byte(struct column *column, const struct io_spec *spec, uint8_t byte, struct column_keys *out)
{
    switch (spec->field) {
    case IO_FIELD_STRING:
        if (!column->failing) io_put_byte(out->strings, byte);
        return;
    case IO_FIELD_BYTES:
        if (!column->failing && column->length < spec->key_bytes)
            ((uint8_t *)out->keys)[out->n * spec->key_bytes + column->length] = byte;
        break;
    default:
        if (!io_field_is_whole(spec->field)) take_digit(column, spec->field, byte);
    }
    if (column->length < SHOWN_BYTES) column->shown[column->length] = (char)byte;
}

static void field_byte(struct column *column, const struct io_spec *spec, uint8_t byte, struct column_keys *out)
{
    if (column->in_header) {
        if (spec->name != NULL && column->same_name) column->same_name = (uint8_t)spec->name[column->length] == byte && byte != 0;
    } else if (column->field == column->wanted) {
        wanted_byte(column, spec, byte, out);
    }
    column->length++;
}

static enum io_status fail_at(const struct io_reader *reader, enum io_status status, const char *what, struct io_error *error)
{
    const struct column *column = (const struct column *)reader->state;
    return io_fail(error, status, reader->stream->path, "line %llu: %s", (unsigned long long)column->line, what);
}

/* Is the record an empty line? */
static bool is_blank(const struct column *column)
{
    return column->field == 1 && column->place == FIELD_START && column->length == 0;
}

/* ---- Records without a key ------------------------------------------------------------------- */

/* Counts a record without a key.  The first one is kept as an error, or for the caller. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
no_key(struct io_reader *reader, enum io_status status, const char *format, ...)
{
    struct column *column = (struct column *)reader->state;
    if (reader->records_left_out++ > 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->first_left_out, sizeof reader->first_left_out, format, arguments);
    va_end(arguments);
    column->failing = !reader->spec.leave_out;
    column->failure = status;
}

static enum io_status fail_first(const struct io_reader *reader, struct io_error *error)
{
    const struct column *column = (const struct column *)reader->state;
    const uint64_t n = reader->records_left_out;
    if (n == 1) return io_fail(error, column->failure, reader->stream->path, "%s", reader->first_left_out);
    return io_fail(error, column->failure, reader->stream->path,
                   "%s (the first of %s%llu records without a key; --bad skip leaves them out)", reader->first_left_out,
                   n > COUNTED_MOST ? "more than " : "", (unsigned long long)(n > COUNTED_MOST ? COUNTED_MOST : n));
}

static void no_key_blank(struct io_reader *reader)
{
    const struct column *column = (const struct column *)reader->state;
    no_key(reader, IO_ERR_VALUE, "line %llu is blank: column %llu is empty (--skip-blank skips blank lines)",
           (unsigned long long)column->line, (unsigned long long)column->wanted);
}

static void no_key_short(struct io_reader *reader)
{
    const struct column *column = (const struct column *)reader->state;
    if (is_blank(column)) no_key_blank(reader);
    else
        no_key(reader, IO_ERR_COLUMN, "line %llu: no column %llu, the line has %llu%s", (unsigned long long)column->line,
               (unsigned long long)column->wanted, (unsigned long long)column->field,
               column->first_line == 1 ? " (a name that is a number is given as =NAME)" : "");
}

/* The beginning of the wanted field as a string.  *more: "..." if it is longer. */
static const char *show(struct column *column, const char **more)
{
    const bool cut = column->length > SHOWN_BYTES;
    column->shown[cut ? SHOWN_BYTES : column->length] = 0;
    *more = cut ? "..." : "";
    return column->shown;
}

/* Says why the wanted field is not a number, a date or a time. */
static void no_key_value(struct io_reader *reader, bool too_large)
{
    struct column *column = (struct column *)reader->state;
    char text[IO_FIELD_TEXT];
    const char *words = io_field_words(&reader->spec, text), *more, *shown = show(column, &more);
    const unsigned long long line = column->line, field = column->field;
    if (is_blank(column)) no_key_blank(reader);
    else if (column->length == 0) no_key(reader, IO_ERR_VALUE, "line %llu: column %llu is empty, not %s", line, field, words);
    else
        no_key(reader, IO_ERR_VALUE, "line %llu: column %llu: '%s%s' is %s%s", line, field, shown, more,
               too_large ? "too large for " : "not ", words);
}

static void no_key_width(struct io_reader *reader)
{
    struct column *column = (struct column *)reader->state;
    const char *more, *shown = show(column, &more);
    no_key(reader, IO_ERR_VALUE, "line %llu: column %llu: '%s%s' has %llu bytes, not %zu", (unsigned long long)column->line,
           (unsigned long long)column->field, shown, more, (unsigned long long)column->length, reader->spec.key_bytes);
}

/* ---- Fields and records ---------------------------------------------------------------------- */

static enum io_parsed parse_field(const struct column *column, const struct io_spec *spec, uint64_t *key)
{
    if (io_field_is_whole(spec->field)) return io_field_parse(spec, column->shown, (size_t)column->length, key);
    *key = column->value;
    if (column->length == 0 || column->no_number) return IO_NOT_PARSED;
    return column->too_large ? IO_TOO_LARGE : IO_PARSED;
}

/* Delivers the wanted field as a key. */
static void deliver(struct io_reader *reader, struct column_keys *out)
{
    const struct column *column = (const struct column *)reader->state;
    const struct io_spec *spec = &reader->spec;
    uint64_t key = 0;
    enum io_parsed parsed = IO_PARSED;
    if (spec->field == IO_FIELD_STRING) {
        if (!column->failing) io_end_string(out->strings);
        return;
    }
    if (spec->field == IO_FIELD_BYTES && column->length != spec->key_bytes) return no_key_width(reader);
    if (spec->field != IO_FIELD_BYTES) parsed = parse_field(column, spec, &key);
    if (parsed != IO_PARSED) return no_key_value(reader, parsed == IO_TOO_LARGE);
    if (column->failing) return;
    if (spec->field != IO_FIELD_BYTES) io_put_key(out->keys, out->n, reader->type, key);
    out->n++;
}

static enum io_status end_field(struct io_reader *reader, struct column_keys *out, struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    if (column->in_header) {
        const char *name = reader->spec.column == 0 ? reader->spec.name : NULL;
        if (name == NULL || !column->same_name || name[column->length] != 0) return IO_OK;
        if (column->wanted != 0) return fail_at(reader, IO_ERR_COLUMN, "the header names the column twice", error);
        column->wanted = column->field;
    } else if (column->field == column->wanted) {
        deliver(reader, out);
    }
    return IO_OK;
}

static enum io_status fail_name(const struct io_reader *reader, struct io_error *error)
{
    const struct column *column = (const struct column *)reader->state;
    const char *hint = "";
    if (column->hash && !column->syntax.comments) hint = " (--comment '#' skips lines that begin with #)";
    else if (column->field == 1) hint = ", which has one column (--separator gives another separator)";
    return io_fail(error, IO_ERR_COLUMN, reader->stream->path, "no column '%s' in the header%s", reader->spec.name, hint);
}

static enum io_status next_record(struct io_reader *reader)
{
    struct column *column = (struct column *)reader->state;
    column->line++;
    start_record(column, reader->stream->at);
    return IO_OK;
}

/* line_end: 1 if a line feed has just been taken, 0 at the file's end. */
static enum io_status end_record(struct io_reader *reader, struct column_keys *out, int line_end, struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    enum io_status status = count_bytes(reader, reader->stream->at - line_end, error);
    const bool skipped = reader->spec.skip_blank && is_blank(column);
    if (status == IO_OK && !skipped) status = end_field(reader, out, error);
    if (status != IO_OK) return status;
    if (skipped) return next_record(reader);
    if (column->in_header && column->wanted == 0) return fail_name(reader, error);
    if (!column->in_header && column->field < column->wanted) no_key_short(reader);
    if (column->in_header) column->data_begin = io_stream_position(reader->stream);
    column->in_header = false;
    return next_record(reader);
}

/* Takes a byte inside quotes or right after the closing one.  *taken: it was part of the
 * quoting. */
static enum io_status quoted_byte(struct io_reader *reader, uint8_t byte, struct column_keys *out, bool *taken,
                                  struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    *taken = true;
    if (column->place == IN_QUOTES) {
        if (byte == '"') column->place = AFTER_QUOTE;
        else field_byte(column, &reader->spec, byte, out);
        column->line += byte == column->syntax.line_end;
    } else if (byte == '"') {
        column->place = IN_QUOTES;
        field_byte(column, &reader->spec, byte, out);
    } else if (byte == column->syntax.separator || byte == column->syntax.line_end || byte == '\r') {
        *taken = false;
    } else {
        return fail_at(reader, IO_ERR_FORMAT, "text after a closing quote", error);
    }
    return IO_OK;
}

/* Takes a byte that is not inside of a field without quotes, if the place makes it special.
 * *taken: it was. */
static enum io_status special_byte(struct io_reader *reader, uint8_t byte, struct column_keys *out, bool *taken,
                                   struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    if (column->place == IN_QUOTES || column->place == AFTER_QUOTE) return quoted_byte(reader, byte, out, taken, error);
    if (column->syntax.comments && byte == column->syntax.comment && is_blank(column)) column->place = IN_COMMENT;
    *taken = column->place == IN_COMMENT || (byte == '"' && column->syntax.quotes);
    if (column->place == IN_COMMENT) return byte == column->syntax.line_end ? next_record(reader) : IO_OK;
    if (!*taken) return IO_OK;
    column->place = IN_QUOTES;
    column->quote_line = column->line;
    return IO_OK;
}

/* A CR that was held back was not part of a line end. */
static enum io_status take_cr(struct io_reader *reader, struct column_keys *out, struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    if (column->place == AFTER_QUOTE) return fail_at(reader, IO_ERR_FORMAT, "text after a closing quote", error);
    column->place = IN_FIELD;
    column->cr_alone = true;
    field_byte(column, &reader->spec, '\r', out);
    return IO_OK;
}

/* Takes one byte of the file. */
static enum io_status take_byte(struct io_reader *reader, uint8_t byte, struct column_keys *out, struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    enum io_status status = column->cr_pending && byte != '\n' ? take_cr(reader, out, error) : IO_OK;
    if (status != IO_OK) return status;
    column->cr_pending = false;
    if (column->place != IN_FIELD) {
        bool taken;
        status = special_byte(reader, byte, out, &taken, error);
        if (status != IO_OK || taken) return status;
    }
    if (byte == column->syntax.line_end) return end_record(reader, out, 1, error);
    if (byte == column->syntax.separator) {
        status = end_field(reader, out, error);
        column->field++;
        start_field(column);
        return status;
    }
    if (byte == '\r') {
        column->cr_pending = true;
    } else {
        column->place = IN_FIELD;
        field_byte(column, &reader->spec, byte, out);
    }
    return IO_OK;
}

/* Skips bytes of a field that is not wanted, up to one that means something. */
static void skip_unwanted(struct column *column, struct io_stream *stream)
{
    const uint8_t separator = column->syntax.separator, line_end = column->syntax.line_end, *at = stream->at;
    if (column->in_header || column->field == column->wanted || column->cr_pending) return;
    if (column->place == IN_FIELD)
        while (at < stream->end && *at != separator && *at != line_end && *at != '\r') at++;
    else if (column->place == IN_QUOTES)
        for (; at < stream->end && *at != '"'; at++) column->line += *at == line_end;
    stream->at = at;
}

/* At the end of the file: the last line may lack its line end. */
static enum io_status end_file(struct io_reader *reader, struct column_keys *out, struct io_error *error)
{
    struct column *column = (struct column *)reader->state;
    if (column->place == IN_QUOTES)
        return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "line %llu: a quoted field is never closed",
                       (unsigned long long)column->quote_line);
    if (column->first_line == 1 && column->cr_alone)
        return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "its line ends are CR alone: convert it, as by tr '\\r' '\\n'");
    const bool anything = column->place != IN_COMMENT && (column->field > 1 || column->place != FIELD_START || column->cr_pending);
    column->cr_pending = false;
    const enum io_status status = anything ? end_record(reader, out, 0, error) : IO_OK;
    if (status != IO_OK) return status;
    if (column->in_header) return io_fail(error, IO_ERR_FORMAT, reader->stream->path, "empty: there is no header line");
    return IO_OK;
}

/* Is there room for another byte?  For keys: room for a key; for strings: room for a CR that was
 * held back and the byte. */
static bool has_room(const struct column *column, const struct column_keys *out, size_t room)
{
    if (column->failing) return true;
    if (out->strings == NULL) return out->n < room;
    return out->strings->n < room && io_strings_left(out->strings) >= 2;
}

static enum io_status read_some(struct io_reader *reader, struct column_keys *out, size_t room, struct io_error *error)
{
    struct io_stream *stream = reader->stream;
    struct column *column = (struct column *)reader->state;
    while (has_room(column, out, room) && !(column->failing && reader->records_left_out > COUNTED_MOST)) {
        bool ended;
        enum io_status status = need_byte(reader, &ended, error);
        if (status == IO_OK && ended) return end_file(reader, out, error);
        while (status == IO_OK && stream->at < stream->end && has_room(column, out, room)) {
            status = take_byte(reader, *stream->at++, out, error);
            skip_unwanted(column, stream);
        }
        if (status != IO_OK) return status;
    }
    return IO_OK;
}

/* Whatever came behind a record without a key, that is the error. */
static enum io_status read_keys(struct io_reader *reader, struct column_keys *out, size_t room, struct io_error *error)
{
    const enum io_status status = read_some(reader, out, room, error);
    return ((const struct column *)reader->state)->failing ? fail_first(reader, error) : status;
}

static enum io_status column_next(struct io_reader *reader, void *keys, size_t room, size_t *n, struct io_error *error)
{
    struct column_keys out = {keys, 0, NULL};
    const enum io_status status = read_keys(reader, &out, room, error);
    *n = out.n;
    return status;
}

static enum io_status column_next_strings(struct io_reader *reader, struct io_strings *strings, struct io_error *error)
{
    struct column_keys out = {NULL, 0, strings};
    return read_keys(reader, &out, strings->room, error);
}

/* ---- Parts of a file ------------------------------------------------------------------------- */

/* Reads the header: *first becomes the byte behind it. */
static enum io_status skip_header(struct io_reader *reader, uint64_t *first, struct io_error *error)
{
    uint64_t key[IO_KEY_BYTES_MAX / sizeof(uint64_t)];
    size_t n = 0;
    const enum io_status status = column_next(reader, key, 1, &n, error);
    *first = ((const struct column *)reader->state)->data_begin;
    return status;
}

/* A record belongs to the part in which it begins. */
static enum io_status column_share(struct io_reader *reader, uint64_t share, uint64_t shares, struct io_error *error)
{
    struct io_stream *const stream = reader->stream;
    struct column *const column = (struct column *)reader->state;
    const uint64_t begin = io_stream_position(stream);
    uint64_t first = begin, lines = 0;
    enum io_status status = column->in_header ? skip_header(reader, &first, error) : IO_OK;
    const uint64_t low = io_share_begin(stream, first, 1, share, shares),
                   high = io_share_begin(stream, first, 1, share + 1, shares);
    if (status == IO_OK) status = io_line_share(stream, begin, low, high, column->syntax, &lines, error);
    if (status != IO_OK) return status;
    column->line = lines + 1;
    column->cr_pending = column->cr_alone = false;
    start_record(column, stream->at);
    return IO_OK;
}

const struct io_layout_operations io_layout_column = {column_begin, column_next, column_next_strings, column_share};
