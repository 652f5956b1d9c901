/* SlabHash's pass over the items of a batch; it makes no decision about the table's size. */
#include "engines/slab/slab_table.h"

/* Clears the mark `exhausted`.  A unit may be given back while another worker sets the mark.  It is
 * free then, but no worker would look for it any more.  So the mark is cleared before items are
 * retried, and in tables that add no units. */
static roost_status exhaustion_clear(struct slab_table *t, bool again)
{
    struct backend *b = t->base.backend;
    if (!again && t->base.growth) return ROOST_OK;
    return b->operations->fill(b, &slab_words(t)->exhausted, 0, sizeof(uint32_t));
}

roost_status slab_pass(struct insertion *in, const struct kernel *k)
{
    struct slab_table *t = slab_of(in->table);
    struct backend *b = t->base.backend;
    struct counters since;
    struct slab_args args = slab_batch_args(t, &in->batch);
    const bool again = in->items.order != NULL;
    const int to = in->items.order == t->base.lists.list[0] ? 1 : 0;
    lists_pass(&t->base.lists, &args.batch, &in->items, &slab_words(t)->list_n[to]);
    args.batch.park_status = in->batch.park_status;
    roost_status status = b->operations->fill(b, slab_words(t)->list_n, 0, sizeof slab_words(t)->list_n);
    if (!status) status = exhaustion_clear(t, again);
    if (!status) status = slab_launch(t, k, &args);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    if (!status) insertion_count(in, &since, t->waiting[to]);
    return status;
}
