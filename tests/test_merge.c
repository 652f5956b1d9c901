/* Tables merged and intersected, against a reference that sorts the pairs of both: all modes,
 * tables of any sizes, engines and devices, memory that is refused, tables that are full. */
#include "support/allocators.h"
#include "support/answers.h"
#include "support/draw.h"
#include "support/reference.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/merge.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 6000 };

typedef roost_status two_tables(roost_table *into, const roost_table *from, roost_mode mode, const roost_call *call);

/* ---- The reference --------------------------------------------------------------------------- */

struct pair {
    uint64_t key, value;
};

struct list {
    struct pair *pair;
    size_t n;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    return (left->key > right->key) - (left->key < right->key);
}

static struct list list_make(size_t n)
{
    struct list list = {malloc((n + 1) * sizeof *list.pair), 0};
    if (!list.pair) abort();
    return list;
}

static struct list list_of(const struct pairs *pairs)
{
    struct list list = list_make(pairs->n);
    for (list.n = 0; list.n < pairs->n; list.n++) list.pair[list.n] = (struct pair){pairs->keys[list.n], pairs->values[list.n]};
    qsort(list.pair, list.n, sizeof *list.pair, compare_pairs);
    return list;
}

static struct list contents(const struct table *t)
{
    struct pairs pairs = table_export(t, 20000);
    const struct list list = list_of(&pairs);
    pairs_free(&pairs);
    return list;
}

static struct pair combined(const struct table *t, roost_mode mode, struct pair a, struct pair b)
{
    return (struct pair){a.key, reference_combine(mode, t->shape.value_type, false, a.value, b.value)};
}

/* What the call makes of two sorted lists. */
static struct list expected(const struct table *t, const struct list *into, const struct list *from, roost_mode mode, bool merges)
{
    struct list out = list_make(into->n + from->n);
    size_t i = 0, f = 0;
    while (i < into->n || f < from->n) {
        const struct pair *a = i < into->n ? &into->pair[i] : NULL, *b = f < from->n ? &from->pair[f] : NULL;
        const int order = !a ? 1 : !b ? -1 : compare_pairs(a, b);
        if (!order) out.pair[out.n++] = combined(t, mode, *a, *b);
        else if (merges) out.pair[out.n++] = order < 0 ? *a : *b;
        i += order <= 0;
        f += order >= 0;
    }
    return out;
}

