/* Figures of Stadium's paper on tables in the GPU's memory, and tables of a fixed size:
 * - load factors up to 1
 * - inserts chunk by chunk in the two ways of its hybrid (Figure 13, Table I)
 * - mixed slices beside separate ones (Figure 15)
 * - lookups without tickets (Figure 18)
 * - sizes of keys and values (Figure 19) */
#include "stadium_rows.h"

#include <stdio.h>
#include <string.h>

/* ---- Tables of a fixed size ------------------------------------------------------------------ */

/* Counts the items of an array of statuses, or of flags, that have this value. */
static uint64_t count_all(const struct machine *m, const uint8_t *bytes, uint64_t n, uint8_t value)
{
    return m->count_status(bytes, 0, n, value) + m->count_status(bytes, 1, n, value);
}

/* Inserts the keys from `first` up to `last` in one timed call. The statuses go where the flags
 * of finds go later. */
static bool fixed_insert(struct session *s, uint64_t first, uint64_t last, struct times *sum, uint64_t *full, struct row *row)
{
    const struct arrays *a = s->a;
    const uint64_t n = last - first;
    roost_call call = s->call;
    call.statuses = a->found;
    struct times times = times_start_insert(s, n);
    const roost_status status = roost_insert(s->table, ROOST_ASSIGN, (char *)a->keys + first * (unsigned)a->w.key_bytes,
                                             (char *)a->values + first * (unsigned)a->w.value_bytes, n, &call);
    const roost_status finished = session_finish(s, VERB_INSERT, &times);
    if (status != ROOST_ERR_FULL && !session_good(s, status, row)) return false;
    if (finished != ROOST_ERR_FULL && !session_good(s, finished, row)) return false;
    sum->seconds += times.seconds;
    sum->device_seconds += times.device_seconds;
    *full = count_all(s->c->machine, a->found, n, ROOST_ITEM_FULL);
    row->verified += n;
    row->wrong += n - *full - count_all(s->c->machine, a->found, n, ROOST_ITEM_INSERTED);
    return true;
}

/* Looks up all keys. As many must be absent as found no room, and all others must have their
 * values. */
static bool fixed_verify(struct session *s, uint64_t full, struct row *row)
{
    const struct machine *m = s->c->machine;
    const uint64_t n = s->a->w.keys;
    struct row answers = row_make(row->name, row->unit);
    session_poison(s, n);
    if (!session_time(s, VERB_FIND, s->a->keys, NULL, n, row, NULL)) return false;
    session_verify(s, s->a->keys, n, false, &answers);
    row->verified += n;
    row->wrong += answers.wrong > full ? answers.wrong - full : full - answers.wrong;
    row->wrong += count_all(m, s->a->found, n, 0) != full;
    session_verify_count(s, n - full, row);
    return true;
}

/* Inserts `load` times as many keys as the table has slots. All but a hundredth go first; these
 * are guaranteed to find room, so the finds use them. */
static bool fixed_fill(struct session *s, double load, struct row *row)
{
    struct arrays *a = s->a;
    const uint64_t asked = (uint64_t)(load * (double)session_stats(s).slots), keys = asked < a->w.keys ? asked : a->w.keys;
    uint64_t full[2] = {0, 0};
    a->w.keys = keys;
    row->items = row->distinct = keys;
    struct times sum = {0, 0, 0};
    if (!fixed_insert(s, 0, keys - keys / 100, &sum, &full[0], row) ||
        !fixed_insert(s, keys - keys / 100, keys, &sum, &full[1], row))
        return false;
    row_add_time(row, sum.seconds, sum.device_seconds);
    row_describe(row, s);
    if (!fixed_verify(s, full[0] + full[1], row)) return false;
    if (row->state == ROW_UNUSED && !row->wrong)
        snprintf(row->note, sizeof row->note, "load factor %.6f; %llu keys found no room", row->stats.load_factor,
                 (unsigned long long)(full[0] + full[1]));
    a->w.keys -= keys / 100;
    if (full[0]) row_fail(row, ROW_FAILED, "%llu of the first keys found no room", (unsigned long long)full[0]);
    return !full[0];
}

/* Without growth an engine has more slots than the keys that it is made for. The capacity is
 * chosen so that `load` of the slots are at most the arrays' keys. */
