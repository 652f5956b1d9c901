/* DyCuckoo's kernels, a line each: the one list from which the host and CUDA stamp them and the
 * policy finds them. */
#ifndef ROOST_DYCUCKOO_KERNELS_H
#define ROOST_DYCUCKOO_KERNELS_H

#include "engines/dycuckoo/dycuckoo_resize.h"
#include "engines/dycuckoo/dycuckoo_spill_items.h"
#include "engines/dycuckoo/dycuckoo_tune.h"
#include "engines/kernels.h"

/* X(operation, scratch, blocks): bytes of scratch memory that a tile asks for, where a path search
 * remembers its buckets; and the blocks of ROOST_LAUNCH_BOUNDS, from `slots` and `tile`.  A find of
 * more than 4 slots a lane holds them in registers. */
#define DYCUCKOO_LIST(X)                                                                                                           \
    X(find, 0, slots / tile > 4 ? 6 : 8)                                                                                           \
    X(erase, 0, 6)                                                                                                                 \
    X(fill, 0, slots == 8 && tile == 2 ? 5 : 4)                                                                                    \
    X(evict, 0, 3)                                                                                                                 \
    X(path, sizeof(struct path_node) * (DYCUCKOO_PATH_NODES + 1), 2)                                                               \
    X(resize, 0, 4)                                                                                                                \
    X(export, 0, 4)                                                                                                                \
    X(estimate, 0, 8)                                                                                                              \
    X(spill, 0, 4)                                                                                                                 \
    X(findslot, 0, 6)

#define DYCUCKOO_LIST_ENUM(operation, scratch, blocks) DYCUCKOO_##operation,
enum dycuckoo_operation { DYCUCKOO_LIST(DYCUCKOO_LIST_ENUM) };
#undef DYCUCKOO_LIST_ENUM

#define DYCUCKOO_LIST_SCRATCH(operation, scratch, blocks) DYCUCKOO_SCRATCH_##operation = scratch,
enum { DYCUCKOO_LIST(DYCUCKOO_LIST_SCRATCH) };
#undef DYCUCKOO_LIST_SCRATCH

/* X(name, key bytes, value bytes, slots, word, homes): every shape with two homes a key.  Widths
 * have their default slots.  Other slot counts and the apart layout (the locked path) are of 4+4
 * bytes alone. */
#define DYCUCKOO_PAIR_SHAPES(X)                                                                                                    \
    X(k4v4, 4, 4, 8, 1, 2)                                                                                                         \
    X(k8v8, 8, 8, 8, 0, 2)                                                                                                         \
    X(k8v4, 8, 4, 8, 0, 2)                                                                                                         \
    X(k4v8, 4, 8, 8, 0, 2)                                                                                                         \
    X(k4v0, 4, 0, 16, 1, 2)                                                                                                        \
    X(k8v0, 8, 0, 8, 1, 2)                                                                                                         \
    X(k4v4s4, 4, 4, 4, 1, 2)                                                                                                       \
    X(k4v4s16, 4, 4, 16, 1, 2)                                                                                                     \
    X(k4v4s32, 4, 4, 32, 1, 2)                                                                                                     \
    X(k4v4apart, 4, 4, 8, 0, 2)

/* Plain d-ary cuckoo, with a home in every subtable. */
#define DYCUCKOO_DARY_SHAPES(X) X(k4v4dary, 4, 4, 8, 1, MAX_HOMES)

#define DYCUCKOO_SHAPES(X) DYCUCKOO_PAIR_SHAPES(X) DYCUCKOO_DARY_SHAPES(X)

