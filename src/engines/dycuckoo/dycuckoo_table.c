/* DyCuckoo's table on the host side: its counts, its bytes, one launch, and what its kernels have
 * counted.  After a call that failed half way the table itself is counted. */
#include <math.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

/* ---- Counts and bytes ------------------------------------------------------------------------ */

/* The vacant key counts, but its own bucket has no room for other keys. */
uint64_t dycuckoo_count(const struct engine_table *table)
{
    uint64_t count = 0;
    for (int i = 0; i <= MAX_SUBTABLES; i++) count += dycuckoo_of_const(table)->count[i];
    return count;
}

uint64_t dycuckoo_sub_slots(const struct dycuckoo_table *t, uint32_t i)
{
    return (uint64_t)t->view.sub[i].bucket_count * (unsigned)t->base.shape.slots;
}

uint64_t dycuckoo_slots(const struct engine_table *table)
{
    const struct dycuckoo_table *t = dycuckoo_of_const(table);
    uint64_t slots = 0;
    for (uint32_t i = 0; i < t->options.subtables; i++) slots += dycuckoo_sub_slots(t, i);
    return slots;
}

/* A full table whose growth is off keeps a share of its slots vacant, so that a path search finds a
 * vacancy, and a few more, for in a small table a share is few.  Without them the vacancies that
 * are left lie in buckets that are the other home of hardly any pair.  Random keys have no place at
 * all above 0.998 of the slots, or 0.980 where buckets have 4 (Fernholz and Ramachandran 2007). */
static uint64_t share_kept_vacant(const struct dycuckoo_table *t) { return t->base.shape.slots < 8 ? 32 : 128; }

uint64_t dycuckoo_keys_most(const struct dycuckoo_table *t, uint64_t slots)
{
    enum { FEW = 8, FEW_SHARE = 32 };
    const uint64_t few = slots / FEW_SHARE;
    return t->base.growth ? slots : slots - slots / share_kept_vacant(t) - (few < FEW ? few : FEW);
}

double dycuckoo_fill_most(const struct dycuckoo_table *t)
{
    return t->base.growth ? t->base.max_fill : fmin(t->base.max_fill, 1 - 1 / (double)share_kept_vacant(t));
}

bool dycuckoo_fits(const struct dycuckoo_table *t, uint64_t keys, uint64_t slots)
{
    return policy_is_within(&t->base, keys, slots) && keys <= dycuckoo_keys_most(t, slots);
}

uint64_t dycuckoo_room(const struct engine_table *table)
{
    const uint64_t slots = dycuckoo_slots(table), most = dycuckoo_keys_most(dycuckoo_of_const(table), slots);
    const uint64_t within = (uint64_t)(table->max_fill * (double)slots);
    return within < most ? within : most;
}

/* A table whose growth was refused memory keeps this share vacant: a search for room in the last
 * slots takes long. */
enum { REFUSED_SHARE = 32 };

uint64_t dycuckoo_left(const struct dycuckoo_table *t)
{
    const uint64_t count = dycuckoo_count(&t->base), slots = dycuckoo_slots(&t->base);
    const uint64_t most = t->base.growth ? slots - slots / REFUSED_SHARE : dycuckoo_keys_most(t, slots);
    if (t->base.growth && !ledger_refused(&t->base.ledger)) return UINT64_MAX;
    return most > count ? most - count : 0;
}

size_t dycuckoo_locks_at(const struct dycuckoo_table *t, uint32_t buckets)
{
    return ((size_t)buckets * shape_bucket_bytes(t->base.shape) + 63) / 64 * 64;
}

size_t dycuckoo_sub_bytes(const struct dycuckoo_table *t, uint32_t buckets)
{
    return dycuckoo_locks_at(t, buckets) + ((size_t)buckets + 31) / 32 * 4;
}

uint64_t dycuckoo_bytes(const struct engine_table *table)
{
    const struct dycuckoo_table *t = dycuckoo_of_const(table);
    uint64_t bytes = dycuckoo_sub_bytes(t, 1);
    for (uint32_t i = 0; i < t->options.subtables; i++) bytes += dycuckoo_sub_bytes(t, t->view.sub[i].bucket_count);
    return bytes;
}

