/* FKS: two levels, as HH Hash has them.  A first hash sends a key to a bucket of some hundreds;
 * each bucket is a small cuckoo table with its own seed.
 *
 * Source: the write-up of HH Hash ("two-level cuckoo hashing on a GPU", a course project).  Its top
 * is FKS hashing (Fredman, Komlos, Szemeredi, "Storing a Sparse Table with O(1) Worst Case Access
 * Time", 1984); its buckets are cuckoo hashing (Pagh, Rodler, 2001).
 *
 *      key --H--> h   a bijection of the key's bits: the key follows from it
 *
 *      top of h:  [ part: up to 6 bits | local bits, read from the top ... ]
 *
 *      part 0..63    each a table of its own: a directory, memory for lines, and as many buckets as
 *                    it needs (linear hashing: one bucket is split or merged at a time)
 *
 *        directory, 16 bytes a bucket               the part's memory, in granules of 256 bytes
 *        [ first | count lines seed | marks ]  -->  ...[line 0][line 1]...[line L-1]...
 *                                             G(h, seed), the first line ^     ^ and the second
 *
 * A line is 8 slots (src/portable/bucket.h), 64 bytes of pairs of 4+4.  A key lies in its bucket's
 * line `first` or `second`; its hash and the bucket's seed say which these are.  An insert uses the
 * first line as long as it has a vacancy.  A line behind which some key was put is marked (64 marks
 * a bucket; lines beyond 64 share them).  Finds look at the second line only if the first is
 * marked.
 *
 * Invariants, which fks_check verifies by walking the table:
 *   A  every stored key lies in its bucket, in one of the two lines that its hash and the bucket's
 *      seed say
 *   B  no key is stored twice
 *   C  the counts of each bucket and of the table are what is stored
 *   D  the first line of a key that lies in its second one is marked
 *   E  a bucket's lines lie within the part's memory, and overlap no other bucket's and no free
 *      block
 *   F  the load factor is within its bounds, except for tables too small for it, refused memory, a
 *      machine that failed, or growth switched off
 *   G  the key whose bits mean "vacant" lies in the special line, which holds nothing else
 *   H  what of a part's memory has been handed out is a bucket's, or in the list of free blocks of
 *      its size
 *
 * Concurrency: large batches have ownership instead of locks.  A partition by the top bits of h
 * (src/engines/partition.h) brings the items of one *region* (the buckets that share those bits)
 * together, and one team owns a region while a kernel runs.  Small batches are inserted in place.
 *   find    QUIESCENT: no writer beside it.
 *   erase   beside erases.  A compare-and-swap of the unit to vacant: exactly one eraser of a key
 *           succeeds; an atomic takes one from its bucket's count.  Marks stay: a mark says that a
 *           key may lie in its second line, which stays true.
 *   write   inserts in place, beside each other.  Slots become taken by a compare-and-swap, nothing
 *           becomes vacant meanwhile, and an item passes a line only if it is full.  So of two
 *           items with one key the later one meets the earlier one's pair.  Where values lie apart
 *           from keys, the item that stores a pair holds the lock of its key's first line.
 *   shift   inserts of items that found no vacancy, each the owner of its bucket by a lock.  An
 *           item moves one pair to its other line, or two.  If it finds no room even so, it waits
 *           for `build` where the call waits; else it has failed.  One that finds the lock taken
 *           several times is left to a second `write` and `shift`: many copies of a key would take
 *           the lock one after the other, and most are updates once one of them has stored it.
 *   build   whole buckets, in the team's scratch memory: their pairs, and the items that are for
 *           them.  The team's lanes insert beside each other.  Most keys come once: each lane takes
 *           the next slot of its line by an add, and then lanes look for keys that came twice.  A
 *           bucket with such a key is built by lanes that look first: slots become taken by a
 *           compare-and-swap and not vacant again, and a line is passed only if it is full, so of
 *           two lanes with one key the later one meets the earlier one's pair (as in
 *           GPH's Saturation Fill).  A bucket without a layout draws a new seed and is built again
 *           alone, while the others are done.  One lane writes its directory entry, after the
 *           lines. Blocks of lines come from lists of free ones.  Each is a stack whose head
 *           carries a number that changes with every change of it.  Without it a pop could take a
 *           head for unchanged that had been popped and pushed back meanwhile, and its next block
 *           would be handed out twice.  Links lie apart from lines: a late reader never reads pairs
 *           as links.
 *   Rebuilding a part leaves the old one as it was until all its regions are done; on failure the
 *   new one is discarded.
 *
 * Progress: finds and erases never wait for each other.  In `write` and `shift` an item that meets
 * a held lock comes again later; a lock's holder waits for nothing, so some item always advances.
 * In `build` the lanes of a team wait for each other at its rounds.  Teams share only the lists of
 * free blocks, which are lock-free: where a push or pop fails, another has succeeded.  A bucket
 * without a layout stops after FKS_TRIES seeds; then the policy rebuilds its part with more
 * buckets.
 *
 * Parameters (option: default; the write-up):
 *   keys of a bucket, on average            bucket: 340 (bucket load, some hundreds)
 *   REG_LOAD                                load: the upper fill bound (0.35)
 *   moves before a bucket draws a new seed  iterations: 1
 *   keys of a batch, over those that there is room for, from which on buckets are rebuilt: dense
 *   keys for which a table that grows gets room, over those that it has: grow
 *   keys of a bucket, over the average, at which buckets are split and merged: split, merge
 * preset=paper has positions of one slot and load 0.35.  preset=quadratic has FKS's own: n * n
 * positions for a bucket of n keys, one to two on average, where every key has one; seeds are drawn
 * until no two keys share one.
 *
 * Decided otherwise than the write-up, which names its own faults:
 *   sort     80 % of its time went into a merge sort by bucket.  Here a radix partition by at most
 *            16 bits brings keys into regions, and a team sorts them into buckets where it builds
 *            them.
 *   waiting  Its blocks waited, all of them, for the 30 % of the keys that found no place at once.
 *            Here a lane goes on with its key's second line, and the whole team serves the few keys
 *            that find no room in either.
 *   memory   36 bytes a bucket, and 15 times the pairs.  Here 16 bytes a bucket of hundreds.  It
 *            makes one huge allocation; here there are up to 64.
 *   homes    Lines of slots, not single slots: a cuckoo table of such lines holds 0.95 of its
 *            slots, one of single slots 0.5. */
