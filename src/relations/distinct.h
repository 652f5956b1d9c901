/* The different keys of an array on a GPU: keys are hashed by a bijection, and sorted by the top
 * bits of the hashes.  A part, the keys with equal top bits, goes through the shared memory of a
 * thread block, which is a hash table of it. */
#ifndef ROOST_RELATIONS_DISTINCT_H
#define ROOST_RELATIONS_DISTINCT_H

#include "portable/hash.h"

enum {
    DISTINCT_SLOTS = 4096,   /* of a block's table */
    DISTINCT_MEAN = 2048,    /* keys of a part, on average, at most */
    DISTINCT_LONG = 3584,    /* a part of more keys is a long one: they are not all different */
    DISTINCT_PASS_BITS = 8,  /* that one pass of the sort takes */
    DISTINCT_LEAST = 1 << 18 /* fewer keys go through a table */
};

/* What the kernels tell. */
struct distinct_words {
    uint64_t written; /* keys */
    uint64_t long_parts;
    uint64_t overflowed; /* 1: a part has more different keys than a table has slots */
};

struct distinct_work {
    const void *keys;
    void *hashes, *distinct; /* room for n each; both are work space of the sort */
    void *sorted, *out;      /* one of them each: set by distinct_cuda_parts */
    uint64_t n;
    int key_bytes; /* 4 or 8 */
    int bits;      /* at least 1: there are 2^bits parts */
    struct hash_seeds seeds;
    uint64_t *starts; /* of each part, and one more: where it begins */
    uint32_t *longs;  /* the long parts */
    struct distinct_words *words;
    void *scratch; /* of the sort */
    size_t scratch_bytes;
};

/* On this stream.  Returns NULL, or the failure. */
#if defined(__cplusplus)
extern "C" {
#endif
/* Sets work->scratch_bytes. */
const char *distinct_cuda_scratch(struct distinct_work *work);
/* Writes the different keys of all parts that are not long. */
const char *distinct_cuda_parts(struct distinct_work *work, void *stream);
/* Writes those of the n long ones. */
const char *distinct_cuda_longs(const struct distinct_work *work, uint32_t n, void *stream);
#if defined(__cplusplus)
}
#endif

#endif
