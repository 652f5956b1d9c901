/* Keys for scenes of compact on the scheduled machine: keys that crowd into few of a large table's
 * buckets. */
#include "support/scheduled_compact_table.h"

#include <stdlib.h>

static int bits_of(const struct compact_scene_table *t) { return compact_bits(t->shape); }

static bool fits(const struct compact_scene_table *t, const struct compact_place *p)
{
    return p->remainder <= compact_remainder_top(t->shape);
}

/* The largest remainder that is sought in one bucket. */
static uint64_t remainder_most(const struct compact_scene_table *t)
{
    const uint64_t room = compact_remainder_top(t->shape), most = compact_remainder_most(bits_of(t), t->view.range.buckets);
    return room < most ? room : most;
}

/* ---- Keys by their homes --------------------------------------------------------------------- */

static bool key_add(struct compact_scene_table *t, uint64_t hash)
{
    const roost_key key = compact_unhash(bits_of(t), &t->view.seeds, hash);
    if (t->keys == COMPACT_MOST_KEYS || frame_key_index(t->key, t->keys, key) >= 0) return false;
    t->key[t->keys++] = key;
    return true;
}

/* Adds the key of a hash if its first home is a (any: UINT32_MAX), its second home is b, and both
 * remainders fit. */
static bool hash_add(struct compact_scene_table *t, uint64_t hash, uint32_t a, uint32_t b)
{
    const struct compact_place first = compact_place_of(bits_of(t), &t->view.range, hash),
                               second = compact_place_of(bits_of(t), &t->view.range, compact_second(bits_of(t), hash));
    return (a == UINT32_MAX || first.bucket == a) && (b == UINT32_MAX || second.bucket == b) && fits(t, &first) &&
           fits(t, &second) && key_add(t, hash);
}

/* A hash of this bucket whose remainder fits; it may be of the next one. */
static uint64_t hash_in(const struct compact_scene_table *t, uint32_t bucket, struct dice *dice)
{
    const struct compact_place p = {dice_draw(dice) % (remainder_most(t) + 1), bucket};
    return compact_hash_at(bits_of(t), &t->view.range, p);
}

/* The least x with l <= a x mod m <= r, for l <= r < m and a < m; NONE: none. */
#define NONE (~(unsigned __int128)0)
static unsigned __int128 least_multiple(unsigned __int128 a, unsigned __int128 m, unsigned __int128 l, unsigned __int128 r)
{
    if (l == 0) return 0;
    if (a == 0) return NONE;
    if (2 * a > m) return least_multiple(m - a, m, m - r, m - l);
    const unsigned __int128 x = (l + a - 1) / a;
    if (x * a <= r) return x;
    /* a x - m y in [l, r]: then m y is in [-r, -l] modulo a */
    const unsigned __int128 y = least_multiple(m % a, a, (a - r % a) % a, (a - l % a) % a);
    return y == NONE ? NONE : (l + m * y + a - 1) / a;
}

/* Adds a key of 8 bytes with these homes.  Of both hashes the upper halves are drawn; then the
 * second hash's lower half, x, is such that the first hash has its upper half:
 *     (upper 2^32 + x) BACK is in an interval of 2^32 numbers. */
static bool wide_key_between(struct compact_scene_table *t, uint32_t a, uint32_t b, struct dice *dice)
{
    const unsigned __int128 whole = (unsigned __int128)1 << 64;
    const uint64_t upper = hash_in(t, b, dice) >> 32 << 32, wanted = hash_in(t, a, dice) >> 32 << 32;
    const uint64_t l = wanted - upper * COMPACT_BACK64, r = l + 0xffffffffU;
    if (r < l) return false;
    const unsigned __int128 x = least_multiple(COMPACT_BACK64, whole, l, r);
    if (x > 0xffffffffU) return false;
    const uint64_t second = upper | ((uint64_t)x ^ upper >> 32);
    return hash_add(t, compact_first(64, second), a, b);
}

