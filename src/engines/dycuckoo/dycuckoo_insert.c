/* DyCuckoo's inserts on the policy's side: the passes over a piece of a batch, the lists between them, and when a batch makes the table
 * grow. */
#include <inttypes.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"
#include "engines/estimate.h"
#include "engines/policy.h"

/* ---- Passes --------------------------------------------------------------------------------------------------------------------------- */

/* The fill up to which a batch's items find room: calls that do not wait go no higher. */
#define ENQUEUE_FILL 0.9

enum { FEW = 1024 /* waiting items for which one step of growth at a time is soon enough */ };

roost_status dycuckoo_list_clear(struct dycuckoo_table *t, int first, int count)
{
    return t->base.backend->operations->fill(t->base.backend, &t->words->list_n[first], 0,
                                             (size_t)count * sizeof t->words->list_n[0]);
}

/* Launches one pass, which counts in list_n[pass] what it parks. */
static roost_status insert_pass(struct dycuckoo_table *t, const struct kernel *k, struct dycuckoo_args *args, int pass,
                                struct source *source)
{
    lists_pass(&t->lists, &args->batch, source, &t->words->list_n[pass]);
    return backend_launch(t->base.backend, k, args, sizeof *args, source->n);
}

/* Updates what is in the spill list, and leaves to the fill that follows the rest of the batch: as it is if the list was empty, which
 * only the device knows, else as a list.  So one of the two fills has no items. */
static roost_status join_pass(struct dycuckoo_table *t, struct dycuckoo_args *args, struct source *source)
{
    struct source all = {NULL, &t->words->all_n, source->n};
    args->batch.order = NULL;
    args->batch.order_n = NULL;
    args->batch.leftover = t->lists.list[1];
    args->batch.leftover_n = &t->words->list_n[PASS_JOIN];
    args->batch.n = source->n;
    source->order = args->batch.leftover;
    source->order_n = args->batch.leftover_n;
    const roost_status status = dycuckoo_spill_launch(t, args, SPILL_JOIN, source->n);
    return status ? status : insert_pass(t, t->fill, args, PASS_FILL, &all);
}

/* The passes from `first` on (PASS_EVICT: nothing moved in and nothing to update), over the items of `source`, which are those without
 * room afterwards. */
static roost_status insert_passes(struct dycuckoo_table *t, struct dycuckoo_args *args, int first, struct source *source)
{
    struct backend *b = t->base.backend;
    const uint64_t claims = (source->n * DYCUCKOO_CLAIM_BITS + 31) / 32;
    args->view.claims = (uint32_t *)t->lists.extra;
    args->view.claim_bits = (uint32_t)(claims * 32);
    roost_status status = dycuckoo_list_clear(t, 0, DYCUCKOO_PASSES);
    if (!status && t->shape.word) status = b->operations->fill(b, args->view.claims, 0, claims * 4);
    if (!status && first == PASS_JOIN) status = join_pass(t, args, source);
    if (!status && first <= PASS_FILL) status = insert_pass(t, t->fill, args, PASS_FILL, source);
    if (!status) status = insert_pass(t, t->evict, args, PASS_EVICT, source);
    if (!status) status = insert_pass(t, t->path, args, PASS_PATH, source);
    return status;
}

roost_status dycuckoo_evict_all(struct dycuckoo_table *t, const struct dycuckoo_args *args, uint64_t *spilled)
{
    struct dycuckoo_args pass = *args;
    struct source all = {NULL, NULL, args->batch.n};
    struct counters since;
    if (t->shape.word && all.n > UINT32_MAX / DYCUCKOO_CLAIM_BITS - 2)
        return error_set(t->base.error, ROOST_ERR_MEMORY, "more than 2^28 residuals in one step");
    roost_status status = lists_make(&t->lists, all.n);
    if (!status) status = insert_passes(t, &pass, PASS_EVICT, &all);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (!status) *spilled = t->waiting[PASS_PATH];
    return status;
}

/* A piece of a batch while it is inserted. */
struct insertion {
    struct dycuckoo_args args;
    struct source items; /* at first the piece, then those that found no room yet */
    uint64_t fresh;      /* that ended INSERTED so far */
};

/* Runs the passes from `first` on over the items, and takes their results into the statistics. */
static roost_status insertion_run(struct dycuckoo_table *t, struct insertion *in, int first, uint8_t park_status)
{
    struct counters since;
    in->args.view = t->view;
    in->args.batch.park_status = park_status;
    roost_status status = insert_passes(t, &in->args, first, &in->items);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (status) return status;
    in->items.order_n = NULL;
    in->items.n = t->waiting[PASS_PATH];
    in->fresh += since.inserted;
    t->ledger.stats.inserted += since.inserted;
    t->ledger.stats.updated += since.updated;
    return ROOST_OK;
}

