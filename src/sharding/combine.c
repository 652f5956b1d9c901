/* Equal keys of a rank's batch travel once: a key that all items have costs its owner one of them.
 *
 * A sample of the batch tells which keys are hot: they come so often that their owners would get
 * more items than others.  In each round the first item of a hot key travels, with the values of
 * all combined, and the statuses of the others are those of items that came behind it.  So a value
 * that is assigned is one of theirs. */
#include <stdlib.h>
#include <string.h>

#include "sharding/round.h"

enum {
    SAMPLE = 4096,
    PLACES = 2 * SAMPLE,
    LEAST = 1 << 14,    /* items of a batch: in fewer nothing is saved */
    HOT_LEAST = 4,      /* items of a hot key in the sample */
    PAYS = SAMPLE / 16, /* items of all hot keys in the sample, where combining pays */
};
_Static_assert(SAMPLE / HOT_LEAST <= HOT_MOST, "there are numbers for all hot keys");

static bool may_combine(const struct rounds *r)
{
    const bool one = r->of == COLLECTIVE_INSERT || r->of == COLLECTIVE_FIND || r->of == COLLECTIVE_ERASE;
    const int key = r->t->key_bytes, value = r->t->value_bytes;
    return one && r->b->n >= LEAST && !(r->call->flags & ROOST_ORDERED) && width_is_word(key) && (!value || width_is_word(value));
}

/* ---- The sample ------------------------------------------------------------------------------ */

/* Keys that the table's machine reaches. */
static roost_status sample_take(struct rounds *r, struct sampled *sample)
{
    struct backend *const b = r->t->backend;
    struct batches_work *const w = &r->flight[0].w;
    void *memory = NULL;
    const size_t bytes = SAMPLE * sizeof *sample;
    roost_status status = backend_allocate(b, bytes, &memory);
    if (status) return status;
    w->args.batch = *r->b;
    w->args.travel.sample = (struct sampled *)memory;
    w->args.travel.stride = r->b->n / SAMPLE;
    status = batches_launch(w, BATCHES_sample, SAMPLE);
    if (!status) status = backend_read(b, sample, memory, bytes);
    backend_release(b, memory, bytes);
    return status;
}

/* Keys in host memory are read there. */
static void sample_read(const struct rounds *r, struct sampled *sample)
{
    const unsigned char *const keys = (const unsigned char *)r->b->keys;
    const int width = r->t->key_bytes;
    for (uint64_t i = 0; i < SAMPLE; i++) {
        const uint64_t item = r->b->n / SAMPLE * i;
        sample[i].key = load_width(width, keys, item);
        sample[i].hash = owner_hash_word(r->g->owners, sample[i].key, (uint32_t)width);
    }
}

/* What is found out about a batch. */
struct hot_sample {
    struct hot_index index; /* first: what the rounds keep */
    struct sampled item[SAMPLE];
    /* An open-addressed table of the sample's keys: one of a key's items, plus one, and how many it
     * has. */
    uint16_t some[PLACES], items[PLACES];
};

static void sample_count(struct hot_sample *s)
{
    memset(s->some, 0, sizeof s->some);
    memset(s->items, 0, sizeof s->items);
    for (int i = 0; i < SAMPLE; i++) {
        uint32_t at = s->item[i].hash % PLACES;
        while (s->some[at] && s->item[s->some[at] - 1].key != s->item[i].key) at = (at + 1) % PLACES;
        s->some[at] = (uint16_t)(i + 1);
        s->items[at]++;
    }
}

/* Puts the hot keys into the index.  Returns how many items of the sample are theirs. */
static int hot_find(struct hot_sample *s)
{
    int items = 0;
    uint16_t keys = 0;
    sample_count(s);
    memset(s->index.number, 0xff, sizeof s->index.number); /* HOT_NONE */
    for (int p = 0; p < PLACES; p++) {
        if (s->items[p] < HOT_LEAST) continue;
        const struct sampled *const some = &s->item[s->some[p] - 1];
        const uint32_t at = hot_place(&s->index, some->hash, some->key);
        s->index.key[at] = some->key;
        s->index.number[at] = keys++;
        items += s->items[p];
    }
    return items;
}

static bool sampled(struct rounds *r, struct sampled *sample)
{
    if (array_on_device(r->t, r->b->keys, r->call)) return r->user[USER_KEYS].reached && !sample_take(r, sample);
    sample_read(r, sample);
    return true;
}

struct hot_index *combine_pays(struct rounds *r)
{
    struct hot_sample *const s = may_combine(r) ? (struct hot_sample *)malloc(sizeof *s) : NULL;
    if (!s) return NULL;
    const struct error_mark before = error_keep(&r->t->error);
    if (sampled(r, s->item) && hot_find(s) >= PAYS) return &s->index;
    error_restore(&before);
    free(s);
    return NULL;
}

/* ---- A round --------------------------------------------------------------------------------- */

roost_status combine_items(struct rounds *r, struct flight *f)
{
    const uint8_t mode = r->b->mode;
    const bool combined = mode == ROOST_ADD || mode == ROOST_MIN || mode == ROOST_MAX;
    return travel_combine(&f->w, f->n, combined && r->bytes[VALUES]);
}
