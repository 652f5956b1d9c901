/* Tables over several devices of one process, beside the same engine on one: how much of the rate
 * of N tables is left once items travel.  Each rank of a host has one thread.  A machine with one
 * GPU has two ranks on it.  Tables of one rank tell what the way costs without other ranks. */
#include <roost/sharding.h>
#include <roost/tuning.h>
#include <stdio.h>
#include <string.h>

#include "session.h"

/* REPETITIONS: with the first, which is not timed. */
enum { LEVELS = 2, RANKS_HOST = 4, GPUS_MOST = 8, REPETITIONS = 6 };

/* The devices of a table. */
struct spread {
    char devices[16 * GPUS_MOST];
    int ranks, gpus; /* gpus: different ones; 0: a host */
};

static int gpus_here(void)
{
    roost_device_info info;
    int n = 0;
    for (size_t i = 0; roost_device_describe(i, &info, sizeof info) == ROOST_OK; i++) n += !strncmp(info.name, "cuda", 4);
    return n < GPUS_MOST ? n : GPUS_MOST;
}

static struct spread spread_of(const struct place *p)
{
    const int gpus = p->threads ? 0 : gpus_here();
    struct spread s = {.ranks = p->threads ? RANKS_HOST : gpus > 1 ? gpus : 2, .gpus = gpus};
    for (int r = 0; r < s.ranks; r++) {
        char name[16];
        if (gpus > 1) snprintf(name, sizeof name, "cuda:%d", r);
        else snprintf(name, sizeof name, "%s", p->threads ? "host" : "cuda:0");
        snprintf(s.devices + strlen(s.devices), sizeof s.devices - strlen(s.devices), "%s%s", r ? "," : "", name);
    }
    return s;
}

/* How a table's items travel. */
enum way {
    WAY_NONE,     /* the table has no comm */
    WAY_ONE,      /* it has one rank, whose items go the way of those of many */
    WAY_MESSAGES, /* the same, through messages */
    WAY_SPREAD,   /* it has a rank on each device */
    WAYS
};

/* A table under measurement, and its rows. */
struct ranks_case {
    const struct place *p;
    enum way way;
    int gpus;
    char group[64];
    roost_comm *comm;
    struct table_case c;
    struct session s;
    uint64_t table_bytes;
};

static void report_finds(const struct ranks_case *r, struct row row)
{
    place_set_limit(r->p, &row, ACCESS_LINE, r->table_bytes);
    row.limit *= r->gpus;
    report_row(r->p->o, row);
}

static void report_inserts(const struct ranks_case *r, struct row row)
{
    place_set_insert_limit(r->p, &row, r->s.a->w, r->table_bytes);
    row.limit *= r->gpus;
    report_row(r->p->o, row);
}

/* Finds of keys in query[0], every answer verified. */
static bool drawn_finds(struct ranks_case *r, struct row *row)
{
    struct arrays *const a = r->s.a;
    for (int i = 0; i < REPETITIONS; i++) {
        session_poison(&r->s, a->queries);
        if (!session_time(&r->s, VERB_FIND, a->query[0], NULL, a->queries, row, i ? row : NULL)) return false;
        session_verify(&r->s, a->query[0], a->queries, false, row);
    }
    return true;
}

/* Additions of zeros; after them every value is verified. */
static bool drawn_additions(struct ranks_case *r, struct row *row)
{
    struct arrays *const a = r->s.a;
    r->p->machine->fill(a->values, 0, a->queries * (size_t)a->w.value_bytes);
    for (int i = 0; i < REPETITIONS; i++) {
        struct times t = times_start_insert(&r->s, a->queries);
        const roost_status status = roost_insert(r->s.table, ROOST_ADD, a->query[0], a->values, a->queries, &r->s.call);
        const roost_status ended = session_finish(&r->s, VERB_INSERT, &t);
        if (!session_good(&r->s, status ? status : ended, row)) return false;
        if (i) row_add_time(row, t.seconds, t.device_seconds);
    }
    return session_verify_all(&r->s, false, row);
}

/* Stored keys that are drawn by Zipf's law, or evenly (skew 0). */
static bool drawn_rows(struct ranks_case *r, double skew, const char *finds, const char *additions)
{
    const struct machine *const m = r->p->machine;
    struct arrays *const a = r->s.a;
    struct row find = place_row(r->p, r->group, finds), add = place_row(r->p, r->group, additions);
    m->make_queries(a->w, (struct drawing){77, 100, skew}, a->queries, a->query[0], NULL);
    find.distinct = add.distinct = m->count_distinct(a->w, a->query[0], a->queries);
    find.items = add.items = a->queries;
    const bool good = drawn_finds(r, &find) && drawn_additions(r, &add);
    row_describe(&find, &r->s), row_describe(&add, &r->s);
    report_finds(r, find);
    report_inserts(r, add);
    return good;
}

