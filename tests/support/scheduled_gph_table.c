/* A small GPH table in plain memory for the scheduled machine. */
#include "support/scheduled_gph_table.h"

#include "portable/hash_seeds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Making ---------------------------------------------------------------------------------- */

enum { DRAWN_KEYS = 128 };

/* Nearly full, or slightly over; as often with few locks as with enough. */
void gph_table_draw_sizes(struct gph_sizes *sizes, const struct shape shape, struct dice *dice)
{
    sizes->family = dice_below(dice, 3) ? HASH_KEYED : HASH_SUMMED;
    sizes->virtual_log = 1 + dice_below(dice, 3);
    const uint32_t virtuals = 1u << sizes->virtual_log, least = virtuals < 4 ? 4 : virtuals;
    sizes->cells = 4 + 4 * dice_below(dice, 2);
    sizes->buckets = least + dice_below(dice, (dice_below(dice, 2) ? 12 : 24) - least + 1);
    sizes->overflow = 1 + dice_below(dice, 2);
    sizes->cell_locks = 1u << dice_below(dice, 4);
    sizes->bucket_locks = 1u << dice_below(dice, 6);
    const int slots = (int)sizes->buckets * shape.slots, keys = 2 + slots * (10 + (int)dice_below(dice, 8)) / 16;
    sizes->keys = keys > DRAWN_KEYS ? DRAWN_KEYS : keys;
    sizes->crowd = dice_below(dice, 4) ? 0 : sizes->keys / 2;
}

/* The parts of a table's memory. Where each is a block of its own, sizes are exact, so that an
 * address sanitizer sees an access outside. */
struct part {
    void **at;
    size_t bytes;
};

enum { PARTS = 5 };

static void parts_of(struct gph_scene_table *t, struct part part[PARTS])
{
    struct gph_view *v = &t->view;
    const struct part all[PARTS] = {
        {(void **)&v->buckets, (gph_special(v) + 1) * shape_bucket_bytes(t->shape)},
        {(void **)&v->cells, v->cell_count},
        {(void **)&v->passed, v->overflow_count * sizeof(uint32_t)},
        {(void **)&v->cell_locks, (v->cell_lock_mask + 1) * sizeof(uint32_t)},
        {(void **)&v->bucket_locks, (v->bucket_lock_mask + 1) * sizeof(uint32_t)},
    };
    memcpy(part, all, sizeof all);
}

static void memory_make(struct gph_scene_table *t)
{
    struct part part[PARTS];
    parts_of(t, part);
    for (int i = 0; i < PARTS; i++) {
        *part[i].at = calloc(1, part[i].bytes);
        if (!*part[i].at) abort();
    }
    memset(gph_at(t->shape, &t->view, gph_special(&t->view)), 0xff, shape_bucket_bytes(t->shape));
}

static void key_take(struct gph_scene_table *t, int i, roost_key key)
{
    t->key[i] = key;
    t->hash[i] = gph_hash(t->shape, &t->view, key);
}

/* 0 and ~0 first, then small numbers as often as large ones. All keys of a crowd have the cell
 * of its first key. */
static void universe_draw(struct gph_scene_table *t, struct dice *dice)
{
    const uint64_t mask = ~0ULL >> (64 - 8 * t->shape.key_bytes);
    key_take(t, 0, 0);
    key_take(t, 1, mask);
    t->keys = 2;
    while (t->keys < t->sizes.keys) {
        const roost_key key = dice_draw(dice) >> (dice_below(dice, 4) ? 0 : 56) & mask;
        key_take(t, t->keys, key);
        if (frame_key_index(t->key, t->keys, key) >= 0) continue;
        if (t->keys >= t->sizes.crowd || gph_cell_of(t, t->keys) == gph_cell_of(t, 1)) t->keys++;
    }
}

void gph_table_make(struct gph_scene_table *t, const struct shape shape, const struct gph_sizes *sizes, struct dice *dice)
{
    struct gph_view *v = &t->view;
    memset(t, 0, sizeof *t);
    t->shape = shape;
    t->sizes = *sizes;
    hash_seeds_draw(&v->seeds, sizes->family, dice_draw(dice));
    v->cell_count = sizes->cells;
    v->bucket_count = sizes->buckets;
    v->overflow_count = sizes->overflow;
    v->cell_lock_mask = sizes->cell_locks - 1;
    v->bucket_lock_mask = sizes->bucket_locks - 1;
    v->virtual_log = sizes->virtual_log;
    v->stride_count = (sizes->buckets - 1) / ((1u << sizes->virtual_log) - 1);
    v->patience = UINT32_MAX;
    memory_make(t);
    universe_draw(t, dice);
}