static void keys_swap(struct compact_scene_table *t, int a, int b)
{
    const roost_key key = t->key[a];
    const struct compact_known known = t->known[a];
    t->key[a] = t->key[b], t->known[a] = t->known[b];
    t->key[b] = key, t->known[b] = known;
}

/* Adds another key with the low part of the tag that this one has in its first home, next to it. */
static bool twin_add(struct compact_scene_table *t, int of, struct dice *dice)
{
    const uint64_t hash = compact_hash(64, &t->view.seeds, t->key[of]), most = remainder_most(t) >> 30;
    struct compact_place p = compact_place_of(64, &t->view.range, hash);
    p.remainder = (p.remainder & 0x3fffffffU) | (dice_draw(dice) % (most + 1)) << 30;
    if (!hash_add(t, compact_hash_at(64, &t->view.range, p), p.bucket, UINT32_MAX)) return false;
    keys_swap(t, t->keys - 1, of + 1 < t->keys ? of + 1 : of);
    return true;
}

/* ---- Crowded buckets ------------------------------------------------------------------------- */

static uint8_t edges[COMPACT_MOST_BUCKETS];

/* Counts for each bucket the keys that have one home there and the other one here. */
static void edges_count(const struct compact_scene_table *t, uint32_t bucket)
{
    for (uint64_t r = 0; r <= remainder_most(t); r++) {
        const struct compact_place p = {r, bucket};
        const uint64_t hash = compact_hash_at(32, &t->view.range, p);
        edges[compact_place_of(32, &t->view.range, compact_second(32, hash)).bucket]++;
        edges[compact_place_of(32, &t->view.range, compact_first(32, hash)).bucket]++;
    }
}

/* Keys of 4 bytes with both homes in few given buckets hardly exist.  So each bucket is chosen by
 * the keys that it has in common with those before. */
static void crowd_choose(struct compact_scene_table *t, int n, struct dice *dice)
{
    const uint32_t buckets = t->view.range.buckets;
    memset(edges, 0, sizeof edges);
    t->crowded[0] = dice_below(dice, buckets);
    for (t->crowded_n = 1; t->crowded_n < n; t->crowded_n++) {
        const uint32_t from = dice_below(dice, buckets);
        uint32_t best = from;
        edges_count(t, t->crowded[t->crowded_n - 1]);
        for (int i = 0; i < t->crowded_n; i++) edges[t->crowded[i]] = 0;
        for (uint32_t i = 0; i < buckets; i++)
            if (edges[(from + i) % buckets] > edges[best]) best = (from + i) % buckets;
        t->crowded[t->crowded_n] = best;
    }
}

/* Adds all keys of 4 bytes with both homes among the crowded buckets. */
static void crowd_keys_add(struct compact_scene_table *t, int keys)
{
    for (int i = 0; i < t->crowded_n; i++)
        for (uint64_t r = 0; r <= remainder_most(t); r++) {
            const struct compact_place p = {r, t->crowded[i]};
            const uint64_t hash = compact_hash_at(32, &t->view.range, p);
            for (int j = 0; j < t->crowded_n && t->keys < keys; j++) (void)hash_add(t, hash, t->crowded[i], t->crowded[j]);
        }
}

/* ---- The universe ---------------------------------------------------------------------------- */

static uint32_t crowded_draw(const struct compact_scene_table *t, struct dice *dice)
{
    return t->crowded[dice_below(dice, (uint32_t)t->crowded_n)];
}

/* Keys with both homes among the crowded buckets. */
static void edges_draw(struct compact_scene_table *t, int n, int keys, struct dice *dice)
{
    if (bits_of(t) == 32) {
        crowd_choose(t, n, dice);
        crowd_keys_add(t, keys);
    } else {
        for (t->crowded_n = 0; t->crowded_n < n; t->crowded_n++) t->crowded[t->crowded_n] = dice_below(dice, t->view.range.buckets);
        while (t->keys < keys) (void)wide_key_between(t, crowded_draw(t, dice), crowded_draw(t, dice), dice);
    }
    t->edges = t->keys;
}

