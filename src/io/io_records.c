/* Makes columns of the records of a part of a table's text. */
#include "io_records.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "io_bytes.h"
#include "io_field.h"
#include "io_number.h"

#define ROOM_LEAST 1024 /* records; a multiple of 8 */
#define SHOWN_BYTES 40  /* of a field, in error texts */

const char *io_split_words(enum io_split_result result)
{
    if (result == IO_SPLIT_UNCLOSED) return "a quoted field is never closed";
    return result == IO_SPLIT_BEHIND ? "text after a closing quote" : NULL;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

bool io_part_make(struct io_part *part, const struct io_records *how)
{
    memset(part, 0, sizeof *part);
    part->taken = (struct io_taken *)calloc(how->takes_n + 1, sizeof *part->taken);
    part->pieces = (struct io_piece *)malloc(how->columns * sizeof *part->pieces);
    return part->taken != NULL && part->pieces != NULL;
}

void io_part_release(struct io_part *part, const struct io_records *how)
{
    for (size_t i = 0; part->taken != NULL && i < how->takes_n; i++) {
        struct io_taken *const taken = &part->taken[i];
        void *const all[] = {taken->offsets, taken->bytes,          taken->validity,     taken->whole,
                             taken->real,    taken->whole_validity, taken->real_validity};
        for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
    }
    free(part->taken);
    free(part->pieces);
    part->taken = NULL;
    part->pieces = NULL;
}

static bool enlarge_taken(struct io_taken *taken, enum io_take_kind kind, size_t room)
{
    if (kind == IO_TAKE_TEXT) {
        const bool made = io_enlarge(&taken->offsets, (room + 1) * sizeof(uint64_t)) && io_enlarge(&taken->validity, room / 8);
        if (made) taken->offsets[0] = 0;
        return made;
    }
    return io_enlarge(&taken->whole, room * sizeof(int64_t)) && io_enlarge(&taken->real, room * sizeof(double)) &&
           io_enlarge(&taken->whole_validity, room / 8) && io_enlarge(&taken->real_validity, room / 8);
}

static bool more_rows(struct io_part *part, const struct io_records *how)
{
    const size_t room = part->room > 0 ? 2 * part->room : ROOM_LEAST;
    for (size_t i = 0; i < how->takes_n; i++)
        if (!enlarge_taken(&part->taken[i], how->takes[i].kind, room)) return false;
    part->room = room;
    return true;
}

/* Room for another text of `bytes` bytes, and for bytes copied behind it. */
static bool more_bytes(struct io_taken *taken, size_t used, size_t bytes)
{
    const size_t needed = used + bytes + IO_PADDING;
    if (needed <= taken->bytes_room) return true;
    const size_t room = 2 * needed;
    if (!io_enlarge(&taken->bytes, room)) return false;
    taken->bytes_room = room;
    return true;
}

/* ---- What is wrong --------------------------------------------------------------------------- */

static void wrong(struct io_part *part, enum io_status status, uint64_t line, const char *text)
{
    part->status = status;
    part->wrong_line = line;
    snprintf(part->wrong_text, sizeof part->wrong_text, "%s", text);
}

/* Counts a bad record or field. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
bad(struct io_part *part, uint64_t line, const char *format, ...)
{
    if (part->bad++ > 0) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(part->bad_text, sizeof part->bad_text, format, arguments);
    va_end(arguments);
    part->bad_line = line;
}

/* Counts a field that is not what `words` say.  True: it becomes NULL. */
static bool bad_field(struct io_part *part, const struct io_records *how, const struct io_split *split, size_t column,
                      const char *words)
{
    const struct io_piece *const piece = &split->pieces[column];
    const uint64_t name = column > 0 ? how->name_ends[column - 1] : 0;
    const size_t length = (size_t)(how->name_ends[column] - name), shown = piece->length;
    bad(part, split->first_line, "column '%.*s': '%.*s%s' is not %s", (int)(length < SHOWN_BYTES ? length : SHOWN_BYTES),
        how->names + name, (int)(shown < SHOWN_BYTES ? shown : SHOWN_BYTES), (const char *)piece->at,
        shown > SHOWN_BYTES ? "..." : "", words);
    return how->spec->bad == IO_BAD_NULL;
}

/* ---- Fields ---------------------------------------------------------------------------------- */

static bool is_null(const struct io_records *how, const struct io_piece *piece)
{
    if (piece->quoted) return false;
    if (piece->length == 0) return true;
    const char *const null = how->spec->null;
    return null != NULL && strlen(null) == piece->length && memcmp(null, piece->at, piece->length) == 0;
}

static bool needs_quotes(const struct io_piece *piece, char separator)
{
    if (piece->doubled) return true;
    for (size_t i = 0; i < piece->length; i++) {
        const uint8_t byte = piece->at[i];
        if (byte == (uint8_t)separator || byte == '"' || byte == '\r' || byte == '\n') return true;
    }
    return false;
}

static bool has_line_end(const struct io_piece *piece, char separator)
{
    const uint8_t *const at = piece->at;
    return memchr(at, separator, piece->length) != NULL || memchr(at, '\n', piece->length) != NULL ||
           memchr(at, '\r', piece->length) != NULL;
}

/* Copies the bytes, of which quotes are doubled or not. */
static uint8_t *put_quotes(uint8_t *to, const struct io_piece *piece, bool doubled)
{
    for (size_t i = 0; i < piece->length; i++) {
        const uint8_t byte = piece->at[i];
        *to++ = byte;
        if (byte == '"' && doubled) *to++ = byte;
        if (byte == '"' && piece->doubled) i++;
    }
    return to;
}

/* Writes a field that is not NULL.  NULL: it cannot be written without quotes. */
static uint8_t *put_field(uint8_t *to, const struct io_take *take, const struct io_piece *piece, bool plain)
{
    const bool tested = !plain || piece->quoted;
    if (!take->quotes) {
        if (tested && has_line_end(piece, take->separator)) return NULL;
        return put_quotes(to, piece, false);
    }
    if (piece->length > 0 && !(tested && needs_quotes(piece, take->separator))) return io_copy_padded(to, piece->at, piece->length);
    *to++ = '"';
    to = put_quotes(to, piece, true);
    *to++ = '"';
    return to;
}

static bool has_type(const struct io_spec *as, const struct io_piece *piece)
{
    uint64_t key;
    return as->field == IO_FIELD_STRING ||
           (!piece->doubled && io_field_parse(as, (const char *)piece->at, piece->length, &key) == IO_PARSED);
}

/* ---- Records --------------------------------------------------------------------------------- */

static void set_bit(uint8_t *bits, size_t i, bool value)
{
    /* Not only set: a record that was left out may have set the bit.  Those behind it are 0. */
    const uint8_t before = (uint8_t)(bits[i / 8] & ((1u << i % 8) - 1));
    bits[i / 8] = (uint8_t)(before | value << i % 8);
}

/* Is the text that is wanted the record as it stands? */
static bool is_whole(const struct io_part *part, const struct io_records *how, const struct io_take *take)
{
    if (!part->plain || how->spec->null != NULL || take->as != NULL || take->n != how->columns) return false;
    if ((uint8_t)take->separator != how->syntax.separator) return false;
    for (size_t i = 0; i < take->n; i++)
        if (take->columns[i] != i) return false;
    return true;
}

/* How a record ended. */
enum taking { TAKEN, LEFT_OUT, FAILED };

/* Writes the fields of one record side by side. */
static enum taking put_fields(struct io_part *part, const struct io_records *how, const struct io_split *split,
                              const struct io_take *take, uint8_t **to, bool *valid)
{
    const bool plain = part->plain && (uint8_t)take->separator == how->syntax.separator;
    for (size_t i = 0; i < take->n; i++) {
        const struct io_piece *const piece = &part->pieces[take->columns[i]];
        bool null = is_null(how, piece);
        if (i > 0) *(*to)++ = (uint8_t)take->separator;
        if (!null && take->as != NULL && !has_type(&take->as[i], piece)) {
            char words[IO_FIELD_TEXT];
            null = bad_field(part, how, split, take->columns[i], io_field_words(&take->as[i], words));
            if (!null) return LEFT_OUT;
        }
        *valid = *valid && !null;
        if (null) continue;
        *to = put_field(*to, take, piece, plain);
        if (*to != NULL) continue;
        wrong(part, IO_ERR_VALUE, split->first_line, "a field has a tab or a line end, which tsv cannot hold: write .csv");
        return FAILED;
    }
    return TAKEN;
}

static enum taking take_text(struct io_part *part, const struct io_records *how, const struct io_split *split, size_t t, bool whole)
{
    const struct io_take *const take = &how->takes[t];
    struct io_taken *const taken = &part->taken[t];
    const size_t used = (size_t)taken->offsets[part->rows], length = (size_t)(split->stop - split->begin);
    bool valid = true;
    if (!more_bytes(taken, used, 2 * length + 3 * take->n)) {
        wrong(part, IO_ERR_MEMORY, split->first_line, "out of memory");
        return FAILED;
    }
    uint8_t *to = taken->bytes + used;
    if (whole) {
        to = io_copy_padded(to, split->begin, length);
        for (size_t i = 0; i < take->n; i++) valid = valid && part->pieces[i].length > 0;
    } else {
        const enum taking taking = put_fields(part, how, split, take, &to, &valid);
        if (taking != TAKEN) return taking;
    }
    taken->offsets[part->rows + 1] = (uint64_t)(to - taken->bytes);
    set_bit(taken->validity, part->rows, valid);
    return TAKEN;
}

static enum taking take_number(struct io_part *part, const struct io_records *how, const struct io_split *split, size_t t)
{
    const size_t column = how->takes[t].columns[0], i = part->rows;
    struct io_taken *const taken = &part->taken[t];
    const struct io_piece *const piece = &part->pieces[column];
    const bool null = is_null(how, piece);
    const enum io_number_kind kind =
        null ? IO_NO_NUMBER : io_number_parse(piece->at, piece->length, &taken->whole[i], &taken->real[i]);
    if (kind == IO_NO_NUMBER && !null && !bad_field(part, how, split, column, "a number")) return LEFT_OUT;
    if (kind != IO_WHOLE) taken->whole[i] = 0;
    if (kind != IO_REAL) taken->real[i] = 0;
    set_bit(taken->whole_validity, i, kind == IO_WHOLE);
    set_bit(taken->real_validity, i, kind == IO_REAL);
    return TAKEN;
}

/* False: the part is left. */
static bool take_record(struct io_part *part, const struct io_records *how, const struct io_split *split, const bool *whole)
{
    enum taking taking = TAKEN;
    const uint64_t most = how->spec->max_line;
    if (most > 0 && (uint64_t)(split->stop - split->begin) > most) {
        wrong(part, IO_ERR_LENGTH, split->first_line, "it has more bytes than --max-line allows");
        return false;
    }
    if (split->n != how->columns) {
        bad(part, split->first_line,
            io_split_is_blank(split) ? "%zu field (the line is blank: --skip-blank), not %zu" : "%zu fields, not %zu as the header",
            split->n, how->columns);
        return true;
    }
    if (part->rows == part->room && !more_rows(part, how)) {
        wrong(part, IO_ERR_MEMORY, split->first_line, "out of memory");
        return false;
    }
    for (size_t t = 0; t < how->takes_n && taking == TAKEN; t++)
        taking = how->takes[t].kind == IO_TAKE_TEXT ? take_text(part, how, split, t, whole[t]) : take_number(part, how, split, t);
    part->rows += taking == TAKEN;
    return taking != FAILED;
}

/* Has the text neither quotes nor CRs, except in CR LF? */
static bool is_plain(const struct io_part *part, const struct io_syntax *syntax)
{
    const uint8_t *at = part->begin, *const end = part->end;
    if (memchr(at, '"', (size_t)(end - at)) != NULL) return false;
    if (syntax->line_end == '\r') return memchr(at, '\n', (size_t)(end - at)) == NULL;
    while (at < end && (at = (const uint8_t *)memchr(at, '\r', (size_t)(end - at))) != NULL) {
        if (++at < end && *at != '\n') return false;
    }
    return true;
}

static size_t count_bits(const uint8_t *bits, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n / 8; i++) count += (size_t)__builtin_popcount(bits[i]);
    return n % 8 == 0 ? count : count + (size_t)__builtin_popcount(bits[n / 8] & ((1u << n % 8) - 1));
}

