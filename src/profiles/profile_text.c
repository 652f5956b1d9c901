/* Parses profiles.  Wrong lines are refused one by one. */
#include "profiles/profile_text.h"

#include <stdio.h>
#include <string.h>

#include "portable/options.h"
#include "roost/roost.h"

static const char first_line[] = "roost profile 1";

enum {
    /* bytes of a line at most: options, and what precedes them */
    LINE = 640,
    /* room for "128+4096" with its end, and for all digits that are read */
    WIDTH_TEXT = 16
};

struct reading {
    const char *at, *end;
    unsigned number; /* of the current line, from 1 */
    char line[LINE];
};

static bool is_text(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f) return false;
    return true;
}

/* Reads the next line, without blanks at its end.
 * Returns: 1; 0: there is none; -1: too long, or not text. */
static int line_next(struct reading *r)
{
    if (r->at == r->end) return 0;
    const char *line = r->at, *newline = (const char *)memchr(line, '\n', (size_t)(r->end - line));
    size_t length = (size_t)((newline ? newline : r->end) - line);
    r->at = newline ? newline + 1 : r->end;
    r->number++;
    while (length && strchr(" \t\r", line[length - 1]) && line[length - 1]) length--;
    if (length >= sizeof r->line || !is_text(line, length)) return -1;
    memcpy(r->line, line, length);
    r->line[length] = 0;
    return 1;
}

/* Takes a word from the line's front. */
static bool take_word(const char **line, char *word, size_t size)
{
    *line += strspn(*line, " \t");
    const size_t length = strcspn(*line, " \t");
    if (!length || length >= size) return false;
    memcpy(word, *line, length);
    word[length] = 0;
    *line += length;
    *line += strspn(*line, " \t");
    return true;
}

/* Is the word a width such as "8+4", spelled as numbers are printed? */
static bool is_width(const char *word)
{
    unsigned key_bytes, value_bytes;
    char spelled[WIDTH_TEXT];
    if (sscanf(word, "%3u+%4u", &key_bytes, &value_bytes) != 2) return false;
    snprintf(spelled, sizeof spelled, "%u+%u", key_bytes, value_bytes);
    return !strcmp(word, spelled) && key_bytes >= 1 && key_bytes <= ROOST_KEY_BYTES_MOST && value_bytes <= ROOST_VALUE_BYTES_MOST;
}

/* Are these well-formed options, without the library's own? */
static bool are_settings(const char *text)
{
    char name[32], value[32];
    int more;
    if (!*text || strlen(text) >= PROFILE_SETTINGS || strpbrk(text, " \t")) return false;
    while ((more = options_next(&text, name, value)) > 0)
        if (!strcmp(name, "profile")) return false;
    return more == 0;
}

/* Takes a line of settings.  False: it is not one. */
static bool settings_take(const char *line, const struct profile_wanted *wanted, char settings[PROFILE_SETTINGS], bool *found)
{
    char engine[32], width[WIDTH_TEXT], asked[WIDTH_TEXT];
    if (!take_word(&line, engine, sizeof engine) || !take_word(&line, width, sizeof width)) return false;
    if (!is_width(width) || !are_settings(line)) return false;
    snprintf(asked, sizeof asked, "%d+%d", wanted->key_bytes, wanted->value_bytes);
    if (wanted->engine && (strcmp(engine, wanted->engine) || strcmp(width, asked))) return true;
    strcpy(settings, line);
    *found = true;
    return true;
}

/* Is the line empty, a comment or a device line?  *other: it names another device than the
 * wanted one. */
static bool is_no_setting(const char *line, const struct profile_wanted *wanted, bool *other)
{
    line += strspn(line, " \t");
    if (!*line || *line == '#') return true;
    if (strncmp(line, "device ", 7)) return false;
    line += 7 + strspn(line + 7, " \t");
    if (wanted->model && strcmp(line, wanted->model)) *other = true;
    return true;
}

bool profile_parse(const char *text, size_t n, const char *name, const struct profile_wanted *wanted,
                   char settings[PROFILE_SETTINGS], struct warnings *warnings)
{
    struct reading r = {text, text + n, 0, ""};
    bool found = false, other = false;
    if (line_next(&r) <= 0 || strcmp(r.line, first_line)) {
        warning_add(warnings, "%s is ignored: its first line is not \"%s\"", name, first_line);
        return false;
    }
    for (int more; (more = line_next(&r)) != 0;) {
        if (more > 0 && is_no_setting(r.line, wanted, &other)) continue;
        if (more > 0 && settings_take(r.line, wanted, settings, &found)) continue;
        warning_add(warnings, "%s:%u is ignored: a line needs an engine, a width such as 4+4, and options", name, r.number);
    }
    if (other) warning_add(warnings, "%s is ignored: it is for another device, not %s", name, wanted->model);
    return found && !other;
}