#ifndef ROOST_FKS_H
#define ROOST_FKS_H

#include "portable/bucket.h"
#include "portable/hash.h"
#include "portable/linear_counting.h"
#include "portable/partition_items.h"

enum {
    FKS_PART_BITS = 6, /* at most */
    FKS_PARTS = 1 << FKS_PART_BITS,
    FKS_GRANULE_LOG = 8,                    /* 256 bytes: what a part's memory is handed out in */
    FKS_BUCKET_BYTES = 8192,                /* of a bucket's lines, at most */
    FKS_CLASSES = 64,                       /* sizes of blocks, in granules */
    FKS_SEEDS = 1 << 9,                     /* that a directory entry can hold */
    FKS_WINDOW = 16,                        /* buckets that a team plans together */
    FKS_DRAFT_BYTES = 16384,                /* of the lines that it builds together */
    FKS_DRAFT_LINES = FKS_DRAFT_BYTES / 64, /* at most, where a line has several slots */
    FKS_STUCK_PAIRS = 32,                   /* pairs that found their lines full, at most */
    FKS_DIGIT_BITS = 16,                    /* by which a batch is partitioned, */
    FKS_DIGITS_MOST = 24,                   /* with the hash ranges of very large tables */
    FKS_TENTATIVE = 0x80                    /* status undone if its part is discarded */
};

/* Where keys are counted. */
enum { FKS_MAIN = 0, FKS_SPECIAL = SPECIAL };

/* A bucket's directory entry: 16 bytes, aligned to them. */
struct fks_entry {
    uint32_t first;    /* granule of the part's memory where its lines begin */
    uint32_t form;     /* count (12 bits), lines (11), seed (9), from the lowest bits up */
    uint32_t marks[2]; /* by line, modulo 64: some key lies in its second line instead */
};

