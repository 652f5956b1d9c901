/* The steps of items on their way to the owners of their keys. */
#include "batches/batches_travel.h"

#include <string.h>

enum { REFUSALS = 2, FACTOR = 8 /* items of a chunk, for each owner */ };

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t words_of(size_t bytes) { return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t); }

/* The places of all chunks stay small against the items, however many owners there are. */
static uint32_t chunk_of(uint32_t bins)
{
    uint32_t chunk = TRAVEL_CHUNK;
    while (chunk / FACTOR < bins) chunk *= 2;
    return chunk;
}

static uint32_t chunks_of(const struct batches_work *w, uint64_t n)
{
    return (uint32_t)((n + w->args.travel.chunk - 1) / w->args.travel.chunk);
}

static bool combines(const struct batches_work *w) { return w->args.bins > w->args.travel.owners; }

/* What lies in args.words, one behind another. */
enum { WORDS_BINS, WORDS_ENDS, WORDS_PLACES, WORDS_HOT, WORDS };
static void words_plan(const struct batches_work *w, size_t words[WORDS])
{
    const uint32_t bins = w->args.bins;
    words[WORDS_BINS] = (size_t)bins + REFUSALS;
    words[WORDS_ENDS] = words_of(w->args.travel.owners * sizeof(struct travel_end));
    words[WORDS_PLACES] = words_of((size_t)bins * chunks_of(w, w->room) * sizeof(uint32_t));
    words[WORDS_HOT] = combines(w) ? words_of(sizeof(struct hot_keys)) : 0;
}

roost_status travel_plan(struct batches_work *w)
{
    size_t words[WORDS];
    w->args.travel.chunk = chunk_of(w->args.bins);
    words_plan(w, words);
    w->words = 0;
    for (int i = 0; i < WORDS; i++) w->words += words[i];
    return batches_scan_scratch(w->b, 4, (uint64_t)w->args.bins * chunks_of(w, w->room), &w->sort.scratch_bytes);
}

void travel_place(struct batches_work *w)
{
    struct travel *const t = &w->args.travel;
    size_t words[WORDS];
    batches_place(w);
    words_plan(w, words);
    uint64_t *const ends = w->args.words + words[WORDS_BINS], *const places = ends + words[WORDS_ENDS];
    t->ends = (struct travel_end *)(void *)ends;
    t->places = (uint32_t *)(void *)places;
    t->bins = (uint16_t *)w->part[TRAVEL_BINS];
    t->places_of = (uint32_t *)w->part[TRAVEL_PLACES];
    t->hot = combines(w) ? (uint16_t *)w->part[TRAVEL_HOT] : NULL;
    t->hot_keys = combines(w) ? (struct hot_keys *)(void *)(places + words[WORDS_PLACES]) : NULL;
    t->hot_sums = false;
    t->room = 0;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

roost_status travel_combine(struct batches_work *w, uint64_t n, bool sums)
{
    struct travel *const t = &w->args.travel;
    roost_status status = w->b->operations->fill(w->b, t->hot_keys->first, 0, sizeof t->hot_keys->first);
    if (!status) status = batches_launch(w, BATCHES_hot, chunks_of(w, n));
    t->hot_sums = sums;
    if (!status && sums) status = batches_launch(w, BATCHES_hot_begin, (uint64_t)HOT_SUMS * HOT_MOST);
    if (!status && sums) status = batches_launch(w, BATCHES_hot_add, n);
    if (!status && sums) status = batches_launch(w, BATCHES_hot_end, HOT_MOST);
    return status;
}

roost_status travel_split(struct batches_work *w, uint64_t n)
{
    struct travel *const t = &w->args.travel;
    t->chunks = chunks_of(w, n);
    const uint64_t counts = (uint64_t)w->args.bins * t->chunks;
    roost_status status = w->b->operations->fill(w->b, t->places, 0, counts * sizeof *t->places);
    if (!status) status = batches_launch(w, BATCHES_owner, t->chunks);
    if (!status) status = batches_scan(w->b, 4, t->places, counts, w->sort.scratch, w->sort.scratch_bytes);
    return status ? status : batches_launch(w, BATCHES_bins, (uint64_t)w->args.bins + 1);
}

roost_status travel_counts(struct batches_work *w, uint64_t *words) { return batches_read_words(w, words, (int)w->args.bins + 1); }

roost_status travel_send(struct batches_work *w, const struct travel_end *ends)
{
    struct travel *const t = &w->args.travel;
    const roost_status status = w->b->operations->copy(w->b, t->ends, ends, t->owners * sizeof *ends);
    return status ? status : batches_launch(w, BATCHES_send, t->chunks);
}

roost_status travel_post(struct batches_work *w, uint64_t n, uint32_t room, const struct travel_end *ends)
{
    struct travel *const t = &w->args.travel;
    t->chunks = n ? chunks_of(w, n) : 1;
    t->room = room;
    roost_status status = w->b->operations->fill(w->b, w->args.words, 0, ((size_t)w->args.bins + 1) * sizeof *w->args.words);
    if (!status) status = w->b->operations->copy(w->b, t->ends, ends, t->owners * sizeof *ends);
    return status ? status : batches_launch(w, BATCHES_post, t->chunks);
}

roost_status travel_tell(struct batches_work *w) { return batches_launch(w, BATCHES_tell, w->args.travel.owners); }

roost_status travel_back(struct batches_work *w)
{
    const roost_status status = w->b->operations->fill(w->b, w->args.words, 0, REFUSALS * sizeof *w->args.words);
    return status ? status : batches_launch(w, w->args.travel.room ? BATCHES_fetch : BATCHES_back, w->args.travel.chunks);
}

roost_status travel_refused(struct batches_work *w, uint64_t refused[REFUSALS]) { return batches_read_words(w, refused, REFUSALS); }
