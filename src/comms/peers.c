/* Which ranks reach each other's memory, and the memory that GPUs share. */
#include "comms/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "portable/hash_bytes.h"
#include "portable/random_seed.h"

enum {
    SLACK = 8, /* a part of the memory: the next round may be a little larger */
    OLD = 8,   /* pieces that peers may have mapped yet, after rounds that failed or are repeated */
    PIECES = 64
};

/* Memory of all ranks for work that is enqueued.  The last one of them that leaves releases it, for
 * until then another GPU may use what lies on this one. */
struct pieces {
    int n;
    void *at[PIECES];
};
struct commons {
    int ranks; /* that have not left; atomic */
    struct pieces of[];
};

/* Another rank's memory. */
struct mapping {
    void *at;        /* in this process */
    uint64_t serial; /* of the piece */
};
struct peer {
    bool same_process;
    const struct backend *b; /* of a thread of this process */
    struct mapping round[ROUNDS];
};

/* This rank's. */
struct shared {
    struct memory now, old[OLD];
    int olds;
    uint64_t serial; /* of `now`: an address may come again */
    char name[SHARED_NAME];
};

struct peers {
    struct comm *comm;
    struct backend *b;
    bool shares;
    struct shared round[ROUNDS];
    struct commons *commons; /* NULL: work has ended when calls return */
    struct peer peer[];
};

/* Where a rank's shards are. */
struct where {
    uint64_t host, process[2];
    const struct backend *b;
    int32_t gpu;     /* -1: the host's memory */
    uint32_t shares; /* it may use others' memory, and they its own */
};

/* ---- Who reaches whom ------------------------------------------------------------------------ */

/* A number of the running system. */
static uint64_t host_number(void)
{
    char text[64] = "";
    FILE *const f = fopen("/proc/sys/kernel/random/boot_id", "r");
    const size_t bytes = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    return hash_sip(1, 0, 0, (const unsigned char *)text, (uint32_t)bytes);
}

/* Two processes may have one number, in different containers; a child has its parent's random
 * one. */
