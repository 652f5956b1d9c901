/* All numbers of a table in one struct: those of roost_stats, and the engine's counts by name. */
#ifndef ROOST_TESTS_NUMBERS_H
#define ROOST_TESTS_NUMBERS_H

#include <roost/roost.h>

enum { NUMBERS_SUBTABLES = 8, NUMBERS_PATH_LENGTHS = 16 };

/* X(name): the counts of roost_stats. */
#define NUMBERS_GENERAL(X)                                                                                                         \
    X(count)                                                                                                                       \
    X(slots)                                                                                                                       \
    X(table_bytes)                                                                                                                 \
    X(bytes_now)                                                                                                                   \
    X(bytes_peak)                                                                                                                  \
    X(grow_steps)                                                                                                                  \
    X(forced_grow_steps)                                                                                                           \
    X(shrink_steps) X(shrink_aborts) X(rehashed) X(largest_rehash) X(inserted) X(updated) X(erased) X(host_waits) X(launches)
/* X(name): the engines' counts, without the part of the name before the dot. */
#define NUMBERS_COUNTS(X)                                                                                                          \
    X(seed)                                                                                                                        \
    X(reseeds)                                                                                                                     \
    X(slots_per_bucket)                                                                                                            \
    X(parked)                                                                                                                      \
    X(put_back)                                                                                                                    \
    X(spilled)                                                                                                                     \
    X(bucket_reads)                                                                                                                \
    X(max_bucket_reads)                                                                                                            \
    X(lanes_active)                                                                                                                \
    X(lanes_possible)                                                                                                              \
    X(items_received)                                                                                                              \
    X(evicted)                                                                                                                     \
    X(residuals)                                                                                                                   \
    X(subtables)                                                                                                                   \
    X(buckets)                                                                                                                     \
    X(chained_slabs)                                                                                                               \
    X(longest_list)                                                                                                                \
    X(tombstones)                                                                                                                  \
    X(flushes)                                                                                                                     \
    X(cells)                                                                                                                       \
    X(flagged_cells)                                                                                                               \
    X(overflow_keys)                                                                                                               \
    X(delta_moves)                                                                                                                 \
    X(phi_moves)                                                                                                                   \
    X(mapping_tries)                                                                                                               \
    X(wait_die_aborts)                                                                                                             \
    X(second_reads)                                                                                                                \
    X(ticket_bits)                                                                                                                 \
    X(board_bytes)                                                                                                                 \
    X(host_bytes)                                                                                                                  \
    X(arena_bytes)                                                                                                                 \
    X(arena_used) X(arena_dead) X(regions) X(reseeded_buckets) X(bucket_builds) X(second_keys) X(outside_keys) X(splits) X(merges)
/* X(name): the same of real numbers. */
#define NUMBERS_REALS(X)                                                                                                           \
    X(route_seconds)                                                                                                               \
    X(imbalance)                                                                                                                   \
    X(routed_find_seconds) X(average_slabs) X(memory_utilisation) X(count_seconds) X(partition_seconds) X(build_seconds)
/* X(name, elements): arrays of counts. */
#define NUMBERS_ARRAYS(X)                                                                                                          \
    X(path_length, NUMBERS_PATH_LENGTHS) X(subtable_slots, NUMBERS_SUBTABLES) X(subtable_count, NUMBERS_SUBTABLES)

#define NUMBERS_COUNT_MEMBER(name) uint64_t name;
#define NUMBERS_REAL_MEMBER(name) double name;
#define NUMBERS_ARRAY_MEMBER(name, elements) uint64_t name[elements];

/* Counts that the table's engine lacks are 0. */
struct table_numbers {
    double load_factor;
    NUMBERS_GENERAL(NUMBERS_COUNT_MEMBER)
    NUMBERS_COUNTS(NUMBERS_COUNT_MEMBER)
    NUMBERS_REALS(NUMBERS_REAL_MEMBER)
    NUMBERS_ARRAYS(NUMBERS_ARRAY_MEMBER)
};

/* Reads all numbers; fails the test if a call fails, or if the library counts something that has
 * no member here. */
struct table_numbers table_numbers_read(const roost_table *table);

/* A number as %llu takes it. */
unsigned long long print(uint64_t number);

#endif
