/* FKS's passes over items that are inserted in place; they make no decision about the table's
 * size. */
#include "engines/fks/fks_table.h"

enum { MOST_LOCK_WORDS = 1 << 16 };

roost_status fks_locks_clear(struct fks_table *t, struct fks_args *args)
{
    return lists_locks(&t->base.lists, MOST_LOCK_WORDS, &args->view.locks, &args->view.lock_mask);
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

roost_status fks_in_place_round(struct fks_table *t, struct fks_args *args, int pass, struct source *source)
{
    const roost_status status = fks_in_place_pass(t, FKS_write, args, pass, source);
    args->view.line_limit = 0;
    args->work.tries = FKS_LOCK_TRIES;
    return status ? status : fks_in_place_pass(t, FKS_shift, args, pass + 1, source);
}
