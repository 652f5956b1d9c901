/* Snapshots of tables that are spread over ranks: a file for each shard, which is a whole snapshot
 * of its own, and a manifest that lists them.
 *
 * Shards' files are named after the manifest's, its id and their number, so those of an earlier
 * save stay as they are until the manifest that names the new ones has replaced the old one. */
#ifndef ROOST_SNAPSHOTS_SHARDS_H
#define ROOST_SNAPSHOTS_SHARDS_H

#include "snapshots/snapshot_load.h"
#include "snapshots/snapshot_save.h"

/* Saves the rank's shard, and by rank 0 the manifest.  All ranks learn whether all could.  status:
 * of what came before, whose failure the others learn, too. */
roost_status shards_save(struct save *s, const char *path, roost_status status);

/* Saves a file by these blocks.  If it replaces a manifest, the files that this named go. */
roost_status file_replace(struct save *s, const char *path, roost_status (*blocks)(struct save *s));

/* The shards that a rank loads. */
struct shards {
    const char *path;     /* of the manifest */
    char *real;           /* the same without links; NULL: `path` */
    struct header header; /* of the manifest */
    uint64_t id;
    struct shard_entry *entry;
    uint32_t next, step; /* the rank's next shard; each rank has every step-th */
    char *name;          /* of the open file */
    int descriptor;      /* below 0: none is open */
};

/* Reads the manifest whose header l->reader has read. */
roost_status shards_begin(struct shards *shards, struct load *l);
/* Which of them the table's rank loads: all, unless the table is spread over ranks.  A single file
 * is rank 0's. */
void shards_deal(struct load *l);
/* Reads the rank's next block; *end: there is none. */
roost_status shards_next(struct shards *shards, struct load *l, struct block *block, bool *end);
void shards_release(struct shards *shards);

#endif
