/* The list of kernels over items of batches, from which the host and CUDA stamp them. */
#ifndef ROOST_BATCHES_KERNELS_H
#define ROOST_BATCHES_KERNELS_H

#include "backends/backend.h"
#include "batches/batches_measure_items.h"
#include "batches/batches_number_items.h"
#include "batches/batches_range_items.h"
#include "batches/batches_travel_items.h"

#define BATCHES_KERNELS(X)                                                                                                         \
    X(phase)                                                                                                                       \
    X(key)                                                                                                                         \
    X(bound)                                                                                                                       \
    X(gather)                                                                                                                      \
    X(scatter)                                                                                                                     \
    X(head)                                                                                                                        \
    X(fold)                                                                                                                        \
    X(refuse)                                                                                                                      \
    X(answer)                                                                                                                      \
    X(count)                                                                                                                       \
    X(take)                                                                                                                        \
    X(arrive)                                                                                                                      \
    X(rekey)                                                                                                                       \
    X(give)                                                                                                                        \
    X(carry)                                                                                                                       \
    X(remember)                                                                                                                    \
    X(conclude)                                                                                                                    \
    X(restart)                                                                                                                     \
    X(pair)                                                                                                                        \
    X(ask)                                                                                                                         \
    X(check)                                                                                                                       \
    X(sample)                                                                                                                      \
    X(hot_begin)                                                                                                                   \
    X(hot_add)                                                                                                                     \
    X(hot_end)                                                                                                                     \
    X(bins)                                                                                                                        \
    X(tell)                                                                                                                        \
    X(untried)                                                                                                                     \
    X(strings)                                                                                                                     \
    X(code)                                                                                                                        \
    X(select)                                                                                                                      \
    X(number_first)                                                                                                                \
    X(number_move)                                                                                                                 \
    X(number_give)                                                                                                                 \
    X(number_take)                                                                                                                 \
    X(number_mark)                                                                                                                 \
    X(number_rank)                                                                                                                 \
    X(number_lower)                                                                                                                \
    X(number_answer)                                                                                                               \
    X(number_refuse)                                                                                                               \
    X(number_range)                                                                                                                \
    X(met)                                                                                                                         \
    X(number_one)                                                                                                                  \
    X(string_bytes)                                                                                                                \
    X(string_copy)

/* Kernels over chunks of items, which a tile takes. */
#define BATCHES_TILE_KERNELS(X) X(hot) X(owner) X(send) X(back) X(number_missing) X(number_split) X(number_others) X(number_earlier)
/* The same, of kernels that run beside the shard's finds, and leave them most of the GPU. */
#define BATCHES_BESIDE_KERNELS(X) X(post) X(fetch)

#define BATCHES_ENUM(name) BATCHES_##name,
enum batches_kernel {
    BATCHES_KERNELS(BATCHES_ENUM) BATCHES_TILE_KERNELS(BATCHES_ENUM) BATCHES_BESIDE_KERNELS(BATCHES_ENUM) BATCHES_KERNEL_COUNT
};
#undef BATCHES_ENUM

/* A kernel by its place in the list: of a backend, of the host, of CUDA. */
const struct kernel *batches_kernel_for(const struct backend *b, enum batches_kernel which);
const struct kernel *batches_host_kernel(enum batches_kernel which);
#if defined(__cplusplus)
extern "C"
#endif
    const struct kernel *
    batches_cuda_kernel(enum batches_kernel which);

#endif
