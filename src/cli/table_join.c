/* The library merges and intersects tables of integers.  For other keys `from` is walked, and its
 * keys are inserted, found or erased step by step. */
#include "cli/table_join.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/table_walk.h"
#include "roost/merge.h"
#include "roost/strings.h"
#include "roost/tuning.h"

/* ---- Steps of a walk as calls ---------------------------------------------------------------- */

static roost_strings strings_of(const struct table_walk *walk)
{
    roost_strings strings = ROOST_STRINGS_INIT;
    strings.offsets = walk->offsets;
    strings.bytes = walk->keys;
    return strings;
}

static roost_status insert_step(roost_table *table, roost_mode mode, const struct table_walk *walk, const void *values)
{
    if (walk->kind.type != IO_STRING) return roost_insert(table, mode, walk->keys, values, walk->n, NULL);
    const roost_strings strings = strings_of(walk);
    return roost_insert_strings(table, mode, &strings, values, walk->n, NULL);
}

static roost_status find_step(const roost_table *table, const struct table_walk *walk, void *values, uint8_t *found)
{
    if (walk->kind.type != IO_STRING) return roost_find(table, walk->keys, walk->n, values, found, NULL);
    const roost_strings strings = strings_of(walk);
    return roost_find_strings(table, &strings, walk->n, values, found, NULL);
}

static roost_status erase_step(roost_table *table, const struct table_walk *walk)
{
    if (walk->kind.type != IO_STRING) return roost_erase(table, walk->keys, walk->n, NULL);
    const roost_strings strings = strings_of(walk);
    return roost_erase_strings(table, &strings, walk->n, NULL);
}

/* ---- Intersections of any keys --------------------------------------------------------------- */

/* What an intersection by a walk needs: the table that it makes, and values of `into`. */
struct meeting {
    roost_table *both;
    uint8_t *values, *found;
    size_t value_bytes;
};

/* Keeps the keys of the step that were found, and both values of each. */
static void select_found(const struct meeting *m, struct table_walk *walk)
{
    size_t n = 0, end = 0;
    for (size_t i = 0; i < walk->n; i++) {
        const struct key_bytes key = table_walk_key(walk, i);
        if (!m->found[i]) continue;
        memmove((uint8_t *)walk->keys + end, key.at, key.length);
        memmove(m->values + n * m->value_bytes, m->values + i * m->value_bytes, m->value_bytes);
        memmove((uint8_t *)walk->values + n * m->value_bytes, (uint8_t *)walk->values + i * m->value_bytes, m->value_bytes);
        end += key.length;
        n++;
        if (walk->offsets != NULL) walk->offsets[n] = end; /* no key to come begins before it */
    }
    walk->n = n;
}

static int meeting_begin(struct meeting *m, const struct loaded_table *into, const struct table_walk *walk)
{
    roost_config config = into->config;
    memset(m, 0, sizeof *m);
    m->value_bytes = into->info.value_bytes;
    m->values = (uint8_t *)malloc(walk->room * m->value_bytes + 1);
    m->found = (uint8_t *)malloc(walk->room);
    if (m->values == NULL || m->found == NULL) return command_fail("out of memory for a step of the intersection");
    config.engine = roost_table_engine(into->table);
    config.options = into->options->place.engine_options;
    config.capacity = 0;
    return table_options_create(&m->both, &config);
}

/* Finds a step's keys in `into`, and inserts those that are there. */
static int meet_step(struct meeting *m, const struct loaded_table *into, struct table_walk *walk, roost_mode mode)
{
    roost_status status = find_step(into->table, walk, m->value_bytes > 0 ? m->values : NULL, m->found);
    if (status != ROOST_OK) return table_fail(into->table, into->path, status);
    select_found(m, walk);
    if (walk->n == 0) return 0;
    status = insert_step(m->both, ROOST_KEEP, walk, m->values);
    if (status == ROOST_OK && mode != ROOST_KEEP) status = insert_step(m->both, mode, walk, walk->values);
    return status == ROOST_OK ? 0 : table_fail(m->both, "the intersection", status);
}

static int intersect_by_walk(struct loaded_table *into, struct table_walk *walk, roost_mode mode)
{
    struct meeting m;
    int result = meeting_begin(&m, into, walk);
    while (result == 0 && !walk->cursor.end) {
        result = table_walk_next(walk);
        if (result == 0 && walk->n > 0) result = meet_step(&m, into, walk, mode);
    }
    if (result == 0) {
        roost_table_destroy(into->table);
        into->table = m.both;
        m.both = NULL;
    }
    roost_table_destroy(m.both);
    free(m.values);
    free(m.found);
    return result;
}

/* ---- Unions and differences ------------------------------------------------------------------ */

/* Inserts each pair of the walk, or erases each key. */
static int write_by_walk(struct loaded_table *into, struct table_walk *walk, enum join_how how, roost_mode mode)
{
    int result = 0;
    while (result == 0 && !walk->cursor.end) {
        result = table_walk_next(walk);
        if (result != 0 || walk->n == 0) continue;
        const roost_status status =
            how == JOIN_UNION ? insert_step(into->table, mode, walk, walk->values) : erase_step(into->table, walk);
        if (status != ROOST_OK) result = table_fail(into->table, into->path, status);
    }
    return result;
}

/* ---- All of them ----------------------------------------------------------------------------- */

/* The kind of keys of any type: those without a spelling are bits. */
static struct key_kind kind_of(const roost_snapshot_info *info)
{
    const struct key_kind kind = {info->key_type == ROOST_TYPE_STRING ? IO_STRING : IO_BYTES, info->key_bytes};
    return kind;
}

static bool is_word(size_t bytes) { return bytes == 4 || bytes == 8; }

/* Does the library join such tables by one call? */
static bool has_call(const roost_snapshot_info *info, enum join_how how)
{
    if (how == JOIN_UNION) return info->key_type != ROOST_TYPE_STRING;
    return how == JOIN_INTERSECT && is_word(info->key_bytes) && (info->value_bytes == 0 || is_word(info->value_bytes));
}

int table_join(struct loaded_table *into, const struct loaded_table *from, enum join_how how, roost_mode mode)
{
    struct table_walk walk;
    if (has_call(&into->info, how)) {
        const roost_status status = how == JOIN_UNION ? roost_table_merge(into->table, from->table, mode, NULL)
                                                      : roost_table_intersect(into->table, from->table, mode, NULL);
        return status == ROOST_OK ? 0 : table_fail(into->table, from->path, status);
    }
    int result = table_walk_begin(&walk, from->table, kind_of(&from->info), from->info.value_bytes);
    if (result == 0) result = how == JOIN_INTERSECT ? intersect_by_walk(into, &walk, mode) : write_by_walk(into, &walk, how, mode);
    table_walk_release(&walk);
    return result;
}
