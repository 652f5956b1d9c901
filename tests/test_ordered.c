/* Batches in order: operations on one key take effect in the order of the array, with every
 * engine, so exactly one answer is right. */
#include "batches/batches_range_items.h"
#include "support/allocators.h"
#include "support/mixes.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "roost/mixed.h"

#include <stdlib.h>
#include <string.h>

/* Sizes of whole runs and of short ones.  In dycuckoo and gph a key without room is the end of a
 * long search, so their short runs have smaller sizes; the other engines have room for these. */
static size_t size_of(size_t full, size_t least)
{
    return settings_size(full, settings_on_dycuckoo() || settings_on_gph() ? least : full);
}

/* ---- Against the reference, one item after the other ---------------------------------------- */

/* From one key for all items to many keys; small batches and large ones. */
static void heavy_duplicates(const struct variant *variant)
{
    const size_t most = settings_size(20000, 3000);
    static const uint64_t among[] = {1, 2, 7, 100, 3000, 100000};
    struct mixed mixed = mixed_make(most);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    for (int round = 0; round < 24; round++) {
        const uint64_t keys = among[round % 6];
        const size_t n = round % 4 ? 1 + draw_below(&dice, most) : 1 + draw_below(&dice, 40);
        suite_step("round %d, %zu items of %llu keys", round, n, (unsigned long long)keys);
        mixed_draw(&mixed, &dice, variant->shape, n, keys, false);
        model_apply(&model, &mixed, ROOST_ORDERED);
    }
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

static const roost_type value_types[] = {ROOST_TYPE_U32, ROOST_TYPE_I32, ROOST_TYPE_F32,
                                         ROOST_TYPE_U64, ROOST_TYPE_I64, ROOST_TYPE_F64};

/* Values near both ends of their type, whose sums wrap or saturate. */
static void extreme_values(struct mixed *mixed, struct dice *dice, roost_type type)
{
    const uint64_t mask = width_mask(type_bytes(type));
    for (size_t i = 0; i < mixed->n && !type_is_float(type); i++) {
        const uint64_t small = draw_below(dice, 4), sign = (mask >> 1) + draw_below(dice, 2);
        mixed->values_in[i] = (draw_below(dice, 3) == 0 ? small : draw_below(dice, 2) ? mask - small : sign) & mask;
    }
}

static void types_and_saturation(const struct variant *variant)
{
    struct mixed mixed = mixed_make(4000);
    struct dice dice = {suite_seed()};
    for (size_t i = 0; i < 2 * sizeof value_types / sizeof *value_types; i++) {
        const roost_type type = value_types[i / 2];
        const bool saturate = i % 2;
        if (saturate && type != ROOST_TYPE_U32 && type != ROOST_TYPE_U64) continue;
        const struct test_shape shape = shape_of_value(variant->shape, type);
        const struct variant typed = {&shape, variant->options, variant->threads, variant->placement, variant->number};
        roost_config config;
        struct model model;
        table_config(&typed, &config);
        config.saturate = saturate;
        model_open(&model, &typed, &config);
        for (int round = 0; round < 6; round++) {
            suite_step("values of %s%s, round %d", type_name(type), saturate ? ", saturating" : "", round);
            mixed_draw(&mixed, &dice, &shape, 4000, round % 2 ? 2000 : 150, false);
            if (round % 3) extreme_values(&mixed, &dice, type);
            model_apply(&model, &mixed, ROOST_ORDERED);
        }
        model_compare(&model);
        model_close(&model);
    }
    mixed_free(&mixed);
}

/* An insert with the flag ROOST_ORDERED is an ordered batch of one operation. */
static void inserts_in_order(const struct variant *variant)
{
    enum { N = 5000, KEYS = 700 };
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    for (unsigned round = 0; round < 3 * mode_count(variant->shape); round++) {
        const roost_mode mode = (roost_mode)(round % mode_count(variant->shape));
        suite_step("%s, round %u", mode_name(mode), round);
        mixed_draw(&mixed, &dice, variant->shape, N, KEYS, false);
        memset(mixed.operations, (int)(ROOST_OP_INSERT + mode), N);
        require_status(ROOST_OK,
                       table_insert_flagged(&model.table, mode, mixed.keys, mixed.values_in, N, mixed.statuses, ROOST_ORDERED),
                       model.table.handle);
        mixed_check(&model, &mixed);
        table_check(&model.table);
        if (round % 2) model_erase(&model, mixed.keys, N / 4);
    }
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

/* Pieces that a memory limit makes small take effect in the order of the array. */
static void pieces_in_order(const struct variant *variant)
{
    enum { N = 9000, KEYS = 1000 };
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    roost_config config;
    struct model model;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 3 * KEYS;
    uint64_t launches = 0, limit = 0;
    for (int tight = 0; tight < 2; tight++) {
        config.memory_limit = limit;
        model_open(&model, variant, &config);
        for (int round = 0; round < 4; round++) {
            mixed_draw(&mixed, &dice, variant->shape, N, KEYS, false);
            model_apply(&model, &mixed, ROOST_ORDERED);
        }
        const struct table_numbers stats = table_stats(&model.table);
        require(!tight || stats.launches > 3 * launches, "%llu launches in small pieces, %llu else",
                (unsigned long long)stats.launches, (unsigned long long)launches);
        launches = stats.launches;
        limit = stats.bytes_now + (stats.bytes_peak - stats.bytes_now) / 8;
        model_compare(&model);
        model_close(&model);
    }
    mixed_free(&mixed);
}

/* ---- Keys that cannot be stored ------------------------------------------------------------- */

/* A table that may not grow gets more keys than it has room for.  The items of a key that found
 * no room have no effect, all other items are right, and no stored key is lost. */
static void keys_without_room(const struct variant *variant)
{
    enum { N = 12000, KEYS = 12000 };
    struct mixed mixed = mixed_make(N);
    struct dice dice = {suite_seed()};
    roost_config config;
    struct model model;
    size_t full = 0;
    table_config(variant, &config);
    config.growth = 0;
    config.capacity = 1000;
    model_open(&model, variant, &config);
    for (size_t round = 0; round < settings_size(5, 2); round++) {
        suite_step("round %zu", round);
        mixed_draw(&mixed, &dice, variant->shape, N, KEYS, false);
        full += model_apply_refused(&model, &mixed, ROOST_ORDERED);
    }
    require(full > 1000, "%zu items ended FULL", full);
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

/* ---- Memory that is refused ------------------------------------------------------------------ */

/* Keys first .. first + n - 1 with one operation, from item `at` on. */
static void fill_items(struct mixed *mixed, const struct test_shape *shape, size_t at, roost_operation operation, uint64_t first,
                       size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mixed->operations[at + i] = (uint8_t)operation;
        mixed->keys[at + i] = distinct_key(shape, first + i);
    }
}

/* Inserts keys without order until memory is refused. */
static void fill_up(struct model *model, uint64_t first, size_t n)
{
    uint64_t *keys = numbered_keys(&model->table.shape, first, n);
    (void)model_insert(model, ROOST_KEEP, keys, keys, n);
    free(keys);
}

/* The memory of a table with n keys, at its peak. */
static uint64_t peak_of(const struct variant *variant, size_t n)
{
    struct model model;
    model_open(&model, variant, NULL);
    fill_up(&model, 0, n);
    const uint64_t peak = table_stats(&model.table).bytes_peak;
    model_close(&model);
    return peak;
}

static void open_limited(struct model *model, const struct variant *variant, uint64_t limit)
{
    roost_config config;
    table_config(variant, &config);
    config.memory_limit = limit;
    model_open(model, variant, &config);
}

/* A batch that a limit cuts into many pieces erases stored keys at its begin and inserts them
 * again at its end.  What stands between takes all memory. */
static void stored_keys_are_never_lost(const struct variant *variant)
{
    const size_t stored = 600, n = settings_size(14000, 6000);
    struct mixed mixed = mixed_make(n);
    struct dice dice = {suite_seed()};
    struct model model;
    open_limited(&model, variant, peak_of(variant, stored));
    fill_up(&model, 0, stored);
    mixed_draw(&mixed, &dice, variant->shape, n, n, false);
    fill_items(&mixed, variant->shape, 0, ROOST_OP_ERASE, 0, stored);
    fill_items(&mixed, variant->shape, stored, ROOST_OP_KEEP, stored, n - 2 * stored);
    fill_items(&mixed, variant->shape, n - stored, ROOST_OP_KEEP, 0, stored);
    const size_t refused = model_apply_refused(&model, &mixed, ROOST_ORDERED);
    require(refused > n / 3, "%zu items were refused", refused);
    for (size_t i = 0; i < stored; i++)
        require(mixed.statuses[i] == ROOST_ITEM_ERASED && mixed.statuses[n - stored + i] == ROOST_ITEM_INSERTED,
                "stored key %zu: its items ended %u and %u", i, mixed.statuses[i], mixed.statuses[n - stored + i]);
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

/* A batch of stored and new keys in which a few keys have a third of all items. */
static void draw_hot(struct mixed *mixed, struct dice *dice, const struct test_shape *shape, size_t n, uint64_t among)
{
    const uint64_t hot = draw_below(dice, among);
    mixed_draw(mixed, dice, shape, n, among, false);
    for (size_t i = 0; i < n; i++)
        if (draw_below(dice, 3) == 0) mixed->keys[i] = distinct_key(shape, (hot + draw_below(dice, 2)) % among);
}

/* A table without any memory left carries out every item that needs none. */
static void batches_under_a_limit(const struct variant *variant)
{
    const size_t most = size_of(6000, 1500), keys = size_of(4000, 1000);
    struct mixed mixed = mixed_make(most);
    struct dice dice = {suite_seed()};
    struct model model;
    size_t refused = 0;
    open_limited(&model, variant, peak_of(variant, keys / 4));
    for (size_t round = 0; round < settings_size(8, 4); round++) {
        suite_step("round %zu", round);
        fill_up(&model, keys + most * round, most);
        draw_hot(&mixed, &dice, variant->shape, 1 + draw_below(&dice, most), keys);
        refused += model_apply_refused(&model, &mixed, ROOST_ORDERED);
    }
    require(refused > 0, "the limit refused nothing");
    model_compare(&model);
    model_close(&model);
    mixed_free(&mixed);
}

/* The keys that a limited table takes, batch by batch. */
static uint64_t keys_taken(const struct variant *variant, uint64_t limit, uint32_t flags)
{
    enum { BATCHES = 4 };
    const size_t n = size_of(5000, 1200);
    struct model model;
    uint8_t *statuses = make_bytes(n);
    open_limited(&model, variant, limit);
    for (size_t i = 0; i < BATCHES; i++) {
        uint64_t *keys = numbered_keys(variant->shape, i * n, n);
        (void)table_insert_flagged(&model.table, ROOST_KEEP, keys, keys, n, statuses, flags);
        free(keys);
    }
    const uint64_t count = table_stats(&model.table).count;
    require_status(ROOST_OK, roost_table_clear(model.table.handle), model.table.handle);
    model_close(&model);
    free(statuses);
    return count;
}

/* The work space of a batch leaves the table's growth most of what the limit does. */
static void work_space_leaves_room(const struct variant *variant)
{
    const uint64_t limit = 3 * peak_of(variant, size_of(3000, 700)) / 2;
    const uint64_t plain = keys_taken(variant, limit, 0), ordered = keys_taken(variant, limit, ROOST_ORDERED);
    require(ordered >= plain / 2, "%llu keys were stored in order, and %llu without", (unsigned long long)ordered,
            (unsigned long long)plain);
}

/* Opens a table and fills it.  The allocator then refuses its k-th request, and one of `step` after
 * that. */
static void open_refusing(struct model *model, const struct variant *variant, struct allocator *allocator, size_t keys, uint64_t k,
                          uint64_t step)
{
    roost_config config;
    table_config(variant, &config);
    config.allocator = allocator_hooks(allocator);
    suite_step("refusing request %llu and one of %llu after it", (unsigned long long)k, (unsigned long long)step);
    model_open(model, variant, &config);
    model->looking = &allocator->paused;
    fill_up(model, 0, keys);
    allocator->refuse_on = true;
    allocator->step = step;
    allocator->refuse_at = allocator->requests + k;
}

/* Every request of a batch is refused from the k-th on, or some are.  In the latter case the batch
 * goes on in other memory, which may hold all of it. */
static void any_request_may_be_refused(const struct variant *variant)
{
    const size_t n = size_of(6000, 1500), keys = 3 * n / 2;
    struct mixed mixed = mixed_make(n);
    struct dice dice = {suite_seed()};
    size_t refused = 0;
    static const uint64_t steps[] = {1, 2, 3, 8};
    for (uint64_t i = 0; i < 4 * settings_size(12, 4); i++) {
        const uint64_t k = 1 + i / 4, step = steps[i % 4];
        struct allocator allocator = {0};
        struct model model;
        open_refusing(&model, variant, &allocator, keys / 30, k, step);
        draw_hot(&mixed, &dice, variant->shape, n, keys);
        refused += model_apply_refused(&model, &mixed, ROOST_ORDERED);
        allocator.refuse_at = 0;
        model_compare(&model);
        model_close(&model);
        require(allocator.bytes == 0 && allocator.wrong == 0, "%llu bytes leaked", (unsigned long long)allocator.bytes);
    }
    require(refused > 0, "no item was refused");
    mixed_free(&mixed);
}

/* A batch replaces nine of ten stored keys.  Whatever is refused meanwhile, the new keys find the
 * room of the erased ones: the table must not shrink first.  Buckets of fks that get more keys than
 * before are built in memory of their own. */
static void erased_keys_make_room(const struct variant *variant)
{
    enum { KEYS = 4000, GONE = 3600 };
    struct mixed mixed = mixed_make(2 * GONE);
    struct dice dice = {suite_seed()};
    for (uint64_t k = 1; k <= 6; k++) {
        struct allocator allocator = {0};
        struct model model;
        open_refusing(&model, variant, &allocator, KEYS, k, 1);
        mixed_draw(&mixed, &dice, variant->shape, 2 * GONE, KEYS, false);
        fill_items(&mixed, variant->shape, 0, ROOST_OP_ERASE, 0, GONE);
        fill_items(&mixed, variant->shape, GONE, ROOST_OP_KEEP, KEYS, GONE);
        const size_t refused = model_apply_refused(&model, &mixed, ROOST_ORDERED);
        require(refused < (settings_on_fks() ? GONE / 2 : GONE / 100), "%zu items were refused", refused);
        model_close(&model);
    }
    mixed_free(&mixed);
}

/* ---- Work ----------------------------------------------------------------------------------- */

/* The launches of a batch in small pieces, whose keys have these spreads. */
static uint64_t launches_of(const struct variant *variant, struct mixed *mixed, const uint64_t *spreads, size_t n)
{
    struct dice dice = {suite_seed()};
    struct model model;
    mixed_draw(mixed, &dice, variant->shape, n, n, false);
    for (size_t i = 0; i < n; i++) mixed->keys[i] = key_gather((int)variant->shape->key_bytes, spreads[i]);
    open_limited(&model, variant, peak_of(variant, size_of(600, 200)));
    fill_up(&model, 1 << 20, size_of(5000, 1000));
    const uint64_t before = table_stats(&model.table).launches;
    (void)model_apply_refused(&model, mixed, ROOST_ORDERED);
    const uint64_t launches = table_stats(&model.table).launches - before;
    model_close(&model);
    return launches;
}

/* The sweeps of a batch depend on the number of its items.  Keys that are next to one another by
 * their spreads, or one key for all items, make it a few times as many at most. */
static void no_keys_make_it_slow(const struct variant *variant)
{
    static uint64_t spreads[8000];
    const size_t n = size_of(8000, 2000);
    struct mixed mixed = mixed_make(n);
    for (size_t i = 0; i < n; i++) spreads[i] = mix64(i);
    const uint64_t usual = launches_of(variant, &mixed, spreads, n);
    for (size_t i = 0; i < n; i++) spreads[i] = i;
    const uint64_t adjacent = launches_of(variant, &mixed, spreads, n);
    for (size_t i = 0; i < n; i++) spreads[i] = i % 7 << 5;
    const uint64_t hot = launches_of(variant, &mixed, spreads, n);
    require(usual > 50 && adjacent < 4 * usual && hot < 4 * usual, "%llu launches, %llu of adjacent keys, %llu of hot ones",
            (unsigned long long)usual, (unsigned long long)adjacent, (unsigned long long)hot);
    mixed_free(&mixed);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("heavy duplicates", heavy_duplicates);
    for (size_t i = 0; i < 2; i++) suite_add("types and saturation", types_and_saturation, (struct variant){.shape = &shapes[i]});
    suite_add_widths("inserts in order", inserts_in_order);
    suite_add_widths("pieces in order", pieces_in_order);
    suite_add_widths("keys without room", keys_without_room);
    suite_add_widths("stored keys are never lost", stored_keys_are_never_lost);
    suite_add_widths("batches under a limit", batches_under_a_limit);
    suite_add_widths("work space leaves room", work_space_leaves_room);
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i++)
        suite_add("erased keys make room", erased_keys_make_room, (struct variant){.shape = &shapes[i]});
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i++)
        suite_add("any request may be refused", any_request_may_be_refused, (struct variant){.shape = &shapes[i]});
    for (size_t i = 0; i < 2; i++) suite_add("no keys make it slow", no_keys_make_it_slow, (struct variant){.shape = &shapes[i]});
    return suite_run("ordered");
}
