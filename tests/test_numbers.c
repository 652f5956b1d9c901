/* Dense numbers of keys: each key has one for its life, no number is given twice, none is left
 * out, and refused keys take none. */
#include "batches/batches.h"
#include "support/allocators.h"
#include "support/answers.h"
#include "support/draw.h"
#include "support/faulty_backend.h"
#include "support/late_queues.h"
#include "support/numbering.h"
#include "support/settings.h"
#include "roost/merge.h"
#include "roost/mixed.h"
#include "roost/numbers.h"
#include "roost/views.h"

#include <stdlib.h>
#include <string.h>

static void draw_keys(struct dice *dice, const struct test_shape *shape, uint64_t among, uint64_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(shape, draw_below(dice, among));
}

/* ---- Against the reference ------------------------------------------------------------------- */

/* Batches of one key and of many, nearly all new, partly known and all known, in both orders, with
 * erases, reservations and a clear between them. */
static void some_batches(struct numbering *m, struct dice *dice, size_t rounds, size_t most)
{
    static const uint64_t among[] = {1, 3, 40, 1000, 8000, 100000};
    const struct test_shape *const shape = &m->table.shape;
    uint64_t *keys = make_patterns(most);
    for (size_t round = 0; round < rounds; round++) {
        const size_t n = round < 4 ? round / 2 : 1 + draw_below(dice, round % 3 ? most : 40);
        const uint32_t flags = round % 2 ? ROOST_ORDERED : 0;
        suite_step("round %zu, %zu items", round, n);
        draw_keys(dice, shape, among[draw_below(dice, 6)], keys, n);
        require_status(ROOST_OK, numbering_run(m, keys, n, flags, draw_below(dice, 3) > 0), m->table.handle);
        if (draw_below(dice, 3) == 0) require_status(ROOST_OK, numbering_run(m, keys, n, flags ^ ROOST_ORDERED, true), NULL);
        if (draw_below(dice, 3) == 0) numbering_erase(m, keys, n / 2);
        if (draw_below(dice, 8) == 0) numbering_clear(m);
        if (draw_below(dice, 8) == 0)
            require_status(ROOST_OK, roost_table_reserve(m->table.handle, draw_below(dice, 4 * most)), m->table.handle);
    }
    free(keys);
}

static void batches_against_the_reference(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    struct numbering m;
    numbering_open(&m, variant, NULL);
    some_batches(&m, &dice, settings_size(60, 24), settings_size(6000, 2000));
    numbering_compare(&m, settings_rounds(300, 5000));
    numbering_close(&m);
}

/* The same of signed numbers. */
static void signed_numbers(const struct variant *variant)
{
    const struct test_shape shape =
        shape_of_value(variant->shape, variant->shape->value_bytes == 4 ? ROOST_TYPE_I32 : ROOST_TYPE_I64);
    struct variant of = *variant;
    of.shape = &shape;
    batches_against_the_reference(&of);
}

/* The share of known keys rises from batch to batch, and falls again. */
static void known_and_new_keys(const struct variant *variant)
{
    enum { N = 3000, ROUNDS = 12 };
    struct dice dice = {suite_seed()};
    struct numbering m;
    uint64_t *keys = make_patterns(N), order[N], added = 0;
    numbering_open(&m, variant, NULL);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t share = round < ROUNDS / 2 ? round : ROUNDS - round, known = added ? N * share * 2 / ROUNDS : 0;
        suite_step("round %llu, %llu known items", (unsigned long long)round, (unsigned long long)known);
        for (uint64_t i = 0; i < N; i++) order[i] = i < known ? draw_below(&dice, added) : added + i - known;
        draw_order(&dice, order, N);
        for (uint64_t i = 0; i < N; i++) keys[i] = distinct_key(variant->shape, order[i]);
        added += N - known;
        require_status(ROOST_OK, numbering_run(&m, keys, N, variant->number ? ROOST_ORDERED : 0, round % 3 > 0), m.table.handle);
    }
    require(m.next == reference_count(m.numbers), "%llu numbers of %llu keys", (unsigned long long)m.next,
            (unsigned long long)reference_count(m.numbers));
    numbering_compare(&m, 4096);
    free(keys);
    numbering_close(&m);
}

