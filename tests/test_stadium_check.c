/* roost_table_check reports faults.  For every lettered invariant of stadium.h the test breaks a
 * sound table in memory, and the check names that letter. */
#include "api/table.h"
#include "engines/stadium/stadium_table.h"
#include "support/broken.h"
#include "roost/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    ROOM = 3000 /* keys for which the table is made */,
    MOST = 8000,
    GONE = 100 /* of the first keys, erased; too few for a pass */
};

/* ---- Tables --------------------------------------------------------------------------------- */

struct layout {
    const char *name;
    roost_type key_type, value_type;
    const char *options;
};

static const struct layout layouts[] = {
    {"4+4", ROOST_TYPE_U32, ROOST_TYPE_U32, NULL},
    {"4+4, long groups", ROOST_TYPE_U32, ROOST_TYPE_U32, "ticket=16,group=64"},
    {"8+8", ROOST_TYPE_U64, ROOST_TYPE_U64, "ticket=4"},
    {"8+4, single tickets", ROOST_TYPE_U64, ROOST_TYPE_U32, "probe=double"},
    {"8+0, a single info", ROOST_TYPE_U64, ROOST_TYPE_NONE, "ticket=2"},
    {"4+0, a single info, groups", ROOST_TYPE_U32, ROOST_TYPE_NONE, "ticket=2,probe=group"},
    {"4+4 with marks", ROOST_TYPE_U32, ROOST_TYPE_U32, "access=off"},
    {"4+4 with marks, single tickets", ROOST_TYPE_U32, ROOST_TYPE_U32, "access=off,probe=double,ticket=4"},
    {"4+8 with marks", ROOST_TYPE_U32, ROOST_TYPE_U64, "access=off,ticket=16"},
    {"8+8 with marks", ROOST_TYPE_U64, ROOST_TYPE_U64, "access=off,ticket=2,probe=group"},
    {"8+8, single bits", ROOST_TYPE_U64, ROOST_TYPE_U64, "ticket=1"},
    {"4+0, groups of single bits", ROOST_TYPE_U32, ROOST_TYPE_NONE, "ticket=1,probe=group"},
};

enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static struct stadium_table *inside(roost_table *table) { return (struct stadium_table *)table->at; }

/* Fills the table, first with the two keys that look like marks.  Only a few slots are left, and
 * some keys have gone past full groups. */
static void table_fill(roost_table *table, const struct layout *layout)
{
    static uint64_t wide[MOST];
    static uint32_t narrow[MOST];
    const uint64_t n = stadium_slots(inside(table)) * 96 / 100;
    const size_t width = layout->key_type == ROOST_TYPE_U64 ? 8 : 4;
    const unsigned char *const keys = width == 8 ? (const unsigned char *)wide : (const unsigned char *)narrow;
    assert_true(n <= MOST);
    for (uint64_t i = 0; i < n; i++) {
        wide[i] = i < 2 ? ~i : i * 0x9e3779b97f4a7c15u;
        narrow[i] = (uint32_t)(i < 2 ? ~i : i * 0x9e3779b9u);
    }
    const void *const values = layout->value_type == ROOST_TYPE_NONE ? NULL : wide;
    assert_int_equal(roost_insert(table, ROOST_ASSIGN, keys, values, n, NULL), ROOST_OK);
    assert_int_equal(roost_erase(table, keys + 2 * width, GONE, NULL), ROOST_OK);
}

/* A sound table with keys, keys behind full groups, FREE and ERASED slots. */
static roost_table *table_make(const struct layout *layout)
{
    roost_config config;
    roost_table *table;
    assert_int_equal(roost_config_init(&config, sizeof config), ROOST_OK);
    config.seed = 1;
    config.device = "host";
    config.engine = "stadium";
    config.options = layout->options;
    config.key_type = layout->key_type;
    config.value_type = layout->value_type;
    config.capacity = ROOM;
    config.max_fill = 0.97;
    config.threads = 1; /* for the same table every time */
    assert_int_equal(roost_table_create(&table, &config), ROOST_OK);
    table_fill(table, layout);
    const struct stadium_table *const t = inside(table);
    assert_true(t->tombstones == GONE && t->base.stats.grow_steps == 0 && *t->view.longest > 1);
    assert_int_equal(roost_table_check(table), ROOST_OK);
    return table;
}

/* ---- Slots ---------------------------------------------------------------------------------- */

static uint32_t ones_of(const struct stadium_table *t) { return (uint32_t)((1ULL << ticket_bits(t->base.shape, &t->view)) - 1); }

static void ticket_put(struct stadium_table *t, uint64_t slot, uint32_t ticket)
{
    const uint64_t bit = slot << t->view.ticket_log;
    uint32_t *const word = &t->view.board[bit / 32];
    *word = (*word & ~(ones_of(t) << (bit & 31u))) | ticket << (bit & 31u);
}

