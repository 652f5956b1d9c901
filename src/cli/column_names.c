/* Columns of a table by the names or numbers that options give. */
#define _GNU_SOURCE 1
#include "cli/column_names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/row_text.h"

int column_names_add(struct column_names *names, const char *option, const char *text)
{
    struct row_fields fields = {.at = (const uint8_t *)text, .end = (const uint8_t *)text + strlen(text)};
    int result = 0;
    while (result == 0 && row_fields_next(&fields)) {
        char *const name = strndup((const char *)fields.field, fields.length);
        if (name == NULL) result = command_fail("out of memory");
        else if (*name == 0) result = command_misused("--%s: a name is empty in '%s'", option, text);
        else if (names->n == COLUMN_NAMES_MOST) result = command_misused("--%s: more than %d names", option, COLUMN_NAMES_MOST);
        if (result == 0) names->name[names->n++] = name;
        else free(name);
    }
    row_text_release(&fields.unquoted);
    return result;
}

int column_names_place(struct column_names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->name[i], name) == 0) return (int)i;
    if (names->n == COLUMN_NAMES_MOST || (names->name[names->n] = strdup(name)) == NULL) return -1;
    return (int)names->n++;
}

static int find_number(const char *name, const struct io_table *table, const char *path, size_t *column)
{
    uint64_t number;
    if (!argument_number(name, 1, io_table_columns(table), &number))
        return command_fail("%s: no column %s, the header has %zu (a name that is a number is given as =NAME)", path, name,
                            io_table_columns(table));
    *column = (size_t)number - 1;
    return 0;
}

int column_names_find(const char *name, const struct io_table *table, const char *path, size_t *column)
{
    size_t found = 0, length;
    const bool named = *name == '=';
    if (!named && name[strspn(name, "0123456789")] == 0) return find_number(name, table, path, column);
    name += named;
    for (size_t c = 0; c < io_table_columns(table); c++) {
        const char *const at = io_table_name(table, c, &length);
        if (length != strlen(name) || memcmp(at, name, length) != 0) continue;
        *column = c;
        found++;
    }
    if (found == 1) return 0;
    return command_fail(found == 0 ? "%s: no column '%s' in the header" : "%s: the header names the column '%s' twice", path, name);
}

void column_names_release(struct column_names *names)
{
    for (size_t i = 0; i < names->n; i++) free(names->name[i]);
    names->n = 0;
}
