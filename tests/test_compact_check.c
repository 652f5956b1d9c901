/* roost_table_check reports faults.  For every lettered invariant of compact.h the test breaks a
 * sound table in memory, and the check names that letter. */
#include "api/table.h"
#include "engines/compact/compact_table.h"
#include "support/broken.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { KEYS = 3000 };

/* ---- Tables --------------------------------------------------------------------------------- */

/* The lowest slot of a bucket with this tag; without a tag (NULL) the lowest one without a key; -1:
 * none. */
static int slot_with(const struct compact_table *t, uint32_t bucket, const struct compact_tag *tag)
{
    const struct shape s = t->base.shape;
    for (int slot = 0; slot < s.slots; slot++) {
        const struct compact_tag has = compact_tag_load(s, compact_slot_at(s, &t->view, bucket, slot));
        if (tag ? has.low == tag->low && has.high == tag->high : has.low < COMPACT_TAKEN) return slot;
    }
    return -1;
}

/* Tables of `capacity` keys have this shape. */
struct layout {
    const char *name;
    roost_type key_type, value_type;
    uint64_t capacity;
    int slots, tag_bytes;
};

static const struct layout layouts[] = {
    {"4+4, tags of 2", ROOST_TYPE_U32, ROOST_TYPE_U32, 2000000, 10, 2},
    {"4+4, tags of 4", ROOST_TYPE_U32, ROOST_TYPE_U32, KEYS, 6, 4},
    {"4+8, tags of 4", ROOST_TYPE_U32, ROOST_TYPE_U64, KEYS, 4, 4},
    {"4+0, tags of 4", ROOST_TYPE_U32, ROOST_TYPE_NONE, KEYS, 14, 4},
    {"8+4, tags of 6", ROOST_TYPE_U64, ROOST_TYPE_U32, 5100000, 6, 6},
    {"8+4, tags of 8", ROOST_TYPE_U64, ROOST_TYPE_U32, KEYS, 4, 8},
    {"8+0, tags of 8", ROOST_TYPE_U64, ROOST_TYPE_NONE, KEYS, 6, 8},
    {"8+8, 3 slots", ROOST_TYPE_U64, ROOST_TYPE_U64, KEYS, 3, 8},
};

/* Marks vacant slots dead, as kernels that mix operations do. */
static void some_die(struct compact_table *t)
{
    const struct shape s = t->base.shape;
    for (uint32_t bucket = 0; bucket < 20; bucket++) {
        const int slot = slot_with(t, bucket, NULL);
        if (slot < 0) continue;
        const struct compact_slot at = compact_slot_at(s, &t->view, bucket, slot);
        const struct compact_field low = compact_low_field(s, at.i);
        at.half[low.word] = compact_with(low, at.half[low.word], COMPACT_DEAD_0 + bucket % 2);
    }
}

static roost_table *table_make(const struct layout *layout)
{
    static uint64_t wide[KEYS];
    static uint32_t narrow[KEYS];
    roost_config config;
    roost_table *table;
    const void *keys = layout->key_type == ROOST_TYPE_U64 ? (const void *)wide : narrow;
    const void *values = layout->value_type == ROOST_TYPE_U64 ? (const void *)wide : narrow;
    assert_int_equal(roost_config_init(&config, sizeof config), ROOST_OK);
    config.seed = 2;
    config.device = "host";
    config.engine = "compact";
    config.key_type = layout->key_type;
    config.value_type = layout->value_type;
    config.capacity = layout->capacity;
    assert_int_equal(roost_table_create(&table, &config), ROOST_OK);
    for (uint64_t i = 0; i < KEYS; i++) wide[i] = i * 0x9e3779b97f4a7c15u, narrow[i] = (uint32_t)i * 0x9e3779b9u;
    if (layout->value_type == ROOST_TYPE_NONE) values = NULL;
    assert_int_equal(roost_insert(table, ROOST_ASSIGN, keys, values, KEYS, NULL), ROOST_OK);
    struct compact_table *t = (struct compact_table *)table->at;
    assert_int_equal(t->base.shape.slots, layout->slots);
    assert_int_equal(t->base.shape.word, layout->tag_bytes);
    some_die(t);
    assert_int_equal(roost_table_check(table), ROOST_OK);
    return table;
}

