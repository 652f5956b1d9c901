/* Writes the blocks of a snapshot. */
#ifndef ROOST_SNAPSHOTS_WRITER_H
#define ROOST_SNAPSHOTS_WRITER_H

#include "roost/snapshot.h"
#include "snapshots/snapshot_format.h"
#include "snapshots/snapshot_zstd.h"

struct writer {
    roost_write_function *write;
    void *context;
    /* A path, for messages; then `write` returns an errno.  NULL: the caller's function. */
    const char *to;
    const struct zstd *zstd; /* NULL: blocks are not compressed */
    int level;
    uint64_t id;
    struct totals totals;
    uint64_t bytes;
    struct error *error;
};

/* A block that is ready to be written: its frame, and the bytes behind it. */
struct ready_block {
    struct frame frame;
    const void *raw;
    void *packed; /* room for `packed_room` bytes; 0: none */
    size_t packed_room;
};

/* Makes a block of frame.kind, flags, items and raw ready: compresses it where that makes it
 * smaller, and sums it up.  May run beside others of one writer. */
void block_prepare(const struct writer *w, struct ready_block *block);
/* Writes it, as the next one.  Returns: ROOST_ERR_IO. */
roost_status block_write(struct writer *w, struct ready_block *block);

/* Room that block_prepare needs to compress blocks of BLOCK_BYTES; 0: it does not compress. */
size_t packed_room_of(const struct writer *w);

/* Write the block HEADER twice, so that one may be damaged; END; and SHARDS of n shards. */
roost_status header_write(struct writer *w, const struct header *header);
roost_status end_write(struct writer *w);
roost_status shards_write(struct writer *w, const struct shard_entry *shards, uint32_t n);

#endif
