/* Dense numbers, joins and groups, on arrays within the machine's reach; where --only asks for
 * them. Joins: 2^24 rows and 2^26, and GPH's Figure 12 (|R| = 2^24, |S| = 4 to 64 |R|) with all
 * engines, its phases apart.  Every answer is verified on the host. */
#include <roost/group.h>
#include <roost/join.h>
#include <roost/numbers.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { REPETITIONS = 4 /* with the first, which is not timed */, FIGURE_MOST = 64, PIECE = 1 << 26 };

static const char *const engines[] = {"dycuckoo", "compact", "fks", "gph", "slab", "stadium"};

/* What rows of one engine share. */
struct relations {
    const struct place *p;
    const struct machine *m;
    const char *engine;
    char group[64];
    roost_call call;
};

struct clock {
    double start;
};

static struct clock clock_begin(const struct relations *r)
{
    r->m->wait();
    const struct clock c = {machine_now()};
    r->m->clock_start();
    return c;
}

static void clock_end(const struct relations *r, const struct clock *c, struct row *row)
{
    const double device = r->m->clock_stop();
    if (row) row_add_time(row, machine_now() - c->start, device);
}

static bool good(roost_status status, struct row *row)
{
    if (status) row_fail(row, ROW_FAILED, "%s", roost_last_error(NULL));
    return status == ROOST_OK;
}

/* Memory of the machine, and its contents on the host. */
static void *fetched(const struct relations *r, const void *from, size_t bytes)
{
    void *const to = malloc(bytes + 1);
    if (!to) exit(1);
    r->m->wait();
    r->m->fetch(to, from, bytes);
    return to;
}

static void report(const struct relations *r, struct row *row, double bytes)
{
    place_set_stream_limit(r->p, row, bytes);
    report_row(r->p->o, *row);
}

/* ---- Dense numbers --------------------------------------------------------------------------- */

static roost_table *numbers_open(const struct relations *r, uint32_t flags, uint64_t keys, struct row *row)
{
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table = NULL;
    config.engine = r->engine, config.device = r->p->device, config.threads = r->p->threads;
    config.capacity = keys;
    config.max_fill = r->p->o->load;
    config.flags = flags;
    return good(roost_table_create(&table, &config), row) ? table : NULL;
}

/* Each of n keys has another number below `end`, and at least `begin`. */
static void numbers_verify(const struct relations *r, const uint32_t *numbers, uint64_t n, uint64_t begin, struct row *row)
{
    uint32_t *const all = (uint32_t *)fetched(r, numbers, n * sizeof *all);
    uint8_t *const seen = (uint8_t *)calloc(n + 1, 1);
    if (!seen) exit(1);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t number = all[i] - begin;
        row->wrong += number >= n || seen[number];
        if (number < n) seen[number] = 1;
    }
    row->verified += n;
    free(all), free(seen);
}

/* n new keys: inserted with mode KEEP, or numbered. */
static void numbers_row(const struct relations *r, const char *name, bool numbered, const void *keys, uint32_t *numbers, uint64_t n)
{
    struct row row = place_row(r->p, r->group, name);
    row.items = row.distinct = n;
    for (int i = 0; i < REPETITIONS; i++) {
        roost_table *const table = numbers_open(r, numbered ? ROOST_NUMBERED : 0, n, &row);
        if (!table) break;
        struct clock c = clock_begin(r);
        const roost_status status =
            numbered ? roost_number(table, keys, n, numbers, &r->call) : roost_insert(table, ROOST_KEEP, keys, keys, n, &r->call);
        clock_end(r, &c, i ? &row : NULL);
        if (good(status, &row) && numbered) numbers_verify(r, numbers, n, 0, &row);
        roost_table_destroy(table);
        if (status) break;
    }
    if (!numbered) row.verified = n; /* the other rows verify it */
    report(r, &row, 16);
}

