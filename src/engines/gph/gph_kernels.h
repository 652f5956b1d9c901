/* GPH's kernels, a line each: the one list from which the host and CUDA stamp them and the policy
 * finds them. */
#ifndef ROOST_GPH_KERNELS_H
#define ROOST_GPH_KERNELS_H

#include "engines/gph/gph_transfer.h"
#include "engines/gph/gph_tune.h"
#include "engines/kernels.h"

/* X(operation, cells, blocks): whether a tile asks for the workspace of a cell; and the blocks of
 * ROOST_LAUNCH_BOUNDS, from `slots` and `tile`.  A find of more than 4 slots a lane holds them in
 * registers. */
#define GPH_LIST(X)                                                                                                                \
    X(find, 0, slots / tile > 4 ? 6 : 8)                                                                                           \
    X(erase, 0, 6)                                                                                                                 \
    X(fill, 0, 5)                                                                                                                  \
    X(refine, 1, 4)                                                                                                                \
    X(mend, 1, 3)                                                                                                                  \
    X(evict, 1, 3)                                                                                                                 \
    X(export, 0, 4)                                                                                                                \
    X(estimate, 0, 8)                                                                                                              \
    X(route, 0, 8)                                                                                                                 \
    X(findslot, 0, 6)

#define GPH_LIST_ENUM(operation, cells, blocks) GPH_##operation,
enum gph_operation { GPH_LIST(GPH_LIST_ENUM) };
#undef GPH_LIST_ENUM

/* X(name, key bytes, value bytes, slots, word, homes): every shape that is stamped.  Widths have
 * their default slots; other slot counts are stamped for 4+4 alone.  An item's homes are
 * gph_items.h's. */
#define GPH_SHAPES(X)                                                                                                              \
    X(k4v4, 4, 4, 8, 1, 2)                                                                                                         \
    X(k8v8, 8, 8, 8, 0, 2)                                                                                                         \
    X(k8v4, 8, 4, 8, 0, 2)                                                                                                         \
    X(k4v8, 4, 8, 8, 0, 2)                                                                                                         \
    X(k4v0, 4, 0, 16, 1, 2)                                                                                                        \
    X(k8v0, 8, 0, 8, 1, 2)                                                                                                         \
    X(k4v4s4, 4, 4, 4, 1, 2)                                                                                                       \
    X(k4v4s16, 4, 4, 16, 1, 2)

