/* Items and batches: what a driver hands to an item operation, for every engine.
 *
 * An item operation is three functions: begin (load the item, compute its homes, prefetch), step, and end (store the results).
 * A step never spins, and never holds a lock, ticket or reservation when it returns. */
#ifndef ROOST_PORTABLE_ITEM_H
#define ROOST_PORTABLE_ITEM_H

#include "portable/atomic.h"
#include "portable/bits.h"
#include "portable/tile.h"
#include "roost/roost.h"
#include "roost/mixed.h"

/* A key of 4 or 8 bytes is its bits; touched only through hash, equality, load and store. */
typedef uint64_t roost_key;
typedef uint64_t roost_value;

enum { MAX_HOMES = 8, MAX_SUBTABLES = 8, PATH_LENGTHS = 16, SPECIAL = 8 /* the vacant key's own bucket, beside the subtables */ };

/* One of the buckets in which a key may live. */
struct home {
    uint32_t sub;
    uint32_t index; /* of the bucket in its subtable */
};

/* What a step reports to its driver. */
enum step {
    STEP_DONE,
    STEP_RETRY, /* what it needs is held by another: put it back and come again */
    STEP_AGAIN, /* one more step, nothing is in the way */
    STEP_PARK   /* its index goes to the batch's leftover list, for a later kernel or the policy */
};

/* One item while it is worked on: in registers on CUDA, so every index into its arrays is a constant there. */
struct item {
    uint64_t invoked; /* ROOST_PROBES builds, where the batch asks for it: see struct item_stamp */
    roost_key key;
    roost_value value;
    uint64_t index;              /* in the caller's arrays */
    struct home home[MAX_HOMES]; /* in the order in which they are tried; the first shape.homes are used */
    uint8_t status;              /* roost_item_status */
    uint8_t where;               /* the subtable it was inserted into or erased from */
    uint8_t operation;           /* roost_operation, where operations mix */
};

/* When an item was invoked and when it responded, by one clock of the machine; for the tests' proofs of linearisability. */
struct item_stamp {
    uint64_t invoked, responded;
};

/* What the kernels count.  Work groups add up in registers (struct tally) and add theirs here once, at the end. */
struct counters {
    uint64_t inserted, updated, erased;
    uint64_t put_back, evicted;
    uint64_t moved;    /* pairs that a resizing step relocated */
    uint64_t untidy;   /* vacancies that evictions made and did not use */
    uint64_t distinct; /* bits that an estimate of distinct keys set */
    /* Of inserts that nobody waits for: items that the first pass left over, that no pass placed, and that were not stored. */
    uint64_t parked, spilled, failed;
    uint64_t reused;  /* tombstones that inserts took (multimaps) */
    uint64_t linked;  /* slabs that lists got (or, modulo 2^64, gave back) */
    uint64_t longest; /* list that a survey saw; the most, not a sum */
    /* Cells mapped anew by another Delta, or Phi; mappings tried for it; insert groups that met an older one's lock; cells that were
     * flagged (or, modulo 2^64, are not any more); finds that read more than one bucket (GPH) */
    uint64_t delta_moves, phi_moves, tries, died, flagged, second_reads;
    uint64_t bucket_reads, max_bucket_reads;
    uint64_t lanes_active, lanes_possible; /* ROOST_PROBES: lanes that looked into a group, an item each, and all of their warps */
    uint64_t stored[MAX_SUBTABLES + 1];    /* keys that came (or, modulo 2^64, went) per subtable */
    uint64_t path_length[PATH_LENGTHS];
};

struct tally {
    uint32_t inserted, updated, erased;
    uint32_t put_back, evicted, moved, distinct, reused, linked, failed, exchanged; /* exchanged: evictions by one move */
    uint32_t delta_moves, phi_moves, tries, died, flagged, second_reads;
    uint32_t longest;
    uint32_t lanes_active, lanes_possible;
    uint32_t bucket_reads, max_bucket_reads, reads_here; /* reads_here: of the item at hand */
    uint32_t *stored; /* [MAX_SUBTABLES + 1]; apart, because its index varies and would take the others out of registers */
};