/* ---- Launches -------------------------------------------------------------------------------- */

/* Pending calls, or a graph that is launched later, may leave vacancies behind. */
static struct dycuckoo_view view_now(const struct dycuckoo_table *t)
{
    struct dycuckoo_view view = t->view;
    if (ledger_lags(&t->base.ledger) || t->base.backend->capturing) view.tidy = 0;
    return view;
}

struct dycuckoo_args dycuckoo_batch_args(const struct dycuckoo_table *t, const struct batch *batch)
{
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = view_now(t);
    args.batch = *batch;
    return args;
}

roost_status dycuckoo_launch_over(struct dycuckoo_table *t, const struct kernel *k, struct dycuckoo_args *args, uint64_t n)
{
    struct backend *b = t->base.backend;
    args->batch.n = n;
    return b->operations->launch(b, k, args, sizeof *args, n);
}

roost_status dycuckoo_export_buckets(struct dycuckoo_table *t, uint32_t sub, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.transfer.shape = t->base.shape;
    args.transfer.sub = sub;
    args.transfer.from = t->view.sub[sub].buckets + first * shape_bucket_bytes(t->base.shape);
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(&t->base)->pairs_n;
    return dycuckoo_launch_over(t, t->base.kernel[DYCUCKOO_export], &args, n);
}

/* ---- Counters -------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct dycuckoo_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

void dycuckoo_take(struct engine_table *table, const void *words, const struct counters *since)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    struct dycuckoo_words now;
    memcpy(&now, words, sizeof now);
    t->spill_n = now.spill.n;
    t->spilled = now.spill.n - now.spill.erased;
    for (int i = 0; i <= MAX_SUBTABLES; i++) t->count[i] += since->stored[i];
    if (since->untidy || since->erased) t->view.tidy = 0;
    table->stats.evicted += since->evicted;
    for (int i = 0; i < PATH_LENGTHS; i++) table->stats.path_length[i] += since->path_length[i];
}

/* ---- After a failure ------------------------------------------------------------------------- */

/* After a failed resize, erases the copies that it already placed in their other homes.  The
 * originals are still in the subtable.  No insert needs the lists just now. */
static roost_status resize_undo(struct dycuckoo_table *t)
{
    const struct shape s = t->base.shape;
    const uint32_t i = t->resizing, buckets = t->view.sub[i].bucket_count;
    const uint64_t fit = t->base.lists.room * LISTS * sizeof(uint32_t) / (unsigned)(s.key_bytes * s.slots);
    roost_status status = ROOST_OK;
    for (uint64_t first = 0; !status && first < buckets; first += fit) {
        const uint64_t n = buckets - first < fit ? buckets - first : fit;
        struct dycuckoo_args args;
        memset(&args, 0, sizeof args);
        args.view = t->view;
        args.view.excluded = i;
        args.batch.keys = t->base.lists.list[0];
        args.batch.order_n = &table_words(&t->base)->pairs_n;
        status = pairs_clear(&t->base);
        if (!status) status = dycuckoo_export_buckets(t, i, first, n, t->base.lists.list[0], NULL);
        if (!status) status = dycuckoo_launch_over(t, t->base.kernel[DYCUCKOO_erase], &args, n * (unsigned)s.slots);
    }
    return status;
}

/* Counts the stored keys of every subtable. */
static roost_status subtables_count(struct dycuckoo_table *t)
{
    roost_status status = ROOST_OK;
    for (uint32_t i = 0; !status && i <= MAX_SUBTABLES; i++) {
        uint64_t stored = 0;
        if (!t->view.sub[i].buckets) continue;
        status = pairs_clear(&t->base);
        if (!status) status = dycuckoo_export_buckets(t, i, 0, t->view.sub[i].bucket_count, NULL, NULL);
        if (!status) status = pairs_read(&t->base, &stored);
        if (!status) t->count[i] = stored;
    }
    return status;
}

roost_status dycuckoo_mend(struct engine_table *table)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    t->view.tidy = 0;
    roost_status status = t->resizing < MAX_SUBTABLES ? resize_undo(t) : ROOST_OK;
    if (!status) status = subtables_count(t);
    if (!status) t->resizing = MAX_SUBTABLES;
    return status;
}
