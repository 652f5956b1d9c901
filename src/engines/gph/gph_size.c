/* GPH's sizes: cells and buckets for a number of keys, and when and how the table is rebuilt with
 * more or fewer of them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/gph/gph_table.h"

enum {
    /* Main buckets for each overflow bucket.  These have room for a hundredth of the keys; three in
     * a thousand lie there. */
    OVERFLOW_SHARE = 64,
    SPARE_OVERFLOW = 4,   /* more of them: else small tables grow before they are full */
    SPARE_FLAGGED = 8,    /* so few flagged cells make no table grow */
    MOST_LOCKS = 1 << 22, /* of buckets: the inserts in flight on a GPU hold some 100,000 */
    MOST_CELL_LOCKS = 1 << 20,
    REHASH_PAIRS = 1 << 24, /* pairs in flight to the new table, at most; */
    REHASH_SHARE = 32       /* at least this share of all, if memory for more is refused */
};

static const uint64_t MOST_BUCKETS = 1u << 31;

/* ---- Fill ------------------------------------------------------------------------------------ */

double gph_reach(int slots, int virtuals, int cell_keys)
{
    const double by_slots = slots >= 16 ? 0.80 : slots >= 8 ? 0.70 : 0.40;
    const double by_keys = cell_keys <= 6 ? 0.10 : cell_keys <= 8 ? 0.05 : cell_keys <= 12 ? 0 : cell_keys <= 16 ? -0.10 : -0.35;
    const double by_virtuals = virtuals >= 8 ? 0 : virtuals >= 4 ? -0.10 : -0.20;
    /* A cell has keys for a third or half of its slots. */
    const bool crowded = slots < 16 && (slots < 8 ? 3 : 2) * cell_keys >= slots * virtuals;
    return fmax(by_slots + by_keys + by_virtuals - (crowded ? 0.10 : 0), 0.04);
}

/* True if this number of keys is within the upper bound. */
static bool within(const struct gph_table *t, uint64_t keys, uint64_t buckets)
{
    return policy_is_within(&t->base, keys, buckets * (unsigned)t->base.shape.slots);
}

bool gph_fits(const struct gph_table *t, uint64_t keys) { return within(t, keys, t->view.bucket_count); }

/* Random keys flag at most 0.009 of the cells at the reach, by any options, and more than this
 * share of them, beside those that flags_exceed adds for chance, with a probability below 2^-40. */
#define SURE_FLAGGED 0.02

/* Are more cells flagged than this share, and some?  A share that is less than sure is meant. */
static bool flags_exceed(const struct gph_table *t, double share)
{
    const double cells = t->view.cell_count, chance = share < SURE_FLAGGED ? 0 : 0.6 * sqrt(cells);
    return (double)t->counts.flagged > share * cells + SPARE_FLAGGED + chance;
}

static bool flags_are_doubtful(const struct gph_table *t) { return flags_exceed(t, SURE_FLAGGED) || policy_doubts(&t->base); }

