/* SlabHash's kernels, one line each: the list from which the host and CUDA stamp them and the
 * policy finds them. */
#ifndef ROOST_SLAB_KERNELS_H
#define ROOST_SLAB_KERNELS_H

#include "engines/kernels.h"
#include "engines/slab/slab_rebuild.h"
#include "engines/slab/slab_tune.h"

/* X(operation, minimum resident blocks per multiprocessor (ROOST_LAUNCH_BOUNDS)).  The operations
 * named after slabs read both halves of a slab at once. */
#define SLAB_OPERATION_LIST(X)                                                                                                     \
    X(find, 8)                                                                                                                     \
    X(insert, 4)                                                                                                                   \
    X(erase, 5)                                                                                                                    \
    X(apply, 4)                                                                                                                    \
    X(every, 4)                                                                                                                    \
    X(findslab, 5)                                                                                                                 \
    X(insertslab, 4)                                                                                                               \
    X(applyslab, 4)                                                                                                                \
    X(rebuild, 4)                                                                                                                  \
    X(survey, 4)                                                                                                                   \
    X(export, 4)                                                                                                                   \
    X(enqueue, 8)                                                                                                                  \
    X(serve, 4)                                                                                                                    \
    X(codes, 8)                                                                                                                    \
    X(findslot, 6)

#define SLAB_NUMBER(operation, blocks) SLAB_##operation,
#define SLAB_BLOCKS(operation, blocks) SLAB_BLOCKS_##operation = (blocks),
enum slab_operation { SLAB_OPERATION_LIST(SLAB_NUMBER) };
enum { SLAB_OPERATION_LIST(SLAB_BLOCKS) };

enum slab_shape { SLAB_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define SLAB_OPERATIONS(X, shape) X(find, shape) X(insert, shape) X(erase, shape) X(apply, shape) X(every, shape)

/* X(operation, shape, driver, tile): the existing combinations; the first of an operation and shape
 * is the default. */
#define SLAB_SHAPE_KERNELS(X, shape, lanes)                                                                                        \
    X(find, shape, once, lanes)                                                                                                    \
    X(insert, shape, tile, lanes)                                                                                                  \
    X(erase, shape, tile, lanes)                                                                                                   \
    X(apply, shape, tile, lanes)                                                                                                   \
    X(every, shape, tile, lanes)

#define SLAB_KERNELS(X)                                                                                                            \
    SLAB_SHAPE_KERNELS(X, k4v4, 2)                                                                                                 \
    X(findslab, k4v4, tile, 2)                                                                                                     \
    X(insertslab, k4v4, tile, 2)                                                                                                   \
    X(applyslab, k4v4, tile, 2)                                                                                                    \
    X(find, k4v4, tile, 2)                                                                                                         \
    X(find, k4v4, lane, 1)                                                                                                         \
    X(find, k4v4, cooperative, 2)                                                                                                  \
    X(insert, k4v4, lane, 1)                                                                                                       \
    X(insert, k4v4, cooperative, 2)                                                                                                \
    X(erase, k4v4, lane, 1)                                                                                                        \
    X(apply, k4v4, lane, 1)                                                                                                        \
    X(apply, k4v4, cooperative, 2)                                                                                                 \
    SLAB_SHAPE_KERNELS(X, k8v8, 2)                                                                                                 \
    SLAB_SHAPE_KERNELS(X, k8v4, 2)                                                                                                 \
    SLAB_SHAPE_KERNELS(X, k4v8, 2)                                                                                                 \
    SLAB_SHAPE_KERNELS(X, k4v0, 2)                                                                                                 \
    SLAB_SHAPE_KERNELS(X, k8v0, 2)                                                                                                 \
    SLAB_SHAPE_KERNELS(X, k8v8steps, 2)                                                                                            \
    SLAB_SHAPE_KERNELS(X, k8v4steps, 2)                                                                                            \
    SLAB_SHAPE_KERNELS(X, k4v8steps, 2)                                                                                            \
    X(rebuild, any, lane, 1)                                                                                                       \
    X(survey, any, lane, 1)                                                                                                        \
    X(export, any, lane, 1)                                                                                                        \
    X(enqueue, any, lane, 1)                                                                                                       \
    X(serve, any, lane, 1)                                                                                                         \
    X(codes, any, lane, 1)

ROOST_KERNELS_DECLARE(slab)

SLAB_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#endif
