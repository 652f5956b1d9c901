/* Comms: the ranks of a table, and exchanges between them that end within a limit. */
#ifndef ROOST_COMMS_COMM_H
#define ROOST_COMMS_COMM_H

#include "api/collective.h"
#include "batches/batches_items.h"

/* A piece of memory of a machine, or of its host. */
struct memory {
    void *at;
    size_t bytes;
};

/* Makes room for that many bytes.  What was there is lost. */
roost_status memory_grow(struct backend *b, struct memory *memory, size_t bytes);

/* What an owner says to a rank before it gets its items: whether it has room (a roost_status), and
 * where, in its own addresses.  base, name: of the memory that contains it, for other processes;
 * serial: it differs from that of memory before it. */
struct grant {
    uint64_t status;
    struct columns columns;
    uint64_t base, serial;
    char name[SHARED_NAME];
};

enum { GATHER_MOST = 256 /* bytes of a rank */, ROUNDS = 2 };

struct comm {
    roost_comm base; /* first: the caller's handle */
    roost_comm_operations operations;
    roost_comm_limits limits;
    char device[32]; /* of the rank's tables; "": that of their configurations */
    uint64_t tables; /* made with this comm so far: the number of the next one */
    bool dead;       /* after a failure */
    bool waits;      /* calls on its tables return when their work has ended */
    /* For each rank, of the exchange that is under way: */
    roost_comm_exchange exchange; /* these arrays */
    const void **send;
    void **receive;
    size_t *send_bytes, *receive_bytes;
    char *gathered; /* GATHER_MOST bytes of each rank */
    /* For each rank, what it grants and is granted; and, for each of the ROUNDS that may be under
     * way: items to it, and from it; words of the split, two more; where its items go. */
    struct grant *grants, *granted;
    uint64_t *to, *from, *words;
    struct travel_end *ends;
    /* NULL, or of threads of one process: work uses memory of other ranks from `enter` to `leave`;
     * enter is false once one has given up.  quiet waits until all have left. */
    bool (*enter)(void *context);
    void (*leave)(void *context);
    void (*quiet)(void *context);
};

static inline struct comm *comm_of(roost_comm *c) { return (struct comm *)c; }
static inline int comm_rank(const struct comm *c) { return c->operations.rank; }
static inline int comm_ranks(const struct comm *c) { return c->operations.ranks; }

/* Makes a comm.  Takes over the transport on success. */
roost_status comm_make(struct comm **comm, const roost_comm_operations *operations, const roost_comm_limits *limits,
                       const char *device, struct error *error);

/* Carries out the exchange that the comm's arrays describe, of host memory.  arrives: it is a
 * call's first one, for which others may come late.
 * ROOST_ERR_COMM: it failed, or did not end within the comm's limit; the comm is dead then. */
roost_status comm_exchange(struct comm *c, bool arrives, struct error *error);
/* The same in two parts, with other work between them.  device: the messages lie in the memory of a
 * GPU. */
roost_status comm_start(struct comm *c, bool device, struct error *error);
roost_status comm_finish(struct comm *c, bool arrives, struct error *error);

/* Sends `bytes` <= GATHER_MOST bytes to every rank.  *all: those of all ranks, one after another,
 * until the next exchange. */
roost_status comm_gather(struct comm *c, const void *mine, size_t bytes, bool arrives, const void **all, struct error *error);

/* Ends a comm after a failure. */
void comm_kill(struct comm *c);

extern const struct collective_calls sharding_calls;

#endif
