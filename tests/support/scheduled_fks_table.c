/* A small FKS table that one thread makes and walks with strong memory. */
#include "support/scheduled_fks_table.h"

#include "engines/fks/fks_items.h"
#include "portable/hash_seeds.h"

#include <inttypes.h>

enum { MANY_LINES = 65 /* more than a bucket has marks */ };

uint64_t small_hash(const struct small_table *t, roost_key key) { return fks_hash(t->shape, &t->view, key); }

/* ---- Places ---------------------------------------------------------------------------------- */

static uint32_t lines_of(const struct small_table *t, const struct small_key *k)
{
    return fks_form_lines(t->directory[k->part][k->bucket].form);
}

static unsigned char *line_at(struct small_table *t, uint32_t part, uint32_t bucket, uint32_t line)
{
    return fks_line(t->shape, fks_bucket(&t->view, &t->parts[part], t->directory[part][bucket].first), line);
}

/* The first vacant slot of the line, or -1. */
static int vacancy_in(struct small_table *t, const struct small_key *k, uint32_t line)
{
    for (int slot = 0; slot < t->shape.slots; slot++)
        if (!pair_load(t->shape, line_at(t, k->part, k->bucket, line), slot, false).taken) return slot;
    return -1;
}

int small_taken(struct small_table *t, const struct small_key *k, uint32_t line)
{
    int n = 0;
    for (int slot = 0; slot < t->shape.slots; slot++)
        n += pair_load(t->shape, line_at(t, k->part, k->bucket, line), slot, false).taken;
    return n;
}

bool small_is_limited(const struct small_table *t, const struct small_key *k)
{
    const uint32_t form = t->directory[k->part][k->bucket].form;
    return t->view.line_limit && (fks_form_count(form) + 1ULL) << 16 > (uint64_t)fks_form_lines(form) * t->view.line_limit;
}

static struct small_key key_place(const struct small_table *t, roost_key key)
{
    struct small_key k = {.key = key, .hash = small_hash(t, key)};
    const uint32_t top = fks_top(t->shape, k.hash);
    k.part = fks_digit(top, t->view.part_bits);
    k.bucket = fks_bucket_of(&t->parts[k.part], t->view.part_bits, top);
    if (lines_of(t, &k)) k.l = fks_lines_of(&t->view, k.hash, lines_of(t, &k), fks_form_seed(t->directory[k.part][k.bucket].form));
    return k;
}

bool small_may_move(struct small_table *t, const struct small_key *k)
{
    for (int i = 0; i < 2 * t->shape.slots && k->l.first != k->l.second; i++) {
        const uint32_t line = i < t->shape.slots ? k->l.first : k->l.second;
        const struct pair pair = pair_load(t->shape, line_at(t, k->part, k->bucket, line), i % t->shape.slots, false);
        const struct small_key other = key_place(t, pair.key);
        if (vacancy_in(t, k, other.l.first == line ? other.l.second : other.l.first) >= 0) return true;
    }
    return false;
}

/* ---- The table made -------------------------------------------------------------------------- */

/* Few lines; or more lines than marks, which then share them; sometimes none. */
static uint32_t lines_draw(const struct small_table *t, struct dice *dice)
{
    const uint32_t kind = dice_below(dice, 12), few = t->shape.slots == 1 ? 12 : 4;
    if (kind == 0) return 0;
    return kind == 1 ? MANY_LINES + dice_below(dice, 3) : 1 + dice_below(dice, few);
}

/* Vacant slots hold random values, which mean nothing. */
static void bucket_vacate(struct small_table *t, struct dice *dice, uint32_t part, uint32_t bucket)
{
    for (uint32_t line = 0; line < fks_form_lines(t->directory[part][bucket].form); line++)
        for (int slot = 0; slot < t->shape.slots; slot++) {
            const struct pair none = {0, dice_draw(dice), false};
            pair_store(t->shape, line_at(t, part, bucket, line), slot, &none);
        }
}

