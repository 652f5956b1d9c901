/* The transport between processes: messages by MPI's calls that do not wait.
 *
 * Messages in host memory pass through memory of the transport.  A rank may give up while messages
 * are on their way (roost_comm_limits): MPI may read or write that memory later yet, and the
 * caller's has been freed by then.
 *
 * Messages in the memory of a GPU, where MPI takes them, are sent from it and received into it.  A
 * rank that gives up cancels what it receives.  A message that has begun to arrive cannot be
 * cancelled: it may write the round's memory on the GPU, and MPI may read what it sends there,
 * until the process ends. */
#include "roost/mpi.h"

/* Open MPI declares there what it can do beyond the standard. */
#ifdef __has_include
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A message of more bytes goes in pieces: MPI counts in int. */
enum { PIECE = 1 << 30 };

struct transport {
    MPI_Comm comm;
    int rank, ranks;
    const roost_comm_exchange *exchange; /* that is under way */
    char *sent, *received;
    size_t sent_room, received_room;
    MPI_Request *requests;
    int n, room;  /* requests */
    int receives; /* of them, which come first */
    bool direct;  /* the exchange's messages lie in the memory of a GPU */
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

/* A rank's messages to itself are copied, except those in the memory of a GPU. */
static bool is_sent(const struct transport *t, int r) { return t->direct || r != t->rank; }

/* Room for all messages that are sent, and for their requests. */
static bool rooms_make(struct transport *t, const roost_comm_exchange *e)
{
    size_t sent = 0, received = 0;
    int n = 0;
    for (int r = 0; r < t->ranks; r++) {
        if (!is_sent(t, r)) continue;
        if (!t->direct) sent += e->send_bytes[r], received += e->receive_bytes[r];
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

static int receives_start(struct transport *t, const roost_comm_exchange *e)
{
    size_t received = 0;
    int failed = 0;
    for (int r = 0; r < t->ranks && !failed; r++) {
        if (!is_sent(t, r)) continue;
        failed = pieces_start(t, false, r, t->direct ? (char *)e->receive[r] : t->received + received, e->receive_bytes[r]);
        received += e->receive_bytes[r];
    }
    t->receives = t->n;
    return failed;
}

static int sends_start(struct transport *t, const roost_comm_exchange *e)
{
    size_t sent = 0;
    int failed = 0;
    for (int r = 0; r < t->ranks && !failed; r++) {
        if (!is_sent(t, r)) continue;
        if (e->send_bytes[r] && !t->direct) memcpy(t->sent + sent, e->send[r], e->send_bytes[r]);
        failed = pieces_start(t, true, r, t->direct ? (char *)(uintptr_t)e->send[r] : t->sent + sent, e->send_bytes[r]);
        sent += e->send_bytes[r];
    }
    return failed;
}

/* Receives come first, so that messages find their places. */
static int transport_start(void *context, const roost_comm_exchange *e)
{
    struct transport *const t = (struct transport *)context;
    t->exchange = e;
    t->direct = e->device;
    t->n = t->receives = 0;
    if (e->send_bytes[t->rank] != e->receive_bytes[t->rank] || !rooms_make(t, e)) return 1;
    return receives_start(t, e) || sends_start(t, e);
}

/* Brings what has arrived to its places. */
static void deliver(const struct transport *t)
{
    const roost_comm_exchange *const e = t->exchange;
    size_t at = 0;
    for (int r = 0; r < t->ranks && !t->direct; r++) {
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

/* Its memory stays: messages may be on their way.  The memory of a GPU does not, so what would
 * arrive there is cancelled.  MPI need not be able to cancel what is sent. */
static void transport_abort(void *context)
{
    struct transport *const t = (struct transport *)context;
    t->aborted = true;
    for (int i = 0; t->direct && i < t->receives; i++) {
        if (t->requests[i] == MPI_REQUEST_NULL) continue; /* it has ended */
        (void)MPI_Cancel(&t->requests[i]);
        (void)MPI_Request_free(&t->requests[i]);
    }
}

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

/* Does MPI take the memory of GPUs, in this process?  A build of it that can may be told not to. */
static int takes_gpus(void)
{
    int takes = 0;
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    takes = MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA) /* MPICH */
    if (MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes) != MPI_SUCCESS) takes = 0;
#endif
    return takes;
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
        sizeof operations, t, t->rank, t->ranks, transport_start, transport_test, transport_abort, transport_free, takes_gpus()};
    const roost_status status = roost_comm_custom(comm, &operations, limits);
    if (status) transport_free(t);
    return status;
}
