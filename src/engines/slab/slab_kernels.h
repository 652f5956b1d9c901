/* SlabHash's kernels, one line each: the list from which the host and CUDA stamp them and the
 * policy finds them. */
#ifndef ROOST_SLAB_KERNELS_H
#define ROOST_SLAB_KERNELS_H

#include "engines/kernels.h"
#include "engines/slab/slab_rebuild.h"

/* The operations named after slabs read both halves of a slab at once. */
enum slab_operation {
    SLAB_find,
    SLAB_insert,
    SLAB_erase,
    SLAB_apply,
    SLAB_every,
    SLAB_findslab,
    SLAB_insertslab,
    SLAB_applyslab,
    SLAB_rebuild,
    SLAB_survey,
    SLAB_export,
    SLAB_codes,
    SLAB_findslot
};

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
    X(codes, any, lane, 1)

/* Further kernels for `ROOST_TUNE` builds: tile sizes and drivers to compare. */
#if ROOST_TUNE
#define SLAB_TUNE_KERNELS(X)                                                                                                       \
    X(findslot, k4v4, once, 2)                                                                                                     \
    X(findslot, k4v4, once, 1)                                                                                                     \
    X(findslot, k4v4, once, 4)                                                                                                     \
    X(findslot, k4v4, once, 8)                                                                                                     \
    X(findslot, k4v4, once, 16)                                                                                                    \
    X(find, k4v4, once, 1)                                                                                                         \
    X(find, k4v4, once, 4)                                                                                                         \
    X(find, k4v4, tile, 4)                                                                                                         \
    X(insert, k4v4, tile, 4)                                                                                                       \
    X(erase, k4v4, tile, 4)                                                                                                        \
    X(apply, k4v4, tile, 4)                                                                                                        \
    X(findslab, k4v4, tile, 4)                                                                                                     \
    X(insertslab, k4v4, tile, 4)                                                                                                   \
    X(applyslab, k4v4, tile, 4)                                                                                                    \
    X(findslab, k4v4, lane, 1)                                                                                                     \
    X(insertslab, k4v4, lane, 1)                                                                                                   \
    X(applyslab, k4v4, lane, 1)                                                                                                    \
    X(find, k8v8, tile, 4)                                                                                                         \
    X(insert, k8v8, tile, 4)                                                                                                       \
    X(erase, k8v8, tile, 4)
#else
#define SLAB_TUNE_KERNELS(X)
#endif

struct kernels slab_host_kernels(void);
#if defined(__cplusplus)
extern "C"
#endif
    struct kernels
    slab_cuda_kernels(void);

SLAB_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#endif
