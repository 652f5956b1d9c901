/* What kernels do to the items of a batch before and after an engine works on them, one item a call.
 *
 * A batch in work has two sides: the caller's arrays, and columns in which the same items lie in another order (by phase, or by key),
 * so that what belongs together lies together.  Sorting yields for each place in the columns the item that belongs there. */
#ifndef ROOST_BATCHES_ITEMS_H
#define ROOST_BATCHES_ITEMS_H

#include "portable/item.h"
#include "roost/strings.h"

/* The phases of a mixed batch, in their order; an insert's is PHASE_INSERT and its mode. */
enum { PHASE_ERASE, PHASE_INSERT, PHASE_FIND = PHASE_INSERT + ROOST_APPEND + 1, PHASE_NONE, PHASES, PHASE_BITS = 4 };

/* The items in their other order. */
struct columns {
    void *keys, *values_in, *values_out;
    uint8_t *operations, *statuses;
};

/* The runs of items with one key, once they lie by key; in no order of their own. */
struct runs {
    uint32_t *first;    /* place of the run's first item */
    void *keys;         /* of each run, */
    void *values;       /* its value in the table before, */
    uint8_t *fates;     /* whether it was there: 0 or 1; and, shifted by FATE_SHIFT, why it could not be stored */
    void *write_keys;   /* what the table shall become: keys to be stored, and from the end backwards those to be erased */
    void *write_values; /* with these values, */
    uint32_t *written;  /* for these runs, */
    uint8_t *statuses;  /* which became of that */
};

enum { FATE_SHIFT = 1, FATE_THERE = 1 };

/* Words of batches in order: how many there are of each. */
enum { WORD_RUNS, WORD_WRITES, WORD_ERASES, ORDER_WORDS };

/* What a measurement's keys and answers follow from. */
struct batches_measure {
    uint64_t seed; /* of the keys */
    uint64_t hits; /* finds whose key is there: of 2^32 */
};

/* A kernel's arguments. */
struct batches_args {
    struct batch batch;     /* a piece of the caller's */
    struct columns columns; /* NULL: not needed */
    struct runs runs;
    void *sorted;         /* what the items are sorted by: their keys, or 4 bytes of their phase */
    uint32_t *items;      /* and the items to whom that belongs */
    const uint32_t *code; /* by item: its code, of those that are still to be found */
    uint64_t *words;      /* what the kernels tell the policy */
    uint64_t n;           /* how much there is to do */
    uint32_t bins;        /* phases, or codes: the numbers that items are sorted by are below it */
    struct batches_measure measure;
};

ROOST_FN uint32_t phase_of(const struct batch *b, uint8_t operation)
{
    if (!batch_takes(b, operation)) return PHASE_NONE;
    if (operation == ROOST_OP_FIND) return PHASE_FIND;
    return operation == ROOST_OP_ERASE ? (uint32_t)PHASE_ERASE : (uint32_t)PHASE_INSERT + (operation - ROOST_OP_INSERT);
}

/* What the items shall be sorted by: their phases. */
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
    if (c->keys) store_width(b->key_bytes, c->keys, i, load_width(b->key_bytes, b->keys, item));
    if (c->values_in) store_width(b->value_bytes, c->values_in, i, load_width(b->value_bytes, b->values_in, item));
    if (c->operations) c->operations[i] = b->operations[item];
}

/* Counts offsets of strings that fall, and strings that are too long. */
ROOST_FN void batches_strings(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const uint64_t first = load_width(b->offset_bytes, b->key_offsets, i), end = load_width(b->offset_bytes, b->key_offsets, i + 1);
    if (end < first || end - first > ROOST_STRING_MOST)
        (void)add_relaxed_device64(&a->words[0], 1); /* lanes meet there; nobody reads it before the kernel's end */
}

/* Results back to where the caller wants them. */
ROOST_FN void batches_scatter(const struct batches_args *a, uint64_t i)
{
    const struct batch *b = &a->batch;
    const struct columns *c = &a->columns;
    const uint64_t item = a->items[i];
    const bool found = c->statuses[i] == ROOST_ITEM_FOUND;
    if (b->statuses) b->statuses[item] = c->statuses[i];
    if (b->found) b->found[item] = found;
    if (b->values_out && found) store_width(b->value_bytes, b->values_out, item, load_width(b->value_bytes, c->values_out, i));
    if (b->values_out && !found && b->absent_zero) store_width(b->value_bytes, b->values_out, item, 0);
}

#endif
