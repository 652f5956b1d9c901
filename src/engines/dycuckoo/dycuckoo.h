/* DyCuckoo: a cuckoo table of several subtables, which are resized one after another.
 *
 * Source: Li, Zhang, Liu, Lyu, Huang, Sun, "Dynamic Hash Tables on GPUs", sections 4 and 5.
 *
 *   layer 1: key -> two of the d subtables
 *   layer 2: one bucket in each; the key lives in one of the two
 *
 *   subtable 0           subtable 1           subtable 2        subtable 3
 *   [............]       [............]       [........]        [........]      buckets
 *         ^ home 0 of a key                      ^ its home 1
 *
 * A bucket holds S slots (src/portable/bucket.h draws them).  With `layers=1` a key may live in any
 * of the d subtables.
 *
 * Invariants, which dycuckoo_check verifies by walking the table:
 *   A  every stored key lies in one of its homes
 *   B  no key is stored twice
 *   C  the counts per subtable are the stored keys
 *   D  no lock is held between kernels
 *   E  no subtable has fewer buckets than its base, nor more than twice another's.  Where they
 *      double (resize=one, all) it has base 2^k
 *   F  the fill is inside [alpha, beta], except: at the smallest size; by a reservation; when no
 *      smaller table takes the keys (the last attempt to shrink was undone); after asynchronous
 *      erases; after refused memory or a failed machine; with growth switched off
 *   G  the key whose bits mean "vacant" lies in the special bucket, which holds nothing else
 *   H  the spill list holds live keys only while asynchronous calls may have left them there, or
 *      memory for the growth that they wait for is refused; such a key is in none of its homes
 *   I  while the table is tidy: if a key is not in its first home in trying order, that home is
 *      full.  So finds stop at a vacancy in the first home, and inserts need not look further.  A
 *      table is tidy from its making until something leaves a vacancy behind or changes the order:
 *      an erase, a resize, other weights, or an eviction path whose free end another insert took.
 *      Only tables with two homes a key are tidy.
 *   J  a table whose growth is off takes new keys only while 1/128 of its slots (1/32 where buckets
 *      have 4), and up to 8 more, stay vacant.  So it knows that it is full without a search, and
 *      there are vacancies enough for a search to find one.  Graphs and the vacant key may fill it
 *      further.
 *
 * Concurrency: a kernel runs one kind of operation.
 *   find    QUIESCENT: no writer beside it.
 *   erase   beside erases.  A compare-and-swap sets the unit to vacant: exactly one eraser of a key
 *           succeeds.
 *   fill    inserts beside inserts, first pass.  Nothing moves and nothing becomes vacant, so a
 *           slot goes from vacant to one key and stays.  An insert reads all homes and updates a
 *           match in place.  Else it takes the lowest vacant slot of its first home in trying order
 *           that has one.  Two inserts of one key try the same slots in the same order, and go past
 *           a slot only when they saw another key in it for good: the later one meets the earlier
 *           one's key.  Pairs of one word are claimed by a compare-and-swap, others under the
 *           bucket's lock.  Items whose homes are all full are parked.
 *   evict   inserts beside inserts, second pass, over the parked items.  One move makes room: the
 *           lanes look at the other homes of the pairs in a home of the key, until one has a
 *           vacancy.  Pairs of one word are exchanged without locks, others under them
 *           (dycuckoo_evict_items.h says why the former is right in every interleaving).
 *   path    third pass, over the items that evict parks: a path of several moves.  A breadth-first
 *           search finds it without locks.  Its pairs move under locks, from the free end
 *           backwards.  The last move and the insert are one step, so that no vacancy is left
 *           between.  Under locks, every move holds the locks of all homes of the moved key, copies
 *           before it clears, and checks what the search saw.  A key's canonical home is its first
 *           in locking order.  An insert holds its key's canonical lock, and that of the bucket it
 *           writes to, while it matches in all homes and publishes.  A mover holds the locks of all
 *           homes of its key: there they meet.  A search may miss a vacancy that moves meanwhile:
 *           such an item waits in the spill list, and is tried again after growth, fill first.
 *   spill   the spill list of asynchronous calls (dycuckoo_spill_items.h): a kernel looks through
 *           it after a find or an erase and before an insert (join), and adds to it after an
 *           insert.
 *   resize  alone on the table.  A bucket is range64(hash, buckets), which rises with the hash: a
 *           subtable of any other size is written from the old one bucket by bucket, without locks.
 *           Pairs that do not fit go through evict and path to their other home, the subtable
 *           itself excluded.  The old subtable stays until all are placed.  This may be impossible:
 *           with two subtables every pair in the way has its other home in the one that is
 *           excluded.  Then a subtable that was to grow doubles, which leaves no such pairs; if one
 *           was to shrink, the table is rebuilt with it, and the new table replaces the old one
 *           whole.
 *
 * Progress: which item may wait for which.
 *   find, erase, and fill and evict of one-word pairs never wait: they hold no lock, and a failed
 *           compare-and-swap means that another item succeeded.
 *   fill and evict of two-word pairs, and path wait for locks only, and never while they hold one:
 *           a step tries all its locks and gives them back on failure.  A step that holds its locks
 *           waits for nobody.  Steps try locks in the order of subtable and bucket: the holder of
 *           the highest lock finds its remaining ones free, so some item always gets its locks.
 *   update  in the apart layout, an item that read its key without a lock waits for the bucket's
 *           holder, which publishes and gives the lock back.
 *   put     tries the spill list's lock, and holds it for one look through the list.
 *   No kernel waits for another one.  A call that grows or shrinks waits for all calls before it.
 *
 * Parameters (option: default; paper): subtables d: 4 (Figure 7); slots S: 8 (paper: 32, one line
 * of its GPU); alpha 0.30, beta 0.85 (Table 3); a step of growth: all subtables by half (one
 * subtable doubles: resize=one).  alpha < beta d/(d+1), or beta/2 where all subtables double
 * (resize=all), and a level step is at most 0.8 (beta/alpha - 1) of a subtable: so growth for the
 * fill never leads to shrinking (section 4.2).
 * Growth that full homes force below beta may: then an insert shrinks the table, too.
 *
 * Errata of the paper:
 *   - Theorem 1 asks for equal C(m_i,2)/n_i, that is m_i in proportion to sqrt(n_i).  Its text
 *     gives larger tables the higher fill ("theta_i ~ sqrt(2) theta_j if n_i = 2 n_j").  But m_i =
 *     sqrt(2) m_j over n_i = 2 n_j is the *lower* fill by that factor: as printed it would overfill
 *     the smaller tables.  The default weights are therefore the vacant slots; the printed rule is
 *     `weights=paper`.
 *   - Algorithm 1 looks for the key in one home alone, so an erased slot in the first home leads to
 *     a second copy of a key in the other one.  Here fill and evict match in all homes first.
 *   - Algorithm 1 swaps the new pair in and carries the evicted one in a register, so a cut chain
 *     loses an old key.  Here the path is known before anything moves.
 *   - Section 4.2 doubles one subtable and leaves the others as they are.  Half of the keys (d = 4)
 *     have no home in it, so that the others fill to 0.93 to 0.99 while it is half full, and 22 %
 *     of the inserts evict (docs/dycuckoo.md).  Where all grow by half, one after another, 7 % do.
 *   - Section 4.4's bound of m/d moved pairs holds when all subtables have one size.  A doubled
 *     subtable holds up to m/(d-1) in general.  The bound that is asserted is what the subtable
 *     holds. */
