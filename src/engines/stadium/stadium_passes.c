/* Stadium's passes over the items of a batch; they make no decision about the table's size. */
#include "engines/stadium/stadium_table.h"

roost_status stadium_pass(struct insertion *in, const struct kernel *k)
{
    struct stadium_args args = stadium_batch_args(stadium_of(in->table), &in->batch);
    return insertion_pass(in, k, &args, sizeof args, &args.batch);
}

roost_status stadium_reach_pass(struct insertion *in)
{
    struct stadium_table *t = stadium_of(in->table);
    struct backend *b = t->base.backend;
    const struct error_mark before = error_keep(t->base.error);
    const size_t bytes = (size_t)(stadium_reach_of(t->base.shape, &t->view, t->view.groups) + 1) * sizeof(uint32_t);
    void *reach;
    roost_status status = backend_allocate(b, bytes, &reach);
    if (status) {
        status = error_forgive_memory(&before, status);
        return status ? status : stadium_pass(in, in->kernel);
    }
    status = b->operations->fill(b, reach, 0, bytes);
    if (!status) status = stadium_survey_reach(t, (uint32_t *)reach);
    t->view.reach = (uint32_t *)reach;
    if (!status) status = stadium_pass(in, in->kernel);
    t->view.reach = NULL;
    backend_release(b, reach, bytes);
    return status;
}

/* May a refill find room?  FREE slots beyond the reach of inserts are looked for only if there is
 * one for each item: otherwise items without one would all go as far as a refill does. */
static bool may_refill(const struct stadium_table *t, uint64_t n)
{
    return t->view.access && n && (t->tombstones || n <= stadium_slots(t) - t->count);
}

roost_status stadium_refill_pass(struct insertion *in)
{
    struct stadium_table *t = stadium_of(in->table);
    if (!may_refill(t, in->items.n)) return ROOST_OK;
    roost_status status = lists_locks(&t->base.lists, UINT64_MAX, &t->view.locks, &t->view.lock_mask);
    if (!status) status = stadium_pass(in, t->base.kernel[STADIUM_apply]);
    t->view.locks = NULL;
    return status;
}
