/* Reads records of csv and tsv for --verify, by lines. */
#define _GNU_SOURCE 1
#include "cli/verify_record.h"

#include <stdlib.h>
#include <string.h>

#include "cli/verify_files.h"

/* Follows the quotes of a csv record through text[from..]. */
static void follow_quotes(struct verify_record *record, size_t from, char separator)
{
    for (size_t i = from; i < record->length; i++) {
        const char c = record->text[i];
        if (c == '"' && record->in_quotes && i + 1 < record->length && record->text[i + 1] == '"') i++;
        else if (c == '"' && (record->in_quotes || record->field_start)) record->in_quotes = !record->in_quotes;
        record->field_start = !record->in_quotes && c == separator;
    }
}

/* Adds a line to the record. */
static bool append_line(struct verify_record *record, size_t bytes)
{
    if (record->length + bytes + 1 > record->room) {
        const size_t room = 2 * (record->length + bytes + 1);
        char *text = (char *)realloc(record->text, room);
        if (text == NULL) return false;
        record->text = text;
        record->room = room;
    }
    memcpy(record->text + record->length, record->line, bytes);
    record->length += bytes;
    return true;
}

int verify_record_read(struct verify_record *record, FILE *file, struct verify_ends ends, char comment)
{
    record->length = 0;
    record->in_quotes = false;
    record->field_start = true;
    do {
        const size_t before = record->length;
        const ssize_t got = getdelim(&record->line, &record->line_room, ends.line, file);
        if (got <= 0) return record->length > 0;
        if (comment != 0 && before == 0 && record->line[0] == comment) continue;
        if (!append_line(record, (size_t)got)) return -1;
        if (ends.separator != '\t') follow_quotes(record, before, ends.separator);
    } while (record->in_quotes || record->length == 0);
    if (record->text[record->length - 1] == ends.line) record->length--;
    if (record->length > 0 && record->text[record->length - 1] == '\r') record->length--;
    record->text[record->length] = 0;
    return 1;
}

char *verify_record_field(char **at, char *end, char separator, size_t *length)
{
    if (*at > end) return NULL;
    char *field = *at;
    if (separator != '\t' && *field == '"') {
        char *to = field;
        char *from = field + 1;
        for (; from < end && !(*from == '"' && from[1] != '"'); from++) {
            *to++ = *from;
            from += *from == '"';
        }
        *to = 0;
        *length = (size_t)(to - field);
        *at = from + 2;
        return field;
    }
    char *stop = (char *)memchr(field, separator, (size_t)(end - field));
    if (stop == NULL) stop = end;
    *stop = 0;
    *length = (size_t)(stop - field);
    *at = stop + 1;
    return field;
}

/* The separator: a tab if there is one in the line, outside of fields that are quoted as in csv,
 * else a comma. */
static char guess_separator(const char *line, const char *end, char line_end)
{
    bool field_start = true;
    for (const char *at = line; at < end && *at != line_end; at++) {
        if (*at == '\t') return '\t';
        if (*at == '"' && field_start) {
            const char *close = at + 1;
            while (close < end && (*close != '"' || close[1] == '"')) close += *close == '"' ? 2 : 1;
            if (close < end && (close + 1 == end || strchr(",\t\r\n", close[1]) != NULL)) at = close;
        }
        field_start = *at == ',';
    }
    return ',';
}

/* The first line that is neither blank nor a comment; without one, the first line, if comments
 * were only guessed. */
static const char *first_line(const char *text, const char *end, char line_end, char comment)
{
    for (const char *line = text; line < end;) {
        const char *stop = (const char *)memchr(line, line_end, (size_t)(end - line));
        const size_t length = (size_t)((stop != NULL ? stop : end) - line);
        const bool blank = length == 0 || (length == 1 && *line == '\r');
        if (!blank && *line != (comment != 0 ? comment : '#')) return line;
        line += length + (stop != NULL);
    }
    return comment != 0 ? end : text;
}

bool verify_find_ends(const char *path, const struct verify_syntax *given, struct verify_ends *ends)
{
    static char text[131072 + 1]; /* a 0 at the end */
    FILE *file = verify_open(path, given->verbatim);
    if (file == NULL) return false;
    const size_t got = fread(text, 1, sizeof text - 1, file);
    const bool read = !ferror(file);
    fclose(file);
    text[got] = 0;
    const char *begin = got >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text, *end = text + got;
    ends->line = memchr(text, '\r', got) != NULL && memchr(text, '\n', got) == NULL ? '\r' : '\n';
    ends->separator = given->separator;
    if (ends->separator == 0)
        ends->separator = guess_separator(first_line(begin, end, ends->line, given->comment), end, ends->line);
    return read;
}

void verify_record_release(struct verify_record *record)
{
    free(record->text);
    free(record->line);
}
