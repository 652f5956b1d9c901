/* A table saved as a sequence of blocks. */
#ifndef ROOST_SNAPSHOTS_SAVE_H
#define ROOST_SNAPSHOTS_SAVE_H

#include "snapshots/snapshot_pairs.h"

/* Where a snapshot goes, and how. */
struct save {
    struct roost_table *t;
    roost_save_options options;
    struct writer writer;
    struct header header;
    struct shard_entry *shards; /* of a manifest; else NULL */
};

/* Reads the options, and makes the header of a whole snapshot with a new id.  to: as in struct
 * writer. */
roost_status save_begin(struct save *s, struct roost_table *t, const roost_save_options *options, const char *to);

/* Told between blocks. */
roost_status save_progress(const struct save *s, uint64_t done);

/* Writes a snapshot, whose header is made, as a file: its blocks by this function. */
roost_status save_file_by(struct save *s, const char *path, roost_status (*blocks)(struct save *s));

/* Writes the header, all pairs, and the end. */
roost_status save_whole(struct save *s);

/* The snapshot has arrived: tells the caller what was written, and the table what it was saved
 * as. */
void save_end(struct save *s, const char *reason);

#endif
