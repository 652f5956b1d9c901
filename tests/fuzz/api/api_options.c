/* Options of an engine, drawn from what its info says about them. */
#include "fuzz/api/api_options.h"

#include <stdio.h>
#include <string.h>

/* A part of a text. */
struct part {
    const char *at;
    int n;
};

static struct part part_until(const char *at, const char *marks) { return (struct part){at, (int)strcspn(at, marks)}; }

static void add(char *text, size_t bytes, struct part name, struct part value)
{
    const size_t used = strlen(text);
    if (used + (size_t)(name.n + value.n) + 3 > bytes) return;
    snprintf(text + used, bytes - used, "%s%.*s=%.*s", used ? "," : "", name.n, name.at, value.n, value.at);
}

static bool has(const char *text, struct part name)
{
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name.at, (size_t)name.n) == 0 && at[name.n] == '=') return true;
    return false;
}

/* Part number `number` of a text whose parts end with one of the marks. */
static struct part part_at(struct part all, const char *marks, uint64_t number)
{
    const char *at = all.at;
    for (; number > 0; number--) at += strcspn(at, marks) + 1;
    const struct part part = part_until(at, marks);
    const int left = (int)(all.at + all.n - at);
    return (struct part){at, part.n < left ? part.n : left};
}

static uint64_t parts_of(struct part all, const char *marks)
{
    uint64_t n = 1;
    for (int i = 0; i < all.n; i++) n += strchr(marks, all.at[i]) != NULL;
    return n;
}

void options_from_rows(struct api_choices *choices, const char *rows, unsigned of, char *text, size_t bytes)
{
    for (const char *row = rows; *row; row += strcspn(row, "\n") + 1) {
        const struct part name = part_until(row, "="), values = part_until(row + name.n + 1, "\n");
        if (!choose_once_in(choices, of) || *values.at == '@' || has(text, name)) continue;
        add(text, bytes, name, part_at(values, "|\n", choose(choices, parts_of(values, "|"))));
    }
}

/* The first word of a part. */
static struct part word_of(struct part part)
{
    while (part.n > 0 && *part.at == ' ') part.at++, part.n--;
    const struct part word = part_until(part.at, " ");
    return word.n < part.n ? word : part;
}

/* slab's memory=paper takes 1 GB at once. */
static bool is_huge(struct part name, struct part value)
{
    return strncmp(name.at, "memory", (size_t)name.n) == 0 && strncmp(value.at, "paper", (size_t)value.n) == 0;
}

void options_from_meanings(struct api_choices *choices, const char *rows, unsigned of, char *text, size_t bytes)
{
    for (const char *row = rows; *row; row += strcspn(row, "\n") + 1) {
        const struct part name = part_until(row, "="), meaning = part_until(row + name.n + 1, "\n");
        if (!choose_once_in(choices, of) || has(text, name)) continue;
        const struct part value = word_of(part_at(meaning, ",;:\n", choose(choices, parts_of(meaning, ",;:"))));
        if (value.n > 0 && !is_huge(name, value)) add(text, bytes, name, value);
    }
}
