/* Reads the blocks of a snapshot, and believes nothing before it has checked it. */
#ifndef ROOST_SNAPSHOTS_READER_H
#define ROOST_SNAPSHOTS_READER_H

#include "roost/snapshot.h"
#include "snapshots/snapshot_format.h"

/* Memory that grows with what is read into it. */
struct growing {
    char *at;
    uint64_t room;
};

/* At the start all members are 0, except `read` to `error`. */
struct reader {
    roost_read_function *read;
    void *context;
    /* A path, for messages; then `read` returns an errno.  NULL: the caller's function. */
    const char *from;
    bool salvage; /* damaged blocks are left out */
    struct error *error;
    uint64_t id;
    uint64_t next; /* index of the next block */
    struct totals totals;
    struct header header;
    struct growing stored, unpacked;
    struct growing again;                /* a damaged block's bytes, of which */
    uint64_t again_at, again_end;        /* these come once more; */
    uint64_t returned;                   /* how many did, of all blocks */
    uint64_t bytes, lost, first_damaged; /* lost: blocks */
    bool ended;                          /* END has come */
};

/* A block's items, in memory of the reader until the next block is read. */
struct block {
    struct frame frame;
    const void *raw;
};

/* Reads the first block, and checks its header.
 * Returns: ROOST_ERR_ARGUMENT: this is no snapshot; else as roost_load_file. */
roost_status reader_begin(struct reader *r);

/* Reads the next block that is whole.  After END, whose totals are compared, `ended` is set, and
 * the block is of kind BLOCK_END.
 * Returns: ROOST_ERR_CORRUPT: the block is damaged, or the snapshot is cut off; with `salvage`
 * neither is an error, and the end of the file ends the snapshot, too. */
roost_status reader_next(struct reader *r, struct block *block);

/* Nothing follows END.  Returns: ROOST_ERR_CORRUPT. */
roost_status reader_at_end(struct reader *r);

/* The error of a block that is damaged. */
roost_status block_damaged(const struct reader *r, uint64_t index, const char *what);

void reader_release(struct reader *r);
/* With `salvage`: blocks from this one on are damaged or missing. */
void reader_lose(struct reader *r, uint64_t index, uint64_t blocks);

#endif