/* Stores the key as its own word or part of one. */
static void key_put(struct stadium_table *t, uint64_t slot, uint64_t key)
{
    store_width(t->base.shape.word ? t->base.shape.key_bytes : 8, stadium_pair(t->base.shape, &t->view, slot), 0, key);
}

static void slot_copy(struct stadium_table *t, uint64_t to, uint64_t from)
{
    memcpy(stadium_pair(t->base.shape, &t->view, to), stadium_pair(t->base.shape, &t->view, from),
           (size_t)stadium_pair_bytes(t->base.shape, &t->view));
    ticket_put(t, to, stadium_ticket(t->base.shape, &t->view, from));
}

static void slot_free(struct stadium_table *t, uint64_t slot)
{
    ticket_put(t, slot, ones_of(t));
    if (!t->view.access) key_put(t, slot, stadium_empty(t->base.shape));
}

static uint64_t group_of(const struct stadium_table *t, uint64_t slot)
{
    return slot / stadium_group_tickets(t->base.shape, &t->view);
}

/* The first of n slots from `slot` on in this state; ~0: none. */
static uint64_t slot_in_state(const struct stadium_table *t, uint64_t slot, uint64_t n, enum slot_state state)
{
    struct pair pair;
    for (; n--; slot++)
        if (stadium_slot(t->base.shape, &t->view, slot, &pair) == state) return slot;
    return ~UINT64_C(0);
}

static uint64_t some_slot(const struct stadium_table *t, enum slot_state state)
{
    const uint64_t slot = slot_in_state(t, 0, stadium_slots(t), state);
    assert_true(slot != ~UINT64_C(0));
    return slot;
}

static uint64_t key_in(const struct stadium_table *t, uint64_t slot)
{
    struct pair pair;
    assert_int_equal(stadium_slot(t->base.shape, &t->view, slot, &pair), SLOT_STORED);
    return pair.key;
}

static struct stadium_walk way_of(const struct stadium_table *t, uint64_t key)
{
    return stadium_walk_begin(t->base.shape, &t->view, stadium_hash(t->base.shape, &t->view, key), key, false);
}

/* Finds a key that has gone past its first group, and a slot in this state of that group.
 * Returns false if there is none. */
static bool passed_slot(const struct stadium_table *t, enum slot_state state, uint64_t *slot, uint64_t *passed)
{
    const uint64_t tickets = stadium_group_tickets(t->base.shape, &t->view);
    for (*slot = 0; *slot < stadium_slots(t); ++*slot) {
        struct pair pair;
        if (stadium_slot(t->base.shape, &t->view, *slot, &pair) != SLOT_STORED) continue;
        const uint64_t home = way_of(t, pair.key).at;
        if (home == group_of(t, *slot)) continue;
        *passed = slot_in_state(t, home * tickets, tickets, state);
        if (*passed != ~UINT64_C(0)) return true;
    }
    return false;
}

/* True if the key's order visits the group, as far as any insert has gone. */
static bool comes_to(const struct stadium_table *t, uint64_t key, uint64_t group)
{
    struct stadium_walk way = way_of(t, key);
    way.bound = (uint32_t)*t->view.longest;
    do
        if (way.at == group) return true;
    while (stadium_walk_next(t->base.shape, &t->view, &way));
    return false;
}

/* ---- Faults, one for each letter; false: this layout cannot have it ------------------------- */

static bool break_a_info(struct stadium_table *t)
{
    const uint64_t slot = some_slot(t, SLOT_STORED);
    const uint32_t info = stadium_info(t->base.shape, &t->view, stadium_hash(t->base.shape, &t->view, key_in(t, slot)));
    if (t->view.infos == 1) return false;
    ticket_put(t, slot, (info + 1) % t->view.infos << 1);
    return true;
}

/* Stores a key where no find looks for it, with the right info. */
static bool break_a_order(struct stadium_table *t)
{
    const uint64_t slot = some_slot(t, SLOT_STORED), group = group_of(t, slot);
    uint64_t key = key_in(t, slot);
    const uint32_t info = stadium_info(t->base.shape, &t->view, stadium_hash(t->base.shape, &t->view, key));
    do key = (key * 2862933555777941757u + 3037000493u) & 0x7fffffffu;
    while (comes_to(t, key, group) || stadium_info(t->base.shape, &t->view, stadium_hash(t->base.shape, &t->view, key)) != info);
    key_put(t, slot, key);
    return true;
}

/* Ends finds one group earlier than an insert went. */
static bool break_a_longest(struct stadium_table *t)
{
    --*t->view.longest;
    return true;
}

/* With single tickets, a key that looks like a mark has only one slot. */
static bool break_a_mark(struct stadium_table *t)
{
    const uint64_t first = stadium_slots(t);
    if (t->view.access || !t->view.single) return false;
    key_put(t, first, 1);
    return true;
}

