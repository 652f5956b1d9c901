/* Tables that may not grow: filled to 0.95 without a lost key, and full ones that report exactly
 * the items that they did not store. */
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

static void fixed_config(const struct variant *variant, roost_config *config, uint64_t capacity, double max_fill)
{
    table_config(variant, config);
    config->growth = 0;
    config->capacity = capacity;
    config->max_fill = max_fill;
}

static void number_keys(const struct test_shape *shape, uint64_t first, uint64_t *keys, uint64_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(shape, first + i);
        values[i] = (first + i) & width_mask(shape->value_bytes);
    }
}

/* ---- Static fill ---------------------------------------------------------------------------- */

/* Stores keys `first` to `end`, in batches. */
static void fill_to(struct model *model, uint64_t first, uint64_t end)
{
    const size_t batch = 20000;
    uint64_t *keys = make_patterns(batch), *values = make_patterns(batch);
    while (first < end) {
        const size_t n = end - first < batch ? (size_t)(end - first) : batch;
        number_keys(&model->table.shape, first, keys, values, n);
        suite_step("keys %llu and up", print(first));
        require_status(ROOST_OK, model_insert(model, ROOST_ASSIGN, keys, values, n), model->table.handle);
        first += n;
    }
    free(keys);
    free(values);
}

static void check_paths(const struct table_numbers *stats)
{
    uint64_t paths = 0;
    for (int i = 1; i < NUMBERS_PATH_LENGTHS; i++) paths += stats->path_length[i];
    require(paths > 0, "no eviction path at a load factor of %.3f", stats->load_factor);
    require(stats->evicted >= paths, "%llu paths of at least one move, but %llu moves", print(paths), print(stats->evicted));
}

/* The fill that a fixed table with these options must reach.  0.95, except with small buckets,
 * where paths to a vacancy are rarer.  Lists of slabs end with partly empty slabs, and no list
 * can use another list's slab. */
static double fill_of(const struct variant *variant)
{
    if (!settings_on_dycuckoo()) return 0.60;
    return variant->options && !strcmp(variant->options, "slots=4") ? 0.91 : 0.95;
}

/* The fill that it is sure to reach.  Of slab's slots a tenth are in slabs that only improbable
 * keys need. */
static double reach_of(const struct variant *variant) { return fill_of(variant) * (settings_on_slab() ? 0.9 : 1); }

/* First fills to the requested capacity, then to reach_of the slots that were made. */
static void static_fill(const struct variant *variant)
{
    const uint64_t capacity = settings_size(120000, 30000);
    const double fill = fill_of(variant);
    roost_config config;
    fixed_config(variant, &config, capacity, fill);
    struct model model;
    model_open(&model, variant, &config);
    const uint64_t slots = table_stats(&model.table).slots;
    require((double)slots * (settings_on_dycuckoo() ? fill : 1) >= (double)capacity - 1, "%llu slots for %llu keys", print(slots),
            print(capacity));
    fill_to(&model, 0, capacity);
    const uint64_t most = (uint64_t)((double)slots * reach_of(variant));
    fill_to(&model, capacity, most > capacity ? most : capacity);
    const struct table_numbers stats = table_stats(&model.table);
    require(stats.slots == slots && stats.grow_steps == 0, "a fixed table went from %llu to %llu slots", print(slots),
            print(stats.slots));
    require(stats.load_factor > reach_of(variant) - 0.001, "load factor %.4f", stats.load_factor);
    if (stats.subtables) check_paths(&stats);
    model_compare(&model);
    model_close(&model);
}

static void meet_capacities(const struct variant *variant, double max_fill)
{
    static const uint64_t capacities[] = {1, 2, 7, 33, 100, 1000, 4097, 15000};
    for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
        roost_config config;
        fixed_config(variant, &config, capacities[i], max_fill);
        struct model model;
        model_open(&model, variant, &config);
        fill_to(&model, 0, capacities[i]);
        model_compare(&model);
        model_close(&model);
    }
}

