/* A look at a compact table while a kernel of the scheduled machine runs. */
#include "support/scheduled_compact_table.h"

#include <inttypes.h>
#include <stdio.h>

/* A slot's stages; most kernels only raise them. */
enum { STAGE_OPEN, STAGE_CLAIMED, STAGE_COMPLETE, STAGE_DYING, STAGE_DEAD };

static const char *const stage_names[] = {"open", "claimed", "complete", "dying", "dead"};

/* The stage of a slot that had another one before. */
static int stage_of(const struct compact_watch *w, const struct compact_seen *seen, int before)
{
    if (seen->low >= COMPACT_TAKEN && seen->state != COMPACT_INCOMPLETE) return STAGE_COMPLETE;
    if (seen->low >= COMPACT_TAKEN) return before >= STAGE_COMPLETE ? STAGE_DYING : STAGE_CLAIMED;
    if (w->kind == WATCH_MIXED) return seen->low == COMPACT_DEAD_0 + w->t->marks.epoch ? STAGE_DEAD : STAGE_OPEN;
    return w->kind == WATCH_ERASES && before >= STAGE_COMPLETE ? STAGE_DEAD : STAGE_OPEN;
}

static const char *say(struct compact_watch *w, const char *what, uint32_t bucket, int slot)
{
    snprintf(w->text, sizeof w->text, "slot %d of bucket %" PRIu32 ": %s", slot, bucket, what);
    return w->text;
}

/* Adds n to the slots of the key that this slot has; -1: it has none. */
static int count_slot(struct compact_watch *w, uint32_t bucket, const struct compact_seen *seen, int n)
{
    int home, key = -1;
    if (seen->low < COMPACT_TAKEN || seen->state == COMPACT_INCOMPLETE) return -1;
    key = compact_key_at(w->t, bucket, seen, &home);
    if (key < 0) return -1;
    w->complete[key] += n;
    w->second[key] += home ? n : 0;
    return key;
}

static const char *filter_look(struct compact_watch *w, uint32_t bucket)
{
    for (int key = 0; key < w->t->keys; key++)
        if (w->second[key] && w->t->known[key].home[0].bucket == bucket &&
            !(compact_filter_see(w->t, bucket) & w->t->known[key].bit)) {
            snprintf(w->text, sizeof w->text, "the filter of bucket %" PRIu32 " lacks the bit of key %" PRIx64, bucket,
                     w->t->key[key]);
            return w->text;
        }
    return NULL;
}

/* A key that left this slot, or came there. */
static const char *key_look(struct compact_watch *w, int key)
{
    const int most = w->kind == WATCH_MOVES ? 2 : 1;
    const char *what = w->complete[key] > most ? "in too many slots" : w->stays[key] && !w->complete[key] ? "nowhere" : NULL;
    if (!what) return filter_look(w, w->t->known[key].home[0].bucket);
    snprintf(w->text, sizeof w->text, "key %" PRIx64 " is %s", w->t->key[key], what);
    return w->text;
}

static const char *slot_look(struct compact_watch *w, int home, int slot, const uint32_t *now)
{
    const struct shape s = w->t->shape;
    const uint32_t bucket = w->t->home[home];
    const struct compact_seen was = compact_slot_see(s, w->words[home], slot), is = compact_slot_see(s, now, slot);
    const int before = w->stage[home][slot], stage = stage_of(w, &is, before);
    const bool same = was.low == is.low && was.high == is.high && was.state == is.state;
    const char *wrong = NULL;
    if (same) return NULL;
    w->stage[home][slot] = (uint8_t)stage;
    /* The high part of a claimed slot is left of another key. */
    if (w->kind != WATCH_MOVES && stage <= before) {
        snprintf(w->text, sizeof w->text, "slot %d of bucket %" PRIu32 " went from %s to %s, %" PRIx32 " to %" PRIx32, slot, bucket,
                 stage_names[before], stage_names[stage], was.low, is.low);
        return w->text;
    }
    if (before == STAGE_CLAIMED && stage == STAGE_COMPLETE && was.low != is.low)
        return say(w, "completed for another key", bucket, slot);
    const int left = count_slot(w, bucket, &was, -1), came = count_slot(w, bucket, &is, 1);
    if (left >= 0) wrong = key_look(w, left);
    if (!wrong && came >= 0) wrong = key_look(w, came);
    return wrong;
}

void compact_watch_begin(struct compact_watch *w, const struct compact_scene_table *t, enum compact_watched kind)
{
    memset(w, 0, sizeof *w);
    w->t = t;
    w->kind = kind;
    for (int home = 0; home < t->homes; home++) {
        memcpy(w->words[home], compact_bucket_words(t, t->home[home]), COMPACT_BYTES);
        for (int slot = 0; slot < t->shape.slots; slot++) {
            const struct compact_seen seen = compact_slot_see(t->shape, w->words[home], slot);
            w->stage[home][slot] = (uint8_t)stage_of(w, &seen, STAGE_OPEN);
            (void)count_slot(w, t->home[home], &seen, 1);
        }
    }
    for (int key = 0; key < t->keys; key++) w->stays[key] = kind == WATCH_MOVES && w->complete[key];
}

/* Keys in the stash. */
static const char *stash_look(struct compact_watch *w)
{
    for (int i = 0; i < COMPACT_ENTRIES; i++) {
        const struct compact_entry *e = &w->t->stash[i];
        if (e->state != COMPACT_STASHED) continue;
        if (!w->t->marks.stashed) return "the stash has a key, and no mark says so";
        const uint32_t first = compact_home_at(w->t->shape, &w->t->view, e->hash, 0).bucket;
        if (!(compact_filter_see(w->t, first) & compact_filter_bit(e->hash))) return "the filter lacks the bit of a stashed key";
    }
    return NULL;
}

const char *compact_watch_look(void *watch)
{
    struct compact_watch *w = (struct compact_watch *)watch;
    const char *stashed = stash_look(w);
    if (stashed) return stashed;
    for (int home = 0; home < w->t->homes; home++) {
        const uint32_t *const now = compact_bucket_words(w->t, w->t->home[home]);
        const char *wrong = NULL;
        if (!memcmp(now, w->words[home], COMPACT_BYTES)) continue;
        for (int slot = 0; !wrong && slot < w->t->shape.slots; slot++) wrong = slot_look(w, home, slot, now);
        memcpy(w->words[home], now, COMPACT_BYTES);
        if (!wrong) wrong = filter_look(w, w->t->home[home]);
        if (wrong) return wrong;
    }
    return NULL;
}
