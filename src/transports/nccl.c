/* The transport between GPUs: NCCL's sends and receives, in one group for each exchange.
 *
 * NCCL is loaded when it is asked for (libnccl.so.2), and only pointers and integers cross, so
 * neither its header nor the library is needed to build.  Messages in host memory pass through
 * memory of the transport on the GPU.  An exchange has ended once a mark behind it on the stream
 * has been reached.  NCCL reports errors of other ranks when it is asked (ncclCommGetAsyncError),
 * and does not end by itself after them. */
#include "comms/comm.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of nccl.h, which are the same in all versions since 2.18. */
enum { NCCL_SUCCESS = 0, NCCL_IN_PROGRESS = 7, NCCL_CHAR = 0, NCCL_LEAST_VERSION = 21800 };
typedef void *nccl_comm;

/* Each function that is used, with its result and arguments. */
#define NCCL_FUNCTIONS(X)                                                                                                          \
    X(GetVersion, int, (int *version))                                                                                             \
    X(CommSplit, int, (nccl_comm comm, int color, int key, nccl_comm *made, void *config))                                         \
    X(CommCount, int, (nccl_comm comm, int *ranks))                                                                                \
    X(CommUserRank, int, (nccl_comm comm, int *rank))                                                                              \
    X(CommCuDevice, int, (nccl_comm comm, int *device))                                                                            \
    X(CommGetAsyncError, int, (nccl_comm comm, int *error))                                                                        \
    X(CommAbort, int, (nccl_comm comm))                                                                                            \
    X(CommDestroy, int, (nccl_comm comm))                                                                                          \
    X(GroupStart, int, (void))                                                                                                     \
    X(GroupEnd, int, (void))                                                                                                       \
    X(Send, int, (const void *from, size_t n, int type, int peer, nccl_comm comm, void *stream))                                   \
    X(Recv, int, (void *to, size_t n, int type, int peer, nccl_comm comm, void *stream))

