/* Batches of mixed operations: one roost_apply on a table of all keys of the workload, with
 * every item verified; and slices of such batches on a table that fills up, beside inserts alone
 * and finds alone. */
#include "session.h"

#include <stdio.h>

enum { REPETITIONS = 3 };

static struct mix_arrays arrays_of_mix(const struct machine *m, struct workload w, uint64_t n)
{
    struct mix_arrays a;
    a.operations = m->allocate(n);
    a.statuses = m->allocate(n);
    a.found = m->allocate(n);
    a.keys = m->allocate(n * (size_t)w.key_bytes);
    a.values = m->allocate(n * (size_t)w.value_bytes);
    a.answers = m->allocate(n * (size_t)w.value_bytes);
    return a;
}

static void arrays_of_mix_free(const struct machine *m, struct workload w, uint64_t n, struct mix_arrays *a)
{
    m->release(a->operations, n);
    m->release(a->statuses, n);
    m->release(a->found, n);
    m->release(a->keys, n * (size_t)w.key_bytes);
    m->release(a->values, n * (size_t)w.value_bytes);
    m->release(a->answers, n * (size_t)w.value_bytes);
}

static void answers_poison(const struct session *s, const struct mix_arrays *a, uint64_t n)
{
    const struct machine *m = s->c->machine;
    m->fill(a->statuses, BENCH_POISON, n);
    m->fill(a->found, BENCH_POISON, n);
    m->fill(a->answers, BENCH_POISON, n * (size_t)s->a->w.value_bytes);
}

/* One call with n items, from `first` on. */
static roost_status mix_apply(struct session *s, const struct mix_arrays *a, uint64_t first, uint64_t n, bool ordered)
{
    const struct workload w = s->a->w;
    const uint64_t keys = first * (unsigned)w.key_bytes, values = first * (unsigned)w.value_bytes;
    roost_batch batch;
    roost_call call = s->call;
    roost_batch_init(&batch, sizeof batch);
    batch.operations = a->operations + first;
    batch.keys = (char *)a->keys + keys;
    batch.values_in = (char *)a->values + values;
    batch.values_out = (char *)a->answers + values;
    batch.n = n;
    call.statuses = a->statuses + first;
    call.flags = ordered ? ROOST_ORDERED : 0;
    return roost_apply(s->table, &batch, &call);
}

/* Times one mix into `row`, unless it is NULL; an error goes into `failed`. */
static bool mix_time(struct session *s, const struct mix_arrays *a, uint64_t n, bool ordered, struct row *failed, struct row *row)
{
    struct times times = times_start_insert(s, n);
    const roost_status status = mix_apply(s, a, 0, n, ordered);
    const roost_status finished = session_finish(s, VERB_INSERT, &times);
    if (!session_good(s, status == ROOST_OK ? finished : status, failed)) return false;
    if (row) row_add_time(row, times.seconds, times.device_seconds);
    return true;
}

/* The number of keys after a mix, computed from its operations. */
static uint64_t mix_left(const struct session *s, const struct mix_arrays *a, uint64_t n)
{
    const struct machine *m = s->c->machine;
    uint64_t keys = s->a->w.keys;
    for (uint64_t first = 0; first < 2; first++) {
        keys += m->count_status(a->operations, first, n, ROOST_OP_ASSIGN);
        keys -= m->count_status(a->operations, first, n, ROOST_OP_ERASE);
    }
    return keys;
}

/* Verifies the batch's statuses and values. Then looks up its keys, and checks the table's
 * count. */
static bool mix_verify(struct session *s, struct mix mix, struct mix_arrays a, uint64_t left, struct row *row)
{
    const struct machine *m = s->c->machine;
    struct mix_arrays of_batch = a;
    of_batch.found = NULL;
    row->wrong += m->count_mix_wrong(s->a->w, mix, of_batch);
    row->verified += mix.n;
    answers_poison(s, &a, mix.n);
    m->wait();
    if (!session_good(s, roost_find(s->table, a.keys, mix.n, a.answers, a.found, &s->call), row)) return false;
    m->wait();
    row->wrong += m->count_mix_wrong(s->a->w, mix, a);
    row->verified += mix.n;
    session_verify_count(s, left, row);
    return true;
}

