/* Exports a table step by step. */
#include "cli/table_walk.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/table_stat.h"
#include "roost/strings.h"

#define ROOM ((size_t)1 << 16)      /* pairs per step */
#define MUCH_ROOM ((size_t)1 << 20) /* of a table with at least MANY: all threads take part */
#define MANY (4 * MUCH_ROOM)
#define VALUE_BYTES ((size_t)1 << 23)  /* of a step's values, if they are wide */
#define STRING_BYTES ((size_t)1 << 22) /* of a step's strings, at first */

static bool has_many(const roost_table *table)
{
    roost_stats stats;
    return roost_table_stats(table, &stats, sizeof stats) == ROOST_OK && stats.count >= MANY;
}

int table_walk_begin(struct table_walk *walk, const roost_table *table, struct key_kind kind, size_t value_bytes)
{
    memset(walk, 0, sizeof *walk);
    walk->table = table;
    walk->kind = kind;
    walk->room = kind.type != IO_STRING && has_many(table) ? MUCH_ROOM : ROOM;
    if (value_bytes > 0 && walk->room > VALUE_BYTES / value_bytes) walk->room = VALUE_BYTES / value_bytes;
    walk->bytes_room = kind.type == IO_STRING ? STRING_BYTES : walk->room * kind.bytes;
    walk->keys = malloc(walk->bytes_room);
    walk->values = malloc(walk->room * value_bytes + 1);
    if (kind.type == IO_STRING) walk->offsets = (uint64_t *)malloc((walk->room + 1) * sizeof *walk->offsets);
    const bool all = walk->keys != NULL && walk->values != NULL && (walk->offsets != NULL || kind.type != IO_STRING);
    return all ? 0 : command_fail("out of memory for the table's export");
}

/* Enlarges the buffer of a step's strings.  No step needs more than all strings of the table
 * have. */
static int grow(struct table_walk *walk, bool *grown)
{
    *grown = false;
    if (walk->bytes_room > table_stat(walk->table, "arena_used")) return 0;
    free(walk->keys);
    walk->bytes_room *= 2;
    walk->keys = malloc(walk->bytes_room);
    if (walk->keys == NULL) return command_fail("out of memory for the table's export");
    *grown = true;
    return 0;
}

static int fail(const struct table_walk *walk, roost_status status)
{
    const char *why = roost_last_error(walk->table);
    return command_fail("cannot export the table: %s", *why != 0 ? why : roost_status_string(status));
}

static int next_strings(struct table_walk *walk)
{
    for (bool grown = true; grown;) {
        const roost_status status = roost_export_strings(walk->table, &walk->cursor, walk->offsets, sizeof *walk->offsets,
                                                         walk->keys, walk->bytes_room, walk->values, walk->room, &walk->n, NULL);
        if (status == ROOST_OK) return 0;
        const int result = status == ROOST_ERR_ARGUMENT ? grow(walk, &grown) : fail(walk, status);
        if (result != 0) return result;
    }
    return fail(walk, ROOST_ERR_ARGUMENT);
}

int table_walk_next(struct table_walk *walk)
{
    walk->n = 0;
    if (walk->kind.type == IO_STRING) return next_strings(walk);
    const roost_status status = roost_export(walk->table, &walk->cursor, walk->keys, walk->values, walk->room, &walk->n, NULL);
    return status == ROOST_OK ? 0 : fail(walk, status);
}

struct key_bytes table_walk_key(const struct table_walk *walk, size_t i)
{
    /* offsets: NULL unless keys are strings */
    return key_bytes_at(walk->keys, walk->kind.bytes, walk->offsets, i);
}

void table_walk_release(struct table_walk *walk)
{
    free(walk->keys);
    free(walk->offsets);
    free(walk->values);
    memset(walk, 0, sizeof *walk);
}