/* All keys are known, or half of them are. */
static void known_row(const struct relations *r, const char *name, bool numbered, const void *keys, const void *asked,
                      uint32_t *numbers, uint64_t n, uint64_t fresh)
{
    struct row row = place_row(r->p, r->group, name);
    row.items = row.distinct = n;
    for (int i = 0; i < REPETITIONS; i++) {
        roost_table *const table = numbers_open(r, numbered ? ROOST_NUMBERED : 0, 2 * n, &row);
        if (!table) break;
        roost_status status =
            numbered ? roost_number(table, keys, n, numbers, &r->call) : roost_insert(table, ROOST_KEEP, keys, keys, n, &r->call);
        struct clock c = clock_begin(r);
        if (!status)
            status = numbered ? roost_number(table, asked, n, numbers, &r->call)
                              : roost_insert(table, ROOST_KEEP, asked, asked, n, &r->call);
        clock_end(r, &c, i ? &row : NULL);
        roost_stats stats;
        if (good(status, &row) && good(roost_table_stats(table, &stats, sizeof stats), &row)) row.wrong += stats.count != n + fresh;
        row.verified += n;
        roost_table_destroy(table);
        if (status) break;
    }
    report(r, &row, 16);
}

static void numbers_rows(struct relations *r)
{
    const uint64_t n = r->p->keys;
    const struct workload w = {.seed = r->p->o->seed, .keys = 2 * n, .key_bytes = 4, .value_bytes = 4};
    snprintf(r->group, sizeof r->group, "%s/numbers/%s", r->p->prefix, r->engine);
    if (!options_want_some(r->p->o, r->group)) return;
    void *const keys = r->m->allocate(n * 4), *const half = r->m->allocate(n * 4);
    uint32_t *const numbers = (uint32_t *)r->m->allocate(n * 4);
    r->m->make_keys(w, 0, 1, n, keys, NULL);
    r->m->make_keys(w, n / 2, 1, n, half, NULL);
    numbers_row(r, "insert-keep", false, keys, numbers, n);
    numbers_row(r, "number", true, keys, numbers, n);
    known_row(r, "insert-keep-half", false, keys, half, numbers, n, n / 2);
    known_row(r, "number-half", true, keys, half, numbers, n, n / 2);
    known_row(r, "insert-keep-known", false, keys, keys, numbers, n, 0);
    known_row(r, "number-known", true, keys, keys, numbers, n, 0);
    r->m->release(keys, n * 4), r->m->release(half, n * 4), r->m->release(numbers, n * 4);
}

/* ---- Joins ----------------------------------------------------------------------------------- */

/* Two relations of 4-byte keys, and room for pairs. */
struct sides {
    uint64_t build, probe; /* rows */
    uint64_t each;         /* rows of a key that is built */
    void *build_keys, *probe_keys;
    uint32_t *rows[2]; /* PIECE of either side */
};

static struct sides sides_make(const struct relations *r, uint64_t build, uint64_t probe, uint64_t each, int hits)
{
    const struct workload w = {.seed = r->p->o->seed, .keys = build / each, .key_bytes = 4, .value_bytes = 4};
    struct sides s = {build, probe, each, r->m->allocate(build * 4), r->m->allocate(probe * 4), {NULL, NULL}};
    for (int i = 0; i < 2; i++) s.rows[i] = (uint32_t *)r->m->allocate((size_t)PIECE * 4);
    for (uint64_t i = 0; i < each; i++) r->m->make_keys(w, 0, 1, w.keys, (char *)s.build_keys + i * w.keys * 4, NULL);
    r->m->make_queries(w, (struct drawing){31, hits, 0}, probe, s.probe_keys, NULL);
    return s;
}

static void sides_free(const struct relations *r, struct sides *s)
{
    r->m->release(s->build_keys, s->build * 4), r->m->release(s->probe_keys, s->probe * 4);
    for (int i = 0; i < 2; i++) r->m->release(s->rows[i], (size_t)PIECE * 4);
}

static roost_join *join_build(const struct relations *r, const struct sides *s, struct row *timed, struct row *failed)
{
    roost_column key = ROOST_COLUMN_INIT;
    roost_join_config config = ROOST_JOIN_CONFIG_INIT;
    roost_join *join = NULL;
    uint64_t pairs;
    config.engine = r->engine, config.device = r->p->device, config.threads = r->p->threads;
    config.row_bytes = 4;
    config.capacity = s->build / s->each;
    config.key_columns = 1;
    config.keys = &key;
    if (!good(roost_join_create(&join, &config), failed)) return NULL;
    key.values = s->build_keys;
    struct clock c = clock_begin(r);
    roost_status status = roost_join_build(join, &key, s->build, &r->call);
    key.values = s->probe_keys;
    /* This makes what probing needs. */
    if (!status) status = roost_join_count(join, &key, 0, &pairs, &r->call);
    clock_end(r, &c, timed);
    if (good(status, failed)) return join;
    roost_join_destroy(join);
    return NULL;
}

