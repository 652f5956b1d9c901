/* Stadium's own guarantees: the memory of its board and of its pairs, how few pairs a lookup reads,
 * mixes where tickets are too small for them, keys that look like marks, slots of erased keys,
 * growth, and options that are refused. */
#include "support/draw.h"
#include "support/late_queues.h"
#include "support/mixes.h"
#include "support/sequences.h"
#include "support/settings.h"
#include "support/stadium_kinds.h"
#include "support/stadium_tables.h"
#include "roost/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables --------------------------------------------------------------------------------- */

static void open_stadium(struct table *table, const struct variant *variant, uint64_t capacity, int growth)
{
    roost_config config;
    stadium_config(variant, &config);
    config.capacity = capacity;
    config.growth = growth;
    table_open(table, variant, &config);
}

/* All items have this status. */
static void require_all(roost_item_status expected, const uint8_t *statuses, size_t n)
{
    for (size_t i = 0; i < n; i++)
        require(statuses[i] == expected, "item %zu of %zu ended %u, not %u", i, n, statuses[i], expected);
}

static void insert(struct table *table, const uint64_t *keys, size_t n)
{
    require_status(ROOST_OK, table_insert(table, ROOST_ASSIGN, keys, keys, n, NULL), table->handle);
}

static void erase(struct table *table, const uint64_t *keys, size_t n)
{
    uint8_t *statuses = make_bytes(n);
    require_status(ROOST_OK, table_erase(table, keys, n, statuses), table->handle);
    require_all(ROOST_ITEM_ERASED, statuses, n);
    free(statuses);
}

static void require_found(const struct table *table, const uint64_t *keys, size_t n, bool expected)
{
    uint8_t *found = make_bytes(n);
    require_status(ROOST_OK, table_find(table, keys, n, NULL, found, NULL), table->handle);
    for (size_t i = 0; i < n; i++) require(found[i] == expected, "key %zu of %zu: found %u", i, n, found[i]);
    free(found);
}

/* ---- The memory of the board and of the pairs ----------------------------------------------- */

