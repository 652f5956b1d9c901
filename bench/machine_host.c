/* The host as the benchmark's machine: memory on huge pages; OpenMP threads make the workload's
 * arrays. */
#include "bench_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define HUGE_PAGE ((size_t)2 << 20)

static int host_threads = 1;

double machine_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t host_rounded(size_t bytes) { return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE; }

/* Touches all of the memory, so that no timed call pays for page faults of the caller's arrays. */
static void *host_allocate(size_t bytes)
{
    size_t rounded = host_rounded(bytes);
    char *memory = aligned_alloc(HUGE_PAGE, rounded ? rounded : HUGE_PAGE);
    if (!memory) {
        fprintf(stderr, "roost-bench: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    madvise(memory, rounded, MADV_HUGEPAGE);
    memset(memory, 0, rounded);
    return memory;
}

static void host_release(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

/* Uses memory once: as much as a table, its input, or the nodes of another library take, but at
 * most half of the free memory. */
static void host_ready(uint64_t pair_bytes)
{
    enum { SHARE = 8 };
    const long page = sysconf(_SC_PAGESIZE), pages = sysconf(_SC_AVPHYS_PAGES);
    const uint64_t half = page > 0 && pages > 0 ? (uint64_t)page * (uint64_t)pages / 2 : 0;
    const size_t bytes = (size_t)(pair_bytes < half / SHARE ? SHARE * pair_bytes : half);
    volatile char *const memory = host_allocate(bytes);
    /* volatile, because a compiler may drop writes to memory that is released next. */
    for (size_t i = 0; i < bytes; i += (size_t)page) memory[i] = 1;
    host_release((void *)(uintptr_t)memory, bytes);
}

static void host_fill(void *memory, int byte, size_t bytes) { memset(memory, byte, bytes); }
static void host_fetch(void *to_host, const void *from, size_t bytes) { memcpy(to_host, from, bytes); }

static void host_make_keys(struct workload w, uint64_t first, uint64_t step, uint64_t n, void *keys, void *values)
{
#pragma omp parallel for num_threads(host_threads) schedule(static)
    for (uint64_t i = 0; i < n; i++) {
        uint64_t key = workload_stored_key(w, first + step * i);
        if (keys) workload_store(keys, w.key_bytes, i, key);
        if (values) workload_store(values, w.value_bytes, i, workload_value(w, key));
    }
}

static void host_make_queries(struct workload w, struct drawing d, uint64_t n, void *queries, void *values)
{
#pragma omp parallel for num_threads(host_threads) schedule(static)
    for (uint64_t i = 0; i < n; i++) query_store(w, d, i, queries, values);
}

static uint64_t host_count_wrong(struct workload w, struct answers a)
{
    uint64_t wrong = 0;
#pragma omp parallel for num_threads(host_threads) schedule(static) reduction(+ : wrong)
    for (uint64_t i = 0; i < a.n; i++) wrong += !workload_answer_right(w, a, i);
    return wrong;
}

static uint64_t host_checksum(const void *memory, uint64_t bytes)
{
    uint64_t sum = 0;
#pragma omp parallel for num_threads(host_threads) schedule(static) reduction(+ : sum)
    for (uint64_t i = 0; i < (bytes + 3) / 4; i++) sum += checksum_term(memory, bytes, i);
    return sum;
}

static void host_make_mix(struct workload w, struct mix mix, struct mix_arrays a)
{
#pragma omp parallel for num_threads(host_threads) schedule(static)
    for (uint64_t j = 0; j < mix.n; j++) mix_store(w, mix, j, a);
}

static uint64_t host_count_mix_wrong(struct workload w, struct mix mix, struct mix_arrays a)
{
    uint64_t wrong = 0;
#pragma omp parallel for num_threads(host_threads) schedule(static) reduction(+ : wrong)
    for (uint64_t j = 0; j < mix.n; j++) wrong += !mix_right(w, mix, j, a);
    return wrong;
}

static uint64_t host_count_status(const uint8_t *statuses, uint64_t first, uint64_t n, uint8_t status)
{
    uint64_t count = 0;
    for (uint64_t i = first; i < n; i += 2) count += statuses[i] == status;
    return count;
}

/* One bit for each preimage that the workload can have produced. */
static uint64_t host_count_distinct(struct workload w, const void *keys, uint64_t n)
{
    const uint64_t words = w.keys / 32 + 1;
    uint64_t *seen = host_allocate(words * sizeof *seen), distinct = 0;
#pragma omp parallel for num_threads(host_threads) schedule(static) reduction(+ : distinct)
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t preimage = workload_preimage(w, workload_load(keys, w.key_bytes, i)), bit = (uint64_t)1 << (preimage % 64);
        /* Relaxed is enough: the thread that sets a bit first counts it, and the loop's end
         * orders the sum. */
        distinct += !(__atomic_fetch_or(&seen[preimage / 64], bit, __ATOMIC_RELAXED) & bit);
    }
    host_release(seen, words * sizeof *seen);
    return distinct;
}

static void *host_stream(void) { return NULL; }

static void host_nothing(void) {}

static double host_no_clock(void) { return 0.0; }

static void host_no_profile(bool on) { (void)on; }

const struct machine *machine_host(int threads)
{
    static const struct machine host = {
        .name = "host",
        .space = ROOST_SPACE_HOST,
        .allocate = host_allocate,
        .release = host_release,
        .ready = host_ready,
        .fill = host_fill,
        .fetch = host_fetch,
        .make_keys = host_make_keys,
        .make_queries = host_make_queries,
        .count_wrong = host_count_wrong,
        .make_mix = host_make_mix,
        .count_mix_wrong = host_count_mix_wrong,
        .count_status = host_count_status,
        .count_distinct = host_count_distinct,
        .checksum = host_checksum,
        .stream = host_stream,
        .wait = host_nothing,
        .clock_start = host_nothing,
        .clock_stop = host_no_clock,
        .profile = host_no_profile,
    };
    host_threads = threads > 0 ? threads : 1;
    return &host;
}
