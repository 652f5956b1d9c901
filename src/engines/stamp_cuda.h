/* Stamping kernels for CUDA, for any engine: the call of each driver in a kernel with arguments
 * `a`, and a tile's share of its block's scratch memory. */
#ifndef ROOST_ENGINES_STAMP_CUDA_H
#define ROOST_ENGINES_STAMP_CUDA_H

#include "portable/drivers.h"

extern __shared__ __align__(16) unsigned char block_scratch[];

ROOST_FN void *tile_scratch(const int size, const size_t bytes) { return block_scratch + threadIdx.x / (unsigned)size * bytes; }

/* A kernel's launch bounds: `blocks` is the minimum number of resident blocks of 256 threads for
 * each multiprocessor (for smaller blocks, as many threads), which limits the registers.  Measured:
 * more blocks hide more latency, until spills cost more than they gain.  Blocks of more than 256
 * threads run one per multiprocessor: their copy fills the shared memory. */
#define ROOST_LAUNCH_BOUNDS(driver, blocks)                                                                                        \
    __launch_bounds__(THREADS_##driver, THREADS_##driver > 256 ? 1 : (blocks)*256 / THREADS_##driver)

#define DRIVE_lane(operation, shape, tile) drive_tile(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_team(operation, shape, tile) drive_team(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_runs(operation, shape, tile) drive_runs(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_tile(operation, shape, tile) drive_tile(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_once(operation, shape, tile) drive_once(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_abreast(operation, shape, tile)                                                                                      \
    drive_abreast(operation##_begin, operation##_early, operation##_step, operation##_end, shape, tile, &a, &a.batch, scratch)
#define DRIVE_onceabreast(operation, shape, tile) drive_onceabreast(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_twice(operation, shape, tile) drive_twice(ROOST_OPERATION_HALVES(operation), shape, tile, &a, &a.batch)
#define DRIVE_cooperative(operation, shape, tile) drive_cooperative(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
/* For operations with one step for each place in which an item is looked for.  The scratch memory
 * has room for one waiting item for each lane of the warp. */
#define DRIVE_collaborate(operation, shape, tile)                                                                                  \
    drive_collaborate(operation##_begin, operation##_one_step, operation##_end, shape, 32, &a, &a.batch,                           \
                      tile_scratch(32, 32 * COLLABORATE_BYTES))
#define DRIVE_vote(operation, shape, tile) drive_vote(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)

/* In an engine's *_cuda.cu: its kernels, as ROOST_KERNELS_DECLARE declares them. */
#define ROOST_KERNELS_OF_CUDA(engine, list, atomic128)                                                                             \
    extern "C" struct kernels engine##_cuda_kernels(void)                                                                          \
    {                                                                                                                              \
        const struct kernels set = {list, sizeof list / sizeof list[0], atomic128};                                                \
        return set;                                                                                                                \
    }

#endif
