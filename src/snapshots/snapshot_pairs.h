/* A table's pairs as blocks of a snapshot. */
#ifndef ROOST_SNAPSHOTS_PAIRS_H
#define ROOST_SNAPSHOTS_PAIRS_H

#include "api/table.h"
#include "snapshots/snapshot_writer.h"

/* Keys stored in the table, of a shard its own; in the table's own or its log's engine table.
 * Both wait. */
roost_status pairs_count(struct roost_table *t, uint64_t *pairs);
roost_status keys_count(struct roost_table *t, struct engine_table *of, uint64_t *keys);

/* Memory of a block that is filled with pairs. */
struct pairs_room {
    uint64_t items;        /* pairs at most */
    uint64_t string_bytes; /* of strings: room for their bytes */
    struct layout layout;  /* where its columns begin while it is filled */
    char *memory;
};

roost_status room_make(struct pairs_room *room, struct roost_table *t);
/* Gives the room the memory that its members ask for. */
roost_status room_allocate(struct pairs_room *room, struct roost_table *t);
void room_release(struct pairs_room *room);

/* Where a column begins while the room is filled, and the width of its offsets. */
static inline void *room_column(const struct pairs_room *room, int column) { return room->memory + room->layout.at[column]; }
static inline int room_offset_bytes(const struct pairs_room *room) { return room->string_bytes > UINT32_MAX ? 8 : 4; }

/* Exports the next pairs into the room; *n: how many, 0 only at the end. */
roost_status room_fill(struct roost_table *t, roost_cursor *cursor, struct pairs_room *room, uint64_t *n);

/* Makes the room's first n items a block, whose kind is set.  values: have they any? */
roost_status room_close(struct pairs_room *room, struct roost_table *t, uint64_t n, bool values, struct ready_block *block);

#endif
