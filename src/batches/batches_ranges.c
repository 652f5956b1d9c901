/* Ordered batches of more items than a piece holds.  What becomes of a key is known only at its
 * last item, and a key without room must stay as it was.  So a piece gets all items of its keys.
 * No array of the whole batch is needed for that:
 *
 *   - a sweep over the call's keys counts them by bin, by the highest bits of their spreads;
 *   - bins that follow one another, as many as a piece holds, are a range.  A sweep takes the items
 *     of that range into the piece, and a second one brings their results back;
 *   - the keys of a bin that a piece does not hold are counted again, by their next bits;
 *   - a bin of one key that a piece does not hold is carried out step by step: a sweep carries the
 *     key's state through all of its items, the table is written, and a second sweep answers them.
 *
 * That makes O(n / r) sweeps of n steps for n items in pieces of r, whatever the keys are
 * (docs/architecture.md), in the memory of a piece. */
#include "batches/batches_ranges.h"

#include "batches/batches_runs.h"

enum { BIN_BITS = 8 };
_Static_assert(1 << BIN_BITS == RANGES_BINS, "a digit has as many values as there are bins");

struct ranges {
    struct batches_work *w;
    struct batches_sweep *sweep;
    roost_status failure; /* of items */
    uint64_t window;      /* items among which a step looks for those of its key */
    bool answers;         /* the steps answer their items */
    bool clears;          /* each sweep has other marks of what was found; else they stay */
    uint64_t key;         /* of the steps; the machine copies it */
};

static roost_status sweep_run(struct ranges *r, int arrays, batches_visit *visit)
{
    return r->sweep->run(r->sweep, arrays, visit, r);
}

/* Takes the part of the call that is in reach for the next launch. */
static void part_take(struct batches_work *w, const struct batch *part, uint64_t first)
{
    w->args.batch = *part;
    w->args.range.first = first;
}

/* The taken items as a batch. */
static void taken_take(struct batches_work *w, uint64_t n)
{
    const struct taken *t = &w->args.taken;
    struct batch *b = &w->args.batch;
    batches_place(w); /* a sort may have left its result in the other arrays */
    w->args.range.n = b->n = n;
    b->keys = t->keys;
    b->values_in = t->values_in;
    b->values_out = t->values_out;
    b->operations = t->operations;
    b->statuses = t->statuses;
    b->found = NULL;
    b->stamps = NULL;
}

/* Keeps a failure of items; the other ranges go on. */
static roost_status items_failed(struct ranges *r, roost_status status)
{
    if (!status_of_items(status)) return status;
    if (!r->failure) r->failure = status;
    return ROOST_OK;
}

/* ---- Counting -------------------------------------------------------------------------------- */

static roost_status part_count(void *context, const struct batch *part, uint64_t first)
{
    struct batches_work *w = ((struct ranges *)context)->w;
    part_take(w, part, first);
    return batches_launch(w, BATCHES_count, part->n);
}

/* Counts the items of 2^bits keys by bin. */
static roost_status range_count(struct ranges *r, uint64_t low, int bits, uint64_t counts[RANGES_BINS])
{
    struct range *range = &r->w->args.range;
    range->low = low;
    range->last = UINT64_MAX >> (64 - bits);
    range->shift = bits - BIN_BITS;
    roost_status status = batches_clear_words(r->w);
    if (!status) status = sweep_run(r, BATCHES_KEYS, part_count);
    return status ? status : batches_read_words(r->w, counts, RANGES_BINS);
}

/* The end of the bins that a piece holds, from `bin` on; one at least.  *n: their items. */
static int bins_take(const uint64_t counts[RANGES_BINS], int bin, uint64_t room, uint64_t *n)
{
    *n = counts[bin++];
    while (bin < RANGES_BINS && *n + counts[bin] <= room) *n += counts[bin++];
    return bin;
}

/* ---- A range of keys ------------------------------------------------------------------------- */

static roost_status part_collect(void *context, const struct batch *part, uint64_t first)
{
    struct batches_work *w = ((struct ranges *)context)->w;
    part_take(w, part, first);
    return batches_launch(w, BATCHES_take, part->n);
}

/* Values of items that are not marked as found stay as they are. */
static roost_status found_clear(const struct ranges *r, const struct batch *part)
{
    struct backend *const b = r->w->b;
    return part->found && r->clears ? b->operations->fill(b, part->found, 0, part->n) : ROOST_OK;
}

/* A part has no more of the taken items than it has items. */
static roost_status results_give(struct batches_work *w, const struct batch *part, uint64_t first)
{
    part_take(w, part, first);
    return batches_launch(w, BATCHES_give, part->n < w->args.range.n ? part->n : w->args.range.n);
}

static roost_status part_give(void *context, const struct batch *part, uint64_t first)
{
    struct ranges *r = (struct ranges *)context;
    const roost_status status = found_clear(r, part);
    return status ? status : results_give(r->w, part, first);
}

/* Reads how many items were taken. */
static roost_status taken_read(struct batches_work *w, uint64_t *n)
{
    uint64_t words[ORDER_WORDS];
    const roost_status status = batches_read_words(w, words, ORDER_WORDS);
    *n = status ? 0 : words[WORD_TAKEN];
    return status;
}

static roost_status range_run(struct ranges *r, uint64_t low, uint64_t last)
{
    struct batches_work *w = r->w;
    uint64_t n;
    w->args.range.low = low;
    w->args.range.last = last;
    roost_status status = batches_clear_words(w);
    if (!status) status = sweep_run(r, BATCHES_KEYS | BATCHES_INPUTS, part_collect);
    if (!status) status = taken_read(w, &n);
    if (status || !n) return status;
    taken_take(w, n < w->room ? n : w->room);
    status = w->b->operations->fill(w->b, w->args.taken.statuses, ROOST_ITEM_NONE, w->args.batch.n);
    const roost_status failure = status ? status : runs_piece(w);
    if (failure && !status_of_items(failure)) return failure;
    status = sweep_run(r, BATCHES_RESULTS, part_give);
    return status ? status : items_failed(r, failure);
}

