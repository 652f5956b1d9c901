/* compact's own guarantees: the buckets that a lookup reads and the bytes of a pair, also after
 * many turns of erases and inserts; sizes around those where tags change their width; the fill
 * between steps of growth; dead slots of mixed batches; fixed tables up to their last permit; and
 * tables that are packed. */
#include "api/table.h"
#include "engines/compact/compact_table.h"
#include "support/herd.h"
#include "roost/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reads ----------------------------------------------------------------------------------- */

/* A table that is made for its keys is filled to 0.80.  number: keys. */
static void lookups_read_one_bucket(const struct variant *variant)
{
    const size_t n = variant->number;
    struct herd herd;
    herd_open(&herd, variant, n);
    herd_insert(&herd, n);
    const struct table_numbers stats = herd_check(&herd);
    const double hits = herd_reads_of_hits(&herd, n), misses = herd_reads_of_misses(&herd, n);
    const double bytes = (double)stats.table_bytes / (double)n;
    require(stats.grow_steps == 0 && stats.load_factor > 0.799 && stats.load_factor <= 0.801, "a fill of %.4f", stats.load_factor);
    require(stats.slots_per_bucket != 10 || bytes <= 8.1, "%.3f bytes a pair", bytes);
    require(hits <= herd_most_reads(&stats).made && misses <= 1.04, "%llu slots: %.4f reads a hit, %.4f a miss",
            print(stats.slots_per_bucket), hits, misses);
    herd_close(&herd);
}

/* Pairs of 4+4 in as many buckets as tags of 2 bytes need take 8 bytes. */
static void pairs_take_eight_bytes(const struct variant *variant)
{
    struct herd herd;
    herd_open(&herd, variant, 4000000);
    const struct table_numbers stats = table_stats(&herd.table);
    require(stats.slots_per_bucket == 10 && stats.table_bytes <= 32100000, "%llu bytes in buckets of %llu slots",
            print(stats.table_bytes), print(stats.slots_per_bucket));
    herd_close(&herd);
}

/* ---- Constant size --------------------------------------------------------------------------- */

/* Ways to erase keys and insert as many. */
enum way { CALLS, BY_TURNS, MIXES, WAYS };

static void turn(struct herd *herd, enum way way, int number, size_t n)
{
    if (way == MIXES || (way == BY_TURNS && number % 2)) {
        const size_t refused = herd_mix(herd, n);
        require(!refused, "%zu keys were refused", refused);
        return;
    }
    herd_erase(herd, n);
    herd_insert(herd, n);
}

/* Three times as many keys as the table has leave it, and as many come.  The table keeps its size,
 * and its lookups read hardly more. */
static void turns(const struct variant *variant, size_t n, enum way way, int parts, int checked)
{
    const int all = 3 * parts;
    struct herd herd;
    double hits = 0, misses = 0, last = 0;
    herd_open(&herd, variant, n);
    herd_insert(&herd, n);
    const struct table_numbers made = herd_check(&herd);
    const double most = herd_most_reads(&made).turned;
    for (int i = 0; i < all; i++) {
        suite_step("turn %d", i);
        turn(&herd, way, i, n / (size_t)parts);
        if (i % checked == 0) table_check(&herd.table);
        last = herd_reads_of_hits(&herd, n / (size_t)parts);
        hits += last / all;
        const double missed = herd_reads_of_misses(&herd, n / (size_t)parts);
        misses += missed / all;
        require(missed <= 1.15, "%.4f reads a miss", missed);
    }
    const struct table_numbers stats = herd_check(&herd);
    require(hits <= most && last <= most && misses <= 1.10, "%llu slots: %.4f reads a hit, %.4f at the end, %.4f a miss",
            print(stats.slots_per_bucket), hits, last, misses);
    require(stats.slots == made.slots && !stats.grow_steps && !stats.shrink_steps, "%llu slots became %llu", print(made.slots),
            print(stats.slots));
    herd_close(&herd);
}

static void turns_keep_reads_few(const struct variant *variant)
{
    turns(variant, settings_size(100000, 30000), (enum way)variant->number, 8, 1);
}
/* Tags of 2 bytes. */
static void turns_of_a_large_table(const struct variant *variant) { turns(variant, 3200000, BY_TURNS, 2, 4); }

