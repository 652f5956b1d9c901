/* FKS's table on the host side: what the files of its policy share, the lowest first. */
#ifndef ROOST_FKS_TABLE_H
#define ROOST_FKS_TABLE_H

#include "engines/contents.h"
#include "engines/fks/fks_kernels.h"
#include "engines/insertion.h"
#include "engines/policy.h"

enum {
    /* Written in place by one launch, at most: bounds the lists to 256 MB each. */
    FKS_LAUNCH_ITEMS = 1 << 26,
    FKS_LIST_ROOM = 32, /* items of which lists have room at first, on the host */
    /* A part that had no room, or gives some back, gets this share more than it needs. */
    FKS_ROOMY = 8
};

/* Creation options, as parsed. */
struct fks_options {
    int bucket;  /* keys of one, on average; 0: the width's default */
    double load; /* REG_LOAD; 0: the upper fill bound */
    int iterations;
    /* Keys of a batch over keys stored or with room, from which on all buckets are rebuilt. */
    double dense;
    double grow; /* keys for which a table that grows gets room, over those it has */
    /* Keys of a bucket, over the average, above and below which buckets are split and merged. */
    double split, merge;
    int hash;   /* enum hash_family */
    int preset; /* enum fks_preset */
};

enum fks_preset {
    FKS_PRESET_NONE,
    FKS_PRESET_PAPER,    /* lines of one slot */
    FKS_PRESET_QUADRATIC /* n * n of them for n keys */
};

/* Passes of an insert in place; what each parks is counted. */
enum { PASS_WRITE, PASS_SHIFT, PASS_WRITE_AGAIN, PASS_SHIFT_AGAIN };

enum {
    FKS_LOCK_TRIES = 64, /* of a shift that leaves items to a second round */
    FKS_CROWD = 256      /* items that a first round left are no reason for a second one */
};

/* The device's copy of what the policy knows of the parts: arrays for `room` of them in one piece
 * of the device's memory. */
struct fks_device {
    uint32_t room;
    struct fks_part *parts, *to, *empty; /* now; after a build; of an empty table */
    struct fks_space *spaces, *to_spaces;
    unsigned char *special; /* the vacant key's line, in a piece of its own */
};
enum { FKS_SPECIAL_BYTES = 128 /* the largest line's */ };

struct fks_table {
    struct engine_table base; /* first: the API's handle */
    struct fks_options options;
    struct fks_view view;
    uint64_t reserved_keys; /* the last reservation that was made */
    uint64_t grown_keys;    /* for which the last growth made room; 0: for those that were there */
    struct fks_device device;
    struct fks_part parts[FKS_PARTS];
    struct fks_space spaces[FKS_PARTS]; /* as last read */
    uint32_t entries[FKS_PARTS];        /* room of each directory */
    bool parts_dirty, spaces_dirty;     /* the host's copy is newer than the device's */
    uint64_t main, special;             /* keys stored */
    /* In-place inserts find room for certain until stats.inserted gets here.  It counts inserts,
     * not stored keys: a key that takes an erased one's slot may be in another bucket. */
    uint64_t insert_budget;
    /* Keys to come for which the last build of all buckets gave them lines. */
    uint64_t headroom;
    uint64_t build_headroom; /* the same of the build at hand */
    /* The last table whose shrink did not reach the lower bound: its slots and keys.  Nearly as
     * many keys do not make it try again. */
    uint64_t failed_shrink_slots, failed_shrink_keys;
    /* A rebuild with room for its keys had no room for some, as no rebuild of random keys has. */
    bool colliding;
    bool columns_refused; /* memory for columns was refused to the call at hand */
    bool looked;          /* the call's batch was looked at for copies of keys: */
    bool repeats;         /* it has many, and is written in place */
    bool full;            /* most of the items that no memory could be found for were refused, */
    uint64_t full_erased; /* when this many keys had been erased */
    uint64_t packed;      /* keys that had been inserted or erased when all buckets were packed */
    /* Memory for the columns of a few items, however little memory is left.  NULL: of so few that
     * the caller's frame has room for them. */
    void *spare_columns;
    bool spare_lent; /* a call's items are in them, so a rebuild does not free them */
    size_t spare_columns_bytes;
};

static inline struct fks_table *fks_of(struct engine_table *t) { return (struct fks_table *)t; }
static inline const struct fks_table *fks_of_const(const struct engine_table *t) { return (const struct fks_table *)t; }

/* ---- Table (fks_table.c) --------------------------------------------------------------------- */

