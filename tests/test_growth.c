/* Growing and shrinking: the fill is inside its bounds after every batch, each step moves few
 * keys, repeated accesses never grow a table, and reservations hold. */
#include "support/faulty_backend.h"
#include "support/sequences.h"
#include "support/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void insert(struct model *model, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n)
{
    require_status(ROOST_OK, model_insert(model, mode, keys, values, n), model->table.handle);
}

/* Keys number `first` and up; each is its own value. */
static void number_keys(const struct test_shape *shape, uint64_t first, uint64_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(shape, first + i);
}

/* ---- Cycles --------------------------------------------------------------------------------- */

/* Batches from 1 item to a fourteenth of all items, on a GPU to an eighth. */
static size_t cycle_batch(struct dice *dice, size_t left, size_t n)
{
    const size_t size = 1 + (size_t)draw_below(dice, draw_below(dice, 4) ? n / settings_rounds(14, 8) : 40);
    return size < left ? size : left;
}

static void fill_up(struct model *model, struct dice *dice, const uint64_t *keys, size_t n)
{
    const uint64_t shrinks = table_stats(&model->table).shrink_steps;
    for (size_t done = 0, size; done < n; done += size) {
        size = cycle_batch(dice, n - done, n);
        suite_step("inserting %zu after %zu", size, done);
        insert(model, ROOST_ASSIGN, keys + done, keys + done, size);
    }
    require(table_stats(&model->table).shrink_steps == shrinks, "inserting shrank the table");
}

static void drain(struct model *model, struct dice *dice, const uint64_t *keys, size_t n)
{
    const uint64_t growths = table_stats(&model->table).grow_steps;
    for (size_t done = 0, size; done < n; done += size) {
        size = cycle_batch(dice, n - done, n);
        suite_step("erasing %zu after %zu", size, done);
        model_erase(model, keys + done, size);
    }
    require(table_stats(&model->table).grow_steps == growths, "erasing made the table grow");
}

static void run_cycles(const struct variant *variant, double min_fill, double max_fill, size_t cycles, size_t n)
{
    uint64_t *keys = make_patterns(n);
    struct dice dice = {suite_seed()};
    struct model model;
    roost_config config;
    table_config(variant, &config);
    config.min_fill = min_fill;
    config.max_fill = max_fill;
    model_open(&model, variant, &config);
    for (size_t cycle = 0; cycle < cycles; cycle++) {
        number_keys(variant->shape, n * cycle, keys, n);
        fill_up(&model, &dice, keys, n);
        require(table_stats(&model.table).slots >= n, "%zu keys in %llu slots", n, print(table_stats(&model.table).slots));
        model_compare(&model);
        drain(&model, &dice, keys, n);
        require(table_stats(&model.table).slots <= model.rules.created, "an empty table keeps %llu slots instead of %llu",
                print(table_stats(&model.table).slots), print(model.rules.created));
    }
    require(table_stats(&model.table).shrink_steps > 0, "the table never shrank");
    model_close(&model);
    free(keys);
}

static void many_cycles(const struct variant *variant)
{
    run_cycles(variant, 0.30, 0.85, settings_rounds(3, 2), settings_size(15000, 5000));
}

static void cycles_between_other_bounds(const struct variant *variant)
{
    static const double bounds[][2] = {{0.10, 0.50}, {0.05, 0.95}, {0.40, 0.90}, {0.30, 0.50}};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        run_cycles(variant, fmin(bounds[i][0], fill_narrow(bounds[i][1])), bounds[i][1], 1, settings_size(20000, 6000));
}

/* Erases in the order of an export leave the keys of a few buckets.  Inserts among them find
 * their homes full at a low fill and force growth, even below the lower bound if that is close
 * to the upper one.  Afterwards the table is still as small as its keys allow.  A GPU exports
 * buckets in any order, so keys of more buckets are left, and a step is rarely forced: there the
 * rounds go on until one was.  For 4-byte keys without values, whose buckets have the most slots,
 * none is. */
