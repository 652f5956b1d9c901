/* GPH: perfect hashing with inserts and erases: a lookup reads exactly one bucket, hit or miss.
 *
 * Source: Cao, Xu, Yiu, Qin, Tang, "GPH: An Efficient and Effective Perfect Hashing Scheme for GPU Architectures", SIGMOD 2025,
 * sections 4 to 6.
 *
 *      key --H_c--> cell i     cell index, a byte a cell: Phi * R + Delta           buckets, M slots each (src/portable/bucket.h)
 *                                                                                    N main ones
 *      [ 00 | 13 | 7e | FF | 00 | ... ]   v = H_v(key, Phi), below R                 [........][........]...[........]
 *              ^                          p = (v + Delta) mod R                              ^ H_b(i, p, Phi)
 *              i                                                                     overflow store [........]...  and key 0's [........]
 *
 * A cell's keys lie in R virtual buckets, which Phi and Delta map to buckets.  Where a bucket has no room for a new key, the whole cell is
 * mapped anew, by another Delta or another Phi, and its keys move there (Extended Move, section 6.1).  The code 0xff flags a cell that
 * no mapping resolves: its mapping is Phi = Delta = 0, and its keys that find no room there lie in the overflow store, a chain of at most
 * GPH_CHAIN buckets that the cell's number picks.  Only lookups of flagged cells look there.
 *
 * Invariants, which gph_check verifies by walking the table:
 *   A  every stored key lies in the one bucket that its cell's code says, or, in a flagged cell, in the cell's overflow chain
 *   B  no key is stored twice
 *   C  the counts of main slots, overflow and flagged cells are what is stored
 *   D  no lock is held between kernels
 *   E  a key of the overflow store lies where its chain begins or behind buckets that are marked as passed
 *   F  the load factor and the flagged share are within their bounds, but for the smallest size, one that was too small for nearly
 *      as many keys, a reservation, refused memory, a machine that failed, or growth switched off
 *   G  the key whose bits mean "vacant" lies in the special bucket, which holds nothing else
 *   H  no key of a cell that is not flagged lies in the overflow store
 *
 * Concurrency: a kernel runs one kind of operation.
 *   find    QUIESCENT: no writer beside it.
 *   erase   beside erases.  A compare-and-swap of the unit to vacant: exactly one eraser of a key succeeds.  Codes stay.
 *   fill    inserts beside inserts, first pass (Saturation Fill).  Codes stay, nothing moves and nothing becomes vacant.  An insert
 *           looks for its key in its bucket, and in a flagged cell in the chain, before it takes the bucket's lowest vacant slot, and looks
 *           again when another was faster; so of two inserts of one key the later one meets the earlier one's.  Pairs of one word are
 *           claimed by a compare-and-swap, others under the bucket's lock.  Items whose bucket is full are parked.
 *   refine  inserts beside inserts, second pass, over the parked items.  Who holds a cell's lock is the only one to write slots with its
 *           keys and its code; who holds a bucket's lock the only one to fill its vacant slots.  So a cell is locked before its code is
 *           read, and the buckets that get pairs before they are written; a bucket that only loses pairs need not be, for slots become
 *           vacant by one store after which the mover does not touch them.  Where values are apart, fences before that store and behind the
 *           look that finds the vacancy keep what was assigned to the old pair before the new one.
 *           Locks hold their holder's stamp, the item's number, and are taken by wait-die (section 6.3; Silberschatz et al.): who
 *           meets an older holder gives all its locks back and comes again, with the same stamp, and reads the cell anew; who meets a
 *           younger one waits.  So nobody waits in a circle.  An overflow bucket is locked while one pair is put there, by somebody who
 *           waits for nobody meanwhile.  Items of a hot key that die again and again are parked: once one of them is in the table, fill
 *           serves the others without locks.
 *           The pairs of a cell that is mapped anew are in the tile's scratch memory while its locks are held, and in the table before
 *           and after: finds do not run then, and who looks for one of its keys takes the cell's lock.
 *   mend    as refine, over cells: flagged ones whose keys fit again after erases are mapped anew and not flagged any more.
 *   others  alone on the table.  Growing and shrinking make a new table and insert all pairs; the old one stays until all are placed.
 *
 * Parameters (option: default; paper): slots M: 8 (16); virtual buckets R: 8; keys per cell: 12, 6 for higher loads (12, from 98,304
 * cells of one multiprocessor in section 7.1); where the index is read: global memory (shared memory, in parts to which lookups are routed,
 * section 5.1); lanes of a lookup group 2 (4) and of an insert group 2 and 8 (8); Bucket Requester: on.  preset=paper has the paper's, but for
 * the index.
 *
 * Decided otherwise than the paper:
 *   H_b   the R buckets of a mapping are a start and multiples of a stride that both come from one number of (i, Phi): they are R different
 *         buckets by construction.  That number is a + Phi * b, of two of the cell's, which a lookup has before Phi comes.  hash=summed
 *         hashes each (i, p, Phi) alone, and mappings whose buckets coincide are skipped, as in section 6.1.
 *   Delta of all that fit, the one whose buckets are the emptiest, not the first: it leaves a tenth fewer cells to flag.
 *   Locks the buckets are locked after the mapping was found, not before every try: held shorter, and what was found is checked again.
 *
 * Errata of the paper:
 *   Algorithm 2 indexes vectors by bucket * M + vectors_per_thread * lane + i: M counts slots and not vectors, so all but one-slot vectors
 *   are read from the wrong place; and a lane's own vectors lie side by side there, so that one instruction of a group touches every
 *   second vector of the bucket, uncoalesced.  For plain loads that is no loss on an H200 (loads_adjacent); beside writers
 *   adjacent lanes read adjacent vectors.
 *   Algorithm 3 tests slots[i] in its loop over j, which is meant, and i counts vectors; and its lines skip number 9.
 *   Theorem 6.1's proof takes a relocation's R buckets as vacant with (N-d choose R)/(N choose R), for buckets of one slot; its bound
 *   does not depend on the number of mappings that a byte can say, without which nothing ends: there are 255. */
