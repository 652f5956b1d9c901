/* What measuring a table needs from a machine: memory, the workload's arrays, the verification
 * of answers, and a device clock. The host and CUDA each have one const struct of operations, so
 * that the same code measures every row. */
#ifndef ROOST_BENCH_MACHINE_H
#define ROOST_BENCH_MACHINE_H

#include "bench_workload.h"

#include <roost/roost.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct machine {
    const char *name; /* "gpu" or "host": prefix of its rows' names */
    roost_space space;
    void *(*allocate)(size_t bytes); /* ends the program if memory is refused */
    void (*release)(void *memory, size_t bytes);
    /* Makes the system have memory ready for an insert of `pair_bytes` bytes of pairs. To get
     * back memory that a virtual machine has lent elsewhere takes tens of times as long as to
     * clear a page, and no row should measure that. */
    void (*ready)(uint64_t pair_bytes);
    void (*fill)(void *memory, int byte, size_t bytes);
    void (*fetch)(void *to_host, const void *from, size_t bytes);
    /* Keys first, first + step, ... (n of them) with their values; either array may be NULL. */
    void (*make_keys)(struct workload w, uint64_t first, uint64_t step, uint64_t n, void *keys, void *values);
    /* Drawn keys and their values; values NULL: only the keys. */
    void (*make_queries)(struct workload w, struct drawing d, uint64_t n, void *queries, void *values);
    uint64_t (*count_wrong)(struct workload w, struct answers a);
    /* operations, keys, values */
    void (*make_mix)(struct workload w, struct mix mix, struct mix_arrays a);
    uint64_t (*count_mix_wrong)(struct workload w, struct mix mix, struct mix_arrays a);
    /* The number of the items `first`, first + 2, ... below n that ended with this status. */
    uint64_t (*count_status)(const uint8_t *statuses, uint64_t first, uint64_t n, uint8_t status);
    uint64_t (*count_distinct)(struct workload w, const void *keys, uint64_t n);
    uint64_t (*checksum)(const void *memory, uint64_t bytes); /* of the bytes in order */
    void *(*stream)(void);
    void (*wait)(void);
    void (*clock_start)(void); /* device clock: marks the stream */
    /* Seconds since clock_start by the device's clock; 0 if there is none; waits. */
    double (*clock_stop)(void);
    /* Makes a profiler that waits to be started see what is enqueued while this is on; waits. */
    void (*profile)(bool on);
};

/* Sets the threads of the host's workload functions, not those of a table. */
const struct machine *machine_host(int threads);

struct gpu_facts {
    char name[256];
    char driver[64];
    int cuda_driver; /* 13000 for CUDA 13.0 */
    int cuda_runtime;
    int multiprocessors;
    uint64_t memory_bytes;
    uint64_t l2_bytes;
};

/* NULL if this machine has no such GPU. */
const struct machine *machine_cuda(int ordinal, struct gpu_facts *facts);

/* Host memory from which copies to and from the GPU run concurrently; all of it is touched. */
void *machine_pinned_allocate(size_t bytes);
void machine_pinned_release(void *memory);

/* Wall-clock seconds since some fixed time. */
double machine_now(void);

#ifdef __cplusplus
}
#endif
#endif
