/* compact's kernels, a line each: the list from which the host and CUDA stamp them and the policy
 * finds them. */
#ifndef ROOST_COMPACT_KERNELS_H
#define ROOST_COMPACT_KERNELS_H

#include "engines/compact/compact_transfer.h"
#include "engines/kernels.h"

/* X(operation, scratch bytes of a tile, minimum resident blocks per multiprocessor
 * (ROOST_LAUNCH_BOUNDS)). */
#define COMPACT_LIST(X)                                                                                                            \
    X(find, 0, 8)                                                                                                                  \
    X(insert, 0, 4)                                                                                                                \
    X(erase, 0, 5)                                                                                                                 \
    X(apply, 0, 3)                                                                                                                 \
    X(displace, 0, 4)                                                                                                              \
    X(evict, 0, 3)                                                                                                                 \
    X(export, 0, 4)                                                                                                                \
    X(build, sizeof(struct compact_scratch), 2)                                                                                    \
    X(tidy, 0, 4)                                                                                                                  \
    X(columns, 0, 5)                                                                                                               \
    X(codes, 0, 8)                                                                                                                 \
    X(estimate, 0, 8)

#define COMPACT_NUMBER(operation, scratch, blocks) COMPACT_##operation,
#define COMPACT_COLUMNS(operation, scratch, blocks)                                                                                \
    COMPACT_SCRATCH_##operation = (int)(scratch), COMPACT_BLOCKS_##operation = (blocks),
enum compact_operation { COMPACT_LIST(COMPACT_NUMBER) };
enum { COMPACT_LIST(COMPACT_COLUMNS) };

enum compact_shape { COMPACT_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define COMPACT_OPERATIONS(X, shape) X(find, shape) X(insert, shape) X(erase, shape) X(apply, shape)

/* Two operations that take their shape at run time are also built for the shapes that are used
 * most.  Displacements are made in one shape alone.
 * X(operation, shape, driver, tile): the existing combinations; the first of an operation and shape
 * is the default. */
#define COMPACT_SHAPE_KERNELS(X, shape)                                                                                            \
    X(find, shape, onceabreast, 2)                                                                                                 \
    X(insert, shape, abreast, 2)                                                                                                   \
    X(erase, shape, abreast, 2)                                                                                                    \
    X(apply, shape, abreast, 2)

#define COMPACT_KERNELS(X)                                                                                                         \
    COMPACT_SHAPE_KERNELS(X, k4v4)                                                                                                 \
    COMPACT_SHAPE_KERNELS(X, k4v8)                                                                                                 \
    COMPACT_SHAPE_KERNELS(X, k4v0)                                                                                                 \
    COMPACT_SHAPE_KERNELS(X, k4v4wide)                                                                                             \
    COMPACT_SHAPE_KERNELS(X, k4v8wide)                                                                                             \
    COMPACT_SHAPE_KERNELS(X, k4v0wide)                                                                                             \
    COMPACT_SHAPE_KERNELS(X, k8v0)                                                                                                 \
    COMPACT_SHAPE_KERNELS(X, k8v8)                                                                                                 \
    COMPACT_SHAPE_KERNELS(X, k8v4)                                                                                                 \
    COMPACT_SHAPE_KERNELS(X, k8v0six)                                                                                              \
    COMPACT_SHAPE_KERNELS(X, k8v8wide)                                                                                             \
    COMPACT_SHAPE_KERNELS(X, k8v4wide)                                                                                             \
    COMPACT_SHAPE_KERNELS(X, k8v0wide)                                                                                             \
    X(displace, k4v4, runs, 1)                                                                                                     \
    X(evict, k4v4, runs, 1)                                                                                                        \
    X(evict, k8v8, runs, 1)                                                                                                        \
    X(evict, any, runs, 1)                                                                                                         \
    X(build, k4v4, tile, 32)                                                                                                       \
    X(build, k8v8, tile, 32)                                                                                                       \
    X(export, any, lane, 1)                                                                                                        \
    X(build, any, tile, 32)                                                                                                        \
    X(tidy, any, lane, 1)                                                                                                          \
    X(columns, any, lane, 1)                                                                                                       \
    X(codes, any, lane, 1)                                                                                                         \
    X(estimate, any, lane, 1)

ROOST_KERNELS_DECLARE(compact)

COMPACT_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#endif