static void few_full_buckets(const struct variant *variant)
{
    enum { MOST = 3000, LEFT = 200, PARTS = 12, PART = 20, ROUNDS_MOST = 400 };
    const size_t rounds = settings_rounds(settings_size(40, 25), 8);
    const bool forces = !settings_on_gpu() || variant->shape->key_bytes + variant->shape->value_bytes > 4;
    uint64_t forced = 0;
    uint64_t keys[MOST];
    struct dice dice = {suite_seed()};
    struct model model;
    roost_config config;
    table_config(variant, &config);
    config.max_fill = 0.80;
    config.min_fill = fill_narrow(config.max_fill);
    model_open(&model, variant, &config);
    for (size_t round = 0; round < rounds || (forces && !forced && round < ROUNDS_MOST); round++) {
        suite_step("round %zu", round);
        number_keys(variant->shape, round * 2 * MOST, keys, MOST);
        insert(&model, ROOST_ASSIGN, keys, keys, MOST);
        struct pairs pairs = table_export(&model.table, 1 << 12);
        const size_t from = (size_t)draw_below(&dice, pairs.n - LEFT);
        model_erase(&model, pairs.keys, from);
        model_erase(&model, pairs.keys + from + LEFT, pairs.n - from - LEFT);
        pairs_free(&pairs);
        for (size_t part = 0; part < PARTS; part++) {
            suite_step("round %zu, part %zu", round, part);
            number_keys(variant->shape, round * 2 * MOST + MOST + part * PART, keys, PART);
            insert(&model, ROOST_KEEP, keys, keys, PART);
        }
        const struct table_numbers numbers = table_stats(&model.table);
        forced = numbers.forced_grow_steps + numbers.reseeds;
        model_clear(&model);
    }
    require(forced > 0 || !forces, "no growth step was forced, and no seed drawn, in %d rounds", ROUNDS_MOST);
    model_close(&model);
}

/* ---- Steps ---------------------------------------------------------------------------------- */

static bool one_at_a_time(const struct variant *variant)
{
    const char *const options = variant->options ? variant->options : "";
    return strstr(options, "resize=one") || strstr(options, "subtables=2");
}

/* A growth step moves at most as many pairs as its subtables had slots, and a few that it has moved
 * to a subtable before its turn.  By default it enlarges all of them by half, or it doubles one.
 * Those of an empty table are replaced at once. */
static void check_steps(const struct table_numbers *before, const struct table_numbers *after, bool one)
{
    const uint64_t steps = after->grow_steps - before->grow_steps, gained = after->slots - before->slots;
    const uint64_t moved = after->rehashed - before->rehashed;
    uint64_t changed = 0;
    for (uint32_t i = 0; i < after->subtables; i++) changed += after->subtable_slots[i] != before->subtable_slots[i];
    require((steps > 0) == (gained > 0), "%llu growth steps gained %llu slots", print(steps), print(gained));
    require(changed <= (one ? steps : steps * after->subtables) || before->count == 0, "%llu growth steps changed %llu subtables",
            print(steps), print(changed));
    require(moved <= (one ? gained : gained * 9 / 4), "%llu growth steps by %llu slots moved %llu pairs", print(steps),
            print(gained), print(moved));
}

static void steps_are_small(const struct variant *variant)
{
    enum { MOST = 250 };
    const size_t n = settings_size(40000, 6000), batch = settings_rounds(50, MOST);
    uint64_t keys[MOST];
    struct table table;
    table_open(&table, variant, NULL);
    struct table_numbers before = table_stats(&table);
    uint64_t largest_seen = 0;
    for (size_t done = 0; done < n; done += batch) {
        number_keys(variant->shape, done, keys, batch);
        suite_step("inserting after %zu", done);
        require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, keys, batch, NULL), table.handle);
        const struct table_numbers after = table_stats(&table);
        check_steps(&before, &after, one_at_a_time(variant));
        if (largest_subtable(&after) > largest_seen) largest_seen = largest_subtable(&after);
        before = after;
    }
    require(before.grow_steps >= (one_at_a_time(variant) ? 10 : 5), "%llu growth steps", print(before.grow_steps));
    require(before.largest_rehash > 0 && before.largest_rehash <= largest_seen * 2 / 3,
            "the largest step moved %llu pairs, the largest subtable has %llu slots", print(before.largest_rehash),
            print(largest_seen));
    require(before.rehashed <= 3 * n, "%llu pairs were moved over %zu inserts", print(before.rehashed), n);
    table_check(&table);
    table_close(&table);
}

