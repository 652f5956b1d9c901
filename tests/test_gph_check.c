/* For every lettered invariant of gph.h the test breaks a sound table in memory, and
 * roost_table_check names that letter. */
#include "api/table.h"
#include "engines/gph/gph_table.h"
#include "support/broken.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { ROOM = 16000 /* keys that the table is made for */, PIECE = 100, KEYS = 32000 };

/* ---- Tables ---------------------------------------------------------------------------------- */

struct layout {
    const char *name;
    roost_type key_type, value_type;
    const char *options;
};

static const struct layout layouts[] = {
    {"4+4", ROOST_TYPE_U32, ROOST_TYPE_U32, NULL},
    {"4+4, 16 slots", ROOST_TYPE_U32, ROOST_TYPE_U32, "slots=16"},
    {"4+4, 4 slots", ROOST_TYPE_U32, ROOST_TYPE_U32, "slots=4,keys=8"},
    {"8+8", ROOST_TYPE_U64, ROOST_TYPE_U64, NULL},
    {"4+8", ROOST_TYPE_U32, ROOST_TYPE_U64, NULL},
    {"8+0", ROOST_TYPE_U64, ROOST_TYPE_NONE, "virtual=4"},
    {"4+0", ROOST_TYPE_U32, ROOST_TYPE_NONE, NULL},
#if ROOST_TUNE
    {"4+4, the paper's", ROOST_TYPE_U32, ROOST_TYPE_U32, "preset=paper"},
    {"4+8, summed", ROOST_TYPE_U32, ROOST_TYPE_U64, "hash=summed"},
#endif
};

static struct gph_table *inside(roost_table *table) { return (struct gph_table *)table->at; }

/* True if the overflow store has enough keys for some to have passed the first bucket of their
 * chain. */
static bool overflows(const struct gph_table *t)
{
    return t->counts.overflow >= (uint64_t)t->view.overflow_count * (unsigned)t->base.shape.slots / 3;
}

/* Inserts keys, from 0 on, until that is so.  The table may not grow. */
static void table_fill(roost_table *table, const struct layout *layout)
{
    static uint64_t wide[KEYS];
    static uint32_t narrow[KEYS];
    for (uint64_t i = 0; i < KEYS; i++) wide[i] = i * 0x9e3779b97f4a7c15u, narrow[i] = (uint32_t)(i * 0x9e3779b9u);
    for (size_t i = 0; i < KEYS && !overflows(inside(table)); i += PIECE) {
        const void *keys = layout->key_type == ROOST_TYPE_U64 ? (const void *)(wide + i) : narrow + i;
        const roost_status status =
            roost_insert(table, ROOST_ASSIGN, keys, layout->value_type == ROOST_TYPE_NONE ? NULL : keys, PIECE, NULL);
        assert_true(status == ROOST_OK || status == ROOST_ERR_FULL);
    }
}