uint64_t fks_count(const struct engine_table *table);
uint64_t fks_slots(const struct engine_table *table);
uint64_t fks_bytes(const struct engine_table *table);
uint32_t fks_parts(const struct fks_table *t);
uint64_t fks_buckets(const struct fks_table *t);
/* The buckets of the part that has the fewest, or the most. */
uint32_t fks_buckets_extreme(const struct fks_table *t, bool most);
/* Slots of n granules. */
uint64_t fks_granule_slots(const struct fks_table *t, uint64_t n);
/* Bytes of a part's memory: its lines, their links, and its directory. */
size_t fks_part_bytes(const struct fks_table *t, uint64_t granules, uint64_t entries);
size_t fks_links_bytes(uint64_t granules);
/* Bytes of what the device is told of this many parts. */
size_t fks_device_bytes(uint32_t parts);
/* A batch's arguments. */
struct fks_args fks_batch_args(const struct fks_table *t, const struct batch *batch);
roost_status fks_copy(struct fks_table *t, void *to, const void *from, size_t bytes);
/* Tells the device what changed here.  Before any work on the table; copies nothing if the device
 * knows all, because finds run beside finds. */
roost_status fks_ready(struct fks_table *t);
/* The same after parts and spaces have changed. */
roost_status fks_tell(struct fks_table *t);
/* Waits, and reads the device's spaces of these parts. */
roost_status fks_spaces_read(struct fks_table *t, const struct fks_space *from, const struct fks_part *parts,
                             struct fks_space to[FKS_PARTS]);
/* Reads a part into host memory, zeroed before, of as many bytes as it has up to the end of its
 * directory. */
roost_status fks_part_read(struct fks_table *t, uint32_t q, unsigned char *to);
/* Appends the pairs of lines first .. first + n - 1 of a part to arrays on the device, whose length
 * is pairs_n; NULL: counts them. */
roost_status fks_export_lines(struct fks_table *t, uint32_t part, uint64_t first, uint64_t n, void *keys, void *values);
roost_status fks_special_clear(struct fks_table *t);
/* Hooks: see struct table_hooks. */
void fks_counters_take(struct engine_table *table, const void *words, const struct counters *since);
roost_status fks_recount(struct engine_table *table);

/* ---- Passes in place (fks_passes.c) ---------------------------------------------------------- */

/* Frees the locks of inserts in place, a power of two of them, which lie behind the lists. */
roost_status fks_locks_clear(struct fks_table *t, struct fks_args *args);
/* Waits for inserts in place, and takes in what they have counted. */
roost_status fks_inserts_take(struct fks_table *t);
/* Arguments of passes over a batch, before the first one. */
roost_status fks_in_place_begin(struct fks_table *t, struct fks_args *args, const struct batch *batch);
/* A pass whose items without room go to a list. */
roost_status fks_in_place_pass(struct fks_table *t, int operation, struct fks_args *args, int pass, struct source *source);
/* A pass `write` with this number, and a pass `shift` over what it parks: as long as pairs can
 * move, no bucket need be built.  Items that would have to wait for a lock are parked, too. */
roost_status fks_in_place_round(struct fks_table *t, struct fks_args *args, int pass, struct source *source);

/* ---- Sizes (fks_size.c) ---------------------------------------------------------------------- */

/* What parts a rebuild makes. */
struct fks_plan {
    uint32_t part_bits;
    uint32_t buckets; /* of a part */
    uint64_t keys;    /* of the table, for which there is room at least */
    double slack;     /* granules beyond those that the keys need, over these */
    /* All parts or none: where memory is refused for one, all stay as they were. */
    bool whole;
    int doubled; /* times: the buckets, because some had no layout */
};

/* Bits that number a bucket of a part with `buckets`. */
uint32_t fks_level(uint32_t buckets);
/* Hash bits by which a batch for such parts is partitioned: no more than all keys of a bucket have
 * in common. */
uint32_t fks_digits(uint32_t part_bits, uint32_t buckets);
/* The same of the table as it is. */
uint32_t fks_digits_most(const struct fks_table *t);
roost_status fks_sizes_check(const struct fks_table *t, uint64_t keys);
/* Keys for which there is room in the end: those of the reservation, or of the last growth. */
uint64_t fks_reserved(const struct fks_table *t);
/* Of these, the keys to come in a table that holds this many keys. */
uint64_t fks_headroom(const struct fks_table *t, uint64_t keys);
/* Keys to come that are guaranteed to find room in place, right after all buckets are built as
 * planned. */
uint64_t fks_guaranteed(const struct fks_table *t, const struct fks_plan *plan);
/* Bits that number the parts of a table of this many keys; and the buckets that a part should have,
 * of `times` the average size. */
uint32_t fks_part_bits_for(const struct fks_table *t, uint64_t keys);
double fks_buckets_wanted(const struct fks_table *t, uint64_t keys, uint32_t part_bits, double times);
/* The plan for a table of this many keys, or of the reserved ones if they are more. */
struct fks_plan fks_plan_for(const struct fks_table *t, uint64_t keys, double slack, bool whole);
/* The plan for an empty table with its reservation. */
struct fks_plan fks_plan_least(const struct fks_table *t);
/* The plan for part q alone of a table of this many keys, with `granules` granules for its
 * buckets. */