static void require_equal(const struct list *is, const struct list *should)
{
    require(is->n == should->n, "%zu pairs instead of %zu", is->n, should->n);
    for (size_t i = 0; i < is->n; i++)
        require(!memcmp(&is->pair[i], &should->pair[i], sizeof is->pair[i]), "pair %zu is %#llx: %#llx instead of %#llx: %#llx", i,
                (unsigned long long)is->pair[i].key, (unsigned long long)is->pair[i].value, (unsigned long long)should->pair[i].key,
                (unsigned long long)should->pair[i].value);
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void insert_numbers(struct table *t, uint64_t first, size_t n)
{
    struct dice dice = {suite_seed() + n};
    uint64_t *keys = numbered_keys(&t->shape, first, n), *values = make_patterns(n);
    for (size_t i = 0; i < n; i++) values[i] = draw_value(&dice, t->shape.value_type);
    require_status(ROOST_OK, table_insert(t, ROOST_ASSIGN, keys, values, n, NULL), t->handle);
    free(keys), free(values);
}

/* A table with n keys from number `first` on. */
static void open_numbers(struct table *t, const struct variant *variant, const roost_config *config, uint64_t first, size_t n)
{
    table_open(t, variant, config);
    insert_numbers(t, first, n);
}

/* Carries the call out; `from` has the same pairs afterwards, in the same places, which a GPU's
 * exports do not show. */
static void require_call(two_tables *call, struct table *into, const struct table *from, roost_mode mode)
{
    const struct list before = contents(into), other = contents(from);
    const struct list should = expected(into, &before, &other, mode, call == roost_table_merge);
    struct pairs places = table_export(from, 777);
    require_status(ROOST_OK, call(into->handle, from->handle, mode, NULL), into->handle);
    table_check(into);
    table_check(from);
    const struct list is = contents(into), still = contents(from);
    require_equal(&is, &should);
    require_equal(&still, &other);
    struct pairs after = table_export(from, 777);
    require(places.n == after.n, "the other table has another number of pairs");
    require(settings_on_gpu() || !after.n || !memcmp(places.keys, after.keys, after.n * sizeof *after.keys),
            "the places in the other table have changed");
    pairs_free(&places);
    pairs_free(&after);
    free(before.pair), free(other.pair), free(should.pair), free(is.pair), free(still.pair);
}

/* ---- Modes and sizes ------------------------------------------------------------------------- */

static bool takes_mode(const struct test_shape *shape, roost_mode mode)
{
    return mode < ROOST_ADD || (shape_has_values(shape) && shape_has_arithmetic(shape));
}

static void all_modes(const struct variant *variant, two_tables *call)
{
    for (roost_mode mode = ROOST_ASSIGN; mode <= ROOST_MAX; mode++) {
        struct table into, from;
        if (!takes_mode(variant->shape, mode)) continue;
        suite_step("mode %d", (int)mode);
        open_numbers(&into, variant, NULL, 0, KEYS);
        open_numbers(&from, variant, NULL, KEYS / 3, KEYS);
        require_call(call, &into, &from, mode);
        insert_numbers(&into, 3 * KEYS, KEYS);
        table_check(&into);
        table_close(&into);
        table_close(&from);
    }
}

static void merges_in_all_modes(const struct variant *variant) { all_modes(variant, roost_table_merge); }
static void intersects_in_all_modes(const struct variant *variant) { all_modes(variant, roost_table_intersect); }

static void all_sizes(const struct variant *variant, two_tables *call)
{
    static const struct {
        size_t into, first, from;
    } sizes[] = {{0, 0, 0},
                 {KEYS, 0, 0},
                 {0, 0, KEYS},
                 {1, 0, 8 * KEYS},
                 {8 * KEYS, 5, 1},
                 {KEYS, KEYS, KEYS},
                 {8 * KEYS, 7 * KEYS, 2 * KEYS},
                 {KEYS, 0, KEYS}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct table into, from;
        suite_step("%zu keys and %zu from number %zu on", sizes[i].into, sizes[i].from, sizes[i].first);
        open_numbers(&into, variant, NULL, 0, sizes[i].into);
        open_numbers(&from, variant, NULL, sizes[i].first, sizes[i].from);
        require_call(call, &into, &from, ROOST_KEEP);
        require_call(call, &into, &from, ROOST_ASSIGN);
        table_close(&into);
        table_close(&from);
    }
}

static void merges_of_all_sizes(const struct variant *variant) { all_sizes(variant, roost_table_merge); }
static void intersects_of_all_sizes(const struct variant *variant) { all_sizes(variant, roost_table_intersect); }

static void large_tables(const struct variant *variant)
{
    const size_t n = settings_size(1000000, 40000);
    struct table into, from;
    open_numbers(&into, variant, NULL, 0, n);
    open_numbers(&from, variant, NULL, n / 4, n);
    require_call(roost_table_merge, &into, &from, ROOST_ADD);
    require_call(roost_table_intersect, &into, &from, ROOST_ADD);
    table_close(&into);
    table_close(&from);
}

/* A merge keeps no reservation: the table may shrink afterwards. */
static void no_reservation_stays(const struct variant *variant)
{
    struct table into, from;
    open_numbers(&into, variant, NULL, 0, 10);
    open_numbers(&from, variant, NULL, 0, 10 * KEYS);
    require_call(roost_table_merge, &into, &from, ROOST_ASSIGN);
    uint64_t *keys = numbered_keys(variant->shape, 10, 10 * KEYS - 10);
    const uint64_t slots = table_stats(&into).slots;
    require_status(ROOST_OK, table_erase(&into, keys, 10 * KEYS - 10, NULL), into.handle);
    require_status(ROOST_OK, roost_table_sync(into.handle, NULL), into.handle);
    require(table_stats(&into).slots < slots / 4, "%llu slots of %llu are left", (unsigned long long)table_stats(&into).slots,
            (unsigned long long)slots);
    free(keys);
    table_close(&into);
    table_close(&from);
}

/* ---- Two kinds of tables --------------------------------------------------------------------- */

/* Each engine of this build that stores the widths, and each machine. */
static void other_tables(const struct variant *variant)
{
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        for (int on_host = 0; on_host < 2; on_host++) {
            struct table into, from;
            roost_config config;
            table_config(variant, &config);
            config.engine = info.name;
            if (on_host) config.device = "host";
            suite_step("engine %s, device %s", info.name, config.device);
            open_numbers(&into, variant, NULL, 0, KEYS);
            open_numbers(&from, variant, &config, KEYS / 2, KEYS);
            require_call(roost_table_merge, &into, &from, ROOST_MAX);
            require_call(roost_table_intersect, &into, &from, ROOST_MIN);
            require_call(roost_table_intersect, &from, &into, ROOST_ASSIGN);
            table_close(&into);
            table_close(&from);
        }
}

static bool has_numbers(const struct test_shape *shape) { return shape_has_values(shape) && shape_has_arithmetic(shape); }

/* Tables that are alike, and one that then draws another seed for keys of one home. */
static void tables_alike(const struct variant *variant)
{
    enum { MANY = 200000, CHOSEN = 2000 };
    struct table into, from;
    roost_config config;
    table_config(variant, &config);
    open_numbers(&into, variant, NULL, 0, KEYS);
    config.seed = 0;
    config.seed_given = 0;
    config.like = into.handle;
    open_numbers(&from, variant, &config, KEYS / 2, KEYS);
    require_call(roost_table_merge, &into, &from, ROOST_ASSIGN);
    uint64_t *keys = numbered_keys(variant->shape, 0, MANY), *ranks = make_patterns(MANY);
    void *packed = malloc(MANY * sizeof *keys);
    if (!packed) abort();
    pack(keys, MANY, variant->shape->key_bytes, packed);
    require_status(ROOST_OK, roost_table_clear(from.handle), from.handle);
    if (roost_hash_order(from.handle, packed, MANY, ranks, NULL) == ROOST_OK) {
        const uint64_t most = width_mask(variant->shape->key_bytes) / (MANY / CHOSEN);
        size_t n = 0;
        for (size_t i = 0; i < MANY; i++)
            if (ranks[i] < most) keys[n++] = keys[i];
        require_status(ROOST_OK, table_insert(&from, ROOST_KEEP, keys, keys, n, NULL), from.handle);
        require(table_stats(&from).reseeds > 0, "%zu keys of one home drew no other seed", n);
        require_call(roost_table_merge, &into, &from, ROOST_ASSIGN);
        require_call(roost_table_intersect, &into, &from, ROOST_KEEP);
    }
    free(keys), free(ranks), free(packed);
    table_close(&into);
    table_close(&from);
}

static void multimaps(const struct variant *variant)
{
    struct table into, from, usual;
    roost_config config;
    table_config(variant, &config);
    config.flags = ROOST_MULTI;
    roost_engine_info info;
    bool multi = false;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (!strcmp(info.name, config.engine)) multi = info.multi;
    if (!multi) return; /* test_multi.c: other engines refuse to make them */
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS);
    table_open(&into, variant, &config);
    table_open(&from, variant, &config);
    open_numbers(&usual, variant, NULL, 0, KEYS);
    require_status(ROOST_OK, table_insert(&into, ROOST_APPEND, keys, keys, KEYS, NULL), into.handle);
    require_status(ROOST_OK, table_insert(&from, ROOST_APPEND, keys, keys, KEYS, NULL), from.handle);
    require_answer(UNSUPPORTED, roost_table_merge(into.handle, from.handle, ROOST_ASSIGN, NULL), into.handle, "a mode");
    require_answer(UNSUPPORTED, roost_table_intersect(into.handle, usual.handle, ROOST_APPEND, NULL), into.handle, "a multimap");
    require_answer(UNSUPPORTED, roost_table_intersect(usual.handle, from.handle, ROOST_KEEP, NULL), usual.handle, "a multimap");
    require_status(ROOST_OK, roost_table_merge(into.handle, from.handle, ROOST_APPEND, NULL), into.handle);
    table_check(&into);
    require(table_stats(&into).count == 2 * KEYS, "%llu pairs", (unsigned long long)table_stats(&into).count);
    require_status(ROOST_OK, roost_table_merge(usual.handle, from.handle, ROOST_ADD, NULL), usual.handle);
    require(table_stats(&usual).count == KEYS, "%llu pairs", (unsigned long long)table_stats(&usual).count);
    free(keys);
    table_close(&into);
    table_close(&from);
    table_close(&usual);
}

