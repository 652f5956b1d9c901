/* Stadium hashing: a compact board of tickets beside the table of pairs, which may lie elsewhere.
 *
 * Source: Khorasani, Belviranli, Gupta, Bhuyan, "Stadium Hashing: Scalable and Flexible Hashing on GPUs" (PACT 2015), section III.
 *
 *      board, in the device's memory: a ticket of 1, 2, 4, 8 or 16 bits for each slot, in words of 32 bits
 *      | t t t t | t t t t | ... |        a group is the tickets of 32 or 64 bytes, or (probe=double, the paper's) a single ticket
 *
 *      pairs, in the device's memory or (memory=host) in pinned memory of the host
 *      | k v | k v | k v | ...            slot i's has ticket i
 *
 * A ticket's lowest bit says that its slot is available, the others are info: bits of the hash of the slot's key.
 *
 *      info     available
 *      1 ... 1  1          FREE      since the table was made, rebuilt or last compacted
 *      1 ... 1  0          RESERVED  claimed by an insert whose pair is on its way
 *      i        0          STORED    the pair is there; its key's info is i
 *      other    1          ERASED    until the next compaction or rebuild
 *
 * So of 2^(bits - 1) values the info takes all but the one that is all ones: with 8-bit tickets 127, with 2-bit tickets a single one.  The paper
 * spends a bit of its own (the access bit) on what RESERVED says here, and has no ERASED.
 *
 * Tickets of 1 bit (access=off; other sizes on request) have no such states.  Then the pair tells them: a slot's key is EMPTY (all ones) while
 * its ticket is available or its pair is on its way, and a TOMBSTONE (all ones but the lowest bit) once it is erased; the info has all of its
 * values, and all ones may also mean that it is not there yet.  Keys of these two patterns are stored inverted in a group of their own behind the
 * others, so no key is reserved.
 *
 * A key's order of groups is double hashing over a prime number of them: home + i * step, both by multiplication instead of modulo, in 64 bits,
 * for in 32 a location plus a step wraps beyond 2^31.  So every key comes to every group, and all slots can be filled: load factor 1.  In
 * tables of more groups than `bound` an insert goes to so many at most; where a table cannot grow, refills and rebuilds go further.  Within a group
 * inserts take the first FREE ticket from a word on that the key's hash says.
 *
 * Wide pairs (keys of other widths than 4 and 8 bytes, strings, values of other widths than 0, 4 and 8) lie in slots of one size:
 *
 *      | sequence |    value    |       key       |       the sequence, of 8 bytes, where the value is no word
 *      |    value    | offset | length | tag |            strings: their bytes lie in an arena; the tag is of the hash
 *
 * A string's bytes go into the arena once its insert has a slot, so of several inserts of one string only the first takes room; erased strings
 * leave theirs as garbage until the arena is compacted, between batches.
 *
 * Invariants, which stadium_check verifies by walking the table:
 *   A  a stored key's ticket has its info, and is of a group in the key's order, no further than the longest way of an insert
 *   B  no key is stored twice
 *   C  no group before a stored key's, in that key's order, has a FREE ticket
 *   D  the counts are the STORED and the ERASED tickets
 *   E  no ticket is RESERVED
 *   F  the fill is within its bounds
 *   G  with access=off the key of a FREE ticket's slot is EMPTY, and marks are in the last group alone
 *   H  a string's bytes lie in the arena's used part, its tag is of its hash, and used = stored + dead bytes
 *   I  no long value's sequence is odd
 *
 * Concurrency: with access=on finds, inserts and erases in one kernel, each linearisable by key; with access=off operations of one kind.  The
 * arguments:
 *   tickets      go FREE -> RESERVED -> STORED -> ERASED and nothing else while kernels run: ERASED ones become FREE between batches alone, and
 *                then only in groups that have a FREE one, which nobody has ever passed (C).
 *   inserts      Who inserts a key looks at all candidates of a group (STORED tickets with its info), then takes the first FREE ticket in the
 *                key's order by a compare-and-swap of the word that it saw; of several one succeeds.  A RESERVED ticket before it may
 *                be the key's own: RETRY.  One behind it is not, for it was claimed when all before it were not FREE any more, and FREE never
 *                comes back.  So two inserters of one key meet at one ticket: one claims it, the other comes again and finds the key.  A hole
 *                that an erase left is not taken, for the key may lie further on.
 *   publication  reserve, write the pair, then a releasing and that brings the info: who sees STORED and acquires sees the whole pair.  The
 *                paper's single and for reservation and info would change the info of a ticket that is taken already.
 *   finds        skip RESERVED tickets: the pair is in from STORED on, and was not in before.  A find that passed all candidates and met
 *                a FREE ticket, or the bound, says ABSENT: had the key been there all the time, it would have been in one slot all the time.
 *   erases       An or of the available bit; of two erasers the one whose or saw it unset reports ERASED.  The other's key was away right then.
 *   updates      change the value alone, as in SlabHash: one that comes after the erase of its slot counts as done right before it, since no
 *                slot is taken again before the kernel ends.
 *   long values  An ASSIGN makes the sequence odd by a swap, writes the words, and makes it even again; who meets an odd one comes again, and so
 *                does a find whose sequence is another after it has copied the words: no torn value is ever returned.
 *   refills      Where keys found no room and none can be made, inserts are alone with each other and take what erases left, too.  Then a key's
 *                lock keeps others off it for a step: who has it has looked at the key's whole way when he takes the first hole.
 *   access=off   inserts alone: a candidate whose key is EMPTY is on its way (RETRY).  Erases alone: the swap of a key for TOMBSTONE says
 *                who erased it.
 *   finds alone  QUIESCENT: no writer beside them, plain loads.
 *
 * Progress: nobody waits for another but inserts that RETRY, and those they wait for do not wait.
 *
 * Parameters (option: default; paper): tickets 8 bits (1 to 8, section III); load factor by max_fill; groups of 32 bytes (single tickets).
 *
 * Errata of the paper: Figure 7 reserves by an and, which beside erases takes a ticket that has been taken and erased since it was looked at, and so
 * brings an erased pair back; Figure 8 brings the info by an and with a word whose other bits are ones, but a reservation that fails must not do so, as
 * section III-B's text has it for mixed operations; Figure 10's lookup ends at an available ticket also after deletions, which section III-B
 * corrects in words; Figure 12 has no way to drain its pool, which its text mentions. */
