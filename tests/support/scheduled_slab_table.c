/* A small slab table in plain memory for the scheduled machine. */
#include "support/scheduled_slab_table.h"

#include "portable/hash_seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Making ---------------------------------------------------------------------------------- */

static unsigned char *ones_make(size_t bytes)
{
    unsigned char *memory = (unsigned char *)aligned_alloc(SLAB_BYTES, bytes);
    if (!memory) abort();
    memset(memory, 0xff, bytes);
    return memory;
}

unsigned char *slab_base_make(uint32_t buckets)
{
    unsigned char *base = ones_make((buckets + 1) * (size_t)SLAB_BYTES);
    *slab_aux(base + buckets * (size_t)SLAB_BYTES) = ~(1u << SLAB_SPECIAL_BIT);
    return base;
}

void slab_table_draw_sizes(struct slab_sizes *sizes, struct dice *dice)
{
    sizes->light = dice_below(dice, 3) == 0;
    sizes->buckets = 1 + dice_below(dice, 2);
    sizes->units = (int)dice_below(dice, SLAB_MOST_UNITS + 1);
    sizes->supers = sizes->light ? 1 : 1 + dice_below(dice, 2);
    sizes->multi = dice_below(dice, 4) == 0;
    sizes->apart = 0;
}

static uint32_t *unit_word(const struct slab_pool *p, uint32_t handle)
{
    const uint32_t super = p->light ? 0 : handle >> 24, in_super = handle & 0xffffffu;
    return slab_bitmap(p, super, p->first_block[super] + in_super / SLAB_BLOCK_UNITS) + in_super % SLAB_BLOCK_UNITS / 32;
}

static bool unit_is_taken(const struct slab_pool *p, uint32_t handle) { return *unit_word(p, handle) >> (handle & 31u) & 1u; }

static void pool_make(struct slab_scene_table *t, struct dice *dice)
{
    struct slab_pool *p = &t->view.pool;
    p->supers = t->sizes.supers;
    p->light = t->sizes.light;
    p->exhausted = &t->exhausted;
    for (uint32_t i = 0; i < p->supers; i++) {
        const uint32_t blocks = t->sizes.apart ? 1 : 1 + dice_below(dice, 2);
        const size_t bitmaps = blocks * (size_t)SLAB_BLOCK_WORDS * sizeof(uint32_t);
        p->first_block[i + 1] = p->first_block[i] + blocks;
        t->pool_memory[i] = ones_make(bitmaps + blocks * (size_t)SLAB_BLOCK_UNITS * SLAB_BYTES);
        p->units[i] = t->pool_memory[i] + bitmaps;
    }
    for (int i = 0; i < t->sizes.units;) {
        const uint32_t super = dice_below(dice, p->supers), blocks = p->first_block[super + 1] - p->first_block[super];
        t->unit[i] = t->sizes.apart ? (uint32_t)(i * t->sizes.apart) : super << 24 | dice_below(dice, blocks * SLAB_BLOCK_UNITS);
        if (!unit_is_taken(p, t->unit[i])) continue;
        *unit_word(p, t->unit[i]) &= ~(1u << (t->unit[i] & 31u));
        i++;
    }
}

static struct item placed(const struct slab_scene_table *t, roost_key key)
{
    struct item item;
    item.key = key;
    slab_place(t->shape, &t->view, &item);
    return item;
}

/* Marks first; then keys of all widths, so that some have equal halves or low words. */
static void draw_universe(struct slab_scene_table *t, int wanted, int crowd, struct dice *dice)
{
    const uint64_t empty = t->shape.key_bytes == 4 ? 0xffffffffULL : ~0ULL;
    const struct shape s = t->shape;
    t->keys = 0;
    if (!crowd) t->key[t->keys++] = empty, t->key[t->keys++] = empty - 1;
    while (t->keys < wanted) {
        const int shift = dice_below(dice, 2) ? 0 : 56;
        const roost_key key = dice_draw(dice) >> shift & empty;
        const struct item item = placed(t, key), first = placed(t, t->key[0]);
        const bool fits = t->keys == 0 || t->keys >= crowd ||
                          (item.home[0].index == first.home[0].index && item.home[0].sub == first.home[0].sub);
        if (frame_key_index(t->key, t->keys, key) < 0 && fits && !(crowd && slab_is_mark(s, key))) t->key[t->keys++] = key;
    }
}