/* A part, as kernels see it. */
struct fks_part {
    unsigned char *lines;        /* `granules` of them, and behind them their links */
    struct fks_entry *directory; /* of `buckets` */
    uint32_t buckets, mask;      /* 2^(level + 1) - 1, where 2^level <= buckets */
    uint32_t granules;
    uint32_t headroom; /* keys to come of a bucket whose half is a bucket, too */
    uint32_t *links;   /* of free blocks: by first granule, the next one's */
};

/* A part's memory, and what building it has counted: written by kernels, read by the policy. */
struct fks_space {
    /* Free blocks, by size: the first one's granule + 1 (0: none); above it, a number of
     * changes. */
    uint64_t free[FKS_CLASSES];
    uint64_t inserted, updated, builds, reseeded, evicted, second, lines;
    uint64_t special_inserted, special_updated; /* not undone if the part is discarded */
    /* Granules ever handed out; beyond the end while kernels run. */
    uint32_t used;
    uint32_t trouble; /* bits: FKS_NO_ROOM, FKS_NO_LAYOUT */
};
enum { FKS_NO_ROOM = 1, FKS_NO_LAYOUT = 2 };

/* What kernels see of a table. */
struct fks_view {
    const struct fks_part *parts;
    unsigned char *special; /* the vacant key's own line */
    struct hash_seeds seeds;
    uint32_t line_load;  /* keys of a line that is built, times 2^16; 0: n * n positions */
    uint32_t line_limit; /* keys of a line written in place, times 2^16; 0: no limit */
    uint32_t lines_most; /* of a bucket */
    uint32_t quantum;    /* a bucket's lines are a multiple of it */
    uint32_t homes;      /* lines in which a key may lie: 2; 1 where positions are quadratic */
    uint32_t iterations; /* moves, before a bucket draws a new seed */
    uint32_t part_bits;  /* there are 2^part_bits parts */
    uint32_t granule_log;
    uint32_t *locks, lock_mask; /* of inserts in place */
};

/* Arguments of kernels over regions. */
struct fks_work {
    const void *hashes;        /* the batch's, by region */
    const uint64_t *bounds;    /* region d's items begin at bounds[d]; NULL: no items */
    const struct fks_part *to; /* the parts after the build, */
    struct fks_space *spaces;  /* and their spaces */
    uint32_t digit_bits;       /* that a region has in common */
    uint32_t bounds_bits;      /* of the regions of `bounds`: as many or more */
    uint32_t to_bits;          /* part_bits after the build */
    uint32_t first_part, part_count;
    uint32_t first_region, region_count; /* of each part */
    uint32_t fresh;                      /* all items wait */
    uint32_t in_place;                   /* from and to are the same part: old blocks are freed */
    uint32_t waiting_only;               /* only buckets for which an item waits are built */
    uint32_t tries;                      /* shifts: to take a bucket's lock; 0: until it is taken */
};

/* Arguments of kernels whose items are lines. */
struct fks_transfer {
    struct shape shape;
    uint64_t first; /* line, numbered through the part's buckets, each with lines_most */
    uint32_t part;  /* FKS_PARTS: the special line */
    void *keys;     /* exported pairs; NULL: they are counted */
    void *values;
    uint32_t *numbers; /* of items that are written to these arrays; NULL: not wanted */
    uint64_t *pairs_n; /* how many there are */
    struct linear_counting estimate;
    struct partition_codes codes;
};

/* Arguments of the kernels of a partition: the column of hashes, and items' places. */
struct fks_columns {
    void *hashes;
    uint32_t *items;       /* their numbers, by place; NULL: not wanted */
    void *values;          /* their values, or outcomes */
    uint64_t *bounds;      /* of 2^digit_bits regions */
    const uint32_t *order; /* the items are these of the batch; NULL: all */
    uint32_t digit_bits;
    uint64_t n;
};

struct fks_args {
    struct fks_view view;
    struct batch batch;
    struct fks_work work;
    struct fks_transfer transfer;
    struct fks_columns columns;
};

#endif
