/* Kernel bodies that run before and after the engine's work on a batch, one item per call.
 *
 * A batch has two sides: the caller's arrays, and columns that hold the same items in another
 * order (by phase, or by key).  Sorting yields for each place in the columns its item. */
#ifndef ROOST_BATCHES_ITEMS_H
#define ROOST_BATCHES_ITEMS_H

#include "portable/item.h"
#include "portable/value.h"
#include "roost/strings.h"

/* The phases of a mixed batch, in order.  An insert's phase is PHASE_INSERT + its mode. */
enum { PHASE_ERASE, PHASE_INSERT, PHASE_FIND = PHASE_INSERT + ROOST_APPEND + 1, PHASE_NONE, PHASES, PHASE_BITS = 4 };

/* The items in another order. */
struct columns {
    void *keys, *values_in, *values_out;
    uint8_t *operations, *statuses;
};

/* The runs of items with equal keys, once items are sorted by key.  The runs are unordered. */
struct runs {
    uint32_t *first; /* place of the run's first item */
    void *keys;      /* key of each run */
    void *values;    /* value in the table before */
    /* was the key there before: 0 or 1; from bit FATE_SHIFT on: why it could not be
     * stored */
    uint8_t *fates;
    /* keys to be stored; from the end backwards keys to be erased */
    void *write_keys;
    void *write_values; /* values to be stored */
    uint32_t *written;  /* their runs */
    uint8_t *statuses;  /* their statuses */
};

enum { FATE_SHIFT = 1, FATE_THERE = 1 };

/* Words of batches in order: counts. */
enum { WORD_RUNS, WORD_WRITES, WORD_ERASES, WORD_TAKEN, ORDER_WORDS };

/* Items that were copied from a call's arrays, those of one range of keys. */
struct taken {
    void *keys, *values_in, *values_out;
    uint8_t *operations, *statuses;
    void *from; /* their indices in the call, of range.from_bytes each */
};

/* A range of keys, and the part of the call that is in the machine's reach. */
struct range {
    uint64_t low, last; /* the keys whose spread (key_spread) is low .. low + last */
    uint64_t first;     /* index in the call of the part's first item */
    uint64_t n, room;   /* taken items: how many there are, and the most */
    int shift;          /* the range of a bin is 2^shift long */
    int from_bytes;     /* 4 or 8 */
};

/* The inputs of a measurement's keys and answers. */
struct batches_measure {
    uint64_t seed; /* of the keys */
    uint64_t hits; /* finds whose key is stored, in 1/2^32 */
};

/* A key of a sample, and its hash. */
struct sampled {
    uint64_t key;
    uint32_t hash;
};

/* An owner's items, and their answers: `before` items of the round have other owners before it. */
struct travel_end {
    struct columns columns;
    uint32_t before;
    uint64_t *count; /* NULL, or where the owner reads how many have come */
};

/* Items on their way to the owners of their keys (batches_travel_items.h). */
struct travel {
    uint64_t secret[2]; /* of the owners' hash */
    uint32_t owners;
    uint32_t chunk, chunks; /* items of a chunk; chunks of the round */
    uint16_t *bins;         /* of each item: its owner; `owners`: it does not travel */
    /* Of each item that travels: its place among those of its owner.  If every owner has room for
     * `room` items of any round, also the owner, above TRAVEL_PLACE_BITS. */
    uint32_t *places_of;
    uint32_t room; /* 0: as many as were counted */
    /* Of each bin, and within it of each chunk: the number of its items, later the place of the
     * next. */
    uint32_t *places;
    struct travel_end *ends; /* of each owner */
    /* NULL, or which of the hot keys each item has. */
    uint16_t *hot;
    struct hot_keys *hot_keys;
    bool hot_sums; /* hot keys travel with combined values */
    /* Keys of every stride-th item. */
    struct sampled *sample;
    uint64_t stride;
};

/* Dense numbers of a batch's keys (batches_number_items.h). */
struct numbers {
    uint64_t base;              /* the numbers below are given away */
    uint64_t fresh;             /* keys that are new; of an export: numbers of the range */
    uint64_t room;              /* of an export: pairs */
    const uint32_t *candidates; /* NULL, or the items that were not found before */
    uint32_t *list, *moved;     /* candidates */
    uint32_t *ranks;
    uint8_t *found;
    void *values;       /* numbers that were looked up */
    void *write_values; /* numbers to be stored */
};

