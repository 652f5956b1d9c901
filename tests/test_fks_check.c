/* roost_table_check reports faults.  For every lettered invariant of fks.h the test breaks a
 * sound table in memory, and the check names that letter. */
#include "api/table.h"
#include "engines/fks/fks_table.h"
#include "support/broken.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { KEYS = 30000, FREED = 600 /* keys whose buckets outgrow their lines and free them */ };

/* ---- Tables --------------------------------------------------------------------------------- */

struct layout {
    const char *name;
    roost_type key_type, value_type;
    const char *options;
};

static const struct layout layouts[] = {
    {"4+4", ROOST_TYPE_U32, ROOST_TYPE_U32, NULL},  {"4+4, the paper's", ROOST_TYPE_U32, ROOST_TYPE_U32, "preset=paper"},
    {"8+8", ROOST_TYPE_U64, ROOST_TYPE_U64, NULL},  {"4+8", ROOST_TYPE_U32, ROOST_TYPE_U64, "load=0.5"},
    {"8+0", ROOST_TYPE_U64, ROOST_TYPE_NONE, NULL}, {"4+0", ROOST_TYPE_U32, ROOST_TYPE_NONE, NULL},
};

static struct fks_table *inside(roost_table *table) { return (struct fks_table *)table->at; }

static void insert(roost_table *table, const struct layout *layout, uint64_t first, size_t n)
{
    static uint64_t wide[KEYS];
    static uint32_t narrow[KEYS];
    for (uint64_t i = 0; i < n; i++) {
        wide[i] = (first + i) * 0x9e3779b97f4a7c15u;
        narrow[i] = (uint32_t)((first + i) * 0x9e3779b9u);
    }
    const void *keys = layout->key_type == ROOST_TYPE_U64 ? (const void *)wide : narrow;
    assert_int_equal(roost_insert(table, ROOST_ASSIGN, keys, layout->value_type == ROOST_TYPE_NONE ? NULL : wide, n, NULL),
                     ROOST_OK);
}

/* A sound table of several parts, with keys in second lines and free blocks. */
static roost_table *table_make(const struct layout *layout)
{
    roost_config config;
    roost_table *table;
    assert_int_equal(roost_config_init(&config, sizeof config), ROOST_OK);
    config.seed = 1;
    config.device = "host";
    config.engine = "fks";
    config.options = layout->options;
    config.key_type = layout->key_type;
    config.value_type = layout->value_type;
    config.capacity = KEYS + KEYS / 2;
    config.threads = 1; /* for the same table every time */
    assert_int_equal(roost_table_create(&table, &config), ROOST_OK);
    insert(table, layout, 0, KEYS);
    for (uint64_t first = KEYS; first < KEYS + KEYS / 4; first += FREED) insert(table, layout, first, FREED);
    assert_int_equal(roost_table_check(table), ROOST_OK);
    assert_true(inside(table)->special == 1 && inside(table)->view.part_bits > 0);
    return table;
}

/* ---- Places --------------------------------------------------------------------------------- */

struct place {
    uint32_t part, bucket, line;
    int slot;
};

static struct fks_entry *entry_at(const struct fks_table *t, struct place at) { return &t->parts[at.part].directory[at.bucket]; }

static unsigned char *line_at(const struct fks_table *t, struct place at)
{
    return fks_line(t->base.shape, fks_bucket(&t->view, &t->parts[at.part], entry_at(t, at)->first), at.line);
}

static struct pair pair_at(const struct fks_table *t, struct place at)
{
    return pair_load(t->base.shape, line_at(t, at), at.slot, false);
}

static struct fks_lines lines_at(const struct fks_table *t, struct place at)
{
    const uint32_t form = entry_at(t, at)->form;
    return fks_lines_of(&t->view, fks_hash(t->base.shape, &t->view, pair_at(t, at).key), fks_form_lines(form), fks_form_seed(form));
}

/* The next stored key behind a place. */
static struct place next_key(const struct fks_table *t, struct place at)
{
    do {
        if (++at.slot < t->base.shape.slots) continue;
        at.slot = 0;
        if (++at.line < fks_form_lines(entry_at(t, at)->form)) continue;
        at.line = 0;
        if (++at.bucket < t->parts[at.part].buckets) continue;
        at.bucket = 0;
        if (++at.part == fks_parts(t)) fail_msg("no such key");
    } while (!pair_at(t, at).taken);
    return at;
}

static const struct place START = {0, 0, 0, -1};

/* The first key that lies in its first line, or in its second one. */
static struct place some_key(const struct fks_table *t, bool second)
{
    struct place at = next_key(t, START);
    while ((lines_at(t, at).first != at.line) != second) at = next_key(t, at);
    return at;
}

/* A vacant slot of the bucket: in line `first` or `second`, or in neither. */
static struct place vacancy(const struct fks_table *t, struct place at, uint32_t first, uint32_t second, bool inside_them)
{
    struct place to = at;
    for (to.line = 0; to.line < fks_form_lines(entry_at(t, at)->form); to.line++) {
        if ((to.line == first || to.line == second) != inside_them) continue;
        for (to.slot = 0; to.slot < t->base.shape.slots; to.slot++)
            if (!pair_at(t, to).taken) return to;
    }
    to.slot = -1;
    return to;
}

static void pair_put(struct fks_table *t, struct place at, struct pair pair)
{
    assert_true(at.slot >= 0);
    pair_store(t->base.shape, line_at(t, at), at.slot, &pair);
}

static void pair_clear(struct fks_table *t, struct place at)
{
    const struct pair vacant = {0, 0, false};
    pair_put(t, at, vacant);
}

