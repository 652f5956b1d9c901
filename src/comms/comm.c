/* Comms over any transport, and how long they wait. */
#include "comms/comm.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Making ---------------------------------------------------------------------------------- */

static roost_status limits_read(const roost_comm_limits *from, roost_comm_limits *to, struct error *error)
{
    static const roost_comm_limits defaults = ROOST_COMM_LIMITS_INIT;
    *to = from ? *from : defaults;
    if (to->size != sizeof *to)
        return error_set(error, ROOST_ERR_ARGUMENT, "roost_comm_limits: size is %zu, and must be %zu", to->size, sizeof *to);
    if (to->progress >= 0 && to->arrival >= 0) return ROOST_OK;
    return error_set(error, ROOST_ERR_ARGUMENT, "limits of %g and %g seconds: they must not be negative", to->progress,
                     to->arrival);
}

static roost_status operations_check(const roost_comm_operations *o, struct error *error)
{
    if (o->size != sizeof *o)
        return error_set(error, ROOST_ERR_ARGUMENT, "roost_comm_operations: size is %zu, and must be %zu", o->size, sizeof *o);
    if (!o->start || !o->test) return error_set(error, ROOST_ERR_ARGUMENT, "a transport needs start and test");
    if (o->ranks >= 1 && o->ranks <= ROOST_RANKS_MOST && o->rank >= 0 && o->rank < o->ranks) return ROOST_OK;
    return error_set(error, ROOST_ERR_ARGUMENT, "rank %d of %d: there are 1 to %d ranks, numbered from 0", o->rank, o->ranks,
                     ROOST_RANKS_MOST);
}

static void comm_release(struct comm *c)
{
    free(c->send), free(c->receive), free(c->send_bytes), free(c->receive_bytes), free(c->gathered);
    free(c->to), free(c->from), free(c->words), free(c->grants), free(c->granted), free(c->ends);
    free(c);
}

/* A comm with room for its exchanges; NULL: no memory. */
static struct comm *comm_new(size_t ranks)
{
    struct comm *const c = (struct comm *)calloc(1, sizeof *c);
    if (!c) return NULL;
    c->send = (const void **)calloc(ranks, sizeof *c->send);
    c->receive = (void **)calloc(ranks, sizeof *c->receive);
    c->send_bytes = (size_t *)calloc(ranks, sizeof *c->send_bytes);
    c->receive_bytes = (size_t *)calloc(ranks, sizeof *c->receive_bytes);
    c->gathered = (char *)calloc(ranks, GATHER_MOST);
    c->to = (uint64_t *)calloc(ROUNDS * ranks, sizeof *c->to);
    c->from = (uint64_t *)calloc(ROUNDS * ranks, sizeof *c->from);
    c->words = (uint64_t *)calloc(ROUNDS * (ranks + 2), sizeof *c->words);
    c->grants = (struct grant *)calloc(ranks, sizeof *c->grants);
    c->granted = (struct grant *)calloc(ranks, sizeof *c->granted);
    c->ends = (struct travel_end *)calloc(ROUNDS * ranks, sizeof *c->ends);
    if (c->send && c->receive && c->send_bytes && c->receive_bytes && c->gathered && c->to && c->from && c->words && c->grants &&
        c->granted && c->ends)
        return c;
    comm_release(c);
    return NULL;
}

roost_status comm_make(struct comm **comm, const roost_comm_operations *operations, const roost_comm_limits *limits,
                       const char *device, struct error *error)
{
    roost_comm_limits own;
    roost_status status = operations_check(operations, error);
    if (!status) status = limits_read(limits, &own, error);
    if (status) return status;
    struct comm *const c = comm_new((size_t)operations->ranks);
    if (!c) return error_set(error, ROOST_ERR_MEMORY, "no memory for a comm of %d ranks", operations->ranks);
    c->base.calls = &sharding_calls;
    c->operations = *operations;
    c->limits = own;
    strncpy(c->device, device, sizeof c->device - 1);
    *comm = c;
    return ROOST_OK;
}