/* The ranks of two tables that are alike let anyone merge their exports. */
static void exports_merged_outside(const struct variant *variant)
{
    struct table into, from;
    roost_config config;
    table_config(variant, &config);
    open_numbers(&into, variant, NULL, 0, KEYS);
    if (roost_hash_order(into.handle, NULL, 0, NULL, NULL) != ROOST_OK) {
        table_close(&into);
        return; /* test_hash_order.c: engines without an order */
    }
    config.seed = 0;
    config.seed_given = 0;
    config.like = into.handle;
    config.capacity = 3 * KEYS;
    open_numbers(&from, variant, &config, KEYS / 2, KEYS);
    struct pairs a = table_export_flagged(&into, 500, ROOST_HASH_ORDER), b = table_export_flagged(&from, 700, ROOST_HASH_ORDER);
    require_status(ROOST_OK, roost_table_merge(into.handle, from.handle, ROOST_KEEP, NULL), into.handle);
    struct pairs all = table_export_flagged(&into, 900, ROOST_HASH_ORDER);
    size_t i = 0, j = 0;
    for (size_t k = 0; k < all.n; k++) {
        const bool in_a = i < a.n && a.keys[i] == all.keys[k], in_b = j < b.n && b.keys[j] == all.keys[k];
        require(in_a || in_b, "key %#llx comes too early", (unsigned long long)all.keys[k]);
        require(all.values[k] == (in_a ? a.values[i] : b.values[j]), "another value");
        i += in_a;
        j += in_b;
    }
    require(i == a.n && j == b.n, "the exports do not end with the merged one");
    pairs_free(&a), pairs_free(&b), pairs_free(&all);
    table_close(&into);
    table_close(&from);
}