/* ---- Places --------------------------------------------------------------------------------- */

static struct shape shape_of(const struct compact_table *t) { return t->base.shape; }

static struct compact_slot slot_at(const struct compact_table *t, uint32_t bucket, int slot)
{
    return compact_slot_at(shape_of(t), &t->view, bucket, slot);
}
static struct compact_tag tag_at(const struct compact_table *t, uint32_t bucket, int slot)
{
    return compact_tag_load(shape_of(t), slot_at(t, bucket, slot));
}
static bool is_taken(const struct compact_table *t, uint32_t bucket, int slot)
{
    return tag_at(t, bucket, slot).low >= COMPACT_TAKEN;
}
static bool is_full(const struct compact_table *t, uint32_t bucket) { return slot_with(t, bucket, NULL) < 0; }

/* A stored key. */
struct place {
    uint32_t bucket;
    int slot;
};

/* The first key that is in its second home or in its first one, as asked, and whose other home has
 * room. */
static struct place key_in(const struct compact_table *t, bool second)
{
    const struct shape s = shape_of(t);
    for (uint32_t bucket = 0; bucket < t->view.range.buckets; bucket++)
        for (int slot = 0; slot < s.slots; slot++) {
            const struct compact_tag tag = tag_at(t, bucket, slot);
            uint64_t hash;
            if (tag.low < COMPACT_TAKEN || compact_is_second(s, tag) != second) continue;
            const struct compact_home other = compact_other_home(s, &t->view, bucket, tag, &hash);
            if (other.bucket != bucket && !is_full(t, other.bucket)) return (struct place){bucket, slot};
        }
    fail_msg("no such key");
    return (struct place){0, 0};
}

/* The first bucket that has keys and room. */
static uint32_t bucket_with_room(const struct compact_table *t)
{
    uint32_t bucket = 0;
    while (is_full(t, bucket) || !is_taken(t, bucket, 0)) bucket++;
    return bucket;
}

static void put(const struct compact_table *t, uint32_t bucket, const struct compact_tag tag)
{
    const int slot = slot_with(t, bucket, NULL);
    assert_true(slot >= 0);
    const struct compact_slot at = slot_at(t, bucket, slot);
    assert_true(compact_put(shape_of(t), at, tag, 7, compact_word(at, compact_low_field(shape_of(t), at.i)), false));
}

static void vacate(const struct compact_table *t, const struct place place)
{
    const struct compact_slot at = slot_at(t, place.bucket, place.slot);
    const uint32_t seen = compact_word(at, compact_state_field(shape_of(t), at.i));
    assert_true(compact_free(shape_of(t), at, tag_at(t, place.bucket, place.slot), seen, COMPACT_VACANT, false));
}

/* Puts a key also into its other home; returns that.  A key in its second home has its bit. */
static struct compact_home copy_to_other(const struct compact_table *t, const struct place place)
{
    const struct shape s = shape_of(t);
    const struct compact_tag tag = tag_at(t, place.bucket, place.slot);
    uint64_t hash;
    const struct compact_home other = compact_other_home(s, &t->view, place.bucket, tag, &hash);
    put(t, other.bucket, other.tag);
    if (!compact_is_second(s, tag)) (void)compact_filter_set(s, &t->view, place.bucket, compact_filter_bit(hash));
    return other;
}

/* Puts a key that is not there into a bucket. */
static void put_other(const struct compact_table *t, uint32_t bucket)
{
    const struct shape s = shape_of(t);
    uint64_t remainder = 0;
    struct compact_tag tag = compact_tag_of(s, remainder, 0);
    while (slot_with(t, bucket, &tag) >= 0) tag = compact_tag_of(s, ++remainder, 0);
    put(t, bucket, tag);
}

/* Changes the field that has a slot's state. */
static void state_add(const struct compact_table *t, const struct place place, int more)
{
    const struct compact_slot at = slot_at(t, place.bucket, place.slot);
    const struct compact_field f = compact_state_field(shape_of(t), at.i);
    at.half[f.word] = compact_with(f, at.half[f.word], compact_get(f, at.half[f.word]) + (uint32_t)more);
}

/* ---- Faults, one for each letter ------------------------------------------------------------ */

