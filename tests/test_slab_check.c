/* roost_table_check reports faults.  For every lettered invariant of slab.h the test breaks a
 * sound table in memory, and the check names that letter. */
#include "api/table.h"
#include "engines/slab/slab_table.h"
#include "support/broken.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { KEYS = 3000, SPECIAL_KEYS = 2 /* keys that look like marks, part of KEYS */ };

/* ---- Tables --------------------------------------------------------------------------------- */

struct layout {
    const char *name;
    roost_type key_type, value_type;
    const char *options;
};

static const struct layout layouts[] = {
    {"4+4", ROOST_TYPE_U32, ROOST_TYPE_U32, NULL},
    {"8+8", ROOST_TYPE_U64, ROOST_TYPE_U64, NULL},
    {"8+8 in two steps", ROOST_TYPE_U64, ROOST_TYPE_U64, "publish=two-step"},
    {"8+0", ROOST_TYPE_U64, ROOST_TYPE_NONE, NULL},
    {"4+0", ROOST_TYPE_U32, ROOST_TYPE_NONE, "memory=light"},
};

static uint64_t key_of(uint64_t i) { return i < SPECIAL_KEYS ? ~i : i * 0x9e3779b97f4a7c15u; }

/* A table with lists of one slab and of several, and with free units. */
static roost_table *table_make(const struct layout *layout)
{
    static uint64_t wide[KEYS];
    static uint32_t narrow[KEYS];
    roost_config config;
    roost_table *table;
    const void *keys = layout->key_type == ROOST_TYPE_U64 ? (const void *)wide : narrow;
    assert_int_equal(roost_config_init(&config, sizeof config), ROOST_OK);
    config.seed = 2;
    config.device = "host";
    config.engine = "slab";
    config.options = layout->options;
    config.key_type = layout->key_type;
    config.value_type = layout->value_type;
    config.capacity = KEYS;
    assert_int_equal(roost_table_create(&table, &config), ROOST_OK);
    for (uint64_t i = 0; i < KEYS; i++) wide[i] = key_of(i), narrow[i] = (uint32_t)(i < SPECIAL_KEYS ? ~i : i * 0x9e3779b9u);
    const void *values = layout->value_type == ROOST_TYPE_NONE ? NULL : keys;
    assert_int_equal(roost_insert(table, ROOST_ASSIGN, keys, values, KEYS, NULL), ROOST_OK);
    assert_int_equal(roost_table_check(table), ROOST_OK);
    return table;
}

static struct slab_pair pair_at(const struct slab_table *t, const unsigned char *slab, int slot)
{
    struct slab_copy copy;
    slab_copy_load(&copy, slab);
    return slab_copy_pair(t->base.shape, &copy, slot);
}

static void pair_put(const struct slab_table *t, unsigned char *slab, int slot, struct slab_pair pair)
{
    const struct shape s = t->base.shape;
    if (s.word == SLAB_WORD) store_width(slab_slot_bytes(s), slab_slot(s, slab, slot), 0, slab_word(s, pair));
    else memcpy(slab_slot(s, slab, slot), &pair, sizeof pair);
}

static unsigned char *unit_at(const struct slab_table *t, uint32_t handle) { return slab_unit(&t->pool.pool, handle); }

static int keys_in(const struct slab_table *t, const unsigned char *slab)
{
    int n = 0;
    for (int slot = 0; slot < t->base.shape.slots; slot++) n += slab_is_live(t->base.shape, pair_at(t, slab, slot));
    return n;
}

/* A base slab without a vacant slot, with or without a next slab. */
static unsigned char *full_slab(const struct slab_table *t, bool with_next)
{
    for (uint32_t b = 0; b < t->view.buckets; b++) {
        unsigned char *const slab = slab_list(&t->view, b);
        if (keys_in(t, slab) == t->base.shape.slots && (*slab_next(slab) != SLAB_NONE) == with_next) return slab;
    }
    fail_msg("no such slab");
    return NULL;
}

static struct item place_of(const struct slab_table *t, uint64_t key)
{
    struct item item;
    item.key = key;
    slab_place(t->base.shape, &t->view, &item);
    return item;
}

/* ---- Faults, one for each letter ------------------------------------------------------------ */

/* Puts a key into a list to which it does not belong. */
static void break_a(struct slab_table *t)
{
    unsigned char *const slab = full_slab(t, false);
    struct slab_pair pair = pair_at(t, slab, 0);
    const uint32_t here = place_of(t, pair.key).home[0].index;
    while (place_of(t, pair.key).home[0].index == here) pair.key ^= pair.key * 2 + 1, pair.key &= slab_empty(t->base.shape) >> 1;
    pair_put(t, slab, 0, pair);
}

