/* What stamping kernels for CUDA takes, whatever the engine: how each driver is called in a kernel whose arguments are `a`, and the share of
 * a tile in its block's scratch memory. */
#ifndef ROOST_ENGINES_STAMP_CUDA_H
#define ROOST_ENGINES_STAMP_CUDA_H

#include "portable/drivers.h"

extern __shared__ __align__(16) unsigned char block_scratch[];

ROOST_FN void *tile_scratch(const int size, const size_t bytes) { return block_scratch + threadIdx.x / (unsigned)size * bytes; }

#define DRIVE_lane(operation, shape, tile) drive_tile(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_tile(operation, shape, tile) drive_tile(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_once(operation, shape, tile) drive_once(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_twice(operation, shape, tile) drive_twice(ROOST_OPERATION_HALVES(operation), shape, tile, &a, &a.batch)
#define DRIVE_cooperative(operation, shape, tile) drive_cooperative(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)
#define DRIVE_vote(operation, shape, tile) drive_vote(ROOST_OPERATION(operation), shape, tile, &a, &a.batch, scratch)

#endif