/* Do the shape's tags hold this remainder, in all states? */
static bool tags_hold(const struct shape s, uint64_t remainder)
{
    const uint64_t most = 2 * remainder + 1;
    const int low = compact_low_bits(s), high = compact_high_bits(s);
    if (high) return most >> 31 < 1u << (high - 2);
    return COMPACT_TAKEN + COMPACT_STATES * most + COMPACT_SETTLED < 1ULL << low;
}

/* Stores a tag with a remainder that no hash of its bucket has, but one of other buckets may. */
static void break_remainder(struct compact_table *t, int home)
{
    const struct shape s = shape_of(t);
    const int bits = compact_bits(s);
    for (uint32_t bucket = 0; bucket + 1 < t->view.range.buckets; bucket++) {
        const uint64_t here = compact_first_hash(bits, &t->view.range, bucket);
        const uint64_t hashes = compact_first_hash(bits, &t->view.range, bucket + 1) - here;
        if (!tags_hold(s, hashes) || is_full(t, bucket)) continue;
        put(t, bucket, compact_tag_of(s, hashes, home));
        return;
    }
    fail_msg("no bucket of %u whose tags have unused values", t->view.range.buckets);
}
static void break_a(struct compact_table *t) { break_remainder(t, 0); }
static void break_a_second(struct compact_table *t) { break_remainder(t, 1); }

/* Stores a key twice in a bucket. */
static void break_b(struct compact_table *t)
{
    const uint32_t bucket = bucket_with_room(t);
    put(t, bucket, tag_at(t, bucket, 0));
}

/* Stores a key in both of its homes. */
static void break_b_homes(struct compact_table *t) { copy_to_other(t, key_in(t, false)); }

static void break_c(struct compact_table *t) { t->count++; }

/* Drops a key without counting that. */
static void break_c_lost(struct compact_table *t) { vacate(t, key_in(t, false)); }

static void break_c_more(struct compact_table *t) { put_other(t, bucket_with_room(t)); }

static void break_d(struct compact_table *t) { *compact_lock(shape_of(t), &t->view, 5) |= 1u << COMPACT_SPARE_SHIFT; }
static void break_d_last(struct compact_table *t)
{
    *compact_lock(shape_of(t), &t->view, t->view.range.buckets - 1) |= 1u << COMPACT_SPARE_SHIFT;
}

/* A claimed slot that was never completed. */
static void break_e(struct compact_table *t) { state_add(t, key_in(t, false), -COMPACT_SETTLED); }

/* A wide tag may have a fourth state.  Elsewhere that would be the next tag; the last slot of a
 * bucket is left incomplete there. */
static void break_e_state(struct compact_table *t)
{
    const struct shape s = shape_of(t);
    struct place place = key_in(t, false);
    if (compact_high_bits(s)) {
        state_add(t, place, 1);
        return;
    }
    for (place = (struct place){0, s.slots - 1}; !is_full(t, place.bucket);) put_other(t, place.bucket);
    state_add(t, place, -COMPACT_SETTLED);
}

/* A vacant slot whose high part says that it is complete; or one that is not complete. */
static void break_e_vacant(struct compact_table *t)
{
    const struct shape s = shape_of(t);
    const uint32_t bucket = bucket_with_room(t);
    const int slot = slot_with(t, bucket, NULL);
    if (compact_high_bits(s)) state_add(t, (struct place){bucket, slot}, COMPACT_SETTLED);
    else break_e(t);
}

/* The upper bound, and the lower one. */
static void break_f(struct compact_table *t) { t->base.max_fill = 0.9 * (double)t->count / (double)compact_slots(&t->base); }

static void break_f_low(struct compact_table *t)
{
    t->base.floor_keys = 0;
    t->base.min_fill = 1.1 * (double)t->count / (double)compact_slots(&t->base);
    t->base.max_fill = 1;
}

/* The bit of a key in its second home, which is moved there if need be. */
static void break_g(struct compact_table *t)
{
    const struct shape s = shape_of(t);
    const struct place place = key_in(t, false);
    const uint64_t hash = compact_hash_of(s, &t->view, place.bucket, tag_at(t, place.bucket, place.slot));
    copy_to_other(t, place);
    vacate(t, place);
    assert_int_equal(compact_check(&t->base), ROOST_OK);
    *compact_filter(s, &t->view, place.bucket) &= ~compact_filter_bit(hash);
}

