/* The transport between threads of one process: each rank copies what the others send from their
 * memory.
 *
 * All ranks make exchanges in one order, so a number tells which one a rank is at.  A rank posts an
 * exchange, copies from each other rank once that has posted the same one, and has ended it when
 * all have copied: before that its memory is still read.  Under one lock: an exchange is a call of
 * many items, and copies are made outside of it.  A rank that gives up waits until nobody copies
 * any more, because its memory is freed then.  Ranks also work in each other's memory between
 * exchanges (peers.h): memory of a call that failed is freed once all have left. */
#include "comms/comm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct rank {
    const roost_comm_exchange *exchange;
    uint64_t posted, copied; /* exchanges */
    int next;                /* the rank to copy from; only its own thread uses it */
};

struct local {
    pthread_mutex_t lock;
    pthread_cond_t left;
    int ranks, handles; /* of the comms, how many are not freed */
    int copying;        /* ranks that copy what others send */
    int inside;         /* rounds whose work uses other ranks' memory */
    bool aborted;
    struct rank rank[];
};

/* A rank's end of it. */
struct end {
    struct local *local;
    int rank;
};

static int local_start(void *context, const roost_comm_exchange *exchange)
{
    const struct end *const e = (const struct end *)context;
    struct rank *const own = &e->local->rank[e->rank];
    own->next = 0;
    pthread_mutex_lock(&e->local->lock);
    own->exchange = exchange;
    own->posted++;
    const bool aborted = e->local->aborted;
    pthread_mutex_unlock(&e->local->lock);
    return aborted;
}

/* What rank `from` sends, which stays until copy_end; NULL: it has not come yet. */
static const roost_comm_exchange *copy_begin(struct local *l, int from, uint64_t number)
{
    pthread_mutex_lock(&l->lock);
    const bool there = l->rank[from].posted >= number && !l->aborted;
    l->copying += there;
    const roost_comm_exchange *const exchange = there ? l->rank[from].exchange : NULL;
    pthread_mutex_unlock(&l->lock);
    return exchange;
}
static void copy_end(struct local *l)
{
    pthread_mutex_lock(&l->lock);
    if (--l->copying == 0) pthread_cond_broadcast(&l->left);
    pthread_mutex_unlock(&l->lock);
}

/* Copies from the ranks that have come.  A rank that has ended this exchange already, or posted a
 * later one, is not waited for: it ends none before all have copied.  False: a message has not the
 * length that was expected, or the copy failed. */
static bool copy_some(const struct end *e)
{
    struct local *const l = e->local;
    struct rank *const own = &l->rank[e->rank];
    while (own->next < l->ranks) {
        const int from = (e->rank + own->next) % l->ranks; /* not all from one rank at a time */
        const size_t bytes = own->exchange->receive_bytes[from];
        const roost_comm_exchange *const sent = copy_begin(l, from, own->posted);
        if (!sent) return true;
        const bool fits = sent->send_bytes[e->rank] == bytes;
        const bool good = fits && (!bytes || copy_between(own->exchange->receive[from], sent->send[e->rank], bytes));
        copy_end(l);
        if (!good) return false;
        own->next++;
    }
    return true;
}

static int local_test(void *context, int *done)
{
    const struct end *const e = (const struct end *)context;
    struct local *const l = e->local;
    struct rank *const own = &l->rank[e->rank];
    const bool good = copy_some(e);
    bool all = good;
    pthread_mutex_lock(&l->lock);
    if (own->next == l->ranks && own->copied < own->posted) own->copied++;
    for (int r = 0; r < l->ranks; r++) all = all && l->rank[r].copied >= own->posted;
    const bool aborted = l->aborted;
    pthread_mutex_unlock(&l->lock);
    *done = all;
    return !good || (aborted && !all);
}