#ifndef ROOST_DYCUCKOO_H
#define ROOST_DYCUCKOO_H

#include "portable/bucket.h"
#include "portable/hash.h"
#include "portable/linear_counting.h"

/* Full buckets whose pairs the search for a vacancy follows, at most. */
enum { DYCUCKOO_PATH_NODES = 128 };

struct dycuckoo_subtable {
    unsigned char *buckets;
    uint32_t *locks; /* a bit a bucket */
    uint32_t bucket_count;
    uint32_t weight; /* at most 2^31: the chance of being tried first */
};

/* What kernels see of a table. */
struct dycuckoo_view {
    struct dycuckoo_subtable sub[MAX_SUBTABLES + 1]; /* [SPECIAL]: the vacant key's bucket */
    struct hash_seeds seeds;
    uint32_t subtables;
    /* The subtable that is being resized: evict and erase must not touch it.  SPECIAL + 1: none. */
    uint32_t excluded;
    uint32_t preferred; /* bit i: evictions go first towards subtable i */
    uint32_t claim_bits;
    uint32_t *claims;  /* bits that items set in the evict pass, by their keys; all 0 before it */
    uint32_t tidy;     /* invariant I holds: a vacancy in the first home proves absence */
    uint64_t *permits; /* portable/permits.h */
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
    uint64_t *pairs_n; /* their number */
    uint64_t room;     /* residuals that the arrays have room for: more are counted alone */
    struct linear_counting estimate;
};

enum { DYCUCKOO_SPILL_ROOM = 1024 };

/* The spill list, in device memory: items that found no room in an asynchronous call, until a call
 * that waits makes the table grow.  They count as stored.  Kernels add entries and mark them as
 * erased; only the host removes them. */
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
    struct dycuckoo_spill_entries *entries; /* NULL: no growth: they have failed */
    struct shape shape;
    uint32_t role;           /* enum dycuckoo_spill_role */
    const uint64_t *parked;  /* put: the number of items that the first pass parked */
    const uint32_t *order;   /* put: the items that no pass placed */
    const uint64_t *order_n; /* put: their number */
    uint64_t *all_n;         /* join: becomes the batch's size if the list is empty, else 0 */
};

struct dycuckoo_args {
    struct dycuckoo_view view;
    struct batch batch;
    struct dycuckoo_transfer transfer;
    struct dycuckoo_spilling spilling;
};

#endif