struct fks_plan fks_plan_part(const struct fks_table *t, uint32_t q, uint64_t keys, uint64_t granules);
/* Makes a plan one that takes neither parts nor buckets away: what inserts lead to. */
void fks_plan_keep(const struct fks_table *t, struct fks_plan *plan);
/* Granules of each part, and slots of the table, as planned. */
uint64_t fks_plan_granules(const struct fks_table *t, const struct fks_plan *plan);
uint64_t fks_plan_slots(const struct fks_table *t, const struct fks_plan *plan);
/* Hook: see struct table_hooks. */
bool fks_would_shrink(const struct engine_table *table, uint64_t keys);

/* ---- Columns (fks_columns.c) ----------------------------------------------------------------- */

/* Items of a batch in the order of their regions. */
struct fks_items {
    struct fks_args args; /* batch: the columns; work: hashes and bounds */
    uint64_t n;
    uint64_t done_before; /* items inserted and updated, by the statistics, before these */
};

enum { FKS_FEW_BYTES = 4096 };

/* The columns of some items: each an array, all in one piece of memory.  A partition brings items
 * from one column to the other. */
enum fks_column {
    FKS_HASHES,
    FKS_HASHES_BACK,
    FKS_PAYLOAD,
    FKS_PAYLOAD_BACK,
    FKS_VALUES,
    FKS_OUTCOMES,
    FKS_BOUNDS,
    FKS_SORT_SCRATCH,
    FKS_COLUMN_COUNT
};

struct fks_column_memory {
    void *memory, *at[FKS_COLUMN_COUNT];
    size_t bytes[FKS_COLUMN_COUNT], all;
    uint64_t room; /* items */
    uint32_t digit_bits;
    const uint32_t *order; /* the items of the batch; NULL: all of it */
    bool spare;            /* it is the table's spare columns, or `few` */
    /* The payload is the item's number, not its value: the caller wants statuses. */
    bool by_item;
    bool known; /* some of the keys are stored: the items are written in place first */
    /* On the host: for a few items of a table of one part, which so keeps no spare columns. */
    uint64_t few[FKS_FEW_BYTES / sizeof(uint64_t)];
};

/* How many of the items have not been carried out. */
uint64_t fks_items_waiting(const struct fks_table *t, const struct fks_items *items);
/* Memory that lets inserts into a table of this many parts go on where all other memory is
 * refused.  On failure it is what it was. */
roost_status fks_spare_columns_make(struct fks_table *t, uint32_t parts);
void fks_spare_columns_release(struct fks_table *t);
/* The bytes that this takes. */
size_t fks_spare_columns_bytes(struct fks_table *t, uint32_t parts);
/* Hash bits by which n items are partitioned.  plan: of the parts that they are built into; NULL:
 * the buckets of the items alone are built, in place. */
uint32_t fks_digits_for(const struct fks_table *t, const struct fks_plan *plan, uint64_t n);
/* Memory for as many of n items as there is memory for; `order`, `by_item` and `digit_bits` are
 * set. */
roost_status fks_columns_make(struct fks_table *t, struct fks_column_memory *c, uint64_t n);
/* The same for all n or none, provided that `beside` more bytes can be allocated, too. */
roost_status fks_columns_make_beside(struct fks_table *t, struct fks_column_memory *c, uint64_t n, uint64_t beside);
/* Would it make them now, other than the spare ones?  `by_item` and `digit_bits` are set. */
bool fks_columns_fit(struct fks_table *t, struct fks_column_memory *c, uint64_t n, uint64_t beside);
/* Waits for the work on the columns, and frees them. */
roost_status fks_columns_release(struct fks_table *t, const struct fks_column_memory *c);
/* Brings a batch's items into the columns, by region. */
roost_status fks_columns_fill(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                              struct fks_items *items);
/* Writes the items' outcomes where the caller wants them. */
roost_status fks_columns_answer(struct fks_table *t, const struct fks_column_memory *c, const struct batch *batch,
                                const struct fks_items *items, uint8_t park_status);

/* Items that wait for other seeds, out of the columns: arrays in one piece of memory. */
enum fks_remain { FKS_REMAIN_KEYS, FKS_REMAIN_VALUES, FKS_REMAIN_NUMBERS, FKS_REMAIN_STATUSES, FKS_REMAINS };

/* Keeps the `waiting` items in t->base.waiting.  ROOST_ERR_MEMORY: nothing is kept. */
roost_status fks_remain_keep(struct fks_table *t, const struct batch *batch, const struct fks_items *items, uint64_t waiting);
/* Writes the statuses of items that were kept where the caller wants them, and frees their
 * memory. */
