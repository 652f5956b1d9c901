/* GPH's inserts on the policy's side: the passes over a piece of a batch, the lists between them, and when a batch makes the table grow. */
#include <inttypes.h>
#include <string.h>

#include "engines/gph/gph_table.h"
#include "engines/estimate.h"
#include "engines/policy.h"

enum {
    SPARE = 4,    /* flagged cells for which no mend is worth its while */
    SURE = 8,     /* overflow buckets that are enough for all that chance can bring */
    PATIENCE = 12 /* deaths after which an item is parked: by then it has waited some hundreds of microseconds */
};

/* ---- Passes --------------------------------------------------------------------------------------------------------------------------- */

struct batch gph_batch_slice(const struct gph_table *t, const struct batch *whole, uint64_t first, uint64_t n)
{
    struct batch part = batch_part(whole, first, n, t->shape.key_bytes, t->shape.value_bytes);
    part.counters = &t->words->counters;
    part.value_type = (uint8_t)t->value_type;
    part.saturate = t->saturate;
    part.park_status = ROOST_ITEM_FULL;
    return part;
}

/* Launches one pass.  What it parks goes to the list that is not its source. */
static roost_status insert_pass(struct gph_table *t, const struct lists *lists, struct gph_args *args, int pass,
                                struct source *source)
{
    struct backend *b = t->base.backend;
    const struct kernel *k = pass == PASS_FILL || pass == PASS_REFILL ? t->fill : t->refine;
    args->view = t->view;
    args->view.patience = pass == PASS_REFINE ? PATIENCE : UINT32_MAX;
    lists_pass(lists, &args->batch, source, &t->words->list_n[pass]);
    const bool of_batch = lists == &t->lists; /* a rehash brings its own */
    return of_batch ? backend_launch(b, k, args, sizeof *args, source->n)
                    : b->operations->launch(b, k, args, sizeof *args, source->n);
}

/* Passes `first` to `last`, over the items of `source`, which are those without room afterwards. */
static roost_status insert_passes(struct gph_table *t, const struct lists *lists, struct gph_args *args, int first, int last,
                                  struct source *source)
{
    roost_status status = gph_list_clear(t);
    for (int pass = first; !status && pass <= last; pass++) status = insert_pass(t, lists, args, pass, source);
    return status;
}

roost_status gph_insert_all(struct gph_table *t, struct lists *lists, const void *keys, const void *values, uint64_t n,
                            uint64_t *left)
{
    struct batch whole;
    memset(&whole, 0, sizeof whole);
    whole.keys = keys;
    whole.values_in = t->shape.value_bytes ? values : NULL;
    whole.mode = ROOST_KEEP;
    for (uint64_t done = 0; done < n;) {
        struct gph_args args;
        struct counters since;
        struct source items = {NULL, NULL, lists_piece(lists, n - done)};
        memset(&args, 0, sizeof args);
        args.batch = gph_batch_slice(t, &whole, done, items.n);
        done += items.n;
        roost_status status = insert_passes(t, lists, &args, PASS_FILL, PASS_FINISH, &items);
        if (!status) status = ledger_read(&t->ledger, &since);
        if (status) return status;
        *left += t->waiting[PASS_FINISH];
    }
    return ROOST_OK;
}

/* The kernel looks at every cell and tries all mappings of flagged ones: not before there are a quarter more of them, or keys are gone. */
static bool mend_due(const struct gph_table *t)
{
    return t->counts.flagged > t->mended + t->mended / 4 + SPARE || (t->erased && t->counts.flagged);
}

roost_status gph_mend(struct gph_table *t)
{
    struct counters since;
    struct gph_args args;
    if (!mend_due(t)) return ROOST_OK;
    memset(&args, 0, sizeof args);
    args.batch.counters = &t->words->counters;
    roost_status status = gph_launch_over(t, t->mend, &args, t->view.cell_count / 4);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (status) return status;
    t->erased = false;
    t->mended = t->counts.flagged;
    return ROOST_OK;
}

