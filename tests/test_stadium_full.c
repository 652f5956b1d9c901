/* Stadium's tables filled to the last slot: again after erases, with and without memory for another
 * table, beside keys that look like marks, and keys behind erased slots. */
#include "support/settings.h"
#include "support/stadium_kinds.h"
#include "support/stadium_tables.h"

#include <stdlib.h>
#include <string.h>

/* ---- Load factor 1 -------------------------------------------------------------------------- */

/* A table that does not grow, and may be filled to its last slot. */
static void fillable_config(roost_config *config, const struct variant *variant, uint64_t capacity)
{
    stadium_config(variant, config);
    config->capacity = capacity;
    config->growth = 0;
    config->max_fill = 1;
}

static void fillable_open(struct model *model, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    fillable_config(&config, variant, capacity);
    model_open(model, variant, &config);
    model->rules.fixed = true;
}

/* A full table without growth, and keys and values for three times as many slots. */
struct full {
    struct model model;
    uint64_t *keys, *values;
    size_t slots;
};

/* Fills the table in two calls, the second of which meets mostly full groups. */
static void full_open(struct full *f, const struct variant *variant, uint64_t capacity)
{
    fillable_open(&f->model, variant, capacity);
    f->slots = (size_t)table_stats(&f->model.table).slots;
    f->keys = numbered_keys(variant->shape, 0, 3 * f->slots);
    f->values = any_values(variant->shape, 3 * f->slots);
    const size_t most = f->slots * 7 / 8;
    suite_step("filling %zu slots", f->slots);
    require_status(ROOST_OK, model_insert(&f->model, ROOST_KEEP, f->keys, f->values, most), f->model.table.handle);
    require_status(ROOST_OK, model_insert(&f->model, ROOST_KEEP, f->keys + most, f->values + most, f->slots - most),
                   f->model.table.handle);
    const struct table_numbers stats = table_stats(&f->model.table);
    require(stats.count == f->slots && stats.slots == f->slots && stats.load_factor == 1, "%llu keys in %llu slots",
            print(stats.count), print(stats.slots));
}

static void full_close(struct full *f)
{
    model_compare(&f->model);
    model_close(&f->model);
    free(f->keys);
    free(f->values);
}

/* One more key is refused, alone and among stored keys. */
static void require_full(struct full *f, size_t next)
{
    struct table *table = &f->model.table;
    uint8_t status = UNTOUCHED_BYTE;
    suite_step("one key more");
    require_status(ROOST_ERR_FULL, table_insert(table, ROOST_ASSIGN, f->keys + next, f->values, 1, &status), table->handle);
    require(status == ROOST_ITEM_FULL, "it ended %u", status);
    require(strstr(roost_last_error(table->handle), "growth is off"), "\"%s\"", roost_last_error(table->handle));
    table_check(table);
}

static void every_slot_is_filled(const struct variant *variant)
{
    struct full f;
    full_open(&f, variant, variant->number);
    require_full(&f, f.slots);
    suite_step("finds and updates");
    model_find(&f.model, f.keys, 2 * f.slots);
    require_status(ROOST_OK, model_insert(&f.model, ROOST_ASSIGN, f.keys, f.values + f.slots, f.slots), f.model.table.handle);
    require_status(ROOST_ERR_FULL, model_insert(&f.model, ROOST_KEEP, f.keys, f.values, f.slots + 1), f.model.table.handle);
    full_close(&f);
}

static bool has_byte_tickets(const struct variant *variant)
{
    return has_option(variant, "ticket=8") && !has_option(variant, "probe=double");
}

/* Pairs read by n new keys, of which a full table refuses all but `stored`. */
static uint64_t refused_reads(struct full *f, size_t first, size_t n, uint64_t stored)
{
    const struct table_numbers before = table_stats(&f->model.table);
    require_status(ROOST_ERR_FULL, model_insert(&f->model, ROOST_KEEP, f->keys + first, f->values, n), f->model.table.handle);
    const struct table_numbers after = table_stats(&f->model.table);
    require(after.count == before.count + stored, "%llu keys of %zu were stored", print(after.count - before.count), n);
    return after.bucket_reads - before.bucket_reads;
}

/* New keys that a full table refuses look only where stored keys are, which the table measures
 * once: it reads all pairs for that.  Stored keys among them are updated. */
static void refused_keys_read_little(const struct variant *variant)
{
    enum { READS = 16, ALONE = 16 };
    struct full f;
    uint64_t alone = 0;
    full_open(&f, variant, variant->number);
    const size_t n = f.slots;
    const uint64_t all = refused_reads(&f, n, n, 0);
    require(!has_byte_tickets(variant) || all <= READS * n, "%llu reads by %zu keys", print(all), n);
    for (size_t i = 0; i < ALONE; i++) alone += refused_reads(&f, 2 * n + i, 1, 0);
    require(alone <= n + 4 * ALONE * all / n, "%llu reads by %d keys, %llu by %zu", print(alone), ALONE, print(all), n);
    suite_step("stored keys among them");
    require_status(ROOST_ERR_FULL, model_insert(&f.model, ROOST_ASSIGN, f.keys, f.values + n, 2 * n), f.model.table.handle);
    full_close(&f);
}

