/* compact: a table in which a lookup reads one line of 64 bytes, and a slot stores no bits of the
 * key that its bucket's number tells.
 *
 * Our own design.  Its parts are known: quotienting (Knuth, "The Art of Computer Programming", vol.
 * 3, section 6.4, exercise 13; on GPUs: Hegeman, Woeltgens, Wijs, Laarman, "Compact Parallel Hash
 * Tables on the GPU", Euro-Par 2024), two homes with moves between them (Pagh and Rodler, "Cuckoo
 * Hashing", 2004), and filters of the keys that left their first home (horton tables: Breslow et
 * al., "Horton Tables", USENIX ATC 2016).
 *
 *      n buckets of 64 aligned bytes, in the order of the hashes (compact_place.h)
 *
 *      | values ...  | tags ...  | spare |      half 0: 32 bytes
 *      | values ...  | tags ...  | spare |      half 1, with as many slots or one less
 *
 *      4+4: a half has 5 values of 4 bytes, 5 tags of 2, and 2 spare bytes
 *
 * Behind the buckets lies the stash (compact_stash.h), for keys that find no room there.
 *
 * A key lives in one of two buckets, its homes.  Its tag is T = 2 r + home (0 or 1), where r is the
 * remainder of the home's hash.  Tags of up to 4 bytes hold one number, the code:
 *
 *      0 vacant   1, 2 dead (in the kernels of epoch 0, 1)   3 + 3 T + state
 *
 * Wider tags have a low part of 32 bits, with 3 + (T mod 2^31) in the place of 3 + 3 T + state, and
 * a high part, 4 (T / 2^31) + state.  The states:
 *
 *      INCOMPLETE   the slot is claimed, and its value is not there yet
 *      FRESH        complete, by a kernel that mixes operations
 *      SETTLED      complete, by any other kernel
 *
 * The filter is 16 spare bits.  A key in its second home has set a bit there, chosen by its first
 * hash, in its first home: a miss whose bit is clear ends in the first home.  A bit of the spare of
 * the other half is the bucket's lock, for evictions.
 *
 * Invariants, which compact_check verifies by walking the table:
 *   A  every key in a bucket lies in one of its homes, with that home's tag
 *   B  no key is stored twice
 *   C  the count is the number of stored keys
 *   D  no lock is held
 *   E  every slot is vacant, dead, or complete
 *   F  the fill is inside its bounds
 *   G  a key in its second home or in the stash has its bit in the filter of its first home
 *   H  if the stash has a key, the mark says so; and no entry is vacant from a key's start to it
 *
 * Concurrency: finds, inserts and erases run in one kernel.  Each is linearisable by key.
 *   slots   In a kernel a slot goes open -> claimed -> complete -> dead, and in no other way.  Open
 *           is vacant, or dead in the other epoch.  Each kernel that mixes operations has another
 *           epoch than the one before, so the slots that it erases stay dead until it ends.
 *           Kernels of inserts alone open all dead slots; kernels of erases alone make slots
 *           vacant, and no insert is beside them.  So no slot becomes open again while inserts run.
 *   insert  A key has its own order of a bucket's slots.  An insert takes the first open slot in
 *           that order which it sees in the first home; the second home is for keys whose first
 *           home it saw full, which it then stays.  It claims by a compare-and-swap of the slot's
 *           tag from open.  Two inserts of one key: were they to claim different slots, the one of
 *           the later slot would have seen the earlier one taken, and the other one would have
 *           claimed that when it was open, before.  So both want the same slot; one claims it, and
 *           the other looks again and finds the key.  If the bit of the filter is set, an insert
 *           looks into the second home although the first one has a vacancy: a key that was stored
 *           there before is found.
 *   filter  The bit is set before the slot is claimed, and completion releases it.
 *   find    A tag and its value are two loads.  A slot that is SETTLED was complete before the
 *           kernel began, so its value is of this key.  If it is FRESH the find loads the
 *           value again, after that.  No slot is claimed twice in a kernel, so the value is of no
 *           other key.  INCOMPLETE is absent: the pair is in the table from its completion on.  An
 *           insert that meets it retries.
 *   absent  A key that is stored all the time lies in one slot all the time, because moves run in
 *           kernels of their own, without finds.  So a find that saw it in neither home saw a time
 *           before its completion or after its erase.
 *   erase   swaps the whole code from complete to dead.  Of two erasers one succeeds.
 *   update  changes only the value, as slab's do: an update of a slot that was erased meanwhile
 *           changes a value that is never read, and counts as done before the erase.
 *   displace  items that found both homes full, in a kernel of their own: each takes the slot of a
 *           pair in its first home, under that bucket's lock (compact_displace_items.h).
 *   evict   the others of these, in a kernel of their own: each lane locks the buckets that it
 *           writes, never waiting with a lock.  A pair is copied to its other home before its slot
 *           is cleared.
 *   build   regions of buckets in scratch memory, alone on the table (compact_build.h).
 *   stash   Its entries follow the rules of slots: none becomes open again while inserts run.  An
 *           insert that may use it has seen both homes full, which they then stay; it takes the
 *           first open entry in its key's order, so two inserts of one key want the same one.  The
 *           bit of the filter and the mark are set before an entry is claimed, and completion
 *           releases them.  All operations look there if they see the bit, the second home lacks
 *           the key, and the mark is set; inserts do before they take a vacancy.
 *   views   The kernels of a table's user mix operations as one kernel does, from the acquisition
 *           to the release: they have one epoch, and the slots that they erase stay dead.
 *
 * There is no sequence number that could wrap: slots that are not reused in a kernel do its
 * work. */
#ifndef ROOST_COMPACT_H
#define ROOST_COMPACT_H