static uint64_t padded(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

/* A long value has its sequence before it.  A slot has only the place of a string's bytes. */
static uint64_t wide_pair_bytes(const struct test_shape *shape)
{
    const unsigned value = shape->value_bytes;
    const bool is_long = value != 0 && value != 4 && value != 8, strings = shape_has_strings(shape);
    const uint64_t key_at = padded(value + (is_long ? 8 : 0), is_long || strings ? 8 : 4);
    return padded(key_at + (strings ? 16 : shape->key_bytes), is_long || strings || value == 8 ? 8 : 4);
}

static uint64_t pair_bytes(const struct test_shape *shape)
{
    if (shape_index(shape) == SHAPE_COUNT) return wide_pair_bytes(shape);
    const uint64_t bytes = shape->key_bytes + shape->value_bytes;
    return bytes <= 8 ? bytes : 16;
}

/* The reported slots, and the group of keys that look like marks (with single tickets two
 * slots). */
static uint64_t all_slots(const struct variant *variant, const struct table_numbers *stats)
{
    const uint64_t behind = stats->slots_per_bucket == 1 ? 2 : stats->slots_per_bucket;
    return stats->slots + (has_marks(variant) ? behind : 0);
}

static void require_bytes(const struct table *table, const struct variant *variant, bool on_host)
{
    const struct table_numbers stats = table_stats(table);
    const uint64_t slots = all_slots(variant, &stats), board = (slots * variant->number + 255) / 256 * 32,
                   pairs = slots * pair_bytes(variant->shape) + stats.arena_bytes;
    require(stats.ticket_bits == variant->number, "%u bits, not %llu", (unsigned)stats.ticket_bits, print(variant->number));
    require(stats.board_bytes == board, "a board of %llu bytes, not %llu, for %llu slots", print(stats.board_bytes), print(board),
            print(slots));
    require(stats.host_bytes == (on_host ? pairs : 0), "%llu bytes on the host, of %llu", print(stats.host_bytes), print(pairs));
    require(stats.table_bytes >= board + pairs && stats.table_bytes <= board + pairs + 4096, "%llu bytes in all",
            print(stats.table_bytes));
}

/* Empty, full, grown and cleared tables. */
static void bytes_are_told(const struct variant *variant)
{
    const size_t n = 3000;
    const bool on_host = has_option(variant, "memory=host");
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_stadium(&table, variant, 0, 1);
    require_bytes(&table, variant, on_host);
    for (size_t done = 0; done < n; done += n / 10) {
        insert(&table, keys + done, n / 10);
        require_bytes(&table, variant, on_host);
    }
    require_status(ROOST_OK, roost_table_clear(table.handle), table.handle);
    require_bytes(&table, variant, on_host);
    table_close(&table);
    free(keys);
}

/* In pieces, so that calls need little memory beside the table. */
static void fill_in_pieces(struct table *table, const uint64_t *keys, size_t n)
{
    enum { PIECES = 100 };
    for (size_t i = 0; i < PIECES; i++) {
        const size_t first = n * i / PIECES, end = n * (i + 1) / PIECES;
        insert(table, keys + first, end - first);
        require_found(table, keys + first, end - first, true);
    }
}

/* If the device's memory has room for the board but not for the pairs, these go to the host. */
static void pairs_go_to_the_host(const struct variant *variant)
{
    const size_t n = settings_size(100000, 20000), few = n / 20;
    uint64_t *keys = numbered_keys(variant->shape, 0, n + few);
    struct table table;
    roost_config config;
    open_stadium(&table, variant, n, 0); /* memory=auto, not needed */
    fill_in_pieces(&table, keys, n);
    const struct table_numbers free_of_limits = table_stats(&table);
    require(free_of_limits.host_bytes == 0, "%llu bytes on the host", print(free_of_limits.host_bytes));
    const uint64_t pairs = free_of_limits.slots * pair_bytes(variant->shape), beside = free_of_limits.bytes_peak - pairs;
    table_close(&table);
    stadium_config(variant, &config);
    config.capacity = n;
    config.growth = 0;
    config.memory_limit = beside + pairs / 2;
    table_open(&table, variant, &config);
    require(table_stats(&table).host_bytes == pairs, "%llu bytes on the host", print(table_stats(&table).host_bytes));
    fill_in_pieces(&table, keys, n);
    require_found(&table, keys + n, few, false);
    erase(&table, keys, few);
    require_found(&table, keys, few, false);
    require(table_stats(&table).count == n - few, "%llu keys", print(table_stats(&table).count));
    table_check(&table);
    table_close(&table);
    config.options = "memory=device";
    config.memory_limit = pairs; /* without room for the board */
    require_status(ROOST_ERR_MEMORY, table_create(&table, variant, &config), NULL);
    free(keys);
}

/* A table grows beyond the device's memory: board and pairs are each where they have room, and
 * nothing is lost. */
static void growing_pairs_go_to_the_host(const struct variant *variant)
{
    const size_t n = 40000;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    roost_config config;
    open_stadium(&table, variant, 0, 1);
    insert(&table, keys, n / 20);
    stadium_config(variant, &config);
    /* for all calls, and most of the pairs */
    config.memory_limit = table_stats(&table).bytes_peak + n * pair_bytes(variant->shape) * 9 / 10;
    table_close(&table);
    table_open(&table, variant, &config);
    require(table_stats(&table).host_bytes == 0, "%llu bytes on the host", print(table_stats(&table).host_bytes));
    fill_in_pieces(&table, keys, n);
    require(table_stats(&table).host_bytes > 0, "%llu bytes on the device", print(table_stats(&table).bytes_now));
    require_found(&table, keys, n, true);
    table_check(&table);
    table_close(&table);
    free(keys);
}

/* ---- Reads of pairs ------------------------------------------------------------------------- */

/* A simulated board: the number of taken tickets of each group, by chance. */
struct board {
    uint64_t groups, tickets, longest;
    uint32_t *taken;
    struct dice dice;
};

/* Walks a random key's way to the first group with a FREE ticket, or to the end of the longest
 * way.  Returns the taken tickets that it passes. */
static uint64_t board_way(struct board *b, uint64_t longest, uint64_t *at, uint64_t *length)
{
    const uint64_t step = 1 + draw_below(&b->dice, b->groups - 1);
    uint64_t seen = 0;
    *at = draw_below(&b->dice, b->groups);
    for (*length = 1;; ++*length, *at = (*at + step) % b->groups) {
        seen += b->taken[*at];
        if (b->taken[*at] < b->tickets || *length == longest) return seen;
    }
}

static void board_fill(struct board *b, uint64_t keys)
{
    uint64_t at, length;
    for (uint64_t i = 0; i < keys; i++) {
        board_way(b, b->groups, &at, &length);
        b->taken[at]++;
        if (length > b->longest) b->longest = length;
    }
}

/* The other keys' pairs that a miss reads, by the number of values of an info. */
static double board_false_positives(const struct table_numbers *stats, double infos)
{
    enum { WAYS = 20000 };
    struct board b = {.groups = stats->slots / stats->slots_per_bucket, .tickets = stats->slots_per_bucket, .dice = {suite_seed()}};
    uint64_t seen = 0, at, length;
    b.taken = calloc(b.groups, sizeof *b.taken);
    if (!b.taken) abort();
    board_fill(&b, stats->count);
    for (int i = 0; i < WAYS; i++) seen += board_way(&b, b.longest, &at, &length);
    free(b.taken);
    return (double)seen / WAYS / infos;
}

/* The pairs that the finds of n keys read. */
static uint64_t reads_of(const struct table *table, const uint64_t *keys, size_t n, bool expected)
{
    const uint64_t before = table_stats(table).bucket_reads;
    require_found(table, keys, n, expected);
    return table_stats(table).bucket_reads - before;
}

/* At one load, finds read at most 1.3 times the predicted number of pairs, plus a margin for
 * chance where it is small. */
static void require_few_reads(const struct table *table, const struct variant *variant, const uint64_t *keys,
                              const uint64_t *absent)
{
    const struct table_numbers stats = table_stats(table);
    const size_t n = (size_t)stats.count;
    const double all = ldexp(1, (int)stats.ticket_bits - 1) - (has_marks(variant) ? 0 : 1),
                 infos = has_option(variant, "lookup=pairs") ? 1 : all, /* 1: all pairs are read */
        foretold = board_false_positives(&stats, infos) * (double)n;
    const uint64_t hits = reads_of(table, keys, n, true), misses = reads_of(table, absent, n, false);
    if (!hits && settings_on_gpu()) return; /* a GPU's kernels count only in other builds */
    require((double)misses <= 1.3 * foretold + 20, "%llu reads of %zu misses, and not about %.1f", print(misses), n, foretold);
    require((double)misses >= 0.7 * foretold - 20, "%llu reads of %zu misses, and not about %.1f", print(misses), n, foretold);
    require(hits >= n && (double)(hits - n) <= 1.3 * foretold + 20, "%llu reads of %zu hits, and not %.1f more at most",
            print(hits), n, foretold);
}

static void pairs_are_hardly_read(const struct variant *variant)
{
    struct table table;
    open_stadium(&table, variant, settings_size(100000, 20000), 0);
    const uint64_t slots = table_stats(&table).slots;
    const size_t low = (size_t)(0.8 * (double)slots), high = (size_t)(0.95 * (double)slots);
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 * high);
    suite_step("load factor 0.8");
    insert(&table, keys, low);
    require_few_reads(&table, variant, keys, keys + high);
    suite_step("load factor 0.95");
    insert(&table, keys + low, high - low);
    require_few_reads(&table, variant, keys, keys + high);
    table_close(&table);
    free(keys);
}