/* A batch of new keys takes the slot of an erased one.  The keys that are refused do not look for
 * it, and the table is not measured again, nor rebuilt each time.  After a rebuild a pass looks for
 * FREE slots anywhere.  A host gives it up early; on a GPU all its items look. */
static void a_batch_takes_one_slot(const struct variant *variant)
{
    enum { TURNS = 4 };
    struct full f;
    full_open(&f, variant, variant->number);
    const size_t n = f.slots / 4;
    (void)refused_reads(&f, f.slots, n, 0);
    const uint64_t all = refused_reads(&f, f.slots + n, n, 0), rehashed = table_stats(&f.model.table).rehashed;
    uint64_t moved = 0;
    for (size_t turn = 0; turn < TURNS; turn++) {
        suite_step("turn %zu", turn);
        model_erase(&f.model, f.keys + turn, 1);
        const uint64_t reads = refused_reads(&f, f.slots + (2 + turn) * n, n, 1), moved_before = moved;
        moved = table_stats(&f.model.table).rehashed - rehashed;
        const uint64_t anywhere = settings_on_gpu() && moved > moved_before ? n * f.slots : 0;
        require(reads <= 3 * all + f.slots + anywhere, "%llu reads by %zu keys, and %llu before", print(reads), n, print(all));
    }
    require(moved <= TURNS / 2 * f.slots, "%llu pairs were moved in %d turns", print(moved), TURNS);
    full_close(&f);
}

/* Erases n keys and inserts n others: none may end FULL. */
static void replace(struct full *f, const uint64_t *old, size_t n, size_t next)
{
    suite_step("replacing %zu of %zu keys", n, f->slots);
    model_erase(&f->model, old, n);
    model_find(&f->model, f->keys, 2 * f->slots);
    require_status(ROOST_OK, model_insert(&f->model, ROOST_KEEP, f->keys + next, f->values + next, n), f->model.table.handle);
    require(table_stats(&f->model.table).count == f->slots, "%llu keys in %zu slots", print(table_stats(&f->model.table).count),
            f->slots);
    model_find(&f->model, f->keys, 3 * f->slots);
}

/* First a few scattered slots, then half of all slots, adjacent ones. */
static void erased_slots_are_taken_again(const struct variant *variant)
{
    struct full f;
    full_open(&f, variant, variant->number);
    const size_t few = f.slots / 40 + 1;
    replace(&f, f.keys, 1, f.slots);
    replace(&f, f.keys + 1, few, f.slots + 1);
    require_full(&f, f.slots + few + 1);
    /* in the order of the slots */
    struct pairs pairs = table_export(&f.model.table, ROOST_EXPORT_MIN);
    replace(&f, pairs.keys, f.slots / 2, f.slots + few + 1);
    require_full(&f, 0);
    pairs_free(&pairs);
    full_close(&f);
}

/* In tables with more groups than an insert visits, few slots stay FREE, even after half of the
 * slots, adjacent ones, were erased and filled again. */
static void large_tables_are_nearly_filled(const struct variant *variant)
{
    struct model model;
    fillable_open(&model, variant, settings_effort(6000, 1800, 1800));
    const size_t slots = (size_t)table_stats(&model.table).slots, n = slots + 100;
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * n), *values = any_values(variant->shape, 2 * n);
    for (int round = 0; round < 2; round++) {
        require_status(ROOST_ERR_FULL, model_insert(&model, ROOST_KEEP, keys + n * (size_t)round, values, n), model.table.handle);
        const uint64_t count = table_stats(&model.table).count;
        require((double)count >= 0.999 * (double)slots, "%llu keys in %zu slots", print(count), slots);
        struct pairs pairs = table_export(&model.table, ROOST_EXPORT_MIN);
        if (!round) model_erase(&model, pairs.keys, pairs.n / 2);
        pairs_free(&pairs);
    }
    model_find(&model, keys, 2 * n);
    model_close(&model);
    free(keys);
    free(values);
}

/* Tables with more groups than an insert visits are filled by as many keys as there are slots.
 * So are tables of which half was erased and that were rebuilt for the other half, so that no
 * erased slot is left. */
