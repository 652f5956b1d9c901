/* DyCuckoo's kernels, a line each: the one list from which the host and CUDA stamp them and the policy finds them. */
#ifndef ROOST_DYCUCKOO_KERNELS_H
#define ROOST_DYCUCKOO_KERNELS_H

#include "engines/kernels.h"
#include "engines/dycuckoo/dycuckoo_resize.h"
#include "engines/dycuckoo/dycuckoo_spill_items.h"

enum dycuckoo_operation {
    DYCUCKOO_find,
    DYCUCKOO_erase,
    DYCUCKOO_fill,
    DYCUCKOO_evict,
    DYCUCKOO_path,
    DYCUCKOO_grow,
    DYCUCKOO_halve,
    DYCUCKOO_export,
    DYCUCKOO_estimate,
    DYCUCKOO_spill,
    DYCUCKOO_findslot
};

/* X(name, key bytes, value bytes, slots, word, homes): every shape that is stamped.  Widths have their default slots; other slot
 * counts, the apart layout of 4+4 (the locked path) and plain d-ary homes are stamped for 4+4 alone. */
#define DYCUCKOO_SHAPES(X)                                                                                                         \
    X(k4v4, 4, 4, 8, 1, 2)                                                                                                         \
    X(k8v8, 8, 8, 8, 0, 2)                                                                                                         \
    X(k8v4, 8, 4, 8, 0, 2)                                                                                                         \
    X(k4v8, 4, 8, 8, 0, 2)                                                                                                         \
    X(k4v0, 4, 0, 16, 1, 2)                                                                                                        \
    X(k8v0, 8, 0, 8, 1, 2)                                                                                                         \
    X(k4v4s4, 4, 4, 4, 1, 2)                                                                                                       \
    X(k4v4s16, 4, 4, 16, 1, 2)                                                                                                     \
    X(k4v4s32, 4, 4, 32, 1, 2)                                                                                                     \
    X(k4v4apart, 4, 4, 8, 0, 2)                                                                                                    \
    X(k4v4dary, 4, 4, 8, 1, MAX_HOMES)

enum dycuckoo_shape { DYCUCKOO_SHAPES(ROOST_SHAPE_ENUM) ROOST_SHAPE_ANY(ROOST_SHAPE_ENUM) SHAPES };

/* X(operation, shape): every operation of a shape. */
#define DYCUCKOO_OPERATIONS(X, shape) X(find, shape) X(erase, shape) X(fill, shape) X(evict, shape) X(path, shape)

/* X(operation, shape, driver, tile): which pairs of operation and driver exist; the first of an operation and shape is the default. */
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
    X(find, k4v4dary, once, 2)                                                                                                     \
    X(erase, k4v4dary, tile, 2)                                                                                                    \
    X(fill, k4v4dary, tile, 4)                                                                                                     \
    X(evict, k4v4dary, vote, 4)                                                                                                    \
    X(path, k4v4dary, vote, 8)                                                                                                     \
    X(grow, any, tile, 4)                                                                                                          \
    X(halve, any, tile, 4)                                                                                                         \
    X(export, any, tile, 4)                                                                                                        \
    X(estimate, any, lane, 1)                                                                                                      \
    X(spill, any, lane, 1)