static int part_make(struct small_table *t, struct dice *dice, uint32_t part)
{
    const uint32_t buckets = 1 + dice_below(dice, SMALL_BUCKETS);
    uint32_t first = 0, slots = 0;
    t->parts[part] =
        (struct fks_part){t->lines[part], t->directory[part], buckets, buckets == 1 ? 1 : 3, SMALL_PART_BYTES >> 8, 0, NULL};
    for (uint32_t b = 0; b < buckets; b++) {
        const uint32_t lines = lines_draw(t, dice);
        t->directory[part][b] = (struct fks_entry){first, fks_form(0, lines, dice_below(dice, FKS_SEEDS)), {0, 0}};
        bucket_vacate(t, dice, part, b);
        first += lines ? (uint32_t)((lines * shape_bucket_bytes(t->shape) + 255) >> 8) : 1;
        slots += (lines < MANY_LINES ? lines : 4) * (uint32_t)t->shape.slots;
    }
    return (int)slots;
}

/* In a bucket of many lines, only keys whose lines share two marks are wanted. */
static bool key_wanted(const struct small_table *t, const struct small_key *k)
{
    if (k->key == 0) return false;
    for (int i = 0; i < t->keys; i++)
        if (t->key[i].key == k->key) return false;
    return lines_of(t, k) < MANY_LINES || ((k->l.first & 63) < 2 && (k->l.second & 63) < 2);
}

static void keys_draw(struct small_table *t, struct dice *dice, int slots)
{
    const int wanted = 4 + slots * (int)(70 + dice_below(dice, 70)) / 100;
    t->key[0] = key_place(t, 0);
    for (t->keys = 1; t->keys < wanted && t->keys < SMALL_KEYS; t->keys++) {
        struct small_key k;
        do k = key_place(t, t->shape.key_bytes == 8 ? dice_draw(dice) : (uint32_t)dice_draw(dice));
        while (!key_wanted(t, &k));
        t->key[t->keys] = k;
    }
}

/* Puts the key into its first line, or behind a mark into its second one, if there is a vacancy. */
static void key_put(struct small_table *t, struct dice *dice, const struct small_key *k)
{
    struct fks_entry *e = &t->directory[k->part][k->bucket];
    const struct pair pair = {k->key, t->shape.value_bytes ? dice_below(dice, 16) : 0, true};
    uint32_t line = k->l.first;
    if (lines_of(t, k) == 0) return;
    if (vacancy_in(t, k, line) < 0) line = k->l.second;
    const int slot = vacancy_in(t, k, line);
    if (slot < 0) return;
    if (line != k->l.first) e->marks[fks_mark_word(k->l.first)] |= fks_mark_bit(k->l.first);
    pair_store(t->shape, line_at(t, k->part, k->bucket, line), slot, &pair);
    e->form++;
}

/* Erases some keys, so that others lie behind lines with vacancies. */
static void some_erased(struct small_table *t, struct dice *dice)
{
    for (int i = 1; i < t->keys; i++) {
        const struct small_key *k = &t->key[i];
        for (int n = 0; lines_of(t, k) && n < 2 * t->shape.slots; n++) {
            unsigned char *line = line_at(t, k->part, k->bucket, n % 2 ? k->l.second : k->l.first);
            const struct pair none = {0, dice_draw(dice), false};
            if (pair_load(t->shape, line, n / 2, false).key != k->key || dice_below(dice, 6)) continue;
            pair_store(t->shape, line, n / 2, &none);
            t->directory[k->part][k->bucket].form--;
            break;
        }
    }
}

/* A bucket without lines begins at a block that others have left: its keys seem to lie there. */
static void leftovers_put(struct small_table *t, struct dice *dice)
{
    for (int i = 1; i < t->keys; i++) {
        const struct small_key *const k = &t->key[i];
        const struct pair pair = {k->key, t->shape.value_bytes ? 3 : 0, true};
        unsigned char *const line = line_at(t, k->part, k->bucket, dice_below(dice, 2));
        if (lines_of(t, k) == 0) pair_store(t->shape, line, (int)dice_below(dice, (uint32_t)t->shape.slots), &pair);
    }
}

