/* Blocks are inserted one after another, by calls as a user makes them.
 *
 * Room for the pairs is made as they come, for ROOM_TIMES as many at most: a header may say
 * anything, and a table of its size would be memory for nothing.  So a sixteenth of the pairs is
 * moved once.  Statuses show keys that come twice. */
#include "snapshots/snapshot_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/changes.h"
#include "api/checks.h"
#include "api/collective.h"
#include "api/create.h"
#include "roost/numbers.h"
#include "roost/snapshot.h"
#include "roost/strings.h"

enum {
    ROOM_TIMES = 16,     /* of the pairs that have come: room is made for */
    ROOM_LEAST = 1 << 16 /* or for this number */
};

roost_status load_options_read(struct load *l, const roost_load_options *options)
{
    static const roost_load_options defaults = ROOST_LOAD_OPTIONS_INIT;
    if (options && (options->size != sizeof *options || (options->loaded && options->loaded->size != sizeof *options->loaded)))
        return error_set(l->reader.error, ROOST_ERR_ARGUMENT,
                         "roost_load_options or roost_loaded: size is wrong: set it to sizeof");
    l->options = options ? *options : defaults;
    if (l->options.flags & ~(ROOST_TYPES_AS_SAVED | ROOST_SALVAGE) || l->options.reserved)
        return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "roost_load_options: unknown flags, or reserved is not 0");
    l->reader.salvage = (l->options.flags & ROOST_SALVAGE) != 0;
    return ROOST_OK;
}

roost_status load_progress(const struct load *l, uint64_t done)
{
    const roost_load_options *const o = &l->options;
    const int ended = o->progress ? o->progress(o->progress_context, done, l->promised) : 0;
    return ended ? error_set(l->reader.error, ROOST_ERR_IO, "the function that is told of progress ended the call (%d)", ended)
                 : ROOST_OK;
}

/* ---- The header ------------------------------------------------------------------------------ */

void load_info(const struct load *l, roost_snapshot_info *info)
{
    const struct header *const h = &l->reader.header;
    const roost_snapshot_info told = {sizeof *info,
                                      SNAPSHOT_VERSION,
                                      h->flags,
                                      h->kind != SNAPSHOT_CHANGES,
                                      h->number,
                                      h->whole ? h->whole : l->reader.id,
                                      (roost_type)h->key_type,
                                      (roost_type)h->value_type,
                                      h->key_bytes,
                                      h->value_bytes,
                                      h->pairs,
                                      h->capacity,
                                      h->next_number,
                                      h->min_fill,
                                      h->max_fill,
                                      (int)h->growth,
                                      (int)h->saturate,
                                      h->shards,
                                      (int)h->zstd,
                                      "",
                                      "",
                                      ""};
    *info = told;
    memcpy(info->engine, h->engine, sizeof h->engine);
    memcpy(info->options, h->options, sizeof h->options);
    memcpy(info->note, h->note, sizeof h->note);
}

/* ---- The table ------------------------------------------------------------------------------- */

uint64_t capacity_most(const struct load *l, uint64_t pairs)
{
    const uint64_t most = pairs > UINT64_MAX / ROOM_TIMES ? UINT64_MAX : pairs * ROOM_TIMES;
    const uint64_t room = most > ROOM_LEAST ? most : ROOM_LEAST;
    return l->capacity < room ? l->capacity : room;
}

static void types_as_saved(const struct header *h, roost_config *c)
{
    const uint32_t kinds = ROOST_MULTI | ROOST_NUMBERED;
    c->key_type = (roost_type)h->key_type;
    c->value_type = (roost_type)h->value_type;
    c->key_bytes = h->key_bytes;
    c->value_bytes = h->value_bytes;
    c->flags = (c->flags & ~kinds) | (h->flags & kinds);
}

static roost_status type_check(const struct load *l, const char *what, const roost_type types[2], const size_t bytes[2])
{
    const bool wide = types[0] == ROOST_TYPE_BYTES && types[1] == ROOST_TYPE_BYTES;
    if (types[0] != types[1])
        return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "the snapshot's %ss are of type %s, and the table's of %s", what,
                         stored_type_name(types[0]), stored_type_name(types[1]));
    if (!wide || bytes[0] == bytes[1]) return ROOST_OK;
    return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "the snapshot's %ss have %zu bytes, and the table's %zu", what, bytes[0],
                     bytes[1]);
}