/* A step on one subtable moves at most as many pairs as the subtable had slots before.  A step
 * on a whole table moves all keys. */
static void check_largest_step(const struct table_numbers *stats, size_t n)
{
    const uint64_t most = stats->subtables ? largest_subtable(stats) * 2 / 3 : n;
    require(stats->largest_rehash <= most, "the largest step moved %llu pairs, not %llu at most", print(stats->largest_rehash),
            print(most));
}

/* One batch grows the smallest table through all sizes. */
static void one_batch_grows_far(const struct variant *variant)
{
    const size_t n = settings_size(120000, 20000);
    uint64_t *keys = make_patterns(n);
    struct model model;
    model_open(&model, variant, NULL);
    number_keys(variant->shape, 0, keys, n);
    insert(&model, ROOST_KEEP, keys, keys, n);
    const struct table_numbers stats = table_stats(&model.table);
    require(stats.grow_steps > 0, "the table did not grow");
    /* If each step moves all keys, the first batches, which are small pieces, add to the sum of
     * powers of two. */
    require(stats.rehashed <= (stats.subtables ? 2 : 3) * n, "%llu pairs were moved over %zu inserts", print(stats.rehashed), n);
    check_largest_step(&stats, n);
    model_erase(&model, keys, n);
    require(table_stats(&model.table).slots <= model.rules.created, "an empty table keeps %llu slots",
            print(table_stats(&model.table).slots));
    model_close(&model);
    free(keys);
}

/* ---- Repeated accesses ---------------------------------------------------------------------- */

#define ACCESSED_KEYS 76000

static void draw_accesses(struct dice *dice, const struct test_shape *shape, uint64_t *keys, uint64_t *ones, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(shape, draw_below(dice, ACCESSED_KEYS));
        ones[i] = value_bits(shape->value_type, 1);
    }
}

static roost_mode counting_mode(const struct test_shape *shape) { return shape_is_set(shape) ? ROOST_KEEP : ROOST_ADD; }

static void require_same_size(const struct model *model, const struct table_numbers *before)
{
    const struct table_numbers after = table_stats(&model->table);
    require(after.slots == before->slots && after.grow_steps == before->grow_steps, "%llu growth steps, from %llu to %llu slots",
            print(after.grow_steps - before->grow_steps), print(before->slots), print(after.slots));
}

static void accesses_after_reservation(const struct variant *variant)
{
    const size_t n = settings_size(1000000, 200000);
    uint64_t *keys = make_patterns(n), *ones = make_patterns(n);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    model_reserve(&model, ACCESSED_KEYS);
    const struct table_numbers before = table_stats(&model.table);
    draw_accesses(&dice, variant->shape, keys, ones, n);
    insert(&model, counting_mode(variant->shape), keys, ones, n);
    require_same_size(&model, &before);
    model_close(&model);
    free(keys);
    free(ones);
}

/* All keys are present, so the table may not grow. */
static void accesses_to_present_keys(const struct variant *variant)
{
    const size_t n = settings_size(1000000, 200000);
    uint64_t *keys = make_patterns(n), *ones = make_patterns(n);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    number_keys(variant->shape, 0, keys, ACCESSED_KEYS);
    insert(&model, ROOST_ASSIGN, keys, ones, ACCESSED_KEYS);
    const struct table_numbers before = table_stats(&model.table);
    draw_accesses(&dice, variant->shape, keys, ones, n);
    insert(&model, counting_mode(variant->shape), keys, ones, n);
    require_same_size(&model, &before);
    model_close(&model);
    free(keys);
    free(ones);
}

/* The smallest table grows for the distinct keys, not for the accesses.  model_insert checks the
 * lower bound. */
