/* Batches of mixed operations: one roost_apply on a table that holds all keys of the workload, each of its items verified. */
#include "session.h"

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

/* Times one mix into `row`, if it is not NULL; a failure goes into `failed`. */
static bool mix_time(struct session *s, const struct mix_arrays *a, uint64_t n, bool ordered, struct row *failed, struct row *row)
{
    roost_batch batch;
    roost_call call = s->call;
    roost_batch_init(&batch, sizeof batch);
    batch.operations = a->operations;
    batch.keys = a->keys;
    batch.values_in = a->values;
    batch.values_out = a->answers;
    batch.n = n;
    call.statuses = a->statuses;
    call.flags = ordered ? ROOST_ORDERED : 0;
    struct times times = times_start(s->c->machine);
    const roost_status status = roost_apply(s->table, &batch, &call);
    const roost_status finished = session_finish(s, VERB_INSERT, &times);
    if (!session_good(s, status == ROOST_OK ? finished : status, failed)) return false;
    if (row) row_add_time(row, times.seconds, times.device_seconds);
    return true;
}

/* The keys that a mix leaves: by the operations that it asked for. */
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

/* The batch's statuses and values; then its keys are looked up, and the table's keys counted. */
static bool mix_verify(struct session *s, struct mix mix, struct mix_arrays a, struct row *row)
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
    session_verify_count(s, mix_left(s, &a, mix.n), row);
    return true;
}

/* Of inserts and erases of one key: each ends in one of its two ways, one more at most was new than was erased, and the table says so. */
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

/* A table's first mixed batch makes lists for items that may have to wait: here one of finds, as a rule of other keys. */
static bool mix_warm(struct session *s, struct mix mix, const struct mix_arrays *a, struct row *failed)
{
    const struct machine *m = s->c->machine;
    mix.number = REPETITIONS;
    m->make_mix(s->a->w, mix, *a);
    m->fill(a->operations, ROOST_OP_FIND, mix.n);
    return mix_time(s, a, mix.n, false, failed, NULL);
}

/* A fresh table: after one mix it would not be the same to another. */
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
    else if (good) good = mix_verify(&s, mix, *arrays, row);
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
