/* Memory refused by a limit or by the caller's allocator.  The call reports it, its statuses
 * name the items that were not stored, and the table stays valid, complete and usable.  All
 * memory is returned in the end. */
#include "roost/tuning.h"
#include "support/allocators.h"
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

static void number_keys(const struct test_shape *shape, uint64_t first, uint64_t *keys, uint64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(shape, first + i);
        values[i] = (first + i) & width_mask(shape->value_bytes);
    }
}

/* ---- A limit -------------------------------------------------------------------------------- */

#define BATCH 2000

/* The peak memory of a table of n keys that are inserted batch by batch. */
static uint64_t peak_of(const struct variant *variant, size_t n)
{
    static uint64_t keys[BATCH], values[BATCH];
    struct table table;
    table_open(&table, variant, NULL);
    for (size_t done = 0; done < n; done += BATCH) {
        number_keys(variant->shape, done, keys, values, BATCH);
        require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, values, BATCH, NULL), table.handle);
    }
    const struct table_numbers stats = table_stats(&table);
    require(stats.bytes_peak >= stats.bytes_now && stats.bytes_now >= stats.table_bytes, "peak %llu, now %llu, table %llu bytes",
            print(stats.bytes_peak), print(stats.bytes_now), print(stats.table_bytes));
    table_close(&table);
    return stats.bytes_peak;
}

static void check_limit(const struct model *model, uint64_t limit)
{
    const struct table_numbers stats = table_stats(&model->table);
    require(stats.bytes_now <= limit && stats.bytes_peak <= limit, "%llu bytes now, %llu at most, under a limit of %llu",
            print(stats.bytes_now), print(stats.bytes_peak), print(limit));
}

/* Inserts until the limit has refused a few batches (one at small sizes). */
static void insert_beyond(struct model *model, uint64_t limit, size_t n)
{
    static uint64_t keys[BATCH], values[BATCH];
    const size_t most = settings_size(3, 1);
    size_t refused = 0;
    for (size_t done = 0; done < n && refused < most; done += BATCH) {
        number_keys(&model->table.shape, done, keys, values, BATCH);
        suite_step("inserting after %zu, refused %zu times", done, refused);
        const roost_status status = model_insert(model, ROOST_ASSIGN, keys, values, BATCH);
        require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
        refused += status == ROOST_ERR_MEMORY;
        check_limit(model, limit);
    }
    require(refused == most, "%zu keys were stored in %llu bytes", n, print(limit));
    require(*roost_last_error(model->table.handle), "refused memory gives no error text");
    model_compare(model);
}

/* Keys of short runs.  A search through a full table of stadium takes long. */
static size_t brief_keys(void) { return settings_on_stadium() ? 2000 : 8000; }

static void limits_refuse_growth(const struct variant *variant)
{
    static uint64_t keys[BATCH], values[BATCH];
    const size_t n = settings_rounds(settings_size(20000, brief_keys()), 8000);
    roost_config config;
    table_config(variant, &config);
    config.memory_limit = peak_of(variant, n);
    struct model model;
    model_open(&model, variant, &config);
    insert_beyond(&model, config.memory_limit, 20 * n);
    require(reference_count(model.reference) >= n / 2, "only %llu keys were stored in the memory of %zu",
            print(reference_count(model.reference)), n);

    suite_step("updates need no memory");
    struct pairs pairs = table_export(&model.table, 4096);
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, pairs.keys, pairs.keys, pairs.n < BATCH ? pairs.n : BATCH),
                   model.table.handle);
    suite_step("erasing half makes room");
    model_erase(&model, pairs.keys, pairs.n / 2);
    number_keys(variant->shape, 50 * n, keys, values, BATCH);
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, values, BATCH), model.table.handle);
    model_compare(&model);
    check_limit(&model, config.memory_limit);
    suite_step("clearing, and once more");
    model_clear(&model);
    insert_beyond(&model, config.memory_limit, 20 * n);
    pairs_free(&pairs);
    model_close(&model);
}

