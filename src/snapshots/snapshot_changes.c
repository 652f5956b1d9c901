/* The log has keys.  Those of a block are looked up in the table: what is found is a block of
 * pairs, and the other keys are a block of keys that were removed. */
#include "snapshots/snapshot_changes.h"

#include <stdlib.h>
#include <string.h>

#include "api/changes.h"
#include "api/checks.h"
#include "roost/strings.h"

/* ---- Keys of the log ------------------------------------------------------------------------- */

/* Logged keys in host memory, what was found of them, and the two blocks that they become. */
struct delta {
    struct save *s;
    struct pairs_room keys, chosen;
    uint8_t *found;
    void *values;
    uint64_t n;
};

static void delta_release(struct delta *d)
{
    room_release(&d->keys);
    room_release(&d->chosen);
    free(d->found);
    free(d->values);
}

static roost_status delta_make(struct delta *d, struct save *s)
{
    memset(d, 0, sizeof *d);
    d->s = s;
    roost_status status = room_make(&d->keys, s->t);
    if (!status) status = room_make(&d->chosen, s->t);
    if (status) return status;
    d->found = (uint8_t *)malloc((size_t)d->keys.items);
    d->values = malloc((size_t)d->keys.items * (unsigned)s->t->value_bytes + 1);
    return d->found && d->values ? ROOST_OK : error_set(&s->t->error, ROOST_ERR_MEMORY, "no memory for the changes of a table");
}

/* An export of the log as one of a table without values, so that staging brings the keys.  The log
 * shares all but the engine's table, and the call is alone on the table, as every write. */
static roost_status keys_take(struct delta *d, roost_cursor *cursor)
{
    struct roost_table *const t = d->s->t;
    struct engine_table *const pairs = t->at;
    const struct engine *const engine = t->engine;
    const int value_bytes = t->value_bytes;
    t->at = t->changes.log;
    t->engine = t->at->engine;
    t->value_bytes = 0;
    const roost_status status = room_fill(t, cursor, &d->keys, &d->n);
    t->at = pairs;
    t->engine = engine;
    t->value_bytes = value_bytes;
    return status;
}

static roost_status keys_find(struct delta *d)
{
    const struct roost_table *const t = d->s->t;
    void *const values = t->value_bytes ? d->values : NULL;
    const void *const keys = room_column(&d->keys, COLUMN_KEYS);
    if (!t->strings) return roost_find(t, keys, (size_t)d->n, values, d->found, NULL);
    const roost_strings strings = {sizeof strings, keys, room_column(&d->keys, COLUMN_STRINGS), room_offset_bytes(&d->keys), 0};
    return roost_find_strings(t, &strings, (size_t)d->n, values, d->found, NULL);
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static uint64_t offset_at(const struct pairs_room *room, uint64_t i)
{
    return load_width(room_offset_bytes(room), room_column(room, COLUMN_KEYS), i);
}

/* Copies key i to place `to` of the chosen ones. */
static void key_choose(struct delta *d, uint64_t i, uint64_t to)
{
    const struct roost_table *const t = d->s->t;
    char *const keys = (char *)room_column(&d->chosen, COLUMN_KEYS);
    if (!t->strings) {
        memcpy(keys + to * (unsigned)t->key_bytes, (char *)room_column(&d->keys, COLUMN_KEYS) + i * (unsigned)t->key_bytes,
               (size_t)t->key_bytes);
        return;
    }
    const uint64_t from = offset_at(&d->keys, i), bytes = offset_at(&d->keys, i + 1) - from, at = offset_at(&d->chosen, to);
    memcpy((char *)room_column(&d->chosen, COLUMN_STRINGS) + at, (char *)room_column(&d->keys, COLUMN_STRINGS) + from,
           (size_t)bytes);
    store_width(room_offset_bytes(&d->chosen), keys, to + 1, at + bytes);
}

static void value_choose(struct delta *d, uint64_t i, uint64_t to)
{
    const size_t bytes = (size_t)d->s->t->value_bytes;
    memcpy((char *)room_column(&d->chosen, COLUMN_VALUES) + to * bytes, (char *)d->values + i * bytes, bytes);
}

/* The chosen ones have room for all strings. */
static roost_status chosen_begin(struct delta *d)
{
    d->chosen.string_bytes = d->keys.string_bytes;
    const roost_status status = room_allocate(&d->chosen, d->s->t);
    if (!status && d->s->t->strings) store_width(room_offset_bytes(&d->chosen), room_column(&d->chosen, COLUMN_KEYS), 0, 0);
    return status;
}

/* Writes the keys that were found, with their values, or those that were not. */
static roost_status block_choose(struct delta *d, bool found)
{
    struct ready_block block;
    uint64_t n = 0;
    memset(&block, 0, sizeof block);
    roost_status status = chosen_begin(d);
    for (uint64_t i = 0; !status && i < d->n; i++) {
        if ((d->found[i] != 0) != found) continue;
        key_choose(d, i, n);
        if (found) value_choose(d, i, n);
        n++;
    }
    if (status || !n) return status;
    block.frame.kind = found ? BLOCK_PAIRS : BLOCK_ERASED;
    status = room_close(&d->chosen, d->s->t, n, found, &block);
    if (status) return status;
    block_prepare(&d->s->writer, &block);
    return block_write(&d->s->writer, &block);
}

static roost_status keys_save(struct delta *d, roost_cursor *cursor)
{
    const struct totals *const totals = &d->s->writer.totals;
    roost_status status = keys_take(d, cursor);
    if (status || !d->n) return status;
    status = keys_find(d);
    if (!status) status = block_choose(d, true);
    if (!status) status = block_choose(d, false);
    return status ? status : save_progress(d->s, totals->pairs + totals->erased);
}

roost_status changes_header(struct save *s)
{
    struct roost_table *const t = s->t;
    s->header.kind = SNAPSHOT_CHANGES;
    s->header.number = t->saved.number + 1;
    s->header.whole = t->saved.id;
    s->header.previous = t->saved.last;
    return keys_count(t, t->changes.log, &s->header.pairs);
}

roost_status changes_save(struct save *s)
{
    struct delta d;
    roost_cursor cursor = {0, 0};
    roost_status status = delta_make(&d, s);
    if (!status) status = header_write(&s->writer, &s->header);
    while (!status && !cursor.end) status = keys_save(&d, &cursor);
    delta_release(&d);
    return status ? status : end_write(&s->writer);
}

/* ---- Loading --------------------------------------------------------------------------------- */

static roost_status refused(const struct load *l, const char *why)
{
    return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "%s: %s", l->reader.from, why);
}