/* Keys go to their owners and are found there, where the answers stay.  One rank owns all. */
static bool scatter_row(struct ranks_case *r)
{
    struct arrays *const a = r->s.a;
    struct row row = place_row(r->p, r->group, "scatter-find-local");
    roost_call local = r->s.call;
    local.flags |= ROOST_LOCAL;
    row.items = row.distinct = a->queries;
    row.distinct = r->p->machine->count_distinct(a->w, a->query[0], a->queries);
    for (int i = 0; i < REPETITIONS; i++) {
        size_t n = 0;
        session_poison(&r->s, a->queries);
        struct times t = times_start(r->p->machine);
        roost_status status =
            roost_scatter(r->s.table, a->query[0], NULL, 0, a->queries, a->query[1], NULL, a->queries, &n, &r->s.call);
        if (!status) status = roost_find(r->s.table, a->query[1], n, a->answer, a->found, &local);
        const roost_status ended = session_finish(&r->s, VERB_FIND, &t);
        if (!session_good(&r->s, status ? status : ended, &row)) return false;
        if (i) row_add_time(&row, t.seconds, t.device_seconds);
        row.wrong += n != a->queries;
        session_verify(&r->s, a->query[1], n, false, &row);
    }
    row_describe(&row, &r->s);
    report_finds(r, row);
    return true;
}

static bool rows_measure(struct ranks_case *r)
{
    static const int hits[LEVELS] = {100, 0};
    static const char *const names[LEVELS] = {"find-100", "find-0"};
    struct row insert = place_row(r->p, r->group, "insert");
    bool good = session_measure_insert(&r->s, &insert);
    if (good) session_verify_count(&r->s, r->s.a->w.keys, &insert);
    r->table_bytes = insert.stats.table_bytes;
    report_inserts(r, insert);
    for (int i = 0; good && i < LEVELS; i++) {
        struct row find = place_row(r->p, r->group, names[i]);
        good = session_measure_find(&r->s, hits[i], false, &find);
        report_finds(r, find);
    }
    if (good && r->way == WAY_ONE) good = scatter_row(r);
    return good && drawn_rows(r, 0, "find-uniform", "add-uniform") && drawn_rows(r, 1.2, "find-zipf-1.2", "add-zipf-1.2");
}

static bool comm_open(struct ranks_case *r)
{
    roost_comm_limits limits = ROOST_COMM_LIMITS_INIT;
    limits.messages = r->way == WAY_MESSAGES;
    return (r->way != WAY_ONE && r->way != WAY_MESSAGES) || !roost_comm_local(&r->comm, 1, r->p->device, &limits);
}

static void way_rows(const struct place *p, const char *engine, struct arrays *a, const struct spread *spread, enum way way)
{
    static const char *const ways[] = {"1", "1-comm", "1-messages", ""};
    struct ranks_case r = {.p = p, .way = way, .gpus = way == WAY_SPREAD && spread->gpus > 1 ? spread->gpus : 1};
    char number[16];
    snprintf(number, sizeof number, "%d", spread->ranks);
    snprintf(r.group, sizeof r.group, "%s/ranks-%s/%s", p->prefix, way == WAY_SPREAD ? number : ways[way], engine);
    if (!options_want_some(p->o, r.group) || !comm_open(&r)) return;
    r.c = place_case(p, engine, NULL, r.group);
    r.c.load = 0.8;
    roost_config config = table_config(&r.c, a->w);
    struct row failed = place_row(p, r.group, "insert");
    if (p->threads) config.threads = 1;
    if (way == WAY_SPREAD) config.device = spread->devices;
    config.comm = r.comm;
    if (!session_open(&r.s, &r.c, a, &config, &failed)) report_row(p->o, failed);
    else {
        (void)rows_measure(&r);
        session_close(&r.s);
    }
    roost_comm_free(r.comm);
}

void ranks_rows(const struct place *p)
{
    static const char *const engines[] = {"dycuckoo", "fks", "compact"};
    const struct spread spread = spread_of(p);
    char group[64];
    snprintf(group, sizeof group, "%s/ranks", p->prefix);
    if (!p->o->only || !options_want_some(p->o, group)) return;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        if (p->o->engine && strcmp(p->o->engine, engines[i])) continue;
        for (int way = WAY_NONE; way < WAYS; way++) {
            struct workload w = {.seed = p->o->seed, .keys = p->keys, .key_bytes = 4, .value_bytes = 4};
            if (way == WAY_SPREAD && spread.gpus > 1) w.keys *= (uint64_t)spread.gpus;
            struct arrays a = arrays_make(p->machine, w, w.keys);
            way_rows(p, engines[i], &a, &spread, (enum way)way);
            arrays_free(p->machine, &a);
        }
    }
}