/* ---- What finds no room ---------------------------------------------------------------------- */

/* `is` has the keys of `into`, and others of `from`. */
static void require_between(const struct list *is, const struct list *into, const struct list *all)
{
    size_t i = 0, a = 0;
    for (size_t k = 0; k < is->n; k++) {
        while (a < all->n && all->pair[a].key < is->pair[k].key) a++;
        require(a < all->n && all->pair[a].key == is->pair[k].key, "key %#llx is new", (unsigned long long)is->pair[k].key);
        i += i < into->n && into->pair[i].key == is->pair[k].key;
    }
    require(i == into->n, "keys were lost");
}

static void full_tables(const struct variant *variant)
{
    struct table into, from;
    roost_config config;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = KEYS;
    open_numbers(&into, variant, &config, 0, KEYS / 2);
    open_numbers(&from, variant, NULL, KEYS / 4, 4 * KEYS);
    const struct list before = contents(&into), other = contents(&from);
    const struct list all = expected(&into, &before, &other, ROOST_ASSIGN, true);
    require_status(ROOST_ERR_FULL, roost_table_merge(into.handle, from.handle, ROOST_ASSIGN, NULL), into.handle);
    table_check(&into);
    const struct list is = contents(&into);
    require(is.n >= KEYS, "a table for %d keys took %zu", KEYS, is.n);
    require_between(&is, &before, &all);
    require_call(roost_table_intersect, &into, &from, ROOST_ASSIGN);
    free(before.pair), free(other.pair), free(all.pair), free(is.pair);
    table_close(&into);
    table_close(&from);
}