/* All bits of a filter that a key of the table needs. */
static void break_g_all(struct compact_table *t)
{
    const struct shape s = shape_of(t);
    const struct place place = key_in(t, false);
    copy_to_other(t, place);
    vacate(t, place);
    *compact_filter(s, &t->view, place.bucket) &= (1u << COMPACT_SPARE_SHIFT) - 1u;
}

/* Moves a key to its entry of the stash, which is sound. */
static struct compact_entry *stash_key(struct compact_table *t)
{
    const struct shape s = shape_of(t);
    const struct place place = key_in(t, false);
    const uint64_t hash = compact_hash_of(s, &t->view, place.bucket, tag_at(t, place.bucket, place.slot));
    struct compact_entry *const e = t->view.stash + compact_stash_start(&t->view, hash);
    compact_filter_set(s, &t->view, place.bucket, compact_filter_bit(hash));
    compact_words_of(t)->marks.stashed = 1;
    vacate(t, place);
    *e = (struct compact_entry){hash, 7, COMPACT_STASHED, 0};
    assert_int_equal(compact_check(&t->base), ROOST_OK);
    return e;
}

/* The same key in a bucket, and twice in the stash. */
static void break_b_stash(struct compact_table *t)
{
    const struct compact_entry e = *stash_key(t);
    const struct compact_home first = compact_home_at(shape_of(t), &t->view, e.hash, 0);
    put(t, first.bucket, first.tag);
}
static void break_b_entries(struct compact_table *t)
{
    struct compact_entry *const e = stash_key(t);
    t->view.stash[compact_stash_next(&t->view, (uint32_t)(e - t->view.stash))] = *e;
}

static void break_c_stash(struct compact_table *t) { stash_key(t)->state = COMPACT_DEAD_1; }

static void break_e_entry(struct compact_table *t) { stash_key(t)->state = COMPACT_TAKEN; }
static void break_e_beyond(struct compact_table *t) { stash_key(t)->state = COMPACT_STASHED + 1; }

static void break_g_stash(struct compact_table *t)
{
    const struct shape s = shape_of(t);
    *compact_filter(s, &t->view, compact_home_at(s, &t->view, stash_key(t)->hash, 0).bucket) &= (1u << COMPACT_SPARE_SHIFT) - 1u;
}

/* No mark; and a key behind a vacant entry. */
static void break_h(struct compact_table *t)
{
    (void)stash_key(t);
    compact_words_of(t)->marks.stashed = 0;
}
static void break_h_chain(struct compact_table *t)
{
    struct compact_entry *const e = stash_key(t);
    t->view.stash[compact_stash_next(&t->view, (uint32_t)(e - t->view.stash))] = *e;
    e->state = COMPACT_VACANT;
}

struct fault {
    char letter; /* the first member, which broken_run reads */
    void (*plant)(struct compact_table *t);
};

/* The check names the fault's letter, in all layouts. */
static void check_names_the_letter(void **state)
{
    const struct fault *fault = (const struct fault *)*state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        roost_table *table = table_make(&layouts[i]);
        fault->plant((struct compact_table *)table->at);
        broken_refused(table, fault->letter, layouts[i].name);
    }
}

int main(void)
{
    static struct fault faults[] = {
        {'A', break_a},        {'A', break_a_second}, {'B', break_b},         {'B', break_b_homes}, {'C', break_c},
        {'C', break_c_lost},   {'C', break_c_more},   {'D', break_d},         {'D', break_d_last},  {'E', break_e},
        {'E', break_e_state},  {'E', break_e_vacant}, {'F', break_f},         {'F', break_f_low},   {'G', break_g},
        {'G', break_g_all},    {'B', break_b_stash},  {'B', break_b_entries}, {'C', break_c_stash}, {'E', break_e_entry},
        {'E', break_e_beyond}, {'G', break_g_stash},  {'H', break_h},         {'H', break_h_chain},
    };
    return broken_run("compact check", check_names_the_letter, faults, sizeof faults / sizeof faults[0], sizeof faults[0]);
}
