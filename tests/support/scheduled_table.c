/* A small DyCuckoo table in plain memory for the scheduled machine, beside an exact reference. */
#include "support/scheduled_table.h"

#include "portable/hash_seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Making ---------------------------------------------------------------------------------- */

static size_t lock_bytes(uint32_t buckets) { return ((size_t)buckets + 31) / 32 * sizeof(uint32_t); }

struct dycuckoo_subtable scheduled_subtable_make(const struct shape shape, uint32_t buckets, int byte, uint32_t weight)
{
    const size_t bytes = buckets * shape_bucket_bytes(shape);
    struct dycuckoo_subtable sub = {(unsigned char *)malloc(bytes), (uint32_t *)calloc(1, lock_bytes(buckets)), buckets, weight};
    if (!sub.buckets || !sub.locks) abort();
    memset(sub.buckets, byte, bytes);
    return sub;
}

void scheduled_subtable_free(struct dycuckoo_subtable *sub)
{
    free(sub->buckets);
    free(sub->locks);
    sub->buckets = NULL;
    sub->locks = NULL;
}

static uint32_t table_slots(const struct scheduled_table *t)
{
    uint32_t buckets = 0;
    for (uint32_t i = 0; i < t->view.subtables; i++) buckets += t->buckets[i];
    return buckets * (uint32_t)t->shape.slots;
}

/* Draws small sizes: keys share buckets, both homes fill up, evictions happen. */
static void draw_sizes(struct scheduled_table *t, struct dice *dice)
{
    do {
        t->view.subtables = dice_below(dice, 4) ? 2 + dice_below(dice, 3) : 2 + dice_below(dice, MAX_SUBTABLES - 1);
        const uint32_t least = 1 + dice_below(dice, 3);
        for (int i = 0; i < MAX_SUBTABLES; i++) t->buckets[i] = least + dice_below(dice, least + 1);
    } while (table_slots(t) > MOST_SLOTS_AT_START);
}

/* 0 and ~0 first; then small numbers as often as large ones, and halves of earlier keys. A key
 * that is not written in one piece may be seen half written, and that half must not pass for
 * another key. */
static roost_key draw_key(const struct scheduled_table *t, struct dice *dice)
{
    const int bits = 8 * t->shape.key_bytes;
    const uint64_t mask = ~0ULL >> (64 - bits), half = ~0ULL >> (64 - bits / 2);
    if (t->keys < 2) return t->keys ? mask : 0;
    const bool fresh = dice_below(dice, 4) > 0, other = dice_below(dice, 2) > 0;
    if (fresh) return dice_draw(dice) >> (other ? 56 : 0) & mask;
    return t->key[dice_below(dice, (uint32_t)t->keys)] & (other ? mask & ~half : half);
}

static void draw_universe(struct scheduled_table *t, struct dice *dice, int wanted)
{
    t->keys = 0;
    while (t->keys < wanted && t->keys < MOST_KEYS) {
        const roost_key key = draw_key(t, dice);
        if (frame_key_index(t->key, t->keys, key) < 0) t->key[t->keys++] = key;
    }
}

/* Makes everything except the universe; the sizes are set. */
static void make_table(struct scheduled_table *t, struct dice *dice)
{
    const struct shape shape = t->shape;
    t->view.excluded = SPECIAL + 1;
    /* Also without: a tidy table need not be known to be tidy. */
    t->view.tidy = shape.homes == 2 && dice_below(dice, 4) > 0;
    const bool universal = shape.key_bytes == 4 && dice_below(dice, 2);
    hash_seeds_draw(&t->view.seeds, universal ? HASH_UNIVERSAL : HASH_KEYED, dice_draw(dice));
    for (uint32_t i = 0; i < t->view.subtables; i++) t->view.sub[i] = scheduled_subtable_make(shape, t->buckets[i], 0, 0);
    t->view.sub[SPECIAL] = scheduled_subtable_make(shape, 1, 0xff, 0);
    scheduled_table_weigh(t, dice);
}

void scheduled_table_make(struct scheduled_table *t, const struct shape shape, struct dice *dice)
{
    memset(t, 0, sizeof *t);
    t->shape = shape;
    draw_sizes(t, dice);
    make_table(t, dice);
    /* 0.9 to 1.1 of the slots. */
    draw_universe(t, dice, (int)(table_slots(t) * (15 + dice_below(dice, 4)) / 16));
}

void scheduled_table_make_small(struct scheduled_table *t, const struct shape shape, uint32_t subtables, struct dice *dice)
{
    memset(t, 0, sizeof *t);
    t->shape = shape;
    t->view.subtables = subtables;
    for (uint32_t i = 0; i < subtables; i++) t->buckets[i] = 1;
    make_table(t, dice);
    draw_universe(t, dice, 2 * (int)table_slots(t));
}

void scheduled_table_free(struct scheduled_table *t)
{
    for (int i = 0; i <= MAX_SUBTABLES; i++) scheduled_subtable_free(&t->view.sub[i]);
}

void scheduled_table_weigh(struct scheduled_table *t, struct dice *dice)
{
    if (t->view.tidy && t->view.sub[0].weight) return;
    for (uint32_t i = 0; i < t->view.subtables; i++) {
        const int shift = 34 + (int)dice_below(dice, 3);
        t->view.sub[i].weight = 8 + (uint32_t)(dice_draw(dice) >> shift);
    }
    t->view.preferred = (uint32_t)dice_draw(dice) & 0xff;
}

