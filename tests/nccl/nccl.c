/* A stand-in for libnccl.so.2, for machines without GPUs: the functions that roost_comm_from_nccl
 * uses, and those that make a communicator, over shared memory.  Ranks are threads or processes.
 *
 * Each ordered pair of ranks has a pipe in the communicator's memory.  A group's sends and receives
 * are queued, and move on whenever somebody asks for the communicator's state, as in a communicator
 * of NCCL whose calls do not wait.  Buffers lie in host memory, so the device is -1.
 *
 * STANDIN_FAIL=k: the k-th group of rank 1 ends with an error.
 * STANDIN_VERSION=n: the version that it has. */
#include "nccl.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS = 16, PIPE = 1 << 16, QUEUE = 2 * RANKS, NAME = 256 };

/* Bytes that one rank sends to another.  The sender alone writes `sent`, the receiver `taken`. */
struct pipe {
    _Atomic uint64_t sent, taken;
    char bytes[PIPE];
};

struct shared {
    _Atomic int aborted;
    struct pipe pipe[RANKS][RANKS];
};

struct message {
    int peer;
    bool sends;
    char *at;
    size_t left;
};

struct ncclComm {
    char name[NAME];
    int rank, ranks, splits, groups;
    struct shared *shared;
    struct message queue[QUEUE];
    int queued;
    bool failed;
};

/* The group that a thread is in, and its communicator. */
static _Thread_local struct ncclComm *grouped;

static struct shared *shared_map(const char *name)
{
    const int file = shm_open(name, O_CREAT | O_RDWR, 0600);
    void *const memory = file >= 0 && !ftruncate(file, sizeof(struct shared))
                             ? mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                             : MAP_FAILED;
    if (file >= 0) close(file);
    return memory == MAP_FAILED ? NULL : (struct shared *)memory;
}

static ncclResult_t comm_make(ncclComm_t *made, const char *name, int rank, int ranks)
{
    struct ncclComm *const c = (struct ncclComm *)calloc(1, sizeof *c);
    if (!c || ranks > RANKS) return ncclSystemError;
    snprintf(c->name, sizeof c->name, "%.200s", name);
    c->rank = rank;
    c->ranks = ranks;
    c->shared = shared_map(name);
    *made = c;
    return c->shared ? ncclSuccess : ncclSystemError;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    static _Atomic int made;
    snprintf(id->internal, sizeof id->internal, "/roost-nccl-%ld-%d", (long)getpid(), atomic_fetch_add(&made, 1));
    return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    return comm_make(comm, id.internal, rank, ranks);
}

ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made, void *config)
{
    char name[NAME + 16];
    (void)color, (void)key, (void)config;
    snprintf(name, sizeof name, "%.200s-%d", comm->name, comm->splits++);
    return comm_make(made, name, comm->rank, comm->ranks);
}

ncclResult_t ncclGetVersion(int *version)
{
    const char *const given = getenv("STANDIN_VERSION");
    *version = given ? atoi(given) : 22700;
    return ncclSuccess;
}

ncclResult_t ncclCommCount(ncclComm_t comm, int *ranks) { return *ranks = comm->ranks, ncclSuccess; }
ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank) { return *rank = comm->rank, ncclSuccess; }
ncclResult_t ncclCommCuDevice(ncclComm_t comm, int *device) { return (void)comm, *device = -1, ncclSuccess; }

/* The names go with the first rank that leaves: the others have the memory mapped. */
ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
    (void)shm_unlink(comm->name);
    munmap(comm->shared, sizeof *comm->shared);
    free(comm);
    return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
    atomic_store(&comm->shared->aborted, 1);
    return ncclCommDestroy(comm);
}

ncclResult_t ncclGroupStart(void)
{
    grouped = NULL;
    return ncclSuccess;
}

static ncclResult_t message_add(ncclComm_t comm, int peer, bool sends, char *at, size_t n)
{
    grouped = comm;
    if (comm->queued == QUEUE) return ncclInternalError;
    comm->queue[comm->queued++] = (struct message){peer, sends, at, n};
    return ncclSuccess;
}

ncclResult_t ncclSend(const void *from, size_t n, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)
{
    (void)type, (void)stream;
    return message_add(comm, peer, true, (char *)(uintptr_t)from, n);
}

ncclResult_t ncclRecv(void *to, size_t n, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)
{
    (void)type, (void)stream;
    return message_add(comm, peer, false, (char *)to, n);
}

ncclResult_t ncclGroupEnd(void)
{
    const char *const fail = getenv("STANDIN_FAIL");
    if (!grouped) return ncclSuccess;
    grouped->groups++;
    if (fail && grouped->rank == 1 % grouped->ranks && atoi(fail) == grouped->groups) grouped->failed = true;
    return grouped->queued ? ncclInProgress : ncclSuccess;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Moves as much of a message as the pipe lets through. */
static void message_move(struct ncclComm *c, struct message *m)
{
    struct pipe *const p = m->sends ? &c->shared->pipe[c->rank][m->peer] : &c->shared->pipe[m->peer][c->rank];
    const uint64_t sent = atomic_load_explicit(&p->sent, memory_order_acquire),
                   taken = atomic_load_explicit(&p->taken, memory_order_acquire);
    const uint64_t at = m->sends ? sent : taken;
    const size_t there = m->sends ? PIPE - (size_t)(sent - taken) : (size_t)(sent - taken);
    const size_t n = least(least(there, m->left), (size_t)(PIPE - at % PIPE));
    if (m->sends) memcpy(p->bytes + at % PIPE, m->at, n);
    else memcpy(m->at, p->bytes + at % PIPE, n);
    atomic_store_explicit(m->sends ? &p->sent : &p->taken, at + n, memory_order_release);
    m->at += n;
    m->left -= n;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    size_t left = 0;
    for (int i = 0; i < comm->queued; i++) {
        message_move(comm, &comm->queue[i]);
        left += comm->queue[i].left;
    }
    if (!left) comm->queued = 0;
    *error = left ? ncclInProgress : ncclSuccess;
    if (comm->failed || (left && atomic_load(&comm->shared->aborted))) *error = ncclRemoteError;
    return ncclSuccess;
}
