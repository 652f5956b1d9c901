/* Tables of several ranks: how they are made. */
#include "sharding/round.h"

#include <stdlib.h>
#include <string.h>

#include "portable/random_seed.h"

/* ---- Making a table -------------------------------------------------------------------------- */

static roost_status config_refuse(const struct comm *c, const roost_config *config, struct error *error)
{
    if (config->flags & ROOST_MULTI) return error_set(error, ROOST_ERR_UNSUPPORTED, "a ROOST_MULTI table is not spread over ranks");
    if (config->key_type == ROOST_TYPE_STRING)
        return error_set(error, ROOST_ERR_UNSUPPORTED, "a table whose keys are strings is not spread over ranks");
    if (*c->device && config->device && strcmp(c->device, config->device))
        return error_set(error, ROOST_ERR_ARGUMENT, "device \"%.32s\": the comm's rank has \"%s\"", config->device, c->device);
    return ROOST_OK;
}

/* Rank 0's secret, which all take over. */
static roost_status owners_agree(struct roost_table *t)
{
    struct group *const g = group_of(t);
    uint64_t mine[2] = {0, 0};
    const void *all;
    const bool drawn = comm_rank(g->comm) || (random_seed(&mine[0]) && random_seed(&mine[1]));
    const roost_status status = comm_gather(g->comm, mine, sizeof mine, false, &all, &t->error);
    if (!status) memcpy(g->owners, all, sizeof mine);
    return status || drawn ? status : error_set(&t->error, ROOST_ERR_DEVICE, "the system has no random number");
}

static uint64_t double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* What must be equal in the ranks' configurations. */
static uint64_t config_widths(const roost_config *c)
{
    return (uint64_t)c->key_type | (uint64_t)c->value_type << 8 | (uint64_t)(c->key_bytes & 0xffff) << 16 |
           (uint64_t)(c->value_bytes & 0xffffff) << 32 | (uint64_t)(c->growth != 0) << 60;
}

/* The exchanges of `join` and `joined`, as a rank that refuses. */
static void decline(roost_comm *comm)
{
    struct comm *const c = comm_of(comm);
    const struct said mine = {.of = COLLECTIVE_CREATE, .table = c->tables++, .refuses = 1};
    const uint64_t secret[2] = {0, 0};
    const struct vote vote = {ROOST_ERR_ARGUMENT, ROOST_OK};
    struct agreed agreed;
    struct error ignored;
    const void *all;
    roost_status status = comm_agree(c, &mine, &agreed, &ignored);
    if (!status) status = comm_gather(c, secret, sizeof secret, false, &all, &ignored);
    if (!status) (void)comm_gather(c, &vote, sizeof vote, false, &all, &ignored);
}

static roost_status join(roost_comm *comm, struct roost_table *t, roost_config *config)
{
    struct comm *const c = comm_of(comm);
    struct group *const g = (struct group *)calloc(1, sizeof *g);
    struct agreed agreed;
    if (!g) {
        decline(comm);
        return error_set(&t->error, ROOST_ERR_MEMORY, "no memory for a table's part in a comm");
    }
    *g = (struct group){
        .base = {.calls = &sharding_calls, .capacity = config->capacity, .rank = comm_rank(c), .ranks = comm_ranks(c)},
        .comm = c,
        .number = c->tables++};
    t->group = &g->base;
    const roost_status refused = config_refuse(c, config, &t->error);
    const struct error why = t->error;
    const struct said mine = {.of = COLLECTIVE_CREATE,
                              .table = g->number,
                              .widths = config_widths(config),
                              .flags = double_bits(config->max_fill),
                              .number = config->capacity,
                              .refuses = refused != ROOST_OK};
    roost_status status = group_agree(t, &mine, &agreed);
    g->agreed = !status;
    if (!status) status = owners_agree(t);
    if (refused) t->error = why;
    if (*c->device) config->device = c->device;
    config->capacity = share_by_chance(config->capacity, comm_ranks(c));
    return refused ? refused : status;
}

/* A rank that refused votes, too. */
static roost_status joined(struct roost_table *t, roost_status status)
{
    if (!status) status = rounds_spare_make(t);
    if (!group_of(t)->agreed || group_of(t)->comm->dead) return status;
    status = group_vote(t, status);
    return status ? status : peers_meet(group_of(t)->comm, t->backend, group_of(t)->owned_spare.bytes, &group_of(t)->peers);
}

static void leave(struct roost_table *t)
{
    peers_free(group_of(t)->peers);
    rounds_spare_release(t);
    free(group_of(t)->posts.ends);
    free(group_of(t));
    t->group = NULL;
}

static struct roost_table *shard(struct roost_table *t, uint64_t number) { return number ? NULL : t; }

const struct collective_calls sharding_calls = {join, decline, joined, leave, sharded_batch, group_whole, group_sum, shard};