/* ---- Shapes by size -------------------------------------------------------------------------- */

/* For the buckets from which tags may be narrower: the slots of a bucket below and above. */
struct border {
    const char *shape;
    uint64_t buckets, below, above;
};

static const struct border borders[] = {
    {"4+4", 393241, 6, 10}, {"4+8", 393241, 4, 6},  {"4+0", 393241, 14, 30},
    {"8+8", 1 << 20, 3, 4}, {"8+4", 1 << 20, 4, 6}, {"8+0", 1 << 20, 6, 10},
};

static const struct border *border_of(const struct variant *variant)
{
    const struct border *border = borders;
    while (strcmp(border->shape, variant->shape->name) != 0) border++;
    return border;
}

static void reserve(const struct herd *herd, uint64_t keys)
{
    suite_step("a reservation of %llu keys", print(keys));
    require_status(ROOST_OK, roost_table_reserve(herd->table.handle, keys), herd->table.handle);
    require_status(ROOST_OK, roost_table_sync(herd->table.handle, NULL), herd->table.handle);
}

/* A table of few keys is reserved for numbers around the border, up and down.  It has the shape
 * with the fewer buckets, and keeps all keys. */
static void reservations_cross_the_border(const struct variant *variant)
{
    const struct border *const border = border_of(variant);
    /* As many keys fill one bucket less to 0.80; the table keeps 8 slots more. */
    const int64_t most = (int64_t)((border->buckets - 1) * border->below * 4 / 5) - 8;
    static const int64_t around[] = {-1, 2, -1000, 100000, 0, 1000};
    struct herd herd;
    herd_open(&herd, variant, 0);
    herd_insert(&herd, 5000);
    for (size_t i = 0; i < settings_size(6, 2); i++) {
        const uint64_t keys = (uint64_t)(most + around[i]);
        reserve(&herd, keys);
        const struct table_numbers stats = herd_check(&herd);
        require(stats.slots_per_bucket == (around[i] > 0 ? border->above : border->below), "%llu slots at %lld",
                print(stats.slots_per_bucket), (long long)around[i]);
        require((double)keys <= 0.8 * (double)stats.slots, "%llu slots for %llu keys", print(stats.slots), print(keys));
        herd_erase(&herd, 100);
        herd_insert(&herd, 100);
        reserve(&herd, 10000); /* else a higher reservation may be for a quarter more */
        const struct table_numbers small = herd_check(&herd);
        require(small.slots_per_bucket == border->below && small.slots < 20000, "%llu slots", print(small.slots));
    }
    herd_close(&herd);
}

/* A table grows across the border and shrinks back by its keys. */
static void keys_cross_the_border(const struct variant *variant)
{
    const struct border *const border = border_of(variant);
    const size_t most = (size_t)(border->buckets * border->below), part = most / 8;
    struct herd herd;
    herd_open(&herd, variant, 0);
    while (herd.n < most) {
        herd_insert(&herd, part);
        table_check(&herd.table);
    }
    const struct table_numbers grown = herd_check(&herd);
    require(grown.slots_per_bucket == border->above, "%llu slots in a bucket", print(grown.slots_per_bucket));
    while (herd.n > 2 * part) {
        herd_erase(&herd, part);
        table_check(&herd.table);
    }
    const struct table_numbers shrunk = herd_check(&herd);
    require(shrunk.slots_per_bucket == border->below && shrunk.shrink_steps > 0, "%llu slots in a bucket, %llu shrink steps",
            print(shrunk.slots_per_bucket), print(shrunk.shrink_steps));
    herd_close(&herd);
}

/* ---- Growth ---------------------------------------------------------------------------------- */

static const double bounds[][2] = {{0.30, 0.85}, {0.42, 0.85}, {0.10, 0.50}, {0, 0.88}};

/* The factor of growth that an option asks for; the lower bound may allow less. */
static double step_of(const struct variant *variant, const double *bound)
{
    const double asked = strtod(strchr(variant->options, '=') + 1, NULL);
    return bound[0] > 0 ? fmin(asked, 0.97 * bound[1] / bound[0]) : asked;
}