/* One call whose request number `at` for memory is refused.  False: it made fewer. */
static bool refuse_at(const struct variant *variant, two_tables *call, uint64_t at)
{
    struct table into, from;
    struct allocator allocator = {0};
    roost_config config;
    table_config(variant, &config);
    config.allocator = allocator_hooks(&allocator);
    config.device_allocator = allocator_device_hooks(&allocator);
    open_numbers(&into, variant, &config, 0, 500);
    open_numbers(&from, variant, &config, 250, 2000);
    const struct list before = contents(&into), other = contents(&from);
    const bool merges = call == roost_table_merge;
    const struct list all = expected(&into, &before, &other, ROOST_ASSIGN, merges);
    allocator.requests = 0;
    allocator.refuse_at = at;
    const roost_status status = call(into.handle, from.handle, ROOST_ASSIGN, NULL);
    const bool enough = allocator.requests < at;
    allocator.refuse_at = 0;
    require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
    table_check(&into);
    table_check(&from);
    const struct list is = contents(&into), still = contents(&from);
    require_equal(&still, &other);
    if (status == ROOST_OK) require_equal(&is, &all);
    if (merges) require_between(&is, &before, &all);
    require_call(call, &into, &from, ROOST_ASSIGN);
    free(before.pair), free(other.pair), free(all.pair), free(is.pair), free(still.pair);
    table_close(&into);
    table_close(&from);
    require(allocator.bytes == 0, "%llu bytes were not given back", (unsigned long long)allocator.bytes);
    return !enough;
}

static void refused_memory(const struct variant *variant)
{
    for (uint64_t at = 1; refuse_at(variant, roost_table_merge, at); at++) suite_step("merge, request %d", (int)at);
    for (uint64_t at = 1; refuse_at(variant, roost_table_intersect, at); at++) suite_step("intersection, request %d", (int)at);
}

/* ---- Wrong calls ----------------------------------------------------------------------------- */

static void wrong_calls_of(two_tables *call, const struct variant *variant)
{
    struct table t, wide;
    struct variant other = *variant;
    roost_call options = ROOST_CALL_INIT;
    uint8_t status;
    other.shape = shape_named("8+8");
    table_open(&t, variant, NULL);
    table_open(&wide, &other, NULL);
    require_answer(ARGUMENT, call(NULL, t.handle, ROOST_KEEP, NULL), NULL, "no table to write");
    require_answer(ARGUMENT, call(t.handle, NULL, ROOST_KEEP, NULL), t.handle, "no table to read");
    require_answer(ARGUMENT, call(t.handle, t.handle, ROOST_KEEP, NULL), t.handle, "one table");
    require_answer(ARGUMENT, call(t.handle, wide.handle, ROOST_KEEP, NULL), t.handle, "other widths");
    require_answer(ARGUMENT, call(t.handle, wide.handle, (roost_mode)17, NULL), t.handle, "no mode");
    options.statuses = &status;
    require_answer(ARGUMENT, call(t.handle, wide.handle, ROOST_KEEP, &options), t.handle, "statuses");
    options.statuses = NULL;
    options.flags = ROOST_ORDERED;
    require_answer(ARGUMENT, call(t.handle, wide.handle, ROOST_KEEP, &options), t.handle, "flags");
    table_close(&t);
    table_close(&wide);
}

static void wrong_calls(const struct variant *variant)
{
    wrong_calls_of(roost_table_merge, variant);
    wrong_calls_of(roost_table_intersect, variant);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("merges in all modes", merges_in_all_modes);
    suite_add_widths("intersects in all modes", intersects_in_all_modes);
    suite_add_widths("merges of all sizes", merges_of_all_sizes);
    suite_add_widths("intersects of all sizes", intersects_of_all_sizes);
    suite_add_once("large tables", large_tables);
    suite_add_once("no reservation stays", no_reservation_stays);
    suite_add_some("other tables", other_tables, has_numbers);
    suite_add_widths("tables alike", tables_alike);
    suite_add_once("multimaps", multimaps);
    suite_add_widths("exports merged outside", exports_merged_outside);
    suite_add_widths("full tables", full_tables);
    suite_add_once("refused memory", refused_memory);
    suite_add_once("wrong calls", wrong_calls);
    return suite_run("merge");
}