/* A sound table.  Some of its cells are flagged, and keys have passed buckets of their chains. */
static roost_table *table_make(const struct layout *layout)
{
    roost_config config;
    roost_table *table;
    assert_int_equal(roost_config_init(&config, sizeof config), ROOST_OK);
    config.seed = 2;
    config.device = "host";
    config.engine = "gph";
    config.options = layout->options;
    config.key_type = layout->key_type;
    config.value_type = layout->value_type;
    config.capacity = ROOM;
    config.growth = 0;
    config.threads = 1; /* the same table every time */
    assert_int_equal(roost_table_create(&table, &config), ROOST_OK);
    table_fill(table, layout);
    const struct gph_counts *counts = &inside(table)->counts;
    assert_true(overflows(inside(table)) && counts->special == 1 && counts->flagged < inside(table)->view.cell_count);
    assert_int_equal(roost_table_check(table), ROOST_OK);
    return table;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

struct place {
    uint32_t bucket;
    int slot;
};

static uint64_t unit_at(const struct gph_table *t, struct place at)
{
    return slot_load_unit(t->base.shape, gph_at(t->base.shape, &t->view, at.bucket), at.slot);
}

static uint64_t key_at(const struct gph_table *t, struct place at) { return unit_key(t->base.shape, unit_at(t, at)); }

static bool in_overflow(const struct gph_table *t, struct place at) { return at.bucket >= t->view.bucket_count; }

static uint64_t *count_of(struct gph_table *t, struct place at)
{
    return in_overflow(t, at) ? &t->counts.overflow : &t->counts.main;
}

static uint32_t cell_of(const struct gph_table *t, uint64_t key) { return gph_hash(t->base.shape, &t->view, key).cell; }

static uint32_t code_of(const struct gph_table *t, uint32_t cell) { return gph_cell_code(&t->view, cell); }

static bool flagged_at(const struct gph_table *t, struct place at) { return code_of(t, cell_of(t, key_at(t, at))) == GPH_FLAGGED; }

static void code_put(struct gph_table *t, uint32_t cell, uint32_t code)
{
    *gph_cell_word(&t->view, cell) += (code - code_of(t, cell)) << (cell & 3u) * 8;
}

/* A vacant slot of a bucket; its slot is -1 if there is none. */
static struct place vacancy_in(const struct gph_table *t, uint32_t bucket)
{
    struct place at = {bucket, 0};
    while (at.slot < t->base.shape.slots && unit_at(t, at)) at.slot++;
    if (at.slot == t->base.shape.slots) at.slot = -1;
    return at;
}

/* A vacant slot of some bucket from `first` on, but not of `but`. */
static struct place vacancy_after(const struct gph_table *t, uint32_t first, uint32_t but)
{
    struct place at = {first, -1};
    while (at.slot < 0 && at.bucket + 1 < gph_special(&t->view)) {
        at = vacancy_in(t, at.bucket + 1);
        if (at.bucket == but) at.slot = -1;
    }
    assert_true(at.slot >= 0);
    return at;
}

/* Adds a copy of a pair, and counts it. */
static void pair_copy(struct gph_table *t, struct place from, struct place to)
{
    const struct shape s = t->base.shape;
    unsigned char *const bucket = gph_at(s, &t->view, from.bucket);
    const uint64_t unit = unit_at(t, from);
    const uint64_t value = s.word ? unit >> 32 : s.value_bytes ? slot_load_value(s, bucket, from.slot) : 0;
    assert_true(to.slot >= 0);
    slot_publish(s, gph_at(s, &t->view, to.bucket), to.slot, unit_key(s, unit), value);
    ++*count_of(t, to);
}

static void pair_clear(struct gph_table *t, struct place at)
{
    slot_store_unit(t->base.shape, gph_at(t->base.shape, &t->view, at.bucket), at.slot, 0);
    --*count_of(t, at);
}

static void pair_move(struct gph_table *t, struct place from, struct place to)
{
    pair_copy(t, from, to);
    pair_clear(t, from);
}

/* The next stored key after a place, over the main buckets and the overflow store. */
static struct place next_key(const struct gph_table *t, struct place at)
{
    do {
        if (++at.slot < t->base.shape.slots) continue;
        at.bucket++;
        at.slot = 0;
        if (at.bucket >= gph_special(&t->view)) fail_msg("no such key");
    } while (!unit_at(t, at));
    return at;
}

static const struct place START = {0, -1};

/* The first key in a main bucket whose cell is flagged, or is not. */
static struct place main_key(const struct gph_table *t, bool flagged)
{
    struct place at = next_key(t, START);
    while (flagged_at(t, at) != flagged) at = next_key(t, at);
    assert_false(in_overflow(t, at));
    return at;
}

static struct place overflow_key(const struct gph_table *t)
{
    struct place at = {t->view.bucket_count, -1};
    return next_key(t, at);
}

static uint32_t chain_bucket(const struct gph_table *t, uint32_t cell, uint32_t k)
{
    return t->view.bucket_count + gph_chain(&t->view, cell, k);
}

/* The place of a bucket in a cell's chain; the chain's length if it is not there. */
static uint32_t chain_find(const struct gph_table *t, uint32_t cell, uint32_t bucket)
{
    uint32_t k = 0;
    while (k < gph_chain_length(&t->view) && chain_bucket(t, cell, k) != bucket) k++;
    return k;
}

/* The place of a key of the overflow store in its cell's chain. */
static uint32_t chain_place(const struct gph_table *t, struct place at)
{
    return chain_find(t, cell_of(t, key_at(t, at)), at.bucket);
}

/* ---- Faults, one for each letter ------------------------------------------------------------- */

/* A key moves to a main bucket that is not the one of its cell's code. */
static void break_a(struct gph_table *t)
{
    const struct place from = main_key(t, false);
    pair_move(t, from, vacancy_after(t, from.bucket, from.bucket));
}

/* The same for a key of a flagged cell, from the overflow store. */
static void break_a_flagged(struct gph_table *t)
{
    const struct place from = main_key(t, true);
    pair_move(t, from, vacancy_after(t, from.bucket, from.bucket));
}

static void break_a_spilled(struct gph_table *t)
{
    const struct place from = overflow_key(t);
    const uint64_t key = key_at(t, from);
    const struct gph_mapping flag = {0, 0, true};
    pair_move(t, from, vacancy_after(t, 0, gph_key_bucket(&t->view, gph_hash(t->base.shape, &t->view, key), flag)));
}

/* A cell's code changes, and its keys stay. */
static void break_a_code(struct gph_table *t)
{
    const uint32_t cell = cell_of(t, key_at(t, main_key(t, false))), mask = gph_virtual_mask(&t->view), code = code_of(t, cell);
    code_put(t, cell, (code & ~mask) | ((code ^ 1u) & mask));
}

/* A key has a second copy in its bucket. */
static void break_b(struct gph_table *t)
{
    struct place at = main_key(t, false);
    while (vacancy_in(t, at.bucket).slot < 0) at = next_key(t, at);
    pair_copy(t, at, vacancy_in(t, at.bucket));
}

/* A key in its main bucket has a second copy in the overflow store.  An insert that takes a vacancy
 * before it looks there leaves such copies. */
static void break_b_spilled(struct gph_table *t)
{
    struct place at = main_key(t, true);
    uint32_t cell = cell_of(t, key_at(t, at));
    while (!flagged_at(t, at) || vacancy_in(t, chain_bucket(t, cell, 0)).slot < 0) {
        at = next_key(t, at);
        assert_false(in_overflow(t, at));
        cell = cell_of(t, key_at(t, at));
    }
    pair_copy(t, at, vacancy_in(t, chain_bucket(t, cell, 0)));
}

/* A key has two copies in a chain. */
static void break_b_chain(struct gph_table *t)
{
    struct place at = overflow_key(t);
    while (vacancy_in(t, at.bucket).slot < 0) at = next_key(t, at);
    pair_copy(t, at, vacancy_in(t, at.bucket));
}

static void break_b_special(struct gph_table *t)
{
    unsigned char *const bucket = gph_at(t->base.shape, &t->view, gph_special(&t->view));
    slot_store_unit(t->base.shape, bucket, 1, 0);
    slot_store_unit(t->base.shape, bucket, 0, 0);
    t->counts.special++;
}

static void break_c(struct gph_table *t) { t->counts.main--; }
static void break_c_overflow(struct gph_table *t) { t->counts.overflow++; }
static void break_c_special(struct gph_table *t) { t->counts.special--; }
static void break_c_flagged(struct gph_table *t) { t->counts.flagged++; }

/* The counts of two places are wrong, and their sum is right. */
static void break_c_sum(struct gph_table *t)
{
    t->counts.overflow--;
    t->counts.main++;
}

/* A key is lost. */
static void break_c_loss(struct gph_table *t)
{
    pair_clear(t, main_key(t, false));
    t->counts.main++;
}

/* A cell with the mapping of flagged cells is flagged and not counted; its keys lie rightly. */
static void break_c_code(struct gph_table *t)
{
    struct place at = next_key(t, START);
    while (code_of(t, cell_of(t, key_at(t, at))) != 0) at = next_key(t, at);
    code_put(t, cell_of(t, key_at(t, at)), GPH_FLAGGED);
}

static void break_d(struct gph_table *t) { t->view.cell_locks[t->view.cell_lock_mask] = 7; }
static void break_d_bucket(struct gph_table *t) { *gph_bucket_lock(&t->view, 3) = 1; }
static void break_d_overflow(struct gph_table *t) { *gph_bucket_lock(&t->view, t->view.bucket_count) = UINT32_MAX; }

/* A key lies behind a bucket that is not marked as passed any more. */
static void break_e(struct gph_table *t)
{
    struct place at = overflow_key(t);
    while (chain_place(t, at) == 0) at = next_key(t, at);
    t->view.passed[gph_chain(&t->view, cell_of(t, key_at(t, at)), 0)] = 0;
}

/* A key moves to the next bucket of its chain, and the bucket that it passes is not marked. */
static void break_e_unmarked(struct gph_table *t)
{
    struct place at = overflow_key(t);
    uint32_t cell = cell_of(t, key_at(t, at)), k = chain_place(t, at);
    while (k + 1 >= gph_chain_length(&t->view) || vacancy_in(t, chain_bucket(t, cell, k + 1)).slot < 0) {
        at = next_key(t, at);
        cell = cell_of(t, key_at(t, at));
        k = chain_place(t, at);
    }
    t->view.passed[gph_chain(&t->view, cell, k)] = 0;
    pair_move(t, at, vacancy_in(t, chain_bucket(t, cell, k + 1)));
}

/* A key moves to a bucket of the overflow store that is not in its chain. */
static void break_e_foreign(struct gph_table *t)
{
    struct place at = overflow_key(t), to;
    const uint32_t cell = cell_of(t, key_at(t, at));
    to.slot = -1;
    for (uint32_t bucket = t->view.bucket_count; bucket < gph_special(&t->view) && to.slot < 0; bucket++)
        if (chain_find(t, cell, bucket) == gph_chain_length(&t->view)) to = vacancy_in(t, bucket);
    pair_move(t, at, to);
}

/* A table that may grow has more keys than its upper bound allows. */
static void break_f(struct gph_table *t)
{
    t->base.growth = true;
    t->options.flagged = 1;
    t->base.min_fill = 0;
    t->base.max_fill = 0.01;
}

/* It has more flagged cells than the option allows. */
static void break_f_flagged(struct gph_table *t)
{
    t->base.growth = true;
    t->options.flagged = 0.001;
    t->base.min_fill = 0;
    t->base.max_fill = 1;
    assert_true(t->counts.flagged > 8 + t->view.cell_count / 1000);
}

/* It has fewer keys than its lower bound. */
static void break_f_below(struct gph_table *t)
{
    t->base.growth = true;
    t->options.flagged = 1;
    t->base.max_fill = t->base.min_fill = 1;
    t->base.floor_keys = 0;
    t->room_keys *= 4;
}

static void break_g(struct gph_table *t)
{
    slot_store_unit(t->base.shape, gph_at(t->base.shape, &t->view, gph_special(&t->view)), 1, 12345);
    t->counts.special++;
}

/* The same without the key that belongs there, so the count is right. */
static void break_g_instead(struct gph_table *t)
{
    slot_store_unit(t->base.shape, gph_at(t->base.shape, &t->view, gph_special(&t->view)), 0, 12345);
}

/* A cell loses its flag and keeps the mapping of flagged cells; its keys stay in the overflow
 * store. */
static void break_h(struct gph_table *t)
{
    code_put(t, cell_of(t, key_at(t, overflow_key(t))), 0);
    t->counts.flagged--;
}

/* A key of a cell that is not flagged moves to the overflow store. */
static void break_h_moved(struct gph_table *t)
{
    const struct place from = main_key(t, false);
    const uint32_t cell = cell_of(t, key_at(t, from));
    uint32_t k = 0;
    while (vacancy_in(t, chain_bucket(t, cell, k)).slot < 0) k++;
    pair_move(t, from, vacancy_in(t, chain_bucket(t, cell, k)));
}

/* ---- The check ------------------------------------------------------------------------------- */

struct fault {
    char letter; /* the first member, which broken_run reads */
    void (*plant)(struct gph_table *t);
};

/* The check of a table with the fault names its letter, in every layout. */
static void check_names_the_letter(void **state)
{
    const struct fault *fault = (const struct fault *)*state;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        roost_table *table = table_make(&layouts[i]);
        fault->plant(inside(table));
        broken_refused(table, fault->letter, layouts[i].name);
    }
}

int main(void)
{
    static struct fault faults[] = {
        {'A', break_a},         {'A', break_a_flagged}, {'A', break_a_spilled},  {'A', break_a_code},  {'B', break_b},
        {'B', break_b_spilled}, {'B', break_b_chain},   {'B', break_b_special},  {'C', break_c},       {'C', break_c_overflow},
        {'C', break_c_special}, {'C', break_c_flagged}, {'C', break_c_sum},      {'C', break_c_loss},  {'C', break_c_code},
        {'D', break_d},         {'D', break_d_bucket},  {'D', break_d_overflow}, {'E', break_e},       {'E', break_e_unmarked},
        {'E', break_e_foreign}, {'F', break_f},         {'F', break_f_flagged},  {'F', break_f_below}, {'G', break_g},
        {'G', break_g_instead}, {'H', break_h},         {'H', break_h_moved},
    };
    return broken_run("gph check", check_names_the_letter, faults, sizeof faults / sizeof faults[0], sizeof faults[0]);
}