/* Overwrites a key with another one of its group, so that only the second copy is wrong. */
static bool break_b(struct stadium_table *t)
{
    const uint64_t tickets = stadium_group_tickets(t->base.shape, &t->view), slot = some_slot(t, SLOT_STORED),
                   end = slot / tickets + 1;
    if (t->view.single) return false;
    const uint64_t other = slot_in_state(t, slot + 1, end * tickets - slot - 1, SLOT_STORED);
    assert_true(other != ~UINT64_C(0));
    slot_copy(t, other, slot);
    return true;
}

/* Overwrites one in another group of its order. */
static bool break_b_across_groups(struct stadium_table *t)
{
    uint64_t slot, other;
    assert_true(passed_slot(t, SLOT_STORED, &slot, &other));
    slot_copy(t, other, slot);
    return true;
}

static bool break_b_mark(struct stadium_table *t)
{
    const uint64_t first = stadium_slots(t), tickets = stadium_group_tickets(t->base.shape, &t->view);
    const uint64_t slot = t->view.access || t->view.single ? ~UINT64_C(0) : slot_in_state(t, first, tickets, SLOT_STORED);
    if (slot == ~UINT64_C(0)) return false; /* 4-byte keys in words of 8 never look like marks */
    const uint64_t other = slot_in_state(t, slot + 1, first + tickets - slot - 1, SLOT_STORED);
    slot_copy(t, other, slot);
    return true;
}

/* Removes a key without a mark, with other keys behind it. */
static bool break_c(struct stadium_table *t)
{
    uint64_t slot, other;
    assert_true(passed_slot(t, SLOT_STORED, &slot, &other));
    slot_free(t, other);
    t->count--;
    return true;
}

/* Frees an erased slot of a group that keys went past, as a wrong compaction would. */
static bool break_c_compacted(struct stadium_table *t)
{
    uint64_t slot, other;
    assert_true(passed_slot(t, SLOT_ERASED, &slot, &other));
    slot_free(t, other);
    t->tombstones--;
    return true;
}

static bool break_d(struct stadium_table *t) { return t->count++, true; }
static bool break_d_tombstones(struct stadium_table *t) { return t->tombstones--, true; }

/* Makes an erase that is not counted. */
static bool break_d_erased(struct stadium_table *t)
{
    const uint64_t slot = some_slot(t, SLOT_STORED);
    if (t->view.access) ticket_put(t, slot, stadium_ticket(t->base.shape, &t->view, slot) | 1);
    else key_put(t, slot, stadium_tombstone(t->base.shape));
    return true;
}

/* Reserves a ticket whose pair never comes. */
static bool break_e(struct stadium_table *t)
{
    const uint64_t slot = some_slot(t, SLOT_FREE);
    ticket_put(t, slot, ones_of(t) & ~1u);
    return true;
}

/* Removes a pair that says what it is. */
static bool break_e_pair(struct stadium_table *t)
{
    if (t->view.access) return false;
    key_put(t, some_slot(t, SLOT_STORED), stadium_empty(t->base.shape));
    return true;
}

static bool break_f(struct stadium_table *t) { return t->base.max_fill = 0.5, true; }

/* A table with half as many groups would be enough. */
static bool break_f_low(struct stadium_table *t)
{
    t->base.floor_keys = 0;
    t->base.min_fill = 0.99;
    t->base.max_fill = 4;
    return true;
}

static bool break_g(struct stadium_table *t)
{
    if (t->view.access) return false;
    key_put(t, some_slot(t, SLOT_FREE), 12345);
    return true;
}

static bool break_g_tombstone(struct stadium_table *t)
{
    if (t->view.access) return false;
    key_put(t, some_slot(t, SLOT_FREE), stadium_tombstone(t->base.shape));
    return true;
}

/* Puts an ordinary key among those that look like marks. */
static bool break_g_mark(struct stadium_table *t)
{
    if (t->view.access) return false;
    key_put(t, stadium_slots(t), 12345);
    ticket_put(t, stadium_slots(t), 0);
    return true;
}

/* More keys than the table takes if it does not grow. */
static bool break_k(struct stadium_table *t)
{
    t->base.growth = 0;
    t->fill_most = 0.9;
    return true;
}

/* A graph's inserts do not know how full the table is. */
static void a_graph_may_fill_it(void **state)
{
    (void)state;
    roost_table *table = table_make(&layouts[0]);
    (void)break_k(inside(table));
    inside(table)->base.ledger.captured = true;
    assert_int_equal(roost_table_check(table), ROOST_OK);
    roost_table_destroy(table);
}

struct fault {
    char letter; /* the first member, which broken_run reads */
    bool (*plant)(struct stadium_table *t);
    int layouts; /* number of layouts that can have it */
};