/* The keys of all pairs at hand are equal; *sum: of the probe rows. */
static void pairs_verify(const struct relations *r, const struct sides *s, const uint32_t *build, const uint32_t *probe, size_t n,
                         struct row *row)
{
    uint32_t *const of_probe = (uint32_t *)fetched(r, s->rows[0], n * 4), *const of_build =
                                                                              (uint32_t *)fetched(r, s->rows[1], n * 4);
    for (size_t i = 0; i < n; i++)
        row->wrong += of_probe[i] >= s->probe || of_build[i] >= s->build || probe[of_probe[i]] != build[of_build[i]];
    row->verified += n;
    free(of_probe), free(of_build);
}

/* Probes, with all pairs or only their number. */
static void probe_row(const struct relations *r, const struct sides *s, roost_join *join, const char *name, bool pairs,
                      bool verifies)
{
    struct row row = place_row(r->p, r->group, name);
    roost_column key = ROOST_COLUMN_INIT;
    uint32_t *const build = verifies ? (uint32_t *)fetched(r, s->build_keys, s->build * 4) : NULL;
    uint32_t *const probe = verifies ? (uint32_t *)fetched(r, s->probe_keys, s->probe * 4) : NULL;
    uint64_t count = 0, all = 0;
    roost_status status = ROOST_OK;
    key.values = s->probe_keys;
    row.items = s->probe;
    for (int i = 0; !status && i < REPETITIONS; i++) {
        roost_join_cursor cursor = {0, 0, 0};
        double seconds = 0;
        all = 0;
        struct clock c = clock_begin(r);
        if (!pairs) {
            status = roost_join_count(join, &key, s->probe, &count, &r->call);
            clock_end(r, &c, i ? &row : NULL);
        }
        while (pairs && !status && !cursor.end) {
            size_t n = 0;
            c = clock_begin(r);
            status = roost_join_probe(join, &key, s->probe, &cursor, s->rows[0], s->rows[1], PIECE, &n, &r->call);
            r->m->wait();
            seconds += machine_now() - c.start;
            (void)r->m->clock_stop();
            all += n;
            if (!status && verifies && !i) pairs_verify(r, s, build, probe, n, &row);
        }
        if (pairs && i && !status) row_add_time(&row, seconds, 0);
    }
    if (good(status, &row)) {
        status = roost_join_count(join, &key, s->probe, &count, &r->call);
        row.wrong += pairs && all != count;
        if (!row.verified) row.verified = count;
    }
    free(build), free(probe);
    report(r, &row, pairs ? 12 : 4);
}

static void join_case(const struct relations *r, const char *what, uint64_t each, int hits)
{
    char name[64];
    struct sides s = sides_make(r, 1 << 24, 1 << 26, each, hits);
    snprintf(name, sizeof name, "%s-build", what);
    struct row build = place_row(r->p, r->group, name);
    build.items = build.verified = s.build;
    roost_join *join = NULL;
    for (int i = 0; i < REPETITIONS; i++) {
        roost_join_destroy(join);
        join = join_build(r, &s, i ? &build : NULL, &build);
        if (!join) break;
    }
    report(r, &build, 8);
    snprintf(name, sizeof name, "%s-count", what);
    if (join) probe_row(r, &s, join, name, false, false);
    snprintf(name, sizeof name, "%s-pairs", what);
    if (join) probe_row(r, &s, join, name, true, true);
    roost_join_destroy(join);
    sides_free(r, &s);
}

