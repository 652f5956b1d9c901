/* Stadium hashing: a compact board of tickets beside the table of pairs, which may lie elsewhere.
 *
 * Source: Khorasani, Belviranli, Gupta, Bhuyan, "Stadium Hashing: Scalable and Flexible Hashing on
 * GPUs" (PACT 2015), section III.
 *
 *      board, in the device's memory: a ticket of 1, 2, 4, 8 or 16 bits for each slot, in words of
 *      32 bits
 *      | t t t t | t t t t | ... |        a group is the tickets of 32 or 64 bytes, or
 *                                         (probe=double, the paper's) a single ticket
 *
 *      pairs, in the device's memory or (memory=host) in pinned memory of the host
 *      | k v | k v | k v | ...            slot i's has ticket i
 *
 * A ticket's lowest bit says that its slot is available.  The others are its info: of the
 * hash of the slot's key.
 *
 *      info     available
 *      1 ... 1  1          FREE      since the table was made, rebuilt or last compacted
 *      1 ... 1  0          RESERVED  an insert has claimed the slot and is writing its pair
 *      i        0          STORED    the pair is there; its key's info is i
 *      other    1          ERASED    until the next compaction or rebuild
 *
 * So the info takes all of its 2^(bits - 1) values except the one that is all ones: 127 values with
 * 8-bit tickets, one with 2-bit tickets.  The paper spends a bit of its own (the access bit) on
 * what RESERVED says here, and has no ERASED.
 *
 * With access=off (always with tickets of 1 bit) tickets have no such states; the pairs have them.
 * A slot's key is EMPTY (all ones) while its ticket is available or its pair is being written.  It
 * is a TOMBSTONE (all ones except the lowest bit) once it is erased.  The info has all of its
 * values; all ones may also mean that the info is not written yet.  Keys of these two patterns are
 * stored inverted in a group of their own behind the others, so no key is forbidden.
 *
 * A key's order of groups is double hashing over a prime number of groups: home + i * step.  Both
 * come from multiplications instead of divisions, in 64 bits: in 32 bits a location plus a step
 * overflows beyond 2^31.  So every key's order contains every group, and all slots can be filled:
 * load factor 1.  An insert visits at most `bound` groups.  Where a table cannot grow, refills and
 * rebuilds go further.  Within a group an insert takes the first FREE ticket, counted from a word
 * that the key's hash chooses.
 *
 * Wide pairs have keys of other widths than 4 and 8 bytes, strings, or values of other widths than
 * 0, 4 and 8.  They lie in slots of one size:
 *
 *      | sequence |    value    |       key       |       the sequence, of 8 bytes, only where the
 *                                                         value is no word
 *      |    value    | offset | length | tag |            strings: their bytes lie in an arena; the
 *                                                         tag is bits of the hash
 *
 * An insert claims a slot before it appends a string's bytes to the arena.  So of several inserts
 * of one string only the first uses memory of the arena.  The bytes of erased strings are garbage
 * until the arena is compacted, between batches.
 *
 * Invariants, which stadium_check verifies by walking the table:
 *   A  a stored key's ticket has its info, and is in a group of the key's order, at most as far as
 *      the longest way of an insert
 *   B  no key is stored twice
 *   C  no group before a stored key's, in that key's order, has a FREE ticket
 *   D  the counts are the numbers of STORED and of ERASED tickets
 *   E  no ticket is RESERVED
 *   F  the fill is within its bounds
 *   G  with access=off the key of a FREE ticket's slot is EMPTY, and only the last group holds keys
 *      that look like marks
 *   H  a string's bytes lie in the arena's used part, its tag matches its hash, and used = stored +
 *      dead bytes
 *   I  no long value's sequence is odd
 *   J  a home's reach, where it is known, is at least as long as the way of each key of this home
 *   K  a table that does not grow has no more keys, beside those that look like marks, than 0.98 of
 *      its slots, or than its upper bound allows if that is higher.  So it knows that it is full,
 *      and an item never looks for the one vacancy of a table.  (A captured graph knows no bound.)
 *
 * Concurrency: with access=on a kernel mixes finds, inserts and erases, each linearisable by key;
 * with access=off a kernel has operations of one kind, and mixed batches run in phases.  The
 * arguments:
 *   tickets      go FREE -> RESERVED -> STORED -> ERASED and change in no other way while kernels
 *                run.  ERASED tickets become FREE only between batches, and only in groups that
 *                have a FREE one, which no insert has ever passed (C).
 *   inserts      An insert looks at all candidates of a group (STORED tickets with its key's info).
 *                Then it takes the first FREE ticket in the key's order, by a compare-and-swap of
 *                the word that it saw: of several inserts one succeeds.  A RESERVED ticket before
 *                that one may be for the same key: RETRY.  A RESERVED ticket behind it is not: it
 *                was claimed when no ticket before it was FREE any more, and no ticket becomes FREE
 *                again.  So two inserts of one key meet at one ticket: one claims it, the other
 *                retries and finds the key.  An insert does not take the slot of an erased key,
 *                because its own key may lie further on.
 *   publication  An insert reserves the ticket, writes the pair, and then sets the info by a
 *                releasing and.  A reader that sees STORED and acquires sees the whole pair.  The
 *                paper's single and for reservation and info would change the info of a ticket that
 *                is taken already.
 *   finds        skip RESERVED tickets: a key counts as stored from STORED on.  A find returns
 *                ABSENT when it has passed all candidates and met a FREE ticket, or the bound.  A
 *                key that was stored all the time would have been in one slot all the time.
 *   erases       An or of the available bit.  The erase whose or saw the bit unset reports ERASED.
 *                For any other erase the key was absent from then on.
 *   updates      change only the value, as in SlabHash.  An update after the erase of its slot
 *                counts as done right before that erase: no slot is reused before the kernel ends.
 *   long values  An ASSIGN makes the sequence odd by a swap, writes the words, and makes it even
 *                again.  An ASSIGN or find that meets an odd sequence retries, and so does a find
 *                that sees another sequence after it has copied the words.  So no find returns a
 *                torn value.
 *   refills      run where keys found no room and the table cannot grow.  No other operation runs
 *                beside them, and they take ERASED tickets as well.  A lock on the key keeps other
 *                refills off it for one step.  In this step its holder looks at the key's whole
 *                way, or as far as its home's reach (J), and then takes the first hole.
 *   access=off   In kernels of inserts: a candidate whose key is EMPTY is being written (RETRY).
 *                In kernels of erases: the swap of a key for TOMBSTONE decides which erase reports
 *                ERASED.
 *   find kernels QUIESCENT: no writer beside them, plain loads.
 *
 * Progress: finds and erases wait for no other operation, except that a find of a long value
 * retries while an ASSIGN writes that value.  An insert waits (RETRY) for the insert that has a
 * RESERVED ticket on its way.  An ASSIGN waits for the one that has made the sequence odd.  A
 * refill waits for the holder of its key's lock.  Operations that others wait for wait for nothing
 * before they publish the ticket, make the sequence even, or release the lock: all within one step.
 * A failed compare-and-swap means that another operation has changed a ticket of the same word.
 *
 * Parameters (option: default; paper): tickets 8 bits (1 to 8, section III); load factor by
 * max_fill; groups of 32 bytes (single tickets).
 *
 * Errata of the paper:
 *   - Figure 7 reserves by an and.  Beside erases it takes a ticket that was taken and erased after
 *     it was seen, and so restores an erased pair.
 *   - Figure 8 sets the info by an and with a word whose other bits are ones.  A reservation that
 *     fails must not do so, as the text of section III-B says for mixed operations.
 *   - Figure 10's lookup ends at an available ticket even after deletions, which section III-B
 *     corrects in words.
 *   - Figure 12 has no way to drain its pool, which its text mentions. */