/* Keys with one home among the crowded buckets. */
static void tails_draw(struct compact_scene_table *t, int keys, struct dice *dice)
{
    while (t->keys < keys) {
        const uint32_t a = crowded_draw(t, dice);
        if (bits_of(t) == 32) (void)hash_add(t, hash_in(t, a, dice), a, UINT32_MAX);
        else (void)wide_key_between(t, a, dice_below(dice, t->view.range.buckets), dice);
    }
}

static void twins_draw(struct compact_scene_table *t, int n, struct dice *dice)
{
    enum { TRIES = 400 }; /* in tables of few buckets one of 64 keys fits */
    const int keys = t->keys;
    for (int i = 0; i < TRIES && keys && t->twins < n && t->keys < COMPACT_MOST_KEYS; i++)
        t->twins += twin_add(t, (int)dice_below(dice, (uint32_t)keys), dice);
}

/* In a small table all buckets are crowded. */
static void any_draw(struct compact_scene_table *t, int keys, struct dice *dice)
{
    while (t->keys < keys) (void)hash_add(t, dice_draw(dice) & (bits_of(t) == 64 ? ~0ULL : 0xffffffffULL), UINT32_MAX, UINT32_MAX);
}

void compact_universe_draw(struct compact_scene_table *t, const struct compact_sizes *sizes, int keys, struct dice *dice)
{
    enum { TWINS = 6, MORE = 8 /* keys than slots */ };
    const int buckets = sizes->crowded ? sizes->crowded : (int)sizes->buckets, slots = buckets * sizes->slots + MORE;
    const int all = keys ? keys : slots < COMPACT_MOST_KEYS - TWINS ? slots : COMPACT_MOST_KEYS - TWINS;
    if (!sizes->crowded) {
        any_draw(t, all, dice);
    } else {
        edges_draw(t, sizes->crowded, all - (int)dice_below(dice, (uint32_t)all / 2), dice);
        tails_draw(t, all, dice);
    }
    if (bits_of(t) == 64) twins_draw(t, TWINS, dice);
}

/* ---- Universes of one home ------------------------------------------------------------------- */

static bool has_two_homes(const struct compact_known *k) { return k->home[0].bucket != k->home[1].bucket; }

static bool are_twins(const struct compact_known *a, const struct compact_known *b)
{
    return a->home[0].bucket == b->home[0].bucket && a->home[0].tag.low == b->home[0].tag.low && has_two_homes(a) &&
           has_two_homes(b);
}

int compact_twins_next(const struct compact_scene_table *t, int from)
{
    for (int i = from; i + 1 < t->keys; i++)
        if (are_twins(&t->known[i], &t->known[i + 1])) return i;
    return -1;
}

/* Makes two twins the first keys. */
static bool twins_first(struct compact_scene_table *t)
{
    for (int a = 0; a < t->keys; a++)
        for (int b = a + 1; b < t->keys; b++) {
            if (!are_twins(&t->known[a], &t->known[b])) continue;
            keys_swap(t, a, 0);
            keys_swap(t, b, 1);
            return true;
        }
    return false;
}

/* The first home of most keys. */
static uint32_t home_of_most(const struct compact_scene_table *t)
{
    int most = -1;
    uint32_t bucket = 0;
    for (int i = 0; i < t->homes; i++) {
        int n = 0;
        for (int key = 0; key < t->keys; key++) n += t->known[key].home[0].bucket == t->home[i] && has_two_homes(&t->known[key]);
        if (n > most) most = n, bucket = t->home[i];
    }
    return bucket;
}

bool compact_universe_narrow(struct compact_scene_table *t, int keys, bool twins)
{
    int n = 0;
    if (twins && !twins_first(t)) return false;
    const uint32_t bucket = twins ? t->known[0].home[0].bucket : home_of_most(t);
    for (int i = 0; i < t->keys && n < keys; i++)
        if (t->known[i].home[0].bucket == bucket && has_two_homes(&t->known[i])) keys_swap(t, i, n++);
    t->keys = n;
    return compact_places_set(t) && n == keys;
}
