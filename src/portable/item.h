/* Items and batches: what a driver hands to an item operation, for every engine.
 *
 * An item operation is three functions: begin (load the item, compute its homes, prefetch), step,
 * and end (store the results).  A step never spins, and never holds a lock, ticket or reservation
 * when it returns. */
#ifndef ROOST_PORTABLE_ITEM_H
#define ROOST_PORTABLE_ITEM_H

#include "portable/atomic.h"
#include "portable/bits.h"
#include "portable/bytes.h"
#include "portable/tile.h"
#include "roost/roost.h"
#include "roost/mixed.h"

/* The bits of a key of 4 or 8 bytes; accessed only through hash, equality, load and store. */
typedef uint64_t roost_key;
typedef uint64_t roost_value;

/* SPECIAL: the vacant key's own bucket, beside the subtables. */
enum { MAX_HOMES = 8, MAX_SUBTABLES = 8, PATH_LENGTHS = 16, SPECIAL = 8 };

/* One of the buckets in which a key may live. */
struct home {
    uint32_t sub;
    uint32_t index; /* of the bucket in its subtable */
};

/* Report of a step to its driver. */
enum step {
    STEP_DONE,
    STEP_RETRY, /* another lane holds what it needs: put it back and retry */
    STEP_AGAIN, /* one more step; no other lane is in the way */
    STEP_PARK,  /* its index goes to the batch's leftover list, for a later kernel or the policy */
    STEP_LATER  /* nothing is done: begin it again without hurry */
};

/* One item in progress: in registers on CUDA, so every index into its arrays must be constant
 * there. */
struct item {
    uint64_t invoked; /* timestamp, in ROOST_PROBES builds if the batch has stamps */
    roost_key key;
    roost_value value;
    uint64_t index;              /* index in the caller's arrays */
    struct home home[MAX_HOMES]; /* in trying order; the first shape.homes are used */
    uint8_t status;              /* roost_item_status */
    uint8_t where;               /* the subtable that it was inserted into or erased from */
    uint8_t operation;           /* roost_operation, in mixed batches */
    /* Driver abreast: there is no work, its tile comes along with others; its step returns LATER
     * before it does what few items need; its step has returned LATER. */
    bool idle, hurries, waited;
};

/* Is the item idle; does it hurry; has it waited?  Constants where there is no driver abreast. */
#if defined(ROOST_MACHINE_CUDA)
ROOST_FN bool item_is_idle(const struct item *item) { return item->idle; }
ROOST_FN bool item_hurries(const struct item *item) { return item->hurries; }
ROOST_FN bool item_waited(const struct item *item) { return item->waited; }
#else
ROOST_FN bool item_is_idle(const struct item *item) { return (void)item, false; }
ROOST_FN bool item_hurries(const struct item *item) { return (void)item, false; }
ROOST_FN bool item_waited(const struct item *item) { return (void)item, false; }
#endif

/* Timestamps of an item's invocation and response, from one clock of the machine; for the tests'
 * proofs of linearisability. */
struct item_stamp {
    uint64_t invoked, responded;
};

/* Counts of the kernels.  Work groups add up in registers (struct tally) and add their sums here
 * once, at the end. */
struct counters {
    uint64_t inserted, updated, erased;
    uint64_t put_back, evicted;
    uint64_t moved;    /* pairs that a resize moved */
    uint64_t untidy;   /* vacancies that evictions made and did not use */
    uint64_t distinct; /* bits that an estimate of distinct keys set */
    /* Of asynchronous inserts: items that the first pass parked, that no pass placed, and that were
     * not stored. */
    uint64_t parked, spilled, failed;
    uint64_t reused;  /* tombstones that inserts took (multimaps) */
    uint64_t linked;  /* slabs added to lists (minus those given back, modulo 2^64) */
    uint64_t longest; /* longest list of a survey; a maximum, not a sum */
    /* GPH: cells that got another Delta, or Phi; mappings tried for it; insert groups that met an
     * older group's lock; cells flagged (minus those unflagged, modulo 2^64); finds that read more
     * than one bucket. */
    uint64_t delta_moves, phi_moves, tries, died, flagged, second_reads;
    uint64_t strayed; /* Stadium: groups before those in which pairs were put, on their ways */
    uint64_t bucket_reads, max_bucket_reads;
    /* ROOST_PROBES: lanes that looked into a group, one item each, and all lanes of their warps. */
    uint64_t lanes_active, lanes_possible;
    /* Keys added per subtable (minus those removed, modulo 2^64). */
    uint64_t stored[MAX_SUBTABLES + 1];
    uint64_t path_length[PATH_LENGTHS];
};

struct tally {
    uint32_t inserted, updated, erased;
    /* exchanged: evictions by one move */
    uint32_t put_back, evicted, moved, distinct, reused, linked, failed, exchanged;
    uint32_t delta_moves, phi_moves, tries, died, flagged, second_reads, strayed;
    uint32_t longest;
    uint32_t lanes_active, lanes_possible;
    /* reads_here: of the current item */
    uint32_t bucket_reads, max_bucket_reads, reads_here;
    /* [MAX_SUBTABLES + 1]; apart, because its index varies and would take the others out of
     * registers. */
    uint32_t *stored;
};

