/* FKS's table on the host side: what the policy (fks.c), inserts (fks_insert.c), parts (fks_parts.c), sizes (fks_size.c) and the check
 * share. */
#ifndef ROOST_FKS_TABLE_H
#define ROOST_FKS_TABLE_H

#include "engines/fks/fks_kernels.h"
#include "engines/ledger.h"
#include "engines/lists.h"
#include "engines/policy.h"

enum {
    FKS_CHUNK = 1 << 26, /* items inserted in place by one launch, at most: bounds the lists to 256 MB each */
    FKS_ROOMY = 8        /* a part that had no room, or gives some back, gets this share more memory than it needs */
};

/* Creation options, as parsed. */
struct fks_options {
    int bucket;  /* keys of one, on average; 0: the width's default */
    double load; /* REG_LOAD; 0: the upper fill bound */
    int iterations;
    double dense;        /* keys of a batch over keys that are stored or have room, from which on buckets are built anew */
    double grow;         /* keys for which a table that grows gets room, over those it has */
    double split, merge; /* keys of a bucket, over the average, above and below which buckets are split and merged */
    int single;          /* lines of one slot */
    int quadratic;       /* n * n of them for n keys */
    struct kernel_asks kernels;
};

/* Passes of an insert in place, by which what they park is counted. */
enum { PASS_WRITE, PASS_SHIFT, FKS_PASSES };

/* What the kernels write besides the table, in device memory (engines/ledger.h). */
struct fks_words {
    struct counters counters;
    uint64_t pairs_n;
    uint64_t list_n[FKS_PASSES];
};

/* What lies in one piece of device memory. */
struct fks_device {
    struct fks_part parts[FKS_PARTS], to[FKS_PARTS], nothing[FKS_PARTS]; /* those that are, shall be, and an empty table's */
    struct fks_space spaces[FKS_PARTS], to_spaces[FKS_PARTS];
    unsigned char special[256];
};

struct fks_table {
    struct engine_table base; /* first: the API's handle */
    struct fks_options options;
    struct fks_view view;
    struct shape shape;
    const struct kernel *find, *erase, *write, *shift, *build, *export_pairs, *estimate, *hashes, *bounds, *gather, *fates, *again,
        *codes;
    roost_type value_type;
    bool growth, saturate;
    double min_fill, max_fill;
    uint64_t floor_keys; /* the reservation: room for so many stays */
    uint64_t grown_keys; /* for which the last growth made room; 0: for those that were there */
    struct fks_device *device;
    struct fks_part parts[FKS_PARTS];   /* as on the device */
    bool untold_parts, untold_spaces;   /* the device does not know them yet */
    uint32_t entries[FKS_PARTS];        /* that each directory has room for */
    struct fks_space spaces[FKS_PARTS]; /* as last read */
    uint64_t main, special;             /* keys stored */
    uint64_t waiting[FKS_PASSES];       /* the lists' lengths when the words were last read */
    uint64_t room;      /* keys ever inserted, up to which all find room in place: not stored, for others take erased ones' */
    uint64_t spare;     /* keys to come, for which the last build of all buckets has given them lines */
    uint64_t to_come;   /* for which a build gives lines now */
    struct lists lists; /* of items that found no room in place */
    uint64_t cramped_slots, cramped_keys; /* of the last table whose fill stayed too low when it had shrunk */
    bool full;                            /* growth is off, and all parts' memory is in use; */
    uint64_t full_erased;                 /* until more keys than these have been erased */
    void *few;                            /* memory for the items of a small batch, by region */
    size_t few_bytes;
    struct ledger ledger;
    struct fks_words *words; /* device */
};

/* ---- Sizes (fks_size.c) ---- */

uint64_t fks_count(const struct fks_table *t);
uint64_t fks_slots(const struct fks_table *t);
uint64_t fks_buckets(const struct fks_table *t);
/* The buckets of the part that has the fewest, or the most. */
uint32_t fks_buckets_extreme(const struct fks_table *t, bool most);
uint64_t fks_table_bytes(const struct fks_table *t);
uint32_t fks_parts(const struct fks_table *t);
/* The bits that say a bucket, of so many, of a part; those that all keys of a bucket have in common, of which a batch is partitioned by no more; and
 * those of this table's. */
uint32_t fks_level(uint32_t buckets);
uint32_t fks_digits(uint32_t part_bits, uint32_t buckets);
uint32_t fks_digits_most(const struct fks_table *t);
roost_status fks_sizes_check(const struct fks_table *t, uint64_t keys);
/* Would the table shrink if it held so many keys? */
bool fks_would_shrink(const struct fks_table *t, uint64_t keys);
/* Brings the number of buckets and, where the table may shrink, its memory to what the keys need; refused memory is no failure. */
roost_status fks_settle(struct fks_table *t, bool shrinks);
/* Room for at least so many keys, now; the table is what it was if that fails. */
roost_status fks_reserve_room(struct fks_table *t, uint64_t keys);

