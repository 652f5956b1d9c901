/* A table's part in its comm: what the ranks agree on before each call. */
#ifndef ROOST_COMMS_GROUP_H
#define ROOST_COMMS_GROUP_H

#include "comms/peers.h"

struct group {
    struct table_group base; /* first: the table's handle */
    struct comm *comm;
    uint64_t number;                      /* of the table, in its comm */
    uint64_t owners[2];                   /* the secret of owner_of (portable/owner.h) */
    bool agreed;                          /* all ranks make the table */
    struct memory own_spare, owned_spare; /* of a round of few items */
    struct peers *peers;                  /* ranks use each other's memory; NULL: they do not */
    struct team *team;                    /* of a handle with several devices; else NULL */
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
    uint64_t refuses;  /* its arguments are wrong: only `of` and `table` count */
};

/* What follows of it for all ranks. */
struct agreed {
    uint64_t most;     /* items of a rank */
    uint64_t room;     /* items of a round that all ranks have memory for */
    uint64_t statuses; /* a rank wants those of its items */
    int under_way;     /* rounds at a time */
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
