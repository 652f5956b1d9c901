/* Copies of a table's memory for its check, and what the checks of several engines verify. */
#include "engines/walk.h"

struct copy {
    struct copy *older;
    size_t bytes; /* of this struct and its memory */
    _Alignas(16) unsigned char memory[];
};

void *copy_room(struct copies *c, size_t bytes)
{
    if (c->status) return NULL;
    struct copy *copy = (struct copy *)host_new(&c->table->backend->allocator, sizeof *copy + bytes);
    if (!copy) {
        c->status = error_set(c->table->error, ROOST_ERR_MEMORY, "no memory for a copy of the table");
        return NULL;
    }
    copy->older = c->newest;
    copy->bytes = sizeof *copy + bytes;
    c->newest = copy;
    return copy->memory;
}

void *copy_of(struct copies *c, const void *from, size_t bytes)
{
    void *copy = copy_room(c, bytes);
    if (copy) c->status = backend_read(c->table->backend, copy, from, bytes);
    return copy;
}

void copies_free(struct copies *c)
{
    while (c->newest) {
        struct copy *older = c->newest->older;
        host_delete(&c->table->backend->allocator, c->newest, c->newest->bytes);
        c->newest = older;
    }
}

int bucket_occurrences(const struct shape s, unsigned char *bucket, roost_key key)
{
    int n = 0;
    for (int slot = 0; slot < s.slots; slot++) {
        const uint64_t unit = slot_load_unit(s, bucket, slot);
        n += unit != vacant_unit(s, false) && unit_key(s, unit) == key;
    }
    return n;
}

roost_status check_bounds(const struct engine_table *t, const char *above, bool below)
{
    if (!t->growth || ledger_refused(&t->ledger)) return ROOST_OK;
    if (above) return error_set(t->error, ROOST_ERR_CORRUPT, "invariant F: %s is above its bound", above);
    if (below && ledger_settled(&t->ledger))
        return error_set(t->error, ROOST_ERR_CORRUPT, "invariant F: the fill is below its lower bound");
    return ROOST_OK;
}