/* A number that was erased does not come back, also where its key does. */
static void erased_numbers_are_gone(const struct variant *variant)
{
    enum { N = 1000 };
    struct numbering m;
    uint64_t *keys = numbered_keys(variant->shape, 0, N), numbers[N];
    numbering_open(&m, variant, NULL);
    for (uint64_t round = 0; round < 4; round++) {
        require_status(ROOST_OK, table_number(&m.table, keys, N, numbers, NULL, ROOST_ORDERED), m.table.handle);
        for (uint64_t i = 0; i < N; i++)
            require(numbers[i] == N * round + i, "round %llu: item %llu got %llu", (unsigned long long)round, (unsigned long long)i,
                    (unsigned long long)numbers[i]);
        numbering_erase(&m, keys, N);
    }
    numbering_clear(&m);
    require_status(ROOST_OK, numbering_run(&m, keys, N, 0, true), m.table.handle);
    free(keys);
    numbering_close(&m);
}

/* ---- Room, memory and numbers that are refused ----------------------------------------------- */

/* A table that may not grow gets more keys than it holds. */
static void keys_without_room(const struct variant *variant)
{
    const size_t n = settings_size(3000, 1200);
    struct dice dice = {suite_seed()};
    struct numbering m;
    roost_config config;
    uint64_t *keys = make_patterns(n);
    size_t refused = 0;
    numbering_config(variant, &config);
    config.growth = 0;
    config.capacity = 1000;
    numbering_open(&m, variant, &config);
    for (size_t round = 0; round < 10; round++) {
        suite_step("round %zu", round);
        draw_keys(&dice, variant->shape, 4 * n, keys, n);
        (void)numbering_run(&m, keys, n, round % 2 ? ROOST_ORDERED : 0, round % 3 > 0);
        refused += m.refused;
        if (round % 4 == 3) numbering_erase(&m, keys, n / 3);
    }
    require(refused > n, "%zu items were refused", refused);
    numbering_compare(&m, 4096);
    free(keys);
    numbering_close(&m);
}

/* The memory of a numbered table with n keys, at its peak. */
static uint64_t peak_of(const struct variant *variant, size_t n)
{
    struct numbering m;
    uint64_t *keys = numbered_keys(variant->shape, 0, n);
    numbering_open(&m, variant, NULL);
    (void)numbering_run(&m, keys, n, 0, true);
    const uint64_t peak = table_stats(&m.table).bytes_peak;
    free(keys);
    numbering_close(&m);
    return peak;
}

static void batches_under_a_limit(const struct variant *variant)
{
    const size_t n = settings_size(3000, 800);
    struct dice dice = {suite_seed()};
    struct numbering m;
    roost_config config;
    uint64_t *keys = make_patterns(n);
    size_t refused = 0;
    numbering_config(variant, &config);
    config.memory_limit = peak_of(variant, n / 2);
    numbering_open(&m, variant, &config);
    for (size_t round = 0; round < settings_size(10, 6); round++) {
        suite_step("round %zu", round);
        draw_keys(&dice, variant->shape, n * (1 + round), keys, n);
        (void)numbering_run(&m, keys, n, round % 2 ? ROOST_ORDERED : 0, round % 3 > 0);
        refused += m.refused;
        if (round % 4 == 3) numbering_erase(&m, keys, n / 3);
    }
    require(refused > 0 || settings_on_slab(), "the limit refused nothing");
    free(keys);
    numbering_close(&m);
}