/* The keys for which a table can be made within the limit. */
static uint64_t made_at_once(const struct variant *variant, roost_config config)
{
    uint64_t most = 0;
    for (uint64_t step = config.memory_limit / 2; step; step /= 2) {
        struct table table;
        config.capacity = most + step;
        if (table_create(&table, variant, &config)) continue;
        table_close(&table);
        most += step;
    }
    return most;
}

/* A table that grows until memory is refused holds most of the keys for which one could be made at
 * once, however large its batches are. */
static void growth_uses_the_limit(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.memory_limit = settings_size(1 << 20, 300000);
    const uint64_t at_once = made_at_once(variant, config), batch = variant->number;
    uint64_t *const keys = make_patterns(batch), *const values = make_patterns(batch);
    struct model model;
    model_open(&model, variant, &config);
    roost_status status = ROOST_OK;
    for (uint64_t done = 0; status == ROOST_OK; done += batch) {
        number_keys(variant->shape, done, keys, values, batch);
        status = model_insert(&model, ROOST_ASSIGN, keys, values, batch);
        require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
    }
    const uint64_t count = table_stats(&model.table).count;
    require((double)count >= 0.6 * (double)at_once, "it holds %llu keys where %llu could be had at once", print(count),
            print(at_once));
    check_limit(&model, config.memory_limit);
    model_close(&model);
    free(keys);
    free(values);
}

/* A step for one batch of any size is no larger than leaves the fill within its bounds. */
static void growth_keeps_the_fill(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.memory_limit = peak_of(variant, 0) + 65536; /* an empty table takes more on a GPU */
    for (size_t n = 40; n <= 1240; n += 40) {
        uint64_t *const keys = make_patterns(n), *const values = make_patterns(n);
        struct model model;
        suite_step("%zu keys", n);
        model_open(&model, variant, &config);
        number_keys(variant->shape, 0, keys, values, n);
        (void)model_insert(&model, ROOST_ASSIGN, keys, values, 2);
        const roost_status status = model_insert(&model, ROOST_ASSIGN, keys, values, n);
        require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
        table_check(&model.table);
        model_close(&model);
        free(keys);
        free(values);
    }
}

/* A table whose growth was refused, with far more slots than keys and parts that have none, goes on
 * with single items. */
static void refused_tables_go_on(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.min_fill = 0.03;
    config.max_fill = 0.1;
    const uint64_t empty = peak_of(variant, 0);
    uint64_t keys[200], values[200];
    number_keys(variant->shape, 0, keys, values, 200);
    for (uint64_t more = 0; more < 24000; more += 1500) {
        struct model model;
        suite_step("a limit of %llu bytes", print(empty + more));
        config.memory_limit = empty + more;
        model_open(&model, variant, &config);
        for (size_t i = 0, n = 192; i < 200; i += n, n = 1) {
            const roost_status status = model_insert(&model, ROOST_ASSIGN, keys + i, values + i, n);
            require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
        }
        check_limit(&model, config.memory_limit);
        model_compare(&model);
        model_close(&model);
    }
}

static void limits_refuse_reservations(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.memory_limit = peak_of(variant, settings_size(8000, brief_keys()));
    struct model model;
    uint64_t keys[100], values[100];
    model_open(&model, variant, &config);
    number_keys(variant->shape, 0, keys, values, 100);
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, 100), model.table.handle);
    const uint64_t slots = table_stats(&model.table).slots;
    require_status(ROOST_ERR_MEMORY, roost_table_reserve(model.table.handle, 1000000), model.table.handle);
    require(table_stats(&model.table).slots == slots, "a refused reservation changed the table");
    model_compare(&model);
    model_find(&model, keys, 100);
    suite_step("a reservation of a table that was refused growth");
    insert_beyond(&model, config.memory_limit, 160000);
    require_status(ROOST_ERR_MEMORY, roost_table_reserve(model.table.handle, 1000000), model.table.handle);
    table_check(&model.table);
    const uint64_t count = table_stats(&model.table).count, less[] = {0, 10, count / 2, count, 0};
    for (size_t i = 0; i < sizeof less / sizeof less[0]; i++) {
        suite_step("a reservation of %llu keys, and %llu are stored", print(less[i]), print(count));
        require_status(ROOST_OK, roost_table_reserve(model.table.handle, less[i]), model.table.handle);
        table_check(&model.table);
    }
    model_close(&model);
}

