/* Further kernels of Stadium hashing, for ROOST_TUNE builds: tile sizes and drivers to compare. */
#ifndef ROOST_STADIUM_TUNE_H
#define ROOST_STADIUM_TUNE_H

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

#endif
