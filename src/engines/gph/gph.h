/* GPH: perfect hashing with inserts and erases: a lookup reads exactly one bucket, hit or miss.
 *
 * Source: Cao, Xu, Yiu, Qin, Tang, "GPH: An Efficient and Effective Perfect Hashing Scheme for GPU
 * Architectures", SIGMOD 2025, sections 4 to 6.
 *
 *   key --H_c--> cell i
 *
 *   cell index, a byte a cell:           buckets of M slots each (src/portable/bucket.h):
 *   Phi * R + Delta                      N main ones
 *   [ 00 | 13 | 7e | FF | 00 | ... ]     [........][........]...[........]
 *           ^                                          ^
 *           i                                          H_b(i, p, Phi)
 *   v = H_v(key, Phi), below R           the overflow store, and the special bucket
 *   p = (v + Delta) mod R                [........]...          [........]
 *
 * A cell's keys lie in R virtual buckets.  Phi and Delta map these to buckets.  Where a bucket has
 * no room for a new key, the cell gets another Delta or another Phi, and its keys move there
 * (Extended Move, section 6.1).  The code 0xff flags a cell for which no mapping has room.  The
 * mapping of a flagged cell is Phi = Delta = 0.  Its keys that find no room there lie in the
 * overflow store, in a chain of at most GPH_CHAIN buckets that follows from the cell's number.
 * Only lookups in flagged cells read the overflow store.
 *
 * Invariants, which gph_check verifies by walking the table:
 *   A  every stored key lies in the one bucket that its cell's code says, or, in a flagged cell, in
 *      the cell's overflow chain
 *   B  no key is stored twice
 *   C  the counts of main slots, overflow and flagged cells are what is stored
 *   D  no lock is held between kernels
 *   E  a key of the overflow store lies where its chain begins or behind buckets that are marked as
 *      passed
 *   F  the load factor and the share of flagged cells are within their bounds, except: at the
 *      smallest size; where the next smaller size was too small for nearly as many keys; by a
 *      reservation; after refused memory or a failed machine; with growth switched off
 *   G  the key whose bits mean "vacant" lies in the special bucket, which holds nothing else
 *   H  no key of a cell that is not flagged lies in the overflow store
 *
 * Concurrency: a kernel runs one kind of operation.
 *   find    QUIESCENT: no writer beside it.
 *   erase   beside erases.  A compare-and-swap sets the unit to vacant: exactly one eraser of a key
 *           succeeds.  Codes stay.
 *   fill    inserts beside inserts, first pass (Saturation Fill).  Codes stay, nothing moves and
 *           nothing becomes vacant.  An insert looks for its key in its bucket, and in a flagged
 *           cell in the chain, before it takes the bucket's lowest vacant slot.  It looks again
 *           when another insert was faster.  So of two inserts of one key the later one meets the
 *           earlier one's.  Pairs of one word are claimed by a compare-and-swap, others under the
 *           bucket's lock.  Items whose bucket is full are parked.
 *   refine  inserts beside inserts, second pass, over the parked items.  Only the holder of a
 *           cell's lock writes the cell's code and slots that have the cell's keys.  Only the
 *           holder of a bucket's lock fills the bucket's vacant slots.  So an item locks a cell
 *           before it reads the code, and the buckets that get pairs before it writes them.  A
 *           bucket that only loses pairs is not locked: one store makes a slot vacant, and the
 *           mover does not touch the slot after it.  Where values are apart, there is a fence
 *           before that store and one behind the look that finds the vacancy.  They order what was
 *           assigned to the old pair before the new pair.
 *           The pairs of a cell that moves are in the tile's scratch memory while the cell's locks
 *           are held, and in the table before and after.  Finds do not run then, and an insert that
 *           looks for one of its keys takes the cell's lock.
 *   mend    as refine, over cells: a flagged cell whose keys fit again gets another mapping and is
 *           not flagged any more.
 *   evict   as refine, over items of a full table that does not grow: another cell moves out of the
 *           bucket of the item's key, and then the item takes the slot (gph_evict.h).
 *   others  alone on the table.  Growing and shrinking make a new table and insert all pairs.  The
 *           old table stays until all are placed.
 *
 * Progress: which item may wait for which.
 *   find, erase, and fill of one-word pairs never wait: they hold no lock, and a failed
 *           compare-and-swap means that another item succeeded.
 *   fill of two-word pairs comes again while another item holds its bucket's lock.  So does an item
 *           that has to update a pair there.  The holder waits for nobody.
 *   refine, mend, evict  take locks by wait-die (section 6.3; Silberschatz et al.).  A lock has its
 *           holder's stamp: the number of the item, or of the cell, which stays the same.  An item
 *           that meets an older holder dies: it gives all its locks back, comes again and reads the
 *           cell again.  It waits for younger holders only.  So items never wait in a circle, and
 *           the oldest item dies only when it has waited for WAIT_LOOKS looks.
 *           The lock of an overflow bucket is held for one pair, and its holder waits for nobody.
 *           Items wait for it whichever is older.  Where buckets share locks, the holder may have
 *           it for its mapping: there an item that holds such locks itself dies by the rule above.
 *           An item of refine that has died `patience` times is parked.  These are items of one hot
 *           key: when one of them is in the table, fill serves the others without locks.
 *   No kernel waits for another one.  A call that grows or shrinks waits for all calls before it.
 *
 * Parameters (option: default; paper):
 *   slots M: 8 (16); virtual buckets R: 8 (8)
 *   keys of a cell: 12, or 6 for higher loads (12, from 98,304 cells of one multiprocessor in
 *       section 7.1)
 *   where lookups read the index: global memory (shared memory, in parts to which lookups are
 *       routed, section 5.1)
 *   lanes of a lookup group: 2 (4); of an insert group: 2 in fill and 8 in refine (8)
 *   Bucket Requester: on (on)
 *   preset=paper has the paper's, except the index.
 *
 * Decided otherwise than the paper:
 *   H_b    The R buckets of a mapping are a start and multiples of a stride.  Both come from one
 *          number of (i, Phi), and are R different buckets by construction.  That number is a +
 *          Phi * b.  A lookup computes a and b from i before it has Phi.  With hash=summed each (i,
 *          p, Phi) is hashed alone, and mappings whose buckets coincide are skipped, as in section
 *          6.1.
 *   Delta  Of all that fit, the one whose buckets are the emptiest is taken, not the first.  A
 *          tenth fewer cells are flagged by it.
 *   Locks  Buckets are locked after the mapping was found, not before every try.  So they are held
 *          for less time, and what was found is checked again.
 *
 * Errata of the paper:
 *   - Algorithm 2 indexes vectors by bucket * M + vectors_per_thread * lane + i.  M counts slots
 *     and not vectors, so all vectors except those of one slot are read from the wrong place.
 *     Also, a lane's own vectors lie side by side there, so one instruction of a group touches
 *     every second vector of the bucket, uncoalesced.  For plain loads that is no loss on an H200
 *     (loads_adjacent); beside writers adjacent lanes read adjacent vectors.
 *   - Algorithm 3 tests slots[i] in its loop over j.  That is what is meant, but i counts vectors.
 *     Its lines skip number 9.
 *   - Theorem 6.1's proof takes a relocation's R buckets as vacant with (N-d choose R)/(N choose
 *     R), for buckets of one slot.  Its bound does not depend on the number of mappings that a byte
 *     can say.  Without that number nothing ends: there are 255. */