void gph_table_free(struct gph_scene_table *t)
{
    struct part part[PARTS];
    parts_of(t, part);
    for (int i = 0; i < PARTS; i++) free(*part[i].at);
}

void gph_table_keep(struct gph_scene_table *t, struct frame_image *image)
{
    struct part part[PARTS];
    parts_of(t, part);
    for (int i = 0; i < PARTS; i++) frame_image_keep(image, *part[i].at, part[i].bytes);
    frame_image_keep(image, t->count, sizeof t->count);
    frame_image_keep(image, &t->flagged, sizeof t->flagged);
}

/* ---- Where keys lie -------------------------------------------------------------------------- */

uint32_t gph_cell_of(const struct gph_scene_table *t, int key) { return t->hash[key].cell; }

uint32_t gph_code(const struct gph_scene_table *t, uint32_t cell) { return gph_cell_code(&t->view, cell); }

uint32_t gph_home(const struct gph_scene_table *t, int key)
{
    const struct gph_hash h = t->hash[key];
    if (t->key[key] == 0) return gph_special(&t->view);
    return gph_key_bucket(&t->view, h, gph_mapping(&t->view, gph_code(t, h.cell)));
}

static bool is_flagged(const struct gph_scene_table *t, int key)
{
    return t->key[key] != 0 && gph_code(t, gph_cell_of(t, key)) == GPH_FLAGGED;
}

/* The unit in a slot, by a plain load. */
static uint64_t unit_at(const struct gph_scene_table *t, uint32_t bucket, int slot)
{
    return load_width(shape_unit_bytes(t->shape), gph_at(t->shape, &t->view, bucket), (uint64_t)slot);
}

static bool slot_taken(const struct gph_scene_table *t, uint32_t bucket, int slot)
{
    return unit_at(t, bucket, slot) != vacant_unit(t->shape, bucket == gph_special(&t->view));
}

static int times_in(const struct gph_scene_table *t, uint32_t bucket, roost_key key)
{
    int n = 0;
    for (int slot = 0; slot < t->shape.slots; slot++)
        n += slot_taken(t, bucket, slot) && unit_key(t->shape, unit_at(t, bucket, slot)) == key;
    return n;
}

static int vacancies_in(const struct gph_scene_table *t, uint32_t bucket)
{
    int n = 0;
    for (int slot = 0; slot < t->shape.slots; slot++) n += !slot_taken(t, bucket, slot);
    return n;
}