bool gph_over_full(const struct gph_table *t)
{
    return t->base.growth && (!gph_fits(t, gph_count(&t->base)) || flags_exceed(t, t->options.flagged));
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* The numbers of which a table is made. */
struct sizes {
    uint64_t keys, cells, buckets, overflow, bucket_locks, cell_locks;
};

static uint64_t locks_for(uint64_t things, uint64_t most)
{
    uint64_t locks = 64;
    while (locks < things && locks < most) locks *= 2;
    return locks;
}

static uint64_t least_buckets(const struct gph_table *t) { return 2 * (uint64_t)t->options.virtuals; }

static struct sizes sizes_for(const struct gph_table *t, uint64_t keys)
{
    const double slots = (double)t->base.shape.slots * t->base.max_fill, cell_keys = (double)t->options.cell_keys;
    struct sizes z;
    z.keys = keys;
    z.buckets = (uint64_t)ceil((double)keys / slots);
    if (!within(t, keys, z.buckets)) z.buckets++; /* the quotient was rounded down */
    if (z.buckets < least_buckets(t)) {
        z.buckets = least_buckets(t);
        z.keys = (uint64_t)((double)z.buckets * slots);
        if (!z.keys) z.keys = 1; /* the least table is above a very low bound with one key */
    }
    z.cells = ((uint64_t)ceil((double)z.keys / cell_keys) + 3) / 4 * 4;
    z.overflow = z.buckets / OVERFLOW_SHARE + SPARE_OVERFLOW;
    z.bucket_locks = locks_for(z.buckets + z.overflow, MOST_LOCKS);
    z.cell_locks = locks_for(z.cells, MOST_CELL_LOCKS);
    return z;
}

static uint64_t slots_for(const struct gph_table *t, uint64_t keys)
{
    const struct sizes z = sizes_for(t, keys);
    return (z.buckets + z.overflow) * (unsigned)t->base.shape.slots;
}

static bool is_possible(const struct sizes *z) { return z->buckets + z->overflow + 1 <= MOST_BUCKETS && z->cells <= MOST_BUCKETS; }

static roost_status sizes_check(const struct gph_table *t, uint64_t keys)
{
    const struct sizes z = sizes_for(t, keys);
    if (is_possible(&z)) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_MEMORY, "room for %" PRIu64 " keys would take more than 2^31 buckets or cells", keys);
}

/* True if a table of this room may be halved when it holds `keys`. */
static bool may_halve(const struct gph_table *t, uint64_t room, uint64_t keys)
{
    const uint64_t half = (room + 1) / 2;
    const bool tight = half <= t->tight_room && keys >= t->tight_keys - t->tight_keys / 8;
    return t->base.growth && half >= t->base.floor_keys && half >= keys && !tight &&
           sizes_for(t, half).buckets < sizes_for(t, room).buckets;
}

