/* Measures one table through the public C API, the same way on every machine: times the calls
 * and verifies every answer. */
#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WRITE_REPETITIONS = 3 };

static const int find_hits[TABLE_FIND_LEVELS] = {100, 50, 0};

/* ---- Arrays ---------------------------------------------------------------------------------- */

struct arrays arrays_make(const struct machine *m, struct workload w, uint64_t queries)
{
    if (queries < w.keys / 2) queries = w.keys / 2; /* erases need this number */
    struct arrays a = {.w = w, .queries = queries, .most_answers = queries > w.keys ? queries : w.keys};
    a.keys = m->allocate(w.keys * (size_t)w.key_bytes);
    a.values = w.value_bytes ? m->allocate(w.keys * (size_t)w.value_bytes) : NULL;
    for (int i = 0; i < 2; i++) a.query[i] = m->allocate(queries * (size_t)w.key_bytes);
    a.answer = w.value_bytes ? m->allocate(a.most_answers * (size_t)w.value_bytes) : NULL;
    a.found = m->allocate(a.most_answers);
    m->make_keys(w, 0, 1, w.keys, a.keys, a.values);
    return a;
}

void arrays_free(const struct machine *m, struct arrays *a)
{
    m->release(a->keys, a->w.keys * (size_t)a->w.key_bytes);
    m->release(a->values, a->w.keys * (size_t)a->w.value_bytes);
    for (int i = 0; i < 2; i++) m->release(a->query[i], a->queries * (size_t)a->w.key_bytes);
    m->release(a->answer, a->most_answers * (size_t)a->w.value_bytes);
    m->release(a->found, a->most_answers);
    memset(a, 0, sizeof *a);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Erases the keys of odd index, in order. */
static bool measure_erase(struct session *s, struct row *row)
{
    const struct arrays *a = s->a;
    const uint64_t n = a->w.keys / 2;
    const double before = session_stats(s).route_seconds;
    s->c->machine->make_keys(a->w, 1, 2, n, a->query[0], NULL);
    row_describe(row, s);
    row->items = n;
    if (!row->distinct) row->distinct = s->c->machine->count_distinct(a->w, a->query[0], n);
    if (!session_time(s, VERB_ERASE, a->query[0], NULL, n, row, row)) return false;
    row_describe_write(row, session_stats(s).route_seconds - before, 1);
    return session_verify_all(s, true, row);
}

static void rows_name(const struct table_case *c, struct table_rows *rows)
{
    char name[96];
    snprintf(name, sizeof name, "%s/insert", c->group);
    rows->insert = row_make(name, c->unit);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        snprintf(name, sizeof name, "%s/find-%d", c->group, find_hits[i]);
        rows->find[i] = row_make(name, c->unit);
    }
    snprintf(name, sizeof name, "%s/erase", c->group);
    rows->erase = row_make(name, c->unit);
    snprintf(name, sizeof name, "%s/find-erased", c->group);
    rows->find_erased = row_make(name, c->unit);
}

bool table_wanted(const struct options *o, const char *group)
{
    static const char *const endings[] = {"insert", "find-100", "find-50", "find-0", "erase", "find-erased"};
    char name[96];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        snprintf(name, sizeof name, "%s/%s", group, endings[i]);
        if (options_want(o, name)) return true;
    }
    return false;
}

static bool measure_finds(const struct options *o, struct session *s, struct table_rows *rows)
{
    for (int i = 0; i < TABLE_FIND_LEVELS; i++)
        if (options_want(o, rows->find[i].name) && !session_measure_find(s, find_hits[i], false, &rows->find[i])) return false;
    return true;
}

static bool measure_erases(const struct options *o, struct session *s, struct table_rows *rows, bool last)
{
    bool then_find = options_want(o, rows->find_erased.name);
    if (!then_find && !options_want(o, rows->erase.name)) return true;
    return measure_erase(s, &rows->erase) && (!last || !then_find || session_measure_find(s, 100, true, &rows->find_erased));
}

/* Measures one fresh table; the last one also answers the finds. */
static bool measure_once(const struct options *o, const struct table_case *c, struct arrays *a, bool last, struct table_rows *rows)
{
    struct session s;
    roost_config config = table_config(c, a->w);
    if (!session_open(&s, c, a, &config, &rows->insert)) return false;
    bool good = session_measure_insert(&s, &rows->insert);
    if (!c->insert_only) {
        if (good && last) good = measure_finds(o, &s, rows);
        if (good && !c->finds_only) good = measure_erases(o, &s, rows, last);
    }
    session_close(&s);
    return good;
}

struct table_rows table_measure(const struct options *o, const struct table_case *c, struct arrays *a)
{
    struct table_rows rows = {0};
    rows_name(c, &rows);
    bool writes = options_want(o, rows.insert.name) || options_want(o, rows.erase.name);
    const int repetitions = !writes || c->finds_only ? 1 : c->writes ? c->writes : WRITE_REPETITIONS;
    for (int i = 0; i < repetitions; i++)
        if (!measure_once(o, c, a, i == repetitions - 1, &rows)) break;
    return rows;
}