void slab_table_make(struct slab_scene_table *t, const struct shape shape, const struct slab_sizes *sizes, int keys, int crowd,
                     struct dice *dice)
{
    memset(t, 0, sizeof *t);
    t->shape = shape;
    t->sizes = *sizes;
    t->view.buckets = sizes->buckets;
    t->view.multi = sizes->multi;
    t->view.flush_length = 1 + dice_below(dice, 3);
    t->view.near = 2;
    t->view.wants_flush = &t->wants_flush;
    t->view.sure_length = !sizes->multi && sizes->units % 3 == 1;
    t->view.is_long = &t->is_long;
    hash_seeds_draw(&t->view.seeds, shape.key_bytes == 4 && dice_below(dice, 2) ? HASH_UNIVERSAL : HASH_KEYED, dice_draw(dice));
    t->view.base = t->base_memory = slab_base_make(sizes->buckets);
    pool_make(t, dice);
    const int slots = shape.slots * ((int)sizes->buckets + sizes->units), most = slots < 80 ? slots + 12 : SLAB_MOST_KEYS;
    draw_universe(t, keys ? keys : most, crowd, dice);
}

void slab_table_free(struct slab_scene_table *t)
{
    free(t->base_memory);
    for (int i = 0; i < 2; i++) free(t->pool_memory[i]);
}

/* ---- Walking --------------------------------------------------------------------------------- */

static int unit_of(const struct slab_scene_table *t, uint32_t handle)
{
    for (int i = 0; i < t->sizes.units; i++)
        if (t->unit[i] == handle) return i;
    return -1;
}

/* A walk over a list: its place, and where EMPTY slots were so far. */
struct list_walk {
    uint32_t bucket;
    struct slab_copy copy;
    bool empty_before; /* an earlier slab had one */
    struct slab_list_slabs slabs;
};

static bool has_empty(const struct shape s, const struct slab_copy *copy, int half, int end)
{
    for (int slot = half * slab_half_slots(s); slot < end; slot++)
        if (slab_copy_pair(s, copy, slot).key == slab_empty(s)) return true;
    return false;
}

static bool walk_pair(struct slab_scene_table *t, const struct list_walk *w, int slot, struct slab_contents *contents)
{
    const struct shape s = t->shape;
    const struct slab_pair pair = slab_copy_pair(s, &w->copy, slot);
    const bool is_last = w->bucket == t->view.buckets;
    const roost_key key = is_last ? slab_empty(s) - pair.key : pair.key;
    const int i = frame_key_index(t->key, t->keys, key), half = slot >= slab_half_slots(s);
    if (i < 0) return wrong_say("list %" PRIu32 " stores the key %" PRIx64 ", which was never inserted", w->bucket, key);
    const struct item item = placed(t, key);
    if (item.home[0].index != w->bucket) return wrong_say("invariant A: key %" PRIx64 " is in another list", key);
    if (!t->view.multi && contents->n[i]) return wrong_say("invariant B: key %" PRIx64 " is stored twice", key);
    if (w->empty_before || has_empty(s, &w->copy, half, slot) ||
        (half != (int)item.home[0].sub && has_empty(s, &w->copy, !half, half ? slab_half_slots(s) : s.slots)))
        return wrong_say("invariant C: an EMPTY slot is before the key %" PRIx64, key);
    if (s.word == SLAB_TWO_STEP && (w->copy.word[SLAB_BYTES / 8 - 1] >> slot & 1u))
        return wrong_say("invariant G: key %" PRIx64 " was never shown", key);
    contents->stored++;
    contents->value[i][contents->n[i]++] = s.value_bytes == 4 ? (uint32_t)pair.value : s.value_bytes ? pair.value : 0;
    return true;
}

static bool walk_slab(struct slab_scene_table *t, struct list_walk *w, unsigned char *slab, struct slab_contents *contents)
{
    const int dead_before = contents->list[w->bucket].dead;
    const uint32_t aux = (uint32_t)w->copy.word[SLAB_BYTES / 8 - 1];
    const bool is_last = w->bucket == t->view.buckets;
    if ((aux >> SLAB_SPECIAL_BIT & 1u) == is_last)
        return wrong_say("invariant G: a slab of list %" PRIu32 " is marked wrong", w->bucket);
    for (int slot = 0; slot < t->shape.slots; slot++) {
        const struct slab_pair pair = slab_copy_pair(t->shape, &w->copy, slot);
        contents->list[w->bucket].dead += pair.key == slab_tombstone(t->shape);
        contents->list[w->bucket].empty += pair.key == slab_empty(t->shape);
        if (slab_is_live(t->shape, pair) && !walk_pair(t, w, slot, contents)) return false;
    }
    w->slabs.slab[w->slabs.n] = slab;
    w->slabs.is_dead[w->slabs.n++] = contents->list[w->bucket].dead - dead_before == t->shape.slots;
    return true;
}