struct functions {
#define MEMBER(name, result, arguments) result(*name) arguments;
    NCCL_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* What an exchange waits for. */
enum state { ENQUEUES, RUNS, ENDED };

struct transport {
    struct functions nccl;
    nccl_comm comm; /* the duplicate */
    struct backend *b;
    struct error error; /* the backend's */
    int rank, ranks;
    const roost_comm_exchange *exchange; /* that is under way */
    enum state state;
    bool staged; /* its messages lie in host memory, which the device does not reach */
    /* On the device: messages in host memory pass through it. */
    struct memory sent, received;
    bool aborted;
};

/* ---- Exchanges ------------------------------------------------------------------------------- */

/* The thread's calls are for the transport's device from now on. */
static roost_status on_device(struct transport *t) { return t->b->operations->begin(t->b, NULL, true); }

static size_t sum_of(const size_t *bytes, int n)
{
    size_t sum = 0;
    for (int i = 0; i < n; i++) sum += bytes[i];
    return sum;
}

/* Messages of an exchange lie all on one side. */
static bool is_staged(const struct transport *t, const roost_comm_exchange *e)
{
    if (t->b->operations->machine != MACHINE_CUDA) return false;
    for (int r = 0; r < t->ranks; r++) {
        const void *const some = e->send_bytes[r] ? e->send[r] : e->receive_bytes[r] ? e->receive[r] : NULL;
        if (some) return t->b->operations->locate(t->b, some) == ROOST_SPACE_HOST;
    }
    return false;
}

/* Where messages from and to rank r lie on the device; each behind those of the ranks before. */
struct places {
    const char *send;
    char *receive;
};
static struct places places_of(const struct transport *t, int r, size_t sent, size_t received)
{
    const roost_comm_exchange *const e = t->exchange;
    const struct places direct = {(const char *)e->send[r], (char *)e->receive[r]};
    const struct places staged = {(const char *)t->sent.at + sent, (char *)t->received.at + received};
    return t->staged ? staged : direct;
}

/* Copies what is sent to the device, and this rank's message to itself. */
static bool messages_bring(struct transport *t)
{
    const roost_comm_exchange *const e = t->exchange;
    roost_status status = ROOST_OK;
    size_t sent = 0, received = 0;
    for (int r = 0; !status && r < t->ranks; r++) {
        const size_t bytes = e->send_bytes[r];
        const struct places p = places_of(t, r, sent, received);
        if (t->staged && bytes) status = t->b->operations->copy(t->b, (void *)(uintptr_t)p.send, e->send[r], bytes);
        if (!status && r == t->rank && bytes) status = t->b->operations->copy(t->b, p.receive, p.send, bytes);
        sent += bytes, received += e->receive_bytes[r];
    }
    return !status;
}

/* One group.  Pairs of ranks that send nothing to each other are left out by both. */
static bool messages_start(struct transport *t)
{
    const roost_comm_exchange *const e = t->exchange;
    int result = t->nccl.GroupStart();
    size_t sent = 0, received = 0;
    for (int r = 0; r < t->ranks && result == NCCL_SUCCESS; r++) {
        const struct places p = places_of(t, r, sent, received);
        if (r != t->rank && e->send_bytes[r]) result = t->nccl.Send(p.send, e->send_bytes[r], NCCL_CHAR, r, t->comm, t->b->stream);
        if (result == NCCL_SUCCESS && r != t->rank && e->receive_bytes[r])
            result = t->nccl.Recv(p.receive, e->receive_bytes[r], NCCL_CHAR, r, t->comm, t->b->stream);
        sent += e->send_bytes[r], received += e->receive_bytes[r];
    }
    const int ended = t->nccl.GroupEnd();
    return result == NCCL_SUCCESS && (ended == NCCL_SUCCESS || ended == NCCL_IN_PROGRESS);
}

static int transport_start(void *context, const roost_comm_exchange *e)
{
    struct transport *const t = (struct transport *)context;
    if (e->send_bytes[t->rank] != e->receive_bytes[t->rank] || on_device(t)) return 1;
    t->exchange = e;
    t->state = ENQUEUES;
    t->staged = is_staged(t, e);
    if (t->staged && memory_grow(t->b, &t->sent, sum_of(e->send_bytes, t->ranks))) return 1;
    if (t->staged && memory_grow(t->b, &t->received, sum_of(e->receive_bytes, t->ranks))) return 1;
    return !messages_bring(t) || !messages_start(t);
}

/* Copies what has arrived from the device. */
static bool messages_deliver(struct transport *t)
{
    const roost_comm_exchange *const e = t->exchange;
    roost_status status = ROOST_OK;
    size_t received = 0;
    for (int r = 0; !status && t->staged && r < t->ranks; r++) {
        const size_t bytes = e->receive_bytes[r];
        if (bytes) status = t->b->operations->copy(t->b, e->receive[r], places_of(t, r, 0, received).receive, bytes);
        received += bytes;
    }
    return !status && (!t->staged || !t->b->operations->wait(t->b));
}

static int transport_test(void *context, int *done)
{
    struct transport *const t = (struct transport *)context;
    uint64_t mark;
    int error = NCCL_SUCCESS;
    if (t->nccl.CommGetAsyncError(t->comm, &error) != NCCL_SUCCESS) return 1;
    if (error != NCCL_SUCCESS && error != NCCL_IN_PROGRESS) return 1;
    if (t->state == ENQUEUES && error == NCCL_SUCCESS) {
        if (backend_snapshot(t->b, t->sent.at, sizeof mark)) return 1;
        t->state = RUNS;
    }
    if (t->state == RUNS && (!t->b->operations->enqueues || backend_arrived(t->b, t->sent.at, &mark, sizeof mark))) {
        if (!messages_deliver(t)) return 1;
        t->state = ENDED;
    }
    *done = t->state == ENDED;
    return 0;
}

static void transport_abort(void *context)
{
    struct transport *const t = (struct transport *)context;
    t->aborted = true;
    (void)t->nccl.CommAbort(t->comm);
}

static void transport_free(void *context)
{
    struct transport *const t = (struct transport *)context;
    if (t->comm && !t->aborted) (void)t->nccl.CommDestroy(t->comm);
    if (t->b) {
        (void)on_device(t); /* a failed device must not prevent the release */
        backend_release(t->b, t->sent.at, t->sent.bytes);
        backend_release(t->b, t->received.at, t->received.bytes);
        backend_close(t->b);
    }
    free(t);
}

/* ---- Making ---------------------------------------------------------------------------------- */

static roost_status failed(const char *call, int result)
{
    return error_set(thread_error(), ROOST_ERR_COMM, "roost_comm_from_nccl: nccl%s returned %d", call, result);
}

/* The library stays loaded: the caller's communicator is of it. */
static roost_status functions_load(struct functions *f)
{
    void *const library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
    int version = 0;
    if (!library) return error_set(thread_error(), ROOST_ERR_UNSUPPORTED, "roost_comm_from_nccl: %s", dlerror());
#define LOAD(name, result, arguments)                                                                                              \
    *(void **)(void *)&f->name = dlsym(library, "nccl" #name);                                                                     \
    if (!f->name) return error_set(thread_error(), ROOST_ERR_UNSUPPORTED, "libnccl.so.2 has no nccl" #name);
    NCCL_FUNCTIONS(LOAD)
#undef LOAD
    if (f->GetVersion(&version) == NCCL_SUCCESS && version >= NCCL_LEAST_VERSION) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_UNSUPPORTED, "libnccl.so.2 has version %d: it must be 2.18 (%d) or later", version,
                     NCCL_LEAST_VERSION);
}

/* A communicator whose calls do not wait may still be on its way. */
static roost_status duplicate(struct transport *t, nccl_comm from)
{
    const struct timespec little = {0, 100000};
    int result = t->nccl.CommUserRank(from, &t->rank), made = NCCL_SUCCESS;
    if (result == NCCL_SUCCESS) result = t->nccl.CommCount(from, &t->ranks);
    if (result != NCCL_SUCCESS) return failed("CommUserRank or ncclCommCount", result);
    result = t->nccl.CommSplit(from, 0, t->rank, &t->comm, NULL);
    while (result == NCCL_IN_PROGRESS) {
        nanosleep(&little, NULL);
        if (t->nccl.CommGetAsyncError(from, &result) != NCCL_SUCCESS) result = -1;
    }
    if (result == NCCL_SUCCESS && t->comm) result = t->nccl.CommGetAsyncError(t->comm, &made);
    return result == NCCL_SUCCESS && t->comm ? ROOST_OK : failed("CommSplit", result);
}

/* The device of the communicator, and the first memory of its messages. */
static roost_status device_open(struct transport *t, char *device, size_t bytes)
{
    roost_config config;
    int ordinal = -1;
    const int result = t->nccl.CommCuDevice(t->comm, &ordinal);
    if (result != NCCL_SUCCESS) return failed("CommCuDevice", result);
    if (ordinal < 0) snprintf(device, bytes, "host"); /* one that works without GPUs */
    else snprintf(device, bytes, "cuda:%d", ordinal);
    memset(&config, 0, sizeof config);
    config.device = device;
    roost_status status = backend_open(&t->b, &config, &t->error);
    if (!status) status = on_device(t);
    if (!status) status = memory_grow(t->b, &t->sent, sizeof(uint64_t));
    if (status) *thread_error() = t->error;
    return status;
}

ROOST_EXPORT roost_status roost_comm_from_nccl(roost_comm **comm, void *nccl, const roost_comm_limits *limits)
{
    struct comm *made = NULL;
    char device[32];
    if (!comm || !nccl) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_comm_from_nccl: an argument is NULL");
    *comm = NULL;
    struct transport *const t = (struct transport *)calloc(1, sizeof *t);
    if (!t) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for a comm");
    roost_status status = functions_load(&t->nccl);
    if (!status) status = duplicate(t, nccl);
    if (!status) status = device_open(t, device, sizeof device);
    const roost_comm_operations operations = {
        sizeof operations, t, t->rank, t->ranks, transport_start, transport_test, transport_abort, transport_free, 1};
    if (!status) status = comm_make(&made, &operations, limits, device, thread_error());
    if (status) transport_free(t);
    else *comm = &made->base;
    return status;
}
