/* The host's side of SlabAlloc (portable/slab_alloc.h): a pool's memory, which only grows between kernels. */
#ifndef ROOST_BACKENDS_SLAB_POOL_H
#define ROOST_BACKENDS_SLAB_POOL_H

#include "backends/backend.h"
#include "portable/slab_alloc.h"

struct slab_pool_owner {
    struct slab_pool pool; /* what kernels get by value */
    uint64_t units;        /* of all super blocks */
    uint64_t super_units[SLAB_SUPERS];
};

/* An empty pool; `exhausted` is a word of device memory, 0, that outlives it. */
void slab_pool_make(struct slab_pool_owner *o, bool light, uint32_t *exhausted);
void slab_pool_unmake(struct slab_pool_owner *o, struct backend *b);

/* Adds memory until the pool has `units` in all.  Kernels that are launched later see it.  ROOST_ERR_MEMORY leaves the pool as it was. */
roost_status slab_pool_reserve(struct slab_pool_owner *o, struct backend *b, uint64_t units);

/* The paper's pool: 32 super blocks of 256 blocks of 1024 units, 1 GiB. */
roost_status slab_pool_paper(struct slab_pool_owner *o, struct backend *b);

/* All units free, and filled with ones. */
roost_status slab_pool_clear(struct slab_pool_owner *o, struct backend *b);

/* Gives super blocks back that no unit is taken of, from the last on; waits. */
roost_status slab_pool_trim(struct slab_pool_owner *o, struct backend *b);

/* Memory that a pool has. */
uint64_t slab_pool_bytes(const struct slab_pool_owner *o);

#endif
