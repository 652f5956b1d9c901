/* SlabHash's pass over the items of a batch; it makes no decision about the table's size. */
#include "engines/slab/slab_table.h"

roost_status slab_exhaustion_clear(struct slab_table *t)
{
    struct backend *b = t->base.backend;
    return b->operations->fill(b, &slab_words(t)->exhausted, 0, sizeof(uint32_t));
}

/* Do items wait because keys that collide have taken the slabs?  Memory is for six standard
 * deviations more than random keys link, and a fifth. */
static bool took_slabs(const struct insertion *in) { return in->items.n && slab_lists_crowd(slab_of(in->table), 5); }

/* Watched are inserts alone: in a mixed batch one key may leave many tombstones in its list; and
 * multimaps have long lists of equal keys. */
roost_status slab_pass(struct insertion *in)
{
    struct slab_table *t = slab_of(in->table);
    const bool inserts = in->kernel == t->base.kernel[SLAB_insert];
    const bool watched = inserts && !t->view.multi && policy_may_reseed(&t->base);
    struct slab_args args = slab_batch_args(t, &in->batch);
    if (watched) args.view.sure_length = slab_longest_sure(t, in->items.n);
    if (watched) insertion_hasten(in);
    args.batch.parked_most = in->batch.parked_most;
    const bool again = in->items.order != NULL;
    roost_status status = again || !t->base.growth ? slab_exhaustion_clear(t) : ROOST_OK;
    if (!status && watched) status = t->base.backend->operations->fill(t->base.backend, args.view.is_long, 0, sizeof(uint32_t));
    if (!status) status = insertion_pass(in, in->kernel, &args, sizeof args, &args.batch);
    in->steady = !watched || (!t->is_long && !took_slabs(in));
    return status;
}