enum dycuckoo_shape { DYCUCKOO_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define DYCUCKOO_OPERATIONS(X, shape) X(find, shape) X(erase, shape) X(fill, shape) X(evict, shape) X(path, shape)

/* X(operation, shape, driver, tile): every kernel.  The first one of an operation and shape is the
 * default. */
#define DYCUCKOO_KERNELS(X)                                                                                                        \
    X(find, k4v4, once, 2)                                                                                                         \
    X(find, k4v4, lane, 1)                                                                                                         \
    X(find, k4v4, cooperative, 2)                                                                                                  \
    X(erase, k4v4, tile, 2)                                                                                                        \
    X(fill, k4v4, tile, 2)                                                                                                         \
    X(fill, k4v4, vote, 4)                                                                                                         \
    X(evict, k4v4, tile, 2)                                                                                                        \
    X(path, k4v4, vote, 8)                                                                                                         \
    X(find, k8v8, once, 2)                                                                                                         \
    X(erase, k8v8, tile, 4)                                                                                                        \
    X(fill, k8v8, lane, 1)                                                                                                         \
    X(evict, k8v8, vote, 2)                                                                                                        \
    X(path, k8v8, vote, 8)                                                                                                         \
    X(find, k8v4, once, 2)                                                                                                         \
    X(erase, k8v4, tile, 4)                                                                                                        \
    X(fill, k8v4, lane, 1)                                                                                                         \
    X(evict, k8v4, vote, 2)                                                                                                        \
    X(path, k8v4, vote, 8)                                                                                                         \
    X(find, k4v8, once, 2)                                                                                                         \
    X(erase, k4v8, tile, 2)                                                                                                        \
    X(fill, k4v8, lane, 1)                                                                                                         \
    X(evict, k4v8, vote, 2)                                                                                                        \
    X(path, k4v8, vote, 8)                                                                                                         \
    X(find, k4v0, once, 2)                                                                                                         \
    X(erase, k4v0, tile, 2)                                                                                                        \
    X(fill, k4v0, tile, 2)                                                                                                         \
    X(evict, k4v0, tile, 4)                                                                                                        \
    X(path, k4v0, vote, 16)                                                                                                        \
    X(find, k8v0, once, 2)                                                                                                         \
    X(erase, k8v0, tile, 2)                                                                                                        \
    X(fill, k8v0, tile, 2)                                                                                                         \
    X(evict, k8v0, tile, 2)                                                                                                        \
    X(path, k8v0, vote, 8)                                                                                                         \
    X(find, k4v4s4, once, 1)                                                                                                       \
    X(erase, k4v4s4, tile, 1)                                                                                                      \
    X(fill, k4v4s4, tile, 2)                                                                                                       \
    X(evict, k4v4s4, tile, 4)                                                                                                      \
    X(path, k4v4s4, vote, 4)                                                                                                       \
    X(find, k4v4s16, tile, 4)                                                                                                      \
    X(erase, k4v4s16, tile, 4)                                                                                                     \
    X(fill, k4v4s16, tile, 4)                                                                                                      \
    X(evict, k4v4s16, tile, 4)                                                                                                     \
    X(path, k4v4s16, vote, 16)                                                                                                     \
    X(find, k4v4s32, tile, 8)                                                                                                      \
    X(erase, k4v4s32, tile, 8)                                                                                                     \
    X(fill, k4v4s32, tile, 8)                                                                                                      \
    X(evict, k4v4s32, tile, 8)                                                                                                     \
    X(path, k4v4s32, vote, 32)                                                                                                     \
    X(find, k4v4apart, once, 2)                                                                                                    \
    X(erase, k4v4apart, tile, 2)                                                                                                   \
    X(fill, k4v4apart, lane, 1)                                                                                                    \
    X(fill, k4v4apart, vote, 2)                                                                                                    \
    X(evict, k4v4apart, vote, 2)                                                                                                   \
    X(path, k4v4apart, vote, 8)                                                                                                    \
    X(resize, any, tile, 4)                                                                                                        \
    X(export, any, tile, 4)                                                                                                        \
    X(estimate, any, lane, 1)                                                                                                      \
    X(spill, any, lane, 1)

ROOST_KERNELS_DECLARE(dycuckoo)

DYCUCKOO_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#define DYCUCKOO_SLOTS_ENUM(name, key, value, slots, word, homes) SLOTS_##name = slots,
enum { DYCUCKOO_SHAPES(DYCUCKOO_SLOTS_ENUM) ROOST_SHAPE_ANY(DYCUCKOO_SLOTS_ENUM) };
#undef DYCUCKOO_SLOTS_ENUM

#endif
