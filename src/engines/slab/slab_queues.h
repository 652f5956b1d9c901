/* SlabHash's appends to lists that many items of a batch share.
 *
 * On a GPU all lanes may append to one list at a time.  Then each slot is taken by one of tens of
 * thousands of swaps, 50 us apiece, and every item that waits reads what the others fill.  So an
 * append that has lost some races parks.  The parked items are put in queues by their lists, and
 * each queue is served by one lane, which goes on where its last item ended: no list has two
 * writers.  (The paper has no answer: its section III-C allows duplicates, its experiments have
 * none.) */
#ifndef ROOST_SLAB_QUEUES_H
#define ROOST_SLAB_QUEUES_H

#include "engines/slab/slab_items.h"

/* The view begins the kernel's arguments, which also hold the transfer. */
ROOST_FN const struct slab_transfer *slab_transfer_of(const void *view) { return &((const struct slab_args *)view)->transfer; }

/* The items of these kernels, and of those of slab_rebuild.h, are not keys: they are places,
 * queues, lists or slabs. */
ROOST_FN void slab_list_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item)
{
    (void)s, (void)view, (void)b;
    item->index = index;
    item->status = ROOST_ITEM_NONE;
    item->where = 0;
}
ROOST_FN void slab_list_end(const struct shape s, const struct batch *b, const struct item *item) { (void)s, (void)b, (void)item; }

#define slab_enqueue_begin slab_list_begin
#define slab_enqueue_end slab_list_end

/* Puts the item at a place of the list of parked ones in its queue.  The exchange lets each item
 * find another successor: after a load and a store two would name the same one, and one of them
 * would be in no queue. */
ROOST_FN enum step slab_enqueue_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                     struct item *place, struct tally *tally, void *scratch)
{
    const struct slab_transfer *t = slab_transfer_of(view);
    const struct slab_queues *q = &t->queues;
    struct item item;
    (void)unused, (void)g, (void)tally, (void)scratch;
    slab_item_begin(t->shape, view, b, q->parked[place->index], &item);
    q->next[place->index] = exchange_relaxed_device32(&q->first[item.home[0].index % q->n], (uint32_t)place->index);
    return STEP_DONE;
}

#define slab_serve_begin slab_list_begin
#define slab_serve_end slab_list_end

/* Appends the items of a queue, one after the other.  Those that find no slab park again. */
ROOST_FN enum step slab_serve_step(const struct shape unused, const tile g, const void *view, const struct batch *b,
                                   struct item *queue, struct tally *tally, void *scratch)
{
    const struct slab_view *v = (const struct slab_view *)view;
    const struct slab_transfer *t = slab_transfer_of(view);
    const struct slab_queues *q = &t->queues;
    const struct shape s = t->shape;
    struct slab_walk walk;
    uint32_t list = SLAB_NONE;
    (void)unused;
    for (uint32_t place = q->first[queue->index]; place != SLAB_NONE; place = q->next[place]) {
        struct item item;
        item_start(slab_item_begin, s, g, view, b, q->parked[place], &item);
        if (item.home[0].index != list) walk = slab_walk_begin(v, &item);
        list = item.home[0].index;
        walk.first_half = (int)item.home[0].sub;
        const enum step result =
            slab_work(CONCURRENT, s, g, v, b, ROOST_OP_APPEND, false, &item, &walk, tally, (struct slab_resident *)scratch);
        item_served(g, b, true, &item);
        item_finish(slab_apply_end, s, b, &item, result, tally);
        tally_item_end(tally);
    }
    return STEP_DONE;
}

#endif