roost_status changes_follow(const struct load *l)
{
    const struct table_saved *const saved = &l->t->saved;
    const struct header *const h = &l->reader.header;
    if (l->reader.salvage) return refused(l, "changes are applied as a whole, and cannot be salvaged");
    if (h->kind != SNAPSHOT_CHANGES) return refused(l, "these are no changes, but a whole table");
    const roost_status status = types_check(l, &l->t->origin.config);
    if (status) return status;
    if (h->whole != saved->id) return refused(l, "the changes follow another save than the one that this table was loaded from");
    if (saved->written) return refused(l, "the table was written to since it was loaded or saved");
    if (h->number != saved->number + 1)
        return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "%s: these are changes %u, and those that follow are %u",
                         l->reader.from, h->number, saved->number + 1);
    return h->previous == saved->last ? ROOST_OK : refused(l, "the changes follow others than those that the table has");
}

static roost_status keys_erase(struct load *l, const struct block *block)
{
    struct layout layout;
    const char *const raw = (const char *)block->raw;
    const roost_status status = block_layout(l, block, false, &layout);
    const size_t n = (size_t)block->frame.items;
    if (status) return status;
    if (!l->t->strings) return roost_erase(l->t, raw + layout.at[COLUMN_KEYS], n, NULL);
    const roost_strings keys = block_strings(block, &layout);
    return roost_erase_strings(l->t, &keys, n, NULL);
}

/* A block's keys, as pairs of a set. */
static roost_status keys_insert(struct load *l, const struct block *block)
{
    struct load keys = *l;
    struct block alone = *block;
    const bool pairs = block->frame.kind == BLOCK_PAIRS;
    struct layout layout;
    roost_status status = block_layout(l, block, pairs, &layout);
    if (status) return status;
    keys.t = l->seen;
    alone.frame.kind = BLOCK_PAIRS;
    status = block_put(&keys, &alone, &layout, ROOST_KEEP);
    l->statuses = keys.statuses;
    l->statuses_room = keys.statuses_room;
    return status ? status : keys_check(l, block);
}

/* Is it a block that changes may have? */
static roost_status block_check(const struct load *l, const struct block *block)
{
    const void *numbers;
    if (block->frame.kind == BLOCK_PAIRS && l->t->numbered) return numbers_fit(l, block, &numbers);
    if (block->frame.kind == BLOCK_PAIRS || block->frame.kind == BLOCK_ERASED) return ROOST_OK;
    return block_damaged(&l->reader, block->frame.index, "is of a kind that has no place among changes");
}

roost_status changes_read(struct load *l)
{
    struct block block;
    const struct totals *const totals = &l->reader.totals;
    roost_status status = seen_begin(l, (roost_type)l->reader.header.key_type, l->reader.header.key_bytes);
    while (!status && !l->reader.ended) {
        status = reader_next(&l->reader, &block);
        if (status || l->reader.ended) break;
        status = block_check(l, &block);
        if (!status) status = keys_insert(l, &block);
    }
    if (!status) status = reader_at_end(&l->reader);
    if (status || totals->pairs + totals->erased == l->reader.header.pairs) return status;
    return error_set(l->reader.error, ROOST_ERR_CORRUPT, "%s: the header promises another number of keys", l->reader.from);
}

roost_status changes_apply(struct load *l)
{
    struct block block;
    roost_status status = ROOST_OK;
    l->t->changes.held = true;
    l->loaded = 0;
    l->roomed = UINT64_MAX; /* the table makes room itself */
    while (!status && !l->reader.ended) {
        status = reader_next(&l->reader, &block);
        if (status || l->reader.ended) break;
        status = block_check(l, &block);
        if (!status) status = block.frame.kind == BLOCK_PAIRS ? block_insert(l, &block, ROOST_ASSIGN) : keys_erase(l, &block);
        if (!status) status = load_progress(l, l->reader.totals.pairs + l->reader.totals.erased);
    }
    l->t->changes.held = false;
    if (l->t->numbered && !status) l->t->at->numbers.next = l->reader.header.next_number;
    return status;
}