/* ---- Updates --------------------------------------------------------------------------------- */

/* The keys are inserted with their own numbers as values first. */
struct row table_measure_updates(const struct table_case *c, struct arrays *a, const char *name)
{
    struct row row = row_make(name, c->unit);
    const roost_config config = table_config(c, a->w);
    row.items = a->w.keys;
    row.distinct = c->machine->count_distinct(a->w, a->keys, a->w.keys);
    for (int i = 0; i < WRITE_REPETITIONS; i++) {
        struct session s;
        if (!session_open(&s, c, a, &config, &row)) break;
        bool good = session_time(&s, VERB_INSERT, a->keys, a->keys, a->w.keys, &row, NULL) &&
                    session_time(&s, VERB_INSERT, a->keys, a->values, a->w.keys, &row, &row);
        row_describe(&row, &s);
        good = good && session_verify_all(&s, false, &row);
        session_close(&s);
        if (!good) break;
    }
    return row;
}

/* ---- Batches with growth --------------------------------------------------------------------- */

static roost_config growing_config(const struct table_case *c, struct workload w)
{
    roost_config config = table_config(c, w);
    config.capacity = c->reserved ? w.keys : 0;
    config.min_fill = c->min_fill;
    config.max_fill = c->max_fill;
    return config;
}

/* Times all batches and then one synchronisation, which is what a user who streams batches waits
 * for. */
static bool batches_time(struct session *s, enum verb verb, uint64_t batches, struct row *row)
{
    roost_status status = ROOST_OK;
    struct times times = verb == VERB_INSERT ? times_start_insert(s, s->a->w.keys) : times_start(s->c->machine);
    for (uint64_t i = 0; i < batches && status == ROOST_OK; i++) status = session_do_part(s, verb, i, batches);
    roost_status finished = session_finish(s, verb, &times);
    if (!session_good(s, status == ROOST_OK ? finished : status, row)) return false;
    row_add_time(row, times.seconds, times.device_seconds);
    return true;
}

/* Checks the bounds of the fill.  The lower one does not bind a table of the size of its
 * creation. */
static void fill_check(const struct numbers *now, uint64_t created, const roost_config *config, uint64_t batch, struct row *row)
{
    const double rounding = 1e-9;
    const bool low = now->load_factor < config->min_fill - rounding && now->slots > created && !config->capacity;
    if (!low && now->load_factor <= config->max_fill + rounding) return;
    row_fail(row, ROW_WRONG, "fill %.4f after batch %llu", now->load_factor, (unsigned long long)batch);
}

/* The warm-up: synchronises after each batch, records the load factor, and checks it against the
 * bounds. */
static bool batches_watch(struct session *s, enum verb verb, uint64_t batches, uint64_t created, const roost_config *config,
                          struct row *row)
{
    free(row->fill);
    row->fill = calloc(batches, sizeof *row->fill);
    if (!row->fill) return false;
    row->batches = batches;
    for (uint64_t i = 0; i < batches; i++) {
        roost_status status = session_do_part(s, verb, i, batches);
        if (status == ROOST_OK) status = roost_table_sync(s->table, NULL);
        if (!session_good(s, status, row)) return false;
        const struct numbers now = session_stats(s);
        row->fill[i] = now.load_factor;
        fill_check(&now, created, config, i, row);
    }
    return true;
}

/* Inserts all keys; and, if these are not what is measured, erases them. */
static bool batches_run(struct session *s, bool erases, bool watch, uint64_t batches, const roost_config *config, struct row *row)
{
    const uint64_t created = session_stats(s).slots;
    const enum verb verb = erases ? VERB_ERASE : VERB_INSERT;
    if (erases && !session_time(s, VERB_INSERT, s->a->keys, s->a->values, s->a->w.keys, row, NULL)) return false;
    if (erases && !session_verify_all(s, false, row)) return false;
    const bool good = watch ? batches_watch(s, verb, batches, created, config, row) : batches_time(s, verb, batches, row);
    row_describe(row, s);
    if (!good || !erases) return good && session_verify_all(s, false, row);
    session_verify_count(s, 0, row);
    return true;
}

struct row table_measure_batches(const struct table_case *c, struct arrays *a, const char *name, uint64_t batches, bool erases)
{
    struct row row = row_make(name, c->unit);
    const roost_config config = growing_config(c, a->w);
    row.items = a->w.keys;
    row.distinct = c->machine->count_distinct(a->w, a->keys, a->w.keys);
    for (int i = 0; i < 1 + WRITE_REPETITIONS; i++) {
        struct session s;
        if (!session_open(&s, c, a, &config, &row)) break;
        const bool good = batches_run(&s, erases, i == 0, batches, &config, &row);
        session_close(&s);
        if (!good) break;
    }
    return row;
}
