/* Partitions: items brought into the order of some bits of their hashes, by radix sort from the lowest digit up: stable, and never a sort by
 * comparison.  On the host threads have a part of the items each; on a GPU it is CUB's. */
#ifndef ROOST_ENGINES_PARTITION_H
#define ROOST_ENGINES_PARTITION_H

#include "backends/backend.h"
#include "portable/partition_items.h"

/* One pass: n items, of 1, 4 or 8 bytes that say where they belong (keys), and 0, 4 or 8 that go with them. */
struct partition_pass {
    const void *keys, *payload;
    void *keys_out, *payload_out;
    int key_bytes, payload_bytes;
    int shift, bits; /* the digit */
    uint64_t n;
    void *scratch;
    size_t scratch_bytes; /* as partition_scratch says */
};

/* Does a sort make its keys itself, item by item (struct partition_sort)?  Else passes go from one
 * column that the caller has filled to another. */
bool partition_makes_keys(const struct backend *b);

/* What a pass needs to work in. */
roost_status partition_scratch(struct backend *b, const struct partition_pass *pass, size_t *bytes);
roost_status partition_run(struct backend *b, const struct partition_pass *pass);

/* The pass of these codes backwards: answers by place become answers by item.  replay->places has partition_replay_words(n) words. */
uint64_t partition_replay_words(uint64_t n);
roost_status partition_replay_scratch(struct backend *b, uint64_t n, size_t *bytes);
roost_status partition_replay_run(struct backend *b, struct partition_replay *replay, void *scratch, size_t bytes);

/* On the host, as far as digits go that are not all the same; false: they are, and nothing was moved. */
size_t partition_host_scratch(const struct backend *b, uint64_t n);
bool partition_host(const struct backend *b, const struct partition_pass *pass);

/* On the host, by as many bits as wanted, into one column: not stable.  Keys are made as they are needed, so that no column of them is read and
 * written before; by the first digit they are brought into the column, and each digit's range, which fits a cache, is sorted where it lies. */
enum { PARTITION_BLOCK = 256 };
struct partition_sort {
    void (*make_keys)(const void *context, uint64_t first, int n,
                      void *keys); /* of items first .. first + n - 1, n <= PARTITION_BLOCK */
    const void *context;
    const void *payload; /* NULL: the items' numbers */
    void *keys_out, *payload_out;
    int key_bytes, payload_bytes; /* 0, 4 or 8 */
    int low, top;                 /* bits low .. top - 1 of a key */
    uint64_t n;
    void *scratch; /* partition_host_scratch(b, n) bytes */
};
void partition_host_sort(const struct backend *b, const struct partition_sort *sort);

/* On a GPU, on this stream: NULL, or what failed.  scratch NULL: *bytes becomes what it has to have. */
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
