/* Keys that collide, foreseen by a sample of a batch. */
#include "engines/crowd.h"

#include <math.h>
#include <string.h>

#include "engines/crowd_items.h"
#include "engines/engine.h"
#include "engines/policy.h"
#include "engines/seeds.h"

enum {
    /* Items of a batch.  A sample of fewer costs more than it saves, on a GPU by the wait for it. */
    LEAST = 1 << 10,
    LEAST_GPU = 1 << 13,
    EVERY = 8,    /* items for each key of the sample, */
    SAMPLE = 512, /* which has at most this many */
    PLACES = 1024,
    HOME_KEYS = 8 /* in a bucket, cell, list or group; some have a few times as many */
};

/* ---- Homes that keys share ------------------------------------------------------------------- */

/* Homes of the sample's keys, at open addresses. */
struct homes_seen {
    uint64_t home[PLACES], key[PLACES];
    bool taken[PLACES];
};

/* Adds a key.  True: another key has its home. */
static bool home_add(struct homes_seen *s, uint64_t home, uint64_t key)
{
    bool shared = false;
    uint64_t at = mix64(home) % PLACES;
    for (; s->taken[at]; at = (at + 1) % PLACES) {
        if (s->home[at] != home) continue;
        if (s->key[at] == key) return false;
        shared = true;
    }
    s->taken[at] = true;
    s->home[at] = home;
    s->key[at] = key;
    return shared;
}

/* Key i of n random ones meets one of the i before it with a probability of at most i / homes.  So
 * as many do as in a sum of independent trials of mean m = n^2 / (2 homes) at most, for which
 * P(k or more) < exp(-m) (e m / k)^k (Chernoff). */
uint64_t crowd_least(uint64_t n, uint64_t homes)
{
    const double mean = (double)n * (double)n / (2 * (double)homes), rare = log(HASHES_MOST) - log(ldexp(1, -40));
    double k = floor(mean) + 1;
    while (k * (log(k / mean) - 1) + mean < rare) k++;
    return (uint64_t)k;
}

/* Do too many of n keys meet another one in their home number `which`? */
static bool homes_crowd(const struct engine_table *t, const uint64_t *keys, uint64_t n, uint64_t homes, int which)
{
    const uint64_t least = crowd_least(n, homes);
    struct homes_seen seen;
    uint64_t met = 0;
    memset(&seen.taken, 0, sizeof seen.taken);
    for (uint64_t i = 0; i < n && met < least; i++) {
        uint64_t hash[HASHES_MOST];
        if (t->engine->hooks.hashes(t, keys[i], hash) <= which) return false;
        met += home_add(&seen, multiply_high64(hash[which], homes), keys[i]);
    }
    return met >= least;
}

/* ---- Samples --------------------------------------------------------------------------------- */

#if defined(ROOST_WITH_CUDA)
/* By way of memory of the GPU; where that is refused there is no sample. */
static roost_status sample_from_gpu(struct engine_table *t, struct crowd_sample *c)
{
    const struct error_mark before = error_keep(t->error);
    struct backend *b = t->backend;
    const size_t bytes = c->size * sizeof *c->taken;
    uint64_t *const keys = c->taken;
    void *memory;
    if (backend_allocate(b, bytes, &memory)) {
        error_restore(&before);
        c->size = 0;
        return ROOST_OK;
    }
    c->taken = (uint64_t *)memory;
    roost_status status = b->operations->launch(b, crowd_cuda_kernel(), c, sizeof *c, c->size);
    if (!status) status = backend_read(b, keys, memory, bytes);
    backend_release(b, memory, bytes);
    return status;
}
#endif

static roost_status sample_take(struct engine_table *t, struct crowd_sample *c)
{
#if defined(ROOST_WITH_CUDA)
    if (t->backend->ordinal >= 0) return sample_from_gpu(t, c);
#endif
    (void)t;
    for (uint32_t i = 0; i < c->size; i++) crowd_take(c, i);
    return ROOST_OK;
}

static bool may_be_chosen(const struct engine_table *t, const struct batch *batch)
{
    if (batch->n < (t->backend->operations->enqueues ? LEAST_GPU : LEAST) || batch->order || !width_is_word(t->key_bytes))
        return false;
    return t->sure_fill > 0 && policy_may_reseed(t) && seeds_invite(t);
}

/* The homes that a table of all these keys has, or a few times as many. */
static uint64_t homes_for(const struct engine_table *t, uint64_t n)
{
    const uint64_t keys = t->engine->hooks.count(t) + n;
    return (keys > t->floor_keys ? keys : t->floor_keys) / HOME_KEYS;
}

roost_status crowd_look(struct engine_table *t, const struct batch *batch, bool *crowded)
{
    uint64_t keys[SAMPLE];
    *crowded = false;
    if (!may_be_chosen(t, batch)) return ROOST_OK;
    struct crowd_sample c = {batch->keys, batch->n, seeds_secret(t), keys, SAMPLE, t->key_bytes};
    if (batch->n / EVERY < SAMPLE) c.size = (uint32_t)(batch->n / EVERY);
    const roost_status status = sample_take(t, &c);
    for (int i = 0; !status && c.size && !*crowded && i < HASHES_MOST; i++)
        *crowded = homes_crowd(t, keys, c.size, homes_for(t, batch->n), i);
    return status;
}
