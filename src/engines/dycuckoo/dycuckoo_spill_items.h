/* DyCuckoo's spill list, in the dialect.  An asynchronous insert cannot make the table grow: items
 * that its passes could not place go to a short list (put).  Later calls look through the list: a
 * find and an erase after their own kernel, an insert before its passes (join).  While the list is
 * empty, which it almost always is, each of these costs one look at its length.
 *
 * Concurrency: a kernel has one role.
 *   find   QUIESCENT: no writer beside it.
 *   erase  beside erases.  An entry goes from live to gone by a compare-and-swap: of several
 *          erasers of a key one reports it.
 *   join   beside joins.  Entries neither come nor go.  Values are combined as in a bucket
 *          (cell_update).
 *   put    beside puts.  A key that is in the table by now is updated there.  Other keys are sought
 *          and added under the list's lock: else two items with one new key could both find it
 *          absent and add it twice.  A put tries the lock, does not wait for it, and gives it back
 *          before the step returns. */
#ifndef ROOST_DYCUCKOO_SPILL_ITEMS_H
#define ROOST_DYCUCKOO_SPILL_ITEMS_H

#include "engines/dycuckoo/dycuckoo_evict_items.h"

enum dycuckoo_spill_role { SPILL_FIND, SPILL_ERASE, SPILL_JOIN, SPILL_PUT };

ROOST_FN const struct dycuckoo_spilling *spilling_of(const void *view) { return &((const struct dycuckoo_args *)view)->spilling; }

/* One lane, that of the first item, does what a kernel does once.  The next kernel reads all_n;
 * this one does not. */
ROOST_FN void dycuckoo_spill_begin(const struct shape unused, const void *view, const struct batch *b, uint64_t index,
                                   struct item *item)
{
    const struct dycuckoo_spilling *sp = spilling_of(view);
    (void)unused;
    item->index = index;
    item->key = item->value = 0;
    item->status = ROOST_ITEM_NONE;
    if (index != 0) return;
    if (sp->role == SPILL_JOIN) *sp->all_n = sp->list->n ? 0 : b->n;
    if (sp->role == SPILL_PUT && b->counters) {
        add_relaxed_device64(&b->counters->parked, *sp->parked);
        add_relaxed_device64(&b->counters->spilled, *sp->order_n);
    }
}

ROOST_FN void dycuckoo_spill_end(const struct shape unused, const struct batch *b, const struct item *item)
{
    (void)unused, (void)b, (void)item; /* most items are not in the list, and have their results */
}

/* The live entry of a key, or -1.  Relaxed loads are enough: beside finds and joins nothing
 * changes; beside erases an entry only goes, and the compare-and-swap checks it again; beside puts
 * the lock orders everything. */
ROOST_FN int spill_seek(const struct dycuckoo_spill_entries *entries, uint64_t n, roost_key key)
{
    for (uint64_t i = 0; i < n; i++)
        if (load_relaxed_device64(&entries->key[i]) == key && !load_relaxed_device32(&entries->gone[i])) return (int)i;
    return -1;
}

/* The same beside puts, where entries may still come.  The lock orders this load after the store of
 * the length. */
ROOST_FN int spill_seek_growing(const struct dycuckoo_spilling *sp, roost_key key)
{
    return spill_seek(sp->entries, load_relaxed_device64(&sp->list->n), key);
}

ROOST_FN void spill_status(const struct batch *b, uint64_t index, uint8_t status)
{
    if (b->statuses) b->statuses[index] = status;
}

ROOST_FN void spill_update(const struct shape s, const struct batch *b, struct dycuckoo_spill_entries *entries, int at,
                           uint64_t index, struct tally *tally)
{
    const struct cell cell = {&entries->value[at], 8, 0, s.value_bytes * 8};
    if (s.value_bytes) cell_update(b, b->mode, cell, 0, load_width(s.value_bytes, b->values_in, index));
    spill_status(b, index, b->mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED);
    tally->updated++;
}

ROOST_FN void spill_find(const struct shape s, const struct batch *b, const struct dycuckoo_spill_entries *entries, int at,
                         uint64_t index)
{
    if (b->values_out) store_width(s.value_bytes, b->values_out, index, entries->value[at]);
    if (b->found) b->found[index] = 1;
    spill_status(b, index, ROOST_ITEM_FOUND);
}

/* Of two erasers that saw the entry live, one finds it gone at its compare-and-swap and leaves the
 * item absent.  Erasers of different keys count at the same time: a load and a store would lose a
 * count. */
ROOST_FN void spill_erase(const struct dycuckoo_spilling *sp, const struct batch *b, int at, uint64_t index, struct tally *tally)
{
    struct dycuckoo_spill_entries *entries = sp->entries;
    if (cas_relaxed_device32(&entries->gone[at], 0, 1) != 0) return;
    add_relaxed_device64(&sp->list->erased, 1);
    spill_status(b, index, ROOST_ITEM_ERASED);
    tally->erased++;
}