/* ---- Checking -------------------------------------------------------------------------------- */

static bool has_vacancy(const struct scheduled_table *t, const struct home at)
{
    for (int slot = 0; slot < t->shape.slots; slot++)
        if (!pair_load(t->shape, bucket_at(t->shape, &t->view, at), slot, false).taken) return true;
    return false;
}

static bool walk_slot(struct scheduled_table *t, const struct home at, int slot, struct contents *contents)
{
    const unsigned char *bucket = bucket_at(t->shape, &t->view, at);
    const struct pair pair = pair_load(t->shape, bucket, slot, at.sub == SPECIAL);
    struct home home[MAX_HOMES];
    if (!pair.taken) return true;
    const int i = frame_key_index(t->key, t->keys, pair.key);
    if (i < 0) return wrong_say("subtable %u stores the key %" PRIx64 ", which was never inserted", at.sub, pair.key);
    homes_of(t->shape, &t->view, pair.key, home);
    if ((pair.key == 0) != (at.sub == SPECIAL))
        return wrong_say("invariant G: key %" PRIx64 " is in subtable %u", pair.key, at.sub);
    if (!is_home(t->shape, &t->view, home, at)) return wrong_say("invariant A: key %" PRIx64 " lies outside its homes", pair.key);
    if (t->view.tidy && at.sub != SPECIAL && !home_same(at, home[0]) && has_vacancy(t, home[0]))
        return wrong_say("invariant I: key %" PRIx64 " is in its second home, and its first has a vacancy", pair.key);
    if (contents->stored[i]) return wrong_say("invariant B: key %" PRIx64 " is stored twice", pair.key);
    contents->stored[i] = true;
    contents->value[i] = pair.value;
    return true;
}

static bool walk_bucket(struct scheduled_table *t, const struct home at, struct contents *contents)
{
    if (t->view.sub[at.sub].locks[at.index >> 5] >> (at.index & 31) & 1)
        return wrong_say("invariant D: the lock of bucket %u of subtable %u is held after the kernel", at.index, at.sub);
    for (int slot = 0; slot < t->shape.slots; slot++)
        if (!walk_slot(t, at, slot, contents)) return false;
    return true;
}

static uint64_t contents_count(const struct scheduled_table *t, const struct contents *contents)
{
    uint64_t n = 0;
    for (int i = 0; i < t->keys; i++) n += contents->stored[i];
    return n;
}

bool scheduled_table_walk(struct scheduled_table *t, struct contents *contents)
{
    memset(contents, 0, sizeof *contents);
    for (uint32_t i = 0; i <= MAX_SUBTABLES; i++) {
        const uint64_t before = contents_count(t, contents);
        if (!t->view.sub[i].buckets) continue;
        for (uint32_t bucket = 0; bucket < t->view.sub[i].bucket_count; bucket++) {
            const struct home at = {i, bucket};
            if (!walk_bucket(t, at, contents)) return false;
        }
        const uint64_t stored = contents_count(t, contents) - before;
        if (stored != t->count[i])
            return wrong_say("invariant C: subtable %u stores %" PRIu64 " keys, its counter says %" PRIu64, i, stored, t->count[i]);
    }
    return true;
}

bool scheduled_table_check(struct scheduled_table *t)
{
    struct contents contents;
    if (!scheduled_table_walk(t, &contents)) return false;
    for (int i = 0; i < t->keys; i++) {
        if (contents.stored[i] != t->stored[i])
            return wrong_say("key %" PRIx64 " is %s", t->key[i], t->stored[i] ? "lost" : "stored, and should not be");
        if (t->stored[i] && contents.value[i] != t->value[i])
            return wrong_say("key %" PRIx64 " has the value %" PRIx64 ", not %" PRIx64, t->key[i], contents.value[i], t->value[i]);
    }
    return true;
}

/* ---- Watching -------------------------------------------------------------------------------- */

static bool bucket_has(const struct scheduled_watch *w, const struct home at, roost_key key)
{
    const struct shape s = w->table->shape;
    const unsigned char *bucket = bucket_at(s, w->view, at);
    for (int slot = 0; slot < s.slots; slot++) {
        const uint64_t unit = load_width(shape_unit_bytes(s), bucket, (uint64_t)slot);
        if (unit_key(s, unit) == key && unit != vacant_unit(s, at.sub == SPECIAL)) return true;
    }
    return false;
}

static bool table_has(const struct scheduled_watch *w, int i)
{
    for (int h = 0; h < home_count(w->table->shape, w->view); h++)
        if (bucket_has(w, w->home[i][h], w->table->key[i])) return true;
    return false;
}

void scheduled_watch_begin(struct scheduled_watch *w, const struct scheduled_table *t, const struct dycuckoo_view *view)
{
    w->table = t;
    w->view = view;
    for (int i = 0; i < t->keys; i++) {
        homes_of(t->shape, view, t->key[i], w->home[i]);
        w->seen[i] = table_has(w, i);
    }
}

const char *scheduled_watch_look(void *watch)
{
    struct scheduled_watch *w = (struct scheduled_watch *)watch;
    for (int i = 0; i < w->table->keys; i++) {
        const bool there = table_has(w, i);
        if (w->seen[i] && !there) {
            snprintf(w->text, sizeof w->text, "key %" PRIx64 ", stored before, is in none of its homes", w->table->key[i]);
            return w->text;
        }
        w->seen[i] = there;
    }
    return NULL;
}