#ifndef ROOST_GPH_H
#define ROOST_GPH_H

#include "portable/bucket.h"
#include "portable/hash.h"
#include "portable/linear_counting.h"

enum {
    GPH_FLAGGED = 0xff, /* the code of a flagged cell */
    GPH_CHAIN = 16,     /* overflow buckets of a cell, at most */
    GPH_MOST_VIRTUAL = 16,
    GPH_MEMBERS = 64 /* keys of a cell that can move, at most */
};

/* Where a key is counted. */
enum { GPH_MAIN = 0, GPH_OVERFLOW = 1, GPH_SPECIAL = SPECIAL };

/* What kernels see of a table. */
struct gph_view {
    unsigned char *buckets; /* the main ones, those of the overflow store, and the special one */
    uint32_t *cells;        /* the index, four codes a word */
    uint32_t *passed;       /* of each overflow bucket; 1: keys lie behind it in a chain */
    /* The holder's stamp; 0: free.  Several cells or buckets may share a lock. */
    uint32_t *cell_locks, *bucket_locks;
    struct hash_seeds seeds;
    uint32_t cell_count, bucket_count, overflow_count;
    uint32_t cell_lock_mask, bucket_lock_mask; /* a power of two, less one */
    uint32_t virtual_log;                      /* R = 2^virtual_log */
    /* The largest strides that keep the buckets of a mapping apart, (bucket_count - 1) / (R - 1),
     * and those of a chain. */
    uint32_t stride_count, chain_stride_count;
    uint32_t patience; /* deaths of an item of refine before it is parked */
    uint32_t closed;   /* 1: fills only update keys, except the vacant one */
};

/* Arguments of kernels whose items are buckets, and of the estimate. */
struct gph_transfer {
    struct shape shape;
    uint64_t first; /* bucket */
    void *keys;     /* exported pairs; NULL: they are counted */
    void *values;
    uint64_t *pairs_n; /* their number */
    struct linear_counting estimate;
};

/* The index in parts that each fit a block's memory. */
struct gph_parts {
    uint32_t count, cells;  /* parts, and the cells of one, a multiple of 16 */
    uint32_t *part, *items; /* for routing: the part and the number of each item */
};

struct gph_args {
    struct gph_view view;
    struct batch batch;
    struct gph_transfer transfer;
    struct gph_parts parts;
};

#endif