static void local_abort(void *context)
{
    struct local *const l = ((const struct end *)context)->local;
    pthread_mutex_lock(&l->lock);
    l->aborted = true;
    while (l->copying) pthread_cond_wait(&l->left, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

/* ---- Memory of other ranks ------------------------------------------------------------------- */

static bool local_enter(void *context)
{
    struct local *const l = ((const struct end *)context)->local;
    pthread_mutex_lock(&l->lock);
    const bool enters = !l->aborted;
    l->inside += enters;
    pthread_mutex_unlock(&l->lock);
    return enters;
}

static void local_leave(void *context)
{
    struct local *const l = ((const struct end *)context)->local;
    pthread_mutex_lock(&l->lock);
    if (--l->inside == 0) pthread_cond_broadcast(&l->left);
    pthread_mutex_unlock(&l->lock);
}

/* A rank leaves before it waits, so that ranks do not wait for each other. */
static void local_quiet(void *context)
{
    struct local *const l = ((const struct end *)context)->local;
    pthread_mutex_lock(&l->lock);
    while (l->inside) pthread_cond_wait(&l->left, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

/* ---- The end --------------------------------------------------------------------------------- */

static void local_drop(struct local *l)
{
    pthread_mutex_lock(&l->lock);
    const bool last = --l->handles == 0;
    pthread_mutex_unlock(&l->lock);
    if (!last) return;
    pthread_cond_destroy(&l->left);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void local_free(void *context)
{
    local_drop(((struct end *)context)->local);
    free(context);
}

/* ---- Making ---------------------------------------------------------------------------------- */

/* The next of the devices' names; false: there is none, or it is too long. */
static bool device_next(const char **devices, char *device, size_t bytes)
{
    const char *const comma = strchr(*devices, ',');
    const size_t length = comma ? (size_t)(comma - *devices) : strlen(*devices);
    if (length == 0 || length >= bytes) return false;
    memcpy(device, *devices, length);
    device[length] = 0;
    *devices += length + (comma != NULL);
    return true;
}

static roost_status devices_check(const char *devices, int ranks)
{
    char device[32];
    int n = 0;
    while (*devices && device_next(&devices, device, sizeof device)) n++;
    if (n == ranks && !*devices) return ROOST_OK;
    return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_comm_local: %d devices for %d ranks", n, ranks);
}

static roost_status end_make(struct local *l, int rank, const char *device, const roost_comm_limits *limits, roost_comm **comm)
{
    struct comm *made = NULL;
    struct end *const e = (struct end *)malloc(sizeof *e);
    if (!e) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for a comm");
    *e = (struct end){l, rank};
    const roost_comm_operations operations = {sizeof operations, e,           rank,       l->ranks, local_start,
                                              local_test,        local_abort, local_free, 1};
    const roost_status status = comm_make(&made, &operations, limits, device, thread_error());
    if (status) {
        free(e);
        return status;
    }
    made->enter = local_enter;
    made->leave = local_leave;
    made->quiet = local_quiet;
    *comm = &made->base;
    return ROOST_OK;
}

/* The group keeps a handle of its own until all comms are made. */
static roost_status ends_make(struct local *l, const char *devices, const roost_comm_limits *limits, roost_comm **comms)
{
    roost_status status = ROOST_OK;
    char device[32];
    for (int r = 0; !status && r < l->ranks; r++) {
        (void)device_next(&devices, device, sizeof device);
        status = end_make(l, r, device, limits, &comms[r]);
        l->handles += !status;
    }
    for (int r = 0; status && r < l->ranks; r++) roost_comm_free(comms[r]), comms[r] = NULL;
    local_drop(l);
    return status;
}

ROOST_EXPORT roost_status roost_comm_local(roost_comm **comms, int ranks, const char *devices, const roost_comm_limits *limits)
{
    if (!comms || !devices) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_comm_local: an argument is NULL");
    if (ranks < 1 || ranks > ROOST_RANKS_MOST)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_comm_local: %d ranks: there may be 1 to %d", ranks,
                         ROOST_RANKS_MOST);
    memset(comms, 0, (size_t)ranks * sizeof(roost_comm *));
    const roost_status status = devices_check(devices, ranks);
    if (status) return status;
    struct local *const l = (struct local *)calloc(1, sizeof *l + (size_t)ranks * sizeof(struct rank));
    if (!l) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for %d ranks", ranks);
    pthread_mutex_init(&l->lock, NULL); /* neither can fail with default attributes */
    pthread_cond_init(&l->left, NULL);
    l->ranks = ranks;
    l->handles = 1;
    return ends_make(l, devices, limits, comms);
}