static void capacities_are_met(const struct variant *variant) { meet_capacities(variant, 0.85); }

/* Copies of keys take no room, however they lie in a batch: in runs, or far apart. */
static void copies_take_no_room(const struct variant *variant)
{
    enum { COPIES = 64 };
    const size_t kept = settings_size(1000, 300), n = kept * COPIES;
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    for (int apart = 0; apart < 2; apart++) {
        roost_config config;
        fixed_config(variant, &config, kept, 0.85);
        struct model model;
        model_open(&model, variant, &config);
        for (size_t i = 0; i < n; i++) number_keys(variant->shape, apart ? i % kept : i / COPIES, keys + i, values + i, 1);
        for (int again = 0; again < 2; again++) {
            suite_step("%d copies of %zu keys, %s", COPIES, kept, apart ? "apart" : "in runs");
            require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, values, n), model.table.handle);
            model_compare(&model);
        }
        model_close(&model);
    }
    free(keys);
    free(values);
}

/* A table that keeps slots vacant when it is full has them beside its capacity. */
static void capacities_are_met_by_full_tables(const struct variant *variant) { meet_capacities(variant, 1); }

/* ---- Full ----------------------------------------------------------------------------------- */

static void require_full(struct model *model, const uint64_t *keys, const uint64_t *values, size_t n)
{
    require_status(ROOST_ERR_FULL, model_insert(model, ROOST_ASSIGN, keys, values, n), model->table.handle);
    require(*roost_last_error(model->table.handle), "a full table gives no error text");
}

/* Earlier keys stay and can be updated and erased; erases make room. */
static void full_tables_name_what_they_refused(const struct variant *variant)
{
    roost_config config;
    fixed_config(variant, &config, settings_size(2000, 400), 0.85);
    struct model model;
    model_open(&model, variant, &config);
    const uint64_t slots = table_stats(&model.table).slots;
    const size_t n = (size_t)slots;
    uint64_t *keys = make_patterns(4 * n), *values = make_patterns(4 * n);
    number_keys(variant->shape, 0, keys, values, 4 * n);

    fill_to(&model, 0, config.capacity);
    suite_step("far too many");
    /* on a GPU items without room wait for each other for long */
    require_full(&model, keys, values, settings_rounds(4, 2) * n);
    require(reference_count(model.reference) >= config.capacity, "a table for %llu keys holds %llu", print(config.capacity),
            print(reference_count(model.reference)));
    model_compare(&model);

    suite_step("updates need no room");
    struct pairs pairs = table_export(&model.table, 4096);
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, pairs.keys, values, pairs.n), model.table.handle);
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, pairs.keys, values, pairs.n), model.table.handle);
    suite_step("more keys without room, repeatedly");
    for (size_t i = 0; i < 3; i++) (void)model_insert(&model, ROOST_KEEP, keys + n * i, values, settings_rounds(2, 1) * n);

    /* Half are erased and a quarter is inserted.  Lists of slabs are only guaranteed to hold the
     * capacity. */
    const size_t staying = settings_on_dycuckoo() ? pairs.n - pairs.n / 2 : config.capacity / 2;
    const size_t coming = settings_on_dycuckoo() ? pairs.n / 4 : config.capacity - staying;
    suite_step("%zu of %zu keys stay, %zu come", staying, pairs.n, coming);
    struct dice dice = {suite_seed()};
    /* in the table's order the last keys would be those of its longest lists */
    draw_order(&dice, pairs.keys, pairs.n);
    model_erase(&model, pairs.keys, pairs.n - staying);
    number_keys(variant->shape, 8 * slots, keys, values, coming);
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, coming), model.table.handle);
    model_compare(&model);
    require(table_stats(&model.table).slots == slots, "a fixed table changed its size");
    pairs_free(&pairs);
    model_close(&model);
    free(keys);
    free(values);
}

