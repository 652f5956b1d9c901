/* SlabHash: a table of slab lists with finds, inserts and erases in one kernel.
 *
 * Source: Ashkiani, Farach-Colton, Owens, "A Dynamic Hash Table for the GPU" (IPDPS 2018), sections
 * III to V.
 *
 *      B base slabs, one a bucket          chained slabs, from SlabAlloc (portable/slab_alloc.h)
 *      [ slots ... | aux | next ] -------> [ slots ... | aux | next ] -> ...
 *      [ slots ... | aux | next ]
 *        ...                               a slab: 128 bytes, two halves of 64
 *      [ slots ... | aux | next ]          last base slab, behind the B: keys that look like marks
 *
 *      words    | k v | k v | ...  4+4: 15 slots of 8 bytes; 8+0: 15; 4+0: 30 of 4 bytes.
 *      pairs    | k, v | k, v | ...  8+8, 8+4, 4+8: 7 slots of 16 bytes, read and swapped as 128
 *                 bits at once.  If the machine has no such atomics, and with publish=two-step:
 *                 first the key is claimed, then the value is written, then a bit of aux is
 *                 cleared.
 *      next and aux are words of 4 bytes, except that they are one word of 8 where slots are words
 *      of 8 bytes or pairs that are swapped whole.
 *
 * A slot is EMPTY (its key all ones), then holds a key, then is a TOMBSTONE (its key all ones
 * except the lowest bit).  Keys of these two patterns are stored inverted, in a list of their own
 * behind the buckets: no key is reserved.  Bit 31 of aux is 0 in the slabs of that list.
 *
 *      jump     | special: 1 | tail: 1 | handle: 30 |   all ones: none
 *
 * The jump is in aux; in two-step slabs, where bit i of aux is 0 once slot i's value is there, it
 * is in the word behind the slots, whose bit 31 is 1.  A base slab's jump leads to the list's tail,
 * or shortly before it (tail 1; the paper's section III-C): appends of a long list begin there.
 * Another slab's jump skips dead slabs (tail 0), which have tombstones alone: walks go on behind
 * them.  The first `near` slabs of a list, 4, are not jumped over.
 *
 * The order of a key's slots: slab after slab; within a slab the half that a bit of the key's hash
 * prefers, then the other half; within a half by number.  Operations on one key all use this order,
 * and mostly read only one half of 64 bytes.  Other keys may have another order.
 *
 * Invariants, which slab_check verifies by walking the table:
 *   A  every stored key lies in its bucket's list (or, if it looks like a mark, in the last list)
 *   B  in a unique table no key is stored twice
 *   C  no slot before a stored key, in that key's order, is EMPTY
 *   D  the count is the number of stored keys, and the slabs of all lists are the units that the
 *      allocator has given out
 *   E  lists end, and no slab is in two lists
 *   F  free units are filled with ones
 *   G  bit 31 of aux is 0 in the last list and 1 elsewhere; with two-step publication a stored
 *      key's bit is 0
 *   H  a base slab's jump leads to a slab of its list behind the near ones, in multimaps alone; a
 *      jump of another slab leads to a later slab of its list, all slabs in between are dead, and
 *      no near slab is among them
 *
 * Concurrency: finds, inserts and erases run in one kernel.  Each is linearisable by key, and so is
 * their batch, per key.  The arguments:
 *   unique  A slot goes EMPTY -> KEY -> TOMBSTONE and changes in no other way while kernels run.  A
 *           claim is a compare-and-swap of the full slot from EMPTY.
 *           Inserts: an insert passes a slot only if it saw another key or a tombstone there, which
 *           stays.  So two inserters of one key meet at the same first EMPTY slot.  One claims it;
 *           the other looks again and finds the key.  A tombstone is never reused: the same key may
 *           live further on, and would be stored twice.
 *           Finds: a find returns ABSENT if it saw no match and then an EMPTY slot, or the list's
 *           end.  Its loads are not atomic together.  But a key that had been there all the time
 *           would have been in one slot all the time, and the find would have seen it.  So the key
 *           was absent at some time in between.
 *           Erases: an erase swaps the whole slot for a TOMBSTONE.  Of two erasers one succeeds;
 *           after an update in between, an erase swaps again.  An eraser whose matched key has just
 *           gone looks on.
 *   update  changes only the value: integer ADD and ASSIGN by one atomic, other modes by swaps of
 *           the value.  An update after an erase of its slot changes a tombstone's value, which is
 *           never read.  It counts as done right before the erase: it saw the key alive, and
 *           because tombstones are never reused, no other key's value is in that place.
 *   multi   (multimaps) An append takes the first hole that it sees, by a compare-and-swap of the
 *           full slot: EMPTY or TOMBSTONE in the near slabs, EMPTY alone behind them.  There are no
 *           updates, so a slot that was erased and filled again with an equal pair is as good as
 *           the old one.  An append that loses races parks, and a later kernel serves it, with all
 *           others of its list, by one lane (slab_queues.h).
 *   jumps   An append begins at the tail only after it found no hole in the near slabs.  A slab is
 *           linked behind one without an EMPTY slot, and slots never become EMPTY: so whatever slab
 *           of the list the tail is, none before it has an EMPTY slot, and invariant C holds.  A
 *           tail that is old costs a longer walk; the next slab that is linked replaces it.
 *           Behind the near slabs no tombstone is taken, also in multimaps: a slab there that was
 *           seen dead is dead until a rebuild, and a walk that skips it misses no key.  So a jump
 *           that was right once stays right, and writers of jumps need no order among themselves.
 *           An append knows from its walk whether a slab is near: only walks that passed all near
 *           slabs jump.  Jumps are written with release and read with acquire, as links are.
 *   links   A new slab is all EMPTY before it is linked, by a releasing compare-and-swap on a next
 *           that is none.  Readers acquire the link before they follow it.  One lane takes the unit
 *           or reads the link.  A sync of its tile makes what the lane acquired visible to the
 *           other lanes; a shuffle does not.  A lane that loses the swap gives its slab back,
 *           untouched, and goes on with the winner's slab.  Until then other lists may lack it: an
 *           item that cannot wait tries some times before it fails.
 *   steps   (two-step publication) If an operation finds its key without the bit of aux, an insert
 *           retries later (RETRY), and a find or erase returns ABSENT: the pair is in the table
 *           from its bit on, and not before.
 *   find    in kernels of finds alone: QUIESCENT, no writer beside it, plain loads.
 *   rebuild flush, doubling, halving: alone on the table, one lane for each bucket.  The new lists
 *           have tails, and skip nothing.
 *
 * Progress: no operation waits for another, except RETRY of two-step inserts.  A failed swap means
 * that another write succeeded: an erase may fail as long as updates of its key keep coming.  If a
 * list needs a slab and none is free, the item parks (the policy adds memory) or ends FULL.
 *
 * Parameters (option: default; paper): slab 128 bytes (section IV-B); memory utilisation 0.60, from
 * which B follows by the Poisson distribution of list lengths (section VI-A, Figure 4c).
 *
 * Errata of the paper's Figure 2:
 *   - Line 32 compares with myKey, which differs between lanes, instead of the source lane's
 *     src_key.
 *   - Line 35 expects EMPTY_PAIR even where the key itself matched, so replacing never succeeds.
 *   - Line 59 writes at the source lane's place instead of dest_lane's.  Its plain store lets two
 *     erasers of a key both report it, and overwrites a pair that an insert put there in between.
 *   - The text has REPLACE search the whole list before it inserts "from the tail".  Here this is
 *     one pass: the first EMPTY slot ends both.
 *   - SEARCH reads to the list's end.  Because inserts never take a tombstone, an EMPTY slot ends
 *     it here. */