/* ---- Small tickets -------------------------------------------------------------------------- */

/* Every key of a batch is erased, inserted and found.  In phases the erase sees none of the
 * inserts, and the find sees all of them. */
static void phases_in_their_order(struct table *table)
{
    enum { KEYS = 500 };
    static const uint8_t operations[] = {ROOST_OP_FIND, ROOST_OP_ERASE, ROOST_OP_ASSIGN};
    static const uint8_t ends[] = {ROOST_ITEM_FOUND, ROOST_ITEM_ABSENT, ROOST_ITEM_INSERTED};
    struct mixed mixed = mixed_make(3 * KEYS);
    struct dice dice = {suite_seed()};
    mixed_draw(&mixed, &dice, &table->shape, 3 * KEYS, 4 * KEYS, false);
    for (size_t i = 0; i < mixed.n; i++) {
        mixed.operations[i] = operations[i % 3];
        mixed.keys[i] = distinct_key(&table->shape, i / 3);
    }
    require_status(ROOST_OK, table_apply(table, &mixed, 0), table->handle);
    for (size_t i = 0; i < mixed.n; i++) require(mixed.statuses[i] == ends[i % 3], "item %zu: status %u", i, mixed.statuses[i]);
    mixed_free(&mixed);
}

/* If tickets cannot say that a pair is being stored, mixed batches run in phases. */
static void marked_pairs_mix_in_phases(const struct variant *variant)
{
    struct model model;
    roost_config config;
    table_config(variant, &config);
    config.engine = "stadium";
    model_open(&model, variant, &config);
    phases_in_their_order(&model.table);
    model_clear(&model);
    mixed_rounds(&model, settings_launches(6, 3), settings_launches(3000, 1000), 4096);
    model_close(&model);
}