static void large_tables_are_filled(const struct variant *variant)
{
    enum { ROUNDS = 4 };
    struct model model;
    fillable_open(&model, variant, settings_effort(3000, 1500, 1500));
    const size_t slots = (size_t)table_stats(&model.table).slots, half = slots / 2, n = slots + ROUNDS * half;
    uint64_t *keys = numbered_keys(variant->shape, 0, n), *values = any_values(variant->shape, n);
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, values, slots), model.table.handle);
    for (size_t round = 0; round < ROUNDS; round++) {
        suite_step("round %zu", round);
        model_erase(&model, keys + round * half, half);
        require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys + slots + round * half, values, half), model.table.handle);
        require(table_stats(&model.table).count == slots, "%llu keys in %zu slots", print(table_stats(&model.table).count), slots);
    }
    model_find(&model, keys, n);
    model_close(&model);
    free(keys);
    free(values);
}

/* With the usual upper bound a table is full while a fiftieth of its slots is vacant.  Then it
 * takes a new key for each one that goes. */
static void full_tables_keep_vacancies(const struct variant *variant)
{
    enum { TURNS = 100 };
    struct model model;
    open_model(&model, variant, settings_effort(6000, 1800, 1800), 0);
    const size_t slots = (size_t)table_stats(&model.table).slots, most = (size_t)(0.98 * (double)slots), n = slots + TURNS;
    uint64_t *keys = numbered_keys(variant->shape, 0, n), *values = any_values(variant->shape, n);
    require_status(ROOST_ERR_FULL, model_insert(&model, ROOST_KEEP, keys, values, slots), model.table.handle);
    require(table_stats(&model.table).count == most, "%llu keys in %zu slots", print(table_stats(&model.table).count), slots);
    struct pairs pairs = table_export(&model.table, ROOST_EXPORT_MIN);
    for (size_t turn = 0; turn < TURNS; turn++) {
        suite_step("turn %zu", turn);
        model_erase(&model, pairs.keys + turn, 1);
        require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys + slots + turn, values, 1), model.table.handle);
    }
    require_status(ROOST_ERR_FULL, model_insert(&model, ROOST_KEEP, pairs.keys, values, 1), model.table.handle);
    require(table_stats(&model.table).count == most, "%llu keys", print(table_stats(&model.table).count));
    model_find(&model, keys, n);
    pairs_free(&pairs);
    model_close(&model);
    free(keys);
    free(values);
}

/* A fixed table whose keys are replaced by and by is rebuilt before its FREE slots are used up.  So
 * hardly an item's first pass finds no room. */
static void replaced_keys_find_room(const struct variant *variant)
{
    enum { ROUNDS = 24, SHARE = 64 };
    struct model model;
    open_model(&model, variant, settings_effort(6000, 1800, 1800), 0);
    const size_t slots = (size_t)table_stats(&model.table).slots, live = slots * 19 / 20, n = slots / SHARE;
    uint64_t *keys = numbered_keys(variant->shape, 0, live + ROUNDS * n), *values = any_values(variant->shape, live);
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, values, live), model.table.handle);
    const struct table_numbers before = table_stats(&model.table);
    for (size_t round = 0; round < ROUNDS; round++) {
        suite_step("round %zu", round);
        model_erase(&model, keys + round * n, n);
        require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys + live + round * n, values, n), model.table.handle);
    }
    const struct table_numbers after = table_stats(&model.table);
    require(after.parked - before.parked <= n / 8, "%llu of %zu items found no room at once", print(after.parked - before.parked),
            ROUNDS * n);
    require(after.rehashed - before.rehashed <= 24 * ROUNDS * n, "%llu pairs were moved for %zu items",
            print(after.rehashed - before.rehashed), ROUNDS * n);
    model_find(&model, keys, live + ROUNDS * n);
    model_close(&model);
    free(keys);
    free(values);
}

/* If there is no memory for a pass over the table, refills find the slots of erased keys, even
 * adjacent ones. */
static void refills_need_no_memory(const struct variant *variant)
{
    const size_t capacity = settings_on_gpu() ? 6000 : settings_effort(6000, 1500, 1500);
    struct model model;
    roost_config config;
    fillable_open(&model, variant, capacity);
    const size_t slots = (size_t)table_stats(&model.table).slots, half = slots / 2, n = 2 * slots;
    uint64_t *keys = numbered_keys(variant->shape, 0, n), *values = any_values(variant->shape, n);
    (void)model_insert(&model, ROOST_KEEP, keys, values, slots);
    fillable_config(&config, variant, capacity);
    /* enough for calls of that many items */
    config.memory_limit = table_stats(&model.table).bytes_peak;
    model_close(&model);
    model_open(&model, variant, &config);
    model.rules.fixed = true;
    (void)model_insert(&model, ROOST_KEEP, keys, values, slots);
    struct pairs pairs = table_export(&model.table, ROOST_EXPORT_MIN);
    for (size_t round = 0; round < 2; round++) {
        suite_step("round %zu", round);
        model_erase(&model, pairs.keys, round ? 0 : half);
        if (round) model_erase(&model, keys + slots, half);
        require(table_stats(&model.table).tombstones >= half - half / 20, "%llu erased slots",
                print(table_stats(&model.table).tombstones));
        require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys + slots + round * half, values, half), model.table.handle);
    }
    model_find(&model, keys, n);
    pairs_free(&pairs);
    model_close(&model);
    free(keys);
    free(values);
}

