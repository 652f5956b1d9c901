/* Stadium hashing's kernels, a line each: the one list from which the host and CUDA stamp them and the policy finds them. */
#ifndef ROOST_STADIUM_KERNELS_H
#define ROOST_STADIUM_KERNELS_H

#include "engines/kernels.h"
#include "engines/stadium/stadium_refill.h"
#include "engines/stadium/stadium_transfer.h"

enum stadium_operation {
    STADIUM_find,
    STADIUM_insert,
    STADIUM_erase,
    STADIUM_apply,
    STADIUM_rebuild,
    STADIUM_compact,
    STADIUM_survey,
    STADIUM_export,
    STADIUM_estimate,
    STADIUM_sift,
    STADIUM_codes
};

enum stadium_shape { STADIUM_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define STADIUM_OPERATIONS(X, shape) X(find, shape) X(insert, shape) X(erase, shape) X(apply, shape) X(rebuild, shape)

/* Bytes of scratch memory that a lane asks for, by driver. */
enum {
    STADIUM_SCRATCH_lane = 0,
    STADIUM_SCRATCH_tile = 0,
    STADIUM_SCRATCH_once = 0,
    STADIUM_SCRATCH_cooperative = 0,
    STADIUM_SCRATCH_collaborate = COLLABORATE_BYTES
};

/* X(operation, shape, driver, tile): which pairs of operation and driver exist; the first of an operation and shape is the default.  Measured on an
 * H200, a lane alone serves a group of 32 bytes faster than two do (docs/stadium.md). */
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

/* More of them, for `ROOST_TUNE` builds: tile sizes and drivers to compare. */
#if ROOST_TUNE
#define STADIUM_TUNE_KERNELS(X)                                                                                                    \
    X(find, k4v4, once, 2)                                                                                                         \
    X(find, k4v4, lane, 1)                                                                                                         \
    X(find, k4v4, cooperative, 2)                                                                                                  \
    X(find, k4v4, tile, 2)                                                                                                         \
    X(apply, k4v4, tile, 2)                                                                                                        \
    X(find, k4v4g64, once, 4)                                                                                                      \
    X(find, k8v8g64, once, 4)                                                                                                      \
    X(find, k8v8, once, 2)                                                                                                         \
    X(find, k8v8, lane, 1)                                                                                                         \
    X(find, k4v4g64, once, 1)                                                                                                      \
    X(insert, k8v8, tile, 2)                                                                                                       \
    X(insert, k4v4g64, lane, 1)                                                                                                    \
    X(insert, k8v8g64, lane, 1)
#else
#define STADIUM_TUNE_KERNELS(X)
#endif

struct kernels stadium_host_kernels(void);
#if defined(__cplusplus)
extern "C"
#endif
    struct kernels
    stadium_cuda_kernels(void);

STADIUM_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#endif
