/* Tables that are spread over ranks: threads of one process, or whatever a caller's transport
 * connects.  Each rank has a shard of the table, and brings items of its own to each call.
 * Experimental: may change before 1.0.
 *
 *     roost_comm *comms[2];
 *     roost_comm_local(comms, 2, "host,host", NULL);
 *     (in a thread for each rank r:)
 *     config.comm = comms[r];
 *     roost_table_create(&table, &config);                    (all ranks, with equal ones)
 *     roost_insert(table, ROOST_ADD, keys, values, n, NULL);  (n differs between ranks, or is 0)
 *
 * Collective calls: roost_table_create, roost_insert, roost_find, roost_erase, roost_apply,
 * roost_table_reserve, roost_table_clear, roost_table_sync, roost_compact, roost_table_stats and
 * roost_table_check.  All ranks of a comm make them in one order, whatever the table.  A key is
 * stored by one of the ranks, and nobody needs to know by which: statuses and answers come back to
 * the rank and the place that asked.  A call's status is of the rank's own items; of inserts for
 * which no rank asks for statuses, it is of the shards that got the rank's items.  Calls that
 * differ between the ranks (another function, table, mode, flags or widths) end ROOST_ERR_ARGUMENT
 * on all of them, and do nothing.  A rank whose own arguments are wrong takes part without items.
 *
 * Work on a stream is ordered with it.  Finds of at most 2^23 items whose arrays lie on the ranks'
 * GPUs return before their work has ended, if the comm is of roost_comm_local; other work has ended
 * when a call returns.
 *
 * ROOST_ORDERED: the items of a rank take effect in its order, those of two ranks in any.
 * ROOST_LOCAL: a find looks only into the rank's own shard, and is not collective.
 * roost_table_stats adds the numbers of all shards.  roost_table_stat and roost_export are of the
 * rank's own shard, and not collective.  Capacity and reservations are of the whole table,
 * memory_limit is of a rank.  UNSUPPORTED: ROOST_MULTI, strings as keys, views, roost/merge.h,
 * exports in hash order, and streams that are captured. */
#ifndef ROOST_SHARDING_H
#define ROOST_SHARDING_H

#include "roost/roost.h"

#ifdef __cplusplus
extern "C" {
#endif

/* roost_call.flags of roost_find, for tables with a comm. */
#define ROOST_LOCAL 0x8u

/* The most ranks of a comm. */
#define ROOST_RANKS_MOST 4096

/* A rank of a group of ranks. */
typedef struct roost_comm roost_comm;

/* How long a comm waits.  Seconds; 0: without end. */
typedef struct roost_comm_limits {
    size_t size;     /* sizeof(roost_comm_limits) */
    double progress; /* for the others, once all have come to a call; default 30 */
    double arrival;  /* for the others to come to a call; default 0: one may read its file yet */
    int messages;    /* 1: ranks that reach each other's memory exchange messages, too; default 0 */
} roost_comm_limits;

#define ROOST_COMM_LIMITS_INIT                                                                     \
    {                                                                                              \
        sizeof(roost_comm_limits), 30, 0, 0                                                        \
    }

/* One message to each rank, itself included, and one from each.  Entry r of an array is of rank r.
 * A message of 0 bytes may have a NULL address. */
typedef struct roost_comm_exchange {
    const void *const *send;
    const size_t *send_bytes;
    void *const *receive;
    const size_t *receive_bytes; /* what the others send, which all know before */
    int device;                  /* 1: this rank's messages lie in the memory of a GPU */
} roost_comm_exchange;

/* A transport of the caller's.  The functions are called by the rank's thread alone, one at a time.
 * They return 0, or another number on failure, which ends the comm. */
typedef struct roost_comm_operations {
    size_t size; /* sizeof(roost_comm_operations) */
    void *context;
    int rank, ranks;
    /* Begins an exchange, in which all ranks take part.  One is under way at a time.  The arrays of
     * *exchange, and the memory that they name, stay as they are until it has ended. */
    int (*start)(void *context, const roost_comm_exchange *exchange);
    /* Makes progress, and does not wait.  *done becomes 1 once all messages of this rank have been
     * sent and received. */
    int (*test)(void *context, int *done);
    /* The comm is dead: an exchange that is under way will not be tested any more.  May be NULL. */
    void (*abort)(void *context);
    /* The comm is freed.  May be NULL. */
    void (*free)(void *context);
    /* 1: messages may also lie in the memory of GPUs (roost_comm_exchange.device).  0: tables on a
     * GPU copy theirs to the host. */
    int device;
} roost_comm_operations;

#define ROOST_COMM_OPERATIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(roost_comm_operations), NULL, 0, 1, NULL, NULL, NULL, NULL, 0                       \
    }

/* Makes the comms of `ranks` ranks of this process.  comms (ranks): one for each rank, which is
 * used by one thread at a time.  devices: the rank's devices, separated by commas, such as
 * "host,host"; a table's config.device is that of its rank.  limits NULL: the defaults.
 * Returns: ROOST_ERR_ARGUMENT: ranks is not 1 .. ROOST_RANKS_MOST, or not the number of devices;
 * ROOST_ERR_MEMORY. */
ROOST_EXPORT roost_status roost_comm_local(roost_comm **comms, int ranks, const char *devices,
                                           const roost_comm_limits *limits);

/* Makes a comm over the caller's transport.
 * Returns: ROOST_ERR_ARGUMENT: a function is missing, or rank or ranks is out of range. */
ROOST_EXPORT roost_status roost_comm_custom(roost_comm **comm,
                                            const roost_comm_operations *operations,
                                            const roost_comm_limits *limits);

/* Makes the comm of this rank of an NCCL communicator, whose ranks all call it: one thread or
 * process for each GPU.  nccl: an ncclComm_t.  The comm works on a duplicate (ncclCommSplit), and
 * its tables lie on the communicator's GPU.  NCCL (libnccl.so.2, 2.18 or later) is loaded by this
 * call.
 * Returns: ROOST_ERR_UNSUPPORTED: there is no such library; ROOST_ERR_COMM: NCCL failed;
 * ROOST_ERR_ARGUMENT; ROOST_ERR_MEMORY. */
ROOST_EXPORT roost_status roost_comm_from_nccl(roost_comm **comm, void *nccl,
                                               const roost_comm_limits *limits);

/* The comm's rank, and how many there are. */
ROOST_EXPORT int roost_comm_rank(const roost_comm *comm);
ROOST_EXPORT int roost_comm_ranks(const roost_comm *comm);

/* Sends n keys to the ranks that own them, with row numbers or other payload of 0, 4 or 8 bytes,
 * where they stay.  Collective.  keys_out, payload_out (room): what has arrived at this rank, whose
 * keys are all its own; *count: how many.  Finds of them with ROOST_LOCAL need no other rank.
 * Returns: ROOST_ERR_FULL: room is below *count, and the rest is lost; ROOST_ERR_UNSUPPORTED: the
 * table has no comm; and as roost_insert. */
ROOST_EXPORT roost_status roost_scatter(roost_table *table, const void *keys, const void *payload,
                                        int payload_bytes, size_t n, void *keys_out,
                                        void *payload_out, size_t room, size_t *count,
                                        const roost_call *call);

/* Frees a comm.  Its tables have been destroyed before; the other ranks may go on without it until
 * their next collective call.  NULL: does nothing. */
ROOST_EXPORT void roost_comm_free(roost_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
