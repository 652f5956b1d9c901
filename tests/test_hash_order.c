/* The order of hashes: ranks of keys, the same in tables that are alike, and exports in their
 * order. */
#include "support/answers.h"
#include "support/draw.h"
#include "support/model.h"
#include "support/settings.h"
#include "roost/merge.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 20000 };

static bool has_order(const roost_table *t) { return roost_hash_order(t, NULL, 0, NULL, NULL) != ROOST_ERR_UNSUPPORTED; }

/* ---- Ranks ----------------------------------------------------------------------------------- */

static void ranks_of(const struct table *t, const uint64_t *keys, size_t n, uint64_t *ranks)
{
    struct array of_keys = array_make(n * t->shape.key_bytes), of_ranks = array_make(n * sizeof *ranks);
    pack(keys, n, t->shape.key_bytes, of_keys.host);
    memset(of_ranks.host, UNTOUCHED_BYTE, n * sizeof *ranks);
    array_send(&of_keys, t->placement != PLACE_HOST);
    array_send(&of_ranks, t->placement == PLACE_DEVICE);
    require_status(ROOST_OK, roost_hash_order(t->handle, of_keys.given, n, of_ranks.given, NULL), t->handle);
    require_status(ROOST_OK, roost_table_sync(t->handle, NULL), t->handle);
    array_fetch(&of_ranks);
    memcpy(ranks, of_ranks.host, n * sizeof *ranks);
    array_free(&of_keys);
    array_free(&of_ranks);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* False if the engine has no order. */
static bool open_ordering(struct table *t, const struct variant *variant, const roost_config *config)
{
    table_open(t, variant, config);
    if (has_order(t->handle)) return true;
    table_close(t);
    return false;
}

static void ranks_differ(const struct variant *variant)
{
    struct table t;
    if (!open_ordering(&t, variant, NULL)) return;
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS), *ranks = make_patterns(KEYS), *again = make_patterns(KEYS);
    ranks_of(&t, keys, KEYS, ranks);
    require_status(ROOST_OK, table_insert(&t, ROOST_ASSIGN, keys, keys, KEYS, NULL), t.handle);
    ranks_of(&t, keys, KEYS, again);
    require(!memcmp(ranks, again, KEYS * sizeof *ranks), "inserts have changed ranks");
    qsort(ranks, KEYS, sizeof *ranks, compare_numbers);
    for (size_t i = 1; i < KEYS; i++) require(ranks[i] != ranks[i - 1], "two keys have rank %#llx", (unsigned long long)ranks[i]);
    require(ranks[KEYS - 1] <= width_mask(variant->shape->key_bytes), "rank %#llx", (unsigned long long)ranks[KEYS - 1]);
    free(keys), free(ranks), free(again);
    table_close(&t);
}

static void tables_alike_agree_with(const struct variant *variant, const char *options)
{
    struct table first, alike, other;
    roost_config config;
    table_config(variant, &config);
    config.options = options;
    config.seed = 0;
    config.seed_given = 0;
    table_open(&first, variant, &config);
    table_open(&other, variant, &config);
    config.options = NULL;
    config.like = first.handle;
    table_open(&alike, variant, &config);
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS), *ranks[3];
    for (int i = 0; i < 3; i++) ranks[i] = make_patterns(KEYS);
    ranks_of(&first, keys, KEYS, ranks[0]);
    ranks_of(&alike, keys, KEYS, ranks[1]);
    ranks_of(&other, keys, KEYS, ranks[2]);
    require(!memcmp(ranks[0], ranks[1], KEYS * sizeof *keys), "tables that are alike give other ranks");
    require(memcmp(ranks[0], ranks[2], KEYS * sizeof *keys) != 0, "another seed gives the same ranks");
    for (int i = 0; i < 3; i++) free(ranks[i]);
    free(keys);
    table_close(&first);
    table_close(&alike);
    table_close(&other);
}

