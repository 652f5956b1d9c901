/* compact's growth in place: its peak, refused memory, failures, and pairs without room. */
#include "api/table.h"
#include "engines/compact/compact_table.h"
#include "support/faulty_backend.h"
#include "support/herd.h"

#include <stdlib.h>
#include <string.h>

/* ---- Mapped tables --------------------------------------------------------------------------- */

/* Bytes from which tables of these tests are mapped.  A GPU's unit of mapped memory is 2 MiB. */
static uint64_t mapped_bytes(void) { return settings_on_gpu() ? 32 << 20 : 1 << 20; }

/* Keys that fill a table of a mapped size about as much as it may be. */
static size_t mapped_keys(const struct herd *herd)
{
    const struct table_numbers stats = table_stats(&herd->table);
    return (size_t)(0.84 * (double)stats.slots);
}

static void mapped_open(struct herd *herd, const struct variant *variant, uint64_t memory_limit)
{
    roost_config config;
    herd_config(variant, &config);
    const unsigned pair = (unsigned)(variant->shape->key_bytes + variant->shape->value_bytes);
    backend_mapped_least = mapped_bytes();
    config.capacity = mapped_bytes() / pair;
    /* A key of a set takes less than its bytes. */
    if (!variant->shape->value_bytes)
        config.capacity += config.capacity / (variant->shape->key_bytes == 4 ? 2 : 4) + config.capacity / 16;
    config.memory_limit = memory_limit;
    herd_open_with(herd, variant, &config);
    require(table_stats(&herd->table).table_bytes >= backend_mapped_least, "the table is not mapped");
}

static void mapped_close(struct herd *herd)
{
    herd_close(herd);
    backend_mapped_least = 64 << 20;
}

/* The table's own peak: without what the calls keep. */
static double peak_of(const struct table_numbers *stats)
{
    return (double)(stats->bytes_peak - (stats->bytes_now - stats->table_bytes)) / (double)stats->table_bytes;
}

/* number: how many times as many keys as the table is made for.  A GPU's batches are small: the
 * memory through which they pass counts, too. */
static void growth_in_place_takes_little(const struct variant *variant)
{
    struct herd herd;
    mapped_open(&herd, variant, 0);
    const struct table_numbers made = table_stats(&herd.table);
    const size_t most = variant->number * mapped_keys(&herd), batch = most / (settings_on_gpu() ? 400 : 50);
    uint64_t slots = made.slots, checked = 0, steps = 0;
    while (herd.n < most) {
        herd_insert(&herd, batch);
        const struct table_numbers stats = table_stats(&herd.table);
        if (stats.slots == slots) continue;
        suite_step("%llu slots became %llu", print(slots), print(stats.slots));
        require(peak_of(&stats) <= 1.15, "a peak of %.4f of the table's bytes", peak_of(&stats));
        /* A check takes longer than a step. */
        if (!settings_on_gpu() || stats.slots >= 2 * checked) table_check(&herd.table), checked = stats.slots;
        slots = stats.slots;
        steps++;
    }
    const struct table_numbers grown = herd_check(&herd);
    require(steps > 1 && grown.grow_steps >= steps, "%llu steps of growth", print(steps));
    require(herd_reads_of_hits(&herd, herd.n) <= herd_most_reads(&grown).turned, "finds read too much");
    herd_erase(&herd, herd.n * 4 / 5);
    const struct table_numbers shrunk = herd_check(&herd);
    require(shrunk.slots < grown.slots, "the table has not shrunk");
    herd_insert(&herd, most / 2);
    herd_check(&herd);
    mapped_close(&herd);
}

/* A limit that has no room for twice the table. */
static void refused_growth_changes_nothing(const struct variant *variant)
{
    struct herd herd;
    mapped_open(&herd, variant, 2 * mapped_bytes() + mapped_bytes() / 4);
    herd_insert(&herd, mapped_keys(&herd));
    const struct table_numbers before = herd_check(&herd);
    require_status(ROOST_ERR_MEMORY, roost_table_reserve(herd.table.handle, 3 * herd.n), herd.table.handle);
    const struct table_numbers after = herd_check(&herd);
    require(after.slots == before.slots && after.bytes_now == before.bytes_now, "%llu slots became %llu", print(before.slots),
            print(after.slots));
    mapped_close(&herd);
}

