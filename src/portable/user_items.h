/* Items of a table's user, in the dialect: how the caller's own kernels carry out one operation
 * through a view (include/roost/device). */
#ifndef ROOST_PORTABLE_USER_ITEMS_H
#define ROOST_PORTABLE_USER_ITEMS_H

#include "portable/drivers.h"

/* What a view says of its table, whatever the engine. */
struct user_table {
    uint8_t key_bytes, value_bytes, slots, word; /* of its shape */
    uint8_t value_type, saturate;
    uint16_t takes; /* as in struct batch */
};

/* The tile of the calling thread, in a block of any form. */
ROOST_FN tile user_tile_here(const int size)
{
#if defined(ROOST_MACHINE_CUDA)
    return tile_of(size, (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
#else
    (void)size;
    return tile_make(1);
#endif
}

ROOST_FN struct item user_item_make(roost_operation operation, uint64_t key, uint64_t value)
{
    struct item item;
    memset(&item, 0, sizeof item);
    item.key = key;
    item.value = value;
    item.operation = (uint8_t)operation;
    item.status = ROOST_ITEM_NONE;
    return item;
}

/* Cuts the item to the constant widths of `s`.  False: the table has others, or does not take the
 * operation. */
ROOST_FN bool user_item_fits(const struct shape s, const struct user_table *t, struct item *item)
{
    if (s.key_bytes == 4) item->key = (uint32_t)item->key;
    item->value = s.value_bytes == 8 ? item->value : s.value_bytes == 4 ? (uint32_t)item->value : 0;
    return t->key_bytes == s.key_bytes && t->value_bytes == s.value_bytes && (t->takes >> item->operation & 1);
}

/* The batch of mixed operations that a user's items belong to. */
ROOST_FN struct batch user_batch(const struct user_table *t)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.operations = &t->key_bytes; /* any pointer: not NULL means that operations mix */
    b.takes = t->takes;
    b.value_type = t->value_type;
    b.saturate = t->saturate;
    return b;
}

/* Waits before another attempt: the lane that is in the way may need this processor. */
ROOST_FN void user_wait(uint32_t attempt)
{
    back_off(attempt);
#if defined(ROOST_MACHINE_HOST)
    sched_yield();
#endif
}

/* Repeats the item's step until it is done, or there is no room. */
ROOST_FN void user_carry_out(item_step *step, const struct shape s, const tile g, const void *view, const struct user_table *t,
                             struct item *item, void *scratch)
{
    const struct batch b = user_batch(t);
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally;
    memset(&tally, 0, sizeof tally);
    tally.stored = stored;
    for (uint32_t attempt = 0;;) {
        const enum step result = step(s, g, view, &b, item, &tally, scratch);
        if (result == STEP_PARK) item->status = ROOST_ITEM_FULL;
        if (result == STEP_DONE || result == STEP_PARK) break;
        if (result == STEP_RETRY) user_wait(attempt++);
    }
    /* Whichever lane wrote: all that any lane publishes from here on comes after it. */
    tile_sync(g);
}

#endif