static void accesses_from_the_smallest_table(const struct variant *variant)
{
    const size_t n = settings_size(1000000, 200000);
    uint64_t *keys = make_patterns(n), *ones = make_patterns(n);
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    draw_accesses(&dice, variant->shape, keys, ones, n);
    insert(&model, counting_mode(variant->shape), keys, ones, n);
    require(table_stats(&model.table).slots < 4 * ACCESSED_KEYS, "%llu slots for %d keys", print(table_stats(&model.table).slots),
            ACCESSED_KEYS);
    model_close(&model);
    free(keys);
    free(ones);
}

/* ---- Reservations --------------------------------------------------------------------------- */

static void insert_in_parts(struct model *model, uint64_t first, size_t n)
{
    const size_t parts = settings_rounds(7, 3), part = (n + parts - 1) / parts;
    uint64_t *keys = make_patterns(n);
    number_keys(&model->table.shape, first, keys, n);
    for (size_t done = 0; done < n; done += part) {
        const size_t size = n - done < part ? n - done : part;
        insert(model, ROOST_ASSIGN, keys + done, keys + done, size);
    }
    free(keys);
}

static void erase_all(struct model *model)
{
    struct pairs pairs = table_export(&model->table, 1 << 16);
    model_erase(model, pairs.keys, pairs.n);
    pairs_free(&pairs);
}

static void reservations_hold(const struct variant *variant)
{
    static const uint64_t sizes[] = {1, 100, 5000, 30000, 3000};
    struct model model;
    model_open(&model, variant, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        suite_step("a reservation for %llu keys", print(sizes[i]));
        model_reserve(&model, sizes[i]);
        const struct table_numbers before = table_stats(&model.table);
        require(before.slots >= sizes[i], "%llu slots for %llu keys", print(before.slots), print(sizes[i]));
        insert_in_parts(&model, 0, sizes[i]);
        require_same_size(&model, &before);
        erase_all(&model);
        require((double)table_stats(&model.table).slots * model.rules.max_fill >= (double)sizes[i],
                "only %llu slots are left for %llu reserved keys", print(table_stats(&model.table).slots), print(sizes[i]));
        const struct table_numbers shrunk = table_stats(&model.table);
        insert_in_parts(&model, 1000000, sizes[i]);
        require_same_size(&model, &shrunk);
        erase_all(&model);
    }
    model_reserve(&model, 0);
    require(table_stats(&model.table).slots <= model.rules.created, "without a reservation %llu slots stay",
            print(table_stats(&model.table).slots));
    model_close(&model);
}

/* A reservation below the count loses no key. */
static void reservations_below_the_count(const struct variant *variant)
{
    struct model model;
    model_open(&model, variant, NULL);
    insert_in_parts(&model, 0, 5000);
    model_reserve(&model, 10);
    model_compare(&model);
    model_reserve(&model, 0);
    model_compare(&model);
    insert_in_parts(&model, 2500, 5000);
    model_close(&model);
}

static void capacities_hold(const struct variant *variant)
{
    static const uint64_t sizes[] = {1, 33, 1000, 20000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        roost_config config;
        table_config(variant, &config);
        config.capacity = sizes[i];
        struct model model;
        suite_step("a capacity of %llu keys", print(sizes[i]));
        model_open(&model, variant, &config);
        const struct table_numbers before = table_stats(&model.table);
        insert_in_parts(&model, 0, sizes[i]);
        require_same_size(&model, &before);
        erase_all(&model);
        require((double)table_stats(&model.table).slots * model.rules.max_fill >= (double)sizes[i], "only %llu slots are left",
                print(table_stats(&model.table).slots));
        model_close(&model);
    }
}

/* A table created far too large shrinks once its capacity is lifted. */
static void capacities_are_lifted(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.capacity = 1000000;
    struct table table;
    const uint64_t key = 5;
    table_open(&table, variant, &config);
    const uint64_t created = table_stats(&table).slots;
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, &key, &key, 1, NULL), table.handle);
    require_status(ROOST_OK, roost_table_reserve(table.handle, 0), table.handle);
    require_status(ROOST_OK, roost_table_sync(table.handle, NULL), table.handle);
    require(table_stats(&table).slots <= created / 8, "%llu slots became %llu for one key", print(created),
            print(table_stats(&table).slots));
    require(table_stats(&table).count == 1, "the key is gone");
    table_check(&table);
    table_close(&table);
}

