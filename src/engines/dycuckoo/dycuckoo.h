/* DyCuckoo: a cuckoo table of several subtables that grows and shrinks one subtable at a time.
 *
 * Source: Li, Zhang, Liu, Lyu, Huang, Sun, "Dynamic Hash Tables on GPUs", sections 4 and 5.
 *
 *      layer 1: key -> two of the d subtables           layer 2: one bucket in each; the key lives in one of the two
 *
 *      subtable 0        subtable 1        subtable 2                  subtable 3
 *      base 2^k          base 2^k          base 2^(k+1)                base 2^k          buckets
 *      [........]        [........]        [........][........]        [........]
 *          ^ home 0 of a key                     ^ its home 1
 *
 * A bucket holds S slots (src/portable/bucket.h draws them).  With `layers=1` a key may live in any of the d subtables.
 *
 * Invariants, which dycuckoo_check verifies by walking the table:
 *   A  every stored key lies in one of its homes
 *   B  no key is stored twice
 *   C  the counts per subtable are the stored keys
 *   D  no lock is held between kernels
 *   E  a subtable has base 2^k buckets, and none has more than twice another's
 *   F  the fill is inside [alpha, beta], but for the smallest size, a reservation, keys that no smaller table takes (the last attempt to
 *      shrink was undone), erases that nobody waited for, refused memory, a machine that failed, or growth switched off
 *   G  the key whose bits mean "vacant" lies in the special bucket, which holds nothing else
 *   H  the spill list holds live keys only while calls that nobody waited for may have left them there, or the growth that they wait
 *      for is refused; such a key is in none of its homes
 *   I  while the table is tidy: if a key is not in its first home in trying order, that home is full.  So finds stop at a vacancy in the
 *      first home, and inserts need not look further.  A table is tidy from its making until something leaves a vacancy behind or
 *      changes the order: an erase, a resize, other weights, or an eviction path whose free end another insert took.  Two homes only.
 *
 * Concurrency: a kernel runs one kind of operation.
 *   find    QUIESCENT: no writer beside it.
 *   erase   beside erases.  A compare-and-swap of the unit to vacant: exactly one eraser of a key succeeds.
 *   fill    inserts beside inserts, first pass.  Nothing moves and nothing becomes vacant, so a slot goes from vacant to one key and
 *           stays.  An insert reads all homes, updates a match in place, else takes the lowest vacant slot of its first home in
 *           trying order that has one.  Two inserts of one key try the same slots in the same order, and go past a slot only when
 *           they saw another key in it for good: the later one meets the earlier one's key.  Pairs of one word are claimed by a
 *           compare-and-swap; others under the bucket's lock.  Items whose homes are all full are parked.
 *   evict   inserts beside inserts, second pass, over the parked items.  One move is to make room: the lanes look at the other homes of
 *           the pairs in a home of the key, until one has a vacancy.  Pairs of one word are exchanged without locks; others under them
 *           (dycuckoo_evict_items.h says how the former survives every interleaving).
 *   path    third pass, over what evict parks: a path of several moves, searched breadth first, unlocked; its pairs are moved under
 *           locks, from the free end backwards, and the last move and the insert are one, so that no vacancy is left between.
 *           Under locks, every move holds the locks of all homes of the moved key, copies before it clears, and checks what the
 *           search saw.  A key's canonical home is its first in locking order.  Who inserts a key holds its canonical lock (and that
 *           of the bucket it writes to) while it matches in all homes and publishes; who moves it holds the locks of all its homes:
 *           there they meet.  Locks are tried in the order of subtable and bucket and given back on failure: who holds the highest
 *           lock never waits, so somebody always gets its locks.  A search may miss a vacancy that moves meanwhile: such an item
 *           waits in the spill list, and is tried again after growth, fill first.
 *   spill   the spill list of calls that only enqueue (dycuckoo_spill_items.h): looked through after a find or an erase, joined before
 *           an insert and added to after it.
 *   resize  alone on the table.  A doubled subtable is written from the old one bucket by bucket, without locks; a halved one
 *           likewise, and pairs that do not fit go through evict and path to their other home, the halved subtable excluded.  The
 *           old subtable stays until all are placed.  Where that is impossible (with two subtables every pair in the way has
 *           its other home in the halved one) the table is made anew with the smaller subtable, and replaces the old one whole.
 *
 * Parameters (option: default; paper): subtables d: 4 (Figure 7); slots S: 8 (paper: 32, one line of its GPU); alpha 0.30, beta 0.85
 * (Table 3), with alpha < beta d/(d+1), or beta/2 where all subtables double (resize=all), so that growing for the fill never leads to
 * shrinking (section 4.2).  Growth forced below beta, by full homes, may: then an insert shrinks, too.
 *
 * Errata of the paper:
 *   Theorem 1 asks for equal C(m_i,2)/n_i, that is m_i in proportion to sqrt(n_i); its text gives larger tables the higher fill
 *   ("theta_i ~ sqrt(2) theta_j if n_i = 2 n_j"), but m_i = sqrt(2) m_j over n_i = 2 n_j is the *lower* one by that factor: as
 *   printed it would overfill the smaller tables at high fill.  The default weights are therefore the vacant slots; the printed
 *   rule is `weights=paper`.
 *   Algorithm 1 looks for the key in one home alone, so an erased slot in the first home leads to a second copy of a key in the
 *   other; fill and evict match in all homes first.  It also swaps the new pair in and carries the evicted one in a register, so a
 *   cut chain loses an old key; here the path is known before anything moves.
 *   Section 4.4's bound of m/d moved pairs holds when all subtables have one size; a doubled subtable holds up to m/(d-1) in
 *   general.  The bound that is asserted is what the subtable holds. */
