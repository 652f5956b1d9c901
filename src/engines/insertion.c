/* A piece of a batch while it is inserted. */
#include "engines/insertion.h"
#include "engines/policy.h"

#include <inttypes.h>
#include <string.h>

struct batch batch_slice(const struct engine_table *t, const struct batch *whole, uint64_t first, uint64_t n)
{
    struct batch part = batch_part(whole, first, n, t->key_bytes, t->value_bytes);
    part.counters = t->ledger.words;
    part.value_type = (uint8_t)t->value_type;
    part.saturate = t->saturate;
    part.park_status = ROOST_ITEM_FULL;
    return part;
}

struct batch batch_of_pairs(const struct engine_table *t, const void *keys, const void *values, uint64_t n)
{
    struct batch whole;
    memset(&whole, 0, sizeof whole);
    whole.keys = keys;
    whole.values_in = t->value_bytes ? values : NULL;
    whole.mode = ROOST_KEEP;
    return batch_slice(t, &whole, 0, n);
}

roost_status insertion_take(struct insertion *in, int pass)
{
    struct engine_stats *stats = &in->table->stats;
    struct counters since;
    const roost_status status = ledger_read(&in->table->ledger, &since);
    if (status) return status;
    in->items.order_n = NULL; /* the host knows it now */
    in->items.n = in->table->lists.waiting[pass];
    in->fresh += since.inserted;
    stats->inserted += since.inserted;
    stats->updated += since.updated;
    stats->erased += since.erased;
    return ROOST_OK;
}

roost_status insertion_pass(struct insertion *in, const struct kernel *k, const void *args, size_t args_bytes, struct batch *batch)
{
    struct engine_table *t = in->table;
    const int to = in->items.order == t->lists.list[0] ? 1 : 0;
    lists_pass(&t->lists, batch, &in->items, to);
    batch->park_status = in->batch.park_status;
    roost_status status = lists_clear(&t->lists);
    if (!status) status = backend_launch(t->backend, k, args, args_bytes, batch->n);
    return status ? status : insertion_take(in, to);
}

roost_status insertion_repeat(struct insertion *in, uint64_t since, roost_status (*pass)(struct insertion *in))
{
    roost_status status = ROOST_OK;
    while (!status && in->items.n && in->fresh != since) {
        since = in->fresh;
        status = pass(in);
    }
    return status;
}

void insertion_anew(struct insertion *in)
{
    in->batch.parked_most = 0;
    in->thorough = in->retried = in->colliding = false;
}

roost_status insertion_split(struct insertion *in, uint64_t room, struct source *rest, uint64_t *keys)
{
    return estimate_split(in->table, in->distinct, &in->batch, room, &in->items, rest, keys);
}

roost_status insertion_full(const struct insertion *in)
{
    return error_set(in->table->error, ROOST_ERR_FULL, "%" PRIu64 " items found no room, and %s", in->items.n,
                     in->table->growth ? "their keys collide under every seed" : "growth is off");
}

/* Items of n that chance may leave without room in a first pass.  Each may cost a search through
 * hundreds of slots, the time of a hundred other items. */
static uint64_t some_of(uint64_t n)
{
    enum { LEAST = 4, MOST = 64, SHARE = 64 };
    const uint64_t some = LEAST + n / SHARE;
    return some < MOST ? some : MOST;
}

void insertion_hasten(struct insertion *in)
{
    in->batch.parked_most = policy_may_reseed(in->table) && !in->thorough ? some_of(in->batch.n) : 0;
}

static bool are_many(uint64_t waiting, uint64_t tried) { return waiting > some_of(tried) && waiting > tried / 4; }

bool insertion_may_swamp(const struct insertion *in) { return policy_doubts_below(in->table, 0.8); }

roost_status insertion_swamped(const struct insertion *in, uint64_t tried, bool *swamped)
{
    struct batch waiting = source_batch(&in->items, &in->batch);
    struct distinct_bounds bounds = {0, (double)waiting.n};
    waiting.parked_most = 0; /* a count of keys parks none */
    roost_status status = ROOST_OK;
    if (are_many(waiting.n, tried) && insertion_may_swamp(in)) status = in->distinct(in->table, &waiting, &bounds);
    *swamped = !status && are_many((uint64_t)bounds.least, tried);
    return status;
}

/* The last pass was a hasty one that was given up, so another one has to try all items. */
static bool was_given_up(struct insertion *in)
{
    const bool given_up = in->batch.parked_most && in->items.n > in->batch.parked_most;
    in->batch.parked_most = 0;
    in->thorough = true;
    return given_up;
}

/* Are the items so few that they may have missed a vacancy which others moved meanwhile? */
static bool must_retry(struct insertion *in)
{
    const bool first = !in->retried && in->items.n <= some_of(in->batch.n);
    in->retried = true;
    return first;
}

/* Would other seeds give the items room?  A small table is sure of little, but reseeds before it
 * stops to grow. */
static bool is_doubtful(const struct insertion *in)
{
    const struct engine_table *t = in->table;
    if (in->steady) return false;
    if (in->colliding && policy_may_reseed(t)) return true;
    return policy_doubts(t) || (t->growth && policy_may_reseed(t) && policy_at_bound(t, in->items.n));
}

/* Keeps the items for `resume`.  Without memory for that they are served as if all was well. */
static bool insertion_wait(struct insertion *in)
{
    struct engine_table *t = in->table;
    if (!is_doubtful(in)) return false;
    t->waiting = (struct insertion *)host_new(&t->backend->allocator, sizeof *in);
    if (!t->waiting) return false;
    *t->waiting = *in;
    t->waiting->fresh = 0;
    return true;
}

/* Makes room for the items that have none. */
static roost_status insertion_provide(struct insertion *in)
{
    struct engine_table *t = in->table;
    if (!t->growth || in->steady || !policy_at_bound(t, in->items.n)) return in->provide(in);
    t->oversized = true;
    return insertion_full(in);
}

/* The last run writes into the items' statuses that memory was refused. */
static roost_status insertion_refused(struct insertion *in)
{
    const struct error_mark why = error_keep(in->table->error);
    ledger_refuse(&in->table->ledger);
    in->batch.park_status = ROOST_ITEM_NO_MEMORY;
    const roost_status status = in->run(in);
    error_restore(&why);
    return status ? status : in->items.n ? ROOST_ERR_MEMORY : ROOST_OK;
}

roost_status insertion_finish(struct insertion *in)
{
    roost_status status = ROOST_OK;
    in->batch.park_status = ROOST_ITEM_FULL;
    while (!status && in->items.n) {
        const bool again = must_retry(in);
        if (!again && insertion_wait(in)) return ROOST_OK;
        if (!again && !was_given_up(in)) status = in->refused ? ROOST_ERR_MEMORY : insertion_provide(in);
        if (!status) status = in->run(in);
    }
    return status == ROOST_ERR_MEMORY ? insertion_refused(in) : status;
}

struct insertion insertion_recall(struct engine_table *t)
{
    const struct insertion in = *t->waiting;
    host_delete(&t->backend->allocator, t->waiting, sizeof in);
    t->waiting = NULL;
    return in;
}

roost_status insertion_continue(struct insertion *in, struct progress *p)
{
    in->batch.counters = in->table->ledger.words; /* those of other seeds are others */
    insertion_anew(in);
    roost_status status = in->run(in);
    if (!status) status = insertion_finish(in);
    p->fresh += in->fresh;
    return status;
}

roost_status insertion_resume(struct engine_table *t, struct progress *p)
{
    struct insertion in = insertion_recall(t);
    return insertion_continue(&in, p);
}
