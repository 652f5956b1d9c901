/* Stamps GPH's kernels for CUDA. */
#include "engines/gph/gph_kernels.h"
#include "engines/stamp_cuda.h"

/* Copies codes to the block's memory.  The first barrier waits for threads that read what was
 * there, the second one for the copy. */
ROOST_FN void codes_load(uint4 *to, const uint32_t *from, uint32_t codes)
{
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < (codes + 15) / 16; i += blockDim.x) to[i] = ((const uint4 *)from)[i];
    __syncthreads();
}

/* The blocks that serve the lookups of a part of the index copy it: one block may have several
 * parts, or several blocks one. */
ROOST_FN void drive_staged(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size,
                           const struct gph_args *a)
{
    const struct gph_parts *p = &a->parts;
    const uint32_t blocks = gridDim.x, stride = min(blocks, p->count), member = blockIdx.x / p->count;
    const uint32_t tiles = blockDim.x / (unsigned)size, rank = member * tiles + threadIdx.x / (unsigned)size;
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    struct gph_args here = *a;
    for (uint32_t part = blockIdx.x % p->count; part < p->count; part += stride) {
        const uint32_t team = blocks > part ? (blocks - part - 1) / p->count + 1 : 1;
        const uint32_t first = part * p->cells, left = a->view.cell_count - first;
        codes_load((uint4 *)block_scratch, a->view.cells + first / 4, left < p->cells ? left : p->cells);
        here.view.cells = (uint32_t *)block_scratch - first / 4;
        const uint64_t *const bounds = a->batch.bounds; /* NULL: there is one part */
        const uint64_t from = bounds ? bounds[part] : 0, to = bounds ? bounds[part + 1] : a->batch.n;
        drive_range(begin, step, end, s, tile_make(size), &here, &a->batch, NULL, from, to, rank, (uint64_t)team * tiles, &tally);
    }
    tally_flush(&tally, a->batch.counters);
}

#define DRIVE_staged(operation, shape, tile) drive_staged(ROOST_OPERATION(operation), shape, tile, &a)

#define BLOCKS(operation, cells, blocks)                                                                                           \
    constexpr int blocks_##operation(int slots, int tile) { return (void)slots, (void)tile, blocks; }
GPH_LIST(BLOCKS)

#define NAME(operation, shape, driver, tile) gph_##operation##_##shape##_##driver##tile

#define STAMP(operation, shape, driver, tile)                                                                                      \
    extern "C" __global__ void ROOST_LAUNCH_BOUNDS(driver, blocks_##operation(SLOTS_##shape, tile))                                \
        NAME(operation, shape, driver, tile)(const __grid_constant__ struct gph_args a)                                            \
    {                                                                                                                              \
        void *scratch = tile_scratch(tile, GPH_SCRATCH(operation, WORD_##shape));                                                  \
        (void)scratch;                                                                                                             \
        DRIVE_##driver(gph_##operation, shape_##shape(), tile);                                                                    \
    }
GPH_KERNELS(STAMP)
GPH_TUNE_KERNELS(STAMP)

#define ENTRY(operation, shape, driver, tile)                                                                                      \
    ROOST_KERNEL(GPH, operation, shape, driver, tile, GPH_SCRATCH(operation, WORD_##shape), NULL,                                  \
                 (const void *)NAME(operation, shape, driver, tile))
static const struct kernel kernels[] = {GPH_KERNELS(ENTRY) GPH_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_CUDA(gph, kernels, false)