/* How many copies of the key a find would meet if it did not stop at the first. */
static int times_met(const struct gph_scene_table *t, int key)
{
    const struct gph_view *v = &t->view;
    int n = times_in(t, gph_home(t, key), t->key[key]);
    for (uint32_t k = 0; is_flagged(t, key) && k < gph_chain_length(v); k++) {
        const uint32_t i = gph_chain(v, gph_cell_of(t, key), k);
        n += times_in(t, v->bucket_count + i, t->key[key]);
        if (!v->passed[i]) break;
    }
    return n;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static bool walk_slot(struct gph_scene_table *t, uint32_t bucket, int slot, struct gph_contents *contents)
{
    const struct gph_view *v = &t->view;
    const uint64_t unit = unit_at(t, bucket, slot);
    const int i = frame_key_index(t->key, t->keys, unit_key(t->shape, unit)), bytes = t->shape.value_bytes;
    if (!slot_taken(t, bucket, slot)) return true;
    if (i < 0) return wrong_say("bucket %" PRIu32 " stores %" PRIx64 ", which was never inserted", bucket, unit);
    if (contents->stored[i]) return wrong_say("invariant B: key %" PRIx64 " is stored twice", t->key[i]);
    if ((t->key[i] == 0) != (bucket == gph_special(v)))
        return wrong_say("invariant G: key %" PRIx64 " is in bucket %" PRIu32, t->key[i], bucket);
    if (bucket < v->bucket_count && bucket != gph_home(t, i))
        return wrong_say("invariant A: key %" PRIx64 " lies outside its bucket", t->key[i]);
    if (bucket >= v->bucket_count && bucket < gph_special(v) && !is_flagged(t, i))
        return wrong_say("invariant H: key %" PRIx64 " is in the overflow store, and its cell not flagged", t->key[i]);
    if (times_met(t, i) != 1) return wrong_say("invariant E: key %" PRIx64 " is met %d times by finds", t->key[i], times_met(t, i));
    contents->stored[i] = true;
    contents->bucket[i] = bucket;
    contents->at[i] = bucket * (uint32_t)t->shape.slots + (uint32_t)slot;
    contents->count[bucket < v->bucket_count ? GPH_MAIN : bucket < gph_special(v) ? GPH_OVERFLOW : GPH_SPECIAL]++;
    if (bytes)
        contents->value[i] =
            t->shape.word ? unit >> 32 : load_width(bytes, slot_value(t->shape, gph_at(t->shape, v, bucket), slot), 0);
    return true;
}

static bool locks_check(struct gph_scene_table *t)
{
    const struct gph_view *v = &t->view;
    for (uint32_t i = 0; i <= v->cell_lock_mask; i++)
        if (v->cell_locks[i]) return wrong_say("invariant D: lock %" PRIu32 " of cells is held by %" PRIu32, i, v->cell_locks[i]);
    for (uint32_t i = 0; i <= v->bucket_lock_mask; i++)
        if (v->bucket_locks[i])
            return wrong_say("invariant D: lock %" PRIu32 " of buckets is held by %" PRIu32, i, v->bucket_locks[i]);
    return true;
}

static bool counts_check(struct gph_scene_table *t, const struct gph_contents *c)
{
    if (!memcmp(c->count, t->count, sizeof c->count) && c->flagged == t->flagged) return true;
    return wrong_say("invariant C: %" PRIu64 " keys in main slots, %" PRIu64 " in the overflow store, %" PRIu64 " special, %" PRIu64
                     " cells flagged; counted are %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64,
                     c->count[GPH_MAIN], c->count[GPH_OVERFLOW], c->count[GPH_SPECIAL], c->flagged, t->count[GPH_MAIN],
                     t->count[GPH_OVERFLOW], t->count[GPH_SPECIAL], t->flagged);
}

bool gph_table_walk(struct gph_scene_table *t, struct gph_contents *contents)
{
    memset(contents, 0, sizeof *contents);
    if (!locks_check(t)) return false;
    for (uint32_t bucket = 0; bucket <= gph_special(&t->view); bucket++)
        for (int slot = 0; slot < t->shape.slots; slot++)
            if (!walk_slot(t, bucket, slot, contents)) return false;
    for (uint32_t cell = 0; cell < t->view.cell_count; cell++) contents->flagged += gph_code(t, cell) == GPH_FLAGGED;
    return counts_check(t, contents);
}

/* ---- Room ------------------------------------------------------------------------------------ */

static bool coincides(const struct gph_scene_table *t, uint32_t cell, uint32_t phi)
{
    for (uint32_t p = 0; p <= gph_virtual_mask(&t->view); p++)
        for (uint32_t q = 0; q < p; q++)
            if (gph_bucket(&t->view, cell, phi, p) == gph_bucket(&t->view, cell, phi, q)) return true;
    return false;
}

/* How many keys of a cell would have no room under a mapping; -1 if its buckets coincide. Pairs
 * are copied before they leave their slots, so their slots count as taken, unless Phi and thus
 * the buckets stay the same. */
static int left_over(const struct gph_scene_table *t, const struct gph_contents *c, uint32_t cell, int more,
                     const struct gph_mapping m)
{
    int over[64], left = 0;
    const bool same_buckets = gph_mapping(&t->view, gph_code(t, cell)).phi == m.phi;
    if (coincides(t, cell, m.phi)) return -1;
    for (uint32_t bucket = 0; bucket < t->view.bucket_count; bucket++) over[bucket] = -t->shape.slots;
    for (int i = 1; i < t->keys; i++) {
        const struct gph_hash h = t->hash[i];
        const bool own = h.cell == cell;
        if (own && (c->stored[i] || i == more)) over[gph_key_bucket(&t->view, h, m)]++;
        if ((!own || !same_buckets) && c->stored[i] && c->bucket[i] < t->view.bucket_count) over[c->bucket[i]]++;
    }
    for (uint32_t p = 0; p <= gph_virtual_mask(&t->view); p++) {
        const uint32_t bucket = gph_bucket(&t->view, cell, m.phi, p);
        int need = 0;
        for (int i = 1; i < t->keys; i++) {
            const struct gph_hash h = t->hash[i];
            need += h.cell == cell && (c->stored[i] || i == more) && gph_key_bucket(&t->view, h, m) == bucket;
        }
        if (need && over[bucket] > 0) left += over[bucket];
    }
    return left;
}

static int members_of(const struct gph_scene_table *t, const struct gph_contents *contents, uint32_t cell)
{
    int n = 0;
    for (int i = 1; i < t->keys; i++) n += contents->stored[i] && gph_cell_of(t, i) == cell;
    return n;
}

bool gph_cell_fits(const struct gph_scene_table *t, const struct gph_contents *contents, uint32_t cell, int more)
{
    if (members_of(t, contents, cell) > GPH_MEMBERS) return false; /* too many to move */
    for (uint32_t code = 0; code < GPH_FLAGGED; code++)
        if (left_over(t, contents, cell, more, gph_mapping(&t->view, code)) == 0) return true;
    return false;
}

/* True if a cell has a mapping of another Phi with room for its keys. */
static bool cell_moves(const struct gph_scene_table *t, const struct gph_contents *contents, uint32_t cell)
{
    const uint32_t phi = gph_mapping(&t->view, gph_code(t, cell)).phi;
    if (members_of(t, contents, cell) > GPH_MEMBERS) return false;
    for (uint32_t code = 0; code < GPH_FLAGGED; code++) {
        const struct gph_mapping to = gph_mapping(&t->view, code);
        if (to.phi != phi && left_over(t, contents, cell, -1, to) == 0) return true;
    }
    return false;
}

bool gph_key_evicts(const struct gph_scene_table *t, const struct gph_contents *contents, int key)
{
    const uint32_t cell = gph_cell_of(t, key), bucket = gph_home(t, key);
    for (int i = 1; i < t->keys; i++)
        if (contents->stored[i] && contents->bucket[i] == bucket && gph_cell_of(t, i) != cell &&
            cell_moves(t, contents, gph_cell_of(t, i)))
            return true;
    return false;
}

bool gph_key_fits(const struct gph_scene_table *t, const struct gph_contents *contents, int key)
{
    const struct gph_view *v = &t->view;
    const uint32_t cell = gph_cell_of(t, key);
    const bool movable = members_of(t, contents, cell) <= GPH_MEMBERS, flagged = gph_code(t, cell) == GPH_FLAGGED;
    const int left = left_over(t, contents, cell, key, gph_mapping(v, GPH_FLAGGED));
    int chain = 0;
    for (uint32_t k = 0; k < gph_chain_length(v); k++) chain += vacancies_in(t, v->bucket_count + gph_chain(v, cell, k));
    if (vacancies_in(t, gph_home(t, key)) || gph_cell_fits(t, contents, cell, key)) return true;
    return flagged ? chain > 0 : movable && left >= 0 && left <= chain;
}

/* ---- Watching -------------------------------------------------------------------------------- */

void gph_watch_begin(struct gph_watch *w, struct gph_scene_table *t, bool erases, int size)
{
    w->table = t;
    w->erases = erases;
    w->size = size;
    for (int i = 0; i < t->keys; i++) w->seen[i] = times_met(t, i) > 0;
    for (int i = 0; i < GPH_MOST_STAMPS; i++) w->tile[i] = -1;
    memset(w->cells, 0, sizeof w->cells);
    memset(w->buckets, 0, sizeof w->buckets);
}

void gph_watch_stamp(struct gph_watch *w, uint32_t stamp, int whose)
{
    if (stamp >= GPH_MOST_STAMPS) abort();
    w->tile[stamp] = whose;
}

/* Only its holder changes a lock: the one before the change, or the new one. */
static bool locks_look(struct gph_watch *w, const char *what, const uint32_t *locks, uint32_t n, uint32_t *before)
{
    const int here = (int)tile_rank(w->size);
    if (n > GPH_MOST_LOCKS) abort();
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t was = before[i], holder = was ? was : locks[i];
        if (locks[i] == was) continue;
        before[i] = locks[i];
        if (holder < GPH_MOST_STAMPS && (w->tile[holder] < 0 || w->tile[holder] == here)) continue;
        snprintf(w->text, sizeof w->text, "lock %" PRIu32 " of %s was %" PRIu32 ", and is made %" PRIu32 " by another tile", i,
                 what, was, locks[i]);
        return false;
    }
    return true;
}

static bool keys_look(struct gph_watch *w)
{
    struct gph_scene_table *t = w->table;
    for (int i = 0; i < t->keys; i++) {
        /* its keys may be in flight */
        if (t->view.cell_locks[gph_cell_of(t, i) & t->view.cell_lock_mask]) continue;
        const int n = times_met(t, i);
        if (n <= 1 && (w->erases || !w->seen[i] || n == 1)) {
            w->seen[i] = n > 0;
            continue;
        }
        snprintf(w->text, sizeof w->text, "key %" PRIx64 " is there %d times", t->key[i], n);
        return false;
    }
    return true;
}

const char *gph_watch_look(void *watch)
{
    struct gph_watch *w = (struct gph_watch *)watch;
    const struct gph_view *v = &w->table->view;
    return locks_look(w, "cells", v->cell_locks, v->cell_lock_mask + 1, w->cells) &&
                   locks_look(w, "buckets", v->bucket_locks, v->bucket_lock_mask + 1, w->buckets) && keys_look(w)
               ? NULL
               : w->text;
}