/* ---- Marks ---------------------------------------------------------------------------------- */

/* Keys with the bits of EMPTY and TOMBSTONE of either width, inverted ones, and neighbours. */
enum { MARKS = 8 };
static void draw_marks(const struct test_shape *shape, uint64_t keys[MARKS])
{
    for (uint64_t i = 0; i < MARKS; i++) keys[i] = (i < 4 ? ~i : i - 4) & width_mask(shape->key_bytes);
}

/* Inserts and erases them among other keys, in a table that grows and in one that does not. */
static void keys_that_look_like_marks(const struct variant *variant)
{
    const size_t n = 1000;
    uint64_t keys[MARKS], values[MARKS];
    uint64_t *others = numbered_keys(variant->shape, 100, n);
    struct dice dice = {suite_seed()};
    struct model model;
    draw_marks(variant->shape, keys);
    open_model(&model, variant, 2 * n, (int)variant->number);
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, others, others, n), model.table.handle);
    for (unsigned round = 0; round < 4 * mode_count(variant->shape); round++) {
        suite_step("round %u", round);
        for (size_t i = 0; i < MARKS; i++)
            values[i] =
                round % 3 ? draw_value(&dice, variant->shape->value_type) : keys[i] & width_mask(variant->shape->value_bytes);
        require_status(ROOST_OK, model_insert(&model, (roost_mode)(round / 4), keys, values, MARKS), model.table.handle);
        model_find(&model, keys, MARKS);
        require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, MARKS), model.table.handle);
        if (round % 2) model_erase(&model, keys, round % 4 == 1 ? 1 : MARKS);
        model_find(&model, keys, MARKS);
        model_compare(&model);
    }
    model_close(&model);
    free(others);
}

/* No asynchronous call may end without room.  With single tickets such a key has one slot, which
 * its erase does not free. */
static void marks_return_unwaited(const struct variant *variant)
{
    enum { CALLS = 12 };
    const struct late_rules rules = {.pinned = LATE_ALL, .reachable = LATE_ALL, .late = true, .unwaited = true};
    uint64_t key = ~UINT64_C(0), value = 1, failed = 0;
    uint8_t statuses[CALLS] = {0};
    roost_call call;
    struct table table;
    late_queues_wrap();
    open_stadium(&table, variant, 1000, (int)variant->number);
    late_queues_unwrap();
    late_queues_begin(table.handle, &rules);
    for (int i = 0; i < CALLS; i++) {
        require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
        call.statuses = &statuses[i];
        if (i % 2) require_status(ROOST_OK, roost_erase(table.handle, &key, 1, &call), table.handle);
        else require_status(ROOST_OK, roost_insert(table.handle, ROOST_KEEP, &key, &value, 1, &call), table.handle);
    }
    require_status(ROOST_OK, roost_table_sync(table.handle, &failed), table.handle);
    for (int i = 0; i < CALLS; i++)
        require(statuses[i] == (i % 2 ? ROOST_ITEM_ERASED : ROOST_ITEM_INSERTED), "call %d ended %u", i, statuses[i]);
    require(failed == 0 && table_stats(&table).count == 0, "%llu keys", print(table_stats(&table).count));
    table_check(&table);
    table_close(&table);
}

