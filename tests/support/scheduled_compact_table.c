/* A small universe of keys in a compact table, for the scheduled machine. */
#include "support/scheduled_compact_table.h"

#include "portable/hash_seeds.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- Making ---------------------------------------------------------------------------------- */

static _Alignas(COMPACT_BYTES) unsigned char memory[COMPACT_TABLES][COMPACT_MOST_BUCKETS * (size_t)COMPACT_BYTES];
static bool memory_is_used[COMPACT_TABLES];

static const struct shape shapes[] = {COMPACT_SHAPES(ROOST_SHAPE_ROW)};

/* Of odd numbers the bucket's layout knows 3 alone. */
int compact_slots_draw(enum compact_shape shape, struct dice *dice)
{
    const int few = 2 + (int)dice_below(dice, 2), all = shapes[shape].slots;
    return dice_below(dice, 2) || all < few ? all : few;
}

uint64_t compact_remainder_top(const struct shape s)
{
    const int low = compact_low_bits(s), high = compact_high_bits(s);
    const uint64_t codes = low == 16 ? 0xffff : 0xffffffff;
    /* 3 + 3 T + SETTLED is at most `codes`, for T = 2 r + 1 */
    return high ? (1ULL << (31 + high - 3)) - 1 : ((codes - COMPACT_TAKEN - COMPACT_SETTLED) / COMPACT_STATES - 1) / 2;
}

/* The fewest buckets with which tags hold all remainders. */
static uint64_t buckets_least(const struct shape s)
{
    const uint64_t most = compact_bits(s) == 64 ? ~0ULL : 0xffffffffULL, least = most / (compact_remainder_top(s) + 1) + 1;
    return least < 2 ? 2 : least;
}

void compact_sizes_draw(struct compact_sizes *sizes, enum compact_shape shape, struct dice *dice)
{
    enum { SLOTS = 70 };
    const struct shape s = shapes[shape];
    const uint64_t least = buckets_least(s);
    sizes->shape = (int)shape;
    sizes->slots = compact_slots_draw(shape, dice);
    sizes->crowded = least > 64 ? 2 + (int)dice_below(dice, COMPACT_MOST_CROWDED - 1) : 0;
    while (sizes->crowded > 2 && sizes->crowded * sizes->slots > SLOTS) sizes->crowded--;
    if (compact_bits(s) == 64 && least > COMPACT_FEW_BUCKETS) sizes->buckets = COMPACT_FEW_BUCKETS;
    else sizes->buckets = (uint32_t)least;
    if (!sizes->crowded) sizes->buckets += dice_below(dice, 4);
}

static void table_begin(struct compact_scene_table *t, const struct compact_sizes *sizes, const struct hash_seeds *seeds)
{
    memset(t, 0, sizeof *t);
    t->sizes = *sizes;
    t->shape = shapes[sizes->shape];
    t->shape.slots = sizes->slots;
    t->view.range = compact_range_of(compact_bits(t->shape), sizes->buckets);
    t->view.seeds = *seeds;
    while (t->memory < COMPACT_TABLES && memory_is_used[t->memory]) t->memory++;
    if (t->memory == COMPACT_TABLES || sizes->buckets > COMPACT_MOST_BUCKETS) abort();
    memory_is_used[t->memory] = true;
    t->view.buckets = memory[t->memory];
}

void compact_table_make(struct compact_scene_table *t, const struct compact_sizes *sizes, int keys, struct dice *dice)
{
    struct hash_seeds seeds;
    hash_seeds_draw(&seeds, HASH_KEYED, dice_draw(dice));
    table_begin(t, sizes, &seeds);
    compact_universe_draw(t, sizes, keys, dice);
    if (!compact_places_set(t)) abort();
}

bool compact_table_make_beside(struct compact_scene_table *t, const struct compact_scene_table *of,
                               const struct compact_sizes *sizes)
{
    table_begin(t, sizes, &of->view.seeds);
    t->keys = of->keys;
    memcpy(t->key, of->key, sizeof t->key);
    const bool fits = compact_places_set(t);
    if (!fits) compact_table_free(t);
    return fits;
}

/* Only homes are written. */
void compact_table_free(struct compact_scene_table *t)
{
    for (int i = 0; i < t->homes; i++) memset(compact_bucket_words(t, t->home[i]), 0, COMPACT_BYTES);
    memory_is_used[t->memory] = false;
}

