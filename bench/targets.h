/* The target numbers for Roost, with their sources; they appear in the rows' column "asked". */
#ifndef ROOST_BENCH_TARGETS_H
#define ROOST_BENCH_TARGETS_H

#include <stdint.h>

struct target {
    const char *row; /* the row's name as printed */
    /* keys of the table, at load factor TARGET_LOAD; the target is for no other size */
    uint64_t keys;
    double asked; /* operations per second, or a ratio */
    const char *source;
};

#define TARGET_LOAD 0.8
#define TARGET_GPU_KEYS 100000000u
#define TARGET_HOST_KEYS 32000000u

/* GPU: one H200, 100 million unique random 4+4-byte pairs, load factor 0.8, device arrays.
 * Host: 32 million pairs, 2 threads. */
static const struct target targets[] = {
    {"gpu/4+4/find-100", TARGET_GPU_KEYS, 22e9, "issue 2, section G: find, hits"},
    {"gpu/4+4/find-0", TARGET_GPU_KEYS, 16e9, "issue 2, section G: find, misses"},
    {"gpu/4+4/insert", TARGET_GPU_KEYS, 9e9, "issue 2, section G: insert into a sized table, one-word pairs"},
    {"gpu/4+4[publish=locked]/insert", TARGET_GPU_KEYS, 7e9, "issue 2, section G: insert into a sized table, the locked path"},
    {"gpu/4+4/erase", TARGET_GPU_KEYS, 12e9, "issue 2, section G: erase"},
    {"gpu/4+4/batches", TARGET_GPU_KEYS, 6e9, "issue 2, section G: 100 batches of 1M inserts with growth, 0.30..0.85"},
    {"gpu/slab-0.60/insert", TARGET_GPU_KEYS, 10.5e9, "the plan of slab: insert at utilisation 0.60"},
    {"gpu/slab-0.60/find-100", TARGET_GPU_KEYS, 20e9, "the plan of slab: find, hits, at utilisation 0.60"},
    {"gpu/slab-0.60/find-0", TARGET_GPU_KEYS, 20e9, "the plan of slab: find, misses, at utilisation 0.60"},
    {"gpu/slab-0.60/erase", TARGET_GPU_KEYS, 11.5e9, "the plan of slab: erase at utilisation 0.60"},
    {"gpu/slab-0.60/mix-20", TARGET_GPU_KEYS, 12e9, "the plan of slab: 20 % updates, 80 % finds, at utilisation 0.60"},
    {"gpu/slab-0.75/insert", TARGET_GPU_KEYS, 7.5e9, "the plan of slab: insert at utilisation 0.75"},
    {"gpu/slab-0.75/find-100", TARGET_GPU_KEYS, 14e9, "the plan of slab: find, hits, at utilisation 0.75"},
    {"gpu/slab-0.75/find-0", TARGET_GPU_KEYS, 9e9, "the plan of slab: find, misses, at utilisation 0.75"},
    {"gpu/slab-0.60/one-key/many-keys", TARGET_GPU_KEYS, 0.05, "the plan of slab: one key at most 20 times slower than many"},
    {"gpu/slab-alloc/take-0", TARGET_GPU_KEYS, 1.5e9, "the plan of slab: allocations, one a thread"},
    {"gpu/slab-alloc/take-90/take-0", TARGET_GPU_KEYS, 0.5, "the plan of slab: allocations at 90 % full beside an empty pool"},
    {"gpu/gph-0.70/find-100", TARGET_GPU_KEYS, 23e9, "the plan of gph: lookups at load factor 0.70, an index of 8 MB"},
    {"gpu/gph-0.70/find-50", TARGET_GPU_KEYS, 23e9, "the plan of gph: lookups at load factor 0.70, an index of 8 MB"},
    {"gpu/gph-0.70/find-0", TARGET_GPU_KEYS, 23e9, "the plan of gph: lookups at load factor 0.70, an index of 8 MB"},
    {"gpu/gph-0.70/find/slowest/limit", TARGET_GPU_KEYS, 0.90, "the plan of gph: lookups beside an index entry and a bucket"},
    {"gpu/gph-0.70/find/slowest/fastest", TARGET_GPU_KEYS, 0.95, "the plan of gph: hits, half hits and misses within 5 %"},
    {"gpu/gph-0.70/cells/unflagged", TARGET_GPU_KEYS, 0.98, "the plan of gph: flagged cells at most 2 %"},
    {"gpu/gph-0.70/keys/in-cells", TARGET_GPU_KEYS, 0.995, "the plan of gph: keys in the overflow store at most 0.5 %"},
    {"gpu/gph-0.70/insert", TARGET_GPU_KEYS, 2e9, "the plan of gph: inserts from empty to load factor 0.70"},
    {"gpu/gph-0.80/find-100", TARGET_GPU_KEYS, 21e9, "the plan of gph: lookups at load factor 0.80, an index of 16 MB"},
    {"gpu/gph-0.80/find-50", TARGET_GPU_KEYS, 21e9, "the plan of gph: lookups at load factor 0.80, an index of 16 MB"},
    {"gpu/gph-0.80/find-0", TARGET_GPU_KEYS, 21e9, "the plan of gph: lookups at load factor 0.80, an index of 16 MB"},
    {"gpu/gph-0.80/find/slowest/fastest", TARGET_GPU_KEYS, 0.95, "the plan of gph: hits, half hits and misses within 5 %"},
    {"gpu/gph-0.80/cells/unflagged", TARGET_GPU_KEYS, 0.99, "the plan of gph: flagged cells at most 1 %"},
    {"gpu/gph-0.80/keys/in-cells", TARGET_GPU_KEYS, 0.995, "the plan of gph: keys in the overflow store at most 0.5 %"},
    {"gpu/gph-0.80/insert", TARGET_GPU_KEYS, 1e9, "the plan of gph: inserts from empty to load factor 0.80"},
    {"gpu/fks-0.80/insert", TARGET_GPU_KEYS, 15e9, "issue 7, section D: build from device arrays"},
    {"gpu/fks-0.80/find-100", TARGET_GPU_KEYS, 21e9, "issue 7, section D: find, hits, at load factor 0.80"},
    {"gpu/fks-0.80/find-0", TARGET_GPU_KEYS, 16e9, "issue 7, section D: find, misses, at load factor 0.80"},
    {"gpu/fks-0.80/pairs/bytes", TARGET_GPU_KEYS, 1 / 1.4, "issue 7, section D: at most 1.4 times the raw pairs at rest"},
    {"gpu/fks-0.80/increments-reserved", TARGET_GPU_KEYS, 3e9, "issue 7, section D: batches of 1M into 100M"},
    {"gpu/stadium-0.80/insert", TARGET_GPU_KEYS, 5e9, "the plan of stadium: insert to load factor 0.80, tickets of 8 bits"},
    {"gpu/stadium-0.80/find-100", TARGET_GPU_KEYS, 13e9, "the plan of stadium: find, hits, at load factor 0.80"},
    {"gpu/stadium-0.80/find-0", TARGET_GPU_KEYS, 19e9, "the plan of stadium: find, misses, at load factor 0.80"},
    {"gpu/stadium-0.95/find-100", TARGET_GPU_KEYS, 9e9, "the plan of stadium: find, hits, at load factor 0.95"},
    {"gpu/stadium-0.95/find-0", TARGET_GPU_KEYS, 8e9, "the plan of stadium: find, misses, at load factor 0.95"},
    {"gpu/stadium-0.80/find-0/expected/counted", TARGET_GPU_KEYS, 1 / 1.3,
     "issue 6: pair reads a miss at most 1.3 times the expected"},
    {"gpu/stadium-0.95/find-0/expected/counted", TARGET_GPU_KEYS, 1 / 1.3,
     "issue 6: pair reads a miss at most 1.3 times the expected"},
    {"gpu/stadium-host-0.85[ticket=16,group=64]/find-100/zero-copy", TARGET_GPU_KEYS, 0.95,
     "issue 6: hits of a table in the host's memory, of random 16-byte reads of it"},
    {"gpu/stadium-host-0.85[ticket=16,group=64]/find-0/zero-copy", TARGET_GPU_KEYS, 100,
     "issue 6: misses of a table in the host's memory, times random 16-byte reads of it"},
    {"host-2/stadium-strings/find-100/libcuckoo", TARGET_HOST_KEYS, 2, "issue 6: finds of strings on the host, times libcuckoo"},
    {"host-2/stadium-strings/find-0/libcuckoo", TARGET_HOST_KEYS, 2, "issue 6: finds of strings on the host, times libcuckoo"},
    {"host-2/fks-0.80/insert/libcuckoo", TARGET_HOST_KEYS, 4, "issue 7, section D: host builds, times libcuckoo's inserts"},
    {"host-2/find-100/libcuckoo", TARGET_HOST_KEYS, 3.5, "issue 2, section G: host finds, times libcuckoo"},
    {"host-2/find-50/libcuckoo", TARGET_HOST_KEYS, 3.5, "issue 2, section G: host finds, times libcuckoo"},
    {"host-2/find-0/libcuckoo", TARGET_HOST_KEYS, 3.5, "issue 2, section G: host finds, times libcuckoo"},
    {"host-2/insert/libcuckoo", TARGET_HOST_KEYS, 2.5, "issue 2, section G: host inserts, times libcuckoo"},
    {"host-2/insert/1-thread", TARGET_HOST_KEYS, 1.7, "issue 2, section H: host inserts on 2 threads beside 1"},
};

enum { TARGETS = sizeof targets / sizeof targets[0] };

#endif