static void special_put(struct small_table *t, struct dice *dice)
{
    const struct pair pair = {0, dice_below(dice, 16), true};
    memset(t->special, 0xff, sizeof t->special);
    if (dice_below(dice, 2)) pair_store(t->shape, t->special, 0, &pair);
}

void small_make(struct small_table *t, struct dice *dice, struct shape shape)
{
    static const uint32_t fills[] = {0, 60, 90, 100};
    const uint32_t fill = fills[dice_below(dice, 4)];
    int slots = 0;
    memset(t, 0, sizeof *t);
    t->shape = shape;
    t->view = (struct fks_view){.parts = t->parts, .special = t->special, .lines_most = 128, .quantum = 1, .granule_log = 8};
    hash_seeds_draw(&t->view.seeds, HASH_KEYED, dice_draw(dice));
    t->view.homes = dice_below(dice, 8) ? 2 : 1;
    t->view.part_bits = dice_below(dice, SMALL_PARTS);
    t->view.locks = t->locks;
    t->view.lock_mask = dice_below(dice, 2) ? SMALL_LOCKS - 1 : 1;
    if (dice_below(dice, 2)) t->view.line_limit = (uint32_t)shape.slots * (32768 + dice_below(dice, 32768));
    for (uint32_t part = 0; part < 1u << t->view.part_bits; part++) slots += part_make(t, dice, part);
    keys_draw(t, dice, slots);
    for (int i = 1; i < t->keys; i++)
        if (dice_below(dice, 100) < fill) key_put(t, dice, &t->key[i]);
    some_erased(t, dice);
    leftovers_put(t, dice);
    special_put(t, dice);
    for (int i = 0; i < t->keys; i++) t->keys_alone[i] = t->key[i].key;
}

/* ---- A crowded bucket ------------------------------------------------------------------------ */

/* Draws a key of these lines; second < 0: any second line. */
static void crowd_key(struct small_table *t, struct dice *dice, int first, int second)
{
    struct small_key k;
    do k = key_place(t, t->shape.key_bytes == 8 ? dice_draw(dice) : (uint32_t)dice_draw(dice));
    while (!key_wanted(t, &k) || (int)k.l.first != first || (second >= 0 && (int)k.l.second != second));
    t->key[t->keys++] = k;
}

/* Fills a line up to its vacancies with keys whose first line it is. */
static void crowd_line(struct small_table *t, struct dice *dice, int line, int vacancies)
{
    const struct small_key *newest = &t->key[t->keys - 1];
    while (small_taken(t, newest, (uint32_t)line) < t->shape.slots - vacancies) {
        crowd_key(t, dice, line, -1);
        newest = &t->key[t->keys - 1];
        key_put(t, dice, newest);
    }
}

/* The first stored keys: one behind a mark, one in its first line. */
static void crowd_begin(struct small_table *t, struct dice *dice)
{
    struct fks_entry *const e = &t->directory[0][0];
    const struct small_key *const behind = &t->key[4], *const plain = &t->key[5];
    const struct pair pair = {behind->key, t->shape.value_bytes ? 7 : 0, true};
    pair_store(t->shape, line_at(t, 0, 0, behind->l.second), 0, &pair);
    e->marks[fks_mark_word(behind->l.first)] |= fks_mark_bit(behind->l.first);
    e->form++;
    if (t->shape.slots > 1) key_put(t, dice, plain);
}