/* Copies a pair and counts it. */
static void pair_copy(struct fks_table *t, struct place from, struct place to)
{
    pair_put(t, to, pair_at(t, from));
    entry_at(t, to)->form++;
    t->main++;
}

static void pair_move(struct fks_table *t, struct place from, struct place to)
{
    pair_copy(t, from, to);
    pair_clear(t, from);
    entry_at(t, from)->form--;
    t->main--;
}

/* ---- Faults, one for each letter ------------------------------------------------------------ */

/* Moves a key to a line that is neither of its two. */
static void break_a(struct fks_table *t)
{
    const struct place from = some_key(t, false);
    const struct fks_lines l = lines_at(t, from);
    pair_put(t, vacancy(t, from, l.first, l.second, false), pair_at(t, from));
    pair_clear(t, from);
}

/* Moves a key to another bucket of its part, or to another part. */
static void break_a_bucket(struct fks_table *t)
{
    const struct place from = some_key(t, false);
    struct place to = from;
    to.bucket = from.bucket + 1;
    pair_move(t, from, vacancy(t, to, 0, 0, false));
}

static void break_a_part(struct fks_table *t)
{
    const struct place from = some_key(t, false);
    struct place to = from;
    to.part = from.part + 1;
    pair_move(t, from, vacancy(t, to, 0, 0, false));
}

/* Changes a bucket's seed. */
static void break_a_seed(struct fks_table *t) { entry_at(t, some_key(t, false))->form ^= 5u << 23; }

/* Stores a second copy of a key in one of its lines. */
static void break_b(struct fks_table *t)
{
    struct place at = some_key(t, false), to;
    for (;; at = next_key(t, at)) {
        const struct fks_lines l = lines_at(t, at);
        if (at.line != l.first) continue;
        to = vacancy(t, at, l.first, l.first, true);
        if (to.slot >= 0) break;
        to = vacancy(t, at, l.second, l.second, true);
        if (to.slot >= 0 && fks_marked(entry_at(t, at), l.first)) break;
    }
    pair_copy(t, at, to);
}

static void break_c(struct fks_table *t) { t->main--; }
static void break_c_special(struct fks_table *t) { t->special--; }

/* Miscounts a bucket, or loses a key. */
static void break_c_bucket(struct fks_table *t) { entry_at(t, some_key(t, false))->form--; }
static void break_c_loss(struct fks_table *t) { pair_clear(t, some_key(t, false)); }

/* Miscounts a part's lines. */
static void break_c_lines(struct fks_table *t) { t->device.spaces[0].lines++; }

/* Clears a first line's mark. */
static void break_d(struct fks_table *t)
{
    const struct place at = some_key(t, true);
    const struct fks_lines l = lines_at(t, at);
    entry_at(t, at)->marks[fks_mark_word(l.first)] &= ~fks_mark_bit(l.first);
}

/* Sets an offset beyond the memory handed out, or to another bucket's lines. */
static void break_e(struct fks_table *t) { entry_at(t, some_key(t, false))->first = t->device.spaces[0].used; }

static void break_e_shared(struct fks_table *t)
{
    struct place at = START;
    const struct place other = {0, 1, 0, 0};
    *entry_at(t, at) = *entry_at(t, other);
}

/* Puts a free block where a bucket's lines are, or outside. */
static void break_e_free(struct fks_table *t) { t->device.spaces[0].free[0] = entry_at(t, START)->first + 1; }
static void break_e_far(struct fks_table *t) { t->device.spaces[0].free[0] = t->device.spaces[0].used + 7; }

static void break_f(struct fks_table *t)
{
    t->base.growth = true;
    t->base.min_fill = 0;
    t->base.max_fill = 0.01;
    if (!t->view.line_load) t->view.line_load = 1;
}

static void break_f_below(struct fks_table *t)
{
    t->base.growth = true;
    t->base.min_fill = t->base.max_fill = 1;
    t->base.floor_keys = 0; /* without the reservation there would be fewer slots */
}

static void break_g(struct fks_table *t)
{
    const struct pair pair = {12345, 0, true};
    if (t->base.shape.slots > 1) pair_store(t->base.shape, t->device.special, 1, &pair);
    else pair_store(t->base.shape, t->device.special, 0, &pair);
    t->special += t->base.shape.slots > 1;
}

static void break_g_instead(struct fks_table *t)
{
    const struct pair pair = {12345, 0, true};
    pair_store(t->base.shape, t->device.special, 0, &pair);
}

/* Leaves handed-out memory without an owner. */
static void break_h(struct fks_table *t) { t->device.spaces[0].used++; }

/* ---- The check ------------------------------------------------------------------------------ */

struct fault {
    char letter; /* the first member, which broken_run reads */
    void (*plant)(struct fks_table *t);
};

/* The check names the fault's letter, in all layouts. */
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
        {'A', break_a}, {'A', break_a_bucket},  {'A', break_a_part},   {'A', break_a_seed},    {'B', break_b},
        {'C', break_c}, {'C', break_c_special}, {'C', break_c_bucket}, {'C', break_c_loss},    {'C', break_c_lines},
        {'D', break_d}, {'E', break_e},         {'E', break_e_shared}, {'E', break_e_free},    {'E', break_e_far},
        {'F', break_f}, {'F', break_f_below},   {'G', break_g},        {'G', break_g_instead}, {'H', break_h},
    };
    return broken_run("fks check", check_names_the_letter, faults, sizeof faults / sizeof faults[0], sizeof faults[0]);
}
