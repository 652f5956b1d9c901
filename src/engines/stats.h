/* Counts of tables.  An engine fills the members that it has, and leaves the others 0.  The
 * library's part (src/api/stats.c) copies the common ones into struct engine_stats, and returns the
 * others by name (roost_table_stat). */
#ifndef ROOST_ENGINES_STATS_H
#define ROOST_ENGINES_STATS_H

#include "portable/item.h"

/* Counters run from the table's creation. */
struct engine_stats {
    uint64_t count;       /* keys stored now */
    uint64_t slots;       /* room for keys now, at least count */
    double load_factor;   /* count / slots */
    uint64_t table_bytes; /* memory of the table itself */
    uint64_t bytes_now;   /* all memory held now: table, work space, staging */
    uint64_t bytes_peak;  /* maximum of bytes_now */
    uint64_t grow_steps;  /* growth steps, forced ones included */
    /* Growth steps below the upper bound, because an item found no room. */
    uint64_t forced_grow_steps;
    uint64_t shrink_steps;   /* shrink steps */
    uint64_t shrink_aborts;  /* shrinks undone because a residual pair found no room */
    uint64_t rehashed;       /* pairs moved by resizing */
    uint64_t largest_rehash; /* most pairs that one growth step moved */
    uint64_t inserted;       /* items that ended INSERTED */
    uint64_t updated;        /* items that ended UPDATED or KEPT */
    uint64_t erased;         /* items that ended ERASED */
    uint64_t host_waits;     /* waits of calls for the device */
    uint64_t launches;       /* kernels launched for batches of items */
    uint64_t seed;           /* of the hash functions now */
    /* Rebuilds under a new secret seed, because the keys collided as random ones practically never
     * do. */
    uint64_t reseeds;

    /* Several engines */
    uint64_t slots_per_bucket;
    uint64_t parked;   /* items that the first insert pass parked */
    uint64_t put_back; /* items put back because a lock was taken (driver vote) */
    /* Items that found no room at first and waited for growth, or were refused. */
    uint64_t spilled;
    /* ROOST_PROBES: bucket reads of finds and, except in compact, of erases; most reads of one;
     * else 0. */
    uint64_t bucket_reads, max_bucket_reads;
    /* ROOST_PROBES, on a GPU: lanes that looked into a group of tickets, one item each. */
    uint64_t lanes_active;
    uint64_t lanes_possible; /* and all lanes of their warps */
    /* Time to order items by parts or regions, and to bring their results back. */
    double route_seconds;
    double routed_find_seconds; /* time of such finds */
    /* Of a table over ranks: items that this rank has owned in all calls, and, when all statistics
     * were read last, the most that a rank has, over the mean. */
    uint64_t items_received;
    double imbalance;
    uint64_t evicted;      /* pairs moved to another home to make room */
    uint64_t buckets;      /* slab: lists; fks: buckets */
    uint64_t tombstones;   /* slots of erased keys that no flush has freed yet */
    uint64_t flushes;      /* passes over the table that freed such slots */
    uint64_t second_reads; /* ROOST_PROBES: finds that read a second bucket or line; else 0 */

    /* dycuckoo */
    uint64_t residuals; /* pairs that a shrink sent to their other home */
    /* Eviction paths by their number of moves; the last entry counts all longer ones. */
    uint64_t path_length[PATH_LENGTHS];
    uint64_t subtables; /* number of subtables */
    uint64_t subtable_slots[MAX_SUBTABLES];
    uint64_t subtable_count[MAX_SUBTABLES]; /* keys */

    /* slab */
    uint64_t chained_slabs; /* slabs behind the first of their list */
    uint64_t longest_list;  /* slabs of the longest list */
    /* count / (buckets * slots of a slab): the paper's average slab count. */
    double average_slabs;
    double memory_utilisation; /* bytes of stored pairs / bytes of slabs in use */

    /* gph */
    uint64_t cells; /* entries of the index */
    /* Cells without a mapping; finds of their keys may read a second bucket. */
    uint64_t flagged_cells;
    uint64_t overflow_keys;   /* keys in the overflow store */
    uint64_t delta_moves;     /* cells that got another offset */
    uint64_t phi_moves;       /* cells that got another mapping */
    uint64_t mapping_tries;   /* mappings tried, for these cells and for flagged ones */
    uint64_t wait_die_aborts; /* inserts that met an older one's lock and started again */

    /* stadium */
    uint64_t ticket_bits; /* bits of each slot's ticket */
    /* Tickets in device memory: slots * ticket_bits / 8, rounded up to 32. */
    uint64_t board_bytes;
    /* Pairs and strings in pinned host memory, which memory_limit does not count. */
    uint64_t host_bytes;
    uint64_t arena_bytes; /* memory for the bytes of strings */
    /* Part of it used by strings that are or were stored, each rounded up to 8 bytes. */
    uint64_t arena_used;
    uint64_t arena_dead; /* part of that used by erased strings */
    /* Regions that finds of many keys visit one after the other; 1: unordered. */
    uint64_t regions;

    /* fks */
    /* Buckets that were rebuilt alone with another seed, because no layout was found. */
    uint64_t reseeded_buckets;
    uint64_t bucket_builds; /* buckets that were built or rebuilt */
    uint64_t second_keys;   /* keys that these builds put into the second of their lines */
    /* Keys in neither of their two lines: always 0 (roost_table_check looks for them). */
    uint64_t outside_keys;
    uint64_t splits, merges; /* of single buckets */
    /* The last build from a batch of at least a million items: estimate of its distinct keys, */
    double count_seconds;
    double partition_seconds; /* partition into regions, */
    double build_seconds;     /* and build of the regions, where equal keys are found */
};

#endif
