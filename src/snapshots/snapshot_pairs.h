/* A table's pairs as blocks of a snapshot. */
#ifndef ROOST_SNAPSHOTS_PAIRS_H
#define ROOST_SNAPSHOTS_PAIRS_H

#include "api/table.h"
#include "snapshots/snapshot_writer.h"

/* Keys stored in the table, of a shard its own.  Waits. */
roost_status pairs_count(struct roost_table *t, uint64_t *pairs);

/* Memory of a block that is filled with pairs. */
struct pairs_room {
    uint64_t items;        /* pairs at most */
    uint64_t string_bytes; /* of strings: room for their bytes */
    struct layout layout;  /* where its columns begin while it is filled */
    char *memory;
};

roost_status room_make(struct pairs_room *room, struct roost_table *t);
void room_release(struct pairs_room *room);

/* Exports the next pairs into the room, and makes them a block: frame.items is 0 at the end. */
roost_status pairs_take(struct roost_table *t, roost_cursor *cursor, struct pairs_room *room, struct ready_block *block);

#endif