/* ---- Erased tickets ------------------------------------------------------------------------- */

/* At a constant fill, new keys replace old ones many times: the table neither grows nor becomes
 * full. */
static void holes_do_not_pile_up(const struct variant *variant)
{
    const size_t n = settings_size(10000, 3000), piece = n / 8, rounds = settings_rounds(settings_effort(80, 40, 40), 40);
    uint64_t *keys = numbered_keys(variant->shape, 0, n + rounds * piece);
    struct table table;
    open_stadium(&table, variant, n, (int)variant->number);
    insert(&table, keys, n);
    const struct table_numbers made = table_stats(&table);
    for (size_t round = 0; round < rounds; round++) {
        suite_step("round %zu of %zu", round, rounds);
        erase(&table, keys + round * piece, piece);
        insert(&table, keys + n + round * piece, piece);
        const struct table_numbers now = table_stats(&table);
        require(now.count == n && now.slots == made.slots && now.grow_steps == made.grow_steps, "%llu keys in %llu slots",
                print(now.count), print(now.slots));
        /* else they are on no key's way */
        require(4 * now.tombstones <= now.slots || (double)(n + now.tombstones) <= 0.85 * (double)now.slots,
                "%llu of %llu slots are erased", print(now.tombstones), print(now.slots));
        if (round % 16 == 0) table_check(&table);
    }
    require(table_stats(&table).flushes > 0, "no slot was taken back");
    require_found(&table, keys + rounds * piece, n, true);
    require_found(&table, keys, rounds * piece, false);
    table_check(&table);
    table_close(&table);
    free(keys);
}

/* Key by key, in small calls. */
static void one_key_comes_and_goes(const struct variant *variant)
{
    const size_t n = settings_rounds(settings_size(3000, 1000), 300);
    uint64_t *keys = numbered_keys(variant->shape, 0, 2 + n);
    struct table table;
    open_stadium(&table, variant, 0, (int)variant->number);
    const uint64_t slots = table_stats(&table).slots;
    for (size_t i = 0; i < n; i++) {
        insert(&table, &keys[i % 2 ? 0 : 1 + i], 1);
        erase(&table, &keys[i % 2 ? 0 : 1 + i], 1);
    }
    const struct table_numbers stats = table_stats(&table);
    require(stats.count == 0 && stats.slots == slots && stats.erased == n, "%llu keys in %llu slots", print(stats.count),
            print(stats.slots));
    table_check(&table);
    table_close(&table);
    free(keys);
}

/* A compaction removes tombstones, and no key. */
static void compacting_keeps_keys(const struct variant *variant)
{
    const size_t n = settings_size(20000, 4000), gone = n / 20;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    struct table table;
    open_stadium(&table, variant, n, 1);
    insert(&table, keys, n);
    erase(&table, keys, gone);
    const struct table_numbers before = table_stats(&table);
    require(before.tombstones == gone, "%llu tombstones", print(before.tombstones));
    /* several passes where whole groups are marks */
    for (uint64_t left = gone, round = 0; left && round < 3; round++) {
        require_status(ROOST_OK, roost_compact(table.handle), table.handle);
        table_check(&table);
        const struct table_numbers stats = table_stats(&table);
        require(stats.tombstones < left && stats.count == n - gone && stats.slots == before.slots && stats.flushes > before.flushes,
                "%llu tombstones, %llu keys after pass %llu", print(stats.tombstones), print(stats.count), print(round));
        left = stats.tombstones;
    }
    require(table_stats(&table).tombstones == 0, "%llu tombstones stay", print(table_stats(&table).tombstones));
    require_found(&table, keys, gone, false);
    require_found(&table, keys + gone, n - gone, true);
    insert(&table, keys, gone);
    require_found(&table, keys, n, true);
    table_check(&table);
    table_close(&table);
    free(keys);
}

