/* The host's limits: random reads of one 64-byte line, or of two with a word of one written.
 * Each access is prefetched some places ahead, and the best of several prefetch distances
 * counts. The line numbers are computed beforehand, so that no hashing is timed. */
#include "bench_machine.h"
#include "bench_limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 8 };

const char *limit_name(enum limit_pattern pattern)
{
    static const char *const names[LIMIT_PATTERNS] = {
        [LIMIT_GATHER_8] = "gather-8",
        [LIMIT_GATHER_16] = "gather-16",
        [LIMIT_GATHER_32] = "gather-32",
        [LIMIT_GATHER_64] = "gather-64",
        [LIMIT_GATHER_128] = "gather-128",
        [LIMIT_GATHER_256] = "gather-256",
        [LIMIT_INDEX_32] = "index-32",
        [LIMIT_INDEX_64] = "index-64",
        [LIMIT_INDEX_128] = "index-128",
        [LIMIT_FLAGS_32] = "flags-32",
        [LIMIT_FLAGS_64] = "flags-64",
        [LIMIT_FLAGS_128] = "flags-128",
        [LIMIT_CAS] = "cas",
        [LIMIT_READ1_CAS] = "read1-cas",
        [LIMIT_READ1_ADD] = "read1-add",
        [LIMIT_READ1_STORE] = "read1-store",
        [LIMIT_READ2_CAS] = "read2-cas",
        [LIMIT_READ2_STORE] = "read2-store",
        [LIMIT_ZERO_COPY_READ_16] = "zero-copy-read-16",
        [LIMIT_ZERO_COPY_WRITE_16] = "zero-copy-write-16",
    };
    return names[pattern];
}

struct field {
    uint64_t *table; /* lines of WORDS words each */
    uint64_t lines;
    uint32_t *line; /* n line numbers */
    uint32_t *answer;
    uint64_t n;
    int threads;
};

static inline uint64_t line_fold(const uint64_t *line)
{
    uint64_t sum = 0;
    for (int i = 0; i < WORDS; i++) sum ^= line[i];
    return sum;
}

/* A second line, as random as the first. */
static inline uint64_t line_other(const struct field *f, uint64_t line)
{
    const uint64_t other = line + f->lines / 2;
    return other < f->lines ? other : other - f->lines;
}

static inline uint64_t at_most(uint64_t i, uint64_t last) { return i < last ? i : last; }

static void run_gather(const struct field *f, uint64_t ahead)
{
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (uint64_t i = 0; i < f->n; i++) {
        __builtin_prefetch(f->table + (uint64_t)f->line[at_most(i + ahead, f->n - 1)] * WORDS);
        f->answer[i] = (uint32_t)line_fold(f->table + (uint64_t)f->line[i] * WORDS);
    }
}

/* Threads may meet in a line. Its contents do not matter then, so a relaxed store is enough. */
static void run_read2_store(const struct field *f, uint64_t ahead)
{
#pragma omp parallel for num_threads(f->threads) schedule(static)
    for (uint64_t i = 0; i < f->n; i++) {
        const uint64_t later = f->line[at_most(i + ahead, f->n - 1)], line = f->line[i];
        __builtin_prefetch(f->table + later * WORDS, 1);
        __builtin_prefetch(f->table + line_other(f, later) * WORDS);
        uint64_t sum = line_fold(f->table + line * WORDS) ^ line_fold(f->table + line_other(f, line) * WORDS);
        __atomic_store_n(f->table + line * WORDS + sum % WORDS, sum, __ATOMIC_RELAXED);
    }
}

static double run_time(void (*run)(const struct field *, uint64_t), const struct field *f, uint64_t ahead)
{
    double start = machine_now();
    run(f, ahead);
    return machine_now() - start;
}

static uint64_t best_distance(void (*run)(const struct field *, uint64_t), const struct field *f)
{
    static const uint64_t distances[] = {8, 16, 24, 32, 48, 64};
    uint64_t best = distances[0];
    double least = 0;
    run(f, best);
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        double seconds = run_time(run, f, distances[i]);
        if (i == 0 || seconds < least) {
            best = distances[i];
            least = seconds;
        }
    }
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle(const double *seconds)
{
    double sorted[LIMIT_REPETITIONS];
    for (int i = 0; i < LIMIT_REPETITIONS; i++) sorted[i] = seconds[i];
    qsort(sorted, LIMIT_REPETITIONS, sizeof *sorted, compare_doubles);
    return sorted[LIMIT_REPETITIONS / 2];
}

static struct field field_make(const struct machine *m, uint64_t table_bytes, uint64_t n, uint64_t seed, int threads)
{
    struct field f = {.lines = table_bytes / 64, .n = n, .threads = threads};
    f.table = m->allocate(f.lines * 64);
    f.line = m->allocate(n * sizeof *f.line);
    f.answer = m->allocate(n * sizeof *f.answer);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < f.lines * WORDS; i++) f.table[i] = workload_mix(seed ^ i);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (uint64_t i = 0; i < n; i++) f.line[i] = (uint32_t)(workload_mix(seed + ~i) % f.lines);
    return f;
}

struct limit limit_host(enum limit_pattern pattern, uint64_t table_bytes, uint64_t operations, uint64_t seed, int threads)
{
    const struct machine *m = machine_host(threads);
    void (*run)(const struct field *, uint64_t) = pattern == LIMIT_GATHER_64 ? run_gather : run_read2_store;
    struct field f = field_make(m, table_bytes < 64 ? 64 : table_bytes, operations, seed, threads);
    struct limit limit = {.operations = operations};
    const uint64_t ahead = best_distance(run, &f);
    for (int i = 0; i < LIMIT_REPETITIONS; i++) limit.seconds[i] = run_time(run, &f, ahead);
    limit.rate = (double)operations / middle(limit.seconds);
    snprintf(limit.shape, sizeof limit.shape, "%d threads, prefetched %d ahead, huge pages", threads, (int)ahead);
    m->release(f.table, f.lines * 64);
    m->release(f.line, operations * sizeof *f.line);
    m->release(f.answer, operations * sizeof *f.answer);
    return limit;
}

struct limit limit_host_copy(uint64_t bytes, int threads)
{
    enum { PIECE = 1 << 20 };
    const struct machine *m = machine_host(threads);
    char *from = m->allocate(bytes), *to = m->allocate(bytes);
    struct limit limit = {.operations = bytes};
    m->fill(from, 0x5A, bytes);
    m->fill(to, 0, bytes);
    for (int i = 0; i < LIMIT_REPETITIONS; i++) {
        const double start = machine_now();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (uint64_t at = 0; at < bytes; at += PIECE) memcpy(to + at, from + at, bytes - at < PIECE ? bytes - at : PIECE);
        limit.seconds[i] = machine_now() - start;
    }
    limit.rate = 2.0 * (double)bytes / middle(limit.seconds);
    m->release(from, bytes);
    m->release(to, bytes);
    return limit;
}
