/* FKS's passes over items that are inserted in place; they make no decision about the table's
 * size. */
#include "engines/fks/fks_table.h"

enum {
    LEAST_LOCK_WORDS = 1024, /* as many as a list has room for, at least */
    MOST_LOCK_WORDS = 1 << 16
};

roost_status fks_locks_clear(struct fks_table *t, struct fks_args *args)
{
    struct backend *b = t->base.backend;
    uint64_t words = LEAST_LOCK_WORDS;
    while (words * 2 <= t->base.lists.room && words * 2 <= MOST_LOCK_WORDS) words *= 2;
    args->view.locks = (uint32_t *)t->base.lists.extra;
    args->view.lock_mask = (uint32_t)(32 * words - 1);
    return b->operations->fill(b, t->base.lists.extra, 0, words * sizeof(uint32_t));
}

roost_status fks_inserts_take(struct fks_table *t)
{
    struct counters since;
    const roost_status status = ledger_read(&t->base.ledger, &since);
    if (status) return status;
    t->base.stats.inserted += since.inserted;
    t->base.stats.updated += since.updated;
    return ROOST_OK;
}

roost_status fks_in_place_begin(struct fks_table *t, struct fks_args *args, const struct batch *batch)
{
    *args = fks_batch_args(t, batch);
    const roost_status status = fks_locks_clear(t, args);
    return status ? status : lists_clear(&t->base.lists);
}

roost_status fks_in_place_pass(struct fks_table *t, int operation, struct fks_args *args, int pass, struct source *source)
{
    lists_pass(&t->base.lists, &args->batch, source, pass);
    return backend_launch(t->base.backend, t->base.kernel[operation], args, sizeof *args, source->n);
}