/* number: a pair of bounds. */
static void steps_keep_the_fill(const struct variant *variant)
{
    const size_t n = settings_size(150000, 30000);
    const double *const bound = bounds[variant->number], step = step_of(variant, bound);
    struct herd herd;
    roost_config config;
    herd_config(variant, &config);
    config.min_fill = bound[0];
    config.max_fill = bound[1];
    herd_open_with(&herd, variant, &config);
    const struct table_numbers made = table_stats(&herd.table);
    while (herd.n < n) {
        suite_step("%zu keys", herd.n);
        herd_insert(&herd, 1 + (size_t)draw_below(&herd.dice, 10 + herd.n / 40));
        const struct table_numbers stats = table_stats(&herd.table);
        const double fill = stats.load_factor;
        require(fill <= bound[1], "a fill of %.4f", fill);
        if (stats.slots <= made.slots) continue;
        require(fill >= 0.97 * bound[1] / step && fill >= bound[0], "a fill of %.4f, after %llu slots of %llu", fill,
                print(stats.slots), print(made.slots));
    }
    const struct table_numbers stats = herd_check(&herd);
    const double steps = log((double)stats.slots / (double)made.slots) / log(step);
    /* A batch may need more than one factor, which is one step. */
    require((double)stats.grow_steps <= steps + 1.5 && (double)stats.grow_steps >= 0.85 * steps - 2,
            "%llu growth steps, and not %.2f", print(stats.grow_steps), steps);
    while (herd.n > n / 50) {
        herd_erase(&herd, herd.n / 10 + 1);
        const struct table_numbers less = table_stats(&herd.table);
        require(less.load_factor >= bound[0] || less.slots <= made.slots, "a fill of %.4f", less.load_factor);
    }
    herd_check(&herd);
    herd_close(&herd);
}

/* ---- Dead slots ------------------------------------------------------------------------------ */

/* Mixed batches erase and insert as many keys near the upper bound: dead slots fill buckets until
 * the next batch.  The table grows by one step at most. */
static void dead_slots_do_not_pile_up(const struct variant *variant)
{
    const size_t n = settings_size(30000, 6000);
    struct herd herd;
    herd_open(&herd, variant, n);
    const struct table_numbers made = table_stats(&herd.table);
    herd_insert(&herd, (size_t)(0.845 * (double)made.slots));
    require(table_stats(&herd.table).slots == made.slots, "the table has grown");
    for (int i = 0; i < 30; i++) {
        suite_step("batch %d", i);
        require(herd_mix(&herd, n / 8) == 0, "keys were refused");
        table_check(&herd.table);
    }
    const struct table_numbers stats = herd_check(&herd);
    require((double)stats.slots <= 1.52 * (double)made.slots && stats.grow_steps <= 1, "%llu slots became %llu", print(made.slots),
            print(stats.slots));
    herd_close(&herd);
}

/* Keys that a table which does not grow takes at least, and at most. */
static uint64_t permits_of(const struct table_numbers *stats)
{
    const double slots = (double)stats->slots;
    const double reach = stats->slots_per_bucket < 4    ? 0.86
                         : stats->slots_per_bucket < 6  ? 0.89
                         : stats->slots_per_bucket < 10 ? 0.92
                         : stats->slots_per_bucket < 14 ? 0.94
                                                        : 0.95;
    return (uint64_t)floor(reach * slots - fmin(8, slots / 32));
}

static void open_fixed(struct herd *herd, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    herd_config(variant, &config);
    config.capacity = capacity;
    config.growth = 0;
    herd_open_with(herd, variant, &config);
}

/* The same in a table that does not grow, which has `vacant` permits left. */
static void a_full_table_turns_over(const struct variant *variant)
{
    const size_t n = settings_size(20000, 5000), vacant = variant->number;
    struct herd herd;
    open_fixed(&herd, variant, n);
    const struct table_numbers made = table_stats(&herd.table);
    herd_insert(&herd, permits_of(&made) - vacant);
    for (int i = 0; i < 20; i++) {
        suite_step("batch %d", i);
        const size_t refused = herd_mix(&herd, i % 4 == 3 ? 1 + (size_t)i : n / 10);
        require(refused == 0, "%zu keys were refused", refused);
        table_check(&herd.table);
    }
    const struct table_numbers stats = herd_check(&herd);
    require(stats.slots == made.slots && stats.grow_steps == 0, "%llu slots became %llu", print(made.slots), print(stats.slots));
    herd_close(&herd);
}

