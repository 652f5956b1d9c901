/* What measuring a table needs from a machine: memory, the workload's arrays, the verification of answers, a device clock.
 * One const struct of operations each for the host and for CUDA, so that every row is measured by the same code. */
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
    const char *name; /* "gpu" or "host": how its rows' names begin */
    roost_space space;
    void *(*allocate)(size_t bytes); /* ends the program where memory is refused */
    void (*release)(void *memory, size_t bytes);
    /* The system has memory for an insert of so many bytes of pairs at hand: what a virtual machine has lent elsewhere takes tens of times as long to
     * come back as a page takes to be cleared, and no row shall measure that. */
    void (*ready)(uint64_t pair_bytes);
    void (*fill)(void *memory, int byte, size_t bytes);
    /* Keys first, first + step, ... (n of them) with their values; either array may be NULL. */
    void (*make_keys)(struct workload w, uint64_t first, uint64_t step, uint64_t n, void *keys, void *values);
    /* Drawn keys, with their values (NULL: not wanted). */
    void (*make_queries)(struct workload w, struct drawing d, uint64_t n, void *queries, void *values);
    uint64_t (*count_wrong)(struct workload w, struct answers a);
    void (*make_mix)(struct workload w, struct mix mix, struct mix_arrays a); /* operations, keys, values */
    uint64_t (*count_mix_wrong)(struct workload w, struct mix mix, struct mix_arrays a);
    /* Of the items `first`, first + 2, ... below n: how many ended with this status. */
    uint64_t (*count_status)(const uint8_t *statuses, uint64_t first, uint64_t n, uint8_t status);
    uint64_t (*count_distinct)(struct workload w, const void *keys, uint64_t n);
    uint64_t (*checksum)(const void *memory, uint64_t bytes); /* of the bytes in their order */
    void *(*stream)(void);
    void (*wait)(void);
    void (*clock_start)(void);  /* device clock: marks the stream */
    double (*clock_stop)(void); /* seconds since clock_start by the device's clock; 0 where there is none; waits */
    void (*profile)(bool on);   /* a profiler that waits to be started sees what is enqueued while this is on; waits */
};

/* Threads that the host's workload functions use (not those of a table). */
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

/* NULL where this machine has no such GPU. */
const struct machine *machine_cuda(int ordinal, struct gpu_facts *facts);

/* Host memory that copies to and from the GPU run beside; touched as a whole. */
void *machine_pinned_allocate(size_t bytes);
void machine_pinned_release(void *memory);

/* Wall-clock seconds from some fixed point. */
double machine_now(void);

#ifdef __cplusplus
}
#endif
#endif
