/* compact's moves of pairs to another size: to a second table, or within the table, which is mapped
 * memory then and has been extended.
 *
 * A move within the table, from n to m > n buckets.  A hash h has the bucket b = floor(h n / 2^w)
 * before and b' = floor(h m / 2^w) >= b after it.  Waves run from the high end.  A wave makes the
 * regions (compact_build.h) of the digits from `first` to `next` - 1, in place: the new buckets
 * from F to E - 1.  It needs the old buckets that have hashes of these, which are copied to the
 * staging first.  Then:
 *   - What it overwrites is needed by no later wave.  Those make the new buckets below F, whose
 *     hashes are below the first hash of F.  Their old buckets are b <= b' < F.
 *   - It makes at least one region, if the staging takes n / D + 3 old buckets, of D digits: the
 *     hashes from a digit's first one to E are at most 2^w / D and those of one new bucket, because
 *     bucket E - 1 may begin below the next digit.  They are as many as those of at most n / D + 1
 *     old buckets, so they lie in at most 2 more.  The staging takes more than m / 32 - 1, and D is
 *     at least 64: that is enough from m = 256 on, and mapped tables have more.
 *   - It can be done again until it has succeeded: it reads the staging alone, and pairs without
 *     room go to places of the arrays that count only then.
 * A pair stays in the home that it is in, because where its first home lies there may be old
 * buckets yet.  So only pairs beyond a new bucket's slots are without room.  As many are counted
 * beforehand, because the arrays cannot be made larger later.  If m is a multiple of n no new
 * bucket has hashes of two old ones, so there are none.
 *
 * Then all filters are built again, by which pairs also come to their first homes, and the pairs
 * in the arrays are inserted. */
#include <inttypes.h>
#include <string.h>

#include "engines/compact/compact_table.h"

enum { STRANDED_SHARE = 8, STRANDED_LEAST = 64, DIGIT_BITS_LEAST = 6 };

/* ---- Pairs without room ---------------------------------------------------------------------- */

static void stranded_release(const struct compact_table *t, struct compact_stranded *x)
{
    lists_release(&x->lists);
    if (x->keys) backend_release(t->base.backend, x->keys, x->bytes);
    memset(x, 0, sizeof *x);
}

static size_t key_array_bytes(const struct compact_table *t, uint64_t room)
{
    return (size_t)(room * (unsigned)t->base.key_bytes + 7) / 8 * 8;
}
static size_t arrays_bytes(const struct compact_table *t, uint64_t room)
{
    return key_array_bytes(t, room) + (size_t)(room * (unsigned)t->base.value_bytes);
}

/* listed: items of the lists, at most.  Lists for a part of the pairs are made as large at once:
 * while lists grow, there are two of each. */
