/* FKS's kernels, a line each: the one list from which the host and CUDA stamp them and the policy finds them. */
#ifndef ROOST_FKS_KERNELS_H
#define ROOST_FKS_KERNELS_H

#include "engines/fks/fks_transfer.h"
#include "engines/kernels.h"

enum fks_operation {
    FKS_find,
    FKS_erase,
    FKS_write,
    FKS_shift,
    FKS_build,
    FKS_export,
    FKS_estimate,
    FKS_hashes,
    FKS_bounds,
    FKS_gather,
    FKS_fates,
    FKS_again,
    FKS_codes
};

/* X(name, key bytes, value bytes, slots of a line, word, homes): every shape that is stamped.  Lines of a single slot are stamped for 4+4
 * alone. */
#define FKS_SHAPES(X)                                                                                                              \
    X(k4v4, 4, 4, 8, 1, 2)                                                                                                         \
    X(k8v8, 8, 8, 8, 0, 2)                                                                                                         \
    X(k8v4, 8, 4, 8, 0, 2)                                                                                                         \
    X(k4v8, 4, 8, 8, 0, 2)                                                                                                         \
    X(k4v0, 4, 0, 16, 1, 2)                                                                                                        \
    X(k8v0, 8, 0, 8, 1, 2)                                                                                                         \
    X(k4v4s1, 4, 4, 1, 1, 2)

enum fks_shape { FKS_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define FKS_OPERATIONS(X, shape) X(find, shape) X(erase, shape) X(write, shape) X(shift, shape) X(build, shape)
#define FKS_OPERATIONS_ANY(X) X(export) X(estimate) X(hashes) X(bounds) X(gather) X(fates) X(again) X(codes)

/* X(operation, shape, driver, tile): which pairs of operation and driver exist; the first of an operation and shape is the default. */
#define FKS_KERNELS(X)                                                                                                             \
    X(find, k4v4, once, 2)                                                                                                         \
    X(find, k4v4, once, 1)                                                                                                         \
    X(find, k4v4, once, 4)                                                                                                         \
    X(find, k4v4, tile, 2)                                                                                                         \
    X(find, k4v4, lane, 1)                                                                                                         \
    X(find, k4v4, cooperative, 2)                                                                                                  \
    X(erase, k4v4, tile, 2)                                                                                                        \
    X(erase, k4v4, tile, 1)                                                                                                        \
    X(write, k4v4, tile, 2)                                                                                                        \
    X(write, k4v4, tile, 1)                                                                                                        \
    X(write, k4v4, tile, 4)                                                                                                        \
    X(shift, k4v4, tile, 4)                                                                                                        \
    X(build, k4v4, team, 32)                                                                                                       \
    X(find, k8v8, once, 2)                                                                                                         \
    X(erase, k8v8, tile, 2)                                                                                                        \
    X(write, k8v8, tile, 2)                                                                                                        \
    X(shift, k8v8, tile, 4)                                                                                                        \
    X(build, k8v8, team, 32)                                                                                                       \
    X(find, k8v4, once, 2)                                                                                                         \
    X(erase, k8v4, tile, 2)                                                                                                        \
    X(write, k8v4, tile, 2)                                                                                                        \
    X(shift, k8v4, tile, 4)                                                                                                        \
    X(build, k8v4, team, 32)                                                                                                       \
    X(find, k4v8, once, 2)                                                                                                         \
    X(erase, k4v8, tile, 2)                                                                                                        \
    X(write, k4v8, tile, 2)                                                                                                        \
    X(shift, k4v8, tile, 4)                                                                                                        \
    X(build, k4v8, team, 32)                                                                                                       \
    X(find, k4v0, once, 2)                                                                                                         \
    X(erase, k4v0, tile, 2)                                                                                                        \
    X(write, k4v0, tile, 2)                                                                                                        \
    X(shift, k4v0, tile, 4)                                                                                                        \
    X(build, k4v0, team, 32)                                                                                                       \
    X(find, k8v0, once, 2)                                                                                                         \
    X(erase, k8v0, tile, 2)                                                                                                        \
    X(write, k8v0, tile, 2)                                                                                                        \
    X(shift, k8v0, tile, 4)                                                                                                        \
    X(build, k8v0, team, 32)                                                                                                       \
    X(find, k4v4s1, once, 1)                                                                                                       \
    X(erase, k4v4s1, tile, 1)                                                                                                      \
    X(write, k4v4s1, tile, 1)                                                                                                      \
    X(shift, k4v4s1, tile, 4)                                                                                                      \
    X(build, k4v4s1, team, 32)                                                                                                     \
    X(export, any, tile, 4)                                                                                                        \
    X(estimate, any, lane, 1)                                                                                                      \
    X(hashes, any, lane, 1)                                                                                                        \
    X(bounds, any, lane, 1)                                                                                                        \
    X(gather, any, lane, 1)                                                                                                        \
    X(fates, any, lane, 1)                                                                                                         \
    X(again, any, lane, 1)                                                                                                         \
    X(codes, any, lane, 1)

/* More of them, for `ROOST_TUNE` builds: tile sizes and drivers to compare. */
#if ROOST_TUNE
#define FKS_TUNE_KERNELS(X)                                                                                                        \
    X(find, k4v4, tile, 4)                                                                                                         \
    X(erase, k4v4, tile, 4)                                                                                                        \
    X(write, k4v4, tile, 8)                                                                                                        \
    X(build, k4v4, team, 16)                                                                                                       \
    X(find, k8v8, once, 4)                                                                                                         \
    X(find, k8v8, once, 1)
#else
#define FKS_TUNE_KERNELS(X)
#endif

struct kernels fks_host_kernels(void);
#if defined(__cplusplus)
extern "C"
#endif
    struct kernels
    fks_cuda_kernels(void);

FKS_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

/* Bytes of scratch memory that a tile asks for: what a team builds buckets in. */
#define FKS_SCRATCH_find 0
#define FKS_SCRATCH_erase 0
#define FKS_SCRATCH_write 0
#define FKS_SCRATCH_shift 0
#define FKS_SCRATCH_build ((uint32_t)sizeof(struct fks_scratch))
#define FKS_SCRATCH_export 0
#define FKS_SCRATCH_estimate 0
#define FKS_SCRATCH_hashes 0
#define FKS_SCRATCH_bounds 0
#define FKS_SCRATCH_gather 0
#define FKS_SCRATCH_fates 0
#define FKS_SCRATCH_again 0
#define FKS_SCRATCH_codes 0

#endif