/* The k-th operation of a kind fails while a table grows in place.  Without memory nothing has
 * changed.  After a failure of the machine a sync ends the move.  Returns false if there is no k-th
 * operation. */
static bool growth_survives(const struct variant *variant, enum fault_kind kind, uint64_t k)
{
    struct herd herd;
    suite_step("%s %llu", faulty_name(kind), print(k));
    mapped_open(&herd, variant, 0);
    herd_insert(&herd, mapped_keys(&herd));
    const struct table_numbers before = table_stats(&herd.table);
    faulty_arm(kind, k, false);
    const roost_status status = roost_table_reserve(herd.table.handle, 2 * herd.n);
    const bool hit = faulty_injected() > 0;
    faulty_arm(kind, 0, false);
    require(hit || !status, "%s", roost_status_name(status));
    require(table_stats(&herd.table).count == herd.n, "the count is wrong");
    require_status(ROOST_OK, roost_table_sync(herd.table.handle, NULL), herd.table.handle);
    const struct table_numbers after = herd_check(&herd);
    require(status != ROOST_ERR_MEMORY || after.slots == before.slots, "%llu slots became %llu", print(before.slots),
            print(after.slots));
    herd_insert(&herd, herd.n);
    herd_check(&herd);
    mapped_close(&herd);
    return hit;
}

static void failures_of_growth_lose_no_pair(const struct variant *variant)
{
    static const enum fault_kind kinds[] = {FAULT_allocate, FAULT_remap, FAULT_wait,  FAULT_copy,
                                            FAULT_fill,     FAULT_read,  FAULT_launch};
    faulty_begin(FAULTY_PLAIN);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint64_t k = 1; growth_survives(variant, kinds[i], k); k += settings_size(1, 7)) continue;
    faulty_end();
}

/* Keys that find room in two pairs of neighbours of a table, and not in the two buckets that have
 * all of them in a larger one.  Equal parts of them have each two of the neighbours as homes. */
enum { CHOSEN = 20, QUARTERS = 4 };

/* The place in a table of `buckets` of a first or second hash. */
static uint32_t place(const struct compact_range *range, uint64_t hash) { return compact_place_of(32, range, hash).bucket; }

/* A bucket from b on of the larger table whose middle is where two buckets of the smaller one
 * meet. */
static uint32_t straddling(const struct compact_range *small, const struct compact_range *large, uint32_t b)
{
    for (;; b++) {
        const uint64_t low = compact_first_hash(32, large, b), high = compact_first_hash(32, large, b + 1);
        const uint64_t border = compact_first_hash(32, small, place(small, high - 1));
        if (border > low && (border - low) * 20 / (high - low) == 10) return b;
    }
}

static void choose_keys(const struct compact_table *t, const struct compact_range *large, uint64_t *keys)
{
    const struct compact_range *const small = &t->view.range;
    const uint32_t first = straddling(small, large, 10), second = straddling(small, large, first + 10);
    const uint32_t left[] = {place(small, compact_first_hash(32, large, first)),
                             place(small, compact_first_hash(32, large, second))};
    size_t n[QUARTERS] = {0}, all = 0;
    for (uint64_t hash = compact_first_hash(32, large, first); place(large, hash) == first && all < CHOSEN; hash++) {
        const uint64_t other = compact_second(32, hash);
        const int quarter = 2 * (place(small, hash) != left[0]) + (place(small, other) != left[1]);
        if (place(large, other) != second || n[quarter] == CHOSEN / QUARTERS) continue;
        n[quarter]++;
        keys[all++] = compact_unhash(32, &t->view.seeds, hash);
    }
    require(all == CHOSEN, "%zu keys were chosen", all);
}

/* Pairs that find no room in the new size, and there is no way back: the table grows on; or, if a
 * limit is in the way (number 1), waits, and answers nothing wrong until it is not. */