#ifndef ROOST_STADIUM_H
#define ROOST_STADIUM_H

#include "portable/drivers.h"
#include "portable/hash.h"
#include "portable/linear_counting.h"
#include "portable/pairs.h"
#include "portable/partition_items.h"

/* The slots of a shape: bytes of a group and, where they are a constant, bits of a ticket; then a group is no single ticket, and access is on. */
#define STADIUM_GROUP(bytes, bits) ((bytes) | (bits) << 8)

/* X(name, key bytes, value bytes, group, word, homes): every shape that is stamped.  word: a pair is one word, else key and value are words
 * of their own, 16 bytes in all.  wide: key and value as the view says. */
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
    STADIUM_BLOCK_BITS = 256, /* of the board that are looked at for a single ticket */
    STADIUM_RUN = 32          /* slots of an item of the kernels that walk the table */
};

/* How much of the arena is taken, and of that by erased strings, in bytes; in device memory. */
struct stadium_ends {
    uint64_t used, dead;
};

/* Pairs whose key or value is no machine word. */
struct stadium_wide {
    uint64_t hash_mask; /* bits of the hash that are used */
    unsigned char *arena;
    struct stadium_ends *ends;
    uint32_t key_bytes; /* of strings 0 */
    uint32_t value_bytes;
    uint32_t pair_bytes, key_at, value_at; /* a slot's layout */
    uint8_t strings, sip;
    uint8_t closed; /* nothing new is taken in, for there is no room for its bytes */
    uint8_t arena_on_host;
};

/* What kernels see of a table. */
struct stadium_view {
    uint32_t *board;
    unsigned char *pairs;
    uint64_t groups;       /* or with probe=double tickets: a prime number, without the group of marks */
    uint64_t *longest;     /* groups that an insert went to, at most: further a find need not go */
    uint32_t bound;        /* groups that an insert goes to, at most, */
    uint32_t refill_bound; /* and a refill, and a rebuild of a table that does not grow */
    uint32_t ticket_log;   /* of a ticket's bits, to base 2 */
    uint32_t available;    /* the lowest bit of each ticket of a word */
    uint32_t below_top;    /* all bits of each but its highest */
    uint32_t infos;        /* so many values the info takes */
    uint32_t lock_mask;    /* of a refill: locks, less 1; a power of two of them */
    uint32_t *locks;       /* NULL: this is none */
    uint8_t single, access, on_host;
    uint8_t every_pair; /* finds alone read each pair on their way */
    struct hash_seeds seeds;
    struct stadium_wide wide;
};

/* Arguments of the kernels whose items are slots. */
struct stadium_transfer {
    struct shape shape;
    struct stadium_view from; /* rebuild: the table before */
    uint64_t first;           /* slot */
    void *keys;               /* exported pairs */
    void *values;
    uint64_t *pairs_n;
    void *offsets; /* exported strings: where they begin in `keys`, of offset_bytes; NULL: they are only counted */
    int offset_bytes;
    unsigned char *arena; /* compact: where strings are copied to, */
    uint64_t *arena_used; /* and how far that has come; NULL: tickets are compacted */
    struct linear_counting estimate;
    uint32_t *region; /* sift: where items' pairs would be, */
    uint32_t regions; /* of so many */
    struct partition_codes codes;
};

struct stadium_args {
    struct stadium_view view;
    struct batch batch;
    struct stadium_transfer transfer;
};

#endif