/* ---- Evictions ------------------------------------------------------------------------------- */

/* A table that does not grow takes as many random keys as it has permits, and none more. */
static void fill_to_the_last_permit(const struct variant *variant, uint64_t capacity, size_t part)
{
    struct herd herd;
    open_fixed(&herd, variant, capacity);
    const struct table_numbers made = table_stats(&herd.table);
    const uint64_t permits = permits_of(&made);
    require(permits >= capacity, "%llu permits for %llu keys", print(permits), print(capacity));
    while (herd.n < permits) {
        const uint64_t left = permits - herd.n, some = 1 + draw_below(&herd.dice, part);
        const size_t n = (size_t)(some < left ? some : left), refused = herd_try(&herd, n);
        require(refused == 0, "%zu of %zu keys were refused, with %llu of %llu permits left", refused, n, print(left),
                print(permits));
    }
    require(herd_try(&herd, 100) == 100, "a full table took a key");
    const struct table_numbers stats = herd_check(&herd);
    require(stats.evicted > 0 || capacity < 2000, "no key was evicted");
    require(herd_reads_of_misses(&herd, 1000) <= 2, "a lookup read more than two buckets");
    herd_erase(&herd, (size_t)(herd.n / 3));
    herd_insert(&herd, (size_t)(permits - herd.n));
    herd_check(&herd);
    herd_close(&herd);
}

static void no_random_key_is_refused(const struct variant *variant)
{
    static const uint64_t capacities[] = {0, 1, 100, 300, 1000, 5000, 60000};
    for (size_t i = 0; i < settings_size(7, 6); i++) {
        suite_step("%llu keys", print(capacities[i]));
        fill_to_the_last_permit(variant, capacities[i], capacities[i] / 4 + 20);
    }
}
/* Buckets of narrower tags. */
static void no_key_is_refused_beyond_the_border(const struct variant *variant)
{
    const struct border *const border = border_of(variant);
    fill_to_the_last_permit(variant, border->buckets * border->below * 4 / 5 + 1000, 500000);
}

/* ---- Packing --------------------------------------------------------------------------------- */

/* roost_compact brings a table that has lost most of its keys to the size for which it would be
 * made.  number: the share that is left, in percent. */
static void packed_tables_are_filled(const struct variant *variant)
{
    const size_t n = settings_size(100000, 30000), left = n * variant->number / 100;
    struct herd herd;
    roost_config config;
    herd_config(variant, &config);
    config.min_fill = 0;
    herd_open_with(&herd, variant, &config);
    herd_insert(&herd, n);
    const struct table_numbers grown = table_stats(&herd.table);
    herd_erase(&herd, n - left);
    require(table_stats(&herd.table).slots == grown.slots, "the table has shrunk already");
    require_status(ROOST_OK, roost_compact(herd.table.handle), herd.table.handle);
    const struct table_numbers packed = herd_check(&herd);
    require(packed.load_factor > 0.79 && packed.load_factor <= 0.801, "a fill of %.4f", packed.load_factor);
    const double hits = herd_reads_of_hits(&herd, left), misses = herd_reads_of_misses(&herd, left);
    require(hits <= herd_most_reads(&packed).turned && misses <= 1.06, "%.4f reads a hit, %.4f a miss", hits, misses);
    herd_insert(&herd, n);
    herd_check(&herd);
    herd_close(&herd);
}

/* In a table that keeps its size, keys come back to their first homes, and filters lose the bits of
 * keys that are gone. */
static void packing_tidies(const struct variant *variant)
{
    const size_t n = settings_size(40000, 8000);
    struct herd herd;
    open_fixed(&herd, variant, n);
    const struct table_numbers made = table_stats(&herd.table);
    herd_insert(&herd, permits_of(&made));
    const double full = herd_reads_of_misses(&herd, n);
    herd_erase(&herd, herd.n * 3 / 4);
    require_status(ROOST_OK, roost_compact(herd.table.handle), herd.table.handle);
    const struct table_numbers stats = herd_check(&herd);
    const double hits = herd_reads_of_hits(&herd, herd.n), misses = herd_reads_of_misses(&herd, n);
    require(stats.slots == made.slots, "%llu slots became %llu", print(made.slots), print(stats.slots));
    require(hits <= 1.02 && misses <= 1.01, "%.4f reads a hit, %.4f a miss, of %.4f", hits, misses, full);
    herd_close(&herd);
}

