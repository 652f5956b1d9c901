/* The list of kernels over rows and groups, from which the host and CUDA stamp them. */
#ifndef ROOST_RELATIONS_KERNELS_H
#define ROOST_RELATIONS_KERNELS_H

#include "backends/backend.h"
#include "relations/relations_items.h"

#define RELATIONS_KERNELS(X)                                                                                                       \
    X(word)                                                                                                                        \
    X(code)                                                                                                                        \
    X(pair)                                                                                                                        \
    X(keep)                                                                                                                        \
    X(fill)                                                                                                                        \
    X(carry)                                                                                                                       \
    X(update)                                                                                                                      \
    X(first)                                                                                                                       \
    X(take)                                                                                                                        \
    X(distinct)                                                                                                                    \
    X(distinct_count)                                                                                                              \
    X(seek)                                                                                                                        \
    X(sought)                                                                                                                      \
    X(drop)                                                                                                                        \
    X(identity)                                                                                                                    \
    X(gauge)                                                                                                                       \
    X(place)                                                                                                                       \
    X(list)                                                                                                                        \
    X(pairs)                                                                                                                       \
    X(give)                                                                                                                        \
    X(locate)                                                                                                                      \
    X(bits)                                                                                                                        \
    X(unmet)

/* Kernels over chunks, which a tile takes. */
#define RELATIONS_TILE_KERNELS(X) X(spread) X(count) X(sum) X(sum_real)

#define RELATIONS_ENUM(name) RELATIONS_##name,
enum relations_kernel { RELATIONS_KERNELS(RELATIONS_ENUM) RELATIONS_TILE_KERNELS(RELATIONS_ENUM) RELATIONS_KERNEL_COUNT };
#undef RELATIONS_ENUM

/* Kernels over the same rows, each with its arguments. */
struct relations_step {
    enum relations_kernel which;
    struct relations_args args;
};
struct relations_steps {
    const struct relations_step *step;
    int n;
    uint64_t rows;
};
static inline bool relations_takes_chunks(enum relations_kernel which) { return which >= RELATIONS_spread; }
static inline uint64_t relations_chunks(uint64_t rows) { return (rows + GROUP_CHUNK - 1) / GROUP_CHUNK; }

const struct kernel *relations_host_kernel(enum relations_kernel which);
/* Runs all steps (relations_steps) on a chunk after the other: the groups' states stay in the cache
 * meanwhile. */
extern const struct kernel relations_host_steps;
/* The same where no other thread updates the states. */
extern const struct kernel relations_host_alone;
#if defined(__cplusplus)
extern "C"
#endif
    const struct kernel *
    relations_cuda_kernel(enum relations_kernel which);

#endif