/* The check names the fault's letter, in all layouts that can have it. */
static void check_names_the_letter(void **state)
{
    const struct fault *fault = (const struct fault *)*state;
    int planted = 0;
    for (size_t i = 0; i < LAYOUTS; i++) {
        roost_table *table = table_make(&layouts[i]);
        if (!fault->plant(inside(table))) {
            roost_table_destroy(table);
            continue;
        }
        broken_refused(table, fault->letter, layouts[i].name);
        planted++;
    }
    assert_int_equal(planted, fault->layouts);
}

/* ---- Strings -------------------------------------------------------------------------------- */

static struct stadium_string *string_at(struct stadium_table *t, uint64_t slot)
{
    return (struct stadium_string *)(void *)(stadium_pair(t->base.shape, &t->view, slot) + t->view.wide.key_at);
}

/* A table of n strings, the i-th of i equal bytes, whose hashes are all the same. */
static roost_table *strings_make(uint32_t n)
{
    enum { STRINGS = 8 };
    static const char bytes[STRINGS * STRINGS];
    uint32_t offsets[STRINGS + 1] = {0};
    roost_config config = ROOST_CONFIG_INIT;
    roost_strings strings = ROOST_STRINGS_INIT;
    roost_table *table;
    assert_true(n <= STRINGS);
    for (uint32_t i = 0; i < n; i++) offsets[i + 1] = offsets[i] + i;
    config.device = "host";
    config.engine = "stadium";
    config.options = "hash_bits=1";
    config.key_type = ROOST_TYPE_STRING;
    config.value_type = ROOST_TYPE_NONE;
    strings.offsets = offsets;
    strings.offset_bytes = 4;
    strings.bytes = bytes;
    assert_int_equal(roost_table_create(&table, &config), ROOST_OK);
    assert_int_equal(roost_insert_strings(table, ROOST_KEEP, &strings, NULL, n, NULL), ROOST_OK);
    assert_int_equal(roost_table_check(table), ROOST_OK);
    return table;
}

/* A string that lies outside is not read when it is compared with others of its hash. */
static void a_string_far_away(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 2; which++) {
        roost_table *table = strings_make(8);
        struct stadium_table *t = inside(table);
        uint64_t slot = some_slot(t, SLOT_STORED), other = slot_in_state(t, slot + 1, stadium_slots(t) - slot - 1, SLOT_STORED);
        while (string_at(t, slot)->tag != string_at(t, other)->tag)
            other = slot_in_state(t, other + 1, stadium_slots(t) - other - 1, SLOT_STORED);
        struct stadium_string *const broken = string_at(t, which ? slot : other);
        broken->length = string_at(t, which ? other : slot)->length;
        broken->offset = UINT64_C(1) << 46;
        broken_refused(table, 'H', "strings");
    }
}

/* A table without strings has no bytes of them, whatever its words and a slot say. */
static void bytes_of_no_strings(void **state)
{
    (void)state;
    roost_table *table = strings_make(0);
    struct stadium_table *t = inside(table);
    assert_int_equal(t->arena_room, 0);
    stadium_words(t)->ends.used = 64;
    ticket_put(t, 0, 0);
    *string_at(t, 0) = (struct stadium_string){.offset = 0, .length = 8};
    broken_refused(table, 'H', "strings");
}

static int run_others(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(a_string_far_away), cmocka_unit_test(bytes_of_no_strings),
                                              cmocka_unit_test(a_graph_may_fill_it)};
    return cmocka_run_group_tests_name("sound and broken tables", tests, NULL, NULL);
}

int main(void)
{
    if (run_others() != 0) return EXIT_FAILURE;
    enum { ALL = LAYOUTS, MARKS = 6 /* access=off */, MARKS_IN_GROUPS = 3, MARKS_ALONE = 2, INFOS = 8, GROUPS = 8 };
    static struct fault faults[] = {
        {'A', break_a_info, INFOS},
        {'A', break_a_order, ALL},
        {'A', break_a_longest, ALL},
        {'A', break_a_mark, MARKS_ALONE},
        {'B', break_b, GROUPS},
        {'B', break_b_across_groups, ALL},
        {'B', break_b_mark, MARKS_IN_GROUPS},
        {'C', break_c, ALL},
        {'C', break_c_compacted, ALL},
        {'D', break_d, ALL},
        {'D', break_d_tombstones, ALL},
        {'D', break_d_erased, ALL},
        {'E', break_e, ALL},
        {'E', break_e_pair, MARKS},
        {'F', break_f, ALL},
        {'F', break_f_low, ALL},
        {'G', break_g, MARKS},
        {'G', break_g_tombstone, MARKS},
        {'G', break_g_mark, MARKS},
        {'K', break_k, ALL},
    };
    return broken_run("stadium check", check_names_the_letter, faults, sizeof faults / sizeof faults[0], sizeof faults[0]);
}
