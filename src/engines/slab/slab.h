/* SlabHash: a table of slab lists with finds, inserts and erases in one kernel.
 *
 * Source: Ashkiani, Farach-Colton, Owens, "A Dynamic Hash Table for the GPU" (IPDPS 2018), sections III to V.
 *
 *      B base slabs, one a bucket          chained slabs, from SlabAlloc (portable/slab_alloc.h)
 *      [ slots ... | aux | next ] -------> [ slots ... | aux | next ] -> ...
 *      [ slots ... | aux | next ]
 *        ...                               a slab: 128 bytes, two halves of 64
 *      [ slots ... | aux | next ]          the last base slab, behind the B: keys that look like marks
 *
 *      words    | k v | k v | ...  4+4: 15 slots of 8 bytes;  8+0: 15;  4+0: 30 of 4 bytes; next and aux are words of 4 bytes,
 *               but one word of 8 where slots have 8
 *      pairs    | k, v | k, v | ... 8+8, 8+4, 4+8: 7 slots of 16 bytes, read and swapped as 128 bits at once; or, where the machine has
 *               no such atomics (and with publish=two-step), the key claimed first, then the value, then a bit of aux
 *
 * A slot is EMPTY (its key all ones), then holds a key, then is a TOMBSTONE (its key all ones but the lowest).  Keys of these two patterns
 * are stored inverted in a list of their own behind the buckets: no key is reserved.  aux is all ones but for bit 31, which is 0 in the
 * slabs of that list, and in two-step slabs bit i, which is 0 once slot i's value is there.
 *
 * The order of a key's slots: slab after slab; within a slab the half that a bit of the key's hash prefers, then the other; within a half
 * by number.  Operations on one key all go in this order, and mostly read one half of 64 bytes; other keys may go another way.
 *
 * Invariants, which slab_check verifies by walking the table:
 *   A  every stored key lies in its bucket's list (or, looking like a mark, in the last one)
 *   B  in a unique table no key is stored twice
 *   C  no slot before a stored key, in that key's order, is EMPTY
 *   D  the count is the stored keys, and the slabs of all lists are the units that the allocator has given out
 *   E  lists end, and no slab is in two
 *   F  free units are filled with ones
 *   G  bit 31 of aux is 0 in the last list and 1 elsewhere; with two-step publication a stored key's bit is 0
 *
 * Concurrency: finds, inserts, erases in one kernel, each linearisable by key (and so their batch, per key).  The arguments:
 *   unique tables    A slot goes EMPTY -> KEY -> TOMBSTONE and nothing else while kernels run; a claim is a compare-and-swap from EMPTY of
 *                    the full slot.  Who inserts a key goes past a slot only when it saw another key or a tombstone there for good,
 *                    so two inserters of one key meet at the same first EMPTY slot: one claims it, the other looks again and finds the
 *                    key.  Never is a tombstone taken: its key's successor may live further on, and would get a twin.
 *                    A find that saw no match and an EMPTY slot, or the list's end, says ABSENT.  Its loads are not one; but had the key
 *                    been there all the time, it would have been in one slot all the time, and seen.  So it was away at some
 *                    time in between.
 *                    An erase swaps the whole slot for a TOMBSTONE: of two erasers one succeeds, and an update in between makes it swap
 *                    again.  An eraser that finds the key just gone looks on.
 *   updates          change the value alone: integer ADD and ASSIGN by one atomic, others by swaps of the value.  One that comes
 *                    after an erase of its slot changes a tombstone's value, which nobody reads, and counts as done right before the
 *                    erase: it saw the key alive, and as tombstones are never taken, no key's value is in that place any more.
 *   multimaps        INSERT takes the first hole it sees, EMPTY or TOMBSTONE, by a compare-and-swap of the full slot.  There are no updates,
 *                    so a slot that was erased and filled again by an equal pair is as good as the old one.
 *   links            A new slab is all EMPTY before it is linked, by a releasing compare-and-swap on a next that is none; readers
 *                    acquire it before they follow.  One lane takes the unit or reads the link, and a sync of its tile makes what it
 *                    acquired known to the others, which a shuffle does not.  Who loses gives its slab back, untouched, and goes on
 *                    with the winner's.
 *   two steps        Who finds its key without the bit of aux: an insert comes again later (RETRY), a find and an erase say ABSENT: the
 *                    pair is in from its bit on, and was not in before.
 *   finds alone      QUIESCENT: no writer beside them, plain loads.
 *   rebuild          flush, doubling, halving: alone on the table, a lane a bucket.
 *
 * Progress: no operation waits for another but RETRY of two-step inserts.  A failed swap means that another's write succeeded: an erase
 * may fail for as long as there is no end of updates of its key.  Where the list needs a slab and there is none, the item parks (the policy
 * brings memory) or ends FULL.
 *
 * Parameters (option: default; paper): slab 128 bytes (section IV-B); memory utilisation 0.60, of which B follows by the Poisson
 * distribution of list lengths (section VI-A, Figure 4c).
 *
 * Errata of the paper's Figure 2: line 32 compares with myKey, which each lane has its own of, instead of the source lane's src_key;
 * line 35 expects EMPTY_PAIR even where the key itself matched, so replacing never succeeds; line 59 writes at the source lane's place
 * instead of dest_lane's; and its plain store lets two erasers of a key both report it, and overwrites what an insert in between put there.
 * Its text also has REPLACE search the whole list before it inserts "from the tail", which is one pass here: the first EMPTY slot ends both.
 * SEARCH reads to the list's end; where inserts never take a tombstone, an EMPTY slot ends it. */