static void limits_refuse_creation(const struct variant *variant)
{
    struct table table;
    roost_config config;
    table_config(variant, &config);
    config.memory_limit = 1;
    require_status(ROOST_ERR_MEMORY, table_create(&table, variant, &config), NULL);
    require(*roost_last_error(NULL), "no error text");
    config.memory_limit = 100000;
    config.capacity = 10000000;
    require_status(ROOST_ERR_MEMORY, table_create(&table, variant, &config), NULL);
}

/* ---- The caller's allocator ----------------------------------------------------------------- */

static void require_released(const struct allocator *allocator)
{
    require(allocator->bytes == 0, "%llu bytes were not released", print(allocator->bytes));
    require(allocator->wrong == 0, "%llu pieces were released with a wrong size", print(allocator->wrong));
}

/* A life with growth and shrinking: all memory comes from the hooks and goes back to them.  The
 * statistics count the memory where the table lies.  On the host the table's description comes
 * on top. */
static void everything_is_released(const struct variant *variant)
{
    struct allocator host = {0}, device = {0};
    const struct allocator *there = settings_on_gpu() ? &device : &host;
    struct dice dice = {suite_seed()};
    roost_config config;
    table_config(variant, &config);
    config.allocator = allocator_hooks(&host);
    if (settings_on_gpu()) config.device_allocator = allocator_device_hooks(&device);
    struct model model;
    model_open(&model, variant, &config);
    require(host.bytes > 0 && host.requests > 2, "%llu bytes on the host", print(host.bytes));
    for (int i = 0; i < 4; i++) {
        const uint64_t before = table_stats(&model.table).bytes_now;
        require(there->bytes >= before && (!settings_on_gpu() || there->bytes == before), "%llu bytes counted, %llu held",
                print(before), print(there->bytes));
        sequence_run(&model, &dice, settings_size(10, 4), 4000);
    }
    model_close(&model);
    require_released(&host);
    require_released(&device);
}

/* Batches that make the table grow, shrink and reserve, whatever is refused meanwhile. */
static void live_under_refusals(struct model *model)
{
    enum { MOST = 700, ROUNDS = 4 };
    static uint64_t keys[MOST], values[MOST];
    /* on a GPU items without room wait for each other for long */
    const size_t n = settings_rounds(settings_size(MOST, 200), 200);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        number_keys(&model->table.shape, n * round, keys, values, n);
        const roost_status status = model_insert(model, ROOST_ASSIGN, keys, values, n);
        require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
    }
    const roost_status status = roost_table_reserve(model->table.handle, 4 * n * ROUNDS);
    require(status == ROOST_OK || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
    model_compare(model);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        number_keys(&model->table.shape, n * round, keys, values, n);
        model_erase(model, keys, n);
    }
    model_clear(model);
    model_compare(model);
}

/* A life in which the given request is refused.  Returns false if it was never made. */
static bool live_with_refusal(const struct variant *variant, uint64_t refuse_at, bool refuse_on)
{
    struct allocator allocator = {0};
    roost_config config;
    table_config(variant, &config);
    struct model model = {.reference = reference_make(), .rules = {.fixed = true}};
    if (variant->number) config.device_allocator = allocator_device_hooks(&allocator);
    else config.allocator = allocator_hooks(&allocator);
    allocator.refuse_at = refuse_at;
    allocator.refuse_on = refuse_on;
    model.looking = &allocator.paused;
    suite_step("refusing request %llu%s", print(refuse_at), refuse_on ? " and on" : "");
    const roost_status status = table_create(&model.table, variant, &config);
    if (status == ROOST_OK) live_under_refusals(&model);
    else require_status(ROOST_ERR_MEMORY, status, NULL);
    model_close(&model);
    require_released(&allocator);
    return allocator.requests >= refuse_at;
}