/* A table that shrinks returns the memory to its device. */
static void shrinking_returns_memory(const struct variant *variant)
{
    struct model model;
    faulty_begin(FAULTY_PLAIN);
    model_open(&model, variant, NULL);
    faulty_end();
    insert_in_parts(&model, 0, 20000);
    const uint64_t trims = faulty_trims();
    erase_all(&model);
    require(table_stats(&model.table).shrink_steps > 0, "the table did not shrink");
    require(faulty_trims() > trims, "no memory was returned to the device");
    model_close(&model);
}

/* A clear returns to the size of the creation, or to one that takes the last reservation. */
static void clear_returns_to_its_size(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.capacity = 3000;
    struct model model;
    model_open(&model, variant, &config);
    const uint64_t created = table_stats(&model.table).slots;
    insert_in_parts(&model, 0, 20000);
    model_clear(&model);
    require(table_stats(&model.table).slots == created, "created with %llu slots, cleared to %llu", print(created),
            print(table_stats(&model.table).slots));
    model_reserve(&model, 9000);
    const uint64_t reserved = table_stats(&model.table).slots;
    insert_in_parts(&model, 0, 40000);
    model_clear(&model);
    const struct table_numbers cleared = table_stats(&model.table);
    require(cleared.slots <= reserved, "reserved %llu slots, cleared to %llu", print(reserved), print(cleared.slots));
    insert_in_parts(&model, 0, 9000);
    require(table_stats(&model.table).grow_steps == cleared.grow_steps, "a cleared table grew below its reservation");
    model_close(&model);
}

static void no_lower_bound_never_shrinks(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.min_fill = 0;
    struct model model;
    model_open(&model, variant, &config);
    insert_in_parts(&model, 0, 10000);
    const uint64_t slots = table_stats(&model.table).slots;
    erase_all(&model);
    require(table_stats(&model.table).slots == slots, "%llu slots became %llu", print(slots),
            print(table_stats(&model.table).slots));
    require(table_stats(&model.table).shrink_steps == 0, "the table shrank");
    model_close(&model);
}

/* An empty table is made at the size of a batch, and shrinks at once when all keys are erased. */
static void an_empty_table_is_made_at_its_size(const struct variant *variant)
{
    enum { KEYS = 2000, STEPS_MOST = 2 /* the batch's estimate may be a little too low */ };
    struct model model;
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS), *values = make_patterns(KEYS);
    model_open(&model, variant, NULL);
    for (size_t round = 0; round < 4; round++) {
        const struct table_numbers before = table_stats(&model.table);
        suite_step("round %zu", round);
        require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, KEYS), model.table.handle);
        const uint64_t grown = table_stats(&model.table).grow_steps - before.grow_steps;
        model_erase(&model, keys, KEYS);
        const struct table_numbers after = table_stats(&model.table);
        require(grown > 0 && grown <= STEPS_MOST, "%llu growth steps for %d keys", print(grown), KEYS);
        require(after.shrink_steps - before.shrink_steps == 1, "%llu shrink steps without a key",
                print(after.shrink_steps - before.shrink_steps));
        require(after.slots == before.slots, "%llu slots became %llu", print(before.slots), print(after.slots));
    }
    model_close(&model);
    free(keys);
    free(values);
}

/* The least table has room for some keys, so keys that come and go one by one take few steps. */
static void single_keys_take_few_steps(const struct variant *variant)
{
    enum { KEYS = 2000, STEPS_MOST = 20 };
    struct model model;
    uint64_t *keys = numbered_keys(variant->shape, 0, KEYS), *values = make_patterns(KEYS);
    model_open(&model, variant, NULL);
    for (size_t i = 0; i < KEYS; i++) insert(&model, ROOST_ASSIGN, keys + i, values + i, 1);
    const struct table_numbers full = table_stats(&model.table);
    for (size_t i = 0; i < KEYS; i++) model_erase(&model, keys + i, 1);
    const uint64_t shrunk = table_stats(&model.table).shrink_steps;
    require(full.grow_steps <= STEPS_MOST, "%llu growth steps", print(full.grow_steps));
    require(shrunk <= STEPS_MOST, "%llu shrink steps after %llu of growth", print(shrunk), print(full.grow_steps));
    model_close(&model);
    free(keys);
    free(values);
}