#ifndef ROOST_SLAB_H
#define ROOST_SLAB_H

#include "portable/bucket.h"
#include "portable/hash.h"
#include "portable/partition_items.h"
#include "portable/slab_alloc.h"
#include "portable/user_items.h"

/* Values of shape.word for this engine's slots. */
enum slab_slot_kind { SLAB_WORD = 1, SLAB_PAIR = 2, SLAB_TWO_STEP = 3 };

enum { SLAB_SPECIAL_BIT = 31, SLAB_TAIL_BIT = 30, SLAB_MOST_SLOTS = 30 };

/* The handle in a jump that leads nowhere; handles from this one on are not kept in jumps. */
#define SLAB_JUMP_NONE ((1u << SLAB_TAIL_BIT) - 1)

/* X(name, key bytes, value bytes, slots, kind, homes): every stamped shape.  Pairs of 16 bytes have
 * a shape for each way of publication. */
#define SLAB_SHAPES(X)                                                                                                             \
    X(k4v4, 4, 4, 15, SLAB_WORD, 1)                                                                                                \
    X(k8v8, 8, 8, 7, SLAB_PAIR, 1)                                                                                                 \
    X(k8v4, 8, 4, 7, SLAB_PAIR, 1)                                                                                                 \
    X(k4v8, 4, 8, 7, SLAB_PAIR, 1)                                                                                                 \
    X(k4v0, 4, 0, 30, SLAB_WORD, 1)                                                                                                \
    X(k8v0, 8, 0, 15, SLAB_WORD, 1)                                                                                                \
    X(k8v8steps, 8, 8, 7, SLAB_TWO_STEP, 1)                                                                                        \
    X(k8v4steps, 8, 4, 7, SLAB_TWO_STEP, 1)                                                                                        \
    X(k4v8steps, 4, 8, 7, SLAB_TWO_STEP, 1)

