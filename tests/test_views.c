/* Views: a user's own kernels find, insert and erase through one, with the same answers as
 * calls.  Their work is counted when the view is released.  Until then calls that write are
 * refused. */
#include "support/answers.h"
#include "support/inside.h"
#include "support/mixes.h"
#include "support/own_kernels.h"
#include "support/settings.h"
#include "roost/mixed.h"
#include "roost/views.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables and kernels --------------------------------------------------------------------- */

static const char *view_engine(void) { return settings_get()->engine ? settings_get()->engine : "slab"; }
static struct own_view view_make(void) { return own_view_make(own_engine_named(view_engine())); }

/* Configures a table of an engine that has views; false: this build or this run has none. */
static bool view_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->engine = view_engine();
    return own_engine_named(view_engine()) != OWN_NONE && engine_is_built(view_engine());
}

static bool is_slab(void) { return !strcmp(view_engine(), "slab"); }

static struct own_view acquire(const struct table *t, uint64_t inserts)
{
    struct own_view view = view_make();
    require_status(ROOST_OK, roost_view_acquire(t->handle, &view, own_view_bytes(&view), inserts, NULL), t->handle);
    return view;
}

static void release(const struct table *t) { require_status(ROOST_OK, roost_view_release(t->handle), t->handle); }

enum { OPERATIONS, KEYS, VALUES_IN, VALUES_OUT, STATUSES, ARRAYS };

static void send_items(struct array *arrays, const struct table *t, const struct mixed *m)
{
    const struct test_shape *s = &t->shape;
    const size_t bytes[ARRAYS] = {1, s->key_bytes, s->value_bytes, s->value_bytes, 1};
    for (int a = 0; a < ARRAYS; a++) arrays[a] = array_make(m->n * bytes[a] + 1);
    memcpy(arrays[OPERATIONS].host, m->operations, m->n);
    pack(m->keys, m->n, s->key_bytes, arrays[KEYS].host);
    if (s->value_bytes) pack(m->values_in, m->n, s->value_bytes, arrays[VALUES_IN].host);
    if (s->value_bytes) pack(m->values_out, m->n, s->value_bytes, arrays[VALUES_OUT].host);
    for (int a = 0; a < ARRAYS; a++) array_send(&arrays[a], settings_on_gpu());
}

/* The user's kernel works on the items. */
static void run_items(const struct table *t, const struct own_view *view, struct mixed *m)
{
    struct array arrays[ARRAYS];
    send_items(arrays, t, m);
    const struct own_work work = {arrays[OPERATIONS].given, arrays[KEYS].given,     arrays[VALUES_IN].given,
                                  arrays[VALUES_OUT].given, arrays[STATUSES].given, m->n};
    const int key_bytes = (int)t->shape.key_bytes, value_bytes = (int)t->shape.value_bytes;
#if ROOST_WITH_CUDA
    const int bad =
        settings_on_gpu() ? own_kernels(view, key_bytes, value_bytes, &work) : own_loops(view, key_bytes, value_bytes, &work);
#else
    const int bad = own_loops(view, key_bytes, value_bytes, &work);
#endif
    require(!bad, "the test's own kernel failed");
    for (int a = VALUES_OUT; a < ARRAYS; a++) array_fetch(&arrays[a]);
    if (value_bytes) unpack(arrays[VALUES_OUT].host, m->n, (unsigned)value_bytes, m->values_out);
    memcpy(m->statuses, arrays[STATUSES].host, m->n);
    for (int a = 0; a < ARRAYS; a++) array_free(&arrays[a]);
}

static size_t count_status(const struct mixed *m, roost_item_status status)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++) n += m->statuses[i] == status;
    return n;
}

/* Items of one operation: keys from `first` on, `among` distinct ones, all with the value 1. */
static struct mixed same_items(const struct test_shape *shape, uint8_t operation, size_t n, uint64_t first, uint64_t among)
{
    struct mixed m = mixed_make(n);
    m.n = n;
    for (size_t i = 0; i < n; i++) {
        m.operations[i] = operation;
        m.keys[i] = distinct_key(shape, first + i % among);
        m.values_in[i] = 1;
        m.values_out[i] = 0;
    }
    return m;
}