bool gph_would_shrink(const struct engine_table *table, uint64_t keys)
{
    const struct gph_table *t = gph_of_const(table);
    return policy_is_low(table, keys, gph_slots(table)) && may_halve(t, t->room_keys, keys);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void view_release(struct gph_table *t, struct gph_view *v)
{
    if (v->buckets) backend_release(t->base.backend, v->buckets, gph_buckets_bytes(t->base.shape, v));
    if (v->cells) backend_release(t->base.backend, v->cells, gph_index_bytes(v));
    v->buckets = NULL;
    v->cells = NULL;
}

static roost_status view_empty(const struct gph_table *t, const struct gph_view *v)
{
    struct backend *b = t->base.backend;
    const size_t bucket = shape_bucket_bytes(t->base.shape), bytes = gph_buckets_bytes(t->base.shape, v);
    roost_status status = b->operations->fill(b, v->buckets, 0, bytes - bucket);
    if (!status) status = b->operations->fill(b, v->buckets + bytes - bucket, 0xff, bucket);
    return status ? status : b->operations->fill(b, v->cells, 0, gph_index_bytes(v));
}

/* A view of this size, without memory. */
static struct gph_view view_of(const struct gph_table *t, const struct sizes *z)
{
    struct gph_view v = t->view;
    v.cells = NULL;
    v.buckets = NULL;
    v.cell_count = (uint32_t)z->cells;
    v.bucket_count = (uint32_t)z->buckets;
    v.overflow_count = (uint32_t)z->overflow;
    v.bucket_lock_mask = (uint32_t)(z->bucket_locks - 1);
    v.cell_lock_mask = (uint32_t)(z->cell_locks - 1);
    return v;
}

/* Makes an empty view of this size beside the table's. */
static roost_status view_make(struct gph_table *t, const struct sizes *z, struct gph_view *v)
{
    void *index = NULL, *buckets = NULL;
    *v = view_of(t, z);
    v->stride_count = (uint32_t)((z->buckets - 1) / ((1u << v->virtual_log) - 1));
    v->chain_stride_count = v->overflow_count > 1 ? (v->overflow_count - 1) / (gph_chain_length(v) - 1) : 1;
    roost_status status = backend_allocate(t->base.backend, gph_index_bytes(v), &index);
    v->cells = (uint32_t *)index;
    if (!status) status = backend_allocate(t->base.backend, gph_buckets_bytes(t->base.shape, v), &buckets);
    v->buckets = (unsigned char *)buckets;
    if (!status) {
        v->passed = v->cells + v->cell_count / 4;
        v->cell_locks = v->passed + v->overflow_count;
        v->bucket_locks = v->cell_locks + z->cell_locks;
        status = view_empty(t, v);
    }
    if (status) view_release(t, v);
    return status;
}

static void table_use(struct gph_table *t, const struct gph_view *v, const struct sizes *z)
{
    static const struct gph_counts none = {0, 0, 0, 0};
    t->view = *v;
    t->room_keys = z->keys;
    t->counts = none;
    t->flagged_left = t->full_keys = 0;
}

roost_status gph_make(struct engine_table *table)
{
    struct gph_table *t = gph_of(table);
    struct gph_view view;
    roost_status status = sizes_check(t, t->base.floor_keys);
    if (status) return status;
    const struct sizes z = sizes_for(t, t->base.floor_keys);
    status = view_make(t, &z, &view);
    if (!status) table_use(t, &view, &z);
    return status;
}

void gph_unmake(struct engine_table *table) { view_release(gph_of(table), &gph_of(table)->view); }

/* Makes all slots vacant; no cell is flagged. */
static roost_status slots_empty(struct gph_table *t)
{
    static const struct gph_counts none = {0, 0, 0, 0};
    const roost_status status = view_empty(t, &t->view);
    if (status) return status;
    t->counts = none;
    t->flagged_left = t->erased = t->full_keys = 0;
    return ROOST_OK;
}

roost_status gph_empty(struct engine_table *table)
{
    struct gph_table *t = gph_of(table);
    const struct error_mark before = error_keep(table->error);
    struct gph_view view;
    uint64_t room = t->room_keys;
    const roost_status status = slots_empty(t);
    if (status) return status;
    t->tight_room = t->tight_keys = 0;
    while (may_halve(t, room, 0)) room = (room + 1) / 2;
    const struct sizes z = sizes_for(t, room);
    if (z.buckets >= t->view.bucket_count) return ROOST_OK;
    /* Without memory the empty table stays large. */
    if (view_make(t, &z, &view)) return ledger_put_off(&table->ledger, &before);
    gph_unmake(table);
    table_use(t, &view, &z);
    return ROOST_OK;
}

/* ---- Rebuilding ------------------------------------------------------------------------------ */

/* Pairs in flight, in arrays on the device, and lists for them: the table's own lists may have
 * items of a batch. */
struct carrier {
    void *keys, *values;
    size_t bytes;
    uint64_t buckets; /* the arrays have room for the pairs of as many */
    struct lists lists;
};

static void carrier_release(struct gph_table *t, struct carrier *c)
{
    lists_release(&c->lists);
    if (c->keys) backend_release(t->base.backend, c->keys, c->bytes);
    memset(c, 0, sizeof *c);
}

static size_t carried_keys_bytes(const struct gph_table *t, size_t pairs)
{
    return (pairs * (size_t)t->base.shape.key_bytes + 7) / 8 * 8;
}

static size_t carried_bytes(const struct gph_table *t, size_t pairs)
{
    return carried_keys_bytes(t, pairs) + pairs * (size_t)t->base.shape.value_bytes;
}

static roost_status carrier_try(struct gph_table *t, uint64_t buckets, struct carrier *c)
{
    const size_t pairs = (size_t)buckets * (size_t)t->base.shape.slots;
    c->buckets = buckets;
    c->bytes = carried_bytes(t, pairs);
    roost_status status = lists_begin(&c->lists, &t->base, pairs < LISTS_LEAST ? pairs : LISTS_LEAST, pairs, 0);
    if (!status) status = backend_allocate(t->base.backend, c->bytes, &c->keys);
    if (status) carrier_release(t, c);
    else c->values = (char *)c->keys + carried_keys_bytes(t, pairs);
    return status;
}

/* The least number of buckets that a carrier has room for. */
static uint64_t carried_least(const struct gph_view *old) { return ((uint64_t)gph_special(old) + 1) / REHASH_SHARE + 1; }

/* Makes a carrier as large as is granted, of whole, half and so on. */
static roost_status carrier_make(struct gph_table *t, const struct gph_view *old, struct carrier *c)
{
    const struct error_mark before = error_keep(t->base.error);
    const uint64_t all = (uint64_t)gph_special(old) + 1, most = REHASH_PAIRS / (unsigned)t->base.shape.slots,
                   least = carried_least(old);
    uint64_t buckets = all < most ? all : most;
    roost_status status = carrier_try(t, buckets, c);
    for (; status == ROOST_ERR_MEMORY && buckets > least; status = carrier_try(t, buckets, c)) {
        buckets = buckets / 2 > least ? buckets / 2 : least;
        error_restore(&before);
    }
    return status;
}

/* Inserts all pairs of the old view into the table, which has the new one.  *left: pairs without
 * room. */
static roost_status pairs_carry(struct gph_table *t, const struct gph_view *old, struct carrier *c, uint64_t *left)
{
    const struct gph_view now = t->view;
    const uint64_t all = (uint64_t)gph_special(old) + 1;
    roost_status status = ROOST_OK;
    for (uint64_t first = 0; !status && !*left && first < all; first += c->buckets) {
        uint64_t pairs = 0;
        status = pairs_clear(&t->base);
        t->view = *old;
        if (!status) status = gph_export_buckets(t, first, all - first < c->buckets ? all - first : c->buckets, c->keys, c->values);
        t->view = now;
        if (!status) status = pairs_read(&t->base, &pairs);
        if (!status) status = gph_insert_all(t, &c->lists, c->keys, c->values, pairs, left);
    }
    return status;
}

/* Rebuilds the table with room for this number of keys.  *done is false if some pair found no room.
 * Then, and on failure, the table is as it was. */
static roost_status rehash(struct gph_table *t, uint64_t keys, bool *done)
{
    const struct gph_view old = t->view;
    const struct gph_counts counts = t->counts;
    const uint64_t room = t->room_keys, full = t->full_keys;
    struct carrier carrier;
    struct gph_view view;
    uint64_t left = 0;
    memset(&carrier, 0, sizeof carrier);
    *done = false;
    roost_status status = sizes_check(t, keys);
    if (status) return status;
    const struct sizes z = sizes_for(t, keys);
    status = view_make(t, &z, &view);
    if (status) return status;
    status = carrier_make(t, &old, &carrier);
    table_use(t, &view, &z);
    if (!status) status = pairs_carry(t, &old, &carrier, &left);
    carrier_release(t, &carrier);
    *done = !status && !left;
    struct gph_view gone = *done ? old : t->view;
    if (!*done) {
        t->view = old;
        t->counts = counts;
        t->room_keys = room;
        t->full_keys = full;
    } else if (gph_count(&t->base) != counts.main + counts.overflow + counts.special) {
        status = error_set(t->base.error, ROOST_ERR_CORRUPT, "rehashing: %" PRIu64 " keys arrived of %" PRIu64, gph_count(&t->base),
                           counts.main + counts.overflow + counts.special);
    }
    view_release(t, &gone);
    if (*done) t->base.stats.rehashed += gph_count(&t->base);
    return status;
}

/* A table of this room was too small for this number of keys, although its fill was in bounds. */
static void tight_set(struct gph_table *t, uint64_t room, uint64_t keys)
{
    t->tight_room = room;
    t->tight_keys = keys;
}

/* The bytes of a table with room for this number of keys. */
static uint64_t room_bytes(const struct engine_table *table, uint64_t room)
{
    const struct sizes z = sizes_for(gph_of_const(table), room);
    const struct gph_view v = view_of(gph_of_const(table), &z);
    return is_possible(&z) ? gph_index_bytes(&v) + gph_buckets_bytes(table->shape, &v) : UINT64_MAX;
}

static uint64_t room_slots(const struct engine_table *table, uint64_t room) { return slots_for(gph_of_const(table), room); }

/* The room after a step of growth: doubled, until it is enough for the keys, or what a memory limit
 * leaves. */
static uint64_t room_grown(const struct gph_table *t, uint64_t keys)
{
    const size_t pairs = (size_t)carried_least(&t->view) * (size_t)t->base.shape.slots;
    uint64_t room = t->room_keys;
    do room *= 2;
    while (room < keys);
    const struct growth growth = {.now = t->room_keys,
                                  .wanted = room,
                                  .keys = keys,
                                  .beside = carried_bytes(t, pairs) + LISTS * sizeof(uint32_t) * pairs,
                                  .bytes_of = room_bytes,
                                  .slots_of = room_slots};
    return policy_growth_size(&t->base, &growth);
}

/* Rebuilds the table with room for this number of keys, or for up to four times as many: in a very
 * small table chance may fill some buckets.  ROOST_ERR_FULL: the keys collide in all of them. */
static roost_status rehash_larger(struct gph_table *t, uint64_t keys)
{
    enum { TIMES = 4, SMALL = 256 /* keys */ };
    const uint64_t most = TIMES * (keys < SMALL ? SMALL : keys);
    roost_status status = ROOST_OK;
    bool done = false;
    for (uint64_t room = keys; !status && !done && room <= most; room *= 2) {
        status = rehash(t, room, &done);
        if (!status && !done) tight_set(t, sizes_for(t, room).keys, gph_count(&t->base));
    }
    if (status || done) return status;
    return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " keys collide in a table for %" PRIu64, gph_count(&t->base), keys);
}