/* Pieces that a memory limit makes small go on with the same numbers. */
static void small_pieces(const struct variant *variant)
{
    enum { N = 9000, KEYS = 2000 };
    struct dice dice = {suite_seed()};
    uint64_t *keys = make_patterns(N), launches = 0, limit = 0;
    roost_config config;
    struct numbering m;
    numbering_config(variant, &config);
    config.growth = 0;
    config.capacity = 3 * KEYS;
    for (int tight = 0; tight < 2; tight++) {
        config.memory_limit = limit;
        numbering_open(&m, variant, &config);
        for (int round = 0; round < 4; round++) {
            draw_keys(&dice, variant->shape, KEYS, keys, N);
            require_status(ROOST_OK, numbering_run(&m, keys, N, round % 2 ? ROOST_ORDERED : 0, true), m.table.handle);
        }
        const struct table_numbers stats = table_stats(&m.table);
        require(!tight || stats.launches > 2 * launches, "%llu launches in small pieces, %llu else",
                (unsigned long long)stats.launches, (unsigned long long)launches);
        launches = stats.launches;
        limit = stats.bytes_now + (stats.bytes_peak - stats.bytes_now) / 8;
        numbering_close(&m);
    }
    free(keys);
}

/* The allocator refuses request k of a batch, and all later ones or some. */
static void any_request_may_be_refused(const struct variant *variant)
{
    static const uint64_t steps[] = {1, 2, 3};
    const size_t n = settings_size(2000, 800);
    struct dice dice = {suite_seed()};
    uint64_t *keys = make_patterns(n);
    size_t refused = 0;
    for (uint64_t i = 0; i < 6 * settings_size(14, 7); i++) {
        struct allocator allocator = {0};
        struct numbering m;
        roost_config config;
        numbering_config(variant, &config);
        config.allocator = allocator_hooks(&allocator);
        suite_step("refusing request %llu, one of %llu", (unsigned long long)(1 + i / 6), (unsigned long long)steps[i % 3]);
        numbering_open(&m, variant, &config);
        m.looking = &allocator.paused;
        draw_keys(&dice, variant->shape, n, keys, n / 2);
        require_status(ROOST_OK, numbering_run(&m, keys, n / 2, 0, true), m.table.handle);
        allocator.refuse_on = true;
        allocator.step = steps[i % 3];
        allocator.refuse_at = allocator.requests + 1 + i / 6;
        draw_keys(&dice, variant->shape, 2 * n, keys, n);
        (void)numbering_run(&m, keys, n, i % 6 < 3 ? 0 : ROOST_ORDERED, i % 2);
        refused += m.refused;
        allocator.refuse_at = 0;
        (void)numbering_run(&m, keys, n, 0, true);
        numbering_close(&m);
        require(allocator.bytes == 0 && allocator.wrong == 0, "%llu bytes leaked", (unsigned long long)allocator.bytes);
    }
    require(refused > 0 || settings_on_slab(), "no item was refused"); /* slab has memory ahead */
    free(keys);
}

/* A value can hold few numbers: the last ones are given away, and then new keys are refused. */
static void the_end_of_the_numbers(const struct variant *variant)
{
    enum { N = 700, MOST = 2000 };
    struct dice dice = {suite_seed()};
    struct numbering m;
    uint64_t *keys = make_patterns(N);
    batches_numbers_most = MOST;
    numbering_open(&m, variant, NULL);
    for (size_t round = 0; round < 16; round++) {
        suite_step("round %zu, %llu numbers", round, (unsigned long long)m.next);
        draw_keys(&dice, variant->shape, 3 * MOST, keys, N);
        const roost_status status = numbering_run(&m, keys, N, round % 2 ? ROOST_ORDERED : 0, round % 3 > 0);
        require(status == (m.refused ? ROOST_ERR_FULL : ROOST_OK), "%s", roost_status_name(status));
        require(!m.refused || m.next == MOST, "%zu items were refused after %llu numbers", m.refused, (unsigned long long)m.next);
        if (m.refused) numbering_erase(&m, keys, N / 2); /* frees no number */
    }
    require(m.next == MOST, "%llu numbers were given away", (unsigned long long)m.next);
    numbering_clear(&m);
    require_status(ROOST_OK, numbering_run(&m, keys, N, 0, true), m.table.handle);
    batches_numbers_most = UINT64_MAX;
    free(keys);
    numbering_close(&m);
}