#ifndef ROOST_STADIUM_H
#define ROOST_STADIUM_H

#include "portable/drivers.h"
#include "portable/hash.h"
#include "portable/linear_counting.h"
#include "portable/pairs.h"
#include "portable/partition_items.h"

/* The slots of a shape: bytes of a group and bits of a ticket; 0 bits: the view holds the number.
 * If the bits are a constant, a group is more than one ticket, and access is on. */
#define STADIUM_GROUP(bytes, bits) ((bytes) | (bits) << 8)

/* X(name, key bytes, value bytes, group, word, homes): every stamped shape.  word: a pair is one
 * word; else key and value are words of their own, 16 bytes in all.  wide: the view describes key
 * and value. */
#define STADIUM_SHAPES(X)                                                                                                          \
    X(k4v4, 4, 4, STADIUM_GROUP(32, 8), 1, 1)                                                                                      \
    X(k8v8, 8, 8, STADIUM_GROUP(32, 8), 0, 1)                                                                                      \
    X(k4v4any, 4, 4, STADIUM_GROUP(32, 0), 1, 1)                                                                                   \
    X(k8v8any, 8, 8, STADIUM_GROUP(32, 0), 0, 1)                                                                                   \
    X(k8v4, 8, 4, STADIUM_GROUP(32, 0), 0, 1)                                                                                      \
    X(k4v8, 4, 8, STADIUM_GROUP(32, 0), 0, 1)                                                                                      \
    X(k4v0, 4, 0, STADIUM_GROUP(32, 0), 1, 1)                                                                                      \
    X(k8v0, 8, 0, STADIUM_GROUP(32, 0), 1, 1)                                                                                      \
    X(k4v4g64, 4, 4, STADIUM_GROUP(64, 0), 1, 1)                                                                                   \
    X(k8v8g64, 8, 8, STADIUM_GROUP(64, 0), 0, 1)                                                                                   \
    X(wide, 0, 0, STADIUM_GROUP(32, 0), 0, 1)