roost_status fks_remain_answer(struct fks_table *t, struct insertion *in);

/* ---- Parts (fks_parts.c) --------------------------------------------------------------------- */

/* Memory of a part without keys. */
/* Memory for what the device is told of this many parts, which it is told again. */
roost_status fks_device_make(struct fks_table *t, uint32_t parts);
void fks_device_release(struct fks_table *t);
roost_status fks_part_make(struct fks_table *t, uint64_t granules, uint32_t entries, struct fks_part *p);
void fks_part_release(struct fks_table *t, const struct fks_part *p, uint32_t entries);
void fks_part_use_buckets(struct fks_part *p, uint32_t buckets);
/* Takes what builds have counted since `before` into the statistics; of the vacant key alone. */
void fks_space_take(struct fks_table *t, const struct fks_space *now, const struct fks_space *before);
void fks_special_take(struct fks_table *t, const struct fks_space *now, const struct fks_space *before);
/* Sets the share of build_headroom that each bucket of these parts gets. */
void fks_parts_headroom(const struct fks_table *t, struct fks_part to[FKS_PARTS], uint32_t part_bits);
/* Launches a build of the regions that `work` describes, from parts `from`, with the waiting items
 * (NULL: none). */
roost_status fks_build_launch(struct fks_table *t, const struct fks_items *items, const struct fks_part *from,
                              const struct fks_work *work);
/* Waits for a build in place, and takes in all of it. */
roost_status fks_build_take(struct fks_table *t);
/* Before a build: forgets which parts had no room. */
roost_status fks_troubles_forget(struct fks_table *t);
/* Builds the buckets for which items wait, in place; or all buckets. */
roost_status fks_build_in_place(struct fks_table *t, struct fks_items *items, bool waiting_only);

/* ---- Rebuilding (fks_rebuild.c) -------------------------------------------------------------- */

/* Is there memory to rebuild all parts as planned? */
bool fks_has_memory(struct fks_table *t, const struct fks_plan *plan);
/* The bytes that this takes in addition to the table's. */
uint64_t fks_more_bytes(struct fks_table *t, const struct fks_plan *plan);
/* May trouble mean that keys collide?  Builds of random keys have none where the plan has room for
 * them. */
bool fks_may_collide(const struct fks_table *t);
/* Rebuilds all parts, or parts first .. first + n - 1, with the waiting items (NULL: none).  What
 * is refused memory stays as it was: ROOST_ERR_MEMORY; the others are rebuilt. */
roost_status fks_rebuild(struct fks_table *t, const struct fks_plan *plan, struct fks_items *items);
roost_status fks_rebuild_parts(struct fks_table *t, const struct fks_plan *plan, uint32_t first, uint32_t n,
                               struct fks_items *items);

/* ---- Splits and merges (fks_split.c), packing (fks_compact.c) -------------------------------- */

/* So many more buckets of each part, or fewer, in place.  *done: false: some part had no room for
 * that. */
roost_status fks_split(struct fks_table *t, uint32_t more, bool *done);
roost_status fks_merge(struct fks_table *t, uint32_t fewer, bool *done);
/* Moves the lines of parts that had no room together, so that what is free is one piece. */
roost_status fks_pack(struct fks_table *t);
/* Parts that use less than half of their memory give the rest back. */
roost_status fks_tighten(struct fks_table *t);

/* ---- Decisions on the whole table (fks_settle.c) --------------------------------------------- */

/* Rebuilds all buckets with room for `more` waiting keys, and for growth (option grow); if memory
 * for that is refused, for the waiting keys alone. */
roost_status fks_grow(struct fks_table *t, uint64_t more, struct fks_items *items);
/* Hooks: see struct table_hooks. */
roost_status fks_make(struct engine_table *table);
void fks_unmake(struct engine_table *table);
roost_status fks_empty(struct engine_table *table);
roost_status fks_settle(struct engine_table *table, bool shrinks);
roost_status fks_reserve(struct engine_table *table, uint64_t keys);

/* ---- Inserts (fks_insert.c), hooks ----------------------------------------------------------- */

roost_status fks_resume(struct engine_table *table, struct progress *p);
roost_status fks_write_piece(struct engine_table *table, const struct write *w, struct progress *p);
bool fks_has_room(const struct engine_table *table, const struct write *w);
roost_status fks_enqueue(struct engine_table *table, const struct write *w, const struct batch *piece);

/* ---- Contents (fks_export.c, fks_check.c): see struct engine --------------------------------- */

roost_status fks_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status fks_stats(struct engine_table *table, struct engine_stats *stats);
roost_status fks_check(struct engine_table *table);

#endif
