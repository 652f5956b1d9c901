/* Comms: the ranks of a table, and exchanges between them that end within a limit. */
#ifndef ROOST_SHARDING_COMM_H
#define ROOST_SHARDING_COMM_H

#include "api/collective.h"

/* A piece of memory of a machine, or of its host. */
struct memory {
    void *at;
    size_t bytes;
};

/* Makes room for that many bytes.  What was there is lost. */
roost_status memory_grow(struct backend *b, struct memory *memory, size_t bytes);

enum { GATHER_MOST = 256 /* bytes of a rank */ };

struct comm {
    roost_comm base; /* first: the caller's handle */
    roost_comm_operations operations;
    roost_comm_limits limits;
    char device[32]; /* of the rank's tables; "": that of their configurations */
    uint64_t tables; /* made with this comm so far: the number of the next one */
    bool dead;       /* after a failure */
    /* For each rank, of the exchange that is under way: */
    const void **send;
    void **receive;
    size_t *send_bytes, *receive_bytes;
    char *gathered; /* GATHER_MOST bytes of each rank */
    /* For each rank, of a batch's round: items to it, and from it; words of the split, one more. */
    uint64_t *to, *from, *words;
};

static inline struct comm *comm_of(roost_comm *c) { return (struct comm *)c; }
static inline int comm_rank(const struct comm *c) { return c->operations.rank; }
static inline int comm_ranks(const struct comm *c) { return c->operations.ranks; }

/* Makes a comm.  Takes over the transport on success. */
roost_status comm_make(struct comm **comm, const roost_comm_operations *operations, const roost_comm_limits *limits,
                       const char *device, struct error *error);

/* Carries out the exchange that the comm's arrays describe.  arrives: it is a call's first one, for
 * which others may come late.
 * ROOST_ERR_COMM: it failed, or did not end within the comm's limit; the comm is dead then. */
roost_status comm_exchange(struct comm *c, bool arrives, struct error *error);

/* Sends `bytes` <= GATHER_MOST bytes to every rank.  *all: those of all ranks, one after another,
 * until the next exchange. */
roost_status comm_gather(struct comm *c, const void *mine, size_t bytes, bool arrives, const void **all, struct error *error);

/* Ends a comm after a failure. */
void comm_kill(struct comm *c);

extern const struct collective_calls sharding_calls;

#endif