/* New keys that do not all fit, each several times in the batch, with present keys among them. */
static void duplicates_in_a_full_table(const struct variant *variant)
{
    roost_config config;
    fixed_config(variant, &config, 500, 0.85);
    struct model model;
    struct dice dice = {suite_seed()};
    model_open(&model, variant, &config);
    const size_t slots = (size_t)table_stats(&model.table).slots, n = settings_rounds(6, 4) * slots;
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    fill_to(&model, 0, 200);
    for (roost_mode mode = ROOST_ASSIGN; mode < mode_count(variant->shape); mode++) {
        for (size_t i = 0; i < n; i++) {
            keys[i] = distinct_key(variant->shape, draw_below(&dice, 2 * slots));
            values[i] = draw_value(&dice, variant->shape->value_type);
        }
        suite_step("mode %s", mode_name(mode));
        require_status(ROOST_ERR_FULL, model_insert(&model, mode, keys, values, n), model.table.handle);
        model_compare(&model);
    }
    model_close(&model);
    free(keys);
    free(values);
}

/* The smallest fixed table, item by item, until long after it is full; on a GPU several items at
 * a time until it is full. */
static void full_item_by_item(const struct variant *variant)
{
    roost_config config;
    fixed_config(variant, &config, 0, 0.85);
    struct model model;
    model_open(&model, variant, &config);
    const uint64_t slots = table_stats(&model.table).slots;
    /* one batch up to the fill that no table refuses */
    const uint64_t first = slots > 2000 ? slots / 10 * 9 : 0;
    const uint64_t most = settings_rounds(1, 8);
    uint64_t refused = 0;
    if (first) fill_to(&model, 0, slots / 2);
    if (first) fill_to(&model, slots / 2, (uint64_t)((double)slots * 0.85));
    for (uint64_t i = first, n; i < slots + 100; i += n) {
        const uint64_t before = reference_count(model.reference);
        uint64_t keys[8], values[8];
        n = i + most <= slots ? most : 1;
        number_keys(variant->shape, i, keys, values, (size_t)n);
        suite_step("key %llu of %llu slots", print(i), print(slots));
        const roost_status status = model_insert(&model, ROOST_KEEP, keys, values, (size_t)n);
        require(status == ROOST_OK || status == ROOST_ERR_FULL, "%s in a fixed table", roost_status_name(status));
        refused += n - (reference_count(model.reference) - before);
    }
    require(refused >= 99, "%llu slots took all but %llu of %llu keys", print(slots), print(refused), print(slots + 100));
    model_compare(&model);
    model_close(&model);
}

/* Keys whose bits mean vacant or erased slots are stored beside the others: tables of several sizes
 * are filled by ordinary keys before or after such keys come.  After each call the model compares
 * count and slots. */
static void counts_stay_within_slots(const struct variant *variant)
{
    static const uint64_t capacities[] = {0, 1, 40, 1000};
    const size_t calls = settings_rounds(8, 2);
    uint64_t odd[PATTERN_COUNT], none[PATTERN_COUNT] = {0};
    draw_patterns(odd, variant->shape->key_bytes);
    for (size_t i = 0; i < 2 * sizeof capacities / sizeof *capacities; i++) {
        roost_config config;
        struct model model;
        fixed_config(variant, &config, capacities[i / 2], 1);
        model_open(&model, variant, &config);
        const size_t n = (size_t)table_stats(&model.table).slots;
        uint64_t *keys = numbered_keys(variant->shape, 0, calls * n), *values = make_patterns(n);
        suite_step("capacity %llu", print(config.capacity));
        if (i % 2 == 0) (void)model_insert(&model, ROOST_KEEP, odd, none, PATTERN_COUNT);
        for (size_t call = 0; call < calls; call++) (void)model_insert(&model, ROOST_KEEP, keys + call * n, values, n);
        if (i % 2 == 1) (void)model_insert(&model, ROOST_KEEP, odd, none, PATTERN_COUNT);
        model_compare(&model);
        model_close(&model);
        free(keys);
        free(values);
    }
}

