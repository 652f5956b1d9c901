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

roost_status slab_pass(struct insertion *in)
{
    struct slab_table *t = slab_of(in->table);
    struct slab_args args = slab_batch_args(t, &in->batch);
    const roost_status status = exhaustion_clear(t, in->items.order != NULL);
    return status ? status : insertion_pass(in, in->kernel, &args, sizeof args, &args.batch);
}
