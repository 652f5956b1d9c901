/* Ranks of a table that are threads, over roost_comm_local. */
#include "support/members.h"

#include "comms/comm.h"
#include "support/draw.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

void expect_ok(struct member *m, roost_status status, const char *what)
{
    EXPECT(m, status == ROOST_OK, "%s: %s: %s", what, roost_status_name(status), roost_last_error(m->table));
}

static void *member_run(void *member)
{
    struct member *const m = (struct member *)member;
    m->body(m);
    return NULL;
}

void members_run(struct member *m, int ranks, void (*body)(struct member *m))
{
    pthread_t threads[MEMBERS_MOST];
    for (int r = 0; r < ranks; r++) {
        m[r].body = body;
        require(!pthread_create(&threads[r], NULL, member_run, &m[r]), "no thread %d", r);
    }
    for (int r = 0; r < ranks; r++) require(!pthread_join(threads[r], NULL), "thread %d", r);
    for (int r = 0; r < ranks; r++) require(!*m[r].wrong, "rank %d of %d: %s", r, ranks, m[r].wrong);
}

void table_open_all(struct member *m)
{
    m->config.comm = m->comm;
    expect_ok(m, roost_table_create(&m->table, &m->config), "create");
}

int members_send_messages;

void members_open(struct member *m, int ranks, const struct variant *variant, const roost_comm_limits *limits)
{
    char devices[sizeof "host," * MEMBERS_MOST] = "host";
    roost_comm *comms[MEMBERS_MOST];
    roost_comm_limits own = ROOST_COMM_LIMITS_INIT;
    if (limits) own = *limits;
    for (int r = 1; r < ranks; r++) strcat(devices, ",host");
    own.messages = members_send_messages;
    require_status(ROOST_OK, roost_comm_local(comms, ranks, devices, &own), NULL);
    for (int r = 0; r < ranks; r++) {
        m[r] = (struct member){.variant = variant, .comm = comms[r], .rank = r, .ranks = ranks, .number = variant->number};
        table_config(variant, &m[r].config);
        m[r].config.device = "host";
    }
}

void members_close(struct member *m, int ranks)
{
    for (int r = 0; r < ranks; r++) roost_table_destroy(m[r].table), roost_comm_free(m[r].comm);
}

void members_try(const struct variant *variant, int ranks, void (*body)(struct member *m))
{
    struct member m[MEMBERS_MOST];
    members_open(m, ranks, variant, NULL);
    members_run(m, ranks, body);
    members_close(m, ranks);
}

/* ---- Transports ------------------------------------------------------------------------------ */

static int frail_start(void *context, const roost_comm_exchange *exchange)
{
    struct frail *const f = (struct frail *)context;
    return f->exchanges++ == f->fails ? 1 : f->inner->start(f->inner->context, exchange);
}

static int frail_test(void *context, int *done)
{
    const struct frail *const f = (const struct frail *)context;
    return f->inner->test(f->inner->context, done);
}

static void frail_abort(void *context)
{
    const struct frail *const f = (const struct frail *)context;
    f->inner->abort(f->inner->context);
}

void frail_begin(struct frail *frail, struct member *m, int ranks, int failing, uint64_t at)
{
    for (int r = 0; r < ranks; r++) {
        frail[r] = (struct frail){m[r].comm, &comm_of(m[r].comm)->operations, 0, r == failing ? at : UINT64_MAX};
        const roost_comm_operations operations = {sizeof operations, &frail[r],   r,    ranks, frail_start,
                                                  frail_test,        frail_abort, NULL, 0};
        require_status(ROOST_OK, roost_comm_custom(&m[r].comm, &operations, NULL), NULL);
    }
}

void frail_end(const struct frail *frail, int ranks)
{
    for (int r = 0; r < ranks; r++) roost_comm_free(frail[r].comm);
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

struct arrays arrays_make(size_t n)
{
    const struct arrays a = {
        n, make_patterns(n + 1), make_patterns(2 * n + 2), make_patterns(2 * n + 2), make_bytes(n + 1), make_bytes(n + 1)};
    return a;
}

void arrays_free(struct arrays *a) { free(a->numbers), free(a->keys), free(a->values), free(a->statuses), free(a->found); }

static uint64_t value_of(uint64_t number) { return mix64(number) & 0xffff; }

void arrays_fill(struct arrays *a, const struct test_shape *shape)
{
    uint64_t *const patterns = make_patterns(a->n + 1);
    for (size_t i = 0; i < a->n; i++) patterns[i] = distinct_key(shape, a->numbers[i]);
    pack_keys(patterns, a->n, shape->key_bytes, a->keys);
    for (size_t i = 0; i < a->n; i++) patterns[i] = value_of(a->numbers[i]);
    pack(patterns, a->n, shape->value_bytes, a->values);
    free(patterns);
}