ROOST_EXPORT roost_status roost_comm_custom(roost_comm **comm, const roost_comm_operations *operations,
                                            const roost_comm_limits *limits)
{
    struct comm *made = NULL;
    if (!comm || !operations) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_comm_custom: an argument is NULL");
    *comm = NULL;
    const roost_status status = comm_make(&made, operations, limits, "", thread_error());
    if (!status) *comm = &made->base;
    return status;
}

ROOST_EXPORT int roost_comm_rank(const roost_comm *comm) { return ((const struct comm *)comm)->operations.rank; }
ROOST_EXPORT int roost_comm_ranks(const roost_comm *comm) { return ((const struct comm *)comm)->operations.ranks; }

ROOST_EXPORT void roost_comm_free(roost_comm *comm)
{
    if (!comm) return;
    const roost_comm_operations *const o = &comm_of(comm)->operations;
    if (o->free) o->free(o->context);
    comm_release(comm_of(comm));
}

roost_status memory_grow(struct backend *b, struct memory *memory, size_t bytes)
{
    if (bytes <= memory->bytes) return ROOST_OK;
    backend_release(b, memory->at, memory->bytes);
    *memory = (struct memory){NULL, 0};
    const roost_status status = backend_allocate(b, bytes, &memory->at);
    if (!status) memory->bytes = bytes;
    return status;
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

/* Between two looks: gives the processor to others at first, for about as long as a step of a round
 * takes, and then sleeps, up to a millisecond. */
static void wait_a_little(uint32_t looks)
{
    enum { YIELDS = 1024, MOST_MICROSECONDS = 1000 };
    if (looks < YIELDS) {
        sched_yield();
        return;
    }
    const uint32_t microseconds = (looks - YIELDS) * 4 + 10;
    const struct timespec t = {0, 1000 * (long)(microseconds < MOST_MICROSECONDS ? microseconds : MOST_MICROSECONDS)};
    nanosleep(&t, NULL);
}

void comm_kill(struct comm *c)
{
    if (c->dead) return;
    c->dead = true;
    if (c->operations.abort) c->operations.abort(c->operations.context);
}

static roost_status comm_failed(struct comm *c, struct error *error, const char *why)
{
    comm_kill(c);
    return error_set(error, ROOST_ERR_COMM, "rank %d of %d: %s", comm_rank(c), comm_ranks(c), why);
}

roost_status comm_start(struct comm *c, bool device, struct error *error)
{
    const roost_comm_exchange exchange = {c->send, c->send_bytes, c->receive, c->receive_bytes, device};
    if (c->dead) return error_set(error, ROOST_ERR_COMM, "the comm failed in an earlier call");
    c->exchange = exchange;
    return c->operations.start(c->operations.context, &c->exchange) ? comm_failed(c, error, "the transport failed") : ROOST_OK;
}

roost_status comm_finish(struct comm *c, bool arrives, struct error *error)
{
    const double limit = arrives ? c->limits.arrival : c->limits.progress, began = backend_seconds();
    int done = 0;
    for (uint32_t looks = 0;; looks++) {
        if (c->operations.test(c->operations.context, &done))
            return comm_failed(c, error, "the transport failed, or another rank has given up");
        if (done) return ROOST_OK;
        if (limit > 0 && backend_seconds() - began > limit)
            return comm_failed(c, error, "another rank did not come within the limit");
        wait_a_little(looks);
    }
}

roost_status comm_exchange(struct comm *c, bool arrives, struct error *error)
{
    const roost_status status = comm_start(c, false, error);
    return status ? status : comm_finish(c, arrives, error);
}

roost_status comm_gather(struct comm *c, const void *mine, size_t bytes, bool arrives, const void **all, struct error *error)
{
    for (size_t r = 0; r < (size_t)comm_ranks(c); r++) {
        c->send[r] = mine, c->receive[r] = c->gathered + r * bytes;
        c->send_bytes[r] = c->receive_bytes[r] = bytes;
    }
    *all = c->gathered;
    return comm_exchange(c, arrives, error);
}
