/* Limits: the best rate that an access pattern reaches on this machine, over launch shapes,
 * instruction-level parallelism and kinds of load. They are measured in the same run as the rows
 * that are compared with them, over as many bytes as the table has. */
#ifndef ROOST_BENCH_LIMITS_H
#define ROOST_BENCH_LIMITS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMIT_SHAPE_LENGTH 96
#define LIMIT_REPETITIONS 5

enum limit_pattern {
    /* random reads of 8 ... 256 bytes, with one 4-byte query read and one 4-byte answer written
     * for each */
    LIMIT_GATHER_8,
    LIMIT_GATHER_16,
    LIMIT_GATHER_32,
    LIMIT_GATHER_64,
    LIMIT_GATHER_128,
    LIMIT_GATHER_256,
    /* one random byte of an index, then the bucket of 32 ... 128 bytes that the byte and the
     * query select */
    LIMIT_INDEX_32,
    LIMIT_INDEX_64,
    LIMIT_INDEX_128,
    /* the same with a 1-byte answer, which says whether the key is present, instead of a 4-byte
     * value */
    LIMIT_FLAGS_32,
    LIMIT_FLAGS_64,
    LIMIT_FLAGS_128,
    LIMIT_CAS,         /* random 64-bit compare-and-swap without an earlier read */
    LIMIT_READ1_CAS,   /* one random 64-byte line read, then a CAS in it */
    LIMIT_READ1_ADD,   /* ... then an add */
    LIMIT_READ1_STORE, /* ... then a plain 8-byte store */
    LIMIT_READ2_CAS,   /* two random 64-byte lines read, then a CAS in one of them */
    LIMIT_READ2_STORE, /* ... then a plain 8-byte store */
    /* random reads by the GPU of 16 bytes of the host's pinned memory; queries and answers as of
     * gathers */
    LIMIT_ZERO_COPY_READ_16,
    /* ... the same with writes */
    LIMIT_ZERO_COPY_WRITE_16,
    LIMIT_PATTERNS
};

struct limit {
    /* operations per second: median of the best shape's repetitions; over the host's memory, the
     * best one */
    double rate;
    double seconds[LIMIT_REPETITIONS];
    uint64_t operations;
    char shape[LIMIT_SHAPE_LENGTH];
};

/* True if a pattern reads an index; a constant in kernels, too. */
#define LIMIT_HAS_INDEX(pattern) ((pattern) >= LIMIT_INDEX_32 && (pattern) <= LIMIT_FLAGS_128)

/* A GPU reaches about this much of the host's memory 15 times as fast as more of it
 * (docs/stadium.md). Limits over it take more accesses to measure. */
#define LIMIT_FAST_HOST_BYTES ((uint64_t)1 << 29)
/* True if the pattern accesses pinned memory of the host. Its rates are those of a bus, hundreds
 * of times lower. */
#define LIMIT_OVER_HOST(pattern) ((pattern) == LIMIT_ZERO_COPY_READ_16 || (pattern) == LIMIT_ZERO_COPY_WRITE_16)

/* The pattern's name in a row, such as "gather-64". */
const char *limit_name(enum limit_pattern pattern);

/* Limits over the host's memory are those of the fastest of some places in so much of it, or in all
 * that the table takes: the reach of fast address translation depends on the place. */
#define LIMIT_HOST_MEMORY ((uint64_t)4 << 30)
#define LIMIT_HOST_PLACES 8

/* operations: random accesses of a launch. table_bytes: size of the memory. index_bytes: size of
 * the index, if the pattern has one. */
struct limit limit_cuda(enum limit_pattern pattern, uint64_t table_bytes, uint64_t index_bytes, uint64_t operations, uint64_t seed);

/* Bytes per second, read plus written, of a copy from device to device, and of one on the host. */
#define LIMIT_COPY_BYTES ((uint64_t)1 << 30)
struct limit limit_cuda_copy(uint64_t bytes);
struct limit limit_host_copy(uint64_t bytes, int threads);

/* Items per second that copies between pinned host memory and the GPU allow, in both directions
 * at the same time. `in` goes to the GPU, the two outs come from it; the bytes are totals for
 * `items` items. */
struct limit limit_cuda_transfer(const void *in, uint64_t in_bytes, void *out, uint64_t out_bytes, void *out2, uint64_t out2_bytes,
                                 uint64_t items);

/* On the host: LIMIT_GATHER_64 and LIMIT_READ2_STORE, prefetched, on huge pages if the system
 * has them. */
struct limit limit_host(enum limit_pattern pattern, uint64_t table_bytes, uint64_t operations, uint64_t seed, int threads);

#ifdef __cplusplus
}
#endif
#endif
