/* A table's part in its comm: what the ranks agree on before each call. */
#ifndef ROOST_COMMS_GROUP_H
#define ROOST_COMMS_GROUP_H

#include "comms/peers.h"

/* Arrays of a round's items. */
enum { KEYS, VALUES, OPERATIONS, STATUSES, ANSWERS, COLUMNS, SENT = STATUSES };

/* A column's items of a rank, by their owners; or of those that it owns.  far: the copy that the
 * transport sends and receives, if it takes no memory of a GPU; else NULL. */
struct side {
    char *near, *far;
};

/* Where items lie of which others are before. */
static inline struct columns columns_at(const int bytes[COLUMNS], const struct side side[COLUMNS], uint64_t before)
{
    void *at[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) at[c] = array_at(side[c].near, before, bytes[c]);
    const struct columns columns = {at[KEYS], at[VALUES], at[ANSWERS], (uint8_t *)at[OPERATIONS], (uint8_t *)at[STATUSES]};
    return columns;
}

/* Room at each owner for the keys of finds that are enqueued. */
struct posts {
    uint64_t room;             /* items of each rank */
    struct travel_end *ends;   /* where this rank's go */
    struct side side[COLUMNS]; /* those of all ranks that this one owns, and how many of each */
    const uint64_t *counts;
};

struct group {
    struct table_group base; /* first: the table's handle */
    struct comm *comm;
    uint64_t number;                      /* of the table, in its comm */
    uint64_t owners[2];                   /* the secret of owner_of (portable/owner.h) */
    bool agreed;                          /* all ranks make the table */
    struct memory own_spare, owned_spare; /* of a round of few items */
    struct posts posts;
    struct peers *peers; /* ranks use each other's memory; NULL: they do not */
    struct team *team;   /* of a handle with several devices; else NULL */
};

static inline struct group *group_of(const struct roost_table *t) { return (struct group *)(void *)t->group; }

/* What a rank says of its call.  The ranks' calls must be alike in the first members. */
struct said {
    uint64_t of, table, widths, flags;
    uint64_t number;   /* of a reservation: its keys */
    uint64_t n;        /* items */
    uint64_t room;     /* items for which it has memory at a time; UINT64_MAX: for all of them */
    uint64_t statuses; /* it wants those of its items */
    uint64_t overlap;  /* it has memory for two rounds at a time */
    uint64_t enqueues; /* its finds need not have ended when the call returns */
    uint64_t refuses;  /* its arguments are wrong: only `of` and `table` count */
};

/* What follows of it for all ranks. */
struct agreed {
    uint64_t most;     /* items of a rank */
    uint64_t room;     /* items of a round that all ranks have memory for */
    uint64_t statuses; /* a rank wants those of its items */
    int under_way;     /* rounds at a time */
    bool enqueues;     /* all ranks' do */
    uint64_t flags;    /* of a rank that does not refuse */
    uint64_t widths;
};

/* Learns what all ranks say.  ROOST_ERR_ARGUMENT: their calls differ. */
roost_status comm_agree(struct comm *c, const struct said *mine, struct agreed *agreed, struct error *error);
roost_status group_agree(struct roost_table *t, const struct said *mine, struct agreed *agreed);

/* Learns how all ranks fared.  ROOST_ERR_COMM: another rank failed, this one did not. */
roost_status group_vote(struct roost_table *t, roost_status mine);
/* The same, and how their shards fared with the items of a round: ROOST_OK, FULL or MEMORY.  *all:
 * until the next exchange. */
struct vote {
    uint32_t status, items;
};
roost_status group_votes(struct roost_table *t, roost_status mine, roost_status items, const struct vote **all);

/* Makes room for `most` finds of each rank (g->posts).  *all false: a rank has no memory for it. */
roost_status posts_agree(struct roost_table *t, uint64_t most, const int bytes[COLUMNS], bool *all);

/* Calls without items.  See struct collective_calls. */
roost_status group_whole(struct roost_table *t, enum collective of, uint64_t *number);
roost_status group_sum(struct roost_table *t, enum collective of, uint64_t *numbers, int n, roost_status own);

/* Items of which one rank gets no more than these of n, but by rare chance or for equal keys. */
uint64_t share_by_chance(uint64_t n, int ranks);

/* Where items stay that were sent to their owner (roost_scatter). */
struct delivery {
    void *keys, *payload;
    size_t room, count; /* items */
};

/* A call on items.  delivery: of COLLECTIVE_SCATTER alone; else NULL. */
roost_status sharded_rounds(struct roost_table *t, enum collective of, const struct batch *b, struct delivery *delivery,
                            const roost_call *call, roost_status arguments);

/* See struct collective_calls. */
roost_status sharded_batch(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                           roost_status arguments);

#endif
