/* Keys that are stored many times: multimaps against an exact one, wherever the arrays lie;
 * multimaps without room; counts on tables of unique keys; and the refusals of engines and tables
 * that have no multimaps. */
#include "support/answers.h"
#include "support/draw.h"
#include "support/inside.h"
#include "support/late_queues.h"
#include "support/multimap.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/multi.h"
#include "roost/mixed.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables, and calls with their arrays where the variant puts them ------------------------ */

/* The engine under test if it has multimaps, else the first one that has them; NULL: no engine
 * has. */
static const char *multi_engine(void)
{
    roost_engine_info info;
    const char *first = NULL;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++) {
        if (!info.multi) continue;
        if (settings_get()->engine && !strcmp(info.name, settings_get()->engine)) return info.name;
        if (!first) first = info.name;
    }
    return first;
}

struct scene {
    struct table table;
    struct multimap pairs;
    struct dice dice;
};

static bool open_multi(struct scene *s, const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.engine = multi_engine();
    config.flags = ROOST_MULTI;
    if (!config.engine) return false;
    *s = (struct scene){.dice = {suite_seed()}};
    table_open(&s->table, variant, &config);
    return true;
}

static void close_multi(struct scene *s)
{
    table_close(&s->table);
    multimap_free(&s->pairs);
}

enum { KEYS, PLACES, RESULTS, STATUSES, ARRAYS };

/* A call's arrays; an array that is not given is NULL. */
struct given {
    struct array array[ARRAYS];
    roost_call call;
};

static void give(struct given *g, const struct table *t)
{
    require_status(ROOST_OK, roost_call_init(&g->call, sizeof g->call), NULL);
    for (int a = 0; a < ARRAYS; a++)
        if (g->array[a].host) array_send(&g->array[a], t->placement == PLACE_DEVICE || (t->placement == PLACE_MIXED && a % 2));
    g->call.statuses = g->array[STATUSES].given;
}

static struct array array_of(const void *from, size_t bytes)
{
    struct array array = array_make(bytes);
    memcpy(array.host, from, bytes);
    return array;
}

static struct given given_keys(const struct table *t, const uint64_t *keys, size_t n)
{
    struct given g = {.array[KEYS] = array_make(n * t->shape.key_bytes), .array[STATUSES] = array_make(n)};
    pack(keys, n, t->shape.key_bytes, g.array[KEYS].host);
    return g;
}

/* Fetches the arrays: `bytes` bytes of the results, n statuses. */
static void take(struct given *g, void *results, size_t bytes, uint8_t *statuses, size_t n)
{
    for (int a = 0; a < ARRAYS; a++)
        if (g->array[a].host) array_fetch(&g->array[a]);
    memcpy(results, g->array[RESULTS].host, bytes);
    memcpy(statuses, g->array[STATUSES].host, n);
    for (int a = 0; a < ARRAYS; a++)
        if (g->array[a].host) array_free(&g->array[a]);
}

typedef roost_status counting_call(roost_table *table, const void *keys, size_t n, uint64_t *counts, const roost_call *call);

static roost_status count_pairs(roost_table *table, const void *keys, size_t n, uint64_t *counts, const roost_call *call)
{
    return roost_count(table, keys, n, counts, call);
}

static void call_counting(counting_call *what, const struct table *t, const uint64_t *keys, size_t n, uint64_t *counts,
                          uint8_t *statuses)
{
    struct given g = given_keys(t, keys, n);
    g.array[RESULTS] = array_make(n * sizeof *counts);
    memset(g.array[RESULTS].host, UNTOUCHED_BYTE, n * sizeof *counts);
    give(&g, t);
    require_status(ROOST_OK, what(t->handle, g.array[KEYS].given, n, g.array[RESULTS].given, &g.call), t->handle);
    require_status(ROOST_OK, roost_table_sync(t->handle, NULL), t->handle);
    take(&g, counts, n * sizeof *counts, statuses, n);
}

