/* Kernel bodies that run before and after the engine's work on a batch, one item per call.
 *
 * A batch has two sides: the caller's arrays, and columns that hold the same items in another
 * order (by phase, or by key).  Sorting yields for each place in the columns its item. */
#ifndef ROOST_BATCHES_ITEMS_H
#define ROOST_BATCHES_ITEMS_H

#include "portable/item.h"
#include "portable/owner.h"
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
    /* Items on their way to the owners of their keys: the secret of the owner's hash, and how many
     * there are. */
    uint64_t secret[2];
    uint32_t owners;
    /* NULL, or of each item the one with the same key that travels for it.  Bin `owners` has those
     * that stay. */
    uint32_t *leaders;
    uint8_t *answers; /* of each item that travels: its status */
    uint64_t stride;  /* items between two of a sample */
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

ROOST_FN uint64_t batches_owner_hash(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    return owner_hash(a->secret, (const unsigned char *)b->keys + i * b->key_bytes, b->key_bytes);
}

/* Writes the sort keys: the items' owners. */
ROOST_FN void batches_owner(const struct batches_args *a, uint64_t i)
{
    const bool stays = a->leaders && a->leaders[i] != i;
    store_width(4, a->sorted, i, stays ? a->owners : owner_of(batches_owner_hash(a, i), a->owners));
    a->items[i] = (uint32_t)i;
}

/* Writes hashes of some items' keys. */
ROOST_FN void batches_sample(const struct batches_args *a, uint64_t i)
{
    store_width(8, a->sorted, i, batches_owner_hash(a, i * a->stride));
}

/* Writes the sort keys: hashes that bring equal keys together. */
ROOST_FN void batches_hash(const struct batches_args *a, uint64_t i)
{
    store_width(8, a->sorted, i, batches_owner_hash(a, i));
    a->items[i] = (uint32_t)i;
}

/* The item at a place of the sorted hashes learns its leader: the first with its hash, which has
 * its key.  Keys that share a hash travel on their own. */
ROOST_FN void batches_lead(const struct batches_args *a, uint64_t place)
{
    const struct batch *b = &a->batch;
    const uint64_t *const hashes = (const uint64_t *)a->sorted;
    uint64_t low = 0, high = place; /* the first place with this hash is low .. high */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (hashes[middle] < hashes[place]) low = middle + 1;
        else high = middle;
    }
    const uint32_t item = a->items[place], first = a->items[low];
    const bool same = load_width(b->key_bytes, b->keys, item) == load_width(b->key_bytes, b->keys, first);
    a->leaders[item] = same ? first : item;
}

/* Combines the values of items with their leader's, in columns.values_in.  A lane takes those of
 * JOINED places, so that a key which all items have is one atomic in as many. */
ROOST_FN void batches_join(const struct batches_args *a, uint64_t place)
{
    enum { JOINED = 256 };
    const struct batch *b = &a->batch;
    const int bytes = b->value_bytes;
    const uint32_t leader = a->leaders[a->items[place]];
    uint64_t sum = 0, n = 0;
    if (place % JOINED && a->leaders[a->items[place - 1]] == leader) return; /* another lane's */
    for (uint64_t p = place; p < a->n && (p == place || p % JOINED); p++) {
        const uint32_t item = a->items[p];
        if (a->leaders[item] != leader) break;
        if (item == leader) continue;
        const uint64_t value = load_width(bytes, b->values_in, item);
        sum = n++ ? value_next(b, b->mode, bytes, sum, value) : value;
    }
    const struct cell cell = {(char *)a->columns.values_in + (uint64_t)leader * (unsigned)bytes, bytes, 0, 8 * bytes};
    if (n) cell_update(b, b->mode, cell, 0, sum);
}

/* The status of an item whose leader, which came first, has this one. */
ROOST_FN uint8_t status_behind(uint8_t leaders, const int mode)
{
    if (leaders == ROOST_ITEM_INSERTED) return mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
    return leaders == ROOST_ITEM_ERASED ? (uint8_t)ROOST_ITEM_ABSENT : leaders;
}

/* Items take over their leaders' results. */
ROOST_FN void batches_follow(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const uint32_t leader = a->leaders[i];
    const uint8_t led = a->answers[leader], status = leader == i ? led : status_behind(led, b->mode);
    const bool found = status == ROOST_ITEM_FOUND;
    if (b->statuses) b->statuses[i] = status;
    if (b->found) b->found[i] = found;
    if (!b->values_out || leader == i) return;
    if (found) copy_width(b->value_bytes, b->values_out, i, b->values_out, leader);
    else if (b->absent_zero) clear_width(b->value_bytes, b->values_out, i);
}

/* Inserts that were not tried found no memory. */
ROOST_FN void batches_untried(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const bool meant = !b->operations || batch_takes(b, b->operations[i]);
    if (meant && a->columns.statuses[i] == ROOST_ITEM_NONE) a->columns.statuses[i] = ROOST_ITEM_NO_MEMORY;
}

/* Counts the items that an owner refused: words[0] of them found no room, words[1] no memory. */
ROOST_FN void batches_refused(const struct batches_args *a, uint64_t i)
{
    const uint8_t status = a->columns.statuses[i];
    if (status == ROOST_ITEM_FULL) (void)add_relaxed_device64(&a->words[0], 1);
    if (status == ROOST_ITEM_NO_MEMORY) (void)add_relaxed_device64(&a->words[1], 1);
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

/* Brings results back to the caller's arrays. */
ROOST_FN void batches_scatter(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const struct columns *c = &a->columns;
    const uint64_t item = a->items[i];
    const bool found = c->statuses[i] == ROOST_ITEM_FOUND;
    if (b->statuses) b->statuses[item] = c->statuses[i];
    if (b->found) b->found[item] = found;
    if (b->values_out && found) copy_width(b->value_bytes, b->values_out, item, c->values_out, i);
    if (b->values_out && !found && b->absent_zero) clear_width(b->value_bytes, b->values_out, item);
}

#endif
