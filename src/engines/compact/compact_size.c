/* compact's sizes: shapes and buckets for a number of keys, and when and how the table moves to
 * more or fewer of them.  A size is asked for in slots; of the shapes of the table's widths it has
 * the one that needs the fewest buckets. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/compact/compact_table.h"

enum { LEAST_BUCKETS = 32 };

static const uint64_t MOST_BUCKETS = UINT32_MAX;

/* ---- Fill ------------------------------------------------------------------------------------ */

/* The fill for which a table is made where the number of keys is known: 8 bytes a pair of 4+4. */
static double made_fill(const struct compact_table *t)
{
    const double most = t->base.max_fill;
    return most > 0.80 && most <= 0.85 ? 0.80 : most;
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

static bool has_widths(const struct compact_table *t, const struct shape s)
{
    return s.key_bytes == t->base.key_bytes && s.value_bytes == t->base.value_bytes;
}

/* The largest remainder that a shape's tags hold: 10,921 in 2 bytes, so from 393,241 buckets on; in
 * 4 bytes from 7, in 5 from 2^28, in 6 from 2^20 and in 8 from 16 on. */
static uint64_t remainder_room(const struct shape s)
{
    const int low = compact_low_bits(s), high = compact_high_bits(s);
    if (high) return (1ULL << (31 + high - 3)) - 1;
    return (((1ULL << low) - 1 - COMPACT_TAKEN - (COMPACT_STATES - 1)) / COMPACT_STATES - 1) / 2;
}

/* The fewest buckets whose remainders a shape's tags hold. */
static uint64_t least_buckets(const struct shape s)
{
    const uint64_t most = compact_remainder_most(8 * s.key_bytes, 1), least = most / (remainder_room(s) + 1) + 1;
    return least > LEAST_BUCKETS ? least : LEAST_BUCKETS;
}

/* A shape that asks for more buckets than the slots take is none for keys that would leave it below
 * its lower bound. */
static struct compact_size size_of(const struct compact_table *t, uint64_t slots)
{
    const uint64_t keys = t->count > t->base.floor_keys ? t->count : t->base.floor_keys;
    struct compact_size best = {0, UINT64_MAX};
    for (int i = 0; i < SHAPE_any; i++) {
        const struct shape s = compact_shapes[i];
        const uint64_t per = (unsigned)s.slots, buckets = slots / per + (slots % per != 0), least = least_buckets(s);
        const struct compact_size size = {i, buckets > least ? buckets : least};
        const bool low = least > LEAST_BUCKETS && buckets < least && policy_is_low(&t->base, keys, least * per);
        if (has_widths(t, s) && !low && size.buckets < best.buckets) best = size;
    }
    return best;
}

/* A number of slots, at most 10^18: a conversion of a larger double would be undefined. */
static uint64_t slots_bounded(double slots) { return slots < 1e18 ? (uint64_t)slots : UINT64_C(1000000000000000000); }

/* The slots that a number of keys asks for, at a fill, and some for those that compact_left keeps
 * vacant. */
static uint64_t slots_for(uint64_t keys, double fill)
{
    return slots_bounded(ceil(((double)keys + fmin(COMPACT_SPARE, (double)keys / 24)) / fill));
}

/* As many keys as ask for this size. */
uint64_t compact_room(const struct engine_table *table)
{
    const struct compact_table *t = compact_of_const(table);
    const double most = floor(made_fill(t) * (double)compact_slots(table));
    return table->growth ? (uint64_t)(most - fmin(COMPACT_SPARE, most / 24)) : t->room_keys;
}

static uint64_t bytes_of(const struct engine_table *table, uint64_t slots)
{
    return compact_view_bytes(size_of(compact_of_const(table), slots).buckets);
}
static uint64_t slots_of(const struct engine_table *table, uint64_t slots)
{
    const struct compact_size size = size_of(compact_of_const(table), slots);
    return size.buckets * (unsigned)compact_shapes[size.shape].slots;
}

/* The size to which a table with this number of keys would shrink: in the middle of its bounds, so
 * that it neither grows nor shrinks again soon. */
static struct compact_size size_low(const struct compact_table *t, uint64_t keys)
{
    const uint64_t needed = slots_for(keys, sqrt(t->base.max_fill * t->base.min_fill));
    const uint64_t reserved = slots_for(t->base.floor_keys, made_fill(t));
    return size_of(t, needed > reserved ? needed : reserved);
}

bool compact_would_shrink(const struct engine_table *table, uint64_t keys)
{
    const struct compact_table *t = compact_of_const(table);
    if (!table->growth || !policy_is_low(table, keys, compact_slots(table))) return false;
    return size_low(t, keys).buckets < t->size.buckets;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Is an array of this many buckets mapped memory, which grows in place? */
static bool is_mapped(const struct compact_table *t, uint64_t buckets)
{
    return t->options.in_place && buckets * COMPACT_BYTES >= backend_mapped_least;
}

static void view_release(const struct compact_table *t, const struct compact_view *v)
{
    const size_t bytes = compact_view_bytes(v->range.buckets);
    void *memory = v->buckets;
    if (memory && compact_lent_bytes(v)) backend_release(t->base.backend, v->stash, compact_lent_bytes(v));
    if (memory && is_mapped(t, v->range.buckets)) (void)backend_remap(t->base.backend, &memory, bytes, 0);
    else if (memory) backend_release(t->base.backend, memory, bytes);
}

static roost_status size_check(const struct compact_table *t, const struct compact_size *size)
{
    if (size->buckets <= MOST_BUCKETS) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_MEMORY, "the table would have %" PRIu64 " buckets, more than 2^32 - 1",
                     size->buckets);
}

/* Makes a view of this size beside the table's, and fills it with vacant slots if `vacant`. */
static roost_status view_make(const struct compact_table *t, const struct compact_size *size, bool vacant, struct compact_view *v)
{
    struct backend *b = t->base.backend;
    void *memory = NULL;
    *v = t->view;
    v->buckets = NULL;
    const roost_status possible = size_check(t, size);
    if (possible) return possible;
    v->range = compact_range_of(8 * t->base.key_bytes, (uint32_t)size->buckets);
    const size_t bytes = compact_view_bytes(size->buckets);
    roost_status status = is_mapped(t, size->buckets) ? backend_remap(b, &memory, 0, bytes) : backend_allocate(b, bytes, &memory);
    if (status) return status;
    v->buckets = (unsigned char *)memory;
    v->stash = compact_own_stash(v);
    v->stash_entries = COMPACT_STASH;
    if (vacant) status = b->operations->fill(b, memory, 0, bytes);
    else status = b->operations->fill(b, v->stash, 0, COMPACT_STASH * sizeof(struct compact_entry));
    if (status) view_release(t, v);
    return status;
}

roost_status compact_use_shape(struct compact_table *t, int shape)
{
    static const int others[] = {COMPACT_displace, COMPACT_evict, COMPACT_export, COMPACT_build,
                                 COMPACT_columns,  COMPACT_tidy,  COMPACT_codes,  COMPACT_estimate};
    t->size.shape = shape;
    t->base.shape = compact_shapes[shape];
    const roost_status status =
        policy_kernels(&t->base, shape, compact_choices, SHAPE_any, others, sizeof others / sizeof others[0]);
    return status ? status : compact_columns_prepare(t);
}

/* Gives the table a view of this size. */
static roost_status view_use(struct compact_table *t, const struct compact_view *v, const struct compact_size *size)
{
    const roost_status status = t->size.shape == size->shape ? ROOST_OK : compact_use_shape(t, size->shape);
    t->view = *v;
    t->size = *size;
    t->erased = t->replaced = 0;
    return status;
}

/* Makes an empty table of this size in the place of the present one. */
static roost_status view_renew(struct compact_table *t, const struct compact_size *size)
{
    struct compact_view view;
    const roost_status status = view_make(t, size, true, &view);
    if (status) return status;
    view_release(t, &t->view);
    t->count = 0;
    const roost_status used = view_use(t, &view, size);
    return used || !t->stashed ? used : compact_stash_clear(t);
}

roost_status compact_make(struct engine_table *table)
{
    struct compact_table *t = compact_of(table);
    const struct compact_size size = size_of(t, slots_for(table->floor_keys, made_fill(t)));
    const roost_status status = view_renew(t, &size);
    t->room_keys = table->floor_keys;
    return status;
}

void compact_unmake(struct engine_table *table)
{
    compact_move_forget(compact_of(table));
    compact_columns_forget(compact_of(table));
    view_release(compact_of(table), &compact_of(table)->view);
    compact_of(table)->view.buckets = NULL;
}

roost_status compact_empty(struct engine_table *table)
{
    struct compact_table *t = compact_of(table);
    struct backend *b = table->backend;
    const struct error_mark before = error_keep(table->error);
    roost_status status = b->operations->fill(b, t->view.buckets, 0, compact_view_bytes(t->size.buckets));
    if (!status && t->stashed) status = compact_stash_clear(t);
    if (status) return status;
    compact_move_forget(t);
    t->count = t->erased = t->replaced = 0;
    if (!compact_would_shrink(table, 0)) return ROOST_OK;
    const struct compact_size size = size_low(t, 0);
    /* Without memory the empty table stays large. */
    return view_renew(t, &size) ? ledger_put_off(&table->ledger, &before) : ROOST_OK;
}

/* ---- The stash ------------------------------------------------------------------------------- */

/* Gives the table its own stash again, which is empty. */
static void stash_return(struct compact_table *t)
{
    if (compact_lent_bytes(&t->view)) backend_release(t->base.backend, t->view.stash, compact_lent_bytes(&t->view));
    t->view.stash = compact_own_stash(&t->view);
    t->view.stash_entries = COMPACT_STASH;
}

/* Moves the stash's pairs into the buckets.  *left: pairs that stay there. */
static roost_status drain(struct compact_table *t, uint64_t *left)
{
    struct compact_view none;
    memset(&none, 0, sizeof none);
    *left = 0;
    roost_status status = t->stashed ? compact_stash_move(t, &none, left) : ROOST_OK;
    if (status || *left) return status;
    if (t->stashed) status = compact_stash_clear(t);
    if (!status) stash_return(t);
    return status;
}

/* ---- Moves to another size ------------------------------------------------------------------- */

/* Moves the table to another size.  *done is false if some pair found no room.  Then, and on
 * failure, the table is as it was. */
static roost_status resize_by_copy(struct compact_table *t, const struct compact_size *size, bool *done)
{
    const struct compact_view old = t->view;
    const struct compact_size old_size = t->size;
    struct compact_view view;
    uint64_t left = 0;
    *done = false;
    roost_status status = view_make(t, size, !t->count, &view); /* a move writes all of it */
    if (status) return status;
    status = view_use(t, &view, size);
    if (!status && t->count) status = compact_move_all(t, &old, &old_size, &left);
    *done = !status && !left;
    if (!*done) {
        const roost_status back = view_use(t, &old, &old_size);
        if (!status) status = back;
    }
    view_release(t, *done ? &old : &view);
    if (*done) t->base.stats.rehashed += t->count;
    return status;
}

/* ---- Growth in place ------------------------------------------------------------------------- */

/* Extends the table to this size, as far as to where pairs begin to move.  *begun is false if that
 * needs too much beside it.  Then, and on failure, the table is as it was. */
static roost_status extend(struct compact_table *t, const struct compact_size *size, bool *begun)
{
    const struct compact_view old = t->view;
    const struct compact_size old_size = t->size;
    struct compact_view view = old;
    *begun = false;
    roost_status status = size_check(t, size);
    if (status) return status;
    view.range = compact_range_of(8 * t->base.key_bytes, (uint32_t)size->buckets);
    status = view_use(t, &view, size);
    if (!status) status = compact_move_begin(t, &old, &old_size, begun);
    if (*begun) return status;
    const roost_status back = view_use(t, &old, &old_size);
    return status ? status : back;
}

/* Ends what `extend` has begun.  Pairs that find no room wait in the move's arrays, and the table
 * grows on, to twice the buckets: each of those has the pairs of one, so no others come to the
 * arrays.  There is no way back: without memory for that the pairs wait there, and the table with
 * them. */
static roost_status move_end(struct compact_table *t)
{
    uint64_t left = 0;
    bool begun = true;
    roost_status status = compact_move_run(t, &left);
    while (!status && left && begun) {
        const struct compact_size more = {t->size.shape, 2 * t->size.buckets};
        status = extend(t, &more, &begun);
        if (!status && begun) status = compact_move_run(t, &left);
    }
    if (!status && !left) compact_move_forget(t);
    if (!left || (status && status != ROOST_ERR_MEMORY)) return status;
    return error_set(t->base.error, ROOST_ERR_DEVICE, "%" PRIu64 " pairs of a table that grew in place wait for memory", left);
}

static roost_status resize_in_place(struct compact_table *t, const struct compact_size *size, bool *done)
{
    roost_status status = extend(t, size, done);
    if (status || !*done) return status;
    status = move_end(t);
    if (!status) t->base.stats.rehashed += t->count;
    return status;
}

/* Ends a move that a failure has left half done. */
roost_status compact_begin(struct engine_table *table, const struct write *w)
{
    (void)w;
    return compact_of(table)->move.pairs_are_out ? move_end(compact_of(table)) : ROOST_OK;
}

/* Moves the table to another size: in place if it is mapped and grows, little is needed beside it,
 * and the stash, which lies where new buckets will, can be emptied.  *done is false if some pair
 * found no room.  Then the table is as it was; and on failure, except of the machine while pairs
 * move in place: then the next call that writes goes on. */
static roost_status resize(struct compact_table *t, const struct compact_size *size, bool *done)
{
    const bool extends = is_mapped(t, t->size.buckets) && size->buckets > t->size.buckets;
    uint64_t left = 0;
    *done = false;
    compact_columns_forget(t);
    roost_status status = extends ? drain(t, &left) : ROOST_OK;
    if (!status && extends && !left) status = resize_in_place(t, size, done);
    return status || *done ? status : resize_by_copy(t, size, done);
}

/* The slots after a step of growth: by the option's factor, until the keys are within their bound,
 * or what a memory limit leaves.  A step never leads below the lower bound. */
static uint64_t slots_grown(const struct compact_table *t, uint64_t keys)
{
    const struct engine_table *base = &t->base;
    const double widest = base->min_fill > 0 ? 0.97 * base->max_fill / base->min_fill : t->options.step;
    double slots = (double)compact_slots(base);
    do slots *= fmin(t->options.step, widest);
    while (slots * base->max_fill < (double)keys);
    const struct growth growth = {.now = compact_slots(base),
                                  .wanted = slots_bounded(slots),
                                  .keys = keys,
                                  .in_place = is_mapped(t, t->size.buckets),
                                  .beside = compact_move_beside(t),
                                  .bytes_of = bytes_of,
                                  .slots_of = slots_of};
    return policy_growth_size(base, &growth);
}

/* Moves the table to this many slots, or to up to four times as many: in a very small table chance
 * may fill some buckets.  ROOST_ERR_FULL: the keys collide in all of them. */
static roost_status resize_larger(struct compact_table *t, uint64_t slots)
{
    const uint64_t most = 4 * slots;
    roost_status status = ROOST_OK;
    bool done = false;
    for (; !status && !done && slots <= most; slots *= 2) {
        const struct compact_size size = size_of(t, slots);
        status = resize(t, &size, &done);
    }
    if (status || done) return status;
    return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " keys collide in a table of %" PRIu64 " slots", t->count,
                     slots / 2);
}