static roost_status insertion_start(struct dycuckoo_table *t, struct insertion *in)
{
    if (!t->view.tidy) dycuckoo_set_weights(t); /* other weights would make a tidy table untidy, and it has no need of them */
    const roost_status status = insertion_run(t, in, dycuckoo_may_hold(t) ? PASS_JOIN : PASS_FILL, ROOST_ITEM_FULL);
    if (status) return status;
    t->ledger.stats.parked += t->waiting[PASS_FILL];
    t->ledger.stats.spilled += in->items.n;
    return ROOST_OK;
}

/* What is known of a batch, or of its next DYCUCKOO_CHUNK items, while its pieces are inserted. */
struct chunk {
    uint64_t n, done; /* items; those in earlier pieces */
    uint64_t fresh;   /* new keys so far */
    struct distinct_bounds distinct;
};

static roost_status launch_estimate(struct engine_table *table, const struct batch *batch, const struct linear_counting *c)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)table;
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = *batch;
    args.transfer.estimate = *c;
    return backend_launch(table->backend, t->estimate, &args, sizeof args, batch->n);
}

static roost_status chunk_estimate(struct dycuckoo_table *t, const struct batch *batch, struct chunk *c)
{
    const struct linear_counting counting = {.key_bytes = t->shape.key_bytes, .seed = t->view.seeds.a[0]};
    return estimate_distinct(&t->ledger, batch, counting, launch_estimate, &c->distinct);
}

static bool over_full(const struct dycuckoo_table *t)
{
    return (double)dycuckoo_count(t) > t->max_fill * (double)dycuckoo_slots(t);
}

/* One step at least, and as many as the waiting items' distinct keys need, which are all new: looking for paths in a table that is too
 * small anyway takes long. */
static roost_status enlarge_for_waiting(struct dycuckoo_table *t, const struct insertion *in)
{
    struct chunk c = {in->items.n, 0, 0, {0, (double)in->items.n}};
    const struct batch waiting = source_batch(&in->items, &in->args.batch);
    roost_status status = ROOST_OK;
    if (in->items.n >= FEW) status = chunk_estimate(t, &waiting, &c);
    if (!status) status = dycuckoo_enlarge(t, !over_full(t));
    while (!status && (double)dycuckoo_count(t) + c.distinct.least > t->max_fill * (double)dycuckoo_slots(t))
        status = dycuckoo_enlarge(t, true);
    return status;
}

/* Grows until every waiting item has found room, or memory is refused. */
static roost_status insertion_finish(struct dycuckoo_table *t, struct insertion *in)
{
    roost_status status = ROOST_OK;
    if (!t->growth && in->items.n)
        return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and growth is off", in->items.n);
    while (!status && in->items.n) {
        status = enlarge_for_waiting(t, in);
        if (!status) status = insertion_run(t, in, PASS_FILL, ROOST_ITEM_FULL);
    }
    if (status != ROOST_ERR_MEMORY) return status;
    const struct error why = *t->base.error;
    status = insertion_run(t, in, PASS_FILL, ROOST_ITEM_NO_MEMORY);
    *t->base.error = why;
    return status ? status : in->items.n ? ROOST_ERR_MEMORY : ROOST_OK;
}

/* Growing on facts alone: the fill is known, not estimated, so a batch of few distinct keys never makes the table grow. */
roost_status dycuckoo_settle(struct dycuckoo_table *t)
{
    const struct error before = *t->base.error;
    roost_status status = ROOST_OK;
    while (t->growth && !status && !t->ledger.refused && over_full(t)) status = dycuckoo_enlarge(t, false);
    if (status != ROOST_ERR_MEMORY) return status;
    *t->base.error = before; /* every item is stored; the table is fuller than asked */
    return ROOST_OK;
}

struct batch dycuckoo_batch_slice(const struct dycuckoo_table *t, const struct batch *whole, uint64_t first, uint64_t n)
{
    struct batch part = batch_part(whole, first, n, t->shape.key_bytes, t->shape.value_bytes);
    part.counters = &t->words->counters;
    part.value_type = (uint8_t)t->value_type;
    part.saturate = t->saturate;
    part.park_status = ROOST_ITEM_FULL;
    return part;
}