/* ---- Options --------------------------------------------------------------------------------- */

static const char *const wrong_options[] = {
    "step=1",     "step=1.049",     "step=4.001", "step=auto", "step=",       "step=1.5x",          "step=1.5,step=2",
    "hash=plain", "hash=universal", "hash=",      "find=tile", "driver=vote", "driver=cooperative", "tile=33",
    "apply=none", "growth=move",
};

static void wrong_options_are_refused(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof wrong_options / sizeof *wrong_options; i++) {
        roost_config config;
        struct table table;
        herd_config(variant, &config);
        config.options = wrong_options[i];
        suite_step("%s", config.options);
        require_status(ROOST_ERR_ARGUMENT, table_create(&table, variant, &config), NULL);
    }
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* A build gives a region no more items than it can serve soon: the others go the way of items
 * without a region, and each copy of a key counts. */
static void copies_leave_a_build(const struct variant *variant)
{
    enum { ITEMS = 60000, COPIES = 50000 };
    struct table table;
    roost_config config;
    uint64_t *keys = make_patterns(ITEMS), *values = make_patterns(ITEMS), sum = 0;
    uint8_t *statuses = (uint8_t *)make_patterns(ITEMS / sizeof(uint64_t)), found = 0;
    size_t inserted = 0;
    herd_config(variant, &config);
    config.capacity = ITEMS;
    config.options = "bulk=on";
    for (size_t i = 0; i < ITEMS; i++) keys[i] = i % 6 ? 7 : 1000 + i, values[i] = 1;
    table_open(&table, variant, &config);
    require_status(ROOST_OK, table_insert(&table, ROOST_ADD, keys, values, ITEMS, statuses), table.handle);
    for (size_t i = 0; i < ITEMS; i++) inserted += statuses[i] == ROOST_ITEM_INSERTED;
    require(inserted == ITEMS - COPIES + 1, "%zu items inserted a key", inserted);
    require_status(ROOST_OK, table_find(&table, keys + 1, 1, &sum, &found, NULL), table.handle);
    require(found && sum == COPIES, "the copies add up to %llu", print(sum));
    table_check(&table);
    table_close(&table);
    free(keys), free(values), free(statuses);
}

/* Erases leave bits in slots without a key: marks of mixed batches, and high parts of tags. */
static void builds_take_erased_slots(const struct variant *variant)
{
    const size_t n = settings_size(40000, 8000);
    struct herd herd;
    roost_config config;
    herd_config(variant, &config);
    config.capacity = n;
    config.options = "bulk=on";
    herd_open_with(&herd, variant, &config);
    herd_insert(&herd, n);
    for (int round = 0; round < 4; round++) {
        herd_mix(&herd, n / 4);
        herd_erase(&herd, n / 5);
        herd_insert(&herd, n / 5);
        herd_check(&herd);
    }
    herd_close(&herd);
}

/* Where nobody asks for statuses, items that a build has no room for are pairs of its own arrays.
 * Half of the keys are new, and each comes twice in a row; the table grows at the end. */
