/* One table over several devices of one process: config.device names them, separated by commas.
 *
 * The caller's handle is the shard of rank 0.  The other ranks' shards belong to its team, whose
 * threads (crew.h) make the calls of their ranks while the caller's thread makes that of rank 0.
 * Each rank brings an equal part of the caller's arrays. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/create.h"
#include "teams/crew.h"
#include "comms/group.h"

struct team {
    const struct collective_calls *calls; /* of one rank */
    int ranks;
    char *devices;
    pthread_mutex_t turns; /* held for a call, and until its results have been read */
    struct crew *crew;
    roost_comm **comms;
    struct roost_table **tables; /* [0]: the caller's handle */
    /* Of each rank's part of the present call. */
    roost_status *status;
    struct error *error;
};

static struct team *team_of(const struct roost_table *t) { return group_of(t)->team; }

/* A call as the threads make it. */
struct errand {
    struct team *team;
    enum collective of;
    const struct batch *batch;
    const roost_call *call;
    uint64_t *number; /* of the caller, and of a rank */
    uint64_t *numbers;
    int n;
    roost_status own; /* rank 0's numbers */
    const roost_config *config;
};

/* The first failure of a rank, rather one that is not due to another rank's; *error: its text. */
static roost_status errand_status(const struct team *team, struct error *error)
{
    int failed = -1;
    for (int r = 0; r < team->ranks; r++)
        if (team->status[r] && (failed < 0 || team->status[failed] == ROOST_ERR_COMM)) failed = r;
    if (failed < 0) return ROOST_OK;
    *error = team->error[failed];
    return team->status[failed];
}

