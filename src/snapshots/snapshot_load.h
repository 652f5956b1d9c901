/* A table made of a snapshot. */
#ifndef ROOST_SNAPSHOTS_LOAD_H
#define ROOST_SNAPSHOTS_LOAD_H

#include "api/table.h"
#include "roost/strings.h"
#include "snapshots/snapshot_reader.h"

struct shards;

/* What the readers of earlier files have counted. */
struct loaded_before {
    uint64_t erased, blocks, bytes, lost, first_damaged;
};

struct load {
    struct roost_table *t;
    struct reader reader;
    roost_load_options options;
    struct shards *shards;       /* several files; NULL: one */
    struct loaded_before before; /* of files that have been read */
    uint64_t promised, capacity; /* by the header; of several files those of this rank, of all */
    bool as_saved;               /* no configuration was given */
    bool alone;                  /* nothing may follow the snapshot */
    uint64_t loaded;             /* pairs stored */
    uint64_t roomed;             /* pairs that there is room for */
    uint64_t refused;            /* with ROOST_SALVAGE: pairs whose key came before */
    uint8_t *statuses;
    uint64_t statuses_room;
    struct roost_table *seen; /* a set of the numbers, or keys of changes, so far; NULL: none */
};

roost_status load_options_read(struct load *l, const roost_load_options *options);

/* What the header says. */
void load_info(const struct load *l, roost_snapshot_info *info);

/* Are a table's types those of the snapshot?  The error names what differs. */
roost_status types_check(const struct load *l, const roost_config *config);

/* The configuration of the table: the caller's, or as the header says. */
roost_status load_configure(const struct load *l, const roost_config *given, roost_config *config);

/* Makes the table.  status: of what came before; the other ranks of a comm learn a failure. */
roost_status load_create(struct load *l, const roost_config *given, roost_status status);
/* This rank of a comm, if the configuration names one, will not make the table. */
void load_decline(const roost_config *given);

/* Begins with another file. */
void load_read_next(struct load *l, roost_read_function *read, void *context, const char *from);

/* Have all pairs come that the header promises? */
roost_status counts_check(const struct load *l);

/* Are the columns of a block of n items in it?  *layout: where.  values: have the items any? */
roost_status block_layout(const struct load *l, const struct block *block, bool values, struct layout *layout);

/* The strings of a block with this layout. */
roost_strings block_strings(const struct block *block, const struct layout *layout);

/* Checks a block's columns and makes memory for its statuses: what can fail before an insert. */
roost_status block_ready(struct load *l, const struct block *block);

/* Inserts a block's items with this mode, whose layout was checked; block_insert checks it first,
 * and makes room.  l->statuses: what became of the items. */
roost_status block_put(struct load *l, const struct block *block, const struct layout *layout, roost_mode mode);
roost_status block_insert(struct load *l, const struct block *block, roost_mode mode);

/* Of a key that comes twice, one item did not end INSERTED: an error, but with `salvage`. */
roost_status keys_check(struct load *l, const struct block *block);

/* Makes the set l->seen. */
roost_status seen_begin(struct load *l, roost_type type, size_t bytes);

roost_status load_progress(const struct load *l, uint64_t done);

/* Capacity as saved, as far as the pairs that came vouch for it. */
uint64_t capacity_most(const struct load *l, uint64_t pairs);
/* Makes room for a number of pairs.  A table that may not grow gets it by reservations, unless its
 * configuration is the caller's. */
roost_status load_room(struct load *l, uint64_t pairs);

/* Numbers of a ROOST_NUMBERED table are below the next one, and each comes once. */
roost_status numbers_begin(struct load *l);
/* Are a block's numbers, at *numbers, below the next one? */
roost_status numbers_fit(const struct load *l, const struct block *block, const void **numbers);
roost_status numbers_check(struct load *l, const struct block *block);

#endif
