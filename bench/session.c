/* A table under measurement: creates it, times calls by both clocks, and verifies the answers of
 * finds. */
#include "session.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <string.h>

/* ---- Tables ---------------------------------------------------------------------------------- */

static roost_type type_of(int bytes)
{
    return bytes == 0 ? ROOST_TYPE_NONE : bytes == 4 ? ROOST_TYPE_U32 : bytes == 8 ? ROOST_TYPE_U64 : ROOST_TYPE_BYTES;
}

roost_config table_config(const struct table_case *c, struct workload w)
{
    roost_config config;
    roost_config_init(&config, sizeof config);
    config.engine = c->engine;
    config.device = c->device;
    config.key_type = type_of(w.key_bytes);
    config.value_type = type_of(w.value_bytes);
    config.key_bytes = (size_t)w.key_bytes;
    config.value_bytes = (size_t)w.value_bytes;
    config.capacity = c->capacity ? c->capacity : w.keys;
    config.growth = !c->fixed;
    config.min_fill = 0.0;
    /* A utilisation says how full slab is; an upper bound below 0.85 makes it emptier.  By its
     * default bound compact is made for a load of 0.8. */
    const bool made = c->engine && strcmp(c->engine, "compact") == 0 && c->load == 0.8;
    if (!made && (!c->options || !strstr(c->options, "utilisation="))) config.max_fill = c->load;
    config.memory_limit = c->memory_limit;
    config.seed = w.seed;
    config.seed_given = 1;
    config.threads = c->threads;
    config.options = c->options;
    return config;
}

bool session_open(struct session *s, const struct table_case *c, struct arrays *a, const roost_config *config, struct row *row)
{
    *s = (struct session){.c = c, .a = a};
    roost_call_init(&s->call, sizeof s->call);
    s->call.space = c->machine->space;
    s->call.stream = c->machine->stream();
    roost_status status = roost_table_create(&s->table, config);
    if (status == ROOST_OK) return true;
    bool lacks = c->may_lack && (status == ROOST_ERR_UNSUPPORTED || status == ROOST_ERR_NOT_FOUND || status == ROOST_ERR_ARGUMENT);
    row_fail(row, lacks ? ROW_UNAVAILABLE : ROW_FAILED, "%s", roost_last_error(NULL));
    return false;
}

void session_close(struct session *s)
{
    roost_table_destroy(s->table);
    s->table = NULL;
}

struct numbers session_stats(const struct session *s) { return numbers_read(s->table); }

void row_describe(struct row *row, const struct session *s)
{
    snprintf(row->engine, sizeof row->engine, "%s", roost_table_engine(s->table));
    snprintf(row->options, sizeof row->options, "%s", s->c->options ? s->c->options : "");
    row->stats = session_stats(s);
    row->cache_bytes = s->c->cache_bytes;
}

/* ---- Timed calls ----------------------------------------------------------------------------- */

roost_status session_do(struct session *s, enum verb verb, const void *keys, const void *values, uint64_t n)
{
    if (verb == VERB_INSERT) return roost_insert(s->table, ROOST_ASSIGN, keys, values, n, &s->call);
    if (verb == VERB_ERASE) return roost_erase(s->table, keys, n, &s->call);
    roost_call find = s->call;
    find.flags = s->c->absent_keep ? ROOST_ABSENT_KEEP : 0;
    return roost_find(s->table, keys, n, s->a->answer, s->a->found, &find);
}

uint64_t workload_part(struct workload w, uint64_t part, uint64_t parts)
{
    return part + 1 < parts ? w.keys / parts : w.keys - w.keys / parts * part;
}

roost_status session_insert_range(struct session *s, uint64_t first, uint64_t n)
{
    const struct workload w = s->a->w;
    const char *keys = s->a->keys, *values = s->a->values;
    return session_do(s, VERB_INSERT, keys + first * (unsigned)w.key_bytes,
                      values ? values + first * (unsigned)w.value_bytes : NULL, n);
}

roost_status session_do_part(struct session *s, enum verb verb, uint64_t part, uint64_t parts)
{
    const struct workload w = s->a->w;
    const uint64_t first = w.keys / parts * part, n = workload_part(w, part, parts);
    if (verb == VERB_INSERT) return session_insert_range(s, first, n);
    return session_do(s, verb, (const char *)s->a->keys + first * (unsigned)w.key_bytes, NULL, n);
}

struct times times_start(const struct machine *m)
{
    m->wait();
    struct times t = {.start = machine_now()};
    m->clock_start();
    return t;
}

struct times times_start_insert(const struct session *s, uint64_t n)
{
    s->c->machine->ready(workload_pair_bytes(s->a->w, n));
    return times_start(s->c->machine);
}

roost_status session_finish(struct session *s, enum verb verb, struct times *t)
{
    const struct machine *m = s->c->machine;
    roost_status status = verb == VERB_FIND ? ROOST_OK : roost_table_sync(s->table, NULL);
    t->device_seconds = m->clock_stop();
    m->wait();
    t->seconds = machine_now() - t->start;
    return status;
}

bool session_good(const struct session *s, roost_status status, struct row *row)
{
    if (status == ROOST_OK) return true;
    row_fail(row, ROW_FAILED, "%s: %s", roost_status_name(status), roost_last_error(s->table));
    return false;
}

bool session_time(struct session *s, enum verb verb, const void *keys, const void *values, uint64_t n, struct row *failed,
                  struct row *row)
{
    struct times times = verb == VERB_INSERT ? times_start_insert(s, n) : times_start(s->c->machine);
    roost_status status = session_do(s, verb, keys, values, n);
    roost_status finished = session_finish(s, verb, &times);
    if (!session_good(s, status == ROOST_OK ? finished : status, failed)) return false;
    if (row) row_add_time(row, times.seconds, times.device_seconds);
    return true;
}