#ifndef ROOST_SLAB_H
#define ROOST_SLAB_H

#include "portable/bucket.h"
#include "portable/hash.h"
#include "portable/partition_items.h"
#include "portable/slab_alloc.h"

/* shape.word of this engine's slots. */
enum slab_slot_kind { SLAB_WORD = 1, SLAB_PAIR = 2, SLAB_TWO_STEP = 3 };

enum { SLAB_SPECIAL_BIT = 31, SLAB_MOST_SLOTS = 30 };

/* X(name, key bytes, value bytes, slots, kind, homes): every shape that is stamped.  Pairs of 16 bytes come in both ways of publication. */
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

/* What kernels see of a table. */
struct slab_view {
    unsigned char *base; /* buckets + 1 slabs */
    uint32_t buckets;
    uint32_t multi;
    uint32_t flush_length; /* an insert that would link a slab to a list of so many, half of whose slots are tombstones, parks */
    uint32_t unused;
    uint32_t *wants_flush; /* becomes 1 then */
    struct hash_seeds seeds;
    struct slab_pool pool;
};

/* What slab_user_view.layout has.  Its last digits grow with every change of what users' kernels compile in: the view, slabs and
 * their slots, the allocator, the hash functions. */
#define SLAB_VIEW_LAYOUT UINT64_C(0x726f6f7374000001)

/* What kernels of a table's user get (include/roost/device/slab.h). */
struct slab_user_view {
    uint64_t layout; /* SLAB_VIEW_LAYOUT of the caller; always the first member */
    struct slab_view at;
    uint8_t key_bytes, value_bytes, kind; /* of its slots */
    uint8_t value_type, saturate, unused;
    uint16_t takes; /* as in struct batch */
};

/* Arguments of the kernels whose items are lists or slabs. */
struct slab_transfer {
    struct shape shape;
    unsigned char *from; /* base slabs before, */
    unsigned char *to;   /* and after; the same for a flush */
    uint32_t from_buckets, to_buckets;
    uint64_t first; /* export: the number of the first slab */
    void *keys;     /* exported pairs */
    void *values;
    uint64_t *pairs_n;
    struct partition_codes codes;
};

struct slab_args {
    struct slab_view view;
    struct batch batch;
    struct slab_transfer transfer;
};

#endif