static void add_options(void)
{
    static const char *const options[] = {"subtables=2",   "subtables=3", "subtables=8", "resize=one", "resize=one,subtables=2",
                                          "weights=paper", "layers=1"};
    /* the last one needs ROOST_TUNE */
    const size_t n = sizeof options / sizeof *options - !settings_tuned();
    for (size_t i = 0; i < n; i++) {
        const struct variant variant = {.shape = &shapes[0], .options = options[i]};
        suite_add("many cycles", many_cycles, variant);
        suite_add("steps are small", steps_are_small, variant);
        suite_add("one batch grows far", one_batch_grows_far, variant);
    }
    suite_add("many cycles", many_cycles, (struct variant){.shape = &shapes[0], .options = "resize=all"});
    suite_add("many cycles", many_cycles, (struct variant){.shape = &shapes[0], .threads = 8});
    suite_add("many cycles", many_cycles, (struct variant){.shape = &shapes[1], .threads = 8});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("many cycles", many_cycles);
    suite_add_wide("many cycles", many_cycles, shape_is_any);
    suite_add("cycles between other bounds", cycles_between_other_bounds, (struct variant){.shape = &shapes[0]});
    suite_add("cycles between other bounds", cycles_between_other_bounds, (struct variant){.shape = &shapes[1]});
    if (settings_on_dycuckoo()) suite_add_widths("few full buckets", few_full_buckets);
    if (settings_on_dycuckoo()) suite_add_widths("steps are small", steps_are_small);
    suite_add_widths("one batch grows far", one_batch_grows_far);
    suite_add_wide("one batch grows far", one_batch_grows_far, shape_is_any);
    suite_add("accesses after a reservation", accesses_after_reservation, (struct variant){.shape = &shapes[0]});
    suite_add("accesses after a reservation", accesses_after_reservation, (struct variant){.shape = &shapes[1]});
    suite_add("accesses to present keys", accesses_to_present_keys, (struct variant){.shape = &shapes[0]});
    suite_add("accesses to present keys", accesses_to_present_keys, (struct variant){.shape = &shapes[1]});
    suite_add("accesses from the smallest table", accesses_from_the_smallest_table, (struct variant){.shape = &shapes[0]});
    suite_add("accesses from the smallest table", accesses_from_the_smallest_table, (struct variant){.shape = &shapes[5]});
    suite_add_widths("reservations hold", reservations_hold);
    suite_add_wide("reservations hold", reservations_hold, shape_is_any);
    suite_add_widths("reservations below the count", reservations_below_the_count);
    suite_add_wide("reservations below the count", reservations_below_the_count, shape_is_any);
    suite_add_widths("capacities hold", capacities_hold);
    suite_add_wide("capacities hold", capacities_hold, shape_is_any);
    suite_add_widths("capacities are lifted", capacities_are_lifted);
    suite_add_wide("capacities are lifted", capacities_are_lifted, shape_is_any);
    suite_add_widths("clear returns to its size", clear_returns_to_its_size);
    suite_add_wide("clear returns to its size", clear_returns_to_its_size, shape_is_any);
    suite_add_widths("no lower bound never shrinks", no_lower_bound_never_shrinks);
    suite_add_widths("shrinking returns memory", shrinking_returns_memory);
    suite_add_wide("no lower bound never shrinks", no_lower_bound_never_shrinks, shape_is_any);
    if (settings_on_dycuckoo()) suite_add_widths("an empty table is made at its size", an_empty_table_is_made_at_its_size);
    if (settings_on_dycuckoo())
        suite_add("single keys take few steps", single_keys_take_few_steps, (struct variant){.shape = &shapes[0]});
    if (settings_on_dycuckoo()) add_options();
    return suite_run("growth");
}