static uint64_t fixed_capacity(uint64_t keys, double load)
{
    enum { ROUNDING = 20000 }; /* slots; rounding up to the next prime number of groups */
    const double reach = 0.97, slots = (double)keys / load - ROUNDING;
    return slots > 1000 ? (uint64_t)(reach * slots) : (uint64_t)(0.5 * (double)keys);
}

static void measure_fixed(const struct place *p, const struct arrays *all, double load)
{
    static const int hits[TABLE_FIND_LEVELS] = {100, 50, 0};
    char group[64], name[96];
    struct arrays a = *all;
    struct session s;
    snprintf(group, sizeof group, "%s/stadium-fixed-%.2f", p->prefix, load);
    if (!table_wanted(p->o, group)) return;
    struct table_case c = stadium_case(p, group, 1, NULL);
    c.capacity = fixed_capacity(a.w.keys, load);
    c.fixed = true;
    /* A miss visits as many groups as any insert did. */
    for (int i = 1; load >= 1 && i < TABLE_FIND_LEVELS; i++) c.finds[i] = a.queries / 20;
    const roost_config config = table_config(&c, a.w);
    snprintf(name, sizeof name, "%s/insert", group);
    struct row row = row_make(name, c.unit);
    if (!session_open(&s, &c, &a, &config, &row)) {
        report_row(p->o, row);
        return;
    }
    bool good = fixed_fill(&s, load, &row);
    stadium_limit_insert(p, &row);
    report_row(p->o, row);
    for (int i = 0; good && i < TABLE_FIND_LEVELS; i++) {
        snprintf(name, sizeof name, "%s/find-%d", group, hits[i]);
        row = row_make(name, c.unit);
        good = session_measure_find(&s, hits[i], false, &row);
        stadium_limit_find(p, &row, 0.01 * hits[i]);
        report_row(p->o, row);
    }
    session_close(&s);
}

/* ---- The hybrid of Stash and clStash (section III-C2, Figure 13, Table I) -------------------- */

enum { CHUNKS = 50 };

/* Inserts one of CHUNKS equal parts of the keys into a table that has the earlier parts; a row
 * of its own. */
static struct row insert_chunk(struct session *s, const struct place *p, const char *driver, uint64_t chunk)
{
    char name[96];
    snprintf(name, sizeof name, "%s/stadium-hybrid/%s/chunk-%02llu", p->prefix, driver, (unsigned long long)chunk);
    struct row row = row_make(name, s->c->unit);
    row.items = row.distinct = workload_part(s->a->w, chunk, CHUNKS);
    struct times times = times_start_insert(s, row.items);
    const roost_status status = session_do_part(s, VERB_INSERT, chunk, CHUNKS), finished = session_finish(s, VERB_INSERT, &times);
    if (session_good(s, status ? status : finished, &row)) row_add_time(&row, times.seconds, times.device_seconds);
    row_describe(&row, s);
    stadium_describe(&row, 0);
    return row;
}

/* The last chunk's row has the verification of all chunks. */
static void measure_chunks(const struct place *p, struct arrays *a, const char *driver, const char *options)
{
    struct table_case c = stadium_case(p, "stadium-hybrid", 0.95, options);
    char group[64];
    struct session s;
    snprintf(group, sizeof group, "%s/stadium-hybrid/%s", p->prefix, driver);
    if (!options_want_some(p->o, group)) return;
    const roost_config config = table_config(&c, a->w);
    struct row row = row_make(group, c.unit);
    if (!session_open(&s, &c, a, &config, &row)) {
        report_row(p->o, row);
        return;
    }
    for (uint64_t i = 0; i < CHUNKS; i++) {
        row = insert_chunk(&s, p, driver, i);
        stadium_limit_insert(p, &row);
        if (i == CHUNKS - 1) session_verify_all(&s, false, &row);
        report_row(p->o, row);
    }
    session_close(&s);
}

/* `stash` is the paper's insert by single lanes, one ticket at a time. The threshold of `hybrid`
 * need not agree with bench/hybrid-fit. */
static void measure_hybrid(const struct place *p, struct arrays *a)
{
    static const char *const drivers[][2] = {{"lane", "insert=lane1"},
                                             {"collaborate", "insert=collaborate1"},
                                             {"hybrid", "hybrid=0.7"},
                                             {"stash", "probe=double,ticket=4"}};
    for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) measure_chunks(p, a, drivers[i][0], drivers[i][1]);
}

