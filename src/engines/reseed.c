/* A table's pairs are moved to another table of the same configuration and size, whose seed nobody
 * knows.  Then the two exchange what they contain. */
#include "engines/reseed.h"

#include <string.h>

#include "engines/crowd.h"
#include "engines/engine.h"
#include "engines/insertion.h"
#include "engines/making.h"
#include "engines/seeds.h"

enum {
    TRIES = 3,                 /* seeds; a random one fails for reasons of chance alone */
    MOVED_LEAST = 1 << 9,      /* pairs that are moved at a time: at least these, at most */
    MOVED_MOST = 1 << 16,      /* these, and */
    MOVED_SHARE = 256,         /* this share of the slots: beside the tables that is little; */
    MOVED_LEAST_GPU = 1 << 12, /* on a GPU, where each time costs waits */
    MOVED_MOST_GPU = 1 << 20
};

/* ---- Pairs in flight ------------------------------------------------------------------------- */

enum { CARRY_KEYS, CARRY_OFFSETS, CARRY_VALUES, CARRIED };

/* Arrays on the device between the two tables. */
struct carrier {
    struct engine_table *from, *to;
    uint64_t room;       /* pairs */
    uint64_t taken;      /* pairs so far */
    uint64_t bytes_room; /* of strings */
    size_t bytes[CARRIED];
    void *memory, *at[CARRIED];
};

static bool has_strings(const struct engine_table *t) { return t->key_bytes == 0; }

/* Pairs at a time, fewer if memory is refused.  The exports look at all slots, however few have a
 * pair.  Strings are moved all together: their bytes are as many as the arena has. */
static uint64_t carrier_room(const struct engine_table *t)
{
    const struct table_hooks *h = &t->engine->hooks;
    const bool on_host = t->backend->ordinal < 0;
    const uint64_t least = on_host ? MOVED_LEAST : MOVED_LEAST_GPU, most = on_host ? MOVED_MOST : MOVED_MOST_GPU;
    const uint64_t share = h->slots(t) / MOVED_SHARE;
    if (has_strings(t)) return h->count(t) + ROOST_EXPORT_MIN + MOVED_LEAST;
    return share < least ? least : share < most ? share : most;
}

static roost_status carrier_allocate(struct carrier *c)
{
    c->bytes[CARRY_KEYS] = has_strings(c->from) ? c->bytes_room + 1 : c->room * (unsigned)c->from->key_bytes;
    c->bytes[CARRY_OFFSETS] = has_strings(c->from) ? (c->room + 1) * sizeof(uint64_t) : 0;
    c->bytes[CARRY_VALUES] = c->room * (unsigned)c->from->value_bytes;
    return backend_allocate(c->from->backend, backend_arrays_bytes(c->bytes, CARRIED), &c->memory);
}

static roost_status carrier_make(struct carrier *c)
{
    const struct error_mark before = error_keep(c->from->error);
    struct engine_stats stats;
    memset(&stats, 0, sizeof stats);
    roost_status status = has_strings(c->from) ? c->from->engine->hooks.stats(c->from, &stats) : ROOST_OK;
    if (status) return status;
    c->bytes_room = stats.arena_used;
    c->room = carrier_room(c->from);
    status = carrier_allocate(c);
    while (status == ROOST_ERR_MEMORY && !has_strings(c->from) && c->room / 2 >= MOVED_LEAST) {
        error_restore(&before);
        c->room /= 2;
        status = carrier_allocate(c);
    }
    if (!status) backend_arrays_place(c->memory, c->bytes, CARRIED, c->at);
    return status;
}

static void carrier_release(const struct carrier *c)
{
    if (c->memory) backend_release(c->from->backend, c->memory, backend_arrays_bytes(c->bytes, CARRIED));
}

static roost_status pairs_take(struct carrier *c, roost_cursor *cursor, size_t *n)
{
    const struct string_room room = {c->at[CARRY_OFFSETS], sizeof(uint64_t),    c->at[CARRY_KEYS],
                                     c->bytes_room,        c->at[CARRY_VALUES], (size_t)c->room};
    if (has_strings(c->from)) return c->from->engine->export_strings(c->from, cursor, &room, n);
    return c->from->engine->export_pairs(c->from, cursor, c->at[CARRY_KEYS], c->at[CARRY_VALUES], (size_t)c->room, n);
}

/* Inserts n pairs that were taken.  Where the table may grow it does so for its fill, as ever. */
static roost_status pairs_put(const struct carrier *c, uint64_t n)
{
    const struct table_hooks *h = &c->to->engine->hooks;
    struct batch batch = batch_of_pairs(c->to, c->at[CARRY_KEYS], c->at[CARRY_VALUES], n);
    struct progress p = {0, 0};
    const struct write w = {WRITE_INSERT, &batch};
    batch.key_offsets = c->at[CARRY_OFFSETS];
    batch.offset_bytes = sizeof(uint64_t);
    if (c->to->multi) batch.mode = ROOST_APPEND;
    roost_status status = h->begin ? h->begin(c->to, &w) : ROOST_OK;
    while (!status && p.done < n) {
        status = h->write_piece(c->to, &w, &p);
        if (!status) status = h->settle(c->to, false);
    }
    return status;
}

