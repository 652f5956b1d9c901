/* The host's side of SlabAlloc (portable/slab_alloc.h): a pool's memory, which grows between
 * kernels only. */
#ifndef ROOST_BACKENDS_SLAB_POOL_H
#define ROOST_BACKENDS_SLAB_POOL_H

#include "backends/backend.h"
#include "portable/slab_alloc.h"

struct slab_pool_owner {
    struct slab_pool pool; /* passed to kernels by value */
    uint64_t units;        /* of all super blocks */
    uint64_t super_units[SLAB_SUPERS];
};

/* Makes an empty pool.  `exhausted`: a word of device memory, 0, that outlives the pool. */
void slab_pool_make(struct slab_pool_owner *o, bool light, uint32_t *exhausted);
void slab_pool_unmake(struct slab_pool_owner *o, struct backend *b);

/* Adds memory until the pool has `units` units.  Kernels that are launched later see it.
 * Returns: ROOST_ERR_MEMORY: the pool is as before. */
roost_status slab_pool_reserve(struct slab_pool_owner *o, struct backend *b, uint64_t units);

/* The paper's pool: 32 super blocks of 256 blocks of 1024 units, 1 GiB. */
roost_status slab_pool_paper(struct slab_pool_owner *o, struct backend *b);

/* Frees all units, and fills them with ones. */
roost_status slab_pool_clear(struct slab_pool_owner *o, struct backend *b);

/* Releases super blocks without a taken unit, from the last one backwards; waits. */
roost_status slab_pool_trim(struct slab_pool_owner *o, struct backend *b);

/* Bytes of a pool's memory. */
uint64_t slab_pool_bytes(const struct slab_pool_owner *o);

#endif
