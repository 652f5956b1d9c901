/* Stadium's table on the host: declarations that its policy's files share, the lowest file
 * first. */
#ifndef ROOST_STADIUM_TABLE_H
#define ROOST_STADIUM_TABLE_H

#include "engines/insertion.h"
#include "engines/policy.h"
#include "engines/stadium/stadium_kernels.h"

enum { STADIUM_MOST_PARKED = 1 << 26 /* items of a launch; bounds each list to 256 MB */ };

/* The load factor at which a table is full that does not grow, unless the caller's upper bound is
 * higher.  A vacancy is near every home then; the last one of a table may be anywhere. */
#define STADIUM_FILL_MOST 0.98

/* The load factor up to which practically all keys find room on ways of bounded length
 * (MOST_GROUPS). */
#define STADIUM_REACH 0.97

/* Where the pairs lie. */
enum stadium_memory { STADIUM_MEMORY_DEVICE, STADIUM_MEMORY_HOST, STADIUM_MEMORY_AUTO };

enum stadium_hash { STADIUM_HASH_KEYED, STADIUM_HASH_MIX, STADIUM_HASH_UNIVERSAL, STADIUM_HASH_SIP };

/* Creation options, as parsed. */
struct stadium_options {
    int ticket;    /* bits */
    int group;     /* bytes; 0: auto */
    int probe;     /* 0: auto, 1: group, 2: double */
    int access;    /* 0: auto, 1: on, 2: off */
    int memory;    /* enum stadium_memory */
    int lookup;    /* 0: by tickets, 1: by pairs */
    double hybrid; /* from this fill on, lanes collaborate for inserts */
    int regions;   /* below 1: auto */
    int hash;      /* enum stadium_hash */
    int hash_bits; /* of wide keys' hashes: fewer than 64 make them collide */
};

/* Memory that the kernels write beside the table, on the device (engines/ledger.h). */
struct stadium_words {
    struct table_words base;
    struct stadium_ends ends;  /* of the arena */
    struct stadium_ends moved; /* those after a compaction: the bytes that it has copied, and 0 */
};

struct stadium_table {
    struct engine_table base; /* first: the API's handle */
    struct stadium_options options;
    struct stadium_view view;
    const struct kernel *crowding; /* kernel of inserts, once the fill is above `hybrid` */
    double fill_most;              /* invariant K */
    uint64_t count, tombstones;
    uint64_t kept; /* tombstones that the last pass over the board left */
    /* Pairs put into the table since it was made, rebuilt or emptied, and the groups before theirs
     * on their ways. */
    uint64_t placed, strayed;
    uint32_t *reach; /* memory of the homes' reach: view.reach, while it is known; NULL: none */
    /* Groups, since the table was made, rebuilt or emptied: those that items without room looked at
     * while no reach was known; those before refilled pairs on their ways, which refused items of
     * the same homes pass, too; and those that refills have cost in all. */
    uint64_t sought, astray, spent;
    struct stadium_ends ends; /* of the arena, at the last reading of the words */
    uint64_t arena_room;      /* bytes */
    bool half_empty;          /* a call failed while it removed all keys */
    bool half_moved;          /* a compaction failed before the arena's ends were the new ones */
};

static inline struct stadium_table *stadium_of(struct engine_table *t) { return (struct stadium_table *)t; }
static inline const struct stadium_table *stadium_of_const(const struct engine_table *t) { return (const struct stadium_table *)t; }
/* The words, on the device. */
static inline struct stadium_words *stadium_words(const struct stadium_table *t)
{
    return (struct stadium_words *)t->base.ledger.words;
}

/* ---- Table (stadium_table.c) ---------------------------------------------------------------- */

uint64_t stadium_stored(const struct engine_table *table);
uint64_t stadium_taken(const struct engine_table *table);
/* Without the two for keys that look like marks. */
uint64_t stadium_slots(const struct stadium_table *t);
/* Bytes of the board and pairs, of a view; and of the table. */
size_t stadium_view_board_bytes(const struct shape s, const struct stadium_view *v);
size_t stadium_view_pairs_bytes(const struct shape s, const struct stadium_view *v);
uint64_t stadium_board_bytes(const struct stadium_table *t);
uint64_t stadium_pairs_bytes(const struct stadium_table *t);
uint64_t stadium_bytes(const struct engine_table *table);
/* Allocates memory for pairs and their strings, where options place them: on the device, or pinned
 * on the host. */
roost_status stadium_place_allocate(struct stadium_table *t, uint64_t bytes, void **memory, bool *on_host);
void stadium_place_release(struct stadium_table *t, void *memory, bool on_host, uint64_t bytes);
/* Arguments of a kernel over a batch. */
struct stadium_args stadium_batch_args(const struct stadium_table *t, const struct batch *batch);
/* Launches a kernel that works on the table and not on a batch; n: its items. */
roost_status stadium_launch_over(struct stadium_table *t, const struct kernel *k, struct stadium_args *args, uint64_t n);
void stadium_take(struct engine_table *table, const void *words, const struct counters *since);
/* The number of keys at which the table is full (invariant K); and those that inserts may still
 * add. */