roost_status dycuckoo_insert_all(struct dycuckoo_table *t, const void *keys, const void *values, uint64_t n, uint64_t *left)
{
    struct batch whole;
    memset(&whole, 0, sizeof whole);
    whole.keys = keys;
    whole.values_in = values;
    whole.mode = ROOST_KEEP;
    *left = 0;
    for (uint64_t done = 0; done < n;) {
        struct dycuckoo_args args;
        struct counters since;
        struct source items = {NULL, NULL, lists_piece(&t->lists, n - done)};
        memset(&args, 0, sizeof args);
        args.view = t->view;
        args.batch = dycuckoo_batch_slice(t, &whole, done, items.n);
        done += items.n;
        roost_status status = insert_passes(t, &args, PASS_FILL, &items);
        if (!status) status = ledger_read(&t->ledger, &since);
        if (status) return status;
        *left += t->waiting[PASS_PATH];
    }
    return ROOST_OK;
}

roost_status dycuckoo_place(struct dycuckoo_table *t, const void *keys, const void *values, uint64_t n)
{
    const uint64_t inserted = t->ledger.stats.inserted, updated = t->ledger.stats.updated;
    struct insertion in;
    struct batch whole;
    memset(&in, 0, sizeof in);
    memset(&whole, 0, sizeof whole);
    whole.keys = keys;
    whole.values_in = t->shape.value_bytes ? values : NULL;
    whole.mode = ROOST_KEEP;
    in.items.n = n;
    in.args.batch = dycuckoo_batch_slice(t, &whole, 0, n);
    roost_status status = insertion_run(t, &in, PASS_FILL, ROOST_ITEM_FULL);
    if (!status) status = insertion_finish(t, &in);
    t->ledger.stats.inserted = inserted; /* they were counted when they came */
    t->ledger.stats.updated = updated;
    return status;
}

static roost_status insert_piece(struct dycuckoo_table *t, const struct batch *whole, uint64_t first, uint64_t n, uint64_t *fresh)
{
    struct insertion in;
    memset(&in, 0, sizeof in);
    in.items.n = n;
    in.args.batch = dycuckoo_batch_slice(t, whole, first, n);
    roost_status status = insertion_start(t, &in);
    if (status) return status;
    status = insertion_finish(t, &in);
    *fresh += in.fresh;
    t->unplaced = status ? 0 : in.items.n; /* after a failure those that wait are the caller's again */
    const roost_status settled = dycuckoo_settle(t);
    return status ? status : settled;
}

/* ---- Batches -------------------------------------------------------------------------------------------------------------------------- */

/* Most new keys that the chunk's remaining items can bring. */
static double chunk_new(const struct chunk *c)
{
    const double remaining = (double)(c->n - c->done), unseen = c->distinct.most - (double)c->fresh;
    return unseen < remaining ? (unseen > 1 ? unseen : 1) : remaining;
}

/* New keys that find room for sure: within a batch the fill may pass the upper bound half way to full. */
static double chunk_room(const struct dycuckoo_table *t)
{
    return (1 + t->max_fill) / 2 * (double)dycuckoo_slots(t) - (double)dycuckoo_count(t);
}

/* Before the first piece of a chunk that may not fit: how many keys it has at least (but for one case in 30,000) the table will hold at
 * least, so it grows for those at once.  For no more: they may be in it already. */
static roost_status chunk_prepare(struct dycuckoo_table *t, const struct batch *batch, struct chunk *c)
{
    const struct error before = *t->base.error;
    if (!t->growth || t->ledger.refused || chunk_new(c) <= chunk_room(t)) return ROOST_OK;
    roost_status status = chunk_estimate(t, batch, c);
    while (!status && (double)dycuckoo_slots(t) * t->max_fill < c->distinct.least) status = dycuckoo_enlarge(t, false);
    if (status != ROOST_ERR_MEMORY) return status;
    *t->base.error = before; /* the items may find room nevertheless */
    return ROOST_OK;
}

/* How many items the next piece takes: all that surely find room, and more where the keys are known, or were seen in earlier pieces,
 * to be fewer than the items (half in proportion, for safety: should that be too bold, the surplus spills and waits for growth). */
static uint64_t chunk_piece(const struct dycuckoo_table *t, const struct chunk *c)
{
    const uint64_t remaining = c->n - c->done;
    const double room = chunk_room(t), most = chunk_new(c);
    if (!t->growth || t->ledger.refused || most <= room) return remaining;
    const double known = (double)remaining / most / 2, seen = (double)c->done / ((double)c->fresh + 1) / 2;
    const double boldness = known > seen ? known : seen, size = room * (boldness > 1 ? boldness : 1);
    return size < 1 ? 1 : size < (double)remaining ? (uint64_t)size : remaining;
}

