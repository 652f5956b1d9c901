/* A table's part in its comm: what the ranks agree on before each call. */
#ifndef ROOST_SHARDING_GROUP_H
#define ROOST_SHARDING_GROUP_H

#include "sharding/comm.h"

struct group {
    struct table_group base; /* first: the table's handle */
    struct comm *comm;
    uint64_t number;    /* of the table, in its comm */
    uint64_t owners[2]; /* the secret key of the hash that chooses a key's owner */
    bool agreed;        /* all ranks make the table */
};

static inline struct group *group_of(const struct roost_table *t) { return (struct group *)(void *)t->group; }

/* What a rank says of its call.  The ranks' calls must be alike in the first members. */
struct said {
    uint64_t of, table, widths, flags;
    uint64_t number;  /* of a reservation: its keys */
    uint64_t n;       /* items */
    uint64_t refuses; /* its arguments are wrong: only `of` and `table` count */
};

/* What follows of it for all ranks. */
struct agreed {
    uint64_t most;  /* items of a rank */
    uint64_t flags; /* of a rank that does not refuse */
};

/* Learns what all ranks say.  ROOST_ERR_ARGUMENT: their calls differ. */
roost_status group_agree(struct roost_table *t, const struct said *mine, struct agreed *agreed);

/* Learns how all ranks fared.  ROOST_ERR_COMM: another rank failed, this one did not. */
roost_status group_vote(struct roost_table *t, roost_status mine);

/* The rank that stores a key. */
int group_owner(const struct group *g, const void *key, int key_bytes);

/* See struct collective_calls. */
roost_status sharded_batch(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                           roost_status arguments);

#endif
