/* A table made of a snapshot. */
#ifndef ROOST_SNAPSHOTS_LOAD_H
#define ROOST_SNAPSHOTS_LOAD_H

#include "api/table.h"
#include "snapshots/snapshot_reader.h"

struct load {
    struct roost_table *t;
    struct reader reader;
    roost_load_options options;
    uint64_t loaded;  /* pairs stored */
    uint64_t roomed;  /* pairs that there is room for */
    uint64_t refused; /* with ROOST_SALVAGE: pairs whose key came before */
    uint8_t *statuses;
    uint64_t statuses_room;
    struct roost_table *seen; /* a set of the numbers, or keys of changes, so far; NULL: none */
};

roost_status load_options_read(struct load *l, const roost_load_options *options);

/* The configuration of the table: the caller's, or as the header says. */
roost_status load_configure(const struct load *l, const roost_config *given, roost_config *config);

/* Makes the table. */
roost_status load_create(struct load *l, const roost_config *given);

/* Are the columns of a block of n items in it?  *layout: where.  values: have the items any? */
roost_status block_layout(const struct load *l, const struct block *block, bool values, struct layout *layout);

/* Inserts a block's items with this mode, whose layout was checked; block_insert checks it first,
 * and makes room.  l->statuses: what became of the items. */
roost_status block_put(struct load *l, const struct block *block, const struct layout *layout, roost_mode mode);
roost_status block_insert(struct load *l, const struct block *block, roost_mode mode);

/* Of a key that comes twice, one item did not end INSERTED: an error, but with `salvage`. */
roost_status keys_check(struct load *l, const struct block *block);

/* Makes the set l->seen. */
roost_status seen_begin(struct load *l, roost_type type, size_t bytes);

roost_status load_progress(const struct load *l, uint64_t done);

/* Reads all blocks of a whole snapshot, whose header was read, into the table. */
roost_status load_whole(struct load *l);

/* Tells the caller what was read, and frees what loading took. */
void load_release(struct load *l);
/* The same; on failure destroys the table. */
roost_status load_end(struct load *l, roost_table **table, roost_status status);

#endif