static void call_find_all(const struct table *t, const uint64_t *keys, size_t n, const uint64_t *offsets, uint64_t *values,
                          uint8_t *statuses)
{
    const size_t total = (size_t)offsets[n], bytes = total * t->shape.value_bytes;
    struct given g = given_keys(t, keys, n);
    void *packed = malloc(bytes + 1);
    if (!packed) abort();
    g.array[PLACES] = array_of(offsets, (n + 1) * sizeof *offsets);
    g.array[RESULTS] = array_make(bytes);
    pack(values, total, t->shape.value_bytes, g.array[RESULTS].host);
    give(&g, t);
    require_status(ROOST_OK,
                   roost_find_all(t->handle, g.array[KEYS].given, n, g.array[PLACES].given, g.array[RESULTS].given, &g.call),
                   t->handle);
    require_status(ROOST_OK, roost_table_sync(t->handle, NULL), t->handle);
    take(&g, packed, bytes, statuses, n);
    unpack(packed, total, t->shape.value_bytes, values);
    free(packed);
}

/* ---- Against the exact multimap ------------------------------------------------------------- */

static void draw_pairs(struct scene *s, uint64_t *keys, uint64_t *values, size_t n, uint64_t among)
{
    for (size_t i = 0; i < n; i++) {
        keys[i] = distinct_key(&s->table.shape, draw_below(&s->dice, among));
        /* some pairs are equal */
        values[i] = draw_below(&s->dice, 50) & width_mask(s->table.shape.value_bytes);
    }
}

static void append(struct scene *s, const uint64_t *keys, const uint64_t *values, size_t n)
{
    uint8_t *statuses = make_bytes(n);
    require_status(ROOST_OK, table_insert(&s->table, ROOST_APPEND, keys, values, n, statuses), s->table.handle);
    for (size_t i = 0; i < n; i++) {
        require(statuses[i] == ROOST_ITEM_INSERTED, "item %zu ended %u", i, statuses[i]);
        multimap_add(&s->pairs, keys[i], values[i]);
    }
    free(statuses);
}

static void check_counts(struct scene *s, const uint64_t *keys, size_t n)
{
    uint64_t *counts = make_patterns(n);
    uint8_t *statuses = make_bytes(n);
    call_counting(count_pairs, &s->table, keys, n, counts, statuses);
    for (size_t i = 0; i < n; i++) {
        const size_t expected = multimap_count(&s->pairs, keys[i], NULL);
        require(counts[i] == expected, "key %#llx is counted %llu times, not %zu", (unsigned long long)keys[i],
                (unsigned long long)counts[i], expected);
        require(statuses[i] == (expected ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT), "a count ended %u", statuses[i]);
    }
    free(counts);
    free(statuses);
}