/* ---- Full, and full again ------------------------------------------------------------------- */

/* A full table, and the keys that it took. */
struct full {
    struct table table;
    uint64_t *keys;
    size_t n;      /* keys stored */
    uint64_t next; /* number of the next new key */
};

/* Offers four times as many keys as there are slots, in one batch. */
static void full_open(struct full *f, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    fixed_config(variant, &config, capacity, 0.85);
    table_open(&f->table, variant, &config);
    const size_t offered = 4 * (size_t)table_stats(&f->table).slots;
    uint64_t *values = make_patterns(offered);
    uint8_t *statuses = make_bytes(offered);
    f->keys = numbered_keys(variant->shape, 0, offered);
    f->next = offered;
    f->n = 0;
    require_status(ROOST_ERR_FULL, table_insert(&f->table, ROOST_ASSIGN, f->keys, values, offered, statuses), f->table.handle);
    for (size_t i = 0; i < offered; i++)
        if (statuses[i] == ROOST_ITEM_INSERTED) f->keys[f->n++] = f->keys[i];
    free(values);
    free(statuses);
}

static void full_close(struct full *f)
{
    require(table_stats(&f->table).count == f->n, "%llu keys, not %zu", print(table_stats(&f->table).count), f->n);
    table_check(&f->table);
    table_close(&f->table);
    free(f->keys);
}

/* One stored key goes and a new one comes.  Returns true if it is refused. */
static bool full_exchange(struct full *f, struct dice *dice)
{
    const size_t at = (size_t)draw_below(dice, f->n);
    const uint64_t key = distinct_key(&f->table.shape, f->next++), value = 0;
    uint8_t status;
    require_status(ROOST_OK, table_erase(&f->table, &f->keys[at], 1, &status), f->table.handle);
    require(status == ROOST_ITEM_ERASED, "an erase of a stored key ended %u", status);
    f->keys[at] = f->keys[--f->n];
    (void)table_insert(&f->table, ROOST_ASSIGN, &key, &value, 1, &status);
    if (status == ROOST_ITEM_INSERTED) f->keys[f->n++] = key;
    return status == ROOST_ITEM_FULL;
}

/* roost.h says at most 1 %, and 2 % where fks has pairs of 12 bytes. */
static void erases_make_room_for_as_many(const struct variant *variant)
{
    static const uint64_t capacities[] = {20, 300, 4000, 50000};
    enum { TURNS = 2000 /* the shares of fewer differ much by chance */ };
    const size_t sizes = settings_size(sizeof capacities / sizeof *capacities, 3);
    const bool has_12_bytes = settings_on_fks() && variant->shape->key_bytes + variant->shape->value_bytes == 12;
    for (size_t i = 0; i < sizes; i++) {
        struct full f;
        struct dice dice = {suite_seed()};
        size_t refused = 0;
        suite_step("capacity %llu", print(capacities[i]));
        full_open(&f, variant, capacities[i]);
        for (size_t turn = 0; turn < TURNS; turn++) refused += full_exchange(&f, &dice);
        require(refused <= TURNS / (has_12_bytes ? 50 : 100), "%zu of %d keys found no room, each after an erase", refused, TURNS);
        full_close(&f);
    }
}

/* New keys, beside which all stored ones are updated. */
static void full_tables_do_not_search(const struct variant *variant)
{
    struct full f;
    full_open(&f, variant, 3000);
    const size_t n = 2 * f.n;
    uint64_t *keys = numbered_keys(variant->shape, f.next, n), *values = make_patterns(n);
    uint8_t *statuses = make_bytes(n);
    for (size_t i = 0; i < f.n; i++) keys[2 * i] = f.keys[i];
    const uint64_t before = table_stats(&f.table).launches;
    require_status(ROOST_ERR_FULL, table_insert(&f.table, ROOST_KEEP, keys, values, n, statuses), f.table.handle);
    const uint64_t launches = table_stats(&f.table).launches - before;
    require(launches == 1, "%llu passes over items that a full table refuses", print(launches));
    for (size_t i = 0; i < n; i++)
        require(statuses[i] == (i % 2 ? ROOST_ITEM_FULL : ROOST_ITEM_KEPT), "item %zu ended %u", i, statuses[i]);
    free(keys);
    free(values);
    free(statuses);
    full_close(&f);
}