static void pairs_without_room_are_kept(const struct variant *variant)
{
    roost_config config;
    struct table table;
    uint64_t keys[CHOSEN], values[CHOSEN];
    uint8_t found[CHOSEN];
    herd_config(variant, &config);
    config.capacity = 5000;
    config.min_fill = 0;
    backend_mapped_least = 1 << 15;
    table_open(&table, variant, &config);
    struct engine_table *const at = table.handle->at;
    const struct compact_size before = compact_of(at)->size;
    /* The table grows to 1.5 times its size for this number of keys. */
    const uint64_t room = before.buckets * 3 / 2 * 6 * 4 / 5 - 10;
    const struct compact_range larger = compact_range_of(32, (uint32_t)((((room + 8) * 5 + 3) / 4 + 5) / 6));
    choose_keys(compact_of(at), &larger, keys);
    for (size_t i = 0; i < CHOSEN; i++) values[i] = i;
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, values, CHOSEN, NULL), table.handle);
    if (variant->number) at->backend->memory_limit = at->backend->bytes_now + before.buckets * COMPACT_BYTES;
    require_status(variant->number ? ROOST_ERR_DEVICE : ROOST_OK, roost_table_reserve(table.handle, room), table.handle);
    require(compact_of(at)->size.buckets >= larger.buckets, "%llu buckets", print(compact_of(at)->size.buckets));
    if (variant->number) {
        require_status(ROOST_ERR_DEVICE, table_find(&table, keys, CHOSEN, values, found, NULL), table.handle);
        require_status(ROOST_ERR_DEVICE, roost_table_sync(table.handle, NULL), table.handle);
        require_status(ROOST_ERR_DEVICE, roost_table_check(table.handle), table.handle);
        at->backend->memory_limit = 0;
        require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    }
    require(compact_of(at)->size.buckets == 2 * (uint64_t)larger.buckets, "%llu buckets, not twice %u",
            print(compact_of(at)->size.buckets), larger.buckets);
    require_status(ROOST_OK, table_find(&table, keys, CHOSEN, values, found, NULL), table.handle);
    for (size_t i = 0; i < CHOSEN; i++) require(found[i] && values[i] == i, "key %zu is lost", i);
    require(table_stats(&table).count == CHOSEN, "%llu keys", print(table_stats(&table).count));
    table_check(&table);
    table_close(&table);
    backend_mapped_least = 64 << 20;
}

static void *some_memory(void *context, size_t bytes) { return (void)context, malloc(bytes); }
static void no_memory(void *context, void *memory, size_t bytes) { (void)context, (void)bytes, free(memory); }
static void *some_device_memory(void *context, size_t bytes, void *stream)
{
    return (void)context, (void)bytes, (void)stream, NULL;
}
static void no_device_memory(void *context, void *memory, size_t bytes, void *stream)
{
    (void)context, (void)memory, (void)bytes, (void)stream;
}

/* Memory of the caller's allocator cannot be mapped. */
static void allocators_exclude_growth_in_place(const struct variant *variant)
{
    roost_config config;
    struct table table;
    herd_config(variant, &config);
    if (settings_on_gpu())
        config.device_allocator = (roost_device_allocator){.allocate = some_device_memory, .release = no_device_memory};
    else config.allocator = (roost_allocator){.allocate = some_memory, .release = no_memory};
    require_status(ROOST_ERR_UNSUPPORTED, table_create(&table, variant, &config), NULL);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void add_in_place(void)
{
    static const char *const options[] = {"growth=in-place", "growth=in-place,step=1.05", "growth=in-place,step=2",
                                          "growth=in-place,step=1.2"};
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        for (size_t i = 0; i < 4; i++)
            if (!settings_get()->is_short || i == s % 4)
                suite_add("growth in place takes little", growth_in_place_takes_little,
                          (struct variant){.shape = &shapes[s], .options = options[i], .number = 4});
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        suite_add("refused growth changes nothing", refused_growth_changes_nothing,
                  (struct variant){.shape = &shapes[s], .options = options[0]});
    /* Across the size where tags become narrower, which is below that of a GPU's mapped tables. */
    if (!settings_get()->is_short && !settings_on_gpu())
        suite_add("growth in place takes little", growth_in_place_takes_little,
                  (struct variant){.shape = &shapes[0], .options = options[0], .number = 60});
    suite_add("failures of growth lose no pair", failures_of_growth_lose_no_pair,
              (struct variant){.shape = &shapes[0], .options = options[3]});
    for (uint64_t limited = 0; limited < 2 && !settings_on_gpu(); limited++)
        suite_add("pairs without room are kept", pairs_without_room_are_kept,
                  (struct variant){.shape = &shapes[0], .options = options[0], .number = limited});
    suite_add("allocators exclude growth in place", allocators_exclude_growth_in_place,
              (struct variant){.shape = &shapes[0], .options = options[0]});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_in_place();
    return suite_run("compact in place");
}