static void any_request_may_be_refused(const struct variant *variant)
{
    const uint64_t most = settings_size(200, 20);
    uint64_t n = 1;
    while (n <= most && live_with_refusal(variant, n, false)) n++;
    require(n > 2, "the table asked for memory only %llu times", print(n - 1));
    for (n = 1; n <= most && live_with_refusal(variant, n, true);) n++;
}

/* One request is refused while a batch makes the table grow.  The batch is still stored, and the
 * table makes up for the missed growth at once, not step by step with a try of all waiting items
 * after each.  Each try is a wait. */
static void refused_growth_is_made_up_for(const struct variant *variant)
{
    /* OTHERS: requests before growth's, for the sample's keys and their homes, and the estimate. */
    enum { MOST_WAITS = 24, OTHERS = 3 };
    static uint64_t keys[10000], values[10000];
    const size_t n = settings_size(10000, 3000);
    number_keys(variant->shape, 0, keys, values, n);
    for (uint64_t refused = OTHERS + 1; refused <= OTHERS + settings_size(7, 3); refused++) {
        struct allocator allocator = {0};
        struct table table;
        roost_config config;
        table_config(variant, &config);
        config.allocator = allocator_hooks(&allocator);
        table_open(&table, variant, &config);
        allocator.refuse_at = allocator.requests + refused;
        const uint64_t waits = table_stats(&table).host_waits;
        suite_step("refusing request %llu of the insert", print(refused));
        require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys, values, n, NULL), table.handle);
        /* else the insert makes fewer requests, and none was refused: of compact's growth from an
         * empty table the lists and the buckets are all */
        const bool hit = allocator.requests >= allocator.refuse_at;
        require(hit || refused > OTHERS + (settings_on_compact() ? 2 : 3), "only %llu requests", print(allocator.requests));
        const struct table_numbers stats = table_stats(&table);
        require(stats.count == n && stats.host_waits - waits < MOST_WAITS, "%llu keys after %llu waits", print(stats.count),
                print(stats.host_waits - waits));
        table_close(&table);
    }
}

/* A table is refused memory, and most of its keys are erased before there is memory again.  A batch
 * of a few keys, which fit, makes it no larger, however many copies of them it has. */
static void keys_that_fit_need_no_growth(const struct variant *variant)
{
    enum { FEW = 5, COPIES = 200 };
    static uint64_t keys[FEW * COPIES], values[FEW * COPIES];
    struct allocator allocator = {0};
    roost_config config;
    table_config(variant, &config);
    config.allocator = allocator_hooks(&allocator);
    struct model model;
    model_open(&model, variant, &config);
    model.rules.fixed = true;
    model.looking = &allocator.paused;
    uint64_t next = 0;
    allocator.refuse_at = allocator.requests + 1;
    allocator.refuse_on = true;
    for (roost_status status = ROOST_OK; !status; next += FEW * COPIES / 8) {
        number_keys(variant->shape, next, keys, values, FEW * COPIES / 8);
        status = model_insert(&model, ROOST_ASSIGN, keys, values, FEW * COPIES / 8);
        require(!status || status == ROOST_ERR_MEMORY, "%s", roost_status_name(status));
    }
    allocator.refuse_at = 0;
    struct pairs pairs = table_export(&model.table, 4096);
    model_erase(&model, pairs.keys, pairs.n / 2);
    const struct table_numbers before = table_stats(&model.table);
    for (size_t i = 0; i < FEW * COPIES; i++) number_keys(variant->shape, next + i % FEW, keys + i, values + i, 1);
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, FEW * COPIES), model.table.handle);
    require(table_stats(&model.table).slots <= before.slots, "%llu slots became %llu for %llu keys", print(before.slots),
            print(table_stats(&model.table).slots), print(before.count + FEW));
    model_compare(&model);
    pairs_free(&pairs);
    model_close(&model);
    require_released(&allocator);
}

/* A check copies the table, except in compact.  If memory for a copy is refused, it says so, and
 * leaves the table. */
