/* SlabHash's kernels of ROOST_TUNE builds: tile sizes and drivers to compare, and finds without the
 * Bucket Requester (GPH, section 5.2): requester=off. */
#ifndef ROOST_SLAB_TUNE_H
#define ROOST_SLAB_TUNE_H

/* X(operation, shape): what the host stamps for them. */
#if ROOST_TUNE
#define SLAB_TUNE_STAMPS(X) X(findslot, k4v4)
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
#define SLAB_TUNE_STAMPS(X)
#define SLAB_TUNE_KERNELS(X)
#endif

#endif