static void tables_alike_agree(const struct variant *variant)
{
    struct table t;
    if (!open_ordering(&t, variant, NULL)) return;
    table_close(&t);
    tables_alike_agree_with(variant, NULL);
    tables_alike_agree_with(variant, "hash=mix");
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* The pairs are the reference's, in the order of their ranks. */
static void require_in_order(const struct model *model, const struct pairs *pairs)
{
    uint64_t *ranks = make_patterns(pairs->n);
    if (pairs->n) ranks_of(&model->table, pairs->keys, pairs->n, ranks);
    require(pairs->n == reference_count(model->reference), "%zu pairs were exported, not %llu", pairs->n,
            (unsigned long long)reference_count(model->reference));
    for (size_t i = 0; i < pairs->n; i++) {
        uint64_t value = 0;
        require(!i || ranks[i - 1] < ranks[i], "pair %zu has rank %#llx, after %#llx", i, (unsigned long long)ranks[i],
                (unsigned long long)ranks[i - 1]);
        require(reference_get(model->reference, pairs->keys[i], &value) && value == pairs->values[i], "key %#llx has value %#llx",
                (unsigned long long)pairs->keys[i], (unsigned long long)pairs->values[i]);
    }
    free(ranks);
}

static void require_export(const struct model *model, size_t room)
{
    struct pairs pairs = table_export_flagged(&model->table, room, ROOST_HASH_ORDER);
    suite_step("%zu pairs in order, room for %zu", pairs.n, room);
    require_in_order(model, &pairs);
    pairs_free(&pairs);
}

static bool model_open_ordering(struct model *model, const struct variant *variant, const roost_config *config)
{
    model_open(model, variant, config);
    if (has_order(model->table.handle)) return true;
    model_close(model);
    return false;
}

static void model_fill(struct model *model, size_t first, size_t n)
{
    const struct test_shape *shape = &model->table.shape;
    struct dice dice = {suite_seed() + first};
    uint64_t *keys = numbered_keys(shape, first, n), *values = make_patterns(n);
    for (size_t i = 0; i < n; i++) values[i] = draw_value(&dice, shape->value_type);
    require_status(ROOST_OK, model_insert(model, ROOST_ASSIGN, keys, values, n), model->table.handle);
    free(keys), free(values);
}

/* From empty to full, and after the table has been turned over. */
static void exports_in_order(const struct variant *variant)
{
    static const size_t rooms[] = {ROOST_EXPORT_MIN, 1000, 3 * KEYS};
    struct model model;
    roost_config config;
    table_config(variant, &config);
    config.max_fill = 0.94;
    if (!model_open_ordering(&model, variant, &config)) return;
    require_export(&model, 64);
    for (size_t done = 0; done < KEYS; done = done * 5 + 1) {
        model_fill(&model, done, done * 4 + 1 < KEYS - done ? done * 4 + 1 : KEYS - done);
        for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) require_export(&model, rooms[i]);
    }
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS / 2);
    model_erase(&model, keys, KEYS / 2);
    require_export(&model, 3 * KEYS);
    model_fill(&model, KEYS, KEYS / 2);
    require_export(&model, 777);
    free(keys);
    model_close(&model);
}

/* Of many keys those with the least ranks have one home in a small table. */
static void keys_of_one_home(const struct variant *variant)
{
    enum { MANY = 200000, CHOSEN = 90 };
    struct model model;
    if (!model_open_ordering(&model, variant, NULL)) return;
    uint64_t *keys = numbered_keys(variant->shape, 0, MANY), *ranks = make_patterns(MANY), *sorted = make_patterns(MANY);
    ranks_of(&model.table, keys, MANY, ranks);
    memcpy(sorted, ranks, MANY * sizeof *ranks);
    qsort(sorted, MANY, sizeof *sorted, compare_numbers);
    for (size_t i = 0, n = 0; i < MANY; i++) {
        if (ranks[i] > sorted[CHOSEN - 1]) continue;
        (void)model_insert(&model, ROOST_KEEP, &keys[i], &keys[n], 1);
        n++;
    }
    require_export(&model, ROOST_EXPORT_MIN);
    require_export(&model, 1000);
    free(keys), free(ranks), free(sorted);
    model_close(&model);
}

