/* Comms over any transport, and how long they wait. */
#include "sharding/comm.h"

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

roost_status comm_make(struct comm **comm, const roost_comm_operations *operations, const roost_comm_limits *limits,
                       const char *device, struct error *error)
{
    roost_comm_limits own;
    roost_status status = operations_check(operations, error);
    if (!status) status = limits_read(limits, &own, error);
    if (status) return status;
    struct comm *const c = (struct comm *)calloc(1, sizeof *c);
    if (!c) return error_set(error, ROOST_ERR_MEMORY, "no memory for a comm");
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
    free(comm);
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Between two looks: gives the processor to others at first, and then sleeps, up to a
 * millisecond. */
static void wait_a_little(uint32_t looks)
{
    enum { YIELDS = 64, MOST_MICROSECONDS = 1000 };
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

roost_status comm_exchange(struct comm *c, const roost_exchange *exchange, bool arrives, struct error *error)
{
    const roost_comm_operations *const o = &c->operations;
    const double limit = arrives ? c->limits.arrival : c->limits.progress, began = seconds_now();
    int done = 0;
    if (c->dead) return error_set(error, ROOST_ERR_COMM, "the comm failed in an earlier call");
    if (o->start(o->context, exchange)) return comm_failed(c, error, "the transport failed");
    for (uint32_t looks = 0;; looks++) {
        if (o->test(o->context, &done)) return comm_failed(c, error, "the transport failed, or another rank has given up");
        if (done) return ROOST_OK;
        if (limit > 0 && seconds_now() - began > limit) return comm_failed(c, error, "another rank did not come within the limit");
        wait_a_little(looks);
    }
}

roost_status comm_gather(struct comm *c, const void *mine, size_t bytes, bool arrives, void **all, struct error *error)
{
    const size_t ranks = (size_t)comm_ranks(c), pointers = ranks * sizeof(void *), sizes = ranks * sizeof(size_t);
    char *const memory = (char *)malloc(2 * pointers + sizes), *const gathered = (char *)malloc(ranks * bytes);
    const void **const send = (const void **)(void *)memory;
    void **const receive = (void **)(void *)(memory + pointers);
    size_t *const each = (size_t *)(void *)(memory + 2 * pointers);
    const roost_exchange exchange = {send, each, receive, each};
    roost_status status = memory && gathered ? ROOST_OK : error_set(error, ROOST_ERR_MEMORY, "no memory for an exchange");
    for (size_t r = 0; !status && r < ranks; r++) send[r] = mine, receive[r] = gathered + r * bytes, each[r] = bytes;
    if (status) comm_kill(c);
    else status = comm_exchange(c, &exchange, arrives, error);
    free(memory);
    if (status) free(gathered);
    *all = status ? NULL : gathered;
    return status;
}
