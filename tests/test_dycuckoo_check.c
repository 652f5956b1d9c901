/* roost_table_check reports faults.  For every lettered invariant of dycuckoo.h the test breaks
 * a sound table in memory, and the check names that letter. */
#include "api/table.h"
#include "engines/dycuckoo/dycuckoo_table.h"
#include "support/broken.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KEYS = 3000, CAPACITY = 4000 };

/* ---- Tables --------------------------------------------------------------------------------- */

/* A table of 4+4 bytes with the given options; the vacant key is among its keys. */
static roost_table *table_make(const char *options)
{
    static uint32_t keys[KEYS];
    roost_config config;
    roost_table *table;
    assert_int_equal(roost_config_init(&config, sizeof config), ROOST_OK);
    config.seed = 1;
    config.device = "host";
    config.engine = "dycuckoo";
    config.options = options;
    config.capacity = CAPACITY;
    assert_int_equal(roost_table_create(&table, &config), ROOST_OK);
    for (uint32_t i = 0; i < KEYS; i++) keys[i] = i * 0x9e3779b9u;
    assert_int_equal(roost_insert(table, ROOST_ASSIGN, keys, keys, KEYS, NULL), ROOST_OK);
    assert_int_equal(roost_table_check(table), ROOST_OK);
    return table;
}

static struct dycuckoo_table *inside(roost_table *table) { return (struct dycuckoo_table *)table->at; }

static unsigned char *bucket_of(const struct dycuckoo_table *t, uint32_t sub, uint32_t bucket)
{
    return t->view.sub[sub].buckets + bucket * shape_bucket_bytes(t->base.shape);
}

static uint64_t unit_of(const struct dycuckoo_table *t, const struct home at, int slot)
{
    return slot_load_unit(t->base.shape, bucket_of(t, at.sub, at.index), slot);
}

static int slot_with(const struct dycuckoo_table *t, const struct home at, bool taken)
{
    for (int slot = 0; slot < t->base.shape.slots; slot++)
        if ((unit_of(t, at, slot) != 0) == taken) return slot;
    return -1;
}

/* Some key of an ordinary subtable, of which `here` is the home and `there` the other home,
 * which has a vacancy. */
static uint64_t key_with_room_elsewhere(const struct dycuckoo_table *t, struct home *here, int *slot, struct home *there)
{
    for (uint32_t sub = 0; sub < t->view.subtables; sub++)
        for (uint32_t bucket = 0; bucket < t->view.sub[sub].bucket_count; bucket++) {
            struct home home[MAX_HOMES];
            here->sub = sub, here->index = bucket;
            *slot = slot_with(t, *here, true);
            if (*slot < 0) continue;
            homes_of(t->base.shape, &t->view, unit_key(t->base.shape, unit_of(t, *here, *slot)), home);
            *there = home_same(home[0], *here) ? home[1] : home[0];
            if (slot_with(t, *there, false) >= 0) return unit_of(t, *here, *slot);
        }
    fail_msg("no such key");
    return 0;
}

/* ---- Faults, one for each letter ------------------------------------------------------------ */

/* A key moves to a bucket that is none of its homes. */
static void break_a(struct dycuckoo_table *t)
{
    struct home here, there;
    int slot;
    const uint64_t unit = key_with_room_elsewhere(t, &here, &slot, &there);
    struct home foreign = here;
    do foreign.index = (foreign.index + 1) % t->view.sub[here.sub].bucket_count;
    while (slot_with(t, foreign, false) < 0);
    assert_false(home_same(foreign, here));
    slot_store_unit(t->base.shape, bucket_of(t, foreign.sub, foreign.index), slot_with(t, foreign, false), unit);
    slot_store_unit(t->base.shape, bucket_of(t, here.sub, here.index), slot, 0);
}

/* Stores a second copy in the other home, as an insert that does not look there would. */
static void break_b(struct dycuckoo_table *t)
{
    struct home here, there;
    int slot;
    const uint64_t unit = key_with_room_elsewhere(t, &here, &slot, &there);
    slot_store_unit(t->base.shape, bucket_of(t, there.sub, there.index), slot_with(t, there, false), unit);
    t->count[there.sub]++;
    t->view.tidy = 0; /* otherwise the check may report the vacancy instead */
}

static void break_c(struct dycuckoo_table *t) { t->count[1]--; }

static void break_d(struct dycuckoo_table *t) { t->view.sub[2].locks[0] |= 1u << 5; }

/* A subtable is smaller than its base. */
static void break_e(struct dycuckoo_table *t) { t->base_buckets = t->view.sub[0].bucket_count + 1; }

