/* Blocks are filled by exports.  A block has as many pairs as fit its bytes; of strings as many as
 * come together. */
#include "snapshots/snapshot_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "api/checks.h"
#include "api/collective.h"
#include "roost/strings.h"

/* Bytes of a string, about: of long ones a block has fewer, of short ones not more. */
enum { STRING_SHARE = 24 };

roost_status keys_count(struct roost_table *t, struct engine_table *of, uint64_t *keys)
{
    struct engine_stats stats;
    memset(&stats, 0, sizeof stats);
    roost_status status = call_begin(t, NULL, ACCESS_READ);
    if (!status) status = call_end(t, ACCESS_READ, engine_stats(of, &stats));
    *keys = stats.count;
    return status;
}

roost_status pairs_count(struct roost_table *t, uint64_t *pairs)
{
    roost_stats all;
    if (!t->group || !t->group->devices) return keys_count(t, t->at, pairs);
    const roost_status status = roost_table_stats(t, &all, sizeof all);
    *pairs = status ? 0 : all.count;
    return status;
}

/* ---- Room ------------------------------------------------------------------------------------ */

static bool room_layout(const struct pairs_room *room, const struct roost_table *t, uint64_t n, bool values, uint64_t string_bytes,
                        struct layout *l)
{
    const struct widths w = {(uint32_t)t->key_bytes, (uint32_t)t->value_bytes};
    return layout_of(&w, n, values, room_offset_bytes(room), string_bytes, l);
}

roost_status room_allocate(struct pairs_room *room, struct roost_table *t)
{
    char *memory = NULL;
    if (room_layout(room, t, room->items, true, room->string_bytes, &room->layout) && room->layout.end <= SIZE_MAX)
        memory = (char *)realloc(room->memory, (size_t)room->layout.end);
    if (memory) room->memory = memory;
    return memory ? ROOST_OK : error_set(&t->error, ROOST_ERR_MEMORY, "no memory for a block of a snapshot");
}

roost_status room_make(struct pairs_room *room, struct roost_table *t)
{
    const uint64_t bytes = BLOCK_BYTES - 4 * sizeof(uint64_t); /* gaps between columns */
    const unsigned item = (unsigned)t->value_bytes + (t->strings ? sizeof(uint32_t) + STRING_SHARE : (unsigned)t->key_bytes);
    memset(room, 0, sizeof *room);
    room->items = bytes / item > ROOST_EXPORT_MIN ? bytes / item : ROOST_EXPORT_MIN;
    room->string_bytes = t->strings ? room->items * STRING_SHARE : 0;
    return room_allocate(room, t);
}

void room_release(struct pairs_room *room)
{
    free(room->memory);
    room->memory = NULL;
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* Appends pairs until there is no room for more of an export's least. */
static roost_status words_fill(struct roost_table *t, roost_cursor *cursor, struct pairs_room *room, uint64_t *n)
{
    roost_status status = ROOST_OK;
    for (*n = 0; !status && !cursor->end && room->items - *n >= ROOST_EXPORT_MIN;) {
        size_t more = 0;
        char *const keys = (char *)room_column(room, COLUMN_KEYS) + *n * (unsigned)t->key_bytes;
        char *const values = (char *)room_column(room, COLUMN_VALUES) + *n * (unsigned)t->value_bytes;
        status = roost_export(t, cursor, keys, t->value_bytes ? values : NULL, (size_t)(room->items - *n), &more, NULL);
        *n += more;
    }
    return status;
}

static roost_status strings_export(struct roost_table *t, roost_cursor *cursor, struct pairs_room *room, size_t *n)
{
    void *const values = t->value_bytes ? room_column(room, COLUMN_VALUES) : NULL;
    return roost_export_strings(t, cursor, room_column(room, COLUMN_KEYS), room_offset_bytes(room),
                                room_column(room, COLUMN_STRINGS), room->string_bytes, values, (size_t)room->items, n, NULL);
}

/* Strings of which not even an export's least fit get twice the room. */
static roost_status strings_fill(struct roost_table *t, roost_cursor *cursor, struct pairs_room *room, uint64_t *n)
{
    const struct error_mark before = error_keep(&t->error);
    size_t got = 0;
    roost_status status = strings_export(t, cursor, room, &got);
    while (status == ROOST_ERR_ARGUMENT && room->string_bytes <= UINT64_MAX / 4) {
        error_restore(&before);
        room->string_bytes *= 2;
        status = room_allocate(room, t);
        if (!status) status = strings_export(t, cursor, room, &got);
    }
    *n = got;
    return status;
}

roost_status room_fill(struct roost_table *t, roost_cursor *cursor, struct pairs_room *room, uint64_t *n)
{
    roost_status status = ROOST_OK;
    for (*n = 0; !status && !*n && !cursor->end;) status = (t->strings ? strings_fill : words_fill)(t, cursor, room, n);
    return status;
}

/* Moves the columns of a room together. */
static void columns_close(struct pairs_room *room, const struct layout *l)
{
    for (int i = COLUMN_VALUES; i < BLOCK_COLUMNS; i++) {
        const uint64_t end = l->at[i - 1] + l->bytes[i - 1];
        memset(room->memory + end, 0, (size_t)(l->at[i] - end));
        memmove(room->memory + l->at[i], room_column(room, i), (size_t)l->bytes[i]);
    }
    const uint64_t end = l->at[COLUMN_STRINGS] + l->bytes[COLUMN_STRINGS];
    memset(room->memory + end, 0, (size_t)(l->end - end));
}

roost_status room_close(struct pairs_room *room, struct roost_table *t, uint64_t n, bool values, struct ready_block *block)
{
    struct layout l;
    struct frame *const f = &block->frame;
    const uint64_t string_bytes = t->strings ? load_width(room_offset_bytes(room), room_column(room, COLUMN_KEYS), n) : 0;
    if (!room_layout(room, t, n, values, string_bytes, &l)) return error_set(&t->error, ROOST_ERR_MEMORY, "a block is too large");
    columns_close(room, &l);
    f->flags = t->strings && room_offset_bytes(room) == 8 ? BLOCK_WIDE_OFFSETS : 0;
    f->items = n;
    f->raw = l.end;
    block->raw = room->memory;
    return ROOST_OK;
}