roost_status types_check(const struct load *l, const roost_config *c)
{
    const struct header *const h = &l->reader.header;
    const uint32_t differ = (c->flags ^ h->flags) & (ROOST_MULTI | ROOST_NUMBERED);
    const roost_type keys[2] = {(roost_type)h->key_type, c->key_type}, values[2] = {(roost_type)h->value_type, c->value_type};
    const size_t key_bytes[2] = {h->key_bytes, c->key_bytes}, value_bytes[2] = {h->value_bytes, c->value_bytes};
    roost_status status = type_check(l, "key", keys, key_bytes);
    if (!status) status = type_check(l, "value", values, value_bytes);
    if (status || !differ) return status;
    return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "the snapshot is %sof a %s table, and the table is %s",
                     h->flags & differ ? "" : "not ", differ & ROOST_MULTI ? "ROOST_MULTI" : "ROOST_NUMBERED",
                     h->flags & differ ? "not" : "of one");
}

roost_status load_configure(const struct load *l, const roost_config *given, roost_config *c)
{
    const struct header *const h = &l->reader.header;
    if (given) {
        const roost_status status = config_read(given, c, "loading a snapshot");
        if (status) return status;
        if (l->options.flags & ROOST_TYPES_AS_SAVED) return types_as_saved(h, c), ROOST_OK;
        return types_check(l, c);
    }
    const roost_status status = roost_config_init(c, sizeof *c);
    types_as_saved(h, c);
    c->flags = h->flags;
    c->engine = h->engine;
    c->options = *h->options ? h->options : NULL;
    c->capacity = capacity_most(l, 0);
    c->growth = h->growth != 0;
    c->saturate = h->saturate != 0;
    c->min_fill = h->min_fill;
    c->max_fill = h->max_fill;
    return status;
}

static bool is_of_engine(roost_status status)
{
    return status == ROOST_ERR_NOT_FOUND || status == ROOST_ERR_ARGUMENT || status == ROOST_ERR_UNSUPPORTED;
}

/* Lets the caller's function change the configuration, except the types. */
static roost_status configure_call(const struct load *l, roost_config *c)
{
    roost_snapshot_info info;
    if (!l->options.configure) return ROOST_OK;
    load_info(l, &info);
    const int ended = l->options.configure(l->options.configure_context, &info, c);
    if (!ended) return types_check(l, c);
    return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "the function that configures the table returned %d", ended);
}

void load_decline(const roost_config *given)
{
    roost_config c;
    const struct error_mark why = error_keep(thread_error());
    memset(&c, 0, sizeof c);
    if (given) (void)config_read(given, &c, "loading a snapshot"); /* it may be wrong */
    if (c.comm) c.comm->calls->decline(c.comm);
    error_restore(&why);
}

/* The engine and its options as saved, as far as this build and machine have them. */
roost_status load_create(struct load *l, const roost_config *given, roost_status status)
{
    const struct header *const h = &l->reader.header;
    roost_config c;
    if (!status) status = load_configure(l, given, &c);
    if (!status) status = configure_call(l, &c);
    if (status) return load_decline(given), status;
    l->as_saved = !given;
    status = roost_table_create(&l->t, &c);
    if (is_of_engine(status) && c.options == h->options) c.options = NULL, status = roost_table_create(&l->t, &c);
    if (is_of_engine(status) && c.engine == h->engine) c.engine = NULL, status = roost_table_create(&l->t, &c);
    return status;
}

void load_read_next(struct load *l, roost_read_function *read, void *context, const char *from)
{
    struct reader *const r = &l->reader;
    const struct reader before = *r;
    struct loaded_before *const all = &l->before;
    if (!all->lost) all->first_damaged = before.first_damaged;
    all->erased += before.totals.erased, all->blocks += before.totals.blocks, all->bytes += before.bytes, all->lost += before.lost;
    memset(r, 0, sizeof *r);
    r->read = read;
    r->context = context;
    r->from = from;
    r->salvage = before.salvage;
    r->error = before.error;
    r->stored = before.stored;
    r->unpacked = before.unpacked;
    r->again = before.again;
}