/* ---- A key with more items than a piece holds ------------------------------------------------ */

/* Carries out the key's items in a window of the call. */
static roost_status window_run(struct ranges *r, const struct batch *window, uint64_t first, uint64_t n)
{
    struct batches_work *w = r->w;
    taken_take(w, n);
    roost_status status = runs_arrange(w);
    if (!status) status = batches_launch(w, BATCHES_gather, n);
    if (!status) status = batches_launch(w, BATCHES_carry, 1);
    if (!status && r->answers) status = batches_launch(w, BATCHES_scatter, n);
    return status || !r->answers ? status : results_give(w, window, first);
}

/* Takes the key's items of a window; shortens one that has too many, and lengthens the next one
 * after one that has few. */
static roost_status window_take(struct ranges *r, const struct batch *window, uint64_t first, bool *done)
{
    struct batches_work *w = r->w;
    uint64_t n;
    roost_status status = batches_clear_words(w);
    if (!status) status = part_collect(r, window, first);
    if (!status) status = taken_read(w, &n);
    if (status) return status;
    *done = n <= w->room;
    if (!*done) r->window = window->n / 2;
    else if (n <= w->room / 4) r->window *= 2;
    return n && *done ? window_run(r, window, first, n) : ROOST_OK;
}

static roost_status part_step(void *context, const struct batch *part, uint64_t first)
{
    struct ranges *r = (struct ranges *)context;
    roost_status status = r->answers ? found_clear(r, part) : ROOST_OK;
    if (r->window > part->n) r->window = part->n;
    for (uint64_t at = 0, n; !status && at < part->n;) {
        bool done = false;
        n = part->n - at < r->window ? part->n - at : r->window;
        const struct batch window = batch_part(part, at, n, part->key_bytes, part->value_bytes);
        status = window_take(r, &window, first + at, &done);
        if (done) at += n;
    }
    return status;
}

/* Looks the key up. */
static roost_status key_find(struct ranges *r, uint64_t spread)
{
    struct batches_work *w = r->w;
    const int bytes = w->args.batch.key_bytes;
    store_width(bytes, &r->key, 0, key_gather(bytes, spread));
    roost_status status = w->b->operations->copy(w->b, w->args.runs.keys, &r->key, (unsigned)bytes);
    if (!status) status = runs_find(w, 1);
    return status ? status : batches_launch(w, BATCHES_remember, 1);
}

/* Carries the key's state through all of its items. */
static roost_status key_step(struct ranges *r, bool answers)
{
    r->window = r->w->room;
    r->answers = answers;
    return sweep_run(r, BATCHES_KEYS | BATCHES_INPUTS | (answers ? BATCHES_RESULTS : 0), part_step);
}

static roost_status key_run(struct ranges *r, uint64_t spread)
{
    struct batches_work *w = r->w;
    roost_status refused = ROOST_OK;
    w->args.range.low = spread;
    w->args.range.last = 0;
    roost_status status = key_find(r, spread);
    if (!status) status = key_step(r, false);
    if (!status) status = batches_clear_words(w);
    if (!status) status = batches_launch(w, BATCHES_conclude, 1);
    if (!status) status = runs_write(w, 1, &refused);
    if (!status) status = batches_launch(w, BATCHES_restart, 1);
    if (!status) status = key_step(r, true);
    return items_failed(r, status ? status : refused);
}

/* ---- All ranges ------------------------------------------------------------------------------ */

static void room_take(struct ranges *r)
{
    batches_place(r->w);
    r->w->args.range.room = r->w->room;
}

/* Takes other memory for the next piece if the table was refused some. */
static roost_status room_review(struct ranges *r)
{
    struct batches_work *w = r->w;
    if (r->failure != ROOST_ERR_MEMORY || !w->grows) return ROOST_OK;
    w->args.batch = *r->sweep->batch;
    const roost_status status = batches_reopen(w);
    if (!status) room_take(r);
    return status;
}

/* Runs the items of 2^bits keys. */
static roost_status range_cut(struct ranges *r, uint64_t low, int bits)
{
    const int shift = bits - BIN_BITS;
    uint64_t counts[RANGES_BINS], n;
    roost_status status = range_count(r, low, bits, counts);
    for (int bin = 0, end; !status && bin < RANGES_BINS; bin = end) {
        const uint64_t from = low + ((uint64_t)bin << shift);
        status = room_review(r);
        end = bins_take(counts, bin, r->w->room, &n);
        if (status || !n) continue;
        if (n > r->w->room) status = shift ? range_cut(r, from, shift) : key_run(r, from);
        else status = range_run(r, from, ((uint64_t)(end - bin) << shift) - 1);
    }
    return status;
}

roost_status batches_in_ranges(struct batches_work *w, struct batches_sweep *sweep)
{
    struct ranges r = {w, sweep, ROOST_OK, 0, false, true, 0};
    const int bits = 8 * sweep->batch->key_bytes;
    roost_status status = w->swept ? ROOST_OK : found_clear(&r, sweep->batch);
    if (status) return status;
    r.clears = w->swept;
    w->args.batch = *sweep->batch;
    w->swept = true; /* whatever memory room_review takes, ranges are taken into it */
    room_take(&r);
    status = w->n <= w->room ? range_run(&r, 0, UINT64_MAX) : range_cut(&r, 0, bits);
    if (!status) status = backend_wait(w->b);
    return status ? status : r.failure;
}
