/* Stadium's passes over the items of a batch; they make no decision about the table's size. */
#include "engines/stadium/stadium_table.h"

enum { LEAST_LOCK_WORDS = 1024 /* of 32 locks; the smallest room of a list */ };

roost_status stadium_pass(struct insertion *in, const struct kernel *k)
{
    struct stadium_table *t = stadium_of(in->table);
    struct backend *b = t->base.backend;
    struct counters since;
    struct stadium_args args = stadium_batch_args(t, &in->batch);
    const int to = in->items.order == t->base.lists.list[0] ? 1 : 0;
    lists_pass(&t->base.lists, &args.batch, &in->items, &stadium_words(t)->list_n[to]);
    args.batch.park_status = in->batch.park_status;
    roost_status status = b->operations->fill(b, stadium_words(t)->list_n, 0, sizeof stadium_words(t)->list_n);
    if (!status) status = backend_launch(b, k, &args, sizeof args, args.batch.n);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    if (!status) insertion_count(in, &since, t->waiting[to]);
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
    struct backend *b = t->base.backend;
    uint64_t words = LEAST_LOCK_WORDS;
    if (!may_refill(t, in->items.n)) return ROOST_OK;
    while (words * 2 <= t->base.lists.room) words *= 2;
    roost_status status = b->operations->fill(b, t->base.lists.extra, 0, words * sizeof(uint32_t));
    if (status) return status;
    t->view.locks = (uint32_t *)t->base.lists.extra;
    t->view.lock_mask = (uint32_t)(32 * words - 1);
    status = stadium_pass(in, t->base.kernel[STADIUM_apply]);
    t->view.locks = NULL;
    return status;
}