/* A table as kernels see it. */
struct slab_view {
    unsigned char *base; /* buckets + 1 slabs */
    uint32_t buckets;
    uint32_t multi;
    /* If more than half of the slots of a list this long are tombstones, an insert that would link
     * a slab to it parks. */
    uint32_t flush_length;
    /* Random keys' lists have no more slabs: an insert that would link one more parks.  0: it does
     * not. */
    uint32_t sure_length;
    uint32_t near;      /* a list's first slabs, which are not jumped over; at least 2 */
    uint32_t races;     /* an append that has lost this many for a slot parks, if it can */
    uint32_t room;      /* new keys that a pass may store; the others park */
    uint32_t *admitted; /* how many it has admitted; NULL: it stores all */
    /* Set to 1 by an insert that parks for a flush.  NULL: no list has a tombstone. */
    uint32_t *wants_flush;
    uint32_t *is_long; /* set to 1 by an insert that parks for a list's length */
    struct hash_seeds seeds;
    struct slab_pool pool;
};

/* The value of slab_user_view.layout.  Its last digits increase with every change of code that
 * users' kernels compile in: the view, slabs and their slots, the allocator, the hash functions. */
#define SLAB_VIEW_LAYOUT UINT64_C(0x726f6f7374000005)

/* A table as kernels of its user see it (include/roost/device/slab.h). */
struct slab_user_view {
    uint64_t layout; /* SLAB_VIEW_LAYOUT of the caller; always the first member */
    struct slab_view at;
    struct user_table table; /* word: kind of its slots */
};

/* Parked appends, by lists (slab_queues.h). */
struct slab_queues {
    const uint32_t *parked; /* their indices in the batch */
    uint32_t *next;         /* the place in `parked` of the successor of each; SLAB_NONE: none */
    uint32_t *first;        /* of each of the n queues */
    uint32_t n;
};

/* Arguments of kernels whose items are lists or slabs. */
struct slab_transfer {
    struct shape shape;
    unsigned char *from; /* base slabs before, */
    unsigned char *to;   /* and after; the same for a flush */
    uint32_t from_buckets, to_buckets;
    uint64_t first; /* export: number of the first slab */
    void *keys;     /* exported pairs */
    void *values;
    uint64_t *pairs_n;
    struct partition_codes codes;
    struct slab_queues queues;
};

struct slab_args {
    struct slab_view view;
    struct batch batch;
    struct slab_transfer transfer;
};

#endif