/* Adds an item whose key is not in the list, if there is room.  Precondition: the lock is held.
 * Beside puts the length is read under the lock alone, so the order of these stores does not
 * matter: the fences around them show all or none. */
ROOST_FN void spill_add(const struct dycuckoo_spilling *sp, const struct batch *b, roost_key key, uint64_t index,
                        struct tally *tally)
{
    const struct shape s = sp->shape;
    struct dycuckoo_spill_entries *entries = sp->entries;
    const uint64_t n = load_relaxed_device64(&sp->list->n);
    if (n == DYCUCKOO_SPILL_ROOM) {
        add_relaxed_device64(&b->counters->failed, 1);
        spill_status(b, index, b->park_status);
        return;
    }
    store_relaxed_device64(&entries->key[n], key);
    store_relaxed_device64(&entries->value[n], s.value_bytes ? load_width(s.value_bytes, b->values_in, index) : 0);
    store_relaxed_device32(&entries->gone[n], 0);
    store_relaxed_device64(&sp->list->n, n + 1);
    spill_status(b, index, ROOST_ITEM_INSERTED);
    tally->inserted++;
}

/* Updates a key that is in the table.  The path pass may have parked one item with the key, which
 * looked for a vacancy just before another item moved it there, and then placed a second item.  In
 * the list, too, the key would count twice, and its value there would later replace the table's.
 * Beside puts nothing comes, goes or moves, so a miss stays a miss.  Values are loaded as whole
 * words, because other items update them. */
ROOST_FN bool spill_meet(const struct shape s, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                         struct item *item)
{
    homes_of(s, v, item->key, item->home);
    ROOST_UNROLL_GPU
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= home_count(s, v)) break;
        for (int slot = 0; slot < s.slots; slot++) {
            const uint64_t unit = slot_load_unit(s, bucket_at(s, v, item->home[h]), slot);
            /* In a home of the key a vacant slot's key is another one.  The value is complete, so
             * that no lock is needed. */
            if (unit_key(s, unit) != item->key) continue;
            return insert_update(s, g, v, b, item->home[h], slot, item, true);
        }
    }
    return false;
}

/* Without growth there is no list, and items without room have failed.  There, items are counted
 * without the lock, several at once.
 *   - The fence after the lock: the entries of the holder before must be seen with the length that
 *     counts them, or a key would be added again.
 *   - The fence before the lock is given back: else the next holder could find the lock free and
 *     the list as it was. */
ROOST_FN enum step spill_put(const struct dycuckoo_spilling *sp, const tile g, const struct dycuckoo_view *v, const struct batch *b,
                             struct item *item, struct tally *tally)
{
    struct dycuckoo_spill *list = sp->list;
    if (item->index >= *sp->order_n) return STEP_DONE;
    const uint64_t index = sp->order[item->index];
    item->key = load_width(sp->shape.key_bytes, b->keys, index);
    if (sp->shape.value_bytes) item->value = load_width(sp->shape.value_bytes, b->values_in, index);
    if (spill_meet(sp->shape, g, v, b, item)) {
        spill_status(b, index, item->status);
        return STEP_DONE;
    }
    if (!sp->entries) {
        add_relaxed_device64(&b->counters->failed, 1);
        return STEP_DONE;
    }
    if (!lock_try(&list->lock, 0)) {
        back_off(4); /* the holder looks through the list: attempts only slow it down */
        return STEP_RETRY;
    }
    fence_acquire_device();
    const int at = spill_seek_growing(sp, item->key);
    if (at >= 0) spill_update(sp->shape, b, sp->entries, at, index, tally);
    else spill_add(sp, b, item->key, index, tally);
    fence_release_device();
    lock_give(&list->lock, 0);
    return STEP_DONE;
}

ROOST_FN enum step dycuckoo_spill_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                       struct item *item, struct tally *tally, void *scratch)
{
    const struct dycuckoo_spilling *sp = spilling_of(view);
    (void)unused, (void)scratch;
    if (sp->role == SPILL_PUT) return spill_put(sp, g, (const struct dycuckoo_view *)view, b, item, tally);
    const uint64_t n = sp->list->n; /* constant while this kernel runs */
    if (n == 0) return STEP_DONE;
    const int at = spill_seek(sp->entries, n, load_width(sp->shape.key_bytes, b->keys, item->index));
    if (at < 0) return sp->role == SPILL_JOIN ? STEP_PARK : STEP_DONE;
    if (sp->role == SPILL_FIND) spill_find(sp->shape, b, sp->entries, at, item->index);
    else if (sp->role == SPILL_ERASE) spill_erase(sp, b, at, item->index, tally);
    else spill_update(sp->shape, b, sp->entries, at, item->index, tally);
    return STEP_DONE;
}

#endif