/* Verifies inserts and erases of one key: each ends in one of its two ways. At most one more was
 * new than was erased, and the table's count agrees. */
static void one_key_verify(const struct session *s, uint64_t n, const struct mix_arrays *a, struct row *row)
{
    const struct machine *m = s->c->machine;
    const uint64_t fresh = m->count_status(a->statuses, 0, n, ROOST_ITEM_INSERTED),
                   again = m->count_status(a->statuses, 0, n, ROOST_ITEM_UPDATED),
                   erased = m->count_status(a->statuses, 1, n, ROOST_ITEM_ERASED),
                   absent = m->count_status(a->statuses, 1, n, ROOST_ITEM_ABSENT);
    row->verified += n;
    row->wrong += n - fresh - again - erased - absent;
    if (fresh - erased > 1) row->wrong++;
    session_verify_count(s, s->a->w.keys + fresh - erased, row);
}

/* A table's first mixed batch allocates lists for items that may have to wait. This warm-up is a
 * batch of finds, mostly of other keys. */
static bool mix_warm(struct session *s, struct mix mix, const struct mix_arrays *a, struct row *failed)
{
    const struct machine *m = s->c->machine;
    mix.number = REPETITIONS;
    m->make_mix(s->a->w, mix, *a);
    m->fill(a->operations, ROOST_OP_FIND, mix.n);
    return mix_time(s, a, mix.n, false, failed, NULL);
}

/* Uses a fresh table, because a mix changes the table. */
static bool mix_once(const struct table_case *c, struct arrays *a, struct mix mix, struct mix_arrays *arrays, bool ordered,
                     struct row *row)
{
    struct session s;
    const roost_config config = table_config(c, a->w);
    if (!session_open(&s, c, a, &config, row)) return false;
    bool good = session_time(&s, VERB_INSERT, a->keys, a->values, a->w.keys, row, NULL);
    row_describe(row, &s);
    good = good && mix_warm(&s, mix, arrays, row);
    c->machine->make_mix(a->w, mix, *arrays);
    answers_poison(&s, arrays, mix.n);
    good = good && mix_time(&s, arrays, mix.n, ordered, row, row);
    if (good && mix.one_key) one_key_verify(&s, mix.n, arrays, row);
    else if (good) good = mix_verify(&s, mix, *arrays, mix_left(&s, arrays, mix.n), row);
    session_close(&s);
    return good;
}

struct row table_measure_mix(const struct table_case *c, struct arrays *a, const char *name, struct mix mix, bool ordered)
{
    struct row row = row_make(name, c->unit);
    struct mix_arrays arrays = arrays_of_mix(c->machine, a->w, mix.n);
    row.items = row.distinct = mix.n;
    for (int i = 0; i < REPETITIONS; i++) {
        mix.number = (uint64_t)i;
        if (!mix_once(c, a, mix, &arrays, ordered, &row)) break;
    }
    arrays_of_mix_free(c->machine, a->w, mix.n, &arrays);
    return row;
}

/* ---- Slices ---------------------------------------------------------------------------------- */

enum slices { SLICES_INSERT, SLICES_FIND, SLICES_MIX };

/* One call with n items, from `first` on. */
static roost_status slice_call(struct session *s, enum slices kind, const struct mix_arrays *m, uint64_t first, uint64_t n)
{
    const struct arrays *a = s->a;
    const uint64_t keys = first * (unsigned)a->w.key_bytes, values = first * (unsigned)a->w.value_bytes;
    if (kind == SLICES_MIX) return mix_apply(s, m, first, n, false);
    if (kind == SLICES_INSERT) return session_insert_range(s, first, n);
    return roost_find(s->table, (char *)a->query[0] + keys, n, (char *)a->answer + values, a->found + first, &s->call);
}

