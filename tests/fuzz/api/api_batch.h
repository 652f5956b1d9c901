/* A call's items in the fuzzer of the API: the numbers of the model, and the arrays of the call.
 * Arrays are as long as the call may touch, so that a sanitizer sees what is beyond. */
#ifndef ROOST_TESTS_API_BATCH_H
#define ROOST_TESTS_API_BATCH_H

#include "fuzz/api/api_coding.h"

#include <roost/strings.h>
#include <stddef.h>

/* The fill of what a call may write. */
#define UNWRITTEN 0xEE

struct api_batch {
    const struct coding *coding;
    size_t n;
    uint64_t *ids, *values; /* of the model */
    uint8_t *operations;
    unsigned char *keys, *values_in, *values_out; /* NULL: a set's values */
    uint8_t *statuses, *found;
    uint64_t *counts;
    roost_strings strings; /* keys that are strings */
    void *offsets;
    unsigned lead; /* bytes before the keys, for keys that may have any address */
};

/* A batch of n items whose numbers are to be written. */
void batch_make(struct api_batch *batch, const struct coding *coding, size_t n);
/* Writes the call's arrays.  offset_bytes: 4 or 8, of strings. */
void batch_encode(struct api_batch *batch, int offset_bytes);
void batch_free(struct api_batch *batch);

/* Item i's value as a find wrote it; false: no number has this value.  Was it not written?  Is it
 * 0? */
bool batch_value_out(const struct api_batch *batch, size_t i, uint64_t *number);
bool batch_is_unwritten(const struct api_batch *batch, size_t i);
bool batch_is_zero(const struct api_batch *batch, size_t i);

/* The items of a batch by key. */
struct api_group {
    uint64_t id;
    uint32_t first, last; /* items of the key, linked in the order of the arrays */
    uint32_t items;
};

struct api_groups {
    struct api_group *groups;
    uint32_t *next; /* n: the key's next item */
    size_t n;
};

void groups_make(struct api_groups *groups, const struct api_batch *batch);
void groups_free(struct api_groups *groups);

/* Memory that is never NULL. */
void *api_memory(size_t bytes);

#endif