static void checks_without_memory(const struct variant *variant)
{
    enum { N = 500 };
    static uint64_t keys[N], values[N];
    struct allocator allocator = {0};
    struct table table;
    roost_config config;
    uint64_t refused = 0;
    table_config(variant, &config);
    config.allocator = allocator_hooks(&allocator);
    table_open(&table, variant, &config);
    number_keys(variant->shape, 0, keys, values, N);
    require_status(ROOST_OK, table_insert(&table, ROOST_KEEP, keys, values, N, NULL), table.handle);
    const uint64_t bytes = allocator.bytes;
    for (bool is_refused = true; is_refused; refused++) {
        suite_step("refusing request %llu of the check", print(refused + 1));
        allocator.refuse_at = allocator.requests + refused + 1;
        const roost_status status = roost_table_check(table.handle);
        is_refused = allocator.requests >= allocator.refuse_at;
        require_status(is_refused ? ROOST_ERR_MEMORY : ROOST_OK, status, table.handle);
        require(!is_refused || strstr(roost_last_error(table.handle), "memory"), "%s", roost_last_error(table.handle));
        require(allocator.bytes == bytes, "%llu bytes are held, not %llu", print(allocator.bytes), print(bytes));
        allocator.refuse_at = 0;
    }
    const bool copies = strcmp(roost_table_engine(table.handle), "compact") != 0;
    require((refused > 1) == copies, "%llu requests of the check were refused", print(refused - 1));
    require(table_stats(&table).count == N, "%llu keys", print(table_stats(&table).count));
    table_close(&table);
    require_released(&allocator);
}

/* One shape of wide keys, and one of strings. */
static bool is_telling(const struct test_shape *shape) { return !strcmp(shape->name, "16+16") || !strcmp(shape->name, "s+4 u32"); }

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("limits refuse growth", limits_refuse_growth);
    /* strings also need room for their bytes */
    suite_add_wide("limits refuse growth", limits_refuse_growth, shape_has_fixed_keys);
    /* On a GPU staging of the calls' arrays takes another part of the limit. */
    static const uint64_t batches[] = {1000, 15000, 20000, 45000};
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i += 2)
        for (size_t k = 0; k < sizeof batches / sizeof *batches; k++)
            suite_add("growth uses the limit", growth_uses_the_limit, (struct variant){.shape = &shapes[i], .number = batches[k]});
    suite_add_widths("growth keeps the fill", growth_keeps_the_fill);
    suite_add_widths("refused tables go on", refused_tables_go_on);
    suite_add_widths("limits refuse reservations", limits_refuse_reservations);
    suite_add_widths("limits refuse creation", limits_refuse_creation);
    suite_add_wide("limits refuse creation", limits_refuse_creation, shape_is_any);
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i += settings_size(1, 2))
        suite_add("refused growth is made up for", refused_growth_is_made_up_for, (struct variant){.shape = &shapes[i]});
    for (size_t i = 0; i < SHAPE_COUNT; i += settings_size(1, 2)) {
        suite_add("everything is released", everything_is_released, (struct variant){.shape = &shapes[i]});
        /* On a GPU with arrays there: finds of arrays on the host need memory too, and may
         * report its refusal. */
        const struct variant variant = {.shape = &shapes[i], .placement = settings_on_gpu() ? PLACE_DEVICE : PLACE_HOST};
        suite_add("any request may be refused", any_request_may_be_refused, variant);
        if (settings_on_gpu())
            suite_add("any request for device memory may be refused", any_request_may_be_refused,
                      (struct variant){.shape = &shapes[i], .placement = PLACE_DEVICE, .number = 1});
    }
    if (!settings_on_gpu()) {
        suite_add_widths("keys that fit need no growth", keys_that_fit_need_no_growth);
        suite_add_widths("checks without memory", checks_without_memory);
        suite_add_wide("checks without memory", checks_without_memory, is_telling);
    }
    suite_add_wide("everything is released", everything_is_released, is_telling);
    if (!settings_on_gpu()) /* with arrays there, for the same reason */
        suite_add_wide("any request may be refused", any_request_may_be_refused, is_telling);
    return suite_run("memory");
}