/* A batch as kernels see it: plain data, passed by value. */
struct batch {
    const void *keys; /* with key_offsets: the bytes of strings */
    /* n + 1 ends of strings, of offset_bytes (4 or 8); NULL: keys of one width. */
    const void *key_offsets;
    const void *values_in; /* NULL: sets, finds and erases */
    void *values_out;      /* NULL: not wanted */
    uint8_t *found;        /* NULL: not wanted */
    uint8_t *statuses;     /* NULL: not wanted */
    const uint32_t *order; /* NULL: items 0 .. n-1; else the indices of the n items */
    /* NULL: n; else the number of items, read by the kernel: of indices at most n.  Finds without
     * indices may have more than n, which is then about as many as come. */
    const uint64_t *order_n;
    uint32_t *leftover; /* list of the parked items' indices */
    uint64_t *leftover_n;
    struct counters *counters;
    /* Mixed batches: one roost_operation for each item; NULL: all items do the same. */
    const uint8_t *operations;
    uint64_t *counts;          /* counting and erasing all pairs of a key: results */
    const uint64_t *offsets;   /* gathering all pairs of a key: n + 1 places in values_out */
    const uint64_t *bounds;    /* NULL, or for each code its first item (struct batch_order) */
    struct item_stamp *stamps; /* NULL: not wanted; read only by ROOST_PROBES builds */
    /* With stamps: the counter that they are drawn from; NULL: the machine's clock, without
     * fences. */
    uint64_t *clock;
    uint64_t n;
    /* Host: once more items than these are parked, the others are parked without being tried; the
     * caller runs another pass over them.  0: all are tried. */
    uint64_t parked_most;
    uint8_t mode;       /* roost_mode */
    uint8_t value_type; /* roost_type, never BYTES */
    uint8_t saturate;
    uint8_t absent_zero; /* finds: the values of absent keys become 0 */
    uint8_t numbers;     /* values_out: all bits set where no number was given */
    uint8_t exchanges;   /* ordered inserts: values_out and found are what was there before each */
    uint8_t park_status; /* status of a parked item, final if no pass places it */
    /* Key bytes of the arrays, for code that works on any table's batches; 0 for strings. */
    uint8_t key_bytes;
    uint8_t offset_bytes;
    uint8_t strings_away; /* STRINGS_...: parts that the table's machine cannot reach */
    uint8_t by_region;    /* the keys are in the order of the table's regions */
    uint16_t value_bytes;
    /* Mixed batches: bit o: the table accepts roost_operation o; items of other operations end
     * NONE. */
    uint16_t takes;
};

enum { STRINGS_OFFSETS_AWAY = 1, STRINGS_BYTES_AWAY = 2 };

/* Address of item `first` of an array; NULL stays NULL. */
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

/* Does the table accept this operation of a mixed batch? */
ROOST_FN bool batch_takes(const struct batch *b, uint8_t operation)
{
    return operation <= ROOST_OP_APPEND && (b->takes >> operation & 1);
}

/* Does an operation of a mixed batch insert? */
ROOST_FN bool operation_inserts(const int operation) { return operation >= ROOST_OP_INSERT; }

/* The status of an item that is done.  met: its key was stored before. */
ROOST_FN uint8_t operation_status(const int operation, bool met)
{
    if (operation == ROOST_OP_FIND) return ROOST_ITEM_FOUND;
    if (operation == ROOST_OP_ERASE) return ROOST_ITEM_ERASED;
    return !met ? ROOST_ITEM_INSERTED : operation == ROOST_OP_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
}

/* Is it the width of a machine word, which load_width and store_width take? */
ROOST_FN bool width_is_word(int bytes) { return bytes == 4 || bytes == 8; }

ROOST_FN uint64_t load_width(const int bytes, const void *array, uint64_t index)
{
    return bytes == 8 ? ((const uint64_t *)array)[index] : ((const uint32_t *)array)[index];
}

ROOST_FN void store_width(const int bytes, void *array, uint64_t index, uint64_t x)
{
    if (bytes == 8) ((uint64_t *)array)[index] = x;
    else ((uint32_t *)array)[index] = (uint32_t)x;
}

/* Copies an item of any width.  Of a word the address is a multiple of its width. */
ROOST_FN void copy_width(const int bytes, void *to, uint64_t at, const void *from, uint64_t index)
{
    if (width_is_word(bytes)) store_width(bytes, to, at, load_width(bytes, from, index));
    else
        bytes_copy((unsigned char *)to + at * (unsigned)bytes, (const unsigned char *)from + index * (unsigned)bytes,
                   (uint32_t)bytes);
}

ROOST_FN void clear_width(const int bytes, void *array, uint64_t index)
{
    if (width_is_word(bytes)) store_width(bytes, array, index, 0);
    else bytes_zero((unsigned char *)array + index * (unsigned)bytes, (uint32_t)bytes);
}

/* Stores if `wanted`.  The host always stores, elsewhere if not `wanted` (`opaque_bool`). */
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

/* Adds a key to (count = 1) or removes it from (-1) a subtable. */
ROOST_FN void tally_stored(struct tally *t, uint32_t sub, uint32_t count) { t->stored[sub] += count; }

ROOST_FN void tally_read(struct tally *t)
{
    if (ROOST_PROBES) t->reads_here++;
}

/* Counts a lane that looks for its own item in one more place, and the lanes of its warp that do so
 * with it (Stadium hashing, Table I). */
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