uint64_t stadium_keys_most(const struct stadium_table *t);
uint64_t stadium_left(const struct stadium_table *t);
/* Slots that are FREE. */
uint64_t stadium_vacant(const struct stadium_table *t);
/* Measures the homes' reach once items without room have looked at as many groups as the table has
 * slots, `looks` more included.  Without memory for it, it stays unknown. */
roost_status stadium_reach_learn(struct stadium_table *t, uint64_t looks);
size_t stadium_view_reach_bytes(const struct shape s, const struct stadium_view *v);
size_t stadium_reach_bytes(const struct stadium_table *t);
/* Releases its memory, before the number of groups changes. */
void stadium_reach_release(struct stadium_table *t);
/* Counts keys and erased slots. */
roost_status stadium_survey_slots(struct stadium_table *t);

/* ---- Finds and regions (stadium_regions.c): see struct engine ------------------------------- */

roost_status stadium_find(struct engine_table *table, const struct batch *batch);
/* May finds read the pairs region by region?  Fixed when the table is made. */
bool stadium_sifts(const struct stadium_table *t);
/* The number of regions for finds of n keys; 1: unordered. */
uint32_t stadium_regions(const struct stadium_table *t, uint64_t n);
struct batch_order stadium_order(const struct engine_table *table, enum engine_call call, uint64_t n);
roost_status stadium_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes);

/* ---- Strings (stadium_arena.c) -------------------------------------------------------------- */

void stadium_arena_release(struct stadium_table *t);
/* Ends a compaction that failed half way. */
roost_status stadium_arena_mend(struct stadium_table *t);

/* Empties the arena, after the table's strings were removed. */
roost_status stadium_arena_empty(struct stadium_table *t);
/* Frees the bytes of erased strings if there are many, or with `all` if there are any. */
roost_status stadium_arena_compact(struct stadium_table *t, bool all);
/* Makes room for the strings of up to *n items of a batch from `first` on, and reduces *n if that
 * is too much at a time.  If memory is refused it closes the arena: new strings of the piece find
 * no room. */
roost_status stadium_arena_piece(struct stadium_table *t, const struct batch *batch, uint64_t first, uint64_t *n);

/* ---- Passes (stadium_passes.c) -------------------------------------------------------------- */

/* One launch over the items of a piece; those that found no room become the new items. */
roost_status stadium_pass(struct insertion *in, const struct kernel *k);
/* The same, by ways that end where no stored key's goes further: the end for items that would look
 * through a table with hardly a FREE slot.  Without memory for that it is an ordinary pass. */
roost_status stadium_reach_pass(struct insertion *in);
/* One launch over the items that found no room, under locks: they take slots of erased keys,
 * wherever these are, and FREE ones beyond the reach of inserts. */
roost_status stadium_refill_pass(struct insertion *in);

/* ---- Sizes (stadium_size.c) ----------------------------------------------------------------- */

/* Is the fill with this many keys within its upper bound? */
bool stadium_fits(const struct stadium_table *t, uint64_t keys);
/* Do slots of erased keys take room that the upper bound promises to new keys? */
bool stadium_crowded(const struct stadium_table *t);
/* Would n new keys leave a fixed table so few FREE slots that ways get long, although a rebuild
 * would free many? */
bool stadium_cramped(const struct stadium_table *t, uint64_t n);
/* May the slots move?  A captured graph knows where they are. */
bool stadium_may_rebuild(const struct stadium_table *t);
/* Rebuilds the table with room for at least this many keys, or for as many as a memory limit
 * leaves.  forced: the fill is not the reason. */
roost_status stadium_enlarge(struct stadium_table *t, uint64_t keys, bool forced);
/* Frees slots of erased keys: in groups that no insert has passed; and by a rebuild if many remain,
 * or with `all` if any does.  A rebuild inserts the pairs in another order.  In a nearly full table
 * they may then not all find room on their bounded ways: the table grows, if it may.  A table that
 * may not be rebuilt keeps the others. */
roost_status stadium_reclaim(struct stadium_table *t, bool all);
/* Hooks: see struct table_hooks. */
roost_status stadium_make(struct engine_table *table);
void stadium_unmake(struct engine_table *table);
roost_status stadium_clear(struct engine_table *table);
bool stadium_would_shrink(const struct engine_table *table, uint64_t keys);
roost_status stadium_reserve(struct engine_table *table, uint64_t keys);
roost_status stadium_settle(struct engine_table *table, bool shrinks);
roost_status stadium_mend(struct engine_table *table);
roost_status stadium_compact_all(struct engine_table *table);

/* ---- Writes (stadium_insert.c), hooks ------------------------------------------------------- */

roost_status stadium_resume(struct engine_table *table, struct progress *p);
roost_status stadium_begin(struct engine_table *table, const struct write *w);
roost_status stadium_write_piece(struct engine_table *table, const struct write *w, struct progress *p);
bool stadium_has_room(const struct engine_table *table, const struct write *w);
roost_status stadium_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece);
roost_status stadium_erase(struct engine_table *table, const struct write *w);

/* ---- Contents (stadium_export.c, stadium_check.c): see struct engine ------------------------ */

roost_status stadium_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status stadium_export_strings(struct engine_table *table, roost_cursor *cursor, const struct string_room *room, size_t *n);
roost_status stadium_stats(struct engine_table *table, struct engine_stats *stats);
roost_status stadium_check(struct engine_table *table);

#endif
