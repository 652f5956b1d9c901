/* A table loaded from all blocks of a snapshot. */
#ifndef ROOST_SNAPSHOTS_WHOLE_H
#define ROOST_SNAPSHOTS_WHOLE_H

#include "snapshots/snapshot_shards.h"

/* Reads all blocks of a whole snapshot, whose header was read, into the table. */
roost_status load_whole(struct load *l);

/* Tells the caller what was read, and frees what loading took. */
void load_release(struct load *l);
/* The same; on failure destroys the table. */
roost_status load_end(struct load *l, roost_table **table, roost_status status);

#endif
