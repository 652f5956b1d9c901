/* Which keys of a batch are hot: they come so often that the ranks that own them would get more
 * items than others.  A sample of the batch shows them.  In each round one item of a hot key
 * travels, with the values of all combined, and the statuses of the others are those of items that
 * came behind it.  So a value that is assigned is one of theirs. */
#include <string.h>

#include "batches/batches_travel.h"

enum {
    SAMPLE = 4096,
    PLACES = 2 * SAMPLE,
    HOT_LEAST = 4,     /* items of a hot key in the sample */
    PAYS = SAMPLE / 16 /* items of all hot keys in the sample, where combining pays */
};
_Static_assert(SAMPLE / HOT_LEAST <= HOT_MOST, "there are numbers for all hot keys");
_Static_assert((int)SAMPLE <= (int)HOT_SAMPLED, "each item of the sample is one of the batch");

/* What is found out about a batch. */
struct hot_sample {
    struct hot_index index; /* first: what the rounds keep */
    struct sampled item[SAMPLE];
    /* An open-addressed table of the sample's keys: one of a key's items, plus one, and how many it
     * has. */
    uint16_t some[PLACES], items[PLACES];
};

/* Keys that the table's machine reaches. */
static roost_status sample_take(struct batches_work *w, const struct batch *batch, struct sampled *sample)
{
    const size_t bytes = SAMPLE * sizeof *sample;
    void *memory = NULL;
    roost_status status = backend_allocate(w->b, bytes, &memory);
    if (status) return status;
    w->args.batch = *batch;
    w->args.travel.sample = (struct sampled *)memory;
    w->args.travel.stride = batch->n / SAMPLE;
    status = batches_launch(w, BATCHES_sample, SAMPLE);
    if (!status) status = backend_read(w->b, sample, memory, bytes);
    backend_release(w->b, memory, bytes);
    return status;
}

/* Keys in host memory are read there. */
static void sample_read(const struct batches_work *w, const struct batch *b, struct sampled *sample)
{
    for (uint64_t i = 0; i < SAMPLE; i++) {
        sample[i].key = load_width((int)b->key_bytes, b->keys, b->n / SAMPLE * i);
        sample[i].hash = owner_hash_word(w->args.travel.secret, sample[i].key, b->key_bytes);
    }
}

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

struct hot_index *travel_hot_keys(struct batches_work *w, const struct batch *batch, bool here)
{
    struct hot_sample *const s = (struct hot_sample *)host_new(&w->b->allocator, sizeof *s);
    const struct error_mark before = error_keep(w->b->error);
    roost_status status = ROOST_OK;
    if (!s) return NULL;
    if (here) sample_read(w, batch, s->item);
    else status = sample_take(w, batch, s->item);
    if (!status && hot_find(s) >= PAYS) return &s->index;
    error_restore(&before); /* without a sample items travel alone */
    travel_hot_free(w->b, &s->index);
    return NULL;
}

void travel_hot_free(const struct backend *b, struct hot_index *index)
{
    if (index) host_delete(&b->allocator, index, sizeof(struct hot_sample));
}