/* Puts an ordinary key into the list of keys that look like marks. */
static void break_a_special(struct slab_table *t)
{
    unsigned char *const slab = slab_list(&t->view, t->view.buckets);
    int slot = 0;
    while (!slab_is_live(t->base.shape, pair_at(t, slab, slot))) slot++;
    pair_put(t, slab, slot, slab_pair_of(12345, 0));
}

/* Overwrites a key with another one of its slab, so that only the second copy is wrong. */
static void break_b(struct slab_table *t)
{
    unsigned char *const slab = full_slab(t, false);
    pair_put(t, slab, 1, pair_at(t, slab, 0));
}

/* The same from one slab of a list to the next. */
static void break_b_across_slabs(struct slab_table *t)
{
    unsigned char *const slab = full_slab(t, true), *const next = unit_at(t, *slab_next(slab));
    for (int to = 0; to < t->base.shape.slots; to++)
        for (int from = 0; from < t->base.shape.slots && slab_is_live(t->base.shape, pair_at(t, next, to)); from++) {
            const struct slab_pair pair = pair_at(t, slab, from);
            if (place_of(t, pair.key).home[0].sub != place_of(t, pair_at(t, next, to).key).home[0].sub) continue;
            pair_put(t, next, to, pair);
            return;
        }
    fail_msg("no key to copy");
}

/* Makes a slot EMPTY, which an erase must not do while keys of its half lie behind it. */
static void break_c(struct slab_table *t)
{
    pair_put(t, full_slab(t, false), 0, slab_mark_pair(t->base.shape, slab_empty(t->base.shape)));
    t->count--;
}

/* Makes the last slot of a slab EMPTY, with a key in the next slab. */
static void break_c_across_slabs(struct slab_table *t)
{
    unsigned char *const slab = full_slab(t, true);
    pair_put(t, slab, t->base.shape.slots - 1, slab_mark_pair(t->base.shape, slab_empty(t->base.shape)));
    t->count--;
}

static void break_d(struct slab_table *t) { t->count++; }

static void break_d_chained(struct slab_table *t) { t->chained--; }

/* Gives a list's unit back to the pool, which could then give it out again. */
static void break_d_free(struct slab_table *t) { slab_give(&t->pool.pool, *slab_next(full_slab(t, true))); }

/* Loses a unit. */
static void break_d_lost(struct slab_table *t)
{
    struct slab_resident resident = slab_resident_none(1);
    assert_int_not_equal(slab_take(&t->pool.pool, tile_make(1), &resident), SLAB_NONE);
}

/* Links a list to itself. */
static void break_e(struct slab_table *t)
{
    const uint32_t next = *slab_next(full_slab(t, true));
    *slab_next(unit_at(t, next)) = next;
}

/* Links a slab into two lists; its own list comes first. */
static void break_e_shared(struct slab_table *t)
{
    unsigned char *const owner = full_slab(t, true), *other = owner;
    while (*slab_next(other) != SLAB_NONE) other += SLAB_BYTES;
    *slab_next(other) = *slab_next(owner);
}

static void break_e_nowhere(struct slab_table *t) { *slab_next(full_slab(t, true)) = 0x00fffff0; }

/* Changes the first bytes of a unit that has no owner. */
static void break_f(struct slab_table *t)
{
    struct slab_resident resident = slab_resident_none(1);
    const uint32_t handle = slab_take(&t->pool.pool, tile_make(1), &resident);
    assert_int_not_equal(handle, SLAB_NONE);
    slab_give(&t->pool.pool, handle);
    unit_at(t, handle)[3] = 0xfe;
}

static void break_g(struct slab_table *t) { *slab_aux(slab_list(&t->view, 0)) &= ~(1u << SLAB_SPECIAL_BIT); }

static void break_g_special(struct slab_table *t) { *slab_aux(slab_list(&t->view, t->view.buckets)) |= 1u << SLAB_SPECIAL_BIT; }

/* Changes the bit of slot 0: in two steps it hides a value.  Elsewhere it is a jump's. */
static void break_g_slot(struct slab_table *t)
{
    if (t->base.shape.word == SLAB_TWO_STEP) *slab_aux(full_slab(t, false)) ^= 1u;
    else break_g(t);
}

/* ---- Jumps ---------------------------------------------------------------------------------- */

static void put_jump(struct slab_table *t, unsigned char *slab, uint32_t jump) { slab_jump_put(t->base.shape, slab, jump); }

/* The base slab of a list of this many slabs: behind its own slabs, dead ones and an empty one. */
static unsigned char *long_list(struct slab_table *t, int length)
{
    const struct shape s = t->base.shape;
    unsigned char *const base = slab_list(&t->view, 0), *slab = base;
    struct slab_resident resident = slab_resident_none(1);
    for (; *slab_next(slab) != SLAB_NONE; length--) slab = unit_at(t, *slab_next(slab));
    for (; length > 1; length--) {
        for (int slot = 0; slot < s.slots; slot++)
            if (pair_at(t, slab, slot).key == slab_empty(s)) pair_put(t, slab, slot, slab_mark_pair(s, slab_tombstone(s)));
        *slab_next(slab) = slab_take(&t->pool.pool, tile_make(1), &resident);
        assert_int_not_equal(*slab_next(slab), SLAB_NONE);
        slab = unit_at(t, *slab_next(slab));
        t->chained++;
    }
    return base;
}