/* Runs such items and returns how many ended with this status. */
static size_t run_same(const struct table *t, const struct own_view *view, uint8_t operation, size_t n, uint64_t first,
                       uint64_t among, roost_item_status status)
{
    struct mixed m = same_items(&t->shape, operation, n, first, among);
    run_items(t, view, &m);
    const size_t ended = count_status(&m, status);
    mixed_free(&m);
    return ended;
}

/* ---- Answers -------------------------------------------------------------------------------- */

static void compare_items(struct model *model, const struct mixed *m, const uint64_t *before)
{
    for (size_t i = 0; i < m->n; i++) {
        uint64_t value = before[i];
        const uint8_t status = mixed_step(model, m->operations[i], m->keys[i], m->values_in[i], &value);
        require(m->statuses[i] == status, "item %zu, operation %u: status %u, not %u", i, m->operations[i], m->statuses[i], status);
        require(m->values_out[i] == value || shape_is_set(&model->table.shape), "item %zu: value %#llx, not %#llx", i,
                (unsigned long long)m->values_out[i], (unsigned long long)value);
    }
}

/* Two kernels of the user on one view, and the library's calls in turn. */
static void keys_that_come_once(const struct variant *variant)
{
    const size_t most = settings_size(20000, 3000);
    struct dice dice = {suite_seed()};
    struct model model;
    roost_config config;
    if (!view_config(variant, &config)) return;
    struct mixed m = mixed_make(most);
    uint64_t *before = make_patterns(most);
    model_open(&model, variant, &config);
    for (int round = 0; round < 8; round++) {
        const size_t n = round < 2 ? (size_t)round : 1 + draw_below(&dice, most);
        suite_step("round %d, %zu items", round, n);
        const struct own_view view = acquire(&model.table, 2 * n);
        for (int kernel = 0; kernel < 2; kernel++) {
            mixed_draw(&m, &dice, variant->shape, n, UINT64_C(1) << 15, true);
            memcpy(before, m.values_out, n * sizeof *before);
            run_items(&model.table, &view, &m);
            compare_items(&model, &m, before);
        }
        release(&model.table);
        table_check(&model.table);
        model_compare(&model);
        mixed_draw(&m, &dice, variant->shape, n, UINT64_C(1) << 15, true);
        model_apply(&model, &m, 0);
    }
    model_close(&model);
    mixed_free(&m);
    free(before);
}

/* Of many items with one key, one inserts and one erases it; every one adds its value. */
static void duplicates(const struct variant *variant)
{
    enum { N = 20000, AMONG = 64 };
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    table_open(&table, variant, &config);
    struct own_view view = acquire(&table, AMONG);
    const uint8_t operation = shape_is_set(variant->shape) ? ROOST_OP_KEEP : ROOST_OP_ADD;
    require(run_same(&table, &view, operation, N, 0, AMONG, ROOST_ITEM_INSERTED) == AMONG, "a key was not INSERTED exactly once");
    struct mixed found = same_items(variant->shape, ROOST_OP_FIND, AMONG, 0, AMONG);
    run_items(&table, &view, &found);
    for (size_t i = 0; i < AMONG; i++) {
        const uint64_t sum = N / AMONG + (i < N % AMONG);
        require(found.statuses[i] == ROOST_ITEM_FOUND, "key %zu is not found", i);
        require(shape_is_set(variant->shape) || found.values_out[i] == sum, "key %zu has %llu, not %llu", i,
                (unsigned long long)found.values_out[i], (unsigned long long)sum);
    }
    mixed_free(&found);
    release(&table);
    require(table_stats(&table).count == AMONG, "%llu keys", (unsigned long long)table_stats(&table).count);
    table_check(&table);
    view = acquire(&table, 0);
    require(run_same(&table, &view, ROOST_OP_ERASE, N, 0, AMONG, ROOST_ITEM_ERASED) == AMONG, "a key was not ERASED exactly once");
    release(&table);
    require(table_stats(&table).count == 0, "%llu keys", (unsigned long long)table_stats(&table).count);
    table_check(&table);
    table_close(&table);
}

/* ---- Room ----------------------------------------------------------------------------------- */

