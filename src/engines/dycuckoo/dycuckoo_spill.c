/* The contents of DyCuckoo's spill list, as calls that wait see them. */
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

roost_status dycuckoo_spill_make(struct dycuckoo_table *t)
{
    void *memory;
    if (!t->base.growth || !t->base.backend->operations->enqueues) return ROOST_OK;
    const roost_status status = backend_allocate(t->base.backend, sizeof *t->spill, &memory);
    t->spill = (struct dycuckoo_spill_memory *)memory;
    return status;
}

void dycuckoo_spill_release(struct dycuckoo_table *t) { backend_release(t->base.backend, t->spill, sizeof *t->spill); }

/* Leaves out the entries that are gone or marked. */
static void leave_out(struct dycuckoo_spilled *s, const uint8_t *marked)
{
    struct dycuckoo_spill_entries *e = &s->entries;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < s->n; i++) {
        if (e->gone[i] || (marked && marked[i])) continue;
        e->key[kept] = e->key[i];
        e->value[kept] = e->value[i];
        e->gone[kept++] = 0;
    }
    s->n = kept;
}

/* Copies the entries' keys and values to where kernels take batches from. */
static roost_status pack(struct dycuckoo_table *t, const struct dycuckoo_spilled *s)
{
    struct backend *b = t->base.backend;
    uint64_t keys[DYCUCKOO_SPILL_ROOM], values[DYCUCKOO_SPILL_ROOM];
    for (uint64_t i = 0; i < s->n; i++) {
        store_width(t->base.shape.key_bytes, keys, i, s->entries.key[i]);
        if (t->base.shape.value_bytes) store_width(t->base.shape.value_bytes, values, i, s->entries.value[i]);
    }
    roost_status status = b->operations->copy(b, t->spill->keys, keys, s->n * (unsigned)t->base.shape.key_bytes);
    if (!status && t->base.shape.value_bytes)
        status = b->operations->copy(b, t->spill->values, values, s->n * (unsigned)t->base.shape.value_bytes);
    return status ? status : backend_wait(b); /* the arrays end here */
}

roost_status dycuckoo_spill_drop_placed(struct dycuckoo_table *t, struct dycuckoo_spilled *s)
{
    struct backend *b = t->base.backend;
    struct dycuckoo_args args;
    uint8_t found[DYCUCKOO_SPILL_ROOM];
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch.keys = t->spill->keys;
    args.batch.found = t->spill->found;
    roost_status status = dycuckoo_launch_over(t, t->base.kernel[DYCUCKOO_find], &args, s->n);
    if (!status) status = backend_read(b, found, t->spill->found, s->n);
    if (status || !memchr(found, 1, s->n)) return status;
    leave_out(s, found);
    return pack(t, s);
}

roost_status dycuckoo_spill_read(struct dycuckoo_table *t, struct dycuckoo_spilled *s)
{
    s->n = 0;
    if (!t->spill || !t->spilled) return ROOST_OK;
    const roost_status read = backend_read(t->base.backend, &s->entries, &t->spill->entries, sizeof s->entries);
    if (read) return read;
    s->n = t->spill_n;
    leave_out(s, NULL);
    const roost_status packed = pack(t, s);
    return packed ? packed : dycuckoo_spill_drop_placed(t, s);
}

roost_status dycuckoo_spill_write(struct dycuckoo_table *t, const struct dycuckoo_spilled *s)
{
    struct backend *b = t->base.backend;
    const struct dycuckoo_spill list = {s->n, 0, 0, 0};
    roost_status status = ROOST_OK;
    if (s->n) status = b->operations->copy(b, &t->spill->entries, &s->entries, sizeof s->entries);
    if (!status) status = b->operations->copy(b, &dycuckoo_words(t)->spill, &list, sizeof list);
    if (!status) status = backend_wait(b);
    if (!status) t->spilled = t->spill_n = s->n;
    return status;
}

roost_status dycuckoo_spill_clear(struct dycuckoo_table *t)
{
    const struct dycuckoo_spilled none = {.n = 0};
    return t->spill_n ? dycuckoo_spill_write(t, &none) : ROOST_OK;
}