/* ---- Arrays out of reach, and calls that do not wait ----------------------------------------- */

/* A variant's number: LATE_* of pinned and of reachable arrays, 3 bits each. */
static void arrays_out_of_reach(const struct variant *variant)
{
    const struct late_rules rules = {(enum late_which)(variant->number & 7), (enum late_which)(variant->number >> 3 & 7), true,
                                     suite_seed(), false};
    enum { N = 12000, KEYS = 6000, ROOM = 1024 };
    struct dice dice = {suite_seed()};
    uint64_t *keys = make_patterns(N);
    roost_config config;
    struct numbering m;
    numbering_config(variant, &config);
    config.capacity = 3 * KEYS;
    config.growth = 0;
    numbering_open(&m, variant, &config);
    draw_keys(&dice, variant->shape, KEYS, keys, N);
    require_status(ROOST_OK, numbering_run(&m, keys, N, 0, true), m.table.handle);
    const struct table_numbers stats = table_stats(&m.table);
    config.memory_limit = stats.bytes_now + (stats.bytes_peak - stats.bytes_now) / 8 + 4 * ROOM * 18;
    numbering_close(&m);
    numbering_open(&m, variant, &config);
    late_queues_begin(m.table.handle, &rules);
    for (int round = 0; round < 4; round++) {
        draw_keys(&dice, variant->shape, KEYS, keys, N);
        require_status(ROOST_OK, numbering_run(&m, keys, N, round % 2 ? ROOST_ORDERED : 0, round != 2), m.table.handle);
        numbering_erase(&m, keys, N / 8);
    }
    require(late_queues_copies() > 20, "%llu copies: the pieces were too large", (unsigned long long)late_queues_copies());
    numbering_compare(&m, 1000);
    free(keys);
    numbering_close(&m);
}

/* Erases are in flight while keys are numbered. */
static void after_calls_that_do_not_wait(const struct variant *variant)
{
    const struct late_rules rules = {.pinned = LATE_ALL, .reachable = LATE_ALL, .late = true, .unwaited = true};
    enum { N = 2000, HALF = N / 2 };
    struct numbering m;
    roost_config config;
    uint64_t *keys = numbered_keys(variant->shape, 0, N), numbers[N];
    void *gone = calloc(HALF, variant->shape->key_bytes), *both = calloc(N, variant->shape->key_bytes), *out = calloc(N, 8);
    numbering_config(variant, &config);
    config.capacity = 3 * N;
    config.min_fill = 0;
    late_queues_wrap();
    numbering_open(&m, variant, &config);
    late_queues_unwrap();
    require_status(ROOST_OK, numbering_run(&m, keys, HALF, 0, true), m.table.handle);
    late_queues_begin(m.table.handle, &rules);
    require(gone && both && out, "no memory");
    pack(keys, HALF, variant->shape->key_bytes, gone);
    pack(keys, N, variant->shape->key_bytes, both);
    require_status(ROOST_OK, roost_erase(m.table.handle, gone, HALF / 2, NULL), m.table.handle);
    require(late_queues_waiting() > 0, "the erase has waited");
    require_status(ROOST_OK, roost_number(m.table.handle, both, N, out, NULL), m.table.handle);
    unpack(out, N, variant->shape->value_bytes, numbers);
    uint8_t given[N + HALF] = {0};
    for (size_t i = 0; i < N; i++) {
        const bool is_new = i < HALF / 2 || i >= HALF;
        require(numbers[i] < HALF + HALF + HALF / 2 && (numbers[i] >= HALF) == is_new && !given[numbers[i]], "key %zu got %llu", i,
                (unsigned long long)numbers[i]);
        given[numbers[i]] = 1;
    }
    free(keys), free(gone), free(both), free(out);
    numbering_close(&m);
}

