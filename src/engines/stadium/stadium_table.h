/* Stadium's table on the host side: what the policy (stadium.c), batches that write (stadium_write.c), sizes (stadium_size.c) and the check
 * share. */
#ifndef ROOST_STADIUM_TABLE_H
#define ROOST_STADIUM_TABLE_H

#include "engines/ledger.h"
#include "engines/lists.h"
#include "engines/policy.h"
#include "engines/stadium/stadium_kernels.h"

enum { STADIUM_CHUNK = 1 << 26 /* items of one launch, at most: bounds the lists to 256 MB each */ };

/* The load factor up to which keys surely find room on ways of bounded length. */
#define STADIUM_REACH 0.97

/* Where the pairs lie. */
enum stadium_memory { STADIUM_MEMORY_DEVICE, STADIUM_MEMORY_HOST, STADIUM_MEMORY_AUTO };

/* Creation options, as parsed. */
struct stadium_options {
    int ticket;    /* bits */
    int group;     /* bytes; 0: auto */
    int probe;     /* 0: auto, 1: group, 2: double */
    int access;    /* 0: auto, 1: on, 2: off */
    int memory;    /* enum stadium_memory */
    int lookup;    /* 0: by tickets, 1: by pairs */
    double hybrid; /* the fill from which inserts collaborate */
    int regions;   /* below 1: auto */
    struct kernel_asks kernels;
    int hash;      /* 0: mix, 1: universal, 2: sip */
    int hash_bits; /* of wide keys' hashes: fewer than 64 make them collide */
};

/* What the kernels write besides the table, in device memory (engines/ledger.h). */
struct stadium_words {
    struct counters counters;
    uint64_t list_n[LISTS]; /* how many items were parked in each list */
    uint64_t pairs_n;
    struct stadium_ends ends; /* of the arena */
    uint64_t moved;           /* bytes that its compaction has copied */
};

struct stadium_table {
    struct engine_table base; /* first: the API's handle */
    struct stadium_options options;
    struct stadium_view view;
    struct shape shape;
    const struct kernel *crowding; /* inserts, once the fill is the hybrid's */
    const struct kernel *find, *insert, *erase, *apply, *rebuild, *compact, *survey, *export_pairs, *estimate, *sift, *codes;
    int key_bytes, value_bytes; /* of the arrays' items; of strings 0 */
    roost_type value_type;
    bool growth, saturate;
    double min_fill, max_fill; /* the asked bounds, but no higher than ways of bounded length reach */
    uint64_t floor_keys;       /* the reservation: room for so many stays */
    uint64_t count, tombstones;
    uint64_t kept; /* tombstones that the last pass over the board left */
    struct ledger ledger;
    struct stadium_words *words; /* device */
    uint64_t waiting[LISTS];     /* as the words said when last read, and so: */
    struct stadium_ends ends;
    uint64_t arena_room; /* bytes */
    struct lists lists;  /* of parked items */
    bool half_empty;     /* the call that failed was to empty the table of keys, and had begun */
};

/* ---- Sizes (stadium_size.c) ---- */

uint64_t stadium_slots(const struct stadium_table *t); /* but for the two of keys that look like marks */
uint64_t stadium_board_bytes(const struct stadium_table *t);
uint64_t stadium_pairs_bytes(const struct stadium_table *t);
uint64_t stadium_table_bytes(const struct stadium_table *t);
/* Is the fill within its upper bound with so many keys? */
bool stadium_has_room(const struct stadium_table *t, uint64_t keys);
bool stadium_would_shrink(const struct stadium_table *t, uint64_t keys);
/* Do slots of erased keys keep new ones from the room that the upper bound allows? */
bool stadium_crowded(const struct stadium_table *t);

/* Memory where the pairs go, and what goes with them: the device's, or pinned memory of the host. */
roost_status stadium_place_allocate(struct stadium_table *t, uint64_t bytes, void **memory, bool *on_host);
void stadium_place_release(struct stadium_table *t, void *memory, bool on_host, uint64_t bytes);

/* Makes an empty table with room for floor_keys. */
roost_status stadium_make(struct stadium_table *t);
void stadium_unmake(struct stadium_table *t);
/* All slots FREE; if that fails half way, ledger_wait completes it. */
roost_status stadium_empty_slots(struct stadium_table *t);
/* The same, and as small as the reservation allows. */
roost_status stadium_make_empty(struct stadium_table *t);
/* Makes the table anew with room for at least so many keys.  forced: not because of the fill. */
roost_status stadium_enlarge(struct stadium_table *t, uint64_t keys, bool forced);
roost_status stadium_reserve_room(struct stadium_table *t, uint64_t keys);
/* Frees slots of erased keys: in groups that nobody passed; and by making the table anew if many stay, or with `all` if any does.  In another order than
 * they came the pairs of a table with few other slots need not all find one on their bounded ways: then it grows, if it may. */
roost_status stadium_reclaim(struct stadium_table *t, bool all);
/* Grows until the bounds hold, and frees what a pass over the board can; refused memory is no failure. */
roost_status stadium_settle(struct stadium_table *t);
/* Shrinks while the fill is below its lower bound. */
roost_status stadium_shrink(struct stadium_table *t);

/* ---- Regions (stadium_regions.c) ---- */

bool stadium_sifts(const struct engine_table *table);
uint32_t stadium_regions(const struct engine_table *table, uint64_t n);
roost_status stadium_sift(struct engine_table *table, const struct batch *batch, uint32_t *region, uint32_t regions);
uint32_t stadium_code_bits(const struct engine_table *table, enum engine_call call, uint64_t n, bool *pays);
roost_status stadium_codes(struct engine_table *table, const struct batch *batch, const struct partition_codes *codes);

/* ---- Strings (stadium_arena.c) ---- */

void stadium_arena_release(struct stadium_table *t);
/* The table has no strings any more. */
roost_status stadium_arena_empty(struct stadium_table *t);
/* Frees the bytes of erased strings if they are many, or with `all` if there are any. */
roost_status stadium_arena_compact(struct stadium_table *t, bool all);
/* Makes room for the strings of up to *n items of a batch from `first` on, and makes *n smaller where that is too much at a time; where memory is
 * refused it closes the arena: the piece's strings that are new find no room. */
roost_status stadium_arena_piece(struct stadium_table *t, const struct batch *batch, uint64_t first, uint64_t *n);

/* ---- Counters (stadium_account.c) ---- */

roost_status stadium_words_make(struct stadium_table *t);

/* ---- Batches (stadium.c, stadium_write.c) ---- */

/* Arguments of a kernel over a batch. */
struct stadium_args stadium_batch_args(const struct stadium_table *t, const struct batch *batch);
/* Launches a kernel that works on the table and not on a batch, over n things. */
roost_status stadium_launch_over(struct stadium_table *t, const struct kernel *k, struct stadium_args *args, uint64_t n);
roost_status stadium_insert(struct engine_table *table, const struct batch *batch);
roost_status stadium_erase(struct engine_table *table, const struct batch *batch);
roost_status stadium_apply(struct engine_table *table, const struct batch *batch);

roost_status stadium_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status stadium_export_strings(struct engine_table *table, roost_cursor *cursor, const struct string_room *room, size_t *n);
roost_status stadium_stats(struct engine_table *table, struct engine_stats *stats);
roost_status stadium_check(struct engine_table *table);

#endif