#ifndef ROOST_DYCUCKOO_H
#define ROOST_DYCUCKOO_H

#include "portable/bucket.h"
#include "portable/hash.h"
#include "portable/linear_counting.h"

enum { DYCUCKOO_PATH_NODES = 64 }; /* full buckets whose pairs the search for a vacancy follows, at most */

struct dycuckoo_subtable {
    unsigned char *buckets;
    uint32_t *locks; /* a bit a bucket */
    uint32_t bucket_count;
    uint32_t weight; /* at most 2^31: chance of being tried first against another subtable's */
};

/* What kernels see of a table. */
struct dycuckoo_view {
    struct dycuckoo_subtable sub[MAX_SUBTABLES + 1]; /* [SPECIAL]: the vacant key's own bucket */
    struct hash_seeds seeds;
    uint32_t subtables;
    uint32_t excluded;  /* a subtable that evict and erase must not touch (it is being halved); SPECIAL + 1: none */
    uint32_t preferred; /* bit i: evictions go first towards subtable i */
    uint32_t claim_bits;
    uint32_t *claims; /* bits that items set in the second pass, by their keys; all 0 before it */
    uint32_t tidy;    /* invariant I holds: a vacancy in a key's first home proves that the key is not in its second */
};

/* Arguments of the resizing and exporting kernels, whose items are buckets. */
struct dycuckoo_transfer {
    struct shape shape;
    uint32_t sub; /* whose buckets are read */
    const unsigned char *from;
    unsigned char *to;
    uint32_t from_buckets, to_buckets;
    void *keys; /* residuals or exported pairs */
    void *values;
    uint64_t *pairs_n; /* how many there are */
    struct linear_counting estimate;
};

enum { DYCUCKOO_SPILL_ROOM = 1024 };

/* The spill list, in device memory: items that found no room in a call that did not wait, until one that waits makes the table grow.
 * They count as stored.  Entries come and are marked as erased; only the host takes them away. */
struct dycuckoo_spill {
    uint64_t n;      /* entries */
    uint64_t erased; /* of them */
    uint32_t lock, unused;
};

struct dycuckoo_spill_entries {
    uint64_t key[DYCUCKOO_SPILL_ROOM], value[DYCUCKOO_SPILL_ROOM];
    uint32_t gone[DYCUCKOO_SPILL_ROOM]; /* 1: erased */
};

/* Arguments of the kernel on the spill list, whose items are a batch's. */
struct dycuckoo_spilling {
    struct dycuckoo_spill *list;
    struct dycuckoo_spill_entries *entries; /* NULL: the table may not grow, and what is spilled has failed */
    struct shape shape;
    uint32_t role;           /* enum dycuckoo_spill_role */
    const uint64_t *parked;  /* put: how many items the first pass parked, */
    const uint32_t *order;   /* the items that no pass placed, */
    const uint64_t *order_n; /* and how many they are */
    uint64_t *all_n;         /* join: becomes the batch's size if the list is empty, else 0 */
};

struct dycuckoo_args {
    struct dycuckoo_view view;
    struct batch batch;
    struct dycuckoo_transfer transfer;
    struct dycuckoo_spilling spilling;
};

#endif
