/* Walks a whole compact table and verifies its lettered invariants (compact.h). */
#include <inttypes.h>
#include <string.h>

#include "engines/compact/compact_table.h"
#include "engines/walk.h"

/* A copy of the table in host memory, and its stored keys. */
struct walk {
    const struct compact_table *t;
    struct compact_view view;
    struct compact_marks marks;
    struct copies copies;
    uint64_t count;
};

static roost_status broken(const struct walk *w, char letter, const char *what, uint32_t bucket)
{
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT, "invariant %c: %s (bucket %" PRIu32 ")", letter, what, bucket);
}

/* Slots of a bucket with this tag in any state. */
static int occurrences(const struct walk *w, const struct compact_home *home)
{
    const struct shape s = w->t->base.shape;
    int n = 0;
    for (int slot = 0; slot < s.slots; slot++) {
        n += compact_tags_equal(compact_tag_load(s, compact_slot_at(s, &w->view, home->bucket, slot)), home->tag);
    }
    return n;
}

/* The entry of the stash that a search finds for this hash; else COMPACT_NOWHERE or _UNSURE. */
static uint32_t stash_match(const struct walk *w, uint64_t hash)
{
    return compact_stash_search(&w->view, hash, COMPACT_NO_EPOCH).match;
}

/* Invariants A, B and G for one stored key. */
static roost_status check_tag(const struct walk *w, uint32_t bucket, const struct compact_tag tag)
{
    const struct shape s = w->t->base.shape;
    const int second = compact_is_second(s, tag);
    const uint64_t hash = compact_hash_of(s, &w->view, bucket, tag);
    const struct compact_home home[2] = {compact_home_at(s, &w->view, hash, 0), compact_home_at(s, &w->view, hash, 1)};
    if (home[second].bucket != bucket || !compact_tags_equal(home[second].tag, tag))
        return broken(w, 'A', "a key lies outside its home", bucket);
    if (occurrences(w, &home[0]) + occurrences(w, &home[1]) != 1 || stash_match(w, hash) < COMPACT_UNSURE)
        return broken(w, 'B', "a key is stored twice", bucket);
    if (second && !(*compact_filter(s, &w->view, home[0].bucket) & compact_filter_bit(hash)))
        return broken(w, 'G', "the filter of a key's first home lacks its bit", home[0].bucket);
    return ROOST_OK;
}

/* Invariant E, and the others for the key. */
static roost_status check_slot(struct walk *w, uint32_t bucket, int slot)
{
    const struct shape s = w->t->base.shape;
    const struct compact_slot at = compact_slot_at(s, &w->view, bucket, slot);
    const struct compact_field low = compact_low_field(s, at.i), field = compact_state_field(s, at.i);
    const struct compact_tag tag = compact_tag_load(s, at);
    const uint32_t code = compact_get(field, at.half[field.word]);
    const uint32_t state = compact_high_bits(s) ? code & 3u : code - tag.low;
    if (compact_get(low, at.half[low.word]) < COMPACT_TAKEN)
        return compact_high_bits(s) && state != COMPACT_INCOMPLETE ? broken(w, 'E', "a vacant slot has a state", bucket) : ROOST_OK;
    if (state != COMPACT_FRESH && state != COMPACT_SETTLED) return broken(w, 'E', "a slot is not complete", bucket);
    w->count++;
    return check_tag(w, bucket, tag);
}

/* Invariants E, H, B and G for an entry of the stash. */
static roost_status check_entry(struct walk *w, uint32_t i)
{
    const struct shape s = w->t->base.shape;
    const struct compact_view *v = &w->view;
    const struct compact_entry *e = v->stash + i;
    if (e->state > COMPACT_STASHED || e->state == COMPACT_TAKEN) return broken(w, 'E', "an entry of the stash is not complete", i);
    if (e->state != COMPACT_STASHED) return ROOST_OK;
    const struct compact_home first = compact_home_at(s, v, e->hash, 0), second = compact_home_at(s, v, e->hash, 1);
    const uint32_t match = stash_match(w, e->hash);
    if (occurrences(w, &first) + occurrences(w, &second) || (match < COMPACT_UNSURE && match != i))
        return broken(w, 'B', "a key is stored twice", first.bucket);
    if (!(*compact_filter(s, v, first.bucket) & compact_filter_bit(e->hash)))
        return broken(w, 'G', "the filter of a stashed key's first home lacks its bit", first.bucket);
    if (!w->marks.stashed) return broken(w, 'H', "the stash has a key, and no mark says so", first.bucket);
    if (match != i) return broken(w, 'H', "a search of the stash does not reach a key", first.bucket);
    w->count++;
    return ROOST_OK;
}

static roost_status check_walk(struct walk *w)
{
    const struct compact_table *t = w->t;
    const struct engine_table *base = &t->base;
    roost_status status = ROOST_OK;
    for (uint32_t bucket = 0; !status && bucket < w->view.range.buckets; bucket++) {
        if (*compact_lock(base->shape, &w->view, bucket) >> COMPACT_SPARE_SHIFT & 1u)
            status = broken(w, 'D', "a lock is held", bucket);
        for (int slot = 0; !status && slot < base->shape.slots; slot++) status = check_slot(w, bucket, slot);
    }
    for (uint32_t i = 0; !status && i < w->view.stash_entries; i++) status = check_entry(w, i);
    if (status) return status;
    if (w->count != t->count)
        return error_set(base->error, ROOST_ERR_CORRUPT, "invariant C: %" PRIu64 " keys are stored, and %" PRIu64 " counted",
                         w->count, t->count);
    return check_bounds(base, policy_over_full(base) ? "the fill" : NULL, compact_would_shrink(base, t->count));
}

roost_status compact_check(struct engine_table *table)
{
    struct walk w;
    memset(&w, 0, sizeof w);
    w.t = compact_of_const(table);
    w.copies.table = table;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = compact_whole(w.t);
    w.view = w.t->view;
    if (!status) w.view.buckets = (unsigned char *)copy_of(&w.copies, w.t->view.buckets, (size_t)w.t->size.buckets * COMPACT_BYTES);
    if (!status)
        w.view.stash = (struct compact_entry *)copy_of(&w.copies, w.t->view.stash, w.view.stash_entries * sizeof *w.view.stash);
    if (!status) status = w.copies.status;
    if (!status) status = backend_read(table->backend, &w.marks, &compact_words_of(w.t)->marks, sizeof w.marks);
    if (!status) status = check_walk(&w);
    copies_free(&w.copies);
    return status;
}
