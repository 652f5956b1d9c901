/* A table's numbers as rows keep them: those of roost_stats, and its engine's counts. */
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

#include <roost/roost.h>

/* X(name): the counts of roost_stats that are reported. */
#define NUMBERS_GENERAL(X)                                                                                                         \
    X(count)                                                                                                                       \
    X(slots)                                                                                                                       \
    X(table_bytes)                                                                                                                 \
    X(bytes_now) X(bytes_peak) X(grow_steps) X(forced_grow_steps) X(shrink_steps) X(rehashed) X(host_waits) X(launches)
/* X(name): counts of engines, "ENGINE.name" or "table.name". */
#define NUMBERS_COUNTS(X)                                                                                                          \
    X(slots_per_bucket)                                                                                                            \
    X(parked)                                                                                                                      \
    X(put_back)                                                                                                                    \
    X(bucket_reads)                                                                                                                \
    X(lanes_active)                                                                                                                \
    X(lanes_possible)                                                                                                              \
    X(evicted)                                                                                                                     \
    X(residuals)                                                                                                                   \
    X(buckets)                                                                                                                     \
    X(chained_slabs)                                                                                                               \
    X(longest_list)                                                                                                                \
    X(flushes)                                                                                                                     \
    X(cells)                                                                                                                       \
    X(flagged_cells)                                                                                                               \
    X(overflow_keys)                                                                                                               \
    X(delta_moves)                                                                                                                 \
    X(phi_moves)                                                                                                                   \
    X(mapping_tries)                                                                                                               \
    X(wait_die_aborts)                                                                                                             \
    X(ticket_bits)                                                                                                                 \
    X(board_bytes)                                                                                                                 \
    X(host_bytes) X(arena_used) X(regions) X(reseeded_buckets) X(bucket_builds) X(second_keys) X(outside_keys) X(splits) X(reseeds)
/* X(name): the same of real numbers. */
#define NUMBERS_REALS(X)                                                                                                           \
    X(route_seconds)                                                                                                               \
    X(routed_find_seconds) X(average_slabs) X(memory_utilisation) X(count_seconds) X(partition_seconds) X(build_seconds)

#define NUMBERS_COUNT_MEMBER(name) uint64_t name;
#define NUMBERS_REAL_MEMBER(name) double name;

/* Counts that the table's engine lacks are 0. */
struct numbers {
    double load_factor;
    NUMBERS_GENERAL(NUMBERS_COUNT_MEMBER)
    NUMBERS_COUNTS(NUMBERS_COUNT_MEMBER)
    NUMBERS_REALS(NUMBERS_REAL_MEMBER)
};

/* All 0 if a call fails. */
struct numbers numbers_read(const roost_table *table);

#endif