/* *failure: the first status that says items were not stored; such a chunk is worked through nevertheless. */
static roost_status insert_chunk(struct dycuckoo_table *t, const struct batch *batch, roost_status *failure)
{
    struct chunk c = {batch->n, 0, 0, {0, (double)batch->n}};
    roost_status status = chunk_prepare(t, batch, &c);
    while (!status && c.done < c.n) {
        const uint64_t n = lists_piece(&t->lists, chunk_piece(t, &c));
        status = insert_piece(t, batch, c.done, n, &c.fresh);
        c.done += n;
        if (!status_of_items(status)) continue;
        if (!*failure) *failure = status;
        status = ROOST_OK;
    }
    return status;
}

/* Growth that the fill asks for stays above the lower bound.  Two others may not: that which is forced, for erases may have left the keys
 * of few buckets, full ones in a table with much room; and that for more keys than a batch has (chunk_prepare).  Then the table shrinks as
 * after an erase, perhaps another of its subtables, or it is known that no smaller one takes its keys.  Only after growth, so that inserts
 * among such keys do not try in vain again and again. */
static roost_status shrink_after_growth(struct dycuckoo_table *t, uint64_t grow_steps)
{
    const struct error before = *t->base.error;
    if (!t->growth || t->ledger.refused || t->ledger.stats.grow_steps == grow_steps) return ROOST_OK;
    const roost_status status = dycuckoo_shrink(t, false);
    if (!status) *t->base.error = before; /* of items that were not stored, or of none */
    return status;
}

static roost_status insert_waiting(struct dycuckoo_table *t, const struct batch *batch)
{
    const uint64_t grow_steps = t->ledger.stats.grow_steps;
    roost_status status = dycuckoo_begin(t), failure = ROOST_OK;
    const bool behind = t->ledger.refused;
    t->ledger.refused = false;
    for (uint64_t first = 0, n; !status && first < batch->n; first += n) {
        n = batch->n - first < DYCUCKOO_CHUNK ? batch->n - first : DYCUCKOO_CHUNK;
        const struct batch chunk = dycuckoo_batch_slice(t, batch, first, n);
        status = insert_chunk(t, &chunk, &failure);
    }
    if (!status) status = shrink_after_growth(t, grow_steps);
    if (behind && dycuckoo_is_low(t)) t->ledger.refused = true; /* inserts that need no growth do not shrink */
    return status ? ledger_ended(&t->ledger, status) : failure;
}

/* ---- Batches that nobody waits for ------------------------------------------------------------------------------------------------- */

/* May a batch be inserted without waiting?  All its items surely find room, but for what no path leads to, should all be new keys and no
 * erase that is under way have happened. */
static bool insert_enqueues(struct dycuckoo_table *t, uint64_t n)
{
    const double most = t->max_fill < ENQUEUE_FILL ? t->max_fill : ENQUEUE_FILL;
    const double keys = (double)dycuckoo_count(t) + (double)t->ledger.coming + (double)n;
    if (!t->base.backend->enqueue || t->ledger.refused || t->ledger.broken || t->spill_n)
        return false; /* waiting empties the list */
    return keys <= most * (double)dycuckoo_slots(t) && lists_piece(&t->lists, n) == n;
}

/* All passes over a piece, and then what they could not place goes to the spill list. */
static roost_status enqueue_piece(struct dycuckoo_table *t, const struct batch *piece)
{
    struct source items = {NULL, NULL, piece->n};
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = dycuckoo_view_now(t);
    args.batch = *piece;
    args.batch.park_status = t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
    roost_status status = insert_passes(t, &args, dycuckoo_may_hold(t) ? PASS_JOIN : PASS_FILL, &items);
    args.batch.order = NULL;
    args.batch.order_n = NULL;
    args.batch.leftover = NULL;
    args.spilling.order = items.order;
    args.spilling.order_n = items.order_n;
    return status ? status : dycuckoo_spill_launch(t, &args, SPILL_PUT, piece->n);
}

/* A graph uses the lists for ever, and none can be made while it is captured: hence pieces. */
static roost_status insert_enqueue(struct dycuckoo_table *t, const struct batch *batch)
{
    roost_status status = ROOST_OK;
    if (!t->view.tidy) dycuckoo_set_weights(t);
    t->ledger.coming += batch->n;
    for (uint64_t first = 0, n; !status && first < batch->n; first += n) {
        n = batch->n - first < t->lists.room ? batch->n - first : t->lists.room;
        const struct batch piece = dycuckoo_batch_slice(t, batch, first, n);
        status = enqueue_piece(t, &piece);
    }
    return dycuckoo_enqueued(t, status);
}

roost_status dycuckoo_insert(struct engine_table *table, const struct batch *batch)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)table;
    const bool capturing = t->base.backend->capturing;
    if (capturing && t->growth) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    return capturing || insert_enqueues(t, batch->n) ? insert_enqueue(t, batch) : insert_waiting(t, batch);
}
