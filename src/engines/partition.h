/* Partitions: items brought into the order of some bits of their hashes, by radix sort from the
 * lowest digit up.  It is stable, and never sorts by comparison.  On the host each thread takes a
 * part of the items; on a GPU it is CUB's. */
#ifndef ROOST_ENGINES_PARTITION_H
#define ROOST_ENGINES_PARTITION_H

#include "backends/backend.h"
#include "portable/partition_items.h"

/* One pass over n items.  Each has a key of 1, 4 or 8 bytes that contains its digit, and a payload
 * of 0, 4 or 8 bytes. */
struct partition_pass {
    const void *keys, *payload;
    void *keys_out, *payload_out;
    int key_bytes, payload_bytes;
    int shift, bits; /* the digit */
    uint64_t n;
    void *scratch;
    size_t scratch_bytes; /* as partition_scratch returned */
};

/* Does a sort make its keys itself, item by item (struct partition_sort)?  If not, passes copy from
 * one column, which the caller has filled, to another. */
bool partition_makes_keys(const struct backend *b);

/* Scratch memory that a pass needs. */
roost_status partition_scratch(struct backend *b, const struct partition_pass *pass, size_t *bytes);
roost_status partition_run(struct backend *b, const struct partition_pass *pass);
/* Loads the kernels of passes of these widths, so that the first one of them need not: a driver
 * takes two milliseconds for it. */
roost_status partition_prepare(struct backend *b, int key_bytes, int payload_bytes);

/* Runs the pass of these codes backwards: answers by place become answers by item.  replay->places
 * has partition_replay_words(n) words. */
uint64_t partition_replay_words(uint64_t n);
roost_status partition_replay_scratch(struct backend *b, uint64_t n, size_t *bytes);
roost_status partition_replay_run(struct backend *b, struct partition_replay *replay, void *scratch, size_t bytes);

/* A pass on the host.  False: all digits are the same, and nothing was moved. */
size_t partition_host_scratch(const struct backend *b, uint64_t n);
bool partition_host(const struct backend *b, const struct partition_pass *pass);

/* A sort on the host, by any number of bits, into one column; not stable.  Keys are made when they
 * are needed, so that no column of them is written and read before.  The first digit brings them
 * into the column; each digit's range, which fits a cache, is then sorted in place. */
enum { PARTITION_BLOCK = 256 };
struct partition_sort {
    /* Makes the keys of items first .. first + n - 1, n <= PARTITION_BLOCK. */
    void (*make_keys)(const void *context, uint64_t first, int n, void *keys);
    const void *context;
    const void *payload; /* NULL: the items' indices */
    const void *values;  /* 4-byte values, above the indices of a payload of 8 bytes; NULL: none */
    void *keys_out, *payload_out;
    int key_bytes, payload_bytes; /* 0, 4 or 8 */
    int low, top;                 /* bits low .. top - 1 of a key */
    uint64_t n;
    void *scratch; /* partition_host_scratch(b, n) bytes */
};
void partition_host_sort(const struct backend *b, const struct partition_sort *sort);

/* On a GPU, on this stream.  Returns NULL, or the failure.  scratch NULL: sets *bytes to the
 * required size. */
#if defined(__cplusplus)
extern "C"
#endif
    const char *
    partition_cuda(const struct partition_pass *pass, void *scratch, size_t *bytes, void *stream);
#if defined(__cplusplus)
extern "C"
#endif
    const char *
    partition_replay_cuda(const struct partition_replay *replay, void *scratch, size_t *bytes, void *stream);

#endif