#ifndef ROOST_GPH_H
#define ROOST_GPH_H

#include "portable/bucket.h"
#include "portable/hash.h"
#include "portable/linear_counting.h"

enum {
    GPH_FLAGGED = 0xff, /* a cell's code: mapping 0, and the overflow store */
    GPH_CHAIN = 16,     /* overflow buckets that a cell's keys may lie in */
    GPH_MOST_VIRTUAL = 16,
    GPH_MEMBERS = 64 /* keys of a cell that can be mapped anew together */
};

/* Where a key is counted. */
enum { GPH_MAIN = 0, GPH_OVERFLOW = 1, GPH_SPECIAL = SPECIAL };

/* What kernels see of a table. */
struct gph_view {
    unsigned char *buckets; /* bucket_count main ones, overflow_count of the overflow store, and the vacant key's own */
    uint32_t *cells;        /* the index, four codes a word */
    uint32_t *passed;       /* for each overflow bucket: 1: keys whose chain it is in lie behind it */
    uint32_t *cell_locks, *bucket_locks; /* the holder's stamp; 0: free.  Several cells or buckets may share one */
    struct hash_seeds seeds;
    uint32_t cell_count, bucket_count, overflow_count;
    uint32_t cell_lock_mask, bucket_lock_mask; /* locks less one, powers of two */
    uint32_t virtual_log;                      /* R = 2^virtual_log */
    uint32_t stride_count;                     /* how many strides keep a mapping's buckets apart: (bucket_count - 1) / (R - 1) */
    uint32_t chain_stride_count;               /* and a chain's */
    uint32_t patience;                         /* how often an item of the second pass dies before it is parked */
};

/* Arguments of kernels whose items are buckets, and of the estimate. */
struct gph_transfer {
    struct shape shape;
    uint64_t first; /* bucket */
    void *keys;     /* exported pairs; NULL: they are counted */
    void *values;
    uint64_t *pairs_n; /* how many there are */
    struct linear_counting estimate;
};

/* The index in parts that each fit a block's memory. */
struct gph_parts {
    uint32_t count, cells;  /* of parts, and of a part's cells, a multiple of 16 */
    uint32_t *part, *items; /* routing: of each item its part, and its number */
};

struct gph_args {
    struct gph_view view;
    struct batch batch;
    struct gph_transfer transfer;
    struct gph_parts parts;
};

#endif