/* A table that does not grow and has hardly a free slot is compacted, too, although this
 * rebuilds its pairs in another order. */
static void full_tables_are_compacted(const struct variant *variant)
{
    const size_t gone = 3;
    struct model model;
    open_model(&model, variant, 4000, 0);
    const size_t slots = (size_t)table_stats(&model.table).slots;
    uint64_t *keys = numbered_keys(variant->shape, 0, slots), *values = any_values(variant->shape, slots);
    /* a few find no slot on their ways */
    (void)model_insert(&model, ROOST_KEEP, keys, values, slots);
    struct pairs pairs = table_export(&model.table, ROOST_EXPORT_MIN);
    model_erase(&model, pairs.keys, gone);
    require(table_stats(&model.table).tombstones == gone, "%llu tombstones", print(table_stats(&model.table).tombstones));
    require_status(ROOST_OK, roost_compact(model.table.handle), model.table.handle);
    require(table_stats(&model.table).tombstones == 0, "%llu tombstones stay", print(table_stats(&model.table).tombstones));
    model_find(&model, keys, slots);
    /* all except a few are found, and none is stored twice */
    (void)model_insert(&model, ROOST_ASSIGN, keys, values, slots);
    model_compare(&model);
    model_close(&model);
    pairs_free(&pairs);
    free(keys);
    free(values);
}

/* ---- Growth --------------------------------------------------------------------------------- */

/* From the smallest table on, in steps that get longer; all modes in turn. */
static void grow(struct model *model, const uint64_t *keys, const uint64_t *values, size_t n)
{
    unsigned call = 0;
    for (size_t done = 0, piece; done < n; done += piece, call++) {
        const size_t step = 1 + done / settings_rounds(40, 4), again = done < 50 ? done : 50;
        piece = step < n - done ? step : n - done;
        suite_step("inserting %zu after %zu", piece, done);
        const roost_mode mode = (roost_mode)(call % mode_count(&model->table.shape));
        require_status(ROOST_OK, model_insert(model, mode, keys + done - again, values + done - again, piece + again),
                       model->table.handle);
        if (call % 8 == 0) model_find(model, keys, done + piece < 2000 ? done + piece : 2000);
    }
}

static void it_grows_and_shrinks(const struct variant *variant)
{
    const size_t n = settings_sanitized() ? 6000 : settings_effort(40000, 20000, 20000), erases = 12;
    uint64_t *keys = numbered_keys(variant->shape, 0, n), *values = any_values(variant->shape, n);
    struct model model;
    open_model(&model, variant, 0, 1);
    const struct table_numbers made = table_stats(&model.table);
    require(made.slots <= 1024, "the least table has %llu slots", print(made.slots));
    grow(&model, keys, values, n);
    const struct table_numbers full = table_stats(&model.table);
    require(full.count == n && full.grow_steps >= 4 && full.rehashed > 0, "%llu keys after %llu growth steps", print(full.count),
            print(full.grow_steps));
    model_compare(&model);
    model_reserve(&model, 2 * n);
    const uint64_t reserved = table_stats(&model.table).slots;
    require((double)reserved * 0.85 >= 2.0 * (double)n, "%llu slots for %zu keys", print(reserved), 2 * n);
    model_erase(&model, keys, n / 2);
    require(table_stats(&model.table).slots == reserved, "a reserved table shrinks");
    model_reserve(&model, 0);
    for (size_t i = 0, left = n - n / 2; i < erases; i++) {
        const size_t first = n / 2 + left * i / erases, end = n / 2 + left * (i + 1) / erases;
        model_erase(&model, keys + first, end - first);
    }
    const struct table_numbers empty = table_stats(&model.table);
    require(empty.shrink_steps > 0 && empty.slots == made.slots, "%llu slots became %llu", print(made.slots), print(empty.slots));
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, n), model.table.handle);
    model_clear(&model);
    require(table_stats(&model.table).slots == made.slots, "%llu slots after a clear", print(table_stats(&model.table).slots));
    require_status(ROOST_OK, model_insert(&model, ROOST_ASSIGN, keys, values, n / 10), model.table.handle);
    model_compare(&model);
    model_close(&model);
    free(keys);
    free(values);
}