enum gph_shape { GPH_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define GPH_OPERATIONS(X, shape) X(find, shape) X(erase, shape) X(fill, shape) X(refine, shape) X(mend, shape) X(evict, shape)

/* X(operation, shape, driver, tile): which pairs of operation and driver exist; the first of an
 * operation and shape is the default. */
#define GPH_KERNELS(X)                                                                                                             \
    X(find, k4v4, once, 2)                                                                                                         \
    X(find, k4v4, tile, 2)                                                                                                         \
    X(find, k4v4, lane, 1)                                                                                                         \
    X(find, k4v4, tile, 4)                                                                                                         \
    X(find, k4v4, cooperative, 2)                                                                                                  \
    X(find, k4v4, twice, 2)                                                                                                        \
    X(erase, k4v4, tile, 2)                                                                                                        \
    X(fill, k4v4, tile, 2)                                                                                                         \
    X(refine, k4v4, tile, 8)                                                                                                       \
    X(mend, k4v4, tile, 8)                                                                                                         \
    X(evict, k4v4, tile, 8)                                                                                                        \
    X(find, k8v8, once, 2)                                                                                                         \
    X(erase, k8v8, tile, 4)                                                                                                        \
    X(fill, k8v8, tile, 2)                                                                                                         \
    X(refine, k8v8, tile, 8)                                                                                                       \
    X(mend, k8v8, tile, 8)                                                                                                         \
    X(evict, k8v8, tile, 8)                                                                                                        \
    X(find, k8v4, once, 2)                                                                                                         \
    X(erase, k8v4, tile, 4)                                                                                                        \
    X(fill, k8v4, tile, 2)                                                                                                         \
    X(refine, k8v4, tile, 8)                                                                                                       \
    X(mend, k8v4, tile, 8)                                                                                                         \
    X(evict, k8v4, tile, 8)                                                                                                        \
    X(find, k4v8, once, 2)                                                                                                         \
    X(erase, k4v8, tile, 2)                                                                                                        \
    X(fill, k4v8, tile, 2)                                                                                                         \
    X(refine, k4v8, tile, 8)                                                                                                       \
    X(mend, k4v8, tile, 8)                                                                                                         \
    X(evict, k4v8, tile, 8)                                                                                                        \
    X(find, k4v0, once, 2)                                                                                                         \
    X(erase, k4v0, tile, 2)                                                                                                        \
    X(fill, k4v0, tile, 2)                                                                                                         \
    X(refine, k4v0, tile, 8)                                                                                                       \
    X(mend, k4v0, tile, 8)                                                                                                         \
    X(evict, k4v0, tile, 8)                                                                                                        \
    X(find, k8v0, once, 2)                                                                                                         \
    X(erase, k8v0, tile, 2)                                                                                                        \
    X(fill, k8v0, tile, 2)                                                                                                         \
    X(refine, k8v0, tile, 8)                                                                                                       \
    X(mend, k8v0, tile, 8)                                                                                                         \
    X(evict, k8v0, tile, 8)                                                                                                        \
    X(find, k4v4s4, once, 1)                                                                                                       \
    X(erase, k4v4s4, tile, 1)                                                                                                      \
    X(fill, k4v4s4, tile, 2)                                                                                                       \
    X(refine, k4v4s4, tile, 8)                                                                                                     \
    X(mend, k4v4s4, tile, 8)                                                                                                       \
    X(evict, k4v4s4, tile, 8)                                                                                                      \
    X(find, k4v4s16, once, 4)                                                                                                      \
    X(erase, k4v4s16, tile, 4)                                                                                                     \
    X(fill, k4v4s16, tile, 4)                                                                                                      \
    X(refine, k4v4s16, tile, 8)                                                                                                    \
    X(mend, k4v4s16, tile, 8)                                                                                                      \
    X(evict, k4v4s16, tile, 8)                                                                                                     \
    X(find, k4v4, staged, 2)                                                                                                       \
    X(find, k8v8, staged, 2)                                                                                                       \
    X(find, k8v4, staged, 2)                                                                                                       \
    X(find, k4v8, staged, 2)                                                                                                       \
    X(find, k4v0, staged, 2)                                                                                                       \
    X(find, k8v0, staged, 2)                                                                                                       \
    X(find, k4v4s4, staged, 1)                                                                                                     \
    X(find, k4v4s16, staged, 4)                                                                                                    \
    X(route, any, lane, 1)                                                                                                         \
    X(export, any, tile, 4)                                                                                                        \
    X(estimate, any, lane, 1)

ROOST_KERNELS_DECLARE(gph)

GPH_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#define GPH_SHAPE_CONSTANTS(name, key, value, slots, word, homes) WORD_##name = word, SLOTS_##name = slots,
enum { GPH_SHAPES(GPH_SHAPE_CONSTANTS) ROOST_SHAPE_ANY(GPH_SHAPE_CONSTANTS) };
#undef GPH_SHAPE_CONSTANTS

/* Bytes of scratch memory that a tile of an operation asks for. */
#define GPH_LIST_CELLS(operation, cells, blocks) CELLS_##operation = cells,
enum { GPH_LIST(GPH_LIST_CELLS) };
#undef GPH_LIST_CELLS
#define GPH_WORKSPACE_BYTES(word) ((word) ? offsetof(struct gph_workspace, value) : sizeof(struct gph_workspace))
#define GPH_SCRATCH(operation, word) ((uint32_t)(CELLS_##operation ? GPH_WORKSPACE_BYTES(word) : 0))

#endif