/* Two exports in order, one without order and finds take turns. */
static void exports_side_by_side(const struct variant *variant)
{
    static const uint32_t flags[] = {ROOST_HASH_ORDER, ROOST_HASH_ORDER, 0};
    struct model model;
    if (!model_open_ordering(&model, variant, NULL)) return;
    model_fill(&model, 0, KEYS);
    roost_cursor cursors[3] = {{0}, {0}, {0}};
    struct pairs pairs[3] = {{0}, {0}, {0}};
    while (!cursors[0].end || !cursors[1].end || !cursors[2].end)
        for (size_t i = 0; i < 3; i++) {
            if (cursors[i].end) continue;
            require_status(ROOST_OK, table_export_some_flagged(&model.table, &cursors[i], 100 + 900 * i, &pairs[i], flags[i]),
                           model.table.handle);
            model_find(&model, pairs[i].keys, pairs[i].n < 10 ? pairs[i].n : 10);
        }
    require_in_order(&model, &pairs[0]);
    require_in_order(&model, &pairs[1]);
    require(pairs[2].n == pairs[0].n, "%zu pairs without order", pairs[2].n);
    for (size_t i = 0; i < 3; i++) pairs_free(&pairs[i]);
    model_close(&model);
}

static bool has_equal_widths(const struct test_shape *shape) { return shape->key_bytes == shape->value_bytes; }

/* An export's work space is a tenth of the table at most, and freed by the next call that
 * writes. */
static void work_space(const struct variant *variant)
{
    enum { MANY = 120000, ROOM = 5000 };
    struct model model;
    struct pairs pairs = {0};
    roost_cursor cursor = {0};
    roost_config config;
    table_config(variant, &config);
    config.threads = 1;
    if (!model_open_ordering(&model, variant, &config)) return;
    for (size_t i = 0; i < 8; i++) model_fill(&model, i * (MANY / 8), MANY / 8);
    require_status(ROOST_OK, roost_table_sync(model.table.handle, NULL), model.table.handle);
    const struct table_numbers before = table_stats(&model.table);
    require_status(ROOST_OK, table_export_some_flagged(&model.table, &cursor, ROOM, &pairs, ROOST_HASH_ORDER), NULL);
    const uint64_t kept = table_stats(&model.table).bytes_now - before.bytes_now;
    require(kept <= before.table_bytes / 20 + (1 << 16), "%llu bytes are kept for an export from %llu", (unsigned long long)kept,
            (unsigned long long)before.table_bytes);
    require_status(ROOST_OK, roost_table_sync(model.table.handle, NULL), model.table.handle);
    require(table_stats(&model.table).bytes_now == before.bytes_now, "a write leaves the memory of an export");
    require_export(&model, MANY / 10);
    pairs_free(&pairs);
    model_close(&model);
}

static void wrong_calls(const struct variant *variant)
{
    const uint32_t key = 1;
    uint64_t rank = 0;
    uint8_t status;
    struct table t;
    roost_call call = ROOST_CALL_INIT;
    table_open(&t, variant, NULL);
    const bool orders = has_order(t.handle);
    require_answer(ARGUMENT, roost_hash_order(NULL, &key, 1, &rank, NULL), NULL, "ranks without a table");
    if (!orders) require_answer(UNSUPPORTED, roost_hash_order(t.handle, &key, 1, &rank, NULL), t.handle, "ranks");
    uint64_t keys[64];
    roost_cursor cursor = {0, 0};
    size_t n;
    call.flags = ROOST_HASH_ORDER;
    const roost_status exported = roost_export(t.handle, &cursor, keys, NULL, 64, &n, &call);
    require(exported == (orders ? ROOST_OK : ROOST_ERR_UNSUPPORTED), "an export in order: %s", roost_status_name(exported));
    require_answer(ARGUMENT, roost_find(t.handle, &key, 1, NULL, NULL, &call), t.handle, "a find in the order of hashes");
    call.flags = 0;
    if (orders) {
        require_answer(ARGUMENT, roost_hash_order(t.handle, NULL, 1, &rank, NULL), t.handle, "ranks without keys");
        require_answer(ARGUMENT, roost_hash_order(t.handle, &key, 1, NULL, NULL), t.handle, "ranks nowhere");
        call.statuses = &status;
        require_answer(ARGUMENT, roost_hash_order(t.handle, &key, 1, &rank, &call), t.handle, "ranks with statuses");
    }
    table_close(&t);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("ranks differ", ranks_differ);
    suite_add_widths("tables alike agree", tables_alike_agree);
    suite_add_widths("exports in order", exports_in_order);
    suite_add_widths("keys of one home", keys_of_one_home);
    suite_add_widths("exports side by side", exports_side_by_side);
    suite_add_some("work space", work_space, has_equal_widths);
    suite_add_once("wrong calls", wrong_calls);
    return suite_run("hash_order");
}
