/* Stadium hashing's kernels, one line each: the list from which the host and CUDA stamp them and
 * the policy finds them. */
#ifndef ROOST_STADIUM_KERNELS_H
#define ROOST_STADIUM_KERNELS_H

#include "engines/kernels.h"
#include "engines/stadium/stadium_refill.h"
#include "engines/stadium/stadium_transfer.h"
#include "engines/stadium/stadium_tune.h"

/* X(operation, minimum resident blocks per multiprocessor (ROOST_LAUNCH_BOUNDS)). */
#define STADIUM_OPERATION_LIST(X)                                                                                                  \
    X(find, 8)                                                                                                                     \
    X(insert, 4)                                                                                                                   \
    X(erase, 5)                                                                                                                    \
    X(apply, 3)                                                                                                                    \
    X(rebuild, 6)                                                                                                                  \
    X(compact, 8)                                                                                                                  \
    X(survey, 8)                                                                                                                   \
    X(export, 8)                                                                                                                   \
    X(estimate, 8)                                                                                                                 \
    X(sift, 6)                                                                                                                     \
    X(codes, 8)

#define STADIUM_NUMBER(operation, blocks) STADIUM_##operation,
#define STADIUM_BLOCKS(operation, blocks) STADIUM_BLOCKS_##operation = (blocks),
enum stadium_operation { STADIUM_OPERATION_LIST(STADIUM_NUMBER) };
enum { STADIUM_OPERATION_LIST(STADIUM_BLOCKS) };

enum stadium_shape { STADIUM_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define STADIUM_OPERATIONS(X, shape) X(find, shape) X(insert, shape) X(erase, shape) X(apply, shape) X(rebuild, shape)

/* Bytes of scratch memory of a lane, by driver. */
enum {
    STADIUM_SCRATCH_lane = 0,
    STADIUM_SCRATCH_tile = 0,
    STADIUM_SCRATCH_once = 0,
    STADIUM_SCRATCH_cooperative = 0,
    STADIUM_SCRATCH_collaborate = COLLABORATE_BYTES
};

/* X(operation, shape, driver, tile): the existing kernels; the first of an operation and shape is
 * the default.  On an H200 one lane serves a group of 32 bytes faster than two do
 * (docs/stadium.md). */
#define STADIUM_SHAPE_KERNELS(X, shape, lanes, driver)                                                                             \
    X(find, shape, once, lanes)                                                                                                    \
    X(insert, shape, driver, lanes)                                                                                                \
    X(erase, shape, driver, lanes)                                                                                                 \
    X(apply, shape, driver, lanes)                                                                                                 \
    X(rebuild, shape, driver, lanes)

#define STADIUM_KERNELS(X)                                                                                                         \
    STADIUM_SHAPE_KERNELS(X, k4v4, 1, lane)                                                                                        \
    X(insert, k4v4, tile, 2)                                                                                                       \
    X(insert, k4v4, cooperative, 2)                                                                                                \
    X(insert, k4v4, collaborate, 1)                                                                                                \
    STADIUM_SHAPE_KERNELS(X, k8v8, 1, lane)                                                                                        \
    STADIUM_SHAPE_KERNELS(X, k4v4any, 1, lane)                                                                                     \
    STADIUM_SHAPE_KERNELS(X, k8v8any, 1, lane)                                                                                     \
    STADIUM_SHAPE_KERNELS(X, k8v4, 1, lane)                                                                                        \
    STADIUM_SHAPE_KERNELS(X, k4v8, 1, lane)                                                                                        \
    STADIUM_SHAPE_KERNELS(X, k4v0, 1, lane)                                                                                        \
    STADIUM_SHAPE_KERNELS(X, k8v0, 1, lane)                                                                                        \
    STADIUM_SHAPE_KERNELS(X, k4v4g64, 2, tile)                                                                                     \
    STADIUM_SHAPE_KERNELS(X, k8v8g64, 2, tile)                                                                                     \
    STADIUM_SHAPE_KERNELS(X, wide, 1, lane)                                                                                        \
    X(compact, any, lane, 1)                                                                                                       \
    X(survey, any, lane, 1)                                                                                                        \
    X(export, any, tile, 4)                                                                                                        \
    X(estimate, any, lane, 1)                                                                                                      \
    X(sift, any, lane, 1)                                                                                                          \
    X(codes, any, lane, 1)

ROOST_KERNELS_DECLARE(stadium)

STADIUM_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#endif
