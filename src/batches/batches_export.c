/* Exports in the order of ranks (struct engine_ranking).  A cursor's position is the rank of the
 * first pair that it has not given.  A call takes the pairs of a range of ranks from there on,
 * sorts them, and gives as many as it has room for.
 *
 * The strays of that range may lie anywhere in the table.  They are gathered and sorted once for as
 * many ranks as memory allows, and kept with the table for the calls that follow: a pass over the
 * table for each such range.  The memory of both is at most a tenth of the table's. */
#include <string.h>

#include "batches/batches.h"
#include "batches/batches_kernels.h"
#include "batches/batches_sort.h"

enum {
    WORK_SHARE = 20,  /* the strays, and the pairs of a call, take this part of the table each */
    STRAYS_SHARE = 4, /* of the pairs of a call at most one of 5 is a stray */
    LEAST = ROOST_EXPORT_MIN
};

/* ---- Pairs in order -------------------------------------------------------------------------- */

enum { AT_KEYS, AT_VALUES, AT_RANKS, AT_RANKS_ROOM, AT_ITEMS, AT_ITEMS_ROOM, AT_SCRATCH, ARRAYS };

/* sort.keys[0] has the ranks, ascending, and sort.items[0] their places in the arrays. */
struct ranked {
    uint64_t n;
    size_t bytes[ARRAYS];
    void *memory, *at[ARRAYS];
    struct batches_sort sort;
};

struct strays {
    uint64_t low, high; /* all those with these ranks */
    struct ranked pairs;
};

/* The last rank that a key may have. */
static uint64_t rank_last(const struct engine_table *t) { return ~0ULL >> (64 - 8 * t->key_bytes); }

/* Pairs for which a part of the table's memory is enough. */
static uint64_t pairs_most(const struct engine_table *t)
{
    const unsigned pair = (unsigned)(t->key_bytes + t->value_bytes) + 2 * (sizeof(uint64_t) + sizeof(uint32_t));
    const uint64_t most = t->engine->hooks.bytes(t) / WORK_SHARE / pair;
    return most < LEAST ? LEAST : most < UINT32_MAX ? most : UINT32_MAX;
}

static roost_status ranked_make(const struct engine_table *t, uint64_t room, bool values, struct ranked *r)
{
    memset(r, 0, sizeof *r);
    r->sort.n = room;
    r->sort.key_bytes = sizeof(uint64_t);
    r->sort.bits = 8 * t->key_bytes;
    roost_status status = batches_sort_scratch(t->backend, &r->sort, &r->sort.scratch_bytes);
    if (status) return status;
    r->bytes[AT_KEYS] = room * (unsigned)t->key_bytes;
    r->bytes[AT_VALUES] = values ? room * (unsigned)t->value_bytes : 0;
    r->bytes[AT_RANKS] = r->bytes[AT_RANKS_ROOM] = room * sizeof(uint64_t);
    r->bytes[AT_ITEMS] = r->bytes[AT_ITEMS_ROOM] = room * sizeof(uint32_t);
    r->bytes[AT_SCRATCH] = r->sort.scratch_bytes;
    status = backend_allocate(t->backend, backend_arrays_bytes(r->bytes, ARRAYS), &r->memory);
    if (!status) backend_arrays_place(r->memory, r->bytes, ARRAYS, r->at);
    return status;
}

static void ranked_release(const struct engine_table *t, struct ranked *r)
{
    if (r->memory) backend_release(t->backend, r->memory, backend_arrays_bytes(r->bytes, ARRAYS));
    r->memory = NULL;
}

static roost_status launch(const struct engine_table *t, enum batches_kernel which, struct batches_args *args, uint64_t n)
{
    args->n = n;
    return backend_launch(t->backend, batches_kernel_for(t->backend, which), args, sizeof *args, n);
}

