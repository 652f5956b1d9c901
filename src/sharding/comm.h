/* Comms: the ranks of a table, and exchanges between them that end within a limit. */
#ifndef ROOST_SHARDING_COMM_H
#define ROOST_SHARDING_COMM_H

#include "api/collective.h"

struct comm {
    roost_comm base; /* first: the caller's handle */
    roost_comm_operations operations;
    roost_comm_limits limits;
    char device[32]; /* of the rank's tables; "": that of their configurations */
    uint64_t tables; /* made with this comm so far: the number of the next one */
    bool dead;       /* after a failure */
};

static inline struct comm *comm_of(roost_comm *c) { return (struct comm *)c; }
static inline int comm_rank(const struct comm *c) { return c->operations.rank; }
static inline int comm_ranks(const struct comm *c) { return c->operations.ranks; }

/* Makes a comm.  Takes over the transport on success. */
roost_status comm_make(struct comm **comm, const roost_comm_operations *operations, const roost_comm_limits *limits,
                       const char *device, struct error *error);

/* Carries out an exchange.  arrives: it is a call's first one, for which others may come late.
 * ROOST_ERR_COMM: it failed, or did not end within the comm's limit; the comm is dead then. */
roost_status comm_exchange(struct comm *c, const roost_exchange *exchange, bool arrives, struct error *error);

/* Sends `bytes` bytes to every rank.  *all: those of all ranks, one after another, in memory that
 * the caller frees; NULL on failure.  ROOST_ERR_MEMORY ends the comm, too. */
roost_status comm_gather(struct comm *c, const void *mine, size_t bytes, bool arrives, void **all, struct error *error);

/* Ends a comm after a failure. */
void comm_kill(struct comm *c);

extern const struct collective_calls sharding_calls;

#endif