/* The smallest table gets memory for the announced number of new keys, and grows after them. */
static void room_for_what_was_announced(const struct variant *variant)
{
    const size_t n = settings_size(100000, 10000);
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    if (variant->number && !is_slab()) return;
    config.options = variant->number ? "growth=chain" : NULL;
    table_open(&table, variant, &config);
    const struct own_view view = acquire(&table, n);
    const size_t stored = run_same(&table, &view, ROOST_OP_KEEP, n, 0, n, ROOST_ITEM_INSERTED);
    require(stored == n, "%zu of %zu keys are stored", stored, n);
    release(&table);
    require(table_stats(&table).count == n, "%llu keys", (unsigned long long)table_stats(&table).count);
    require(variant->number || table_stats(&table).load_factor <= config.max_fill, "the table is fuller than it may be");
    table_check(&table);
    table_close(&table);
}

/* The same beside many keys, up to the highest bound of the fill. */
static void room_beside_many_keys(const struct variant *variant)
{
    enum { VIEWS = 30 };
    const size_t n = settings_size(20000, 2000);
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    config.max_fill = is_slab() ? 0.85 : 0.95;
    table_open(&table, variant, &config);
    for (size_t first = 0; first < VIEWS * n; first += n) {
        const struct own_view view = acquire(&table, n);
        const size_t stored = run_same(&table, &view, ROOST_OP_KEEP, n, first, n, ROOST_ITEM_INSERTED);
        require(stored == n, "%zu of %zu keys are stored beside %zu", stored, n, first);
        release(&table);
        table_check(&table);
    }
    require(table_stats(&table).count == VIEWS * n, "%llu keys", (unsigned long long)table_stats(&table).count);
    table_close(&table);
}

/* The announced inserts have room also if all have one key, which erases remove in between.  Of
 * compact's inserts, half have it in the stash, where each takes another entry. */
static void room_for_one_key(const struct variant *variant)
{
    const size_t n = settings_size(20000, 6000);
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    table_open(&table, variant, &config);
    const struct own_view view = acquire(&table, is_slab() ? n : 2 * n);
    struct mixed m = same_items(variant->shape, ROOST_OP_KEEP, 2 * n, 0, 1);
    for (size_t i = 1; i < m.n; i += 2) m.operations[i] = ROOST_OP_ERASE;
    run_items(&table, &view, &m);
    require(count_status(&m, ROOST_ITEM_FULL) == 0, "%zu items are FULL", count_status(&m, ROOST_ITEM_FULL));
    const size_t stored = count_status(&m, ROOST_ITEM_INSERTED) - count_status(&m, ROOST_ITEM_ERASED);
    mixed_free(&m);
    release(&table);
    require(table_stats(&table).count == stored, "%llu keys, not %zu", (unsigned long long)table_stats(&table).count, stored);
    table_check(&table);
    table_close(&table);
}

/* Items without room in a table that may not grow end FULL, and nothing else is lost. */
static void exhaustion(const struct variant *variant)
{
    enum { N = 20000 };
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    config.growth = 0;
    config.capacity = N / 4;
    table_open(&table, variant, &config);
    const struct own_view view = acquire(&table, N);
    struct mixed m = same_items(variant->shape, ROOST_OP_KEEP, N, 0, N);
    run_items(&table, &view, &m);
    const size_t stored = count_status(&m, ROOST_ITEM_INSERTED), full = count_status(&m, ROOST_ITEM_FULL);
    require(stored >= N / 4 && full > 0 && stored + full == N, "%zu stored, %zu FULL", stored, full);
    uint8_t *ended = make_bytes(N);
    memcpy(ended, m.statuses, N);
    memset(m.operations, ROOST_OP_FIND, N);
    run_items(&table, &view, &m);
    for (size_t i = 0; i < N; i++)
        require((m.statuses[i] == ROOST_ITEM_FOUND) == (ended[i] == ROOST_ITEM_INSERTED), "item %zu: %u, then %u", i, ended[i],
                m.statuses[i]);
    const size_t erased = run_same(&table, &view, ROOST_OP_ERASE, N / 8, 0, N / 8, ROOST_ITEM_ERASED);
    release(&table);
    const struct table_numbers stats = table_stats(&table);
    const size_t tombstones = is_slab() ? erased : 0;
    require(stats.count == stored - erased && stats.tombstones == tombstones, "%llu keys and %llu tombstones after %zu, less %zu",
            (unsigned long long)stats.count, (unsigned long long)stats.tombstones, stored, erased);
    table_check(&table);
    free(ended);
    mixed_free(&m);
    table_close(&table);
}