static roost_status pairs_move(struct carrier *c)
{
    roost_cursor cursor;
    roost_status status = carrier_make(c);
    memset(&cursor, 0, sizeof cursor);
    while (!status && !cursor.end) {
        size_t n = 0;
        status = pairs_take(c, &cursor, &n);
        c->taken += n;
        if (!status && n) status = pairs_put(c, n);
    }
    carrier_release(c);
    return status;
}

/* ---- The other table ------------------------------------------------------------------------- */

/* Makes a table like t was made, with a seed that nobody knows.  What it is made for is the least
 * that it can shrink to: as little as t's own least, and a fixed table's size. */
static roost_status twin_new(const struct engine_table *t, struct engine_table **made)
{
    const size_t bytes = t->engine->hooks.table_bytes;
    struct engine_table *twin = (struct engine_table *)host_new(&t->backend->allocator, bytes);
    if (!twin) return error_set(t->error, ROOST_ERR_MEMORY, "no memory for the table's description");
    memcpy(twin, t->origin, bytes);
    twin->warnings = t->warnings;
    if (!t->growth || t->floor_keys < twin->floor_keys) twin->floor_keys = t->floor_keys;
    roost_status status = seeds_renew(twin);
    if (!status) status = table_make(twin);
    if (status) host_delete(&t->backend->allocator, twin, bytes);
    else *made = twin;
    return status;
}

/* Makes room for `keys` keys in the twin, and for the reservation of t. */
static roost_status twin_reserve(struct engine_table *twin, const struct engine_table *t, uint64_t keys)
{
    const uint64_t room = keys > t->floor_keys ? keys : t->floor_keys, made_for = twin->floor_keys;
    twin->floor_keys = t->floor_keys;
    return room > made_for ? t->engine->hooks.reserve(twin, room) : ROOST_OK;
}

static void twin_delete(struct engine_table *twin)
{
    table_unmake(twin);
    host_delete(&twin->backend->allocator, twin, twin->engine->hooks.table_bytes);
}

static void bytes_exchange(void *a, void *b, size_t n)
{
    unsigned char *const x = (unsigned char *)a, *const y = (unsigned char *)b;
    for (size_t i = 0; i < n; i++) {
        const unsigned char byte = x[i];
        x[i] = y[i], y[i] = byte;
    }
}

/* Exchanges what is behind the part that all tables have, and what this part knows of it: an engine
 * may choose the shape, and so the kernels, by the table's size. */
static void contents_exchange(struct engine_table *a, struct engine_table *b)
{
    bytes_exchange(a + 1, b + 1, a->engine->hooks.table_bytes - sizeof *a);
    bytes_exchange(&a->shape, &b->shape, sizeof a->shape);
    bytes_exchange(a->chosen, b->chosen, sizeof a->chosen);
    bytes_exchange(a->kernel, b->kernel, sizeof a->kernel);
    const uint64_t seed = a->seed;
    const bool secret = a->seed_secret;
    a->seed = b->seed, b->seed = seed;
    a->seed_secret = b->seed_secret, b->seed_secret = secret;
    ledger_exchange(&a->ledger, &b->ledger);
}

/* Moves the pairs, if there are any, to the twin.  *done: false: some found no room. */
static roost_status twin_fill(struct engine_table *t, struct engine_table *twin, bool *done)
{
    struct carrier c;
    memset(&c, 0, sizeof c);
    c.from = t;
    c.to = twin;
    const roost_status status = t->engine->hooks.count(t) ? pairs_move(&c) : ROOST_OK;
    *done = !status && twin->engine->hooks.count(twin) == c.taken;
    if (*done) t->stats.rehashed += c.taken;
    return status == ROOST_ERR_FULL ? ROOST_OK : status;
}

static roost_status reseed_once(struct engine_table *t, uint64_t keys, bool *done)
{
    struct engine_table *twin = NULL;
    roost_status status = twin_new(t, &twin);
    if (status) return status;
    status = twin_reserve(twin, t, keys);
    if (!status) status = twin_fill(t, twin, done);
    if (*done) contents_exchange(t, twin);
    twin_delete(twin);
    return status;
}

/* An empty table needs no twin. */
static roost_status reseed_empty(struct engine_table *t, uint64_t keys)
{
    const struct table_hooks *h = &t->engine->hooks;
    const uint64_t slots = h->slots(t);
    roost_status status = seeds_renew(t);
    if (!status) status = h->empty(t);
    if (!status && h->slots(t) < slots) status = h->reserve(t, keys);
    if (!status) t->stats.reseeds++;
    return status;
}

roost_status table_reseed(struct engine_table *t, uint64_t keys)
{
    bool done = false;
    roost_status status = ROOST_OK;
    crowd_forget(t); /* it had the keys for whose sake this is done */
    if (!t->waiting && !t->engine->hooks.count(t)) return reseed_empty(t, keys);
    for (int i = 0; !status && !done && i < TRIES; i++) status = reseed_once(t, keys, &done);
    if (status) return status;
    if (!done) return error_set(t->error, ROOST_ERR_FULL, "the table's pairs found no room under %d other seeds", TRIES);
    t->stats.reseeds++;
    return ROOST_OK;
}