/* ---- Parts (fks_parts.c) ---- */

/* Makes empty parts with room for floor_keys. */
roost_status fks_make(struct fks_table *t);
void fks_unmake(struct fks_table *t);
/* Before work on the table: the device knows what it is. */
roost_status fks_ready(struct fks_table *t);
/* No keys, and memory as the reservation asks. */
roost_status fks_empty(struct fks_table *t);
roost_status fks_spaces_read(struct fks_table *t);

/* Items by region, in a piece of a batch. */
struct fks_piece {
    struct fks_args args; /* batch: the columns; work: hashes, bounds and waits */
    uint64_t n;
};

/* How parts shall be built anew. */
struct fks_plan {
    uint32_t part_bits;
    uint32_t buckets; /* of a part */
    uint64_t keys;    /* of the table, for which there shall be room at least */
    double slack;     /* granules, beside those that the keys need, over these */
    bool whole;       /* all parts or none: where memory is refused for one, all stay as they were */
};

/* Keys that have not come yet of those for which room is reserved, where so many have. */
uint64_t fks_spare_keys(const struct fks_table *t, uint64_t keys);
/* How many keys to come surely find room in place, when all buckets have just been built as planned. */
uint64_t fks_room(const struct fks_table *t, const struct fks_plan *plan);
/* The plan for a table of so many keys, or of those for which there is room if they are more. */
struct fks_plan fks_plan_for(const struct fks_table *t, uint64_t keys, double slack, bool whole);
/* Granules of each part as planned. */
uint64_t fks_plan_granules(const struct fks_table *t, const struct fks_plan *plan);
/* For part q alone of a table of so many keys, with so many granules for the buckets that it has. */
struct fks_plan fks_plan_part(const struct fks_table *t, uint32_t q, uint64_t keys, uint64_t granules);
/* One that takes neither parts nor buckets away: what inserts lead to. */
void fks_plan_keep(const struct fks_table *t, struct fks_plan *plan);
/* Is there memory to build all parts anew as planned? */
bool fks_has_memory(struct fks_table *t, const struct fks_plan *plan);
/* All buckets anew, with room for so many more keys that wait for it, and ahead for as many as the option says; where memory for that is refused, for
 * those that wait. */
roost_status fks_grow(struct fks_table *t, uint64_t more);
/* Builds all parts anew, or parts first .. first + n - 1, with the waiting items of a piece (NULL: none).  What is refused memory stays as it
 * was: ROOST_ERR_MEMORY; the others are built. */
roost_status fks_rebuild(struct fks_table *t, const struct fks_plan *plan, struct fks_piece *piece);
roost_status fks_rebuild_parts(struct fks_table *t, const struct fks_plan *plan, uint32_t first, uint32_t n,
                               struct fks_piece *piece);
/* Builds the buckets for which items of the piece wait, in place; or all buckets, those without waiting items, too. */
roost_status fks_build_waiting(struct fks_table *t, struct fks_piece *piece, bool waiting_only);
/* Reads a part into host memory, zeroed before, of as many bytes as it has up to the end of its directory. */
roost_status fks_part_read(struct fks_table *t, uint32_t q, unsigned char *to);
/* Parts that had no room for a block get all that is free in one piece. */
roost_status fks_compact(struct fks_table *t);
/* Parts that use less than half of their memory give the rest back. */
roost_status fks_tighten(struct fks_table *t);
/* So many more buckets of each part, or fewer, in place, where all parts have room for that. *done: whether they had. */
roost_status fks_split(struct fks_table *t, uint32_t more, bool *done);
roost_status fks_merge(struct fks_table *t, uint32_t fewer, bool *done);

/* ---- The rest ---- */

roost_status fks_words_make(struct fks_table *t);
struct batch fks_batch_slice(const struct fks_table *t, const struct batch *whole, uint64_t first, uint64_t n);
/* Memory for a few items, without which inserts would end where memory does. */
roost_status fks_few_make(struct fks_table *t);
roost_status fks_insert(struct engine_table *table, const struct batch *batch);
/* Appends the pairs of lines first .. first + n - 1 of a part to arrays on the device, whose length is pairs_n; NULL: counts them. */
roost_status fks_export_lines(struct fks_table *t, uint32_t part, uint64_t first, uint64_t n, void *keys, void *values);
roost_status fks_pairs_clear(struct fks_table *t);
roost_status fks_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n);
roost_status fks_stats(struct engine_table *table, struct engine_stats *stats);
roost_status fks_check(struct engine_table *table);

#endif
