/* A sample of a batch's keys, in the dialect, and its kernel on a GPU. */
#ifndef ROOST_ENGINES_CROWD_ITEMS_H
#define ROOST_ENGINES_CROWD_ITEMS_H

#include "backends/backend.h"
#include "portable/hash.h"
#include "portable/item.h"

struct crowd_sample {
    const void *keys; /* n, of key_bytes (4 or 8) */
    uint64_t n;
    uint64_t secret; /* places in the batch: nobody can leave chosen keys out of the sample */
    uint64_t *taken;
    uint32_t size; /* at most n */
    int32_t key_bytes;
};

/* Takes a key from the i-th of `size` parts of the batch. */
ROOST_FN void crowd_take(const struct crowd_sample *c, uint64_t i)
{
    const uint64_t width = c->n / c->size, at = i * width + multiply_high64(mix64(c->secret + i), width);
    c->taken[i] = load_width(c->key_bytes, c->keys, at);
}

#if defined(__cplusplus)
extern "C"
#endif
    const struct kernel *
    crowd_cuda_kernel(void);

#endif