void session_poison(struct session *s, uint64_t n)
{
    const struct machine *m = s->c->machine;
    m->fill(s->a->found, BENCH_POISON, n);
    if (s->a->w.value_bytes) m->fill(s->a->answer, BENCH_POISON, n * (size_t)s->a->w.value_bytes);
    m->wait();
}

void session_verify(struct session *s, const void *queries, uint64_t n, bool half_erased, struct row *row)
{
    struct answers answers = {queries, s->a->found, s->a->answer, n, half_erased, s->c->absent_keep};
    row->wrong += s->c->machine->count_wrong(s->a->w, answers);
    row->verified += n;
}

void session_verify_count(const struct session *s, uint64_t expected, struct row *row)
{
    const uint64_t count = session_stats(s).count;
    if (count == expected) return;
    row->wrong++;
    snprintf(row->note, sizeof row->note, "the table counts %llu keys, not %llu", (unsigned long long)count,
             (unsigned long long)expected);
}

bool session_verify_all(struct session *s, bool half_erased, struct row *row)
{
    const uint64_t n = s->a->w.keys;
    session_poison(s, n);
    if (!session_time(s, VERB_FIND, s->a->keys, NULL, n, row, NULL)) return false;
    session_verify(s, s->a->keys, n, half_erased, row);
    session_verify_count(s, half_erased ? n - n / 2 : n, row);
    return true;
}

/* ---- Inserts and finds, measured ------------------------------------------------------------- */

enum { FIND_WARM_UPS = 1, FIND_REPETITIONS = 5 };

bool session_measure_insert(struct session *s, struct row *row)
{
    const struct arrays *a = s->a;
    if (!session_time(s, VERB_INSERT, a->keys, a->values, a->w.keys, row, row)) return false;
    row->items = a->w.keys;
    row_describe(row, s);
    if (!row->distinct) row->distinct = s->c->machine->count_distinct(a->w, a->keys, a->w.keys);
    return session_verify_all(s, false, row);
}

/* One more find, the only one that a profiler sees. It is verified but not timed, because
 * profilers run a kernel several times. */
static bool profile_find(struct session *s, bool half_erased, struct row *row)
{
    const struct arrays *a = s->a;
    session_poison(s, row->items);
    s->c->machine->profile(true);
    const bool good = session_time(s, VERB_FIND, a->query[0], NULL, row->items, row, NULL);
    s->c->machine->profile(false);
    if (good) session_verify(s, a->query[0], row->items, half_erased, row);
    return good;
}

/* For finds that are routed first: the average time of each part of one find. */
static void describe_routing(struct row *row, const struct numbers *before, const struct numbers *after, int finds)
{
    row->stats.route_seconds = (after->route_seconds - before->route_seconds) / finds;
    row->stats.routed_find_seconds = (after->routed_find_seconds - before->routed_find_seconds) / finds;
    if (!(row->stats.route_seconds > 0)) return;
    snprintf(row->note, sizeof row->note, "route %.3f ms + lookup %.3f ms = %.3f ms", 1e3 * row->stats.route_seconds,
             1e3 * row->stats.routed_find_seconds, 1e3 * (row->stats.route_seconds + row->stats.routed_find_seconds));
}

void row_describe_path(struct row *row)
{
    char how[sizeof row->note];
    if (!row->repetitions || row->state != ROW_UNUSED) return;
    snprintf(how, sizeof how, "%s", row->note);
    snprintf(row->note, sizeof row->note, "path: %s%s%.200s", how[0] ? "by region" : "direct", how[0] ? "; " : "", how);
}

void row_describe_write(struct row *row, double route_seconds, uint64_t calls)
{
    row->stats.route_seconds = route_seconds / (double)calls;
    if (!(route_seconds > 0)) snprintf(row->note, sizeof row->note, "path: direct");
    else
        snprintf(row->note, sizeof row->note, "path: by region; route %.3f ms of %.3f ms a call", 1e3 * row->stats.route_seconds,
                 1e3 * row_seconds(row));
}

bool session_measure_find(struct session *s, int hit_percent, bool half_erased, struct row *row)
{
    const struct machine *m = s->c->machine;
    const struct arrays *a = s->a;
    const uint64_t some = s->c->finds[hit_percent == 100 ? 0
                                      : hit_percent      ? 1
                                                         : 2],
                   n = some && some < a->queries ? some : a->queries;
    row->items = n;
    row_describe(row, s);
    for (int i = 0; i < 2; i++) {
        m->make_queries(a->w, (struct drawing){(uint64_t)(1 + i + 2 * hit_percent), hit_percent, 0}, n, a->query[i], NULL);
        uint64_t distinct = m->count_distinct(a->w, a->query[i], n);
        if (i == 0 || distinct < row->distinct) row->distinct = distinct;
    }
    const struct numbers before = session_stats(s);
    for (int i = 0; i < FIND_WARM_UPS + FIND_REPETITIONS; i++) {
        session_poison(s, n);
        if (!session_time(s, VERB_FIND, a->query[i % 2], NULL, n, row, i < FIND_WARM_UPS ? NULL : row)) return false;
        session_verify(s, a->query[i % 2], n, half_erased, row);
    }
    const struct numbers after = session_stats(s);
    describe_routing(row, &before, &after, FIND_WARM_UPS + FIND_REPETITIONS);
    row->counted_reads = (double)(after.bucket_reads - before.bucket_reads) / (double)((FIND_WARM_UPS + FIND_REPETITIONS) * n);
    return !s->c->profile || profile_find(s, half_erased, row);
}