/* A batch as kernels see it; plain data, passed by value. */
struct batch {
    const void *keys;        /* or with key_offsets: the bytes of strings */
    const void *key_offsets; /* n + 1 ends of strings, of offset_bytes (4 or 8); NULL: keys of one width */
    const void *values_in;   /* NULL: sets, finds and erases */
    void *values_out;        /* NULL: not wanted */
    uint8_t *found;          /* NULL: not wanted */
    uint8_t *statuses;       /* NULL: not wanted */
    const uint32_t *order;   /* NULL: items 0 .. n-1; else the indices of the n items */
    const uint64_t *order_n; /* NULL: n; else where the kernel finds how many indices there are (at most n) */
    uint32_t *leftover;      /* where parked items' indices go */
    uint64_t *leftover_n;
    struct counters *counters;
    const uint8_t *operations; /* mixed batches: a roost_operation an item; NULL: all items do the same */
    uint64_t *counts;          /* counting and erasing all of a key: results */
    const uint64_t *offsets;   /* gathering all of a key: n + 1 places in values_out */
    const uint64_t *bounds;    /* NULL, or by code: its first item (struct batch_order) */
    struct item_stamp *stamps; /* NULL: not wanted; read by ROOST_PROBES builds alone */
    uint64_t *clock; /* with stamps: the counter that they are drawn from; NULL: the machine's own clock, without fences */
    uint64_t n;
    uint8_t mode;       /* roost_mode */
    uint8_t value_type; /* roost_type, never BYTES */
    uint8_t saturate;
    uint8_t absent_zero; /* finds: the values of absent keys become 0 */
    uint8_t park_status; /* what an item's status says while it is parked: FULL, should nothing come of it */
    uint8_t key_bytes;   /* of the arrays' items, for what works on any table's batches; of strings 0 */
    uint8_t offset_bytes;
    uint8_t strings_away; /* where the table's machine does not reach them: STRINGS_... */
    uint8_t by_region;    /* the keys come in the order of the table's regions */
    uint16_t value_bytes;
    uint16_t takes; /* mixed batches: bit o: the table takes the roost_operation o; an item of another one ends NONE */
};

enum { STRINGS_OFFSETS_AWAY = 1, STRINGS_BYTES_AWAY = 2 };

/* Where item `first` of an array begins; NULL stays NULL. */
static inline void *array_at(const void *array, uint64_t first, int bytes)
{
    return array ? (char *)(uintptr_t)array + first * (unsigned)bytes : NULL;
}

/* The n items of a batch from `first` on. */
static inline struct batch batch_part(const struct batch *whole, uint64_t first, uint64_t n, int key_bytes, int value_bytes)
{
    struct batch part = *whole;
    part.keys = array_at(whole->keys, first, key_bytes);
    part.key_offsets = array_at(whole->key_offsets, first, whole->offset_bytes);
    part.values_in = array_at(whole->values_in, first, value_bytes);
    part.values_out = array_at(whole->values_out, first, value_bytes);
    part.found = (uint8_t *)array_at(whole->found, first, 1);
    part.statuses = (uint8_t *)array_at(whole->statuses, first, 1);
    part.operations = (const uint8_t *)array_at(whole->operations, first, 1);
    part.stamps = (struct item_stamp *)array_at(whole->stamps, first, sizeof *whole->stamps);
    part.n = n;
    return part;
}

ROOST_FN uint64_t batch_size(const struct batch *b) { return b->order_n ? load_relaxed_device64(b->order_n) : b->n; }

ROOST_FN uint64_t batch_index(const struct batch *b, uint64_t i) { return b->order ? b->order[i] : i; }

/* Does the table take this operation of a mixed batch? */
ROOST_FN bool batch_takes(const struct batch *b, uint8_t operation)
{
    return operation <= ROOST_OP_APPEND && (b->takes >> operation & 1);
}

/* Is it the width of a machine word, which load_width and store_width take? */
static inline bool width_is_word(int bytes) { return bytes == 4 || bytes == 8; }

ROOST_FN uint64_t load_width(const int bytes, const void *array, uint64_t index)
{
    return bytes == 8 ? ((const uint64_t *)array)[index] : ((const uint32_t *)array)[index];
}

ROOST_FN void store_width(const int bytes, void *array, uint64_t index, uint64_t x)
{
    if (bytes == 8) ((uint64_t *)array)[index] = x;
    else ((uint32_t *)array)[index] = (uint32_t)x;
}

/* Stores if `wanted`.  The host stores anyway, elsewhere if need be (`opaque_bool`). */
ROOST_FN void store_width_if(bool wanted, const int bytes, void *array, uint64_t index, uint64_t x)
{
#if defined(ROOST_MACHINE_HOST)
    uint64_t elsewhere;
    const uintptr_t mask = (uintptr_t)0 - (uintptr_t)opaque_bool(wanted);
    const uintptr_t here = (uintptr_t)array + index * (unsigned)bytes;
    store_width(bytes, (void *)((here & mask) | ((uintptr_t)&elsewhere & ~mask)), 0, x);
#else
    if (wanted) store_width(bytes, array, index, x);
#endif
}

/* A key came to (count = 1) or left (-1) a subtable. */
ROOST_FN void tally_stored(struct tally *t, uint32_t sub, uint32_t count) { t->stored[sub] += count; }

ROOST_FN void tally_read(struct tally *t)
{
    if (ROOST_PROBES) t->reads_here++;
}

/* A lane with an item of its own looks for it in one place more: how many of its warp do so with it (Stadium hashing, Table I). */
ROOST_FN void tally_lanes(struct tally *t)
{
#if defined(ROOST_MACHINE_CUDA)
    if (!ROOST_PROBES) return;
    t->lanes_active++;
    t->lanes_possible += (threadIdx.x & 31u) == (unsigned)__ffs((int)__activemask()) - 1u ? 32u : 0u;
#else
    (void)t;
#endif
}

ROOST_FN void tally_item_end(struct tally *t)
{
    if (!ROOST_PROBES) return;
    t->bucket_reads += t->reads_here;
    if (t->reads_here > t->max_bucket_reads) t->max_bucket_reads = t->reads_here;
    t->reads_here = 0;
}

#endif