static roost_status errand_run(struct errand *e, void (*work)(void *errand, int rank))
{
    struct team *const team = e->team;
    pthread_mutex_lock(&team->turns);
    crew_run(team->crew, work, e);
    for (int r = 0; r < team->ranks; r++) team->error[r] = team->tables[r]->error;
    const roost_status status = errand_status(team, &team->tables[0]->error);
    pthread_mutex_unlock(&team->turns);
    return status;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* A rank's part of the items.  Ordered ones are all of one rank, whose order is kept. */
static struct batch part_of(const struct errand *e, int rank)
{
    const struct batch *const b = e->batch;
    const struct roost_table *const t = e->team->tables[0];
    const uint64_t ranks = (uint64_t)e->team->ranks, each = b->n / ranks, more = b->n % ranks, r = (uint64_t)rank;
    uint64_t first = r * each + (r < more ? r : more), n = each + (r < more);
    if (e->call->flags & ROOST_ORDERED) first = rank ? b->n : 0, n = rank ? 0 : b->n;
    return batch_part(b, first, n, t->key_bytes, t->value_bytes);
}

static void batch_work(void *errand, int rank)
{
    struct errand *const e = (struct errand *)errand;
    const struct batch part = part_of(e, rank);
    e->team->status[rank] = e->team->calls->batch(e->team->tables[rank], e->of, &part, e->call, ROOST_OK);
}

/* The arrays are used by several devices, so earlier work on the caller's stream ends first. */
static roost_status stream_wait(struct roost_table *t, void *stream)
{
    const roost_status status = call_begin(t, stream, ACCESS_READ);
    if (status) return status;
    if (t->backend->capturing)
        return call_end(t, ACCESS_READ,
                        error_set(&t->error, ROOST_ERR_UNSUPPORTED, "calls on a table of several devices are not captured"));
    return call_end(t, ACCESS_READ, backend_wait(t->backend));
}

static roost_status team_batch(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                               roost_status arguments)
{
    roost_call everywhere = *call;
    struct errand e = {.team = team_of(t), .of = of, .batch = b, .call = &everywhere};
    roost_status status = arguments ? arguments : stream_wait(t, call->stream);
    everywhere.stream = NULL;
    return status ? status : errand_run(&e, batch_work);
}

static void whole_work(void *errand, int rank)
{
    struct errand *const e = (struct errand *)errand;
    uint64_t number = e->number ? *e->number : 0;
    e->team->status[rank] = e->team->calls->whole(e->team->tables[rank], e->of, &number);
    if (!rank) e->numbers[0] = number;
}

static roost_status team_whole(struct roost_table *t, enum collective of, uint64_t *number)
{
    uint64_t given = number ? *number : 0, learnt = given;
    struct errand e = {.team = team_of(t), .of = of, .number = &given, .numbers = &learnt};
    const roost_status status = errand_run(&e, whole_work);
    if (number) *number = learnt;
    return status;
}

static void sum_work(void *errand, int rank)
{
    struct errand *const e = (struct errand *)errand;
    roost_stats stats;
    e->team->status[rank] = rank ? roost_table_stats(e->team->tables[rank], &stats, sizeof stats)
                                 : e->team->calls->sum(e->team->tables[0], e->of, e->numbers, e->n, e->own);
}

static roost_status team_sum(struct roost_table *t, enum collective of, uint64_t *numbers, int n, roost_status own)
{
    struct errand e = {.team = team_of(t), .of = of, .numbers = numbers, .n = n, .own = own};
    return errand_run(&e, sum_work);
}

static struct roost_table *team_shard(struct roost_table *t, uint64_t rank)
{
    return rank < (uint64_t)team_of(t)->ranks ? team_of(t)->tables[rank] : NULL;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

static void team_free(struct team *team)
{
    for (int r = 1; r < team->ranks; r++) roost_table_destroy(team->tables ? team->tables[r] : NULL);
    for (int r = 0; r < team->ranks; r++) roost_comm_free(team->comms ? team->comms[r] : NULL);
    crew_free(team->crew);
    pthread_mutex_destroy(&team->turns);
    free(team->comms), free(team->tables), free(team->status), free(team->error), free(team->devices);
    free(team);
}

/* The handle of rank 0 goes, and the team with it. */
static void team_leave(struct roost_table *t)
{
    struct team *const team = team_of(t);
    team->calls->leave(t);
    team_free(team);
}

static const struct collective_calls team_calls = {NULL, NULL, NULL, team_leave, team_batch, team_whole, team_sum, team_shard};

static void create_work(void *errand, int rank)
{
    struct errand *const e = (struct errand *)errand;
    roost_config config = *e->config;
    config.comm = e->team->comms[rank];
    config.device = NULL; /* the comm's */
    e->team->status[rank] = table_create_one(&e->team->tables[rank], &config);
    e->team->error[rank] = *thread_error();
}

static int devices_of(const char *devices)
{
    int n = 1;
    for (; *devices; devices++) n += *devices == ',';
    return n;
}

/* A thread of the process does not die alone, so ranks wait for each other without a limit. */
static roost_status team_make(struct team **made, const char *devices)
{
    roost_comm_limits limits = ROOST_COMM_LIMITS_INIT;
    struct team *const team = (struct team *)calloc(1, sizeof *team);
    const int ranks = devices_of(devices);
    limits.progress = 0;
    *made = team;
    if (!team) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for a table of several devices");
    pthread_mutex_init(&team->turns, NULL); /* cannot fail with default attributes */
    team->calls = &sharding_calls;
    team->ranks = ranks;
    team->comms = (roost_comm **)calloc((size_t)ranks, sizeof(roost_comm *));
    team->tables = (struct roost_table **)calloc((size_t)ranks, sizeof(struct roost_table *));
    team->status = (roost_status *)calloc((size_t)ranks, sizeof *team->status);
    team->error = (struct error *)calloc((size_t)ranks, sizeof *team->error);
    team->devices = strdup(devices);
    team->crew = crew_make(ranks);
    if (!team->comms || !team->tables || !team->status || !team->error || !team->devices || !team->crew)
        return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory, or no threads, for a table of %d devices", ranks);
    const roost_status status = roost_comm_local(team->comms, ranks, devices, &limits);
    for (int r = 0; !status && r < ranks; r++) comm_of(team->comms[r])->waits = true;
    return status;
}

static roost_status team_create(struct roost_table **table, const roost_config *config)
{
    struct team *team;
    struct error why;
    roost_status status = team_make(&team, config->device);
    struct errand e = {.team = team, .config = config};
    if (!status) {
        crew_run(team->crew, create_work, &e);
        status = errand_status(team, thread_error());
    }
    if (!status) {
        *table = team->tables[0];
        group_of(*table)->team = team;
        (*table)->group->devices = team->devices;
        (*table)->group->calls = &team_calls;
        return ROOST_OK;
    }
    why = *thread_error();
    if (team && team->tables) roost_table_destroy(team->tables[0]);
    if (team) team_free(team);
    *thread_error() = why;
    return status;
}

ROOST_EXPORT roost_status roost_table_create(roost_table **table, const roost_config *config)
{
    roost_config own;
    if (!table) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_table_create: table is NULL");
    *table = NULL;
    if (config_read(config, &own, "roost_table_create")) return table_create_one(table, config);
    const bool several = own.device && strchr(own.device, ',') != NULL;
    if (several && own.comm) {
        own.comm->calls->decline(own.comm);
        return error_set(thread_error(), ROOST_ERR_ARGUMENT, "devices \"%.64s\": a table with a comm has one device", own.device);
    }
    return several ? team_create(table, &own) : table_create_one(table, &own);
}
