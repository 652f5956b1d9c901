/* Items on their way to the owners of their keys, in the memory of a piece of a batch: the steps
 * that launch the kernels of batches_travel_items.h. */
#ifndef ROOST_BATCHES_TRAVEL_H
#define ROOST_BATCHES_TRAVEL_H

#include "batches/batches_work.h"

/* The parts of a piece that the steps use: bytes of an item. */
enum {
    TRAVEL_BINS = PART_SORT,     /* 2 */
    TRAVEL_PLACES = PART_ITEMS,  /* 4 */
    TRAVEL_HOT = PART_SORT_ROOM, /* 2, if equal keys are combined */
    TRAVEL_SPLIT_BYTES = 2 + 4   /* of an item's bin and place */
};

/* The plan of a piece: args.travel.owners, and args.bins: one more if equal keys are combined. */
roost_status travel_plan(struct batches_work *w);
/* Points args at the memory of a piece: instead of batches_place. */
void travel_place(struct batches_work *w);

/* Hot keys of a batch of at least HOT_SAMPLED keys of 4 or 8 bytes, for travel_hot_free; NULL:
 * combining equal ones would not pay.  here: the keys are in host memory. */
enum { HOT_SAMPLED = 1 << 14 };
struct hot_index *travel_hot_keys(struct batches_work *w, const struct batch *batch, bool here);
void travel_hot_free(const struct backend *b, struct hot_index *index);

/* Finds the hot keys' items among n, and combines their values (sums). */
roost_status travel_combine(struct batches_work *w, uint64_t n, bool sums);
/* Splits n items of args.batch by owner; and waits for words (args.bins + 1): the items in the bins
 * before each. */
roost_status travel_split(struct batches_work *w, uint64_t n);
roost_status travel_counts(struct batches_work *w, uint64_t *words);
/* Moves the items to where the owners want them. */
roost_status travel_send(struct batches_work *w, const struct travel_end *ends);
/* Moves the keys of n items of args.batch to owners of which each has room for `room`.
 * travel_counts: how many each should have got.  travel_tell: tells the owners. */
roost_status travel_post(struct batches_work *w, uint64_t n, uint32_t room, const struct travel_end *ends);
roost_status travel_tell(struct batches_work *w);
/* The most items that such an owner takes, and the most owners. */
enum { POST_ROOM_MOST = TRAVEL_PLACES_MOST, POST_OWNERS_MOST = TRAVEL_OWNERS_MOST };
/* Brings all answers back; and waits for the numbers of items that found no room, and no memory. */
roost_status travel_back(struct batches_work *w);
roost_status travel_refused(struct batches_work *w, uint64_t refused[2]);

#endif