static void builds_need_no_statuses(const struct variant *variant)
{
    const size_t n = settings_size(200000, 50000), all = 2 * n;
    struct herd herd;
    herd_open(&herd, variant, n);
    const struct test_shape *const shape = &herd.table.shape;
    const uint64_t mask = width_mask(shape->value_bytes);
    uint64_t *keys = make_patterns(2 * all), *values = make_patterns(2 * all), *seen = make_patterns(all);
    uint8_t *found = make_bytes(all);
    for (size_t i = 0; i < 2 * all; i++) keys[i] = distinct_key(shape, i / 2), values[i] = mix64(i / 2);
    const roost_mode mode = shape->value_bytes ? ROOST_ADD : ROOST_KEEP;
    require_status(ROOST_OK, table_insert(&herd.table, ROOST_ASSIGN, keys, values, n, NULL), herd.table.handle);
    require(table_stats(&herd.table).count == n / 2, "%llu keys", print(table_stats(&herd.table).count));
    for (size_t part = 1; part <= 2; part++) {
        suite_step("part %zu", part);
        require_status(ROOST_OK, table_insert(&herd.table, mode, keys, values, part * all, NULL), herd.table.handle);
        require(table_stats(&herd.table).count == part * n, "%llu keys", print(table_stats(&herd.table).count));
        table_check(&herd.table);
    }
    for (size_t i = 0; i < all; i++) keys[i] = distinct_key(shape, i);
    require_status(ROOST_OK, table_find(&herd.table, keys, all, seen, found, NULL), herd.table.handle);
    for (size_t i = 0; i < all; i++) {
        const uint64_t times = i < n / 2 ? 5 : i < n ? 4 : 2;
        require(found[i] && (!shape->value_bytes || (seen[i] & mask) == (times * mix64(i) & mask)), "key %zu has %llx", i,
                print(seen[i]));
    }
    free(keys), free(values), free(seen), free(found);
    herd_close(&herd);
}

static void add_reads(void)
{
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        suite_add("lookups read one bucket", lookups_read_one_bucket,
                  (struct variant){.shape = &shapes[s], .number = settings_size(100000, 50000)});
    if (!settings_get()->is_short)
        suite_add("lookups read one bucket", lookups_read_one_bucket, (struct variant){.shape = &shapes[0], .number = 4000000});
    suite_add_once("pairs take eight bytes", pairs_take_eight_bytes);
    suite_add_once("copies leave a build", copies_leave_a_build);
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        suite_add("builds take erased slots", builds_take_erased_slots, (struct variant){.shape = &shapes[s]});
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        suite_add("builds need no statuses", builds_need_no_statuses, (struct variant){.shape = &shapes[s], .options = "bulk=on"});
    for (uint64_t way = 0; way < WAYS; way++)
        for (size_t s = 0; s < SHAPE_COUNT; s++)
            suite_add("turns keep reads few", turns_keep_reads_few, (struct variant){.shape = &shapes[s], .number = way});
    if (!settings_get()->is_short) suite_add_once("turns of a large table", turns_of_a_large_table);
}

static void add_sizes(void)
{
    static const char *const steps[] = {"step=1.05", "step=1.1", "step=1.5", "step=2", "step=4"};
    suite_add_widths("reservations cross the border", reservations_cross_the_border);
    if (!settings_get()->is_short) {
        suite_add_once("keys cross the border", keys_cross_the_border);
        suite_add("keys cross the border", keys_cross_the_border, (struct variant){.shape = shape_named("4+8")});
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (uint64_t pair = 0; pair < sizeof bounds / sizeof *bounds; pair++)
            suite_add("steps keep the fill", steps_keep_the_fill,
                      (struct variant){.shape = &shapes[(i + pair) % SHAPE_COUNT], .options = steps[i], .number = pair});
}

static void add_full(void)
{
    suite_add_widths("dead slots do not pile up", dead_slots_do_not_pile_up);
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        for (uint64_t vacant = 0; vacant < 100; vacant += 33)
            suite_add("a full table turns over", a_full_table_turns_over, (struct variant){.shape = &shapes[s], .number = vacant});
    suite_add_widths("no random key is refused", no_random_key_is_refused);
    if (settings_get()->is_short) return;
    suite_add_once("no key is refused beyond the border", no_key_is_refused_beyond_the_border);
    suite_add("no key is refused beyond the border", no_key_is_refused_beyond_the_border,
              (struct variant){.shape = shape_named("4+8")});
    suite_add("no key is refused beyond the border", no_key_is_refused_beyond_the_border,
              (struct variant){.shape = shape_named("8+8")});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_reads();
    add_sizes();
    add_full();
    for (size_t s = 0; s < SHAPE_COUNT; s++)
        for (uint64_t left = 5; left < 80; left *= 4)
            suite_add("packed tables are filled", packed_tables_are_filled, (struct variant){.shape = &shapes[s], .number = left});
    suite_add_widths("packing tidies", packing_tidies);
    suite_add_once("wrong options are refused", wrong_options_are_refused);
    return suite_run("compact");
}
