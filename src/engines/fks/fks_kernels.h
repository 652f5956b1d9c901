/* FKS's kernels, a line each: the one list by which the host and CUDA stamp them and the policy
 * finds them. */
#ifndef ROOST_FKS_KERNELS_H
#define ROOST_FKS_KERNELS_H

#include "engines/fks/fks_transfer.h"
#include "engines/fks/fks_tune.h"
#include "engines/kernels.h"

/* X(operation, scratch bytes of a tile, blocks of ROOST_LAUNCH_BOUNDS).  A team builds buckets in
 * its scratch memory: 2 blocks are 16 warps of a multiprocessor, as many as its shared memory has
 * room for. */
#define FKS_OPERATION_LIST(X)                                                                                                      \
    X(find, 0, 8)                                                                                                                  \
    X(erase, 0, 6)                                                                                                                 \
    X(write, 0, 6)                                                                                                                 \
    X(shift, 0, 4)                                                                                                                 \
    X(build, sizeof(struct fks_scratch), 2)                                                                                        \
    X(export, 0, 4)                                                                                                                \
    X(estimate, 0, 8)                                                                                                              \
    X(hashes, 0, 8)                                                                                                                \
    X(bounds, 0, 8)                                                                                                                \
    X(gather, 0, 8)                                                                                                                \
    X(outcomes, 0, 8)                                                                                                              \
    X(remain, 0, 8)                                                                                                                \
    X(requeue, 0, 8)                                                                                                               \
    X(codes, 0, 8)

#define FKS_NUMBER(operation, scratch, blocks) FKS_##operation,
#define FKS_COLUMNS(operation, scratch, blocks) FKS_SCRATCH_##operation = (int)(scratch), FKS_BLOCKS_##operation = (blocks),
enum fks_operation { FKS_OPERATION_LIST(FKS_NUMBER) };
enum { FKS_OPERATION_LIST(FKS_COLUMNS) };

/* X(name, key bytes, value bytes, slots of a line, word, homes): every shape that is stamped.
 * Lines of one slot are stamped for 4+4 alone. */
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
#define FKS_OPERATIONS_ANY(X) X(export) X(estimate) X(hashes) X(bounds) X(gather) X(outcomes) X(remain) X(requeue) X(codes)

/* X(operation, shape, driver, tile): which kernels exist; the first of an operation and shape is
 * the default. */
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
    X(outcomes, any, lane, 1)                                                                                                      \
    X(remain, any, lane, 1)                                                                                                        \
    X(requeue, any, lane, 1)                                                                                                       \
    X(codes, any, lane, 1)

ROOST_KERNELS_DECLARE(fks)

FKS_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#endif