static roost_status stranded_make(struct compact_table *t, uint64_t room, uint64_t listed, struct compact_stranded *x)
{
    const uint64_t some = room < LISTS_LEAST ? room : LISTS_LEAST, least = listed < room ? listed : some;
    memset(x, 0, sizeof *x);
    x->room = room;
    x->bytes = arrays_bytes(t, room);
    roost_status status = lists_begin(&x->lists, &t->base, least, listed, 0);
    if (!status) status = backend_allocate(t->base.backend, x->bytes, &x->keys);
    if (status) stranded_release(t, x);
    else x->values = (char *)x->keys + key_array_bytes(t, room);
    return status;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static const struct kernel *kernel_from(const struct compact_table *t, const struct compact_size *old)
{
    if (old->shape == t->size.shape) return t->base.kernel[COMPACT_build];
    return kernels_default(t->base.kernels, COMPACT_build, SHAPE_any);
}

/* Arguments of a launch: pairs without room go to the arrays behind those that are there. */
static struct compact_args move_args(const struct compact_table *t, const struct compact_view *old,
                                     const struct compact_size *old_size, const struct compact_stranded *x)
{
    struct compact_args args;
    memset(&args, 0, sizeof args);
    args.transfer.vacant = true;
    args.transfer.from = *old;
    args.transfer.from_shape = compact_shapes[old_size->shape];
    args.transfer.pairs_n = &table_words(&t->base)->pairs_n;
    args.transfer.room = x->room - x->n;
    args.transfer.columns.digit_bits = compact_digit_bits(t);
    if (!x->keys) return args;
    args.transfer.keys = (char *)x->keys + x->n * (unsigned)t->base.key_bytes;
    args.transfer.values = (char *)x->values + x->n * (unsigned)t->base.value_bytes;
    return args;
}

/* ---- To a second table ----------------------------------------------------------------------- */

/* Moves the pairs that are in their first homes, as far as they have room there.  x->n: the others,
 * of which the first x->room are in the arrays. */
static roost_status pairs_move(struct compact_table *t, const struct compact_view *old, const struct compact_size *old_size,
                               struct compact_stranded *x)
{
    const struct kernel *const k = kernel_from(t, old_size);
    struct compact_args args = move_args(t, old, old_size, x);
    struct counters since;
    args.batch.counters = t->base.ledger.words;
    ledger_expect_moves(&t->base.ledger, t->count);
    roost_status status = pairs_clear(&t->base);
    args.transfer.move = COMPACT_FILLS;
    if (!status) status = compact_launch_over(t, k, &args, 1ULL << args.transfer.columns.digit_bits);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    return status ? status : pairs_read(&t->base, &x->n);
}

uint64_t compact_move_beside(const struct compact_table *t)
{
    const uint64_t room = t->count ? t->count / STRANDED_SHARE + STRANDED_LEAST : 0;
    return room * (unsigned)(t->base.key_bytes + t->base.value_bytes + 8);
}

/* If there are more pairs without room than the arrays take, the pairs are moved once more, with
 * arrays for this number.  If the allocation of the first arrays fails, the first move only counts
 * these pairs.  Mostly they are half as many as the first arrays take. */
roost_status compact_move_all(struct compact_table *t, const struct compact_view *old, const struct compact_size *old_size,
                              uint64_t *left)
{
    const struct error_mark before = error_keep(t->base.error);
    struct compact_stranded x;
    roost_status status = stranded_make(t, t->count / STRANDED_SHARE + STRANDED_LEAST, COMPACT_CHUNK, &x);
    if (status == ROOST_ERR_MEMORY) status = ROOST_OK, x.room = 0, error_restore(&before);
    if (!status) status = pairs_move(t, old, old_size, &x);
    if (!status && x.n > x.room) {
        const uint64_t n = x.n;
        stranded_release(t, &x);
        status = stranded_make(t, n, COMPACT_CHUNK, &x);
        if (!status) status = pairs_move(t, old, old_size, &x);
    }
    *left = x.n > x.room ? x.n : 0;
    if (!status && x.n && !*left) status = compact_insert_all(t, &x.lists, x.keys, x.values, x.n, left);
    stranded_release(t, &x);
    return status;
}

/* ---- Within the table ------------------------------------------------------------------------ */

static struct backend *backend_of(const struct compact_table *t) { return t->base.backend; }

void compact_move_forget(struct compact_table *t)
{
    struct compact_move *m = &t->move;
    if (m->staging) backend_release(backend_of(t), m->staging, m->staging_bytes);
    if (m->x.keys) stranded_release(t, &m->x);
    memset(m, 0, sizeof *m);
}

/* The pairs beyond the slots of each new bucket. */
static roost_status stranded_count(struct compact_table *t, const struct compact_view *old, const struct compact_size *old_size,
                                   uint64_t *n)
{
    const struct compact_stranded none = {.room = 0};
    struct compact_args args = move_args(t, old, old_size, &none);
    args.transfer.move = COMPACT_COUNTS;
    roost_status status = pairs_clear(&t->base);
    if (!status) status = compact_launch_over(t, kernel_from(t, old_size), &args, 1ULL << args.transfer.columns.digit_bits);
    return status ? status : pairs_read(&t->base, n);
}

/* Lists for a sixteenth of the pairs without room: at 4+4 a sixteenth of their bytes. */
static uint64_t listed_of(uint64_t room) { return room / 16 + LISTS_LEAST; }

/* Are the bytes beside the table's at most 0.15 of them? */
static bool is_little(const struct compact_table *t, uint64_t room)
{
    const size_t bytes = compact_view_bytes(t->size.buckets), unit = backend_mapped_bytes(backend_of(t), bytes) - bytes;
    const size_t lists = (size_t)listed_of(room) * LISTS * sizeof(uint32_t);
    return unit + compact_filter_bytes(t) + arrays_bytes(t, room) + lists <= bytes / 20 * 3;
}

/* The staging has room for new filters, a 32nd of the table. */
static roost_status memory_get(struct compact_table *t, const struct compact_view *old, uint64_t room, struct compact_move *made)
{
    const size_t from = compact_view_bytes(old->range.buckets), to = compact_view_bytes(t->size.buckets);
    void *buckets = old->buckets;
    roost_status status = t->move.x.keys ? ROOST_OK : stranded_make(t, room, listed_of(room), &made->x);
    made->staging_bytes = compact_filter_bytes(t);
    if (!status) status = backend_allocate(backend_of(t), made->staging_bytes, &made->staging);
    if (!status) status = backend_remap(backend_of(t), &buckets, from, to);
    if (status) return status;
    t->view.buckets = (unsigned char *)buckets;
    t->view.stash = compact_own_stash(&t->view);
    return ROOST_OK;
}

roost_status compact_move_begin(struct compact_table *t, const struct compact_view *old, const struct compact_size *old_size,
                                bool *begun)
{
    const int digit_bits = compact_digit_bits(t) > DIGIT_BITS_LEAST ? compact_digit_bits(t) : DIGIT_BITS_LEAST;
    struct compact_move made = {.from = *old,
                                .from_size = *old_size,
                                .count = t->count,
                                .digit_bits = digit_bits,
                                .next = 1ULL << digit_bits,
                                .pairs_are_out = true};
    struct compact_move *const m = &t->move;
    uint64_t n;
    roost_status status = stranded_count(t, old, old_size, &n);
    const uint64_t room = m->x.keys ? m->x.room : n + STRANDED_LEAST;
    if (status || n > room - m->x.n || !is_little(t, room)) return status;
    status = memory_get(t, old, room, &made);
    *begun = !status;
    if (status) {
        if (made.staging) backend_release(backend_of(t), made.staging, made.staging_bytes);
        if (made.x.keys) stranded_release(t, &made.x);
        return status;
    }
    if (m->x.keys) made.x = m->x;
    if (m->staging) backend_release(backend_of(t), m->staging, m->staging_bytes);
    *m = made;
    return ROOST_OK;
}

/* The wave whose regions end before `next`: as many as can be made of the old buckets that the
 * staging takes. */
static void wave_plan(const struct compact_table *t, struct compact_move *m)
{
    const int bits = 8 * t->base.key_bytes, shift = bits - m->digit_bits;
    const struct compact_range *const from = &m->from.range, *const to = &t->view.range;
    const uint32_t end = compact_digit_bucket(bits, &t->view, m->digit_bits, m->next);
    const uint64_t room = m->staging_bytes / COMPACT_BYTES;
    const uint64_t last =
        end == to->buckets ? from->buckets - 1 : compact_place_of(bits, from, compact_first_hash(bits, to, end) - 1).bucket;
    m->old = last < room ? 0 : last + 1 - room;
    m->old_n = last + 1 - m->old;
    const uint64_t hash = compact_first_hash(bits, from, (uint32_t)m->old);
    m->first = (hash >> shift) + (hash << m->digit_bits << (64 - bits) != 0);
}

static roost_status wave_stage(struct compact_table *t, struct compact_move *m)
{
    const struct backend_operations *const operations = backend_of(t)->operations;
    wave_plan(t, m);
    const size_t at = (size_t)m->old * COMPACT_BYTES, bytes = (size_t)m->old_n * COMPACT_BYTES;
    const roost_status status = operations->copy(backend_of(t), m->staging, t->view.buckets + at, bytes);
    m->staged = !status;
    return status;
}

/* The kernel finds old bucket `old` at the staging's first place. */
static roost_status wave_run(struct compact_table *t, struct compact_move *m)
{
    struct compact_view staged = m->from;
    uint64_t n = 0;
    staged.buckets = (unsigned char *)((uintptr_t)m->staging - (uintptr_t)m->old * COMPACT_BYTES);
    struct compact_args args = move_args(t, &staged, &m->from_size, &m->x);
    args.transfer.move = COMPACT_STAYS;
    args.transfer.first = m->first;
    args.transfer.columns.digit_bits = m->digit_bits;
    roost_status status = pairs_clear(&t->base);
    if (!status) status = compact_launch_over(t, kernel_from(t, &m->from_size), &args, m->next - m->first);
    if (!status) status = pairs_read(&t->base, &n);
    if (status) return status;
    m->x.n += n;
    m->next = m->first;
    m->staged = false;
    return ROOST_OK;
}

/* All pairs are in the buckets or in the arrays; of a second move, some are in both. */
static roost_status pairs_check(struct compact_table *t)
{
    const uint64_t all = t->move.count;
    uint64_t n;
    const roost_status status = compact_placed(t, &n);
    if (status || (n <= all && all - n <= t->move.x.n)) return status;
    return error_set(t->base.error, ROOST_ERR_CORRUPT, "moving pairs: %" PRIu64 " of %" PRIu64 " pairs arrived", n, all);
}

roost_status compact_move_run(struct compact_table *t, uint64_t *left)
{
    struct compact_move *m = &t->move;
    const bool moves = m->next > 0;
    roost_status status = compact_stash_clear(t); /* behind the new buckets */
    *left = 0;
    while (!status && m->next) {
        if (!m->staged) status = wave_stage(t, m);
        if (!status) status = wave_run(t, m);
    }
    if (!status && moves) status = pairs_check(t);
    if (!status) status = compact_tidy(t, (uint32_t *)m->staging, m->staging_bytes);
    if (!status && m->x.n) status = compact_insert_all(t, &m->x.lists, m->x.keys, m->x.values, m->x.n, left);
    return status;
}