void compact_tables_clear(void) { memset(memory, 0, sizeof memory); }

struct compact_view compact_table_view(struct compact_scene_table *t)
{
    struct compact_view v = t->view;
    v.marks = &t->marks;
    v.stash = t->stash;
    v.stash_entries = COMPACT_ENTRIES;
    return v;
}

void compact_stash_put(struct compact_scene_table *t, int key, roost_value value)
{
    const struct compact_view v = compact_table_view(t);
    const uint64_t hash = compact_hash(compact_bits(t->shape), &v.seeds, t->key[key]);
    const uint32_t bucket = t->known[key].home[0].bucket;
    uint32_t at = compact_stash_start(&v, hash);
    while (t->stash[at].state != COMPACT_VACANT) at = compact_stash_next(&v, at);
    t->stash[at] = (struct compact_entry){hash, value, COMPACT_STASHED, 0};
    t->marks.stashed = 1;
    *compact_filter(t->shape, &v, bucket) |= t->known[key].bit;
}

/* ---- Places ---------------------------------------------------------------------------------- */

static int compare_buckets(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void homes_collect(struct compact_scene_table *t)
{
    int n = 0;
    for (int i = 0; i < t->keys; i++)
        for (int home = 0; home < 2; home++) t->home[n++] = t->known[i].home[home].bucket;
    qsort(t->home, (size_t)n, sizeof t->home[0], compare_buckets);
    t->homes = 0;
    for (int i = 0; i < n; i++)
        if (t->homes == 0 || t->home[i] != t->home[t->homes - 1]) t->home[t->homes++] = t->home[i];
}

bool compact_places_set(struct compact_scene_table *t)
{
    const struct shape s = t->shape;
    bool fits = true;
    for (int i = 0; i < t->keys; i++) {
        const uint64_t hash = compact_hash(compact_bits(s), &t->view.seeds, t->key[i]);
        const uint64_t both[2] = {hash, compact_second(compact_bits(s), hash)};
        for (int home = 0; home < 2; home++) {
            t->known[i].home[home] = compact_home_at(s, &t->view, hash, home);
            fits &= compact_place_of(compact_bits(s), &t->view.range, both[home]).remainder <= compact_remainder_top(s);
        }
        t->known[i].bit = compact_filter_bit(hash);
    }
    homes_collect(t);
    return fits;
}

int compact_home_index(const struct compact_scene_table *t, uint32_t bucket)
{
    const uint32_t *at = (const uint32_t *)bsearch(&bucket, t->home, (size_t)t->homes, sizeof t->home[0], compare_buckets);
    return at ? (int)(at - t->home) : -1;
}

uint32_t *compact_bucket_words(const struct compact_scene_table *t, uint32_t bucket)
{
    return (uint32_t *)(void *)(t->view.buckets + bucket * (size_t)COMPACT_BYTES);
}

/* ---- Slots ----------------------------------------------------------------------------------- */

struct compact_seen compact_slot_see(const struct shape s, const uint32_t *words, int slot)
{
    const int half = slot >= (s.slots + 1) / 2, i = slot - half * ((s.slots + 1) / 2);
    const struct compact_field low = compact_low_field(s, i), high = compact_state_field(s, i);
    struct compact_seen seen = {compact_get(low, words[half * COMPACT_WORDS + low.word]), 0, 0};
    if (seen.low < COMPACT_TAKEN) return seen;
    if (compact_high_bits(s)) {
        seen.high = compact_get(high, words[half * COMPACT_WORDS + high.word]);
        seen.state = seen.high & 3u;
        seen.high -= seen.state;
    } else {
        seen.state = (seen.low - COMPACT_TAKEN) % COMPACT_STATES;
        seen.low -= seen.state;
    }
    return seen;
}

bool compact_seen_is(const struct compact_seen *seen, const struct compact_tag *tag)
{
    return seen->low == tag->low && seen->high == tag->high;
}

int compact_key_at(const struct compact_scene_table *t, uint32_t bucket, const struct compact_seen *seen, int *home)
{
    for (int i = 0; i < t->keys; i++)
        for (*home = 0; *home < 2; ++*home)
            if (t->known[i].home[*home].bucket == bucket && compact_seen_is(seen, &t->known[i].home[*home].tag)) return i;
    return -1;
}

uint32_t compact_filter_see(const struct compact_scene_table *t, uint32_t bucket)
{
    return compact_bucket_words(t, bucket)[(t->shape.slots & 1) * COMPACT_WORDS + COMPACT_WORDS - 1];
}

/* ---- Walking --------------------------------------------------------------------------------- */

static roost_value value_at(const struct shape s, const uint32_t *words, int slot)
{
    const int half = slot >= (s.slots + 1) / 2, i = slot - half * ((s.slots + 1) / 2);
    return s.value_bytes ? load_width(s.value_bytes, words + half * COMPACT_WORDS, (uint64_t)i) : 0;
}

static bool walk_slot(const struct compact_scene_table *t, int home, int slot, struct compact_contents *c)
{
    const uint32_t bucket = t->home[home], *const words = compact_bucket_words(t, bucket);
    const struct compact_seen seen = compact_slot_see(t->shape, words, slot);
    int which;
    c->dead += seen.low != COMPACT_VACANT && seen.low < COMPACT_TAKEN;
    if (seen.low < COMPACT_TAKEN) return true;
    if (seen.state != COMPACT_FRESH && seen.state != COMPACT_SETTLED)
        return wrong_say("invariant E: slot %d of bucket %" PRIu32 " has the state %" PRIu32, slot, bucket, seen.state);
    const int key = compact_key_at(t, bucket, &seen, &which);
    if (key < 0)
        return wrong_say("invariant A: slot %d of bucket %" PRIu32 " has the tag %" PRIx32 " %" PRIx32 " of no key", slot, bucket,
                         seen.high, seen.low);
    if (c->n[key]++) return wrong_say("invariant B: key %" PRIx64 " is stored twice", t->key[key]);
    if (which && !(compact_filter_see(t, t->known[key].home[0].bucket) & t->known[key].bit))
        return wrong_say("invariant G: key %" PRIx64 " is in its second home, and the first one's filter lacks its bit",
                         t->key[key]);
    c->value[key] = value_at(t->shape, words, slot);
    c->at[key] = which;
    c->stored++, c->second += which, c->taken[home]++;
    return true;
}

static bool walk_entry(const struct compact_scene_table *t, const struct compact_entry *e, struct compact_contents *c)
{
    int key = 0;
    c->dead += e->state == COMPACT_DEAD_0 || e->state == COMPACT_DEAD_1;
    if (e->state < COMPACT_TAKEN) return true;
    if (e->state != COMPACT_STASHED) return wrong_say("invariant E: an entry of the stash has the state %" PRIu32, e->state);
    while (key < t->keys && compact_hash(compact_bits(t->shape), &t->view.seeds, t->key[key]) != e->hash) key++;
    if (key == t->keys) return wrong_say("the stash has the hash %" PRIx64 " of no key", e->hash);
    if (c->n[key]++) return wrong_say("invariant B: key %" PRIx64 " is stored twice, once in the stash", t->key[key]);
    if (!(compact_filter_see(t, t->known[key].home[0].bucket) & t->known[key].bit))
        return wrong_say("invariant G: key %" PRIx64 " is in the stash, and its first home's filter lacks its bit", t->key[key]);
    if (!t->marks.stashed) return wrong_say("invariant H: the stash has a key, and no mark says so");
    c->value[key] = t->shape.value_bytes ? load_width(t->shape.value_bytes, &e->value, 0) : 0;
    c->at[key] = COMPACT_IN_STASH;
    c->stored++, c->stashed++;
    return true;
}

bool compact_table_walk(const struct compact_scene_table *t, struct compact_contents *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < COMPACT_ENTRIES; i++)
        if (!walk_entry(t, &t->stash[i], c)) return false;
    for (int home = 0; home < t->homes; home++) {
        const uint32_t bucket = t->home[home];
        if (*compact_lock(t->shape, &t->view, bucket) >> COMPACT_SPARE_SHIFT & 1u)
            return wrong_say("invariant D: bucket %" PRIu32 " is locked", bucket);
        for (int slot = 0; slot < t->shape.slots; slot++)
            if (!walk_slot(t, home, slot, c)) return false;
    }
    return true;
}