/* More keys than the upper bound allows. */
static void break_f(struct dycuckoo_table *t)
{
    t->base.max_fill = (double)dycuckoo_count(&t->base) / (double)dycuckoo_slots(&t->base) - 0.01;
    t->base.min_fill = 0;
}

/* The special bucket has a key that does not mean vacant. */
static void break_g(struct dycuckoo_table *t)
{
    slot_store_unit(t->base.shape, bucket_of(t, SPECIAL, 0), 1, 12345);
    t->count[SPECIAL]++;
}

static void break_h(struct dycuckoo_table *t) { t->unplaced = 1; }

/* A key lies in its second home while the first has a vacancy: a find in a tidy table would miss
 * it. */
static void break_i(struct dycuckoo_table *t)
{
    struct home home[MAX_HOMES], here, there;
    int slot;
    const uint64_t unit = key_with_room_elsewhere(t, &here, &slot, &there);
    assert_true(t->view.tidy);
    homes_of(t->base.shape, &t->view, unit_key(t->base.shape, unit), home);
    assert_true(home_same(home[0], here)); /* tidy: the home with room is the second one */
    slot_store_unit(t->base.shape, bucket_of(t, there.sub, there.index), slot_with(t, there, false), unit);
    slot_store_unit(t->base.shape, bucket_of(t, here.sub, here.index), slot, 0);
    t->count[here.sub]--;
    t->count[there.sub]++;
}

/* ---- More faults ----------------------------------------------------------------------------- */

/* The vacant key twice in its bucket. */
static void break_b_special(struct dycuckoo_table *t)
{
    slot_store_unit(t->base.shape, bucket_of(t, SPECIAL, 0), 2, 0);
    t->count[SPECIAL]++;
}

/* Two copies in one bucket. */
static void break_b_in_one_bucket(struct dycuckoo_table *t)
{
    struct home here, there;
    int slot;
    key_with_room_elsewhere(t, &here, &slot, &there);
    const uint64_t unit = unit_of(t, there, slot_with(t, there, true));
    slot_store_unit(t->base.shape, bucket_of(t, there.sub, there.index), slot_with(t, there, false), unit);
    t->count[there.sub]++;
}

/* A key is lost: its slot is cleared, and the count still includes it. */
static void break_c_by_a_loss(struct dycuckoo_table *t)
{
    struct home here, there;
    int slot;
    key_with_room_elsewhere(t, &here, &slot, &there);
    slot_store_unit(t->base.shape, bucket_of(t, here.sub, here.index), slot, 0);
    t->view.tidy = 0;
}

static void break_d_special(struct dycuckoo_table *t) { t->view.sub[SPECIAL].locks[0] |= 1u; }

/* Does a home of the key have a vacancy?  Then the key is stored in the first one. */
static bool put(struct dycuckoo_table *t, uint64_t key)
{
    struct home home[MAX_HOMES];
    homes_of(t->base.shape, &t->view, key, home);
    for (int h = 0; h < 2; h++) {
        const int slot = slot_with(t, home[h], false);
        if (slot < 0) continue;
        slot_publish(t->base.shape, bucket_of(t, home[h].sub, home[h].index), slot, key, 0);
        t->count[home[h].sub]++;
        return true;
    }
    return false;
}

/* Without growth the table has one key more, beside the vacant key, than leaves enough slots
 * vacant. */
static void break_j(struct dycuckoo_table *t)
{
    t->base.growth = false;
    uint64_t more = dycuckoo_left(t) + t->count[SPECIAL] + 1;
    for (uint32_t i = KEYS; more > 0; i++) more -= put(t, i * 0x9e3779b9u);
}

struct fault {
    char letter; /* the first member, which broken_run reads */
    void (*plant)(struct dycuckoo_table *t);
};

/* Plants the fault in a table of its own, in both layouts. */
static void check_names_the_letter(void **state)
{
    static const char *const options[] = {NULL, "publish=locked"};
    const struct fault *fault = (const struct fault *)*state;
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        roost_table *table = table_make(options[i]);
        fault->plant(inside(table));
        broken_refused(table, fault->letter, options[i] ? options[i] : "no options");
    }
}

int main(void)
{
    static struct fault faults[] = {
        {'A', break_a}, {'B', break_b},           {'B', break_b_special}, {'B', break_b_in_one_bucket},
        {'C', break_c}, {'C', break_c_by_a_loss}, {'D', break_d},         {'D', break_d_special},
        {'E', break_e}, {'F', break_f},           {'G', break_g},         {'H', break_h},
        {'I', break_i}, {'J', break_j},
    };
    return broken_run("dycuckoo check", check_names_the_letter, faults, sizeof faults / sizeof faults[0], sizeof faults[0]);
}