enum {
    /* Bits of the board that are read for a single ticket. */
    STADIUM_BLOCK_BITS = 256,
    STADIUM_RUN = 32 /* slots of an item of the kernels that walk the table */
};

/* Bytes of the arena in use, and those of erased strings among them; in device memory. */
struct stadium_ends {
    uint64_t used, dead;
};

/* Pairs whose key or value is no machine word. */
struct stadium_wide {
    uint64_t hash_mask; /* bits of the hash that are used */
    unsigned char *arena;
    struct stadium_ends *ends;
    uint32_t key_bytes; /* 0 for strings */
    uint32_t value_bytes;
    uint32_t pair_bytes, key_at, value_at; /* a slot's layout */
    uint8_t strings, sip;
    uint8_t closed; /* new strings are refused, because the arena has no room for their bytes */
    uint8_t arena_on_host;
};

/* A table as kernels see it. */
struct stadium_view {
    uint32_t *board;
    unsigned char *pairs;
    uint64_t groups;       /* probe=double: tickets; a prime number, without the marks' group */
    uint64_t *longest;     /* most groups that an insert visited; finds need not go further */
    uint32_t bound;        /* most groups that an insert visits, */
    uint32_t refill_bound; /* and a refill, and a rebuild of a table that does not grow */
    uint32_t ticket_log;   /* log2 of a ticket's bits */
    uint32_t available;    /* the lowest bit of each ticket of a word */
    uint32_t below_top;    /* all bits of each ticket except its highest */
    uint32_t infos;        /* number of values of the info */
    uint32_t lock_mask;    /* of a refill: locks - 1; their number is a power of two */
    uint32_t *locks;       /* NULL: no refill */
    uint64_t *permits;     /* portable/permits.h */
    /* Of homes (stadium_reach_of), at least as far as each key is; inserts raise it.  NULL: not
     * known. */
    uint32_t *reach;
    uint8_t single, access, on_host;
    uint8_t bounded;    /* inserts look for FREE tickets no further than the reach */
    uint8_t every_pair; /* finds read each pair on their way */
    struct hash_seeds seeds;
    uint64_t info_times; /* secret, odd: the info is the hash, multiplied by it twice */
    struct stadium_wide wide;
};

/* Arguments of the kernels whose items are slots. */
struct stadium_transfer {
    struct shape shape;
    struct stadium_view from; /* rebuild: the old table */
    uint64_t first;           /* slot */
    void *keys;               /* exported pairs */
    void *values;
    uint64_t *pairs_n;
    /* Exported strings: where each begins in `keys`; NULL: strings are only counted. */
    void *offsets;
    int offset_bytes;
    unsigned char *arena; /* compact: new arena of the strings, */
    uint64_t *arena_used; /* and its used bytes; NULL: tickets are compacted */
    uint32_t *reach;      /* survey: of the homes; NULL: slots are counted */
    struct linear_counting estimate;
    uint32_t *region; /* sift: region of each item's pair, */
    uint32_t regions; /* and number of regions */
    struct partition_codes codes;
};

struct stadium_args {
    struct stadium_view view;
    struct batch batch;
    struct stadium_transfer transfer;
};

#endif
