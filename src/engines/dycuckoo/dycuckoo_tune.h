/* DyCuckoo's kernels of ROOST_TUNE builds: tile sizes and drivers to compare, and comparisons of
 * one section of a paper. */
#ifndef ROOST_DYCUCKOO_TUNE_H
#define ROOST_DYCUCKOO_TUNE_H

/* Plain d-ary cuckoo: layers=1. */
#define DYCUCKOO_DARY_KERNELS(X)                                                                                                   \
    X(find, k4v4dary, once, 2)                                                                                                     \
    X(erase, k4v4dary, tile, 2)                                                                                                    \
    X(fill, k4v4dary, tile, 4)                                                                                                     \
    X(evict, k4v4dary, vote, 4)                                                                                                    \
    X(path, k4v4dary, vote, 8)

/* Finds without the Bucket Requester (GPH, section 5.2): requester=off. */
#define DYCUCKOO_FINDSLOT_KERNELS(X)                                                                                               \
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
    X(findslot, k4v4s16, once, 16)

/* What `roost tune` searches of option `layers`. */
#if ROOST_TUNE
#define DYCUCKOO_TUNE_LAYERS "1|2"
#else
#define DYCUCKOO_TUNE_LAYERS NULL
#endif

#if ROOST_TUNE
#define DYCUCKOO_TUNE_KERNELS(X)                                                                                                   \
    DYCUCKOO_DARY_KERNELS(X)                                                                                                       \
    DYCUCKOO_FINDSLOT_KERNELS(X)                                                                                                   \
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

#endif
