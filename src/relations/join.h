/* Joins as their files share them. */
#ifndef ROOST_RELATIONS_JOIN_H
#define ROOST_RELATIONS_JOIN_H

#include "relations/work.h"
#include "roost/join.h"

/* A piece of the machine's memory. */
struct piece_of_memory {
    void *at;
    size_t bytes;
};

struct roost_join {
    struct encoder keys;
    roost_join_how how;
    bool ordered;
    int row_bytes;
    uint64_t rows, probed; /* of the side that is built; of the other one, in batches that ended */
    bool closed;
    roost_status broken; /* of a build that failed half way: the join is of no use */
    /* Each row so far has the number that it has itself; else `numbers` has them. */
    bool identity;
    struct piece_of_memory numbers; /* 4 bytes of a row: its key's number, or ROW_NONE */
    /* Once it is built: unique: no number has two rows. */
    bool unique;
    struct piece_of_memory ends, row_of, met, words;
    struct work work;
    /* Of the probe rows at hand: places (8 bytes of a row, and one more), found, results. */
    struct piece_of_memory places, found, scratch, probe_out, build_out;
};

/* Makes room for that many bytes; keep: of those that are there. */
roost_status join_room(struct roost_join *j, struct piece_of_memory *p, size_t bytes, size_t keep, void *stream);
void join_release(struct roost_join *j, struct piece_of_memory *p);

/* Rows side by side by number, if they are not in that order. */
roost_status join_close(struct roost_join *j, void *stream);

#endif