/* A batch may fill a growing table to its last slots before it grows.  With erased slots among
 * them the table is first rebuilt at the same size.  There the last keys find no slot, as their
 * ways are shorter than the table, so it grows instead. */
static void crowded_tables_grow(const struct variant *variant)
{
    /* fresh: more than the slots left, few enough for one piece */
    const size_t n = 10000, gone = 3, fresh = 1000;
    uint64_t *keys = numbered_keys(variant->shape, 0, n + fresh), *values = any_values(variant->shape, n + fresh);
    struct model model;
    roost_config config;
    stadium_config(variant, &config);
    config.capacity = n;
    config.max_fill = 0.97; /* at most 620 slots are left */
    model_open(&model, variant, &config);
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys, values, n), model.table.handle);
    model_erase(&model, keys, gone);
    const struct table_numbers before = table_stats(&model.table);
    require(before.tombstones == gone && before.slots < n + fresh - gone, "%llu of %llu slots are erased", print(before.tombstones),
            print(before.slots));
    require_status(ROOST_OK, model_insert(&model, ROOST_KEEP, keys + n, values + n, fresh), model.table.handle);
    const struct table_numbers after = table_stats(&model.table);
    require(after.count == n - gone + fresh && after.grow_steps == before.grow_steps + 1, "%llu keys after %llu growth steps",
            print(after.count), print(after.grow_steps - before.grow_steps));
    model_find(&model, keys, n + fresh);
    model_close(&model);
    free(keys);
    free(values);
}

/* ---- Options -------------------------------------------------------------------------------- */

/* A refused option: for which width, with which status, and the text that the refusal has to
 * contain. */
struct wrong_option {
    const char *options, *named;
    unsigned shape;
    roost_status status;
};

static const struct wrong_option wrong_options[] = {
    {"ticket=3", "ticket=3", 0, ROOST_ERR_ARGUMENT},
    {"ticket=0", "ticket=0", 0, ROOST_ERR_ARGUMENT},
    {"ticket=32", "ticket=32", 0, ROOST_ERR_ARGUMENT},
    {"ticket=-1", "ticket=-1", 0, ROOST_ERR_ARGUMENT},
    {"ticket=", "ticket=", 0, ROOST_ERR_ARGUMENT},
    {"ticket=1|2", "ticket=1|2", 0, ROOST_ERR_ARGUMENT},
    {"probe=x", "probe=x", 0, ROOST_ERR_ARGUMENT},
    {"probe=", "probe=", 0, ROOST_ERR_ARGUMENT},
    {"group=48", "group=48", 0, ROOST_ERR_ARGUMENT},
    {"group=0", "group=0", 0, ROOST_ERR_ARGUMENT},
    {"group=128", "group=128", 0, ROOST_ERR_ARGUMENT},
    {"group=64,probe=double", "group=64", 0, ROOST_ERR_ARGUMENT},
    {"group=64,ticket=1", "group=64", 0, ROOST_ERR_ARGUMENT},
    {"group=64", "with these options (group)", 2, ROOST_ERR_UNSUPPORTED},
    {"group=64", "with these options (group)", 3, ROOST_ERR_UNSUPPORTED},
    {"group=64", "with these options (group)", 4, ROOST_ERR_UNSUPPORTED},
    {"access=on,ticket=1", "access=on", 0, ROOST_ERR_UNSUPPORTED},
    {"access=1", "access=1", 0, ROOST_ERR_ARGUMENT},
    {"memory=managed", "memory=managed", 0, ROOST_ERR_ARGUMENT},
    {"lookup=keys", "lookup=keys", 0, ROOST_ERR_ARGUMENT},
    {"regions=0", "regions=0", 0, ROOST_ERR_ARGUMENT},
    {"regions=1001", "regions=1001", 0, ROOST_ERR_ARGUMENT},
    {"regions=few", "regions=few", 0, ROOST_ERR_ARGUMENT},
    {"hash=summed", "hash=summed", 0, ROOST_ERR_ARGUMENT},
    {"driver=vote", "driver=vote", 0, ROOST_ERR_ARGUMENT},
    {"tile=33", "tile=33", 0, ROOST_ERR_ARGUMENT},
    {"ticket=8,ticket=5", "given twice", 0, ROOST_ERR_ARGUMENT},
};