void small_make_crowd(struct small_table *t, struct dice *dice, struct shape shape, const struct small_crowd *crowd)
{
    static const int lines_of_keys[][2] = {{0, 1}, {0, 1}, {1, 0}, {2, 1}, {0, 1}};
    const struct pair special = {0, 5, true};
    memset(t, 0, sizeof *t);
    t->shape = shape;
    t->view =
        (struct fks_view){.parts = t->parts, .special = t->special, .lines_most = 128, .quantum = 1, .homes = 2, .granule_log = 8};
    t->view.locks = t->locks;
    t->view.lock_mask = SMALL_LOCKS - 1;
    hash_seeds_draw(&t->view.seeds, HASH_KEYED, dice_draw(dice));
    t->parts[0] = (struct fks_part){t->lines[0], t->directory[0], 1, 1, SMALL_PART_BYTES >> 8, 0, NULL};
    t->directory[0][0] = (struct fks_entry){0, fks_form(0, 3, dice_below(dice, FKS_SEEDS)), {0, 0}};
    bucket_vacate(t, dice, 0, 0);
    t->key[0] = key_place(t, 0);
    t->keys = 1;
    for (int i = 0; i < 5; i++) crowd_key(t, dice, lines_of_keys[i][0], lines_of_keys[i][1]);
    crowd_begin(t, dice);
    for (int line = 0; line < 3; line++) crowd_line(t, dice, line, crowd->vacancies[line]);
    memset(t->special, 0xff, sizeof t->special);
    if (crowd->has_special) pair_store(shape, t->special, 0, &special);
    for (int i = 0; i < t->keys; i++) t->keys_alone[i] = t->key[i].key;
}

/* ---- The walk -------------------------------------------------------------------------------- */

static int key_number(const struct small_table *t, roost_key key)
{
    int i = t->keys - 1;
    while (i > 0 && t->key[i].key != key) i--;
    return i;
}

/* Checks invariants A, B and D. */
static bool pair_check(struct small_table *t, struct small_state *state, uint32_t part, uint32_t bucket, uint32_t line,
                       const struct pair *pair)
{
    const int i = key_number(t, pair->key);
    const struct small_key *k = &t->key[i];
    if (i == 0) return wrong_say("a pair is stored of key %" PRIx64 ", which was never inserted", pair->key);
    if (k->part != part || k->bucket != bucket || (line != k->l.first && line != k->l.second))
        return wrong_say("invariant A: key %" PRIx64 " lies in line %" PRIu32 ", which is none of its two", k->key, line);
    if (state->stored[i]) return wrong_say("invariant B: key %" PRIx64 " is stored twice", k->key);
    if (line != k->l.first && !fks_marked(&t->directory[part][bucket], k->l.first))
        return wrong_say("invariant D: key %" PRIx64 " lies in its second line, and its first is not marked", k->key);
    state->stored[i] = true;
    state->value[i] = pair->value;
    state->line[i] = line;
    return true;
}

static bool bucket_walk(struct small_table *t, struct small_state *state, uint32_t part, uint32_t bucket)
{
    const uint32_t form = t->directory[part][bucket].form;
    uint32_t n = 0;
    for (uint32_t line = 0; line < fks_form_lines(form); line++)
        for (int slot = 0; slot < t->shape.slots; slot++) {
            const struct pair pair = pair_load(t->shape, line_at(t, part, bucket, line), slot, false);
            n += pair.taken;
            if (pair.taken && !pair_check(t, state, part, bucket, line, &pair)) return false;
        }
    state->count[part][bucket] = n;
    state->main += n;
    return n == fks_form_count(form) ||
           wrong_say("invariant C: part %" PRIu32 "'s bucket %" PRIu32 " holds %" PRIu32 " pairs and counts %" PRIu32, part, bucket,
                     n, fks_form_count(form));
}

/* Checks invariant G. */
static bool special_walk(struct small_table *t, struct small_state *state)
{
    const struct pair pair = pair_load(t->shape, t->special, 0, true);
    state->stored[0] = pair.taken;
    state->value[0] = pair.taken ? pair.value : 0;
    for (int slot = 0; slot < t->shape.slots; slot++) {
        const struct pair other = pair_load(t->shape, t->special, slot, true);
        if (other.taken && (slot || other.key)) return wrong_say("invariant G: the special line holds another key");
    }
    return true;
}

bool small_walk(struct small_table *t, struct small_state *state)
{
    memset(state, 0, sizeof *state);
    for (uint32_t part = 0; part < 1u << t->view.part_bits; part++)
        for (uint32_t b = 0; b < t->parts[part].buckets; b++)
            if (!bucket_walk(t, state, part, b)) return false;
    for (int i = 0; i < SMALL_LOCKS / 32; i++)
        if (t->locks[i]) return wrong_say("a lock is held after the kernel");
    return special_walk(t, state);
}