/* A kernel's arguments. */
struct batches_args {
    struct batch batch;     /* a piece of the caller's batch */
    struct columns columns; /* NULL: not needed */
    struct runs runs;
    struct taken taken;
    struct range range;
    void *sorted;         /* sort keys: the items' keys, or their phases (4 bytes) */
    uint32_t *items;      /* the items of the sort keys */
    const uint32_t *code; /* by item: its code, if it is still to be found */
    uint64_t *words;      /* counters that the kernels report */
    uint64_t n;           /* work items of the launch */
    uint32_t bins;        /* number of phases or codes: sort keys are below it */
    uint8_t flag;         /* of the items to select */
    struct batches_measure measure;
    struct travel travel;
    struct numbers numbers;
};

ROOST_FN uint32_t phase_of(const struct batch *b, uint8_t operation)
{
    if (!batch_takes(b, operation)) return PHASE_NONE;
    if (operation == ROOST_OP_FIND) return PHASE_FIND;
    return operation == ROOST_OP_ERASE ? (uint32_t)PHASE_ERASE : (uint32_t)PHASE_INSERT + (operation - ROOST_OP_INSERT);
}

/* Writes the sort keys: the items' phases. */
ROOST_FN void batches_phase(const struct batches_args *a, uint64_t i)
{
    store_width(4, a->sorted, i, phase_of(&a->batch, a->batch.operations[i]));
    a->items[i] = (uint32_t)i;
}

/* The sort keys of listed items: their codes. */
ROOST_FN void batches_code(const struct batches_args *a, uint64_t i) { store_width(4, a->sorted, i, a->code[a->items[i]]); }

/* words[p] becomes the first place of bin p or of a later one, words[bins] the number of items. */
ROOST_FN void batches_bound(const struct batches_args *a, uint64_t i)
{
    const uint64_t here = load_width(4, a->sorted, i), before = i ? load_width(4, a->sorted, i - 1) + 1 : 0;
    for (uint64_t bin = before; bin <= here; bin++) a->words[bin] = i;
    for (uint64_t bin = here + 1; i + 1 == a->n && bin <= a->bins; bin++) a->words[bin] = a->n;
}

ROOST_FN void batches_gather(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const struct columns *c = &a->columns;
    const uint64_t item = a->items[i];
    if (c->keys) copy_width(b->key_bytes, c->keys, i, b->keys, item);
    if (c->values_in && b->values_in) copy_width(b->value_bytes, c->values_in, i, b->values_in, item);
    if (c->operations) c->operations[i] = b->operations[item];
}

/* Appends an item with the flag to the columns, which get such items in any order. */
ROOST_FN void batches_select(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const struct columns *c = &a->columns;
    if (b->found[i] != a->flag) return;
    const uint64_t place = take_place_relaxed_device64(&a->words[0]);
    store_width(b->key_bytes, c->keys, place, load_width(b->key_bytes, b->keys, i));
    if (c->values_in) store_width(b->value_bytes, c->values_in, place, load_width(b->value_bytes, b->values_in, i));
}

/* Counts offsets of strings that fall, and strings that are too long.  Lanes collide at the
 * counter, which is read only after the kernel. */
ROOST_FN void batches_strings(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const uint64_t first = load_width(b->offset_bytes, b->key_offsets, i), end = load_width(b->offset_bytes, b->key_offsets, i + 1);
    if (end < first || end - first > ROOST_STRING_MOST) (void)add_relaxed_device64(&a->words[0], 1);
}

/* Was the item's key there: of finds, or before an insert that exchanges? */
ROOST_FN bool item_met(const struct batch *b, uint8_t status)
{
    return status == ROOST_ITEM_FOUND || (b->exchanges && (status == ROOST_ITEM_UPDATED || status == ROOST_ITEM_KEPT));
}

/* Brings results back to the caller's arrays. */
ROOST_FN void batches_scatter(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const struct columns *c = &a->columns;
    const uint64_t item = a->items[i];
    const bool found = item_met(b, c->statuses[i]);
    if (b->statuses) b->statuses[item] = c->statuses[i];
    if (b->found) b->found[item] = found;
    if (b->values_out && found) copy_width(b->value_bytes, b->values_out, item, c->values_out, i);
    if (b->values_out && !found && b->absent_zero) clear_width(b->value_bytes, b->values_out, item);
}

#endif