roost_status gph_enlarge(struct gph_table *t, uint64_t keys, bool forced)
{
    if (forced) tight_set(t, t->room_keys, keys);
    return policy_grown(&t->base, rehash_larger(t, room_grown(t, keys)), gph_count(&t->base), forced);
}

roost_status gph_reserve(struct engine_table *table, uint64_t keys)
{
    struct gph_table *t = gph_of(table);
    if (keys <= t->room_keys) return ROOST_OK;
    const roost_status status = rehash_larger(t, keys);
    table->stats.grow_steps += !status;
    return status;
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Halves a table that would shrink, as often as its bounds allow, by one rebuild. */
static roost_status shrink(struct engine_table *table)
{
    struct gph_table *t = gph_of(table);
    const uint64_t count = gph_count(table);
    uint64_t room = t->room_keys, steps = 0;
    bool done;
    do room = (room + 1) / 2, steps++;
    while (policy_is_low(table, count, slots_for(t, room)) && may_halve(t, room, count));
    const roost_status status = rehash(t, room, &done);
    return policy_shrunk(table, status, done, steps);
}

/* Flagged cells alone are no reason to grow beyond the bound. */
static bool over_full(const struct engine_table *table)
{
    const struct gph_table *t = gph_of_const(table);
    return gph_over_full(t) && (!gph_fits(t, gph_count(table)) || !policy_at_bound(table, 0));
}

static roost_status grow(struct engine_table *table)
{
    const uint64_t count = gph_count(table);
    return gph_enlarge(gph_of(table), count, gph_fits(gph_of(table), count));
}

/* Grows until the table is within its bounds.  Keys that collide at every size are left where they
 * are. */
static roost_status grow_within(struct engine_table *table)
{
    const struct error_mark before = error_keep(table->error);
    const roost_status status = policy_grow(table, over_full, grow);
    if (status != ROOST_ERR_FULL) return status;
    error_restore(&before);
    table->doubtful = true;
    return ROOST_OK;
}

/* After erases the table may shrink, and cells may lose their flags.  It grows again where too many
 * cells are flagged; or it is reseeded, where random keys would not flag as many. */
roost_status gph_settle(struct engine_table *table, bool shrinks)
{
    struct gph_table *t = gph_of(table);
    roost_status status = shrinks ? policy_shrink(table, shrink) : ROOST_OK;
    if (!status) status = gph_mend_due(t);
    if (status || !gph_over_full(t)) return status;
    table->doubtful = gph_fits(t, gph_count(table)) && policy_may_reseed(table) && flags_are_doubtful(t);
    return table->doubtful ? ROOST_OK : grow_within(table);
}