/* ---- Mixed slices (Figure 15) ---------------------------------------------------------------- */

static void measure_slices(const struct place *p, struct arrays *a)
{
    enum { SLICE = 1562 * 2 * MIX_GROUP }; /* 99968 operations */
    char group[64];
    snprintf(group, sizeof group, "%s/stadium-slices", p->prefix);
    if (!options_want_some(p->o, group)) return;
    const struct table_case c = stadium_case(p, group, 0.80, NULL);
    struct slice_rows rows = table_measure_slices(&c, a, SLICE);
    stadium_limit_insert(p, &rows.insert);
    stadium_limit_find(p, &rows.find, 1);
    if (rows.mixed.repetitions && rows.insert.limit > 0 && rows.find.limit > 0) {
        char name[64];
        snprintf(name, sizeof name, "%.31s,%.31s", rows.find.limit_name, rows.insert.limit_name);
        row_set_limit(&rows.mixed, name, 2 / (1 / rows.find.limit + 1 / rows.insert.limit));
    }
    report_row(p->o, rows.insert);
    report_row(p->o, rows.find);
    report_row(p->o, rows.mixed);
    if (rows.mixed.repetitions && rows.find.repetitions)
        place_ratio(p, group, "separate/mixed", (row_seconds(&rows.insert) + row_seconds(&rows.find)) / row_seconds(&rows.mixed),
                    "time of inserts and of finds alone over that of both mixed");
}

/* ---- Lookups without tickets (Figure 18) ----------------------------------------------------- */

static void measure_lookups(const struct place *p, struct arrays *a)
{
    static const char *const variants[] = {"lookup=pairs", "probe=double,lookup=pairs"};
    char group[80];
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        snprintf(group, sizeof group, "%s/stadium-0.80[%s]", p->prefix, variants[i]);
        struct table_case c = stadium_case(p, group, 0.80, variants[i]);
        c.finds_only = true;
        stadium_table(p, a, &c);
    }
}

void stadium_figure_rows(const struct place *p, struct arrays *a)
{
    static const double loads[] = {0.80, 0.85, 0.90, 0.95, 1.00};
    if (!place_wants(p, "stadium")) return;
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) measure_fixed(p, a, loads[i]);
    measure_hybrid(p, a);
    measure_slices(p, a);
    measure_lookups(p, a);
}

/* ---- Sizes of keys and values (Figure 19) ---------------------------------------------------- */

static void measure_size(const struct place *p, const char *table, uint64_t keys, int key_bytes, int value_bytes,
                         const char *options)
{
    const struct workload w = {.seed = p->o->seed, .keys = keys, .key_bytes = key_bytes, .value_bytes = value_bytes};
    char group[80];
    snprintf(group, sizeof group, "%s/%s/%d+%d", p->prefix, table, key_bytes, value_bytes);
    if (!table_wanted(p->o, group)) return;
    struct arrays a = arrays_make(p->machine, w, keys);
    struct table_case c = stadium_case(p, group, 0.85, options);
    /* The rows of sizes that this engine does not store say so. */
    c.may_lack = true;
    stadium_table(p, &a, &c);
    arrays_free(p->machine, &a);
}

void stadium_size_rows(const struct place *p)
{
    static const int in_core[][2] = {{4, 4}, {8, 4},  {16, 4}, {32, 4}, {64, 4}, {128, 4},
                                     {4, 8}, {4, 16}, {4, 32}, {4, 64}, {4, 128}};
    static const int on_host[][2] = {{4, 4}, {16, 4}, {128, 4}, {4, 16}, {4, 128}};
    if (!place_wants(p, "stadium")) return;
    for (size_t i = 0; i < sizeof in_core / sizeof in_core[0]; i++)
        measure_size(p, "stadium-sizes-0.85", p->keys / 4, in_core[i][0], in_core[i][1], NULL);
    for (size_t i = 0; !p->threads && i < sizeof on_host / sizeof on_host[0]; i++)
        measure_size(p, "stadium-host-sizes-0.85", p->keys / 12, on_host[i][0], on_host[i][1], "memory=host,ticket=16");
}
