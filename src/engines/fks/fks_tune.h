/* FKS's kernels that ROOST_TUNE builds have besides: tile sizes and drivers to compare. */
#ifndef ROOST_FKS_TUNE_H
#define ROOST_FKS_TUNE_H

#if ROOST_TUNE
#define FKS_TUNE_KERNELS(X)                                                                                                        \
    X(find, k4v4, tile, 4)                                                                                                         \
    X(erase, k4v4, tile, 4)                                                                                                        \
    X(write, k4v4, tile, 8)                                                                                                        \
    X(build, k4v4, team, 16)                                                                                                       \
    X(find, k8v8, once, 4)                                                                                                         \
    X(find, k8v8, once, 1)
#else
#define FKS_TUNE_KERNELS(X)
#endif

#endif