/* ---- Marks, and erased slots ---------------------------------------------------------------- */

/* They have their own room in a table whose slots are all taken. */
static void marks_in_full_tables(const struct variant *variant)
{
    uint64_t keys[2];
    struct full f;
    full_open(&f, variant, variant->number);
    for (uint64_t i = 0; i < 2; i++) keys[i] = ~i & width_mask(variant->shape->key_bytes);
    for (int round = 0; round < 3; round++) {
        suite_step("round %d", round);
        require_status(ROOST_OK, model_insert(&f.model, ROOST_KEEP, keys, f.values, 2), f.model.table.handle);
        require(table_stats(&f.model.table).count == f.slots + 2, "%llu keys", print(table_stats(&f.model.table).count));
        model_find(&f.model, keys, 2);
        model_erase(&f.model, keys, 2);
    }
    require_full(&f, f.slots);
    full_close(&f);
}

/* Keys that went past others stay unique when those are erased. */
static void keys_behind_holes_are_met(const struct variant *variant)
{
    struct full f;
    full_open(&f, variant, variant->number);
    const size_t gone = f.slots / 30; /* too few for a pass or a rebuild */
    struct model *model = &f.model;
    model_erase(model, f.keys, gone); /* the first keys, which the others went past */
    require(table_stats(&model->table).tombstones == gone, "%llu tombstones", print(table_stats(&model->table).tombstones));
    uint64_t *const left = f.keys + gone;
    const size_t n = f.slots - gone;
    suite_step("KEEP");
    require_status(ROOST_OK, model_insert(model, ROOST_KEEP, left, f.values, n), model->table.handle);
    if (shape_has_arithmetic(variant->shape)) {
        suite_step("ADD");
        require_status(ROOST_OK, model_insert(model, ROOST_ADD, left, f.values + f.slots, n), model->table.handle);
    }
    model_find(model, f.keys, 2 * f.slots);
    require(table_stats(&model->table).count == n && table_stats(&model->table).tombstones == gone, "%llu keys, %llu tombstones",
            print(table_stats(&model->table).count), print(table_stats(&model->table).tombstones));
    model_erase(model, left, n);
    model_find(model, f.keys, f.slots);
    full_close(&f);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

/* Tables of single tickets whose pairs have marks are not filled to the last slot at this size. */
static void add_refusals(void)
{
    for (size_t i = 0; i < STADIUM_KINDS; i++) {
        const struct variant variant = {.shape = shape_named(stadium_kinds[i].shape),
                                        .options = stadium_kinds[i].options,
                                        .threads = i % 3 ? 8 : 0,
                                        .number = settings_size(3000, 1000)};
        if (has_marks(&variant) && has_option(&variant, "probe=double")) continue;
        suite_add("refused keys read little", refused_keys_read_little, variant);
        if (!has_marks(&variant)) suite_add("a batch takes one slot", a_batch_takes_one_slot, variant);
    }
}

/* For pairs in one place.  Refills need tickets that say what erases left.  (The bytes of erased
 * strings are not reused.) */
static void add_refills(void)
{
    for (size_t i = 0; i < STADIUM_KINDS; i++) {
        const struct variant variant = {
            .shape = shape_named(stadium_kinds[i].shape), .options = stadium_kinds[i].options, .threads = i % 3 ? 8 : 0};
        if (has_marks(&variant) || has_option(&variant, "memory=host") || shape_has_strings(variant.shape)) continue;
        suite_add("large tables are filled", large_tables_are_filled, variant);
        suite_add("refills need no memory", refills_need_no_memory, variant);
    }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    /* few enough groups or tickets that all ways visit all */
    add_stadium_kinds("every slot is filled", every_slot_is_filled, 600);
    add_stadium_kinds("every slot is filled, least table", every_slot_is_filled, 1);
    add_refusals();
    add_stadium_kinds("erased slots are taken again", erased_slots_are_taken_again, 600);
    add_stadium_kinds("large tables are nearly filled", large_tables_are_nearly_filled, 0);
    add_stadium_kinds("full tables keep vacancies", full_tables_keep_vacancies, 0);
    add_stadium_kinds("replaced keys find room", replaced_keys_find_room, 0);
    add_refills();
    add_marked_kinds("marks in full tables", marks_in_full_tables, 600);
    add_stadium_kinds("keys behind holes are met", keys_behind_holes_are_met, 600);
    return suite_run("stadium_full");
}
