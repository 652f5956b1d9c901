/* Equal keys of a rank's batch travel once: a key that all items have costs its owner one of them.
 *
 * A sample tells whether that pays.  Then each round sorts its items by a hash of their keys, the
 * first of equal ones becomes their leader, and the others add their values to its copy.  Leaders
 * travel; the statuses of the others are those of items that came behind them.  So a value that is
 * assigned is one of the others. */
#include <stdlib.h>
#include <string.h>

#include "sharding/round.h"

enum {
    SAMPLE = 1024,
    LEAST = 1 << 14,    /* items of a batch: in fewer nothing is saved */
    DISTINCT_MOST = 768 /* keys of the sample, where combining pays */
};

/* ---- Whether it pays ------------------------------------------------------------------------- */

static bool may_combine(const struct rounds *r)
{
    const bool one = r->of == COLLECTIVE_INSERT || r->of == COLLECTIVE_FIND || r->of == COLLECTIVE_ERASE;
    const int key = r->t->key_bytes, value = r->t->value_bytes;
    return one && r->b->n >= LEAST && !(r->call->flags & ROOST_ORDERED) && width_is_word(key) && (!value || width_is_word(value));
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool repeats(uint64_t *hashes)
{
    int distinct = 1;
    qsort(hashes, SAMPLE, sizeof *hashes, compare);
    for (int i = 1; i < SAMPLE; i++) distinct += hashes[i] != hashes[i - 1];
    return distinct <= DISTINCT_MOST;
}

/* Hashes of some keys that the table's machine reaches. */
static roost_status sample_take(struct rounds *r, uint64_t *hashes)
{
    struct backend *const b = r->t->backend;
    struct batches_args *const a = &r->w.args;
    void *memory = NULL;
    roost_status status = backend_allocate(b, SAMPLE * sizeof *hashes, &memory);
    if (status) return status;
    a->batch = *r->b;
    a->sorted = memory;
    a->stride = r->b->n / SAMPLE;
    status = batches_launch(&r->w, BATCHES_sample, SAMPLE);
    if (!status) status = backend_read(b, hashes, memory, SAMPLE * sizeof *hashes);
    backend_release(b, memory, SAMPLE * sizeof *hashes);
    return status;
}

/* Keys in host memory are read there. */
static void sample_read(const struct rounds *r, uint64_t *hashes)
{
    const unsigned char *const keys = (const unsigned char *)r->b->keys;
    const uint64_t stride = r->b->n / SAMPLE * (unsigned)r->t->key_bytes;
    for (uint64_t i = 0; i < SAMPLE; i++) hashes[i] = owner_hash(r->g->owners, keys + i * stride, (uint32_t)r->t->key_bytes);
}

bool combine_pays(struct rounds *r)
{
    uint64_t hashes[SAMPLE];
    if (!may_combine(r)) return false;
    const struct error_mark before = error_keep(&r->t->error);
    if (!array_on_device(r->t, r->b->keys, r->call)) sample_read(r, hashes);
    else if (!r->user[USER_KEYS].reached || sample_take(r, hashes)) return error_restore(&before), false;
    return repeats(hashes);
}

/* ---- A round --------------------------------------------------------------------------------- */

/* Values are combined in a copy, which the leaders' are gathered from. */
static roost_status values_join(struct rounds *r, uint64_t n)
{
    struct batches_work *const w = &r->w;
    void *const copy = w->part[PART_RUN_VALUES];
    if (!r->column[VALUES].bytes || r->b->mode == ROOST_KEEP) return ROOST_OK;
    roost_status status = w->b->operations->copy(w->b, copy, w->args.batch.values_in, n * (unsigned)r->column[VALUES].bytes);
    w->args.columns.values_in = copy;
    if (!status) status = batches_launch(w, BATCHES_join, n);
    w->args.batch.values_in = copy;
    return status;
}

roost_status combine_items(struct rounds *r, uint64_t n)
{
    struct batches_work *const w = &r->w;
    w->args.leaders = (uint32_t *)w->part[PART_RUNS];
    roost_status status = batches_launch(w, BATCHES_hash, n);
    if (!status) status = batches_sort_items(w, 8, 64);
    if (!status) status = batches_launch(w, BATCHES_lead, n);
    if (!status) status = values_join(r, n);
    batches_place(w); /* the sort has moved what the next one begins with */
    return status;
}

roost_status combine_answers(struct rounds *r, uint64_t n)
{
    struct batches_work *const w = &r->w;
    const struct batch all = w->args.batch;
    w->args.answers = (uint8_t *)w->part[PART_RUN_FATES];
    w->args.batch.statuses = w->args.answers;
    w->args.batch.found = NULL;
    roost_status status = batches_launch(w, BATCHES_scatter, r->travelling);
    w->args.batch = all;
    return status ? status : batches_launch(w, BATCHES_follow, n);
}