static bool walk_list(struct slab_scene_table *t, uint32_t bucket, bool *seen, struct slab_contents *contents)
{
    const struct shape s = t->shape;
    struct list_walk w = {.bucket = bucket};
    unsigned char *slab = slab_list(&t->view, bucket);
    for (int length = 1;; length++) {
        slab_copy_load(&w.copy, slab);
        if (!walk_slab(t, &w, slab, contents)) return false;
        contents->list[bucket].slabs = length;
        const uint32_t next = slab_copy_next(&w.copy);
        if (next == SLAB_NONE) break;
        const int unit = unit_of(t, next);
        if (unit < 0) return wrong_say("invariant E: a link leads to unit %" PRIx32, next);
        if (seen[unit]) return wrong_say("invariant E: unit %" PRIx32 " is in two lists, or twice in one", next);
        seen[unit] = true;
        contents->chained++;
        w.empty_before |= has_empty(s, &w.copy, 0, s.slots);
        slab = slab_unit(&t->view.pool, next);
    }
    contents->dead += contents->list[bucket].dead;
    if (contents->list[bucket].slabs > contents->longest) contents->longest = contents->list[bucket].slabs;
    return slab_jumps_check(t, &w.slabs, contents);
}

static bool all_ones(const unsigned char *bytes)
{
    for (int i = 0; i < SLAB_BYTES; i++)
        if (bytes[i] != 0xff) return false;
    return true;
}

bool slab_table_walk(struct slab_scene_table *t, struct slab_contents *contents)
{
    bool seen[SLAB_MOST_UNITS] = {false};
    memset(contents->n, 0, sizeof contents->n);
    memset(contents->list, 0, sizeof contents->list);
    contents->stored = contents->dead = contents->chained = contents->taken = contents->longest = 0;
    contents->tails = contents->skips = 0;
    for (uint32_t bucket = 0; bucket <= t->view.buckets; bucket++)
        if (!walk_list(t, bucket, seen, contents)) return false;
    for (int i = 0; i < t->sizes.units; i++) {
        const bool taken = unit_is_taken(&t->view.pool, t->unit[i]);
        if (taken != seen[i])
            return wrong_say("invariant D: unit %" PRIx32 " is %s", t->unit[i],
                             taken ? "taken, and in no list" : "in a list, and free");
        if (!taken && !all_ones(slab_unit(&t->view.pool, t->unit[i])))
            return wrong_say("invariant F: the free unit %" PRIx32 " is not filled with ones", t->unit[i]);
        contents->taken += taken;
    }
    return true;
}

/* ---- Watching -------------------------------------------------------------------------------- */

static const unsigned char *watched_slab(const struct slab_scene_table *t, int i)
{
    const int base = (int)t->view.buckets + 1;
    return i < base ? t->view.base + i * (size_t)SLAB_BYTES : slab_unit(&t->view.pool, t->unit[i - base]);
}

void slab_watch_begin(struct slab_watch *w, struct slab_scene_table *t, bool with_units)
{
    struct slab_copy copy;
    w->table = t;
    w->slabs = (int)t->view.buckets + 1 + (with_units ? t->sizes.units : 0);
    for (int i = 0; i < w->slabs; i++) {
        slab_copy_load(&copy, watched_slab(t, i));
        for (int slot = 0; slot < t->shape.slots; slot++) w->key[i][slot] = slab_copy_pair(t->shape, &copy, slot).key;
    }
}

static bool watched_change(const struct slab_watch *w, uint64_t was, uint64_t is)
{
    const struct shape s = w->table->shape;
    if (was == is || was == slab_empty(s)) return true;
    return is == slab_tombstone(s) || (w->table->view.multi && is != slab_empty(s));
}

const char *slab_watch_look(void *watch)
{
    struct slab_watch *w = (struct slab_watch *)watch;
    struct slab_copy copy;
    for (int i = 0; i < w->slabs; i++) {
        slab_copy_load(&copy, watched_slab(w->table, i));
        for (int slot = 0; slot < w->table->shape.slots; slot++) {
            const uint64_t was = w->key[i][slot], is = w->key[i][slot] = slab_copy_pair(w->table->shape, &copy, slot).key;
            if (watched_change(w, was, is)) continue;
            snprintf(w->text, sizeof w->text, "slot %d of slab %d went from key %" PRIx64 " to %" PRIx64, slot, i, was, is);
            return w->text;
        }
    }
    return NULL;
}