/* A batch that fills the table has each of its new keys several times, far apart. */
static void copies_of_a_key_end_alike(const struct variant *variant)
{
    enum { ROOM = 100, KEYS = 4 * ROOM, COPIES = 5 };
    struct full f;
    full_open(&f, variant, 3000);
    uint64_t *keys = make_patterns(KEYS * COPIES), *values = make_patterns(KEYS * COPIES);
    uint8_t *statuses = make_bytes(KEYS * COPIES);
    require_status(ROOST_OK, table_erase(&f.table, f.keys + f.n - ROOM, ROOM, statuses), f.table.handle);
    f.n -= ROOM;
    for (size_t i = 0; i < KEYS * COPIES; i++) keys[i] = distinct_key(variant->shape, f.next + i % KEYS);
    (void)table_insert(&f.table, ROOST_KEEP, keys, values, KEYS * COPIES, statuses);
    for (size_t key = 0; key < KEYS; key++) {
        size_t refused = 0, inserted = 0;
        for (size_t i = key; i < KEYS * COPIES; i += KEYS) {
            refused += statuses[i] == ROOST_ITEM_FULL;
            inserted += statuses[i] == ROOST_ITEM_INSERTED;
        }
        require(inserted == (refused == 0) && refused % COPIES == 0, "of %d items of a key %zu were refused and %zu inserted",
                COPIES, refused, inserted);
        f.n += inserted;
    }
    free(keys);
    free(values);
    free(statuses);
    full_close(&f);
}

/* ---- Reservations --------------------------------------------------------------------------- */

/* A reservation enlarges a table that does not grow, keeps its keys, and never makes it smaller. */
static void reservations_enlarge(const struct variant *variant)
{
    enum { FEW = 300, MANY = 5000 };
    roost_config config;
    struct model model;
    fixed_config(variant, &config, FEW, 0.85);
    model_open(&model, variant, &config);
    fill_to(&model, 0, FEW);
    const uint64_t slots = table_stats(&model.table).slots;
    suite_step("no more than are stored");
    model_reserve(&model, FEW);
    require(table_stats(&model.table).slots == slots, "%llu slots became %llu", print(slots),
            print(table_stats(&model.table).slots));
    suite_step("more than are stored");
    model_reserve(&model, MANY);
    const uint64_t large = table_stats(&model.table).slots;
    require(large >= MANY, "only %llu slots for %d keys", print(large), MANY);
    fill_to(&model, FEW, MANY);
    for (uint64_t keys = 0; keys <= 2 * FEW; keys += FEW) {
        suite_step("a reservation of %llu", print(keys));
        model_reserve(&model, keys);
        require(table_stats(&model.table).slots == large, "%llu slots became %llu", print(large),
                print(table_stats(&model.table).slots));
        model_compare(&model);
        if (keys == 0) model_clear(&model);
    }
    fill_to(&model, 0, MANY);
    model_compare(&model);
    model_close(&model);
}

/* A reservation before each of many batches moves the keys a few times, not each time. */
static void reservations_rise_by_quarters(const struct variant *variant)
{
    enum { STEP = 10, STEPS = 300, QUARTERS = 26 /* log 300 by 1.25 */, FEW = 6 };
    roost_config config;
    struct model model;
    uint64_t changes = 0;
    fixed_config(variant, &config, 0, 0.85);
    config.growth = (int)variant->number;
    model_open(&model, variant, &config);
    for (uint64_t keys = 0; keys < STEP * STEPS; keys += STEP) {
        const uint64_t slots = table_stats(&model.table).slots;
        model_reserve(&model, keys + STEP);
        changes += table_stats(&model.table).slots != slots;
        fill_to(&model, keys, keys + STEP);
    }
    require(changes <= QUARTERS + FEW, "%llu of %d reservations changed the table's size", print(changes), STEPS);
    model_compare(&model);
    suite_step("fewer");
    model_reserve(&model, STEP);
    model_reserve(&model, 0);
    model_compare(&model);
    model_close(&model);
}

