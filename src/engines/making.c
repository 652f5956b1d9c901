/* Tables made and freed. */
#include "engines/making.h"

#include <string.h>

#include "engines/engine.h"

/* On the host a pass over a few items costs hardly more for each than one over many. */
static uint64_t list_room(const struct engine_table *t)
{
    const uint64_t least = t->engine->hooks.least_parked;
    return least && t->backend->ordinal < 0 ? least : (uint64_t)LISTS_LEAST;
}

roost_status table_make(struct engine_table *t)
{
    const struct table_hooks *h = &t->engine->hooks;
    roost_status status = ledger_make(&t->ledger, t, h->words_bytes);
    if (!status) status = lists_begin(&t->lists, t, list_room(t), h->most_parked, h->extra_bytes);
    if (!status) status = h->make(t);
    if (status) table_unmake(t);
    return status;
}

void table_unmake(struct engine_table *t)
{
    t->engine->hooks.unmake(t);
    lists_release(&t->lists);
    ledger_release(&t->ledger);
}

roost_status table_keep_origin(struct engine_table *t)
{
    const size_t bytes = t->engine->hooks.table_bytes;
    t->origin = host_new(&t->backend->allocator, bytes);
    if (!t->origin) return error_set(t->error, ROOST_ERR_MEMORY, "no memory for the table's description");
    memcpy(t->origin, t, bytes);
    return ROOST_OK;
}

void table_drop_origin(struct engine_table *t) { host_delete(&t->backend->allocator, t->origin, t->engine->hooks.table_bytes); }
