/* A sample of a batch's keys, in the dialect, and its kernel on a GPU. */
#ifndef ROOST_ENGINES_CROWD_ITEMS_H
#define ROOST_ENGINES_CROWD_ITEMS_H

#include "backends/backend.h"
#include "portable/batch_key.h"
#include "portable/hash_bytes.h"

/* A key of a sample.  Equal keys, and no others, have the same name. */
struct crowd_key {
    uint64_t word; /* the key itself, or its hash where keys are hashed as bytes; or an operation */
    uint64_t name;
};

struct crowd_sample {
    struct batch batch;
    /* Secret numbers: nobody can keep keys out of the sample by their places in the batch, or
     * choose keys that have the same name. */
    uint64_t places, names;
    struct crowd_key *taken;
    uint32_t size; /* at most batch.n */
    uint32_t key_bytes;
    bool as_bytes; /* keys are hashed as bytes, by `hash` */
    bool mixed;    /* words are the items' operations */
    struct bytes_hash hash;
};

/* Takes a key from the i-th of `size` parts of the batch. */
ROOST_FN void crowd_take(const struct crowd_sample *c, uint64_t i)
{
    const uint64_t width = c->batch.n / c->size, at = i * width + multiply_high64(mix64(c->places + i), width);
    struct crowd_key *const to = c->taken + i;
    if (!c->as_bytes) {
        to->word = to->name = load_width((int)c->key_bytes, c->batch.keys, at);
    } else {
        const struct bytes key = batch_key(&c->batch, c->key_bytes, at);
        const bool valid = key.n <= ROOST_STRING_MOST;
        to->word = valid ? hash_bytes(c->hash, key) : 0;
        to->name = valid ? hash_sip(1, c->names, ~c->names, key.at, key.n) : 0;
    }
    if (c->mixed) to->word = c->batch.operations[at];
}

#if defined(__cplusplus)
extern "C"
#endif
    const struct kernel *
    crowd_cuda_kernel(void);

#endif