/* ---- Room ------------------------------------------------------------------------------------ */

roost_status load_room(struct load *l, uint64_t pairs)
{
    struct roost_table *const t = l->t;
    if (!t->origin.config.growth) return l->as_saved ? roost_table_reserve(t, pairs) : ROOST_OK;
    if (t->group) return ROOST_OK;
    const roost_status status = call_begin(t, NULL, ACCESS_WRITE);
    return status ? status : call_end(t, ACCESS_WRITE, engine_make_room(t->at, pairs));
}

static roost_status room_for(struct load *l, uint64_t more)
{
    const uint64_t pairs = l->loaded + more, promised = l->promised;
    uint64_t room = pairs > UINT64_MAX / ROOM_TIMES ? UINT64_MAX : pairs * ROOM_TIMES;
    if (pairs <= l->roomed) return ROOST_OK;
    if (room > promised) room = promised > pairs ? promised : pairs;
    l->roomed = room;
    return load_room(l, room);
}

static roost_status statuses_room(struct load *l, uint64_t n)
{
    if (n <= l->statuses_room) return ROOST_OK;
    uint8_t *const statuses = (uint8_t *)realloc(l->statuses, (size_t)n);
    if (!statuses) return error_set(l->reader.error, ROOST_ERR_MEMORY, "no memory for the statuses of a block's items");
    l->statuses = statuses;
    l->statuses_room = n;
    return ROOST_OK;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

static int offset_bytes_of(const struct block *block) { return block->frame.flags & BLOCK_WIDE_OFFSETS ? 8 : 4; }

/* Strings' offsets begin at 0 and do not fall, so that no string lies outside of the block. */
static bool offsets_fit(const void *offsets, int bytes, uint64_t n, uint64_t end)
{
    uint64_t last = load_width(bytes, offsets, 0);
    bool fit = last == 0;
    for (uint64_t i = 1; i <= n; i++) {
        const uint64_t next = load_width(bytes, offsets, i);
        fit &= next >= last && next - last <= ROOST_STRING_MOST;
        last = next;
    }
    return fit && last == end;
}

roost_status block_layout(const struct load *l, const struct block *block, bool values, struct layout *layout)
{
    const struct header *const h = &l->reader.header;
    const struct widths w = {h->key_bytes, h->value_bytes};
    const uint64_t n = block->frame.items, raw = block->frame.raw;
    const bool strings = w.key_bytes == 0;
    const int offset_bytes = offset_bytes_of(block);
    uint64_t string_bytes = 0;
    const bool first = n && n <= raw && layout_of(&w, n, values, offset_bytes, 0, layout) && layout->end <= raw;
    if (first && strings) string_bytes = load_width(offset_bytes, (const char *)block->raw + layout->at[COLUMN_KEYS], n);
    const bool whole = first && layout_of(&w, n, values, offset_bytes, string_bytes, layout) && layout->end == raw;
    const bool fits =
        whole && (!strings || offsets_fit((const char *)block->raw + layout->at[COLUMN_KEYS], offset_bytes, n, string_bytes));
    return fits ? ROOST_OK : block_damaged(&l->reader, block->frame.index, "has columns of other sizes than its frame says");
}

roost_strings block_strings(const struct block *block, const struct layout *layout)
{
    const char *const raw = (const char *)block->raw;
    roost_strings strings = ROOST_STRINGS_INIT;
    strings.offsets = raw + layout->at[COLUMN_KEYS];
    strings.bytes = raw + layout->at[COLUMN_STRINGS];
    strings.offset_bytes = offset_bytes_of(block);
    return strings;
}

static roost_status items_insert(struct load *l, const struct block *block, const struct layout *layout, roost_mode mode)
{
    const char *const raw = (const char *)block->raw;
    const size_t n = (size_t)block->frame.items;
    const void *const values = l->t->value_bytes ? raw + layout->at[COLUMN_VALUES] : NULL;
    roost_call call = ROOST_CALL_INIT;
    call.space = ROOST_SPACE_HOST;
    call.statuses = l->statuses;
    if (!l->t->strings) return roost_insert(l->t, mode, raw + layout->at[COLUMN_KEYS], values, n, &call);
    const roost_strings keys = block_strings(block, layout);
    return roost_insert_strings(l->t, mode, &keys, values, n, &call);
}

roost_status block_ready(struct load *l, const struct block *block)
{
    struct layout layout;
    const roost_status status = block_layout(l, block, true, &layout);
    return status ? status : statuses_room(l, block->frame.items);
}

/* Inserts into tables that give numbers are roost_number's alone; a snapshot brings numbers. */
roost_status block_put(struct load *l, const struct block *block, const struct layout *layout, roost_mode mode)
{
    const bool numbered = l->t->numbered;
    roost_status status = statuses_room(l, block->frame.items);
    if (status) return status;
    l->t->numbered = false;
    status = items_insert(l, block, layout, mode);
    l->t->numbered = numbered;
    return status;
}

roost_status block_insert(struct load *l, const struct block *block, roost_mode mode)
{
    struct layout layout;
    roost_status status = block_layout(l, block, true, &layout);
    if (!status) status = room_for(l, block->frame.items);
    return status ? status : block_put(l, block, &layout, mode);
}

roost_status keys_check(struct load *l, const struct block *block)
{
    uint64_t twice = 0;
    for (uint64_t i = 0; i < block->frame.items; i++) twice += l->statuses[i] != ROOST_ITEM_INSERTED;
    l->loaded += block->frame.items - twice;
    l->refused += twice;
    if (!twice || l->reader.salvage) return ROOST_OK;
    return block_damaged(&l->reader, block->frame.index, "has a key that came before");
}

roost_status seen_begin(struct load *l, roost_type type, size_t bytes)
{
    roost_config c = ROOST_CONFIG_INIT;
    c.device = "host";
    c.key_type = type;
    c.key_bytes = bytes;
    c.value_type = ROOST_TYPE_NONE;
    return roost_table_create(&l->seen, &c);
}

/* ---- Numbers --------------------------------------------------------------------------------- */

roost_status numbers_begin(struct load *l)
{
    return l->t->numbered ? seen_begin(l, (roost_type)l->reader.header.value_type, 0) : ROOST_OK;
}

roost_status numbers_fit(const struct load *l, const struct block *block, const void **numbers)
{
    struct layout layout;
    bool fit = true;
    const roost_status status = block_layout(l, block, true, &layout);
    if (status) return status;
    *numbers = (const char *)block->raw + layout.at[COLUMN_VALUES];
    for (uint64_t i = 0; i < block->frame.items; i++)
        fit &= load_width(l->t->value_bytes, *numbers, i) < l->reader.header.next_number;
    return fit ? ROOST_OK : block_damaged(&l->reader, block->frame.index, "has a number that was never given");
}

roost_status numbers_check(struct load *l, const struct block *block)
{
    const void *numbers = NULL;
    bool fit = true;
    if (!l->seen) return ROOST_OK;
    roost_call call = ROOST_CALL_INIT;
    call.statuses = l->statuses;
    roost_status status = numbers_fit(l, block, &numbers);
    if (!status) status = roost_insert(l->seen, ROOST_KEEP, numbers, NULL, (size_t)block->frame.items, &call);
    for (uint64_t i = 0; !status && i < block->frame.items; i++) fit &= l->statuses[i] == ROOST_ITEM_INSERTED;
    return status || fit ? status : block_damaged(&l->reader, block->frame.index, "has a number twice");
}

roost_status counts_check(const struct load *l)
{
    const struct reader *const r = &l->reader;
    if (r->salvage || r->totals.pairs == r->header.pairs) return ROOST_OK;
    return error_set(r->error, ROOST_ERR_CORRUPT, "the header promises %llu pairs, and %llu came",
                     (unsigned long long)r->header.pairs, (unsigned long long)r->totals.pairs);
}
