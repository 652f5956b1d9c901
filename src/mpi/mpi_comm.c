/* The transport between processes: messages by MPI's calls that do not wait.
 *
 * Messages pass through memory of the transport.  A rank may give up while messages are on their
 * way (roost_comm_limits): MPI may read or write that memory later yet, and the caller's has been
 * freed by then. */
#include "roost/mpi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A message of more bytes goes in pieces: MPI counts in int. */
enum { PIECE = 1 << 30 };

struct transport {
    MPI_Comm comm;
    int rank, ranks;
    const roost_exchange *exchange; /* that is under way */
    char *sent, *received;
    size_t sent_room, received_room;
    MPI_Request *requests;
    int n, room; /* requests */
    bool aborted;
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static bool memory_make(char **memory, size_t *room, size_t bytes)
{
    if (bytes <= *room) return true;
    char *const more = (char *)malloc(bytes);
    if (!more) return false;
    free(*memory);
    *memory = more;
    *room = bytes;
    return true;
}

static int pieces_of(size_t bytes) { return (int)(bytes / PIECE + (bytes % PIECE != 0)); }

static bool requests_make(struct transport *t, int n)
{
    if (n <= t->room) return true;
    MPI_Request *const more = (MPI_Request *)malloc((size_t)n * sizeof *more);
    if (!more) return false;
    free(t->requests);
    t->requests = more;
    t->room = n;
    return true;
}

/* Room for all messages, but those of this rank to itself, and for their requests. */
static bool rooms_make(struct transport *t, const roost_exchange *e)
{
    size_t sent = 0, received = 0;
    int n = 0;
    for (int r = 0; r < t->ranks; r++) {
        if (r == t->rank) continue;
        sent += e->send_bytes[r], received += e->receive_bytes[r];
        n += pieces_of(e->send_bytes[r]) + pieces_of(e->receive_bytes[r]);
    }
    return memory_make(&t->sent, &t->sent_room, sent) && memory_make(&t->received, &t->received_room, received) &&
           requests_make(t, n);
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

/* Begins a message's pieces, to or from `peer`. */
static int pieces_start(struct transport *t, bool sends, int peer, char *message, size_t bytes)
{
    int failed = 0;
    for (size_t at = 0; at < bytes && !failed; at += PIECE) {
        const int n = bytes - at < PIECE ? (int)(bytes - at) : PIECE;
        MPI_Request *const request = &t->requests[t->n];
        failed = (sends ? MPI_Isend(message + at, n, MPI_BYTE, peer, 0, t->comm, request)
                        : MPI_Irecv(message + at, n, MPI_BYTE, peer, 0, t->comm, request)) != MPI_SUCCESS;
        t->n += !failed;
    }
    return failed;
}

/* Receives come first, so that messages find their places. */
static int transport_start(void *context, const roost_exchange *e)
{
    struct transport *const t = (struct transport *)context;
    size_t sent = 0, received = 0;
    int failed = e->send_bytes[t->rank] != e->receive_bytes[t->rank] || !rooms_make(t, e);
    t->exchange = e;
    t->n = 0;
    for (int r = 0; r < t->ranks && !failed; r++) {
        if (r == t->rank) continue;
        failed = pieces_start(t, false, r, t->received + received, e->receive_bytes[r]);
        received += e->receive_bytes[r];
    }
    for (int r = 0; r < t->ranks && !failed; r++) {
        if (r == t->rank) continue;
        if (e->send_bytes[r]) memcpy(t->sent + sent, e->send[r], e->send_bytes[r]);
        failed = pieces_start(t, true, r, t->sent + sent, e->send_bytes[r]);
        sent += e->send_bytes[r];
    }
    return failed;
}

/* Brings what has arrived to its places. */
static void deliver(const struct transport *t)
{
    const roost_exchange *const e = t->exchange;
    size_t at = 0;
    for (int r = 0; r < t->ranks; r++) {
        const size_t bytes = e->receive_bytes[r];
        if (bytes) memcpy(e->receive[r], r == t->rank ? (const char *)e->send[r] : t->received + at, bytes);
        at += r == t->rank ? 0 : bytes;
    }
}

static int transport_test(void *context, int *done)
{
    struct transport *const t = (struct transport *)context;
    if (MPI_Testall(t->n, t->requests, done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) return 1;
    if (*done) deliver(t);
    return 0;
}

/* Its memory stays: messages may be on their way. */
static void transport_abort(void *context) { ((struct transport *)context)->aborted = true; }

static void transport_free(void *context)
{
    struct transport *const t = (struct transport *)context;
    if (t->aborted) return;
    MPI_Comm_free(&t->comm);
    free(t->sent), free(t->received), free(t->requests);
    free(t);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* The duplicate reports its errors; the default ends the job. */
static bool duplicate(struct transport *t, MPI_Comm mpi)
{
    if (MPI_Comm_dup(mpi, &t->comm) != MPI_SUCCESS) return false;
    return MPI_Comm_set_errhandler(t->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS && MPI_Comm_rank(t->comm, &t->rank) == MPI_SUCCESS &&
           MPI_Comm_size(t->comm, &t->ranks) == MPI_SUCCESS;
}

ROOST_EXPORT roost_status roost_comm_from_mpi(roost_comm **comm, MPI_Comm mpi, const roost_comm_limits *limits)
{
    int initialised = 0;
    if (!comm) return ROOST_ERR_ARGUMENT;
    *comm = NULL;
    if (MPI_Initialized(&initialised) != MPI_SUCCESS || !initialised) return ROOST_ERR_ARGUMENT;
    struct transport *const t = (struct transport *)calloc(1, sizeof *t);
    if (!t) return ROOST_ERR_MEMORY;
    if (!duplicate(t, mpi)) {
        free(t);
        return ROOST_ERR_COMM;
    }
    const roost_comm_operations operations = {
        sizeof operations, t, t->rank, t->ranks, transport_start, transport_test, transport_abort, transport_free, 0};
    const roost_status status = roost_comm_custom(comm, &operations, limits);
    if (status) transport_free(t);
    return status;
}