#include "engines/compact/compact_place.h"
#include "portable/linear_counting.h"
#include "portable/pairs.h"
#include "portable/partition_items.h"
#include "portable/permits.h"
#include "portable/user_items.h"

enum {
    COMPACT_BYTES = 64, /* of a bucket */
    COMPACT_HALVES = 2,
    COMPACT_WORDS = 8, /* of 32 bits, of a half */
    COMPACT_FILTER_BITS = 16,
    COMPACT_SPARE_SHIFT = 16 /* of the spare bits in their word */
};

/* Codes of slots without a key. */
enum { COMPACT_VACANT, COMPACT_DEAD_0, COMPACT_DEAD_1, COMPACT_TAKEN };
/* The epoch of kernels that open all dead slots. */
enum { COMPACT_NO_EPOCH = 2 };
enum compact_state { COMPACT_INCOMPLETE, COMPACT_FRESH, COMPACT_SETTLED, COMPACT_STATES };

/* An entry of the stash: a pair whose key is kept as its first hash. */
struct compact_entry {
    uint64_t hash, value;
    uint32_t state, unused; /* a code without a key, COMPACT_TAKEN or COMPACT_STASHED */
};
enum { COMPACT_STASHED = COMPACT_TAKEN + 1, COMPACT_STASH = 256 /* entries behind the buckets */ };

/* What is wrong with a slot, a bucket or an entry of the stash (compact_verify.h). */
enum compact_fault {
    COMPACT_SOUND,
    COMPACT_OUTSIDE,
    COMPACT_TWICE,
    COMPACT_UNFILTERED,
    COMPACT_LEFT,
    COMPACT_UNENDED,
    COMPACT_LOCKED,
    COMPACT_ENTRY_UNENDED,
    COMPACT_ENTRY_TWICE,
    COMPACT_ENTRY_UNFILTERED,
    COMPACT_UNMARKED,
    COMPACT_UNREACHED
};

/* What kernels know of the table beside its pairs. */
struct compact_marks {
    uint32_t epoch;   /* of kernels that mix operations: 0 or 1 */
    uint32_t stashed; /* the stash may have keys */
    uint64_t fault;   /* what a check has found: enum compact_fault, and from bit 8 on where */
};

/* A table as kernels see it. */
struct compact_view {
    unsigned char *buckets;
    struct compact_entry *stash;
    struct compact_range range;
    struct hash_seeds seeds;
    struct compact_marks *marks;
    uint64_t *permits; /* portable/permits.h */
    uint32_t stash_entries;
    bool stashes; /* this kernel may add to the stash */
};

/* The value of compact_user_view.layout.  Its last digits increase with every change of code that
 * users' kernels compile in: the view, buckets and their slots, the stash, the hash functions. */
#define COMPACT_VIEW_LAYOUT UINT64_C(0x726f6f7363000001)

/* A table as kernels of its user see it (include/roost/device/compact.h). */
struct compact_user_view {
    uint64_t layout; /* COMPACT_VIEW_LAYOUT of the caller; always the first member */
    struct compact_view at;
    struct user_table table;
};

/* What a launch of a move does: it fills another table with the pairs in first homes; or moves all
 * pairs within the table, where each stays in its home; or counts those without room in the
 * latter. */
enum compact_move_pass { COMPACT_FILLS, COMPACT_STAYS, COMPACT_COUNTS };

/* The pairs that an export takes. */
enum compact_wanted { COMPACT_ALL, COMPACT_IN_FIRST, COMPACT_IN_SECOND };

/* The most buckets of a region that is built in scratch memory.  Twice 8 tiles fill a GPU's
 * multiprocessor; on a host a quarter of a second cache needs fewer passes of sorting.  A host
 * writes a batch to the table itself, by regions of 8 MiB at most: then one pass of a sort is
 * enough up to 30 million buckets.  Smaller regions are no faster. */
enum { COMPACT_REGION_GPU = 192, COMPACT_REGION_HOST = 2048, COMPACT_REGION_PLACED = 1 << 17 };

/* A batch's items, sorted by the first digit_bits of their hashes, as builds get them. */
struct compact_columns {
    const void *hashes;
    const void *payload; /* each item's index, and above one of 8 bytes the value; or the value */
    uint64_t *bounds;    /* each digit's first item, and the end; NULL: none yet */
    uint64_t n;
    uint64_t most; /* items of a digit that its region takes */
    int digit_bits;
    bool parks;    /* the others are parked now */
    bool by_value; /* items have no indices: those that park go to arrays (transfer.keys, values) */
};

/* Arguments of kernels whose items are buckets, regions, or a batch's distinct keys. */
struct compact_transfer {
    struct shape shape;
    uint64_t first;      /* bucket of item 0; of a move: its digit */
    uint64_t end, run;   /* of an export: behind its last bucket; buckets of an item */
    void *keys, *values; /* exported pairs; of a move: those without room */
    uint64_t *pairs_n;
    bool verifies;              /* instead of an export: a check */
    enum compact_wanted wanted; /* of an export: those in this home, */
    uint64_t low, high;         /* whose first hash is low .. high */
    uint64_t room;              /* of a move: of these arrays */
    struct compact_view from;   /* of a move: the table before; of a drain: whose stash it moves */
    struct shape from_shape;
    uint32_t *filters; /* tidying: the new ones */
    bool replaces;     /* its second pass */
    bool turns;        /* instead: the next epoch begins */
    bool vacant;       /* builds: the table has no pairs yet */
    int move;          /* enum compact_move_pass */
    struct compact_columns columns;
    bool drains; /* evictions whose items are the entries of the stash */
    struct linear_counting estimate;
    struct partition_codes codes;
};

struct compact_args {
    struct compact_view view;
    struct batch batch;
    struct compact_transfer transfer;
};

#endif