/* ---- Batches that are waited for --------------------------------------------------------------------------------------------------------- */

/* A piece of a batch while it is inserted. */
struct insertion {
    struct gph_args args;
    struct source items; /* at first the piece, then those that found no room yet */
};

/* Runs passes over the items, and takes their results into the statistics. */
static roost_status insertion_run(struct gph_table *t, struct insertion *in, int first, int last, uint8_t park_status)
{
    struct counters since;
    in->args.batch.park_status = park_status;
    roost_status status = insert_passes(t, &t->lists, &in->args, first, last, &in->items);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (status) return status;
    in->items.order_n = NULL;
    in->items.n = t->waiting[last];
    t->ledger.stats.inserted += since.inserted;
    t->ledger.stats.updated += since.updated;
    return ROOST_OK;
}

static roost_status launch_estimate(struct engine_table *table, const struct batch *batch, const struct linear_counting *c)
{
    struct gph_table *t = (struct gph_table *)table;
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = *batch;
    args.transfer.estimate = *c;
    return backend_launch(table->backend, t->estimate, &args, sizeof args, batch->n);
}

/* How many distinct keys a batch has at least. */
static roost_status distinct_least(struct gph_table *t, const struct batch *batch, uint64_t *least)
{
    const struct linear_counting c = {.key_bytes = t->shape.key_bytes, .seed = t->view.seeds.a[0]};
    return estimate_least(&t->ledger, batch, c, launch_estimate, least);
}

/* Grows before a pass over n items if the keys that the table will hold then are surely too many: those of the batch, and (`fresh`: the
 * batch's are all new) those that it holds.  *grown: it did. */
static roost_status enlarge_ahead(struct gph_table *t, const struct batch *batch, bool fresh, bool *grown)
{
    uint64_t least;
    *grown = false;
    if (!t->growth || t->ledger.refused || gph_has_room(t, gph_count(t) + batch->n)) return ROOST_OK;
    roost_status status = distinct_least(t, batch, &least);
    const uint64_t keys = fresh ? gph_count(t) + least : least;
    if (status || gph_has_room(t, keys > gph_count(t) ? keys : gph_count(t))) return status;
    status = gph_enlarge(t, keys, false);
    *grown = !status;
    return status;
}

/* One step at least, and as many as the waiting items' distinct keys need, which are all new. */
static roost_status enlarge_for_waiting(struct gph_table *t, const struct insertion *in)
{
    const struct batch waiting = source_batch(&in->items, &in->args.batch);
    uint64_t least;
    const roost_status status = distinct_least(t, &waiting, &least);
    return status ? status : gph_enlarge(t, gph_count(t) + least, true);
}

/* The second pass, over the items that the first one parked; where they are surely too many, the first one again after growing. */
static roost_status insertion_refine(struct gph_table *t, struct insertion *in)
{
    const struct batch waiting = source_batch(&in->items, &in->args.batch);
    bool grown;
    roost_status status = enlarge_ahead(t, &waiting, true, &grown);
    if (status) return status;
    return insertion_run(t, in, grown ? PASS_FILL : PASS_REFINE, PASS_FINISH, ROOST_ITEM_FULL);
}