/* ---- Multimaps ------------------------------------------------------------------------------ */

static void multimaps(const struct variant *variant)
{
    enum { N = 5000, AMONG = 50 };
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    if (!is_slab()) return;
    config.flags = ROOST_MULTI;
    table_open(&table, variant, &config);
    const struct own_view view = acquire(&table, N);
    require(run_same(&table, &view, ROOST_OP_KEEP, N, 0, AMONG, ROOST_ITEM_NONE) == N, "a multimap took another mode than APPEND");
    require(run_same(&table, &view, ROOST_OP_APPEND, N, 0, AMONG, ROOST_ITEM_INSERTED) == N, "not all pairs were appended");
    require(run_same(&table, &view, ROOST_OP_ERASE, AMONG, 0, AMONG, ROOST_ITEM_ERASED) == AMONG,
            "keys with a pair other than one were erased");
    release(&table);
    require(table_stats(&table).count == N - AMONG, "%llu pairs", (unsigned long long)table_stats(&table).count);
    table_check(&table);
    table_close(&table);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void refuse_writers(roost_table *t, struct own_view *view)
{
    static uint64_t keys[2], values[2];
    static uint8_t operations[2];
    roost_batch batch;
    require_status(ROOST_OK, roost_batch_init(&batch, sizeof batch), NULL);
    batch.operations = operations, batch.keys = keys, batch.values_in = values, batch.values_out = values, batch.n = 2;
    require_answer(ARGUMENT, roost_insert(t, ROOST_KEEP, keys, values, 2, NULL), t, "an insert beside a view");
    require_answer(ARGUMENT, roost_erase(t, keys, 2, NULL), t, "an erase beside a view");
    require_answer(ARGUMENT, roost_apply(t, &batch, NULL), t, "a mixed batch beside a view");
    require_answer(ARGUMENT, roost_table_clear(t), t, "a clear beside a view");
    require_answer(ARGUMENT, roost_table_reserve(t, 1000), t, "a reservation beside a view");
    require_answer(ARGUMENT, roost_compact(t), t, "a flush beside a view");
    require_answer(ARGUMENT, roost_table_sync(t, NULL), t, "a sync beside a view");
    require_answer(ARGUMENT, roost_view_acquire(t, view, own_view_bytes(view), 0, NULL), t, "a second view");
    require(strstr(roost_last_error(t), "view") != NULL, "the error does not name the view: %s", roost_last_error(t));
}

static void what_is_refused(const struct variant *variant)
{
    static uint64_t keys[2], values[2];
    static uint8_t found[2];
    struct own_view view = view_make();
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    table_open(&table, variant, &config);
    roost_table *t = table.handle;
    require_answer(ARGUMENT, roost_view_acquire(NULL, &view, own_view_bytes(&view), 0, NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_view_release(NULL), NULL, "no table");
    require_answer(ARGUMENT, roost_view_release(t), t, "no view is out");
    require_answer(ARGUMENT, roost_view_acquire(t, NULL, own_view_bytes(&view), 0, NULL), t, "no view");
    require_answer(ARGUMENT, roost_view_acquire(t, &view, own_view_bytes(&view) - 1, 0, NULL), t, "a view of another size");
    view.words[0]++;
    require_answer(ARGUMENT, roost_view_acquire(t, &view, own_view_bytes(&view), 0, NULL), t, "a view of another layout");
    char name[64];
    snprintf(name, sizeof name, "roost_%s_view_make", view_engine());
    require(strstr(roost_last_error(t), name) != NULL, "%s", roost_last_error(t));
    view = view_make();
    require_answer(ARGUMENT, roost_view_acquire(t, &view, own_view_bytes(&view), UINT64_MAX, NULL), t, "more keys than bytes");
    view = acquire(&table, 2);
    refuse_writers(t, &view);
    require(run_same(&table, &view, ROOST_OP_KEEP, 2, 0, 2, ROOST_ITEM_INSERTED) == 2, "a view that is out does not insert");
    require(table_stats(&table).count == 2, "%llu keys while the view is out", (unsigned long long)table_stats(&table).count);
    require(run_same(&table, &view, ROOST_OP_KEEP, 2, 2, 2, ROOST_ITEM_INSERTED) == 2, "a view that is out does not insert");
    require_status(ROOST_OK, roost_find(t, keys, 2, values, found, NULL), t);
    release(&table);
    require_answer(ARGUMENT, roost_view_release(t), t, "the view is back");
    require(table_stats(&table).count == 4, "%llu keys, not 4", (unsigned long long)table_stats(&table).count);
    require_status(ROOST_OK, roost_erase(t, keys, 2, NULL), t);
    (void)acquire(&table, 2); /* a table is destroyed with its view */
    table_close(&table);
}

/* A view comes from no stream that is captured, nor goes back there: it stays with its user. */
static void captures_and_views(const struct variant *variant)
{
    static uint64_t keys[2], values[2];
    struct own_view view = view_make();
    struct table table;
    roost_config config;
    if (!view_config(variant, &config)) return;
    table_open(&table, variant, &config);
    roost_table *t = table.handle;
    inside_capture(t, true);
    require_answer(UNSUPPORTED, roost_view_acquire(t, &view, own_view_bytes(&view), 2, NULL), t,
                   "a view while a stream is captured");
    require(strstr(roost_last_error(t), "view cannot be acquired"), "%s", roost_last_error(t));
    inside_capture(t, false);
    require_answer(ARGUMENT, roost_view_release(t), t, "no view is out");
    view = acquire(&table, 2);
    inside_capture(t, true);
    require_answer(UNSUPPORTED, roost_view_release(t), t, "a view's return while a stream is captured");
    require(strstr(roost_last_error(t), "view cannot be released"), "%s", roost_last_error(t));
    inside_capture(t, false);
    require_answer(ARGUMENT, roost_insert(t, ROOST_KEEP, keys, values, 2, NULL), t, "an insert beside a view");
    require(run_same(&table, &view, ROOST_OP_KEEP, 2, 0, 2, ROOST_ITEM_INSERTED) == 2, "the view does not insert any more");
    release(&table);
    require(table_stats(&table).count == 2, "%llu keys, not 2", (unsigned long long)table_stats(&table).count);
    table_check(&table);
    table_close(&table);
}

/* For an engine without views the error names those that have them.  A table of other widths
 * stays unchanged. */
static void engines_without(const struct variant *variant)
{
    roost_engine_info info;
    struct table table;
    roost_config config;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++) {
        table_config(variant, &config);
        config.engine = info.name;
        table_open(&table, variant, &config);
        const enum own_engine engine = own_engine_named(info.name);
        const bool has = engine != OWN_NONE;
        struct own_view view = own_view_make(has ? engine : OWN_slab);
        const roost_status status = roost_view_acquire(table.handle, &view, own_view_bytes(&view), 0, NULL);
        require(status == (has ? ROOST_OK : ROOST_ERR_UNSUPPORTED), "%s: %s", info.name, roost_status_name(status));
        if (has) {
            table.shape = shapes[1];
            require(run_same(&table, &view, ROOST_OP_KEEP, 9, 0, 9, ROOST_ITEM_NONE) == 9, "8+8 in a table of 4+4");
        }
        table_close(&table);
    }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("keys that come once", keys_that_come_once);
    suite_add_widths("duplicates", duplicates);
    suite_add_widths("room for what was announced", room_for_what_was_announced);
    suite_add("room for what was announced", room_for_what_was_announced, (struct variant){.shape = &shapes[0], .number = 1});
    suite_add_widths("room beside many keys", room_beside_many_keys);
    suite_add_widths("room for one key", room_for_one_key);
    suite_add_widths("exhaustion", exhaustion);
    suite_add_widths("multimaps", multimaps);
    suite_add_once("what is refused", what_is_refused);
    if (!settings_on_gpu()) suite_add_once("captures and views", captures_and_views);
    suite_add_once("engines without", engines_without);
    return suite_run("views");
}