/* Sorts the pairs that are in the arrays. */
static roost_status ranked_sort(struct engine_table *t, struct ranked *r)
{
    struct batches_args args;
    struct batches_sort *s = &r->sort;
    struct batch *b = &args.batch;
    memset(&args, 0, sizeof args);
    b->keys = r->at[AT_KEYS];
    b->counts = (uint64_t *)r->at[AT_RANKS_ROOM];
    b->n = r->n;
    roost_status status = t->engine->ranking->ranks(t, b);
    b->keys = r->at[AT_RANKS_ROOM];
    b->key_bytes = sizeof(uint64_t);
    args.sorted = r->at[AT_RANKS];
    args.items = (uint32_t *)r->at[AT_ITEMS];
    if (!status) status = launch(t, BATCHES_key, &args, r->n);
    s->keys[0] = r->at[AT_RANKS], s->keys[1] = r->at[AT_RANKS_ROOM];
    s->items[0] = (uint32_t *)r->at[AT_ITEMS], s->items[1] = (uint32_t *)r->at[AT_ITEMS_ROOM];
    s->scratch = r->at[AT_SCRATCH];
    s->n = r->n;
    return status ? status : batches_sort(t->backend, s);
}

static roost_status rank_at(const struct engine_table *t, const struct ranked *r, uint64_t place, uint64_t *rank)
{
    return backend_read(t->backend, rank, (const uint64_t *)r->sort.keys[0] + place, sizeof *rank);
}

/* The number of pairs whose rank is at most `rank`. */
static roost_status ranked_up_to(const struct engine_table *t, const struct ranked *r, uint64_t rank, uint64_t *n)
{
    uint64_t low = 0, high = r->n;
    roost_status status = ROOST_OK;
    while (!status && low < high) {
        const uint64_t middle = low + (high - low) / 2;
        uint64_t there = 0;
        status = rank_at(t, r, middle, &there);
        if (there <= rank) low = middle + 1;
        else high = middle;
    }
    *n = low;
    return status;
}

/* Copies n pairs from place `first` of their order on. */
static roost_status ranked_copy(const struct engine_table *t, const struct ranked *r, uint64_t first, uint64_t n, void *keys,
                                void *values)
{
    struct batches_args args;
    memset(&args, 0, sizeof args);
    args.batch.keys = r->at[AT_KEYS];
    args.batch.values_in = r->at[AT_VALUES];
    args.batch.key_bytes = (uint8_t)t->key_bytes;
    args.batch.value_bytes = (uint16_t)t->value_bytes;
    args.items = r->sort.items[0] + first;
    args.columns.keys = keys;
    args.columns.values_in = values;
    return n ? launch(t, BATCHES_gather, &args, n) : ROOST_OK;
}

/* ---- Strays ---------------------------------------------------------------------------------- */

void batches_export_forget(struct engine_table *table)
{
    struct strays *s = (struct strays *)table->strays;
    if (!s) return;
    ranked_release(table, &s->pairs);
    host_delete(&table->backend->allocator, s, sizeof *s);
    table->strays = NULL;
}

/* Ends the range of s where it has at most `most` strays; *n: as many as it has. */
static roost_status strays_count(struct engine_table *t, struct strays *s, uint64_t most, uint64_t *n)
{
    struct ranked_pairs wanted = {s->low, s->high, true, NULL, NULL};
    roost_status status = t->engine->ranking->pairs(t, &wanted, n);
    while (!status && *n > most) {
        wanted.high = wanted.low + (wanted.high - wanted.low) / (*n / most + 1);
        status = t->engine->ranking->pairs(t, &wanted, n);
    }
    s->high = wanted.high;
    return status;
}

static roost_status strays_allocate(struct engine_table *t, struct strays *s, uint64_t *n)
{
    const struct error_mark before = error_keep(t->error);
    uint64_t most = pairs_most(t);
    for (;; most /= 2) {
        roost_status status = strays_count(t, s, most, n);
        if (!status) status = ranked_make(t, *n ? *n : 1, true, &s->pairs);
        if (status != ROOST_ERR_MEMORY || most <= LEAST) return status;
        error_restore(&before);
    }
}

static roost_status strays_gather(struct engine_table *t, struct strays *s)
{
    uint64_t n = 0;
    s->high = rank_last(t);
    roost_status status = strays_allocate(t, s, &n);
    const struct ranked_pairs wanted = {s->low, s->high, true, s->pairs.at[AT_KEYS], s->pairs.at[AT_VALUES]};
    if (!status) status = t->engine->ranking->pairs(t, &wanted, &s->pairs.n);
    return status || !n ? status : ranked_sort(t, &s->pairs);
}

/* Loads the strays whose ranks are at least `from`.  An export gathers all strays again when it
 * begins, because a graph may have changed the table. */