static void count_numbers(struct io_part *part, const struct io_records *how)
{
    for (size_t t = 0; t < how->takes_n; t++) {
        struct io_taken *const taken = &part->taken[t];
        if (how->takes[t].kind != IO_TAKE_NUMBER || part->rows == 0) continue;
        taken->wholes = count_bits(taken->whole_validity, part->rows);
        taken->reals = count_bits(taken->real_validity, part->rows);
    }
}

void io_part_parse(struct io_part *part, const struct io_records *how)
{
    bool whole[IO_TAKES_MOST];
    enum io_split_result result = IO_SPLIT_END;
    struct io_split split = {
        .syntax = how->syntax, .skip_blank = how->spec->skip_blank, .pieces = part->pieces, .room = how->columns};
    part->plain = is_plain(part, &how->syntax);
    part->rows = 0;
    part->bad = 0;
    part->status = IO_OK;
    for (size_t t = 0; t < how->takes_n; t++) whole[t] = is_whole(part, how, &how->takes[t]);
    io_split_begin(&split, part->begin, part->end, true);
    while (part->status == IO_OK && (result = io_split_next(&split)) == IO_SPLIT_RECORD)
        if (!take_record(part, how, &split, whole)) break;
    if (part->status == IO_OK && io_split_words(result) != NULL)
        wrong(part, IO_ERR_FORMAT, split.first_line, io_split_words(result));
    part->lines = split.lines;
    count_numbers(part, how);
}