static int compare_values(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

/* Checks one key's part: it has all values of the key or as many as there is room for, and the
 * rest is untouched. */
static void check_part(struct scene *s, uint64_t key, uint64_t *part, size_t room, uint64_t untouched)
{
    const struct multimap_pair *pair;
    const size_t n = multimap_count(&s->pairs, key, &pair), got = n < room ? n : room;
    for (size_t i = got; i < room; i++)
        require(part[i] == untouched, "key %#llx: %zu values, but place %zu is written", (unsigned long long)key, n, i);
    qsort(part, got, sizeof *part, compare_values);
    for (size_t i = 0, at = 0; i < got; i++, at++) {
        /* skips values that were left out */
        while (at < n && pair[at].value != part[i] && got < n) at++;
        require(at < n && pair[at].value == part[i], "key %#llx: value %llu is none of its own, or too often",
                (unsigned long long)key, (unsigned long long)part[i]);
    }
}

/* Parts as large as the counts; every third one is up to two smaller, or up to `more` larger. */
static void check_values(struct scene *s, const uint64_t *keys, size_t n, uint64_t more)
{
    const uint64_t untouched = 99 & width_mask(s->table.shape.value_bytes);
    uint64_t *offsets = make_patterns(n + 1);
    uint8_t *statuses = make_bytes(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t count = multimap_count(&s->pairs, keys[i], NULL), other = count + draw_below(&s->dice, 3 + more);
        offsets[i + 1] = offsets[i] + (i % 3 ? count : other < 2 ? 0 : other - 2);
    }
    uint64_t *values = make_patterns((size_t)offsets[n]);
    for (size_t i = 0; i < offsets[n]; i++) values[i] = untouched;
    call_find_all(&s->table, keys, n, offsets, values, statuses);
    for (size_t i = 0; i < n; i++) {
        check_part(s, keys[i], values + offsets[i], (size_t)(offsets[i + 1] - offsets[i]), untouched);
        require(statuses[i] == (multimap_count(&s->pairs, keys[i], NULL) ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT),
                "gathering ended %u", statuses[i]);
    }
    free(offsets);
    free(values);
    free(statuses);
}

/* The table's pairs are those of the exact multimap. */
static void check_contents(struct scene *s)
{
    struct pairs pairs = table_export(&s->table, 1000);
    struct multimap seen = {0};
    for (size_t i = 0; i < pairs.n; i++) multimap_add(&seen, pairs.keys[i], pairs.values[i]);
    (void)multimap_count(&seen, 0, NULL), (void)multimap_count(&s->pairs, 0, NULL); /* sorts them */
    require(seen.n == s->pairs.n, "%zu pairs were exported, not %zu", seen.n, s->pairs.n);
    require(table_stats(&s->table).count == seen.n, "the table counts %llu pairs",
            (unsigned long long)table_stats(&s->table).count);
    for (size_t i = 0; i < seen.n; i++)
        require(seen.pairs[i].key == s->pairs.pairs[i].key && seen.pairs[i].value == s->pairs.pairs[i].value,
                "pair %zu is another one", i);
    multimap_free(&seen);
    pairs_free(&pairs);
    table_check(&s->table);
}

/* Each erase removes one pair, which the engine chooses.  Of n items with a key of c pairs
 * min(n, c) end ERASED, and the pairs that are left were there before. */
static void erase_some(struct scene *s, const uint64_t *keys, size_t n)
{
    uint8_t *statuses = make_bytes(n);
    struct multimap erased = {0}, left = {0};
    require_status(ROOST_OK, table_erase(&s->table, keys, n, statuses), s->table.handle);
    for (size_t i = 0; i < n; i++) multimap_add(&erased, keys[i], statuses[i] == ROOST_ITEM_ERASED);
    for (size_t i = 0; i < n; i++) {
        const struct multimap_pair *pair;
        const size_t asked = multimap_count(&erased, keys[i], &pair), there = multimap_count(&s->pairs, keys[i], NULL);
        size_t done = 0;
        for (size_t k = 0; k < asked; k++) done += pair[k].value;
        require(done == (asked < there ? asked : there), "key %#llx: %zu of %zu pairs ended ERASED by %zu items",
                (unsigned long long)keys[i], done, there, asked);
        require(statuses[i] == ROOST_ITEM_ERASED || statuses[i] == ROOST_ITEM_ABSENT, "an erase ended %u", statuses[i]);
    }
    struct pairs pairs = table_export(&s->table, 1000);
    for (size_t i = 0; i < pairs.n; i++) {
        require(multimap_remove(&s->pairs, pairs.keys[i], pairs.values[i]), "a pair is left that was not there");
        multimap_add(&left, pairs.keys[i], pairs.values[i]);
    }
    pairs_free(&pairs);
    multimap_free(&s->pairs);
    multimap_free(&erased);
    s->pairs = left;
    free(statuses);
}

static void erase_all(struct scene *s, const uint64_t *keys, size_t n)
{
    uint64_t *counts = make_patterns(n);
    uint8_t *statuses = make_bytes(n);
    struct multimap removed = {0};
    call_counting(roost_erase_all, &s->table, keys, n, counts, statuses);
    for (size_t i = 0; i < n; i++) {
        require(statuses[i] == (counts[i] ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT), "%llu pairs, and status %u",
                (unsigned long long)counts[i], statuses[i]);
        multimap_add(&removed, keys[i], counts[i]);
    }
    for (size_t i = 0; i < n; i++) {
        const struct multimap_pair *pair;
        uint64_t sum = 0;
        const size_t items = multimap_count(&removed, keys[i], &pair), there = multimap_count(&s->pairs, keys[i], NULL);
        for (size_t k = 0; k < items; k++) sum += pair[k].value;
        if (i == 0 || there)
            require(sum == there, "key %#llx: %llu of %zu pairs were removed", (unsigned long long)keys[i], (unsigned long long)sum,
                    there);
    }
    for (size_t i = 0; i < n; i++) (void)multimap_remove_all(&s->pairs, keys[i]);
    multimap_free(&removed);
    free(counts);
    free(statuses);
}

static void rounds(struct scene *s, size_t n, int count)
{
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    for (int round = 0; round < count; round++) {
        const uint64_t among = round % 2 ? n / 50 : n;
        suite_step("round %d", round);
        draw_pairs(s, keys, values, n, among);
        append(s, keys, values, n);
        draw_pairs(s, keys, values, n / 2, 2 * among);
        check_counts(s, keys, n / 2);
        if (!shape_is_set(&s->table.shape)) check_values(s, keys, n / 4, 2);
        check_contents(s);
        erase_some(s, keys, n / 4);
        draw_pairs(s, keys, values, n / 8, 2 * among);
        erase_all(s, keys, n / 8);
        check_counts(s, keys, n / 8);
        check_contents(s);
    }
    free(keys);
    free(values);
}

static void against_the_exact_one(const struct variant *variant)
{
    struct scene s;
    if (!open_multi(&s, variant)) return suite_skip("no engine of this build has multimaps");
    rounds(&s, settings_size(4000, 800), 4);
    close_multi(&s);
}

/* Parts so large that the values of all keys come back in several pieces. */
static void large_parts(struct scene *s)
{
    enum { N = 120 };
    uint64_t keys[N], values[N];
    suite_step("large parts");
    draw_pairs(s, keys, values, N, N);
    append(s, keys, values, N);
    check_values(s, keys, N, 300000); /* 40 of them, half as large on average: 6 million */
}

/* The same with all arrays out of the table's reach: the library stages all of them. */
static void from_out_of_reach(const struct variant *variant)
{
    const struct late_rules rules = {LATE_SOME, LATE_SOME, true, suite_seed(), false};
    struct scene s;
    if (!open_multi(&s, variant)) return suite_skip("no engine of this build has multimaps");
    late_queues_begin(s.table.handle, &rules);
    rounds(&s, 1200, 3);
    if (!shape_is_set(variant->shape)) large_parts(&s);
    close_multi(&s);
}

/* ---- Mixed batches -------------------------------------------------------------------------- */

static void mixes_of_multimaps(const struct variant *variant)
{
    enum { N = 3000 };
    struct scene s;
    if (!open_multi(&s, variant)) return suite_skip("no engine of this build has multimaps");
    struct mixed mixed = {N, make_bytes(N), make_patterns(N), make_patterns(N), make_patterns(N), make_bytes(N)};
    uint64_t inserted = 0, erased = 0;
    for (int round = 0; round < 4; round++) {
        static const uint8_t operations[] = {ROOST_OP_FIND, ROOST_OP_ERASE, ROOST_OP_APPEND, ROOST_OP_APPEND, ROOST_OP_ASSIGN};
        draw_pairs(&s, mixed.keys, mixed.values_in, N, N / 4);
        for (size_t i = 0; i < N; i++) mixed.operations[i] = operations[draw_below(&s.dice, sizeof operations)];
        require_status(ROOST_OK, table_apply(&s.table, &mixed, 0), s.table.handle);
        for (size_t i = 0; i < N; i++) {
            const uint8_t o = mixed.operations[i], status = mixed.statuses[i];
            const bool right = o == ROOST_OP_APPEND   ? status == ROOST_ITEM_INSERTED
                               : o == ROOST_OP_ASSIGN ? status == ROOST_ITEM_NONE
                               : o == ROOST_OP_ERASE  ? status == ROOST_ITEM_ERASED || status == ROOST_ITEM_ABSENT
                                                      : status == ROOST_ITEM_FOUND || status == ROOST_ITEM_ABSENT;
            require(right, "operation %u ended %u", o, status);
            inserted += status == ROOST_ITEM_INSERTED;
            erased += status == ROOST_ITEM_ERASED;
        }
        const uint64_t count = table_stats(&s.table).count;
        require(count == inserted - erased, "%llu pairs after %llu appends and %llu erases", (unsigned long long)count,
                (unsigned long long)inserted, (unsigned long long)erased);
        table_check(&s.table);
    }
    require(erased > N / 10, "only %llu erases met a pair", (unsigned long long)erased);
    free(mixed.operations), free(mixed.keys), free(mixed.values_in), free(mixed.values_out), free(mixed.statuses);
    close_multi(&s);
}

/* ---- Without room --------------------------------------------------------------------------- */

enum lack { LACK_ROOM, LACK_QUEUES, LACK_MEMORY };

/* Appends some items, of which those without room end `refused`.  Returns how many were stored. */
static size_t append_some(struct scene *s, const uint64_t *keys, const uint64_t *values, size_t n, enum lack lack)
{
    const uint8_t refused = lack == LACK_MEMORY ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
    uint8_t *statuses = make_bytes(n);
    size_t stored = 0;
    const roost_status status = table_insert(&s->table, ROOST_APPEND, keys, values, n, statuses);
    for (size_t i = 0; i < n; i++) {
        require(statuses[i] == ROOST_ITEM_INSERTED || statuses[i] == refused, "item %zu ended %u", i, statuses[i]);
        if (statuses[i] != ROOST_ITEM_INSERTED) continue;
        multimap_add(&s->pairs, keys[i], values[i]);
        stored++;
    }
    require_status(stored == n ? ROOST_OK : lack == LACK_MEMORY ? ROOST_ERR_MEMORY : ROOST_ERR_FULL, status, s->table.handle);
    free(statuses);
    return stored;
}

/* A table that may not grow, or one that will lack the memory for it. */
static bool open_lacking(struct scene *s, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    table_config(variant, &config);
    config.engine = multi_engine();
    config.flags = ROOST_MULTI;
    config.growth = variant->number == LACK_MEMORY;
    config.capacity = capacity;
    if (!config.engine) return false;
    *s = (struct scene){.dice = {suite_seed()}};
    table_open(&s->table, variant, &config);
    return true;
}

/* A multimap stores the pairs that it was made for, whatever keys they have.  After them it stores
 * as many as find room, and refuses the others.  Erases make room again.  LACK_QUEUES: nor is there
 * memory to serve the items that found none. */
static void pairs_without_room(const struct variant *variant)
{
    const size_t n = settings_size(2000, 500);
    const enum lack lack = (enum lack)variant->number;
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    size_t stored = n;
    struct scene s;
    if (!open_lacking(&s, variant, n)) return suite_skip("no engine of this build has multimaps");
    draw_pairs(&s, keys, values, n, n / 50);
    append(&s, keys, values, n);
    if (lack != LACK_ROOM) inside_limit_memory(s.table.handle, table_stats(&s.table).bytes_now);
    for (int call = 0; stored == n; call++) {
        suite_step("call %d after the first", call);
        require(call < 10, "%zu pairs are stored in a table for %zu", s.pairs.n, n);
        draw_pairs(&s, keys, values, n, 3);
        stored = append_some(&s, keys, values, n, lack);
        check_contents(&s);
    }
    suite_step("erasing, and appending again");
    erase_some(&s, keys, n / 2);
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(variant->shape, i % (n / 50));
    erase_all(&s, keys, n);
    check_contents(&s);
    require(s.pairs.n == 0, "%zu pairs are left", s.pairs.n);
    stored = append_some(&s, keys, values, n, lack);
    require(stored == n, "%zu of %zu pairs found the room of erased ones", stored, n);
    check_counts(&s, keys, n);
    check_contents(&s);
    free(keys), free(values);
    close_multi(&s);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static void multimaps_refuse(const struct variant *variant)
{
    uint64_t keys[4] = {1, 2, 3, 4}, values[4] = {0};
    const uint8_t operations[4] = {ROOST_OP_FIND};
    struct scene s;
    roost_call call;
    roost_batch batch;
    if (!open_multi(&s, variant)) return suite_skip("no engine of this build has multimaps");
    roost_table *t = s.table.handle;
    for (roost_mode mode = ROOST_ASSIGN; mode < ROOST_APPEND; mode++)
        require_answer(UNSUPPORTED, roost_insert(t, mode, keys, values, 2, NULL), t, "a mode of unique keys");
    require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
    require_status(ROOST_OK, roost_batch_init(&batch, sizeof batch), NULL);
    call.flags = ROOST_ORDERED;
    batch.operations = operations, batch.keys = keys, batch.values_in = values, batch.n = 2;
    require_answer(UNSUPPORTED, roost_insert(t, ROOST_APPEND, keys, values, 2, &call), t, "appends in order");
    require_answer(UNSUPPORTED, roost_apply(t, &batch, &call), t, "a batch in order");
    require(table_stats(&s.table).count == 0, "a refused call was carried out");
    close_multi(&s);
}

/* Wrong arguments of the three calls.  An engine without these calls says so, and names the
 * engines that have them. */
static void wrong_arguments(const struct variant *variant)
{
    static uint64_t keys[4], values[8], counts[4];
    static const uint64_t falling[] = {0, 2, 1, 3}, rising[] = {0, 1, 2, 3};
    struct table table;
    roost_call call;
    table_open(&table, variant, NULL);
    roost_table *t = table.handle;
    const roost_status can = roost_count(t, keys, 0, NULL, NULL);
    require_status(ROOST_OK, roost_call_init(&call, sizeof call), NULL);
    require_answer(ARGUMENT, roost_count(NULL, keys, 1, counts, NULL), NULL, "a count without a table");
    require_answer(ARGUMENT, roost_find_all(NULL, keys, 1, rising, values, NULL), NULL, "gathering without a table");
    require_answer(ARGUMENT, roost_erase_all(NULL, keys, 1, counts, NULL), NULL, "erasing without a table");
    if (can == ROOST_ERR_UNSUPPORTED) {
        const char *who = multi_engine();
        require_answer(UNSUPPORTED, roost_count(t, keys, 1, counts, NULL), t, "a count");
        require(strstr(roost_last_error(t), who ? who : "no engine"), "\"%s\" does not name an engine that can",
                roost_last_error(t));
        require_answer(UNSUPPORTED, roost_find_all(t, keys, 1, rising, values, NULL), t, "gathering");
        require_answer(UNSUPPORTED, roost_erase_all(t, keys, 1, counts, NULL), t, "erasing all");
        return table_close(&table);
    }
    require_answer(ARGUMENT, roost_count(t, NULL, 1, counts, NULL), t, "a count without keys");
    require_answer(ARGUMENT, roost_count(t, keys, 1, NULL, NULL), t, "a count without counts");
    require_answer(ARGUMENT, roost_count(t, keys, 1, (uint64_t *)(void *)((char *)counts + 4), NULL), t, "counts not aligned");
    require_answer(ARGUMENT, roost_erase_all(t, NULL, 1, counts, NULL), t, "erasing without keys");
    require_answer(ARGUMENT, roost_erase_all(t, keys, SIZE_MAX, counts, NULL), t, "too many keys");
    call.flags = ROOST_ORDERED;
    require_answer(ARGUMENT, roost_count(t, keys, 1, counts, &call), t, "a count in order");
    if (shape_is_set(variant->shape))
        require_answer(UNSUPPORTED, roost_find_all(t, keys, 1, rising, values, NULL), t, "gathering from a set");
    else {
        require_answer(ARGUMENT, roost_find_all(t, keys, 1, NULL, values, NULL), t, "gathering without offsets");
        require_answer(ARGUMENT, roost_find_all(t, NULL, 1, rising, values, NULL), t, "gathering without keys");
        if (variant->placement == PLACE_HOST)
            require_answer(ARGUMENT, roost_find_all(t, keys, 3, falling, values, NULL), t, "offsets that fall");
    }
    table_close(&table);
}

/* Tables of unique keys count 0 or 1, and gather one value. */
static void unique_keys(const struct variant *variant)
{
    enum { N = 1000 };
    struct scene s = {.dice = {suite_seed()}};
    static uint64_t keys[N], values[N];
    roost_config config;
    table_config(variant, &config);
    config.engine = multi_engine();
    if (!config.engine) return suite_skip("no engine of this build counts");
    table_open(&s.table, variant, &config);
    for (size_t i = 0; i < N; i++)
        keys[i] = distinct_key(variant->shape, i), values[i] = i & width_mask(variant->shape->value_bytes);
    require_status(ROOST_OK, table_insert(&s.table, ROOST_ASSIGN, keys, values, N / 2, NULL), s.table.handle);
    for (size_t i = 0; i < N / 2; i++) multimap_add(&s.pairs, keys[i], values[i]);
    check_counts(&s, keys, N);
    if (!shape_is_set(variant->shape)) check_values(&s, keys, N, 2);
    erase_all(&s, keys + N / 4, N / 2);
    check_contents(&s);
    close_multi(&s);
}

static void flags_of_configurations(const struct variant *variant)
{
    roost_config config;
    struct table table;
    roost_engine_info info;
    table_config(variant, &config);
    config.flags = 8; /* 1 is ROOST_MULTI, 2 ROOST_NUMBERED, 4 ROOST_CHANGES */
    require_answer(ARGUMENT, table_create(&table, variant, &config), NULL, "an unknown flag");
    config.flags = ROOST_MULTI | 0x80000000u;
    require_answer(ARGUMENT, table_create(&table, variant, &config), NULL, "an unknown flag beside a known one");
    config.flags = ROOST_MULTI;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++) {
        config.engine = info.name;
        const roost_status status = table_create(&table, variant, &config);
        require(status == (info.multi ? ROOST_OK : ROOST_ERR_UNSUPPORTED), "a multimap of %s: %s", info.name,
                roost_status_name(status));
        if (!status) table_close(&table);
    }
}

/* Whatever rebuilds have done to the order of a key's pairs, an erase removes the pair that a find
 * got right before it. */
static void the_found_pair_is_erased(const struct variant *variant)
{
    enum { PAIRS = 64 };
    const uint64_t key = distinct_key(variant->shape, 7);
    bool erased[PAIRS] = {false};
    struct scene s;
    if (!open_multi(&s, variant)) return;
    roost_table *t = s.table.handle;
    for (uint64_t value = 0; value < PAIRS; value++)
        require_status(ROOST_OK, table_insert(&s.table, ROOST_APPEND, &key, &value, 1, NULL), t);
    for (int i = 0; i < PAIRS; i++) {
        uint64_t value = PAIRS;
        uint8_t found = 0;
        if (i % 16 == 0) require_status(ROOST_OK, roost_table_reserve(t, 1000u << i / 16), t);
        if (i % 16 == 8) require_status(ROOST_OK, roost_compact(t), t);
        require_status(ROOST_OK, table_find(&s.table, &key, 1, &value, &found, NULL), t);
        require(found && value < PAIRS && !erased[value], "find %d: the value %llu", i, print(value));
        require_status(ROOST_OK, table_erase(&s.table, &key, 1, NULL), t);
        erased[value] = true;
    }
    require(table_stats(&s.table).count == 0, "%llu pairs are left", print(table_stats(&s.table).count));
    close_multi(&s);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("against the exact one", against_the_exact_one);
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i++)
        suite_add("from out of reach", from_out_of_reach, (struct variant){.shape = &shapes[i]});
    suite_add_widths("mixes of multimaps", mixes_of_multimaps);
    /* On a GPU staging takes memory, too. */
    for (size_t i = 0; i < SHAPE_COUNT && !settings_on_gpu(); i++) {
        suite_add("pairs without room", pairs_without_room, (struct variant){.shape = &shapes[i], .number = LACK_ROOM});
        suite_add("pairs without room, nor queues", pairs_without_room,
                  (struct variant){.shape = &shapes[i], .number = LACK_QUEUES});
        suite_add("pairs without memory", pairs_without_room, (struct variant){.shape = &shapes[i], .number = LACK_MEMORY});
    }
    suite_add_some("the found pair is erased", the_found_pair_is_erased, shape_has_values);
    suite_add_widths("multimaps refuse", multimaps_refuse);
    suite_add_widths("wrong arguments", wrong_arguments);
    suite_add_widths("unique keys", unique_keys);
    suite_add_once("flags of configurations", flags_of_configurations);
    return suite_run("multi");
}