/* Times all calls and then one synchronisation. */
static bool slices_time(struct session *s, enum slices kind, const struct mix_arrays *m, uint64_t items, uint64_t slice,
                        struct row *row)
{
    roost_status status = ROOST_OK;
    struct times times = kind == SLICES_FIND ? times_start(s->c->machine) : times_start_insert(s, items);
    for (uint64_t at = 0; at < items && status == ROOST_OK; at += slice)
        status = slice_call(s, kind, m, at, items - at < slice ? items - at : slice);
    const roost_status finished = session_finish(s, kind == SLICES_FIND ? VERB_FIND : VERB_INSERT, &times);
    if (!session_good(s, status == ROOST_OK ? finished : status, row)) return false;
    row_add_time(row, times.seconds, times.device_seconds);
    row->items = items;
    row_describe(row, s);
    return true;
}

/* Inserts all keys into a fresh table, then finds as many stored ones. */
static bool slices_separate(const struct table_case *c, struct arrays *a, const struct mix *mix, struct slice_rows *rows)
{
    const roost_config config = table_config(c, a->w);
    struct session s;
    if (!session_open(&s, c, a, &config, &rows->insert)) return false;
    bool good = slices_time(&s, SLICES_INSERT, NULL, mix->n / 2, mix->slice, &rows->insert);
    if (good) good = session_verify_all(&s, false, &rows->insert);
    c->machine->make_queries(a->w, (struct drawing){1, 100, 0}, mix->n / 2, a->query[0], NULL);
    session_poison(&s, mix->n / 2);
    if (good) good = slices_time(&s, SLICES_FIND, NULL, mix->n / 2, mix->slice, &rows->find);
    if (good) session_verify(&s, a->query[0], mix->n / 2, false, &rows->find);
    session_close(&s);
    return good;
}

static bool slices_mixed(const struct table_case *c, struct arrays *a, const struct mix *mix, struct mix_arrays *m,
                         struct slice_rows *rows)
{
    const roost_config config = table_config(c, a->w);
    struct session s;
    if (!session_open(&s, c, a, &config, &rows->mixed)) return false;
    answers_poison(&s, m, mix->n);
    const bool good =
        slices_time(&s, SLICES_MIX, m, mix->n, mix->slice, &rows->mixed) && mix_verify(&s, *mix, *m, mix->n / 2, &rows->mixed);
    session_close(&s);
    return good;
}

struct slice_rows table_measure_slices(const struct table_case *c, struct arrays *a, uint64_t slice)
{
    struct slice_rows rows;
    const uint64_t all = a->w.keys, slices = all / (slice / 2);
    struct mix mix = {.n = slices * slice, .slice = slice};
    char name[96];
    snprintf(name, sizeof name, "%s/insert", c->group);
    rows.insert = row_make(name, c->unit);
    snprintf(name, sizeof name, "%s/find-100", c->group);
    rows.find = row_make(name, c->unit);
    snprintf(name, sizeof name, "%s/mixed", c->group);
    rows.mixed = row_make(name, c->unit);
    if (!slices) row_fail(&rows.mixed, ROW_UNAVAILABLE, "a slice has more keys than the table");
    if (!slices) return rows;
    struct mix_arrays m = arrays_of_mix(c->machine, a->w, mix.n);
    a->w.keys = mix.n / 2; /* whole slices only; the remainder is left out */
    c->machine->make_mix(a->w, mix, m);
    for (int i = 0; i < REPETITIONS; i++)
        if (!slices_separate(c, a, &mix, &rows) || !slices_mixed(c, a, &mix, &m, &rows)) break;
    arrays_of_mix_free(c->machine, a->w, mix.n, &m);
    rows.insert.distinct = rows.find.distinct = rows.mixed.distinct = mix.n / 2;
    a->w.keys = all;
    return rows;
}
