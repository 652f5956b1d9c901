/* A stable sort of items by 4- or 8-byte numbers: equal numbers keep the order of the batch.  And
 * sums of the numbers before each. */
#ifndef ROOST_BATCHES_SORT_H
#define ROOST_BATCHES_SORT_H

#include "backends/backend.h"

/* Input and result are in [0]; [1] is work space. */
struct batches_sort {
    void *keys[2];
    uint32_t *items[2];
    void *scratch;
    size_t scratch_bytes; /* from batches_sort_scratch */
    uint64_t n;
    int key_bytes;
    int bits; /* number of low bits that are compared */
};

roost_status batches_sort_scratch(struct backend *b, const struct batches_sort *s, size_t *bytes);
roost_status batches_sort(struct backend *b, struct batches_sort *s);

/* Each of n numbers of 4 or 8 bytes (width) becomes the sum of those before it. */
roost_status batches_scan_scratch(struct backend *b, int width, uint64_t n, size_t *bytes);
roost_status batches_scan(struct backend *b, int width, void *numbers, uint64_t n, void *scratch, size_t bytes);

/* The same on the backend's stream.  Returns NULL, or the reason of the failure. */
#if defined(__cplusplus)
extern "C" {
#endif
const char *batches_cuda_sort_scratch(const struct batches_sort *s, size_t *bytes);
const char *batches_cuda_sort(struct batches_sort *s, void *stream);
/* scratch NULL: only sets *bytes. */
const char *batches_cuda_scan(int width, void *numbers, uint64_t n, void *scratch, size_t *bytes, void *stream);
#if defined(__cplusplus)
}
#endif

#endif