roost_status compact_enlarge(struct compact_table *t, uint64_t keys, bool forced)
{
    return policy_grown(&t->base, resize_larger(t, slots_grown(t, keys)), t->count, forced);
}

roost_status compact_reserve(struct engine_table *table, uint64_t keys)
{
    struct compact_table *t = compact_of(table);
    const uint64_t slots = slots_for(keys, made_fill(t));
    if (policy_is_within(table, keys, compact_slots(table)) && (table->growth || slots <= compact_slots(table))) {
        if (keys > t->room_keys) t->room_keys = keys;
        return ROOST_OK;
    }
    const roost_status status = resize_larger(t, slots);
    if (!status) t->room_keys = keys;
    table->stats.grow_steps += !status;
    return status;
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

static roost_status shrink(struct engine_table *table)
{
    struct compact_table *t = compact_of(table);
    const struct compact_size size = size_low(t, t->count);
    bool done;
    const roost_status status = resize(t, &size, &done);
    return policy_shrunk(table, status, done, 1);
}

static roost_status grow(struct engine_table *table) { return compact_enlarge(compact_of(table), compact_count(table), false); }

/* Gives the table a stash of n entries, beside its buckets. */
static roost_status stash_enlarge(struct compact_table *t, uint64_t n)
{
    struct backend *b = t->base.backend;
    struct compact_view to = t->view;
    const size_t bytes = (size_t)n * sizeof(struct compact_entry);
    uint64_t left = 0;
    void *memory;
    roost_status status = n <= UINT32_MAX ? backend_allocate(b, bytes, &memory)
                                          : error_set(t->base.error, ROOST_ERR_MEMORY, "a stash of %" PRIu64 " entries", n);
    if (status) return status;
    to.stash = (struct compact_entry *)memory;
    to.stash_entries = (uint32_t)n;
    status = b->operations->fill(b, memory, 0, bytes);
    if (!status && t->stashed) status = compact_stash_move(t, &to, &left);
    if (status) {
        backend_release(b, memory, bytes);
        return status;
    }
    if (t->stashed) status = b->operations->fill(b, t->view.stash, 0, t->view.stash_entries * sizeof(struct compact_entry));
    stash_return(t);
    t->view.stash = to.stash, t->view.stash_entries = to.stash_entries;
    return status;
}

/* Entries for 5/8 of the inserts: at the highest fills that tables reach, 0.56 of random keys find
 * both homes full; at 0.85 it is 0.49 with 3 slots to a bucket, and 0.23 with 10.  Without memory
 * the table is as small again as before. */
static roost_status view_room_make(struct compact_table *t, uint64_t inserts)
{
    struct engine_table *table = &t->base;
    const uint64_t entries = COMPACT_STASH + inserts / 8 * 5 + inserts % 8;
    roost_status status = compact_reserve(table, t->count + inserts);
    if (!status && entries > t->view.stash_entries) status = stash_enlarge(t, entries);
    if (status == ROOST_ERR_FULL) return ROOST_ERR_MEMORY; /* keys collide at every size */
    if (status != ROOST_ERR_MEMORY) return status;
    const struct error_mark why = error_keep(table->error);
    const roost_status back = ledger_forgive(&table->ledger, &why, policy_shrink(table, shrink));
    if (!back) error_restore(&why);
    return back ? back : status;
}

/* A table that does not grow keeps its permits. */
roost_status compact_view_room(struct engine_table *table, uint64_t inserts)
{
    struct compact_table *t = compact_of(table);
    uint64_t *permits;
    roost_status status = table->growth ? view_room_make(t, inserts) : ROOST_OK;
    if (!status) status = lists_permits(&table->lists, compact_left(t), UINT64_MAX, &permits);
    return status ? status : compact_turn(t);
}

roost_status compact_settle(struct engine_table *table, bool shrinks)
{
    const struct error_mark before = error_keep(table->error);
    uint64_t left = 0;
    roost_status status = shrinks ? policy_shrink(table, shrink) : ROOST_OK;
    if (!status) status = policy_grow(table, policy_over_full, grow);
    if (status == ROOST_ERR_FULL) {
        error_restore(&before);
        table->doubtful = true; /* its keys collide at every size */
        status = ROOST_OK;
    }
    if (!status) status = drain(compact_of(table), &left);
    if (left) table->doubtful |= policy_doubts(table); /* of the seeds */
    return status ? status : compact_tidy_due(compact_of(table));
}

/* Packs the table into the size for which it would be made. */
roost_status compact_pack(struct engine_table *table)
{
    struct compact_table *t = compact_of(table);
    const uint64_t keys = t->count > table->floor_keys ? t->count : table->floor_keys;
    const struct compact_size size = table->growth ? size_of(t, slots_for(keys, made_fill(t))) : t->size;
    bool done;
    const roost_status status = compact_begin(table, NULL);
    compact_columns_forget(t);
    if (status) return status;
    if (table->growth && size.buckets < t->size.buckets) return resize(t, &size, &done);
    t->replaced = UINT64_MAX;
    return compact_tidy_due(t);
}