/* ---- Faults of the machine ------------------------------------------------------------------- */

enum { OLD = 500, ALL = 1100, MORE = 1400 /* keys; the failing call has those below ALL */ };

/* Whatever failed, no two keys have one number, and stored keys keep theirs.  now: the numbers of
 * all keys. */
static void require_unique(struct table *t, const uint64_t *keys, const uint64_t *numbers, uint64_t now[MORE])
{
    uint64_t values[ALL];
    uint8_t found[ALL];
    struct reference *given = reference_make();
    require_status(ROOST_OK, table_find(t, keys, ALL, values, found, NULL), t->handle);
    for (size_t i = 0; i < OLD; i++)
        require(found[i] && values[i] == numbers[i], "key %zu has number %llu, not %llu", i, (unsigned long long)values[i],
                (unsigned long long)numbers[i]);
    require_status(ROOST_OK, table_number(t, keys, MORE, now, NULL, 0), t->handle);
    for (size_t i = 0; i < MORE; i++) {
        require(i >= ALL || !found[i] || now[i] == values[i], "key %zu had number %llu, and has %llu", i,
                (unsigned long long)values[i], (unsigned long long)now[i]);
        require(!reference_get(given, now[i], NULL), "two keys have number %llu", (unsigned long long)now[i]);
        reference_put(given, now[i], 0);
    }
    reference_free(given);
}

/* Keys that a call did not number have the number with all bits set: also if it had no memory to
 * begin. */
static void require_answers(const struct table *t, const uint64_t *numbers, const uint64_t *now, roost_status status)
{
    if (status != ROOST_OK && status != ROOST_ERR_MEMORY) return;
    for (size_t i = OLD / 2; i < ALL; i++)
        require(numbers[i] == now[i] || (status && numbers[i] == width_mask(t->shape.value_bytes)),
                "%s: key %zu has number %llu, and was told %llu", roost_status_name(status), i, (unsigned long long)now[i],
                (unsigned long long)numbers[i]);
}

/* Returns false if the call has no k-th operation of this kind. */
static bool inject(const struct variant *variant, enum fault_kind kind, uint64_t k, bool on, uint32_t flags)
{
    const int64_t pieces = faulty_pieces();
    uint64_t *keys = numbered_keys(variant->shape, 0, MORE), before[OLD], numbers[ALL], now[MORE];
    struct table t;
    roost_config config;
    suite_step("%s %llu%s, flags %u", faulty_name(kind), (unsigned long long)k, on ? " and on" : "", (unsigned)flags);
    numbering_config(variant, &config);
    table_open(&t, variant, &config);
    faulty_stage();
    require_status(ROOST_OK, table_number(&t, keys, OLD, before, NULL, 0), t.handle);
    faulty_arm(kind, k, on);
    /* known keys before new ones: their numbers have to be closed up */
    const roost_status status = table_number(&t, keys + OLD / 2, ALL - OLD / 2, numbers + OLD / 2, NULL, flags);
    const bool hit = faulty_injected() > 0;
    faulty_arm(kind, 0, false);
    require_unique(&t, keys, before, now);
    require_answers(&t, numbers, now, status);
    table_check(&t);
    table_close(&t);
    free(keys);
    require(faulty_pieces() == pieces, "%lld pieces of memory leaked", (long long)(faulty_pieces() - pieces));
    return hit;
}