static void add_full(void)
{
    suite_add_widths("capacities are met by full tables", capacities_are_met_by_full_tables);
    suite_add_widths("erases make room for as many", erases_make_room_for_as_many);
    if (settings_on_dycuckoo())
        suite_add("erases make room for as many", erases_make_room_for_as_many,
                  (struct variant){.shape = &shapes[0], .options = "slots=4"});
    suite_add_widths("full tables do not search", full_tables_do_not_search);
    suite_add_widths("copies of a key end alike", copies_of_a_key_end_alike);
    suite_add("copies of a key end alike", copies_of_a_key_end_alike, (struct variant){.shape = &shapes[0], .threads = 8});
}

static void add_options(void)
{
    static const char *const options[] = {"subtables=2", "subtables=3", "subtables=5",    "subtables=8", "slots=16",
                                          "slots=32",    "slots=4",     "publish=locked", "layers=1"};
    /* the last one needs ROOST_TUNE */
    const size_t n = sizeof options / sizeof *options - !settings_tuned();
    for (size_t i = 0; i < n; i++) {
        const struct variant variant = {.shape = &shapes[0], .options = options[i]};
        suite_add("static fill", static_fill, variant);
        suite_add("full tables name what they refused", full_tables_name_what_they_refused, variant);
    }
    suite_add("full tables name what they refused", full_tables_name_what_they_refused,
              (struct variant){.shape = &shapes[0], .threads = 8});
    suite_add("full tables name what they refused", full_tables_name_what_they_refused,
              (struct variant){.shape = &shapes[1], .threads = 8});
    suite_add("duplicates in a full table", duplicates_in_a_full_table, (struct variant){.shape = &shapes[0], .threads = 8});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("static fill", static_fill);
    suite_add_wide("static fill", static_fill, shape_is_any);
    suite_add_widths("capacities are met", capacities_are_met);
    suite_add_wide("capacities are met", capacities_are_met, shape_is_any);
    suite_add_widths("copies take no room", copies_take_no_room);
    suite_add_wide("copies take no room", copies_take_no_room, shape_is_any);
    suite_add_widths("full tables name what they refused", full_tables_name_what_they_refused);
    suite_add_wide("full tables name what they refused", full_tables_name_what_they_refused, shape_is_any);
    suite_add_widths("duplicates in a full table", duplicates_in_a_full_table);
    suite_add_wide("duplicates in a full table", duplicates_in_a_full_table, shape_is_any);
    suite_add_widths("full item by item", full_item_by_item);
    suite_add_wide("full item by item", full_item_by_item, shape_is_any);
    suite_add_widths("counts stay within slots", counts_stay_within_slots);
    suite_add_wide("counts stay within slots", counts_stay_within_slots, shape_is_any);
    if (settings_on_stadium())
        suite_add("counts stay within slots", counts_stay_within_slots,
                  (struct variant){.shape = &shapes[0], .options = "access=off"});
    suite_add_widths("reservations enlarge", reservations_enlarge);
    suite_add_wide("reservations enlarge", reservations_enlarge, shape_is_any);
    for (uint64_t growth = 0; growth < 2; growth++)
        for (size_t i = 0; i < 2; i++)
            suite_add("reservations rise by quarters", reservations_rise_by_quarters,
                      (struct variant){.shape = &shapes[i], .number = growth});
    add_full();
    if (settings_on_dycuckoo()) add_options();
    return suite_run("fixed");
}