static void join_rows(struct relations *r)
{
    snprintf(r->group, sizeof r->group, "%s/joins/%s", r->p->prefix, r->engine);
    if (!options_want_some(r->p->o, r->group)) return;
    join_case(r, "unique-100", 1, 100);
    join_case(r, "unique-50", 1, 50);
    join_case(r, "four-50", 4, 50);
    for (uint64_t times = 4; r->p->o->figures && times <= FIGURE_MOST; times *= 2) {
        char name[64];
        struct sides s = sides_make(r, 1 << 24, times << 24, 1, 100);
        snprintf(name, sizeof name, "figure-12-%llu-build", (unsigned long long)times);
        struct row build = place_row(r->p, r->group, name);
        build.items = build.verified = s.build;
        roost_join *join = join_build(r, &s, NULL, &build);
        roost_join_destroy(join);
        if (join) join = join_build(r, &s, &build, &build);
        report(r, &build, 8);
        snprintf(name, sizeof name, "figure-12-%llu-count", (unsigned long long)times);
        if (join) probe_row(r, &s, join, name, false, false);
        snprintf(name, sizeof name, "figure-12-%llu-pairs", (unsigned long long)times);
        if (join) probe_row(r, &s, join, name, true, false);
        roost_join_destroy(join);
        sides_free(r, &s);
    }
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Count, sum, minimum and maximum of one column; keys drawn evenly or by Zipf's law. */
static void group_row(const struct relations *r, const char *name, uint64_t groups, uint64_t n, double skew)
{
    static const roost_aggregate wanted[] = {{ROOST_COUNT_ROWS, 0}, {ROOST_SUM, 0}, {ROOST_SMALLEST, 0}, {ROOST_LARGEST, 0}};
    const struct workload w = {.seed = r->p->o->seed, .keys = groups, .key_bytes = 4, .value_bytes = 4};
    struct row row = place_row(r->p, r->group, name);
    roost_column key = ROOST_COLUMN_INIT, value = ROOST_COLUMN_INIT;
    roost_group_config config = ROOST_GROUP_CONFIG_INIT;
    void *const keys = r->m->allocate(n * 4);
    r->m->make_queries(w, (struct drawing){77, 100, skew}, n, keys, NULL);
    config.engine = r->engine, config.device = r->p->device, config.threads = r->p->threads;
    config.key_columns = config.value_columns = 1;
    config.keys = &key, config.values = &value;
    config.aggregates = sizeof wanted / sizeof wanted[0], config.aggregate = wanted;
    row.items = n;
    row.distinct = r->m->count_distinct(w, keys, n);
    for (int i = 0; i < REPETITIONS; i++) {
        roost_group *group = NULL;
        uint64_t count = 0;
        key.values = value.values = NULL;
        if (!good(roost_group_create(&group, &config), &row)) break;
        key.values = value.values = keys;
        struct clock c = clock_begin(r);
        const roost_status status = roost_group_add(group, &key, &value, n, &r->call);
        clock_end(r, &c, i ? &row : NULL);
        if (good(status, &row) && good(roost_group_count(group, &count), &row)) row.wrong += count != row.distinct;
        row.verified += n;
        roost_group_destroy(group);
        if (status) break;
    }
    r->m->release(keys, n * 4);
    report(r, &row, 8);
}

static void group_rows(struct relations *r)
{
    const uint64_t n = r->p->keys;
    static const double skews[] = {0.5, 1.0, 1.5};
    snprintf(r->group, sizeof r->group, "%s/groups/%s", r->p->prefix, r->engine);
    if (!options_want_some(r->p->o, r->group)) return;
    group_row(r, "even-300000", 300000, n, 0);
    group_row(r, "even", n / 4, n, 0);
    for (size_t i = 0; i < sizeof skews / sizeof skews[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "zipf-%.1f", skews[i]);
        group_row(r, name, n / 4, n, skews[i]);
    }
}

void relations_rows(const struct place *p)
{
    for (size_t i = 0; p->o->only && i < sizeof engines / sizeof *engines; i++) {
        struct relations r = {.p = p, .m = p->machine, .engine = engines[i], .call = ROOST_CALL_INIT};
        if (p->o->engine ? strcmp(p->o->engine, engines[i]) : i > 2 && !p->o->figures) continue;
        r.call.stream = p->machine->stream();
        numbers_rows(&r);
        join_rows(&r);
        group_rows(&r);
    }
}
