/* DyCuckoo's spill list on the policy's side: the kernel that looks at it, and how a call that waits empties it. */
#include <string.h>

#include "engines/dycuckoo/dycuckoo_table.h"

/* What a table that may grow while calls do not wait has on the device: the entries, and room to work on them. */
struct dycuckoo_spill_memory {
    struct dycuckoo_spill_entries entries;
    uint64_t keys[DYCUCKOO_SPILL_ROOM], values[DYCUCKOO_SPILL_ROOM]; /* of the live ones, in the table's widths */
    uint8_t found[DYCUCKOO_SPILL_ROOM];
};

roost_status dycuckoo_spill_make(struct dycuckoo_table *t)
{
    void *memory;
    if (!t->growth || !t->base.backend->operations->enqueues) return ROOST_OK;
    const roost_status status = backend_allocate(t->base.backend, sizeof *t->spill, &memory);
    t->spill = (struct dycuckoo_spill_memory *)memory;
    return status;
}

void dycuckoo_spill_release(struct dycuckoo_table *t) { backend_release(t->base.backend, t->spill, sizeof *t->spill); }

/* ---- The kernel ------------------------------------------------------------------------------------------------------------------------ */

bool dycuckoo_may_hold(const struct dycuckoo_table *t)
{
    return t->spill && (t->ledger.under_way || t->spilled || t->ledger.broken || t->base.backend->capturing);
}

roost_status dycuckoo_spill_launch(struct dycuckoo_table *t, struct dycuckoo_args *args, uint32_t role, uint64_t n)
{
    args->spilling.list = &t->words->spill;
    args->spilling.entries = t->spill ? &t->spill->entries : NULL;
    args->spilling.shape = t->shape;
    args->spilling.role = role;
    args->spilling.all_n = &t->words->all_n;
    args->spilling.parked = &t->words->list_n[PASS_FILL];
    return backend_launch(t->base.backend, t->spill_items, args, sizeof *args, n);
}

/* ---- Its contents ---------------------------------------------------------------------------------------------------------------------- */

static void store(int bytes, void *array, uint64_t at, uint64_t x)
{
    if (bytes == 8) ((uint64_t *)array)[at] = x;
    else ((uint32_t *)array)[at] = (uint32_t)x;
}

/* Leaves the entries that are not gone, and of those the ones that are not marked. */
static void compact(struct dycuckoo_spilled *s, const uint8_t *marked)
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

/* The entries' keys and values to where kernels take batches from. */
static roost_status pack(struct dycuckoo_table *t, const struct dycuckoo_spilled *s)
{
    struct backend *b = t->base.backend;
    uint64_t keys[DYCUCKOO_SPILL_ROOM], values[DYCUCKOO_SPILL_ROOM];
    for (uint64_t i = 0; i < s->n; i++) {
        store(t->shape.key_bytes, keys, i, s->entries.key[i]);
        if (t->shape.value_bytes) store(t->shape.value_bytes, values, i, s->entries.value[i]);
    }
    roost_status status = b->operations->copy(b, t->spill->keys, keys, s->n * (unsigned)t->shape.key_bytes);
    if (!status && t->shape.value_bytes)
        status = b->operations->copy(b, t->spill->values, values, s->n * (unsigned)t->shape.value_bytes);
    return status ? status : backend_wait(b); /* the arrays end here */
}

/* Takes those away that are in the table: placed already, by a call that then failed or was refused memory for the rest. */
static roost_status leave_out_placed(struct dycuckoo_table *t, struct dycuckoo_spilled *s)
{
    struct backend *b = t->base.backend;
    struct dycuckoo_args args;
    uint8_t found[DYCUCKOO_SPILL_ROOM];
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch.keys = t->spill->keys;
    args.batch.found = t->spill->found;
    args.batch.n = s->n;
    roost_status status = b->operations->launch(b, t->find, &args, sizeof args, s->n);
    if (!status) status = backend_read(b, found, t->spill->found, s->n);
    if (status || !memchr(found, 1, s->n)) return status;
    compact(s, found);
    return pack(t, s);
}

const void *dycuckoo_spill_keys(const struct dycuckoo_table *t) { return t->spill->keys; }
const void *dycuckoo_spill_values(const struct dycuckoo_table *t) { return t->spill->values; }

roost_status dycuckoo_spill_read(struct dycuckoo_table *t, struct dycuckoo_spilled *s)
{
    s->n = 0;
    if (!t->spill || !t->spilled) return ROOST_OK;
    const roost_status read = backend_read(t->base.backend, &s->entries, &t->spill->entries, sizeof s->entries);
    if (read) return read;
    s->n = t->spill_n;
    compact(s, NULL);
    const roost_status packed = pack(t, s);
    return packed ? packed : leave_out_placed(t, s);
}

static roost_status spill_write(struct dycuckoo_table *t, const struct dycuckoo_spilled *s)
{
    struct backend *b = t->base.backend;
    const struct dycuckoo_spill list = {s->n, 0, 0, 0};
    roost_status status = ROOST_OK;
    if (s->n) status = b->operations->copy(b, &t->spill->entries, &s->entries, sizeof s->entries);
    if (!status) status = b->operations->copy(b, &t->words->spill, &list, sizeof list);
    if (!status) status = backend_wait(b);
    if (!status) t->spilled = t->spill_n = s->n;
    return status;
}

roost_status dycuckoo_spill_clear(struct dycuckoo_table *t)
{
    const struct dycuckoo_spilled none = {.n = 0};
    return t->spill_n ? spill_write(t, &none) : ROOST_OK;
}

/* Should this fail half way, those that were placed are in the table and in the list, with one value: until the next call that waits,
 * which sees it (leave_out_placed). */
roost_status dycuckoo_unspill(struct dycuckoo_table *t)
{
    const struct error before = *t->base.error;
    struct dycuckoo_spilled s;
    roost_status status = dycuckoo_spill_read(t, &s);
    if (status || !t->spill_n) return status; /* entries that are all erased take room, too */
    if (s.n) status = dycuckoo_place(t, t->spill->keys, t->spill->values, s.n);
    if (status && status != ROOST_ERR_MEMORY) return status;
    const bool refused = status != ROOST_OK;
    status = refused ? leave_out_placed(t, &s) : ROOST_OK;
    if (!refused) s.n = 0;
    *t->base.error = before; /* they are stored in the list */
    return status ? status : spill_write(t, &s);
}