static void wrong_options_are_refused(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof wrong_options / sizeof wrong_options[0]; i++) {
        const struct wrong_option *const wrong = &wrong_options[i];
        struct variant with = *variant;
        roost_config config;
        struct table table;
        with.shape = &shapes[wrong->shape];
        with.options = wrong->options;
        stadium_config(&with, &config);
        suite_step("%s, %s", wrong->options, with.shape->name);
        require_status(wrong->status, table_create(&table, &with, &config), NULL);
        require(strstr(roost_last_error(NULL), wrong->named) != NULL, "%s: \"%s\"", wrong->options, roost_last_error(NULL));
    }
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static void add_reads(void)
{
    static const char *const options[] = {"ticket=4",
                                          "ticket=8",
                                          "ticket=16",
                                          "ticket=4,group=64",
                                          "ticket=8,group=64",
                                          "ticket=16,group=64",
                                          "ticket=4,probe=double",
                                          "ticket=8,probe=double",
                                          "ticket=16,probe=double",
                                          "ticket=4,access=off",
                                          "ticket=8,access=off",
                                          "ticket=16,access=off",
                                          "lookup=pairs",
                                          "lookup=pairs,probe=double",
                                          "lookup=pairs,access=off",
                                          "lookup=pairs,ticket=16,group=64"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        for (unsigned shape = 0; shape < 2; shape++)
            suite_add("pairs are hardly read", pairs_are_hardly_read,
                      (struct variant){.shape = &shapes[shape], .options = options[i]});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    add_stadium_kinds("bytes are told", bytes_are_told, UINT64_MAX);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const struct variant either = {.shape = &shapes[i], .options = "memory=auto"};
        suite_add("pairs go to the host", pairs_go_to_the_host, either);
        suite_add("growing pairs go to the host", growing_pairs_go_to_the_host, either);
    }
    add_reads();
    add_marked_kinds("marked pairs mix in phases", marked_pairs_mix_in_phases, 0);
    add_stadium_kinds("keys that look like marks", keys_that_look_like_marks, 1);
    add_stadium_kinds("keys that look like marks, fixed", keys_that_look_like_marks, 0);
    if (!settings_on_gpu()) /* there calls are asynchronous without late queues */
        add_marked_kinds("marks return unwaited", marks_return_unwaited, 1);
    if (!settings_on_gpu()) add_marked_kinds("marks return unwaited, fixed", marks_return_unwaited, 0);
    add_stadium_kinds("holes do not pile up", holes_do_not_pile_up, 1);
    add_stadium_kinds("holes do not pile up, fixed", holes_do_not_pile_up, 0);
    add_stadium_kinds("one key comes and goes", one_key_comes_and_goes, 1);
    add_stadium_kinds("one key comes and goes, fixed", one_key_comes_and_goes, 0);
    add_stadium_kinds("compacting keeps keys", compacting_keeps_keys, 0);
    add_stadium_kinds("full tables are compacted", full_tables_are_compacted, 0);
    add_stadium_kinds("crowded tables grow", crowded_tables_grow, 0);
    add_stadium_kinds("it grows and shrinks", it_grows_and_shrinks, 0);
    suite_add_once("wrong options are refused", wrong_options_are_refused);
    return suite_run("stadium");
}