static roost_status strays_bring(struct engine_table *t, uint64_t from)
{
    struct strays *s = (struct strays *)t->strays;
    if (s && from && s->low <= from && from <= s->high) return ROOST_OK;
    batches_export_forget(t);
    s = (struct strays *)host_new(&t->backend->allocator, sizeof *s);
    if (!s) return error_set(t->error, ROOST_ERR_MEMORY, "no memory for the description of an export");
    t->strays = s;
    s->low = from;
    const roost_status status = strays_gather(t, s);
    if (status) batches_export_forget(t);
    return status;
}

/* ---- The pairs of a call --------------------------------------------------------------------- */

static uint64_t strays_among(uint64_t pairs) { return pairs / STRAYS_SHARE; }

/* Room for at most `pairs` pairs that are no strays, and for some strays. */
static roost_status call_make(const struct engine_table *t, uint64_t *pairs, bool values, struct ranked *r)
{
    const struct error_mark before = error_keep(t->error);
    for (;; *pairs /= 2) {
        const roost_status status = ranked_make(t, *pairs + strays_among(*pairs), values, r);
        if (status != ROOST_ERR_MEMORY || *pairs / 2 < LEAST) return status;
        error_restore(&before);
    }
}

/* The places of the strays with ranks low .. *high.  *high falls until they are at most `most`. */
static roost_status strays_part(const struct engine_table *t, uint64_t low, uint64_t *high, uint64_t most, uint64_t *first,
                                uint64_t *n)
{
    const struct strays *s = (const struct strays *)t->strays;
    roost_status status = ROOST_OK;
    *first = *n = 0;
    if (*high > s->high) *high = s->high;
    if (low) status = ranked_up_to(t, &s->pairs, low - 1, first);
    if (!status) status = ranked_up_to(t, &s->pairs, *high, n);
    if (status) return status;
    *n -= *first;
    if (*n <= most) return ROOST_OK;
    *n = most;
    return rank_at(t, &s->pairs, *first + most - 1, high);
}

/* Takes all pairs with ranks low .. *high, and sorts them. */
static roost_status call_take(struct engine_table *t, struct ranked *r, uint64_t pairs, uint64_t low, uint64_t *high)
{
    const struct strays *s = (const struct strays *)t->strays;
    uint64_t first, n;
    *high = t->engine->ranking->reach(t, low, pairs);
    roost_status status = strays_part(t, low, high, strays_among(pairs), &first, &n);
    const struct ranked_pairs wanted = {low, *high, false, r->at[AT_KEYS], r->at[AT_VALUES]};
    if (!status) status = t->engine->ranking->pairs(t, &wanted, &r->n);
    if (status) return status;
    void *const keys = array_at(r->at[AT_KEYS], r->n, t->key_bytes), *const values =
                                                                         array_at(r->at[AT_VALUES], r->n, t->value_bytes);
    status = ranked_copy(t, &s->pairs, first, n, keys, r->at[AT_VALUES] ? values : NULL);
    r->n += n;
    return status || !r->n ? status : ranked_sort(t, r);
}

/* Gives as many pairs as there is room for, and moves the cursor behind them. */
static roost_status call_give(const struct engine_table *t, const struct ranked *r, uint64_t high, roost_cursor *cursor, void *keys,
                              void *values, size_t room, size_t *n)
{
    const uint64_t given = r->n < room ? r->n : room;
    uint64_t next = high + 1;
    roost_status status = ranked_copy(t, r, 0, given, keys, values);
    if (!status && given < r->n) status = rank_at(t, r, given, &next);
    if (!status) status = backend_wait(t->backend);
    if (status) return status;
    cursor->end = given == r->n && high == rank_last(t);
    cursor->position = cursor->end ? high : next;
    *n = given;
    return ROOST_OK;
}

roost_status batches_export_in_order(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                     size_t *n)
{
    const uint64_t most = pairs_most(table) / (STRAYS_SHARE + 1) * STRAYS_SHARE;
    uint64_t pairs = room < most ? room : most, high;
    struct ranked r;
    if (cursor->end) return ROOST_OK;
    if (pairs < LEAST) pairs = LEAST;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = strays_bring(table, cursor->position);
    if (status) return status;
    status = call_make(table, &pairs, values != NULL, &r);
    if (!status) status = call_take(table, &r, pairs, cursor->position, &high);
    if (!status) status = call_give(table, &r, high, cursor, keys, values, room, n);
    ranked_release(table, &r);
    return status;
}
