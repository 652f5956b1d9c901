/* GPH's finds on the host side, and where they read the index (section 5.1): in global memory,
 * in the blocks' shared memory, or there in parts, to which the library routes the lookups
 * beforehand. */
#include <string.h>

#include "engines/gph/gph_table.h"

enum {
    VECTOR = 16,      /* codes that a thread copies at once */
    RESERVED = 1024,  /* bytes of a block's shared memory that the index leaves free */
    MOST_PARTS = 1024 /* parts of a routed index */
};

static uint64_t whole_vectors(uint64_t codes) { return (codes + VECTOR - 1) / VECTOR * VECTOR; }

static struct gph_parts parts_of(const struct gph_table *t)
{
    const uint64_t fit = (t->base.backend->block_bytes - RESERVED) / VECTOR * VECTOR, cells = t->view.cell_count;
    const uint64_t count = (cells + fit - 1) / fit;
    const struct gph_parts parts = {(uint32_t)count, (uint32_t)whole_vectors((cells + count - 1) / count), NULL, NULL};
    return parts;
}

static roost_status launch_find(struct gph_table *t, const struct kernel *k, const struct batch *batch,
                                const struct gph_parts *parts)
{
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = batch_slice(&t->base, batch, 0, batch->n);
    if (!ROOST_PROBES) args.batch.counters = NULL; /* finds count nothing but probes */
    if (parts) args.parts = *parts;
    return backend_launch(t->base.backend, k, &args, sizeof args, batch->n);
}

static roost_status find_staged(struct gph_table *t, const struct batch *batch, const struct gph_parts *parts)
{
    struct kernel k = *t->staged;
    k.block_bytes = parts->cells;
    return launch_find(t, &k, batch, parts);
}

roost_status gph_find(struct engine_table *table, const struct batch *batch)
{
    struct gph_table *t = (struct gph_table *)table;
    if (t->options.index == GPH_INDEX_GLOBAL) return launch_find(t, t->base.kernel[GPH_find], batch, NULL);
    const struct gph_parts parts = parts_of(t);
    return parts.count == 1 || batch->bounds ? find_staged(t, batch, &parts)
                                             : launch_find(t, t->base.kernel[GPH_find], batch, NULL);
}

/* Finds are the first choice.  They run the copying kernel where a block's memory has room for the
 * part of the index that its lookups read. */
const struct kernel *gph_running(const struct engine_table *table, int choice)
{
    const struct gph_table *t = (const struct gph_table *)table;
    if (choice > 0 || t->options.index == GPH_INDEX_GLOBAL) return table->chosen[choice];
    const uint32_t most = t->options.index == GPH_INDEX_ROUTED ? MOST_PARTS : 1;
    return parts_of(t).count <= most ? t->staged : t->base.kernel[GPH_find];
}

/* ---- Routed lookups -------------------------------------------------------------------------- */

struct batch_order gph_order(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    const struct gph_table *t = (const struct gph_table *)table;
    const uint32_t parts = parts_of(t).count;
    const bool routed = call == ENGINE_FIND && t->options.index == GPH_INDEX_ROUTED && parts <= MOST_PARTS;
    const struct batch_order order = {routed ? parts : 0, true, false, true};
    (void)n;
    return order;
}

roost_status gph_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes)
{
    struct gph_table *t = (struct gph_table *)table;
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch.keys = batch->keys;
    args.batch.n = batch->n;
    args.transfer.shape = t->base.shape;
    args.parts = parts_of(t);
    args.parts.part = codes->code;
    args.parts.items = codes->items;
    return backend_launch(table->backend, t->base.kernel[GPH_route], &args, sizeof args, batch->n);
}