static uint32_t handle_of(const struct slab_table *t, unsigned char *base, int number)
{
    uint32_t handle = SLAB_NONE;
    for (int i = 1; i < number; i++) handle = *slab_next(base), base = unit_at(t, handle);
    return handle;
}

static unsigned char *slab_of_list(const struct slab_table *t, unsigned char *base, int number)
{
    return number == 1 ? base : unit_at(t, handle_of(t, base, number));
}

/* A jump to a unit that does not exist. */
static void break_h_nowhere(struct slab_table *t)
{
    put_jump(t, slab_of_list(t, long_list(t, 7), 5), slab_jump_to(0x00fffff0, false));
}

/* A skip of a base slab; a skip among the near slabs; a tail of a chained slab. */
static void break_h_base(struct slab_table *t)
{
    unsigned char *const base = long_list(t, 7);
    put_jump(t, base, slab_jump_to(handle_of(t, base, 6), false));
}
static void break_h_near(struct slab_table *t)
{
    unsigned char *const base = long_list(t, 7);
    put_jump(t, slab_of_list(t, base, 3), slab_jump_to(handle_of(t, base, 4), false));
}
static void break_h_kind(struct slab_table *t)
{
    unsigned char *const base = long_list(t, 7);
    put_jump(t, slab_of_list(t, base, 5), slab_jump_to(handle_of(t, base, 6), true));
}

/* A tail in a table of unique keys, whose inserts have to look at the whole list. */
static void break_h_unique(struct slab_table *t)
{
    unsigned char *const base = long_list(t, 7);
    put_jump(t, base, slab_jump_to(handle_of(t, base, 6), true));
}

/* A tail among the near slabs, and one in another list. */
static void break_h_tail(struct slab_table *t)
{
    t->view.multi = 1;
    unsigned char *const base = long_list(t, 7);
    put_jump(t, base, slab_jump_to(handle_of(t, base, 3), true));
}
static void break_h_tail_away(struct slab_table *t)
{
    t->view.multi = 1;
    unsigned char *const base = long_list(t, 7);
    put_jump(t, slab_list(&t->view, 1), slab_jump_to(handle_of(t, base, 6), true));
}

/* A jump back, and one over a slab that has an EMPTY slot or a key. */
static void break_h_back(struct slab_table *t)
{
    unsigned char *const base = long_list(t, 7);
    put_jump(t, slab_of_list(t, base, 6), slab_jump_to(handle_of(t, base, 5), false));
}
static void break_h_alive(struct slab_table *t)
{
    unsigned char *const base = long_list(t, 7), *const slab = slab_of_list(t, base, 6);
    put_jump(t, slab_of_list(t, base, 5), slab_jump_to(handle_of(t, base, 7), false));
    for (int slot = 0; slot < t->base.shape.slots; slot++)
        pair_put(t, slab, slot, slab_mark_pair(t->base.shape, slot ? slab_tombstone(t->base.shape) : slab_empty(t->base.shape)));
}

struct fault {
    char letter; /* the first member, which broken_run reads */
    void (*plant)(struct slab_table *t);
};

/* The check names the fault's letter, in all layouts. */
static void check_names_the_letter(void **state)
{
    const struct fault *fault = (const struct fault *)*state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        roost_table *table = table_make(&layouts[i]);
        fault->plant((struct slab_table *)table->at);
        broken_refused(table, fault->letter, layouts[i].name);
    }
}

int main(void)
{
    static struct fault faults[] = {
        {'A', break_a},         {'A', break_a_special},
        {'B', break_b},         {'B', break_b_across_slabs},
        {'C', break_c},         {'C', break_c_across_slabs},
        {'D', break_d},         {'D', break_d_chained},
        {'D', break_d_free},    {'D', break_d_lost},
        {'E', break_e},         {'E', break_e_shared},
        {'E', break_e_nowhere}, {'F', break_f},
        {'G', break_g},         {'G', break_g_special},
        {'G', break_g_slot},    {'H', break_h_nowhere},
        {'H', break_h_base},    {'H', break_h_near},
        {'H', break_h_kind},    {'H', break_h_unique},
        {'H', break_h_tail},    {'H', break_h_tail_away},
        {'H', break_h_back},    {'H', break_h_alive},
    };
    return broken_run("slab check", check_names_the_letter, faults, sizeof faults / sizeof faults[0], sizeof faults[0]);
}