/* More of them, for `ROOST_TUNE` builds: tile sizes and drivers to compare. */
#if ROOST_TUNE
#define DYCUCKOO_TUNE_KERNELS(X)                                                                                                   \
    X(findslot, k4v4, once, 2)                                                                                                     \
    X(findslot, k4v4, once, 1)                                                                                                     \
    X(findslot, k4v4, once, 4)                                                                                                     \
    X(findslot, k4v4, once, 8)                                                                                                     \
    X(findslot, k4v4s4, once, 1)                                                                                                   \
    X(findslot, k4v4s4, once, 2)                                                                                                   \
    X(findslot, k4v4s4, once, 4)                                                                                                   \
    X(findslot, k4v4s16, once, 4)                                                                                                  \
    X(findslot, k4v4s16, once, 2)                                                                                                  \
    X(findslot, k4v4s16, once, 8)                                                                                                  \
    X(findslot, k4v4s16, once, 16)                                                                                                 \
    X(find, k4v4, once, 1)                                                                                                         \
    X(find, k4v4, once, 4)                                                                                                         \
    X(find, k4v4, once, 8)                                                                                                         \
    X(find, k4v4s4, once, 2)                                                                                                       \
    X(find, k4v4s4, once, 4)                                                                                                       \
    X(find, k4v4s16, once, 2)                                                                                                      \
    X(find, k4v4s16, once, 4)                                                                                                      \
    X(find, k4v4s16, once, 8)                                                                                                      \
    X(find, k4v4, tile, 2)                                                                                                         \
    X(find, k4v4, tile, 1)                                                                                                         \
    X(find, k4v4, tile, 4)                                                                                                         \
    X(find, k4v4, cooperative, 4)                                                                                                  \
    X(erase, k4v4, tile, 1)                                                                                                        \
    X(erase, k4v4, tile, 4)                                                                                                        \
    X(fill, k4v4, tile, 1)                                                                                                         \
    X(fill, k4v4, tile, 4)                                                                                                         \
    X(fill, k4v4, cooperative, 2)                                                                                                  \
    X(fill, k4v4, cooperative, 4)                                                                                                  \
    X(fill, k4v4, vote, 2)                                                                                                         \
    X(evict, k4v4, vote, 4)                                                                                                        \
    X(evict, k4v4, tile, 4)                                                                                                        \
    X(evict, k4v4, vote, 8)                                                                                                        \
    X(evict, k4v4, tile, 8)                                                                                                        \
    X(path, k4v4, vote, 16)                                                                                                        \
    X(path, k4v4, vote, 32)                                                                                                        \
    X(path, k4v4, tile, 8)                                                                                                         \
    X(path, k4v4, vote, 4)                                                                                                         \
    X(fill, k4v4apart, vote, 4)                                                                                                    \
    X(fill, k4v4apart, tile, 2)                                                                                                    \
    X(find, k8v8, tile, 2)                                                                                                         \
    X(find, k8v8, tile, 8)                                                                                                         \
    X(fill, k8v8, vote, 2)                                                                                                         \
    X(fill, k8v8, vote, 4)                                                                                                         \
    X(fill, k8v8, tile, 4)                                                                                                         \
    X(find, k8v4, tile, 2)                                                                                                         \
    X(fill, k8v4, vote, 2)                                                                                                         \
    X(fill, k8v4, tile, 4)                                                                                                         \
    X(find, k4v4s16, tile, 2)                                                                                                      \
    X(find, k4v4s16, tile, 8)                                                                                                      \
    X(fill, k4v4s16, tile, 8)                                                                                                      \
    X(find, k4v4s32, tile, 16)
#else
#define DYCUCKOO_TUNE_KERNELS(X)
#endif

struct kernels dycuckoo_host_kernels(void);
#if defined(__cplusplus)
extern "C"
#endif
    struct kernels
    dycuckoo_cuda_kernels(void);

DYCUCKOO_SHAPES(ROOST_SHAPE_FUNCTION)
ROOST_SHAPE_ANY(ROOST_SHAPE_FUNCTION)

#define DYCUCKOO_SLOTS_ENUM(name, key, value, slots, word, homes) SLOTS_##name = slots,
enum { DYCUCKOO_SHAPES(DYCUCKOO_SLOTS_ENUM) ROOST_SHAPE_ANY(DYCUCKOO_SLOTS_ENUM) };
#undef DYCUCKOO_SLOTS_ENUM

/* Bytes of scratch memory that a tile asks for: evictions remember the buckets of their search. */
#define DYCUCKOO_SCRATCH_find(slots) 0
#define DYCUCKOO_SCRATCH_findslot(slots) 0
#define DYCUCKOO_SCRATCH_erase(slots) 0
#define DYCUCKOO_SCRATCH_fill(slots) 0
#define DYCUCKOO_SCRATCH_evict(slots) 0
#define DYCUCKOO_SCRATCH_path(slots) ((uint32_t)sizeof(struct path_node) * (DYCUCKOO_PATH_NODES + 1))
#define DYCUCKOO_SCRATCH_grow(slots) 0
#define DYCUCKOO_SCRATCH_halve(slots) 0
#define DYCUCKOO_SCRATCH_export(slots) 0
#define DYCUCKOO_SCRATCH_estimate(slots) 0
#define DYCUCKOO_SCRATCH_spill(slots) 0

#endif