static void process_numbers(uint64_t number[2])
{
    static uint64_t drawn;
    uint64_t mine = __atomic_load_n(&drawn, __ATOMIC_ACQUIRE), none = 0;
    if (!mine && random_seed(&mine) && mine &&
        !__atomic_compare_exchange_n(&drawn, &none, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        mine = none; /* another thread was first: all have its number */
    number[0] = mine;
    number[1] = (uint64_t)getpid();
}

static struct where where_of(const struct comm *c, const struct backend *b)
{
    const bool device = b->operations->machine == MACHINE_CUDA;
    struct where w = {.host = host_number(), .b = b, .gpu = device ? b->ordinal : -1};
    process_numbers(w.process);
    w.shares = !c->limits.messages && (device ? !b->device_allocator.allocate : c->enter != NULL);
    return w;
}

static bool is_same_process(const struct where *a, const struct where *b)
{
    return !memcmp(a->process, b->process, sizeof a->process);
}

/* All compute the same from what they have gathered.  Threads without `enter` send messages:
 * nothing would keep the memory of one that gives up, and to allocate some may wait for another
 * one's GPU, whose transport waits for this rank. */
static bool may_share(const struct comm *c, const struct where *all)
{
    bool may = true;
    for (int r = 0; r < comm_ranks(c); r++) {
        may = may && all[r].shares && all[r].host == all[0].host && (all[r].gpu < 0) == (all[0].gpu < 0);
        for (int other = 0; other < r && !c->enter; other++) may = may && !is_same_process(&all[r], &all[other]);
    }
    return may;
}

/* Peers as far as this rank knows; NULL: one is out of reach, or there is no memory. */
static struct peers *peers_make(struct comm *c, struct backend *b, const struct where *all, size_t least)
{
    const int ranks = comm_ranks(c);
    const struct where *const own = &all[comm_rank(c)];
    void *memory;
    struct peers *const p = (struct peers *)calloc(1, sizeof *p + (size_t)ranks * sizeof(struct peer));
    if (!p) return NULL;
    p->comm = c;
    p->b = b;
    p->shares = own->gpu >= 0;
    bool good = true;
    for (int r = 0; r < ranks; r++) {
        p->peer[r].same_process = is_same_process(&all[r], own);
        p->peer[r].b = all[r].b;
        if (p->shares && p->peer[r].same_process) good = good && cuda_peer_enable(b, all[r].gpu);
    }
    for (int i = 0; i < ROUNDS && p->shares; i++) good = good && !peers_memory(p, i, least, &memory);
    if (good) return p;
    peers_free(p);
    return NULL;
}

/* Each rank maps the others' first memory of a round, so that a host where that fails is known. */
static roost_status round_try(struct comm *c, struct backend *b, struct peers **p, int round)
{
    struct grant mine = {.status = *p == NULL};
    struct columns ignored;
    const void *grants;
    if (*p) peers_name(*p, round, &mine);
    const roost_status status = comm_gather(c, &mine, sizeof mine, false, &grants, b->error);
    bool good = *p != NULL;
    for (int r = 0; !status && good && r < comm_ranks(c); r++) {
        const struct grant theirs = ((const struct grant *)grants)[r];
        good = !theirs.status && !peers_columns(*p, round, r, &theirs, &ignored);
    }
    if (!good && *p) peers_free(*p), *p = NULL;
    return status;
}

/* Of threads whose tables lie on GPUs. */
static struct commons *commons_make(const struct peers *p)
{
    const size_t ranks = (size_t)comm_ranks(p->comm);
    if (!p->shares || !p->comm->enter) return NULL;
    struct commons *const commons = (struct commons *)calloc(1, sizeof *commons + ranks * sizeof *commons->of);
    if (commons) commons->ranks = (int)ranks;
    return commons;
}

struct reach {
    bool reaches;
    struct commons *commons;
};

/* Learns whether all ranks reach each other.  Rank 0 makes what they have in common. */
static roost_status all_reach(struct comm *c, struct backend *b, struct peers *p, bool *all)
{
    struct commons *const made = p && !comm_rank(c) ? commons_make(p) : NULL;
    const struct reach mine = {p != NULL, made};
    const void *gathered;
    const roost_status status = comm_gather(c, &mine, sizeof mine, false, &gathered, b->error);
    *all = !status;
    for (int r = 0; *all && r < comm_ranks(c); r++) *all = ((const struct reach *)gathered)[r].reaches;
    if (*all) p->commons = ((const struct reach *)gathered)->commons;
    else free(made);
    return status;
}

static roost_status peers_try(struct comm *c, struct backend *b, const struct where *all, size_t least, struct peers **peers)
{
    const struct error_mark before = error_keep(b->error);
    roost_status status = ROOST_OK;
    bool agreed = false;
    *peers = all ? peers_make(c, b, all, least) : NULL;
    for (int i = 0; i < ROUNDS && !status; i++) status = round_try(c, b, peers, i);
    if (!status) error_restore(&before); /* ranks that fail to reach each other send messages */
    if (!status) status = all_reach(c, b, *peers, &agreed);
    if (agreed || !*peers) return status;
    peers_free(*peers);
    *peers = NULL;
    return status;
}

roost_status peers_meet(struct comm *c, struct backend *b, size_t least, struct peers **peers)
{
    const struct where mine = where_of(c, b);
    const size_t bytes = (size_t)comm_ranks(c) * sizeof mine;
    const void *gathered;
    *peers = NULL;
    roost_status status = comm_gather(c, &mine, sizeof mine, false, &gathered, b->error);
    if (status || !may_share(c, (const struct where *)gathered)) return status;
    struct where *const all = (struct where *)malloc(bytes);
    if (all) memcpy(all, gathered, bytes);
    status = peers_try(c, b, all, least, peers);
    free(all);
    return status;
}

/* ---- Memory of GPUs -------------------------------------------------------------------------- */

bool peers_share(const struct peers *p) { return p->shares; }

static void memory_release(struct peers *p, struct memory *memory)
{
    if (memory->at) cuda_shared_release(p->b, memory->at);
    *memory = (struct memory){NULL, 0};
}

/* The last one stays until all know the new one: peers may have it mapped. */
roost_status peers_memory(struct peers *p, int round, size_t bytes, void **memory)
{
    struct shared *const s = &p->round[round];
    struct memory more = {NULL, bytes + bytes / SLACK};
    *memory = s->now.at;
    if (bytes <= s->now.bytes && s->now.at) return ROOST_OK;
    if (s->olds == OLD) return error_set(p->b->error, ROOST_ERR_MEMORY, "too many rounds in a row were repeated or failed");
    const roost_status status = cuda_shared_allocate(p->b, more.bytes, &more.at, s->name);
    if (status) return status;
    if (s->now.at) s->old[s->olds++] = s->now;
    s->now = more;
    s->serial++;
    *memory = more.at;
    return ROOST_OK;
}

void peers_settle(struct peers *p, int round)
{
    struct shared *const s = &p->round[round];
    while (s->olds) memory_release(p, &s->old[--s->olds]);
}

void peers_name(const struct peers *p, int round, struct grant *grant)
{
    grant->base = (uint64_t)(uintptr_t)p->round[round].now.at;
    grant->serial = p->round[round].serial;
    memcpy(grant->name, p->round[round].name, sizeof grant->name);
}

static void unmap(struct peers *p, struct mapping *m)
{
    if (m->at) cuda_shared_close(p->b, m->at);
    m->at = NULL;
}

static roost_status map(struct peers *p, struct mapping *m, const struct grant *grant)
{
    if (m->at && m->serial == grant->serial) return ROOST_OK;
    unmap(p, m);
    m->serial = grant->serial;
    return cuda_shared_open(p->b, grant->name, &m->at);
}

static void *moved(const void *at, uint64_t by) { return at ? (void *)((uintptr_t)at + (uintptr_t)by) : NULL; }

roost_status peers_columns(struct peers *p, int round, int rank, const struct grant *grant, struct columns *columns)
{
    struct mapping *const m = &p->peer[rank].round[round];
    const struct columns *const c = &grant->columns;
    *columns = *c;
    if (!p->shares || p->peer[rank].same_process) return ROOST_OK;
    const roost_status status = map(p, m, grant);
    const uint64_t by = (uint64_t)(uintptr_t)m->at - grant->base;
    const struct columns here = {moved(c->keys, by), moved(c->values_in, by), moved(c->values_out, by),
                                 (uint8_t *)moved(c->operations, by), (uint8_t *)moved(c->statuses, by)};
    *columns = here;
    return status;
}

/* The release sequence of the count orders what ranks wrote before they left before the last one's
 * reads: without it that one might miss a piece, and its memory would be lost. */
static void commons_leave(struct peers *p)
{
    struct commons *const commons = p->commons;
    struct backend *const b = p->b;
    if (!commons) return;
    peers_quiet(p); /* ranks may be about to follow marks of this one */
    if (!b->operations->stream_of(b, QUEUE_WAY, &b->stream)) (void)backend_wait(b);
    if (__atomic_sub_fetch(&commons->ranks, 1, __ATOMIC_ACQ_REL)) return;
    for (int r = 0; r < comm_ranks(p->comm); r++)
        for (int i = 0; i < commons->of[r].n; i++) cuda_shared_release(b, commons->of[r].at[i]);
    free(commons);
}

/* After a failure other processes may still use this rank's memory: it stays. */
void peers_free(struct peers *p)
{
    if (!p) return;
    commons_leave(p);
    for (int i = 0; i < ROUNDS; i++) {
        for (int r = 0; r < comm_ranks(p->comm); r++) unmap(p, &p->peer[r].round[i]);
        if (p->comm->dead && !p->comm->enter) continue;
        memory_release(p, &p->round[i].now);
        peers_settle(p, i);
    }
    free(p);
}

/* ---- Work in it ------------------------------------------------------------------------------ */

roost_status peers_enter(struct peers *p)
{
    struct comm *const c = p->comm;
    if (!c->enter || c->enter(c->operations.context)) return ROOST_OK;
    return error_set(p->b->error, ROOST_ERR_COMM, "another rank has given up");
}

void peers_leave(struct peers *p)
{
    if (p->comm->leave) p->comm->leave(p->comm->operations.context);
}

void peers_quiet(struct peers *p)
{
    if (p->comm->quiet) p->comm->quiet(p->comm->operations.context);
}

/* ---- Work that is enqueued ------------------------------------------------------------------- */

bool peers_enqueue(const struct peers *p) { return p && p->commons; }

roost_status peers_room(struct peers *p, size_t bytes, void **memory)
{
    struct pieces *const own = &p->commons->of[comm_rank(p->comm)];
    char ignored[SHARED_NAME];
    if (own->n == PIECES) return error_set(p->b->error, ROOST_ERR_MEMORY, "too many pieces of memory");
    const roost_status status = cuda_shared_allocate(p->b, bytes, memory, ignored);
    if (!status) own->at[own->n++] = *memory;
    return status;
}

void peers_room_drop(struct peers *p)
{
    struct pieces *const own = &p->commons->of[comm_rank(p->comm)];
    cuda_shared_release(p->b, own->at[--own->n]);
}

roost_status peers_follow(struct peers *p, enum queue queue, int mark)
{
    roost_status status = ROOST_OK;
    for (int r = 0; !status && r < comm_ranks(p->comm); r++) status = p->b->operations->follow(p->b, queue, p->peer[r].b, mark);
    return status;
}
