/* GPH's kernels of ROOST_TUNE builds: tile sizes and drivers to compare, and comparisons with one
 * section of the paper. */
#ifndef ROOST_GPH_TUNE_H
#define ROOST_GPH_TUNE_H

#if ROOST_TUNE

/* Finds without the Bucket Requester (section 5.2): requester=off.  The first of a shape is the
 * default. */
#define GPH_FINDSLOT_KERNELS(X)                                                                                                    \
    X(findslot, k4v4, once, 2)                                                                                                     \
    X(findslot, k4v4, once, 1)                                                                                                     \
    X(findslot, k4v4, once, 4)                                                                                                     \
    X(findslot, k4v4, once, 8)                                                                                                     \
    X(findslot, k4v4s4, once, 1)                                                                                                   \
    X(findslot, k4v4s4, once, 2)                                                                                                   \
    X(findslot, k4v4s4, once, 4)                                                                                                   \
    X(findslot, k4v4s16, once, 4)                                                                                                  \
    X(findslot, k4v4s16, once, 2)                                                                                                  \
    X(findslot, k4v4s16, tile, 4)                                                                                                  \
    X(findslot, k4v4s16, once, 8)                                                                                                  \
    X(findslot, k4v4s16, once, 16)

/* X(operation, shape): what the host stamps for them. */
#define GPH_TUNE_STAMPS(X) X(findslot, k4v4) X(findslot, k4v4s4) X(findslot, k4v4s16)

#define GPH_TUNE_KERNELS(X)                                                                                                        \
    GPH_FINDSLOT_KERNELS(X)                                                                                                        \
    X(fill, k4v4s16, tile, 8)                                                                                                      \
    X(find, k4v4, once, 1)                                                                                                         \
    X(find, k4v4, once, 4)                                                                                                         \
    X(find, k4v4, once, 8)                                                                                                         \
    X(find, k4v4s4, once, 2)                                                                                                       \
    X(find, k4v4s4, once, 4)                                                                                                       \
    X(find, k4v4s16, once, 1)                                                                                                      \
    X(find, k4v4s16, once, 2)                                                                                                      \
    X(find, k4v4s16, tile, 4)                                                                                                      \
    X(find, k4v4s16, once, 8)                                                                                                      \
    X(find, k4v4, twice, 1)                                                                                                        \
    X(find, k4v4, twice, 4)                                                                                                        \
    X(find, k4v4s4, twice, 1)                                                                                                      \
    X(find, k4v4s4, twice, 2)                                                                                                      \
    X(find, k4v4s16, twice, 2)                                                                                                     \
    X(find, k4v4s16, twice, 4)                                                                                                     \
    X(find, k4v4s16, twice, 8)                                                                                                     \
    X(find, k4v4, tile, 8)                                                                                                         \
    X(find, k4v4, cooperative, 4)                                                                                                  \
    X(erase, k4v4, tile, 4)                                                                                                        \
    X(fill, k4v4, tile, 1)                                                                                                         \
    X(fill, k4v4, tile, 4)                                                                                                         \
    X(refine, k4v4, tile, 4)                                                                                                       \
    X(refine, k4v4, tile, 16)                                                                                                      \
    X(find, k4v4s4, tile, 2)                                                                                                       \
    X(find, k4v4s16, tile, 2)                                                                                                      \
    X(find, k4v4s16, tile, 8)                                                                                                      \
    X(find, k8v8, tile, 2)                                                                                                         \
    X(fill, k8v8, tile, 4)

#else
#define GPH_TUNE_STAMPS(X)
#define GPH_TUNE_KERNELS(X)
#endif

#endif