/* Until every item has found room, or memory is refused. */
static roost_status insertion_finish(struct gph_table *t, struct insertion *in)
{
    roost_status status = in->items.n ? insertion_refine(t, in) : ROOST_OK;
    if (!status && !t->growth && in->items.n)
        return error_set(t->base.error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and growth is off", in->items.n);
    while (!status && in->items.n) {
        status = enlarge_for_waiting(t, in);
        if (!status) status = insertion_run(t, in, PASS_FILL, PASS_FINISH, ROOST_ITEM_FULL);
    }
    if (status != ROOST_ERR_MEMORY) return status;
    const struct error why = *t->base.error;
    status = insertion_run(t, in, PASS_FILL, PASS_FINISH, ROOST_ITEM_NO_MEMORY);
    *t->base.error = why;
    return status ? status : in->items.n ? ROOST_ERR_MEMORY : ROOST_OK;
}

static roost_status insert_piece(struct gph_table *t, const struct batch *whole, uint64_t first, uint64_t n)
{
    struct insertion in;
    memset(&in, 0, sizeof in);
    in.items.n = n;
    in.args.batch = gph_batch_slice(t, whole, first, n);
    roost_status status = insertion_run(t, &in, PASS_FILL, PASS_FILL, ROOST_ITEM_FULL);
    t->ledger.stats.parked += in.items.n;
    if (!status) status = insertion_finish(t, &in);
    const roost_status settled = status && !status_of_items(status) ? ROOST_OK : gph_settle(t);
    return status ? status : settled;
}

static roost_status insert_waiting(struct gph_table *t, const struct batch *batch)
{
    roost_status status = ledger_wait(&t->ledger), failure = ROOST_OK;
    const bool behind = t->ledger.refused;
    t->ledger.refused = false;
    for (uint64_t first = 0, n; !status && first < batch->n; first += n) {
        const struct error before = *t->base.error;
        bool grown;
        n = lists_piece(&t->lists, batch->n - first);
        const struct batch piece = gph_batch_slice(t, batch, first, n);
        status = enlarge_ahead(t, &piece, false, &grown);
        if (status == ROOST_ERR_MEMORY) *t->base.error = before, status = ROOST_OK; /* the items may find room nevertheless */
        if (!status) status = insert_piece(t, batch, first, n);
        if (!status_of_items(status)) continue;
        if (!failure) failure = status;
        status = ROOST_OK;
    }
    if (behind && gph_would_shrink(t, gph_count(t))) t->ledger.refused = true; /* inserts do not shrink */
    return status ? ledger_ended(&t->ledger, status) : failure;
}

/* ---- Batches that nobody waits for ------------------------------------------------------------------------------------------------- */

/* May a batch be inserted without waiting?  All its items surely find room, but for what neither a mapping nor the overflow store has any
 * for, should all be new keys and no erase that is under way have happened. */
static bool insert_enqueues(struct gph_table *t, uint64_t n)
{
    if (!t->base.backend->enqueue || t->ledger.refused || t->ledger.broken) return false;
    if (t->growth && (gph_over_full(t) || t->view.overflow_count < SURE)) return false;
    return gph_has_room(t, gph_count(t) + t->ledger.coming + n) && lists_piece(&t->lists, n) == n;
}

/* The last pass has no list: what finds no room in it has failed. */
static roost_status enqueue_piece(struct gph_table *t, const struct batch *piece)
{
    struct source items = {NULL, NULL, piece->n};
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.batch = *piece;
    args.batch.park_status = t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
    roost_status status = insert_passes(t, &t->lists, &args, PASS_FILL, PASS_REFILL, &items);
    args.view = t->view;
    args.view.patience = UINT32_MAX;
    args.batch.order = items.order;
    args.batch.order_n = items.order_n;
    args.batch.leftover = NULL;
    return status ? status : backend_launch(t->base.backend, t->refine, &args, sizeof args, piece->n);
}

/* A graph uses the lists for ever, and none can be made while it is captured: hence pieces. */
static roost_status insert_enqueue(struct gph_table *t, const struct batch *batch)
{
    roost_status status = ROOST_OK;
    t->ledger.coming += batch->n;
    for (uint64_t first = 0, n; !status && first < batch->n; first += n) {
        n = batch->n - first < t->lists.room ? batch->n - first : t->lists.room;
        const struct batch piece = gph_batch_slice(t, batch, first, n);
        status = enqueue_piece(t, &piece);
    }
    if (t->base.backend->capturing) t->lists.fixed = true;
    return ledger_enqueued(&t->ledger, status);
}

roost_status gph_insert(struct engine_table *table, const struct batch *batch)
{
    struct gph_table *t = (struct gph_table *)table;
    const bool capturing = t->base.backend->capturing;
    if (capturing && t->growth) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    return capturing || insert_enqueues(t, batch->n) ? insert_enqueue(t, batch) : insert_waiting(t, batch);
}
