/* Tables over several devices of one process, beside the same engine on one: how much of the rate
 * of N tables is left once items travel.  Each rank of a host has one thread.  A machine with one
 * GPU has two ranks on it, which tells what the way costs. */
#include <roost/tuning.h>
#include <stdio.h>
#include <string.h>

#include "session.h"

enum { LEVELS = 2, RANKS_HOST = 4, GPUS_MOST = 8 };

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

/* A table's rows.  spread NULL: it lies on one device. */
static void table_rows(const struct place *p, const char *engine, struct arrays *a, const struct spread *spread)
{
    static const int hits[LEVELS] = {100, 0};
    char group[64];
    snprintf(group, sizeof group, "%s/ranks-%d/%s", p->prefix, spread ? spread->ranks : 1, engine);
    if (!options_want_some(p->o, group)) return;
    struct table_case c = place_case(p, engine, NULL, group);
    struct row insert = place_row(p, group, "insert"),
               finds[LEVELS] = {place_row(p, group, "find-100"), place_row(p, group, "find-0")};
    struct session s;
    c.load = 0.8;
    roost_config config = table_config(&c, a->w);
    if (p->threads) config.threads = 1;
    if (spread) config.device = spread->devices;
    if (session_open(&s, &c, a, &config, &insert)) {
        bool good = session_measure_insert(&s, &insert);
        if (good) session_verify_count(&s, a->w.keys, &insert);
        for (int i = 0; good && i < LEVELS; i++) good = session_measure_find(&s, hits[i], false, &finds[i]);
        session_close(&s);
    }
    const int gpus = spread && spread->gpus > 1 ? spread->gpus : 1;
    place_set_insert_limit(p, &insert, a->w, insert.stats.table_bytes);
    insert.limit *= gpus;
    report_row(p->o, insert);
    for (int i = 0; i < LEVELS; i++) {
        place_set_limit(p, &finds[i], ACCESS_LINE, insert.stats.table_bytes);
        finds[i].limit *= gpus;
        report_row(p->o, finds[i]);
    }
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
        struct workload w = {.seed = p->o->seed, .keys = p->keys, .key_bytes = 4, .value_bytes = 4};
        struct arrays a = arrays_make(p->machine, w, w.keys);
        table_rows(p, engines[i], &a, NULL);
        arrays_free(p->machine, &a);
        w.keys *= spread.gpus > 1 ? (uint64_t)spread.gpus : 1;
        a = arrays_make(p->machine, w, w.keys);
        table_rows(p, engines[i], &a, &spread);
        arrays_free(p->machine, &a);
    }
}
