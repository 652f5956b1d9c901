/* Stadium's passes over the items of a batch; they make no decision about the table's size. */
#include "engines/stadium/stadium_table.h"

roost_status stadium_pass(struct insertion *in, const struct kernel *k)
{
    struct stadium_table *t = stadium_of(in->table);
    struct stadium_args args = stadium_batch_args(t, &in->batch);
    const roost_status status = lists_permits(&t->base.lists, stadium_left(t), in->items.n, &args.view.permits);
    return status ? status : insertion_pass(in, k, &args, sizeof args, &args.batch);
}

roost_status stadium_reach_pass(struct insertion *in)
{
    struct stadium_table *t = stadium_of(in->table);
    const uint64_t longest = t->base.ledger.seen.longest, far = longest > t->view.bound ? longest : t->view.bound;
    roost_status status = stadium_reach_learn(t, in->items.n * far);
    if (status) return status;
    if (t->view.reach) t->spent += in->items.n * t->astray / t->view.groups;
    t->view.bounded = t->view.reach != NULL;
    status = stadium_pass(in, in->kernel);
    t->view.bounded = 0;
    return status;
}

/* May a refill find room?  FREE slots beyond the reach of inserts are looked for only if there is
 * one for each item: the last of them are far from all keys. */
static bool may_refill(const struct stadium_table *t, uint64_t n)
{
    return t->view.access && n && stadium_left(t) && (t->tombstones || n <= stadium_slots(t) - t->count);
}

/* Joins what is left of a list's first items to those behind them.  in->items: the parked ones of
 * `part` items of `all`. */
static roost_status source_join(struct insertion *in, const struct source *all, uint64_t part)
{
    struct backend *b = in->table->backend;
    const uint64_t parked = in->items.n, placed = part - parked;
    const uint32_t *const order = in->items.order;
    in->items = (struct source){all->order + placed, NULL, all->n - placed};
    if (!parked) return ROOST_OK;
    return b->operations->copy(b, (uint32_t *)all->order + placed, order, (size_t)parked * sizeof *order);
}

/* No more items look for holes than there are: the others would look through the whole table. */
roost_status stadium_refill_pass(struct insertion *in)
{
    struct stadium_table *t = stadium_of(in->table);
    const uint64_t holes = stadium_slots(t) - t->count, left = stadium_left(t), strayed = t->strayed;
    const uint64_t most = left < holes ? left : holes;
    const struct source all = in->items;
    if (!may_refill(t, all.n)) return ROOST_OK;
    const uint64_t part = all.order && most < all.n ? most : all.n;
    in->items.n = part;
    roost_status status = stadium_reach_learn(t, part * t->view.groups);
    if (!status) status = lists_locks(&t->base.lists, UINT64_MAX, &t->view.locks, &t->view.lock_mask);
    if (!status) status = stadium_pass(in, t->base.kernel[STADIUM_apply]);
    t->view.locks = NULL;
    if (status) return status;
    t->spent += t->view.reach ? t->strayed - strayed : part * t->view.groups;
    t->astray += t->strayed - strayed;
    t->strayed = strayed; /* it compares with ways of inserts */
    return part < all.n ? source_join(in, &all, part) : ROOST_OK;
}