static void every_operation_fails(const struct variant *variant)
{
    uint64_t last = 0;
    faulty_begin((enum faulty_machine)variant->number);
    for (int kind = 0; kind < FAULT_KIND_COUNT; kind++)
        for (int flags = 0; flags < 4; flags++)
            for (uint64_t k = 1; inject(variant, (enum fault_kind)kind, k, flags & 1, flags & 2 ? ROOST_ORDERED : 0); k++)
                last += k;
    faulty_end();
    require(last > 0, "nothing has failed");
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* Exports in order from an empty table, a full one and one with few keys of many numbers. */
static void exports_in_order(const struct variant *variant)
{
    const size_t n = settings_size(20000, 6000), rooms[] = {settings_rounds(ROOST_EXPORT_MIN, 500), 1000, 3 * n};
    struct dice dice = {suite_seed()};
    struct numbering m;
    uint64_t *keys = numbered_keys(variant->shape, 0, n), *order = make_patterns(n);
    for (size_t i = 0; i < n; i++) order[i] = keys[i];
    draw_order(&dice, order, n);
    numbering_open(&m, variant, NULL);
    numbering_compare(&m, 64);
    require_status(ROOST_OK, numbering_run(&m, keys, n, ROOST_ORDERED, true), m.table.handle);
    for (size_t left = n, gone = 0; left > 1; gone = n - left) {
        for (size_t i = 0; i < 3; i++) {
            suite_step("%zu keys, room for %zu", left, rooms[i]);
            if (n / rooms[i] < settings_size(1000, 50)) numbering_compare(&m, rooms[i]);
        }
        left /= 8;
        numbering_erase(&m, order + gone, n - left - gone);
    }
    numbering_compare(&m, settings_rounds(ROOST_EXPORT_MIN, 500));
    free(keys), free(order);
    numbering_close(&m);
}

/* All numbers but a block in the middle, and a few at the end, are of erased keys. */
static void exports_over_gaps(const struct variant *variant)
{
    enum { N = 8000, BLOCK = 3000, FEW = 5 };
    const size_t least = settings_rounds(ROOST_EXPORT_MIN, 500);
    struct numbering m;
    uint64_t *keys = numbered_keys(variant->shape, 0, N);
    numbering_open(&m, variant, NULL);
    require_status(ROOST_OK, numbering_run(&m, keys, N, ROOST_ORDERED, true), m.table.handle);
    for (size_t gone = least; gone < BLOCK; gone = 9 * gone) { /* where ranges may end */
        numbering_erase(&m, keys, gone);
        numbering_compare(&m, least);
    }
    numbering_erase(&m, keys, BLOCK);
    numbering_erase(&m, keys + BLOCK + BLOCK / 3, N - BLOCK - BLOCK / 3 - FEW);
    numbering_compare(&m, least);
    numbering_compare(&m, 500);
    numbering_compare(&m, N);
    numbering_erase(&m, keys + N - FEW, FEW);
    numbering_compare(&m, 100);
    numbering_erase(&m, keys, N);
    numbering_compare(&m, 100);
    free(keys);
    numbering_close(&m);
}

/* An export's memory is refused: it gives fewer pairs at a time, or says so, and the next one is
 * complete. */
static void exports_without_memory(const struct variant *variant)
{
    enum { N = 3000 };
    struct allocator allocator = {0};
    struct numbering m;
    roost_config config;
    uint64_t *keys = numbered_keys(variant->shape, 0, N);
    numbering_config(variant, &config);
    config.allocator = allocator_hooks(&allocator);
    numbering_open(&m, variant, &config);
    m.looking = &allocator.paused;
    require_status(ROOST_OK, numbering_run(&m, keys, N, ROOST_ORDERED, true), m.table.handle);
    allocator.refuse_at = allocator.requests + 1;
    numbering_compare(&m, N);
    struct pairs pairs = {0};
    roost_cursor cursor = {0};
    allocator.refuse_at = allocator.requests + 1;
    allocator.refuse_on = true;
    require_status(ROOST_ERR_MEMORY, table_export_some_flagged(&m.table, &cursor, N, &pairs, ROOST_NUMBER_ORDER), m.table.handle);
    allocator.refuse_at = 0;
    numbering_compare(&m, N);
    pairs_free(&pairs);
    free(keys);
    numbering_close(&m);
    require(allocator.bytes == 0, "%llu bytes leaked", (unsigned long long)allocator.bytes);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refused_configurations(const struct variant *variant)
{
    static const roost_type wrong[] = {ROOST_TYPE_F32, ROOST_TYPE_F64, ROOST_TYPE_NONE};
    roost_table *table = NULL;
    roost_config config;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        numbering_config(variant, &config);
        config.value_type = wrong[i];
        config.value_bytes = 0;
        require_answer(ARGUMENT, roost_table_create(&table, &config), NULL, type_name(wrong[i]));
    }
    numbering_config(variant, &config);
    config.value_type = ROOST_TYPE_BYTES;
    config.value_bytes = 4;
    require_answer(ARGUMENT, roost_table_create(&table, &config), NULL, "values of bytes");
    numbering_config(variant, &config);
    config.flags |= ROOST_MULTI;
    require_answer(UNSUPPORTED, roost_table_create(&table, &config), NULL, "a multimap");
}

static void other_inserts_are_refused(struct table *t)
{
    const uint64_t keys[] = {1, 2, 3}, values[] = {7, 8, 9};
    uint64_t old[3] = {0};
    uint8_t statuses[3];
    for (int mode = ROOST_ASSIGN; mode <= ROOST_APPEND; mode++) {
        const struct exchange e = {3, keys, values, old, NULL, NULL};
        require_answer(UNSUPPORTED, table_insert(t, (roost_mode)mode, keys, values, 3, NULL), t->handle, "an insert");
        require_answer(UNSUPPORTED, table_exchange(t, (roost_mode)mode, &e, 0), t->handle, "an exchange");
    }
    require_answer(UNSUPPORTED, table_insert(t, ROOST_ADD, keys, NULL, 3, NULL), t->handle, "an insert of 1");
    for (uint32_t flags = 0; flags <= ROOST_ORDERED; flags += ROOST_ORDERED) {
        uint8_t operations[] = {ROOST_OP_ASSIGN, ROOST_OP_KEEP, ROOST_OP_ADD};
        uint64_t in[] = {7, 8, 9}, out[3] = {0}, of[] = {1, 2, 3};
        struct mixed mixed = {3, operations, of, in, out, statuses};
        require_status(ROOST_OK, table_apply(t, &mixed, flags), t->handle);
        for (int i = 0; i < 3; i++) require(statuses[i] == ROOST_ITEM_NONE, "item %d of a mixed batch ended %u", i, statuses[i]);
    }
    require(table_stats(t).count == 0, "a refused insert has stored a key");
}

static void merges_into_it_are_refused(struct table *t, const struct variant *variant)
{
    struct table other;
    const uint64_t key = 5, value = 6;
    table_open(&other, variant, NULL);
    require_status(ROOST_OK, table_insert(&other, ROOST_ASSIGN, &key, &value, 1, NULL), other.handle);
    require_answer(UNSUPPORTED, roost_table_merge(t->handle, other.handle, ROOST_ASSIGN, NULL), t->handle, "a merge");
    require_answer(UNSUPPORTED, roost_table_intersect(t->handle, other.handle, ROOST_ADD, NULL), t->handle, "an intersection");
    require(table_stats(t).count == 0, "a refused merge has stored a key");
    table_close(&other);
}

static void refused_calls(const struct variant *variant)
{
    const uint32_t key = 1;
    uint64_t number, view[64];
    size_t n;
    roost_cursor cursor = {0};
    roost_call call = ROOST_CALL_INIT;
    roost_config config;
    struct table t, plain;
    numbering_config(variant, &config);
    table_open(&t, variant, &config);
    table_open(&plain, variant, NULL);
    other_inserts_are_refused(&t);
    merges_into_it_are_refused(&t, variant);
    require_answer(UNSUPPORTED, roost_view_acquire(t.handle, view, sizeof view, 1, NULL), t.handle, "a view");
    require_answer(UNSUPPORTED, roost_number(plain.handle, &key, 1, &number, NULL), plain.handle, "numbers of a plain table");
    require_answer(ARGUMENT, roost_number(NULL, &key, 1, &number, NULL), NULL, "numbers without a table");
    require_answer(ARGUMENT, roost_number(t.handle, NULL, 1, &number, NULL), t.handle, "numbers without keys");
    require_answer(ARGUMENT, roost_number(t.handle, &key, 1, NULL, NULL), t.handle, "numbers nowhere");
    require_answer(ARGUMENT | UNSUPPORTED, roost_number_strings(t.handle, NULL, 1, &number, NULL), t.handle, "strings");
    call.flags = ROOST_ABSENT_KEEP;
    require_answer(ARGUMENT, roost_number(t.handle, &key, 1, &number, &call), t.handle, "numbers with another flag");
    call.flags = ROOST_NUMBER_ORDER;
    require_answer(UNSUPPORTED, roost_export(plain.handle, &cursor, view, NULL, 64, &n, &call), plain.handle, "an export in order");
    call.flags |= ROOST_HASH_ORDER;
    require_answer(ARGUMENT, roost_export(t.handle, &cursor, view, NULL, 64, &n, &call), t.handle, "an export in two orders");
    require_status(ROOST_OK, roost_number(t.handle, NULL, 0, NULL, NULL), t.handle);
    table_close(&t);
    table_close(&plain);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_some("batches against the reference", batches_against_the_reference, shape_has_numbers);
    suite_add_wide("batches against the reference", batches_against_the_reference, shape_has_numbers);
    suite_add_some("signed numbers", signed_numbers, shape_has_numbers);
    suite_add_some("erased numbers are gone", erased_numbers_are_gone, shape_has_numbers);
    suite_add_wide("erased numbers are gone", erased_numbers_are_gone, shape_has_numbers);
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        for (uint64_t ordered = 0; ordered < 2 && shape_has_numbers(&shapes[i]); ordered++)
            suite_add("known and new keys", known_and_new_keys, (struct variant){.shape = &shapes[i], .number = ordered});
    suite_add_some("keys without room", keys_without_room, shape_has_numbers);
    suite_add_wide("keys without room", keys_without_room, shape_has_numbers);
    suite_add_some("batches under a limit", batches_under_a_limit, shape_has_numbers);
    suite_add_wide("batches under a limit", batches_under_a_limit, shape_has_numbers);
    suite_add_some("small pieces", small_pieces, shape_has_numbers);
    suite_add_some("the end of the numbers", the_end_of_the_numbers, shape_has_numbers);
    suite_add_wide("the end of the numbers", the_end_of_the_numbers, shape_has_numbers);
    suite_add_some("exports in order", exports_in_order, shape_has_numbers);
    suite_add_some("exports over gaps", exports_over_gaps, shape_has_numbers);
    suite_add_once("refused configurations", refused_configurations);
    suite_add_once("refused calls", refused_calls);
    if (settings_on_gpu()) return suite_run("numbers");
    static const uint64_t reaches[] = {LATE_ALL | LATE_NONE << 3, LATE_NONE | LATE_NONE << 3, LATE_SOME | LATE_SOME << 3};
    for (size_t i = 0; i < sizeof reaches / sizeof *reaches; i++)
        suite_add("arrays out of reach", arrays_out_of_reach, (struct variant){.shape = &shapes[i], .number = reaches[i]});
    suite_add_some("after calls that do not wait", after_calls_that_do_not_wait, shape_has_numbers);
    suite_add_some("any request may be refused", any_request_may_be_refused, shape_has_numbers);
    suite_add_wide("any request may be refused", any_request_may_be_refused, shape_has_numbers);
    suite_add_some("exports without memory", exports_without_memory, shape_has_numbers);
    for (uint64_t machine = FAULTY_PLAIN; machine <= FAULTY_UNWAITED; machine++) {
        suite_add("every operation fails", every_operation_fails, (struct variant){.shape = &shapes[machine], .number = machine});
        if (settings_on_stadium())
            suite_add("every operation fails", every_operation_fails,
                      (struct variant){.shape = shape_named(machine ? "s+4 u32" : "12+4 u32"), .number = machine});
    }
    return suite_run("numbers");
}
