/* Asynchronous calls: however much has been carried out when the next call comes, the answers are
 * those of the calls in their order.  Keys that share two of four subtables make inserts spill long
 * before the table is full.  Late failures are reported, and nothing is lost.
 *
 * On the host, this runs on a machine that carries out only as much work as the test says; on a
 * GPU the order is the device's. */
#include "support/crafted_keys.h"
#include "support/crowd.h"
#include "support/inside.h"
#include "support/draw.h"
#include "support/late_queues.h"
#include "support/settings.h"
#include "support/tables.h"
#include "roost/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if ROOST_WITH_CUDA
#include <cuda_runtime_api.h>
#endif

enum { MOST_KEYS = 4000, MOST_CALLS = 4000 };

/* ---- Arrays of both machines ---------------------------------------------------------------- */

static void *array_new(size_t bytes)
{
    void *memory = NULL;
#if ROOST_WITH_CUDA
    if (settings_on_gpu()) require(cudaMallocManaged(&memory, bytes + 1, cudaMemAttachGlobal) == cudaSuccess, "no managed memory");
#endif
    if (!settings_on_gpu()) memory = malloc(bytes + 1);
    require(memory != NULL, "no memory for an array");
    memset(memory, UNTOUCHED_BYTE, bytes + 1);
    return memory;
}

static void array_delete(void *memory)
{
#if ROOST_WITH_CUDA
    if (settings_on_gpu()) require(cudaFree(memory) == cudaSuccess, "cudaFree");
#endif
    if (!settings_on_gpu()) free(memory);
}

/* ---- Calls and their expected results -------------------------------------------------------- */

enum verb { INSERT, FIND, ERASE };

/* A call whose arrays are checked when its work is guaranteed to be done. */
struct unwaited {
    enum verb verb;
    roost_mode mode;
    size_t n;
    void *keys, *values;
    uint8_t *found, *statuses;
    uint64_t *want_values; /* of finds */
    uint8_t *want_statuses;
};

struct scene {
    struct table table;
    struct dice dice;
    uint64_t keys[MOST_KEYS], value[MOST_KEYS];
    bool stored[MOST_KEYS];
    size_t universe;
    struct unwaited calls[MOST_CALLS];
    size_t count, without_wait;
    uint64_t ended[ROOST_ITEM_NO_MEMORY + 1]; /* items of verified calls, by status */
};

static const struct late_rules rules = {.pinned = LATE_ALL, .reachable = LATE_ALL, .late = true, .unwaited = true};

/* A small table with asynchronous calls.  crowded: its keys share two subtables. */
static struct scene *scene_new(const struct variant *variant, const roost_config *config, size_t universe, bool crowded)
{
    struct scene *s = calloc(1, sizeof *s);
    require(s != NULL, "no memory");
    s->dice.state = suite_seed();
    if (!settings_on_gpu()) late_queues_wrap();
    table_open(&s->table, variant, config);
    if (!settings_on_gpu()) {
        late_queues_unwrap();
        late_queues_begin(s->table.handle, &rules);
    }
    for (uint64_t i = 0; s->universe < universe; i++) {
        const uint64_t key = distinct_key(variant->shape, i);
        if (!crowded || crowd_has(s->table.handle, key)) s->keys[s->universe++] = key;
    }
    return s;
}

/* Applies the item to the reference.  Returns the status with which it must end. */
static uint8_t reference_insert(struct scene *s, size_t key, roost_mode mode, uint64_t value)
{
    const bool was = s->stored[key];
    const uint64_t mask = width_mask(s->table.shape.value_bytes), old = s->value[key];
    s->stored[key] = true;
    if (!was || mode == ROOST_ASSIGN) s->value[key] = value;
    else if (mode == ROOST_ADD) s->value[key] = (old + value) & mask;
    else if (mode == ROOST_MIN) s->value[key] = value < old ? value : old;
    else if (mode == ROOST_MAX) s->value[key] = value > old ? value : old;
    return !was ? ROOST_ITEM_INSERTED : mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED;
}

static struct unwaited *call_new(struct scene *s, enum verb verb, size_t n)
{
    struct unwaited *c = &s->calls[s->count++];
    require(s->count <= MOST_CALLS, "too many calls");
    *c = (struct unwaited){.verb = verb, .n = n};
    c->keys = array_new(n * s->table.shape.key_bytes);
    c->statuses = array_new(n);
    c->want_statuses = make_bytes(n);
    if (verb != ERASE && !shape_is_set(&s->table.shape)) c->values = array_new(n * s->table.shape.value_bytes);
    if (verb == FIND) c->found = array_new(n), c->want_values = make_patterns(n);
    return c;
}

static roost_status call_make(struct scene *s, struct unwaited *c)
{
    const uint64_t waits = inside_waits(s->table.handle);
    roost_status status;
    roost_call call;
    roost_call_init(&call, sizeof call);
    call.statuses = c->statuses;
    call.space = settings_on_gpu() ? ROOST_SPACE_DEVICE : ROOST_SPACE_AUTO;
    if (c->verb == INSERT) status = roost_insert(s->table.handle, c->mode, c->keys, c->values, c->n, &call);
    else if (c->verb == FIND) status = roost_find(s->table.handle, c->keys, c->n, c->values, c->found, &call);
    else status = roost_erase(s->table.handle, c->keys, c->n, &call);
    s->without_wait += inside_waits(s->table.handle) == waits;
    return status;
}

/* Sets the item at a place in the call's arrays and in the reference. */
static void item_insert(struct scene *s, struct unwaited *c, size_t at, size_t key, uint64_t value, uint64_t *keys,
                        uint64_t *values)
{
    keys[at] = s->keys[key];
    values[at] = value;
    c->want_statuses[at] = reference_insert(s, key, c->mode, value);
}

static void item_find(struct scene *s, struct unwaited *c, size_t at, size_t key, uint64_t *keys)
{
    keys[at] = s->keys[key];
    c->want_statuses[at] = s->stored[key] ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT;
    c->want_values[at] = s->stored[key] ? s->value[key] : 0;
}

static void item_erase(struct scene *s, struct unwaited *c, size_t at, size_t key, uint64_t *keys)
{
    keys[at] = s->keys[key];
    c->want_statuses[at] = s->stored[key] ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT;
    s->stored[key] = false;
}

/* One call on n adjacent keys of the universe, from `first` on. */
static roost_status call_on_keys(struct scene *s, enum verb verb, roost_mode mode, size_t first, size_t n)
{
    struct unwaited *c = call_new(s, verb, n);
    uint64_t *keys = make_patterns(n), *values = make_patterns(n);
    c->mode = mode;
    for (size_t i = 0; i < n; i++) {
        const size_t key = (first + i) % s->universe;
        if (verb == INSERT) item_insert(s, c, i, key, draw(&s->dice) & width_mask(s->table.shape.value_bytes), keys, values);
        else if (verb == FIND) item_find(s, c, i, key, keys);
        else item_erase(s, c, i, key, keys);
    }
    pack(keys, n, s->table.shape.key_bytes, c->keys);
    if (verb == INSERT && c->values) pack(values, n, s->table.shape.value_bytes, c->values);
    free(keys);
    free(values);
    return call_make(s, c);
}

static void call_verify(const struct scene *s, const struct unwaited *c, size_t number)
{
    uint64_t *values = make_patterns(c->n);
    if (c->verb == FIND && c->values) unpack(c->values, c->n, s->table.shape.value_bytes, values);
    for (size_t i = 0; i < c->n; i++) {
        require(c->statuses[i] == c->want_statuses[i], "call %zu, item %zu: %s where %s was due", number, i,
                roost_item_status_string((roost_item_status)c->statuses[i]),
                roost_item_status_string((roost_item_status)c->want_statuses[i]));
        if (c->verb != FIND) continue;
        require(c->found[i] == (c->want_statuses[i] == ROOST_ITEM_FOUND), "call %zu, item %zu: found %u", number, i, c->found[i]);
        if (c->values)
            require(values[i] == (c->want_values[i] & width_mask(s->table.shape.value_bytes)), "call %zu, item %zu: %llx for %llx",
                    number, i, (unsigned long long)values[i], (unsigned long long)c->want_values[i]);
    }
    free(values);
}

static void call_delete(struct unwaited *c)
{
    array_delete(c->keys);
    array_delete(c->statuses);
    if (c->values) array_delete(c->values);
    if (c->found) array_delete(c->found);
    free(c->want_statuses);
    free(c->want_values);
}

/* Verifies all calls, which are done. */
static void verify_all(struct scene *s)
{
    for (size_t i = 0; i < s->count; i++) {
        call_verify(s, &s->calls[i], i);
        for (size_t k = 0; k < s->calls[i].n; k++) s->ended[s->calls[i].want_statuses[k]]++;
    }
    for (size_t i = 0; i < s->count; i++) call_delete(&s->calls[i]);
    s->count = 0;
}

static void sync_all(struct scene *s)
{
    uint64_t failed = 77;
    require_status(ROOST_OK, roost_table_sync(s->table.handle, &failed), s->table.handle);
    require(failed == 0, "%llu items failed", (unsigned long long)failed);
    verify_all(s);
}

static uint64_t stored_keys(const struct scene *s)
{
    uint64_t stored = 0;
    for (size_t i = 0; i < s->universe; i++) stored += s->stored[i];
    return stored;
}

/* Compares the statistics with the statuses of all calls, which are verified. */
static void compare_totals(const struct scene *s)
{
    const struct table_numbers stats = table_stats(&s->table);
    const uint64_t updated = s->ended[ROOST_ITEM_UPDATED] + s->ended[ROOST_ITEM_KEPT];
    require(stats.inserted == s->ended[ROOST_ITEM_INSERTED], "%llu items inserted, and not %llu",
            (unsigned long long)stats.inserted, (unsigned long long)s->ended[ROOST_ITEM_INSERTED]);
    require(stats.updated == updated, "%llu items updated, and not %llu", (unsigned long long)stats.updated,
            (unsigned long long)updated);
    require(stats.erased == s->ended[ROOST_ITEM_ERASED], "%llu items erased, and not %llu", (unsigned long long)stats.erased,
            (unsigned long long)s->ended[ROOST_ITEM_ERASED]);
}

/* Compares the contents by an export, while calls may be pending. */
static void compare_export(struct scene *s)
{
    struct pairs pairs = table_export(&s->table, 100);
    uint64_t sum = 0, want = 0;
    for (size_t i = 0; i < pairs.n; i++) sum += mix64(pairs.keys[i]) + mix64(pairs.values[i] * 3 + pairs.keys[i]);
    for (size_t i = 0; i < s->universe; i++)
        if (s->stored[i]) want += mix64(s->keys[i]) + mix64((shape_is_set(&s->table.shape) ? 0 : s->value[i]) * 3 + s->keys[i]);
    require(pairs.n == stored_keys(s) && sum == want, "%zu pairs exported, %llu stored", pairs.n,
            (unsigned long long)stored_keys(s));
    pairs_free(&pairs);
}

static void scene_delete(struct scene *s)
{
    table_close(&s->table);
    free(s);
}

/* ---- The cases ------------------------------------------------------------------------------ */

static roost_mode any_mode(struct scene *s)
{
    static const roost_mode modes[] = {ROOST_ASSIGN, ROOST_KEEP, ROOST_ADD, ROOST_MIN, ROOST_MAX};
    return modes[draw_below(&s->dice, shape_is_set(&s->table.shape) ? 2 : 5)];
}

/* Carries out some of the waiting work, sometimes all of it. */
static void some_progress(struct scene *s)
{
    if (!settings_on_gpu()) late_queues_run(s->table.handle, draw_below(&s->dice, late_queues_waiting() * 3 / 2 + 1));
}

static void look(struct scene *s)
{
    switch (draw_below(&s->dice, 12)) {
    case 0: sync_all(s); return;
    case 1: table_check(&s->table); return;
    case 2: compare_export(s); return;
    case 3: {
        const uint64_t count = table_stats(&s->table).count;
        require(count == stored_keys(s), "%llu keys counted, %llu stored", (unsigned long long)count,
                (unsigned long long)stored_keys(s));
        return;
    }
    default: return;
    }
}

static void any_order(const struct variant *variant)
{
    const size_t rounds = settings_size(400, 120);
    roost_config config;
    table_config(variant, &config);
    config.capacity = 300;
    const bool crowded = variant->number == 0;
    struct scene *s = scene_new(variant, &config, MOST_KEYS / 4, crowded);
    for (size_t round = 0; round < rounds; round++) {
        const size_t first = draw_below(&s->dice, s->universe), n = 1 + draw_below(&s->dice, draw_below(&s->dice, 8) ? 60 : 500);
        const enum verb verb = (enum verb)draw_below(&s->dice, 3);
        suite_step("round %zu: %s %zu keys from %zu on", round,
                   verb == INSERT ? "insert"
                   : verb == FIND ? "find"
                                  : "erase",
                   n, first);
        require_status(ROOST_OK, call_on_keys(s, verb, any_mode(s), first, n), s->table.handle);
        some_progress(s);
        look(s);
        if (draw_below(&s->dice, 150) == 0) {
            require_status(ROOST_OK, roost_table_clear(s->table.handle), s->table.handle);
            memset(s->stored, 0, sizeof s->stored);
        }
    }
    sync_all(s);
    table_check(&s->table);
    compare_export(s);
    compare_totals(s);
    const struct table_numbers stats = table_stats(&s->table);
    require(s->without_wait > rounds / 3, "%zu of %zu calls did not wait", s->without_wait, rounds);
    require(stats.spilled > 0 || !crowded, "nothing spilled");
    scene_delete(s);
}

/* Fills the two subtables and more: calls do not wait, and later calls find the spilled items. */
static void spilled_items_are_stored(const struct variant *variant)
{
    enum { N = 150 };
    roost_config config;
    table_config(variant, &config);
    config.capacity = 200;
    struct scene *s = scene_new(variant, &config, N, true);
    const uint64_t waits = inside_waits(s->table.handle);
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, 0, N), s->table.handle);
    require_status(ROOST_OK, call_on_keys(s, FIND, ROOST_ASSIGN, 0, N), s->table.handle);
    require(inside_waits(s->table.handle) == waits, "they waited");
    suite_step("looking at what was spilled");
    const uint64_t spilled = table_stats(&s->table).spilled;
    require(spilled > 0, "nothing spilled");
    require(table_stats(&s->table).count == N, "%llu keys counted", (unsigned long long)table_stats(&s->table).count);
    compare_export(s);
    table_check(&s->table);
    require_status(ROOST_OK, call_on_keys(s, FIND, ROOST_ASSIGN, 0, N), s->table.handle);
    sync_all(s);
    const struct table_numbers after = table_stats(&s->table);
    require(after.grow_steps > 0 || after.reseeds > 0, "the table neither grew for them nor drew other seeds");
    require_status(ROOST_OK, call_on_keys(s, FIND, ROOST_ASSIGN, 0, N), s->table.handle);
    sync_all(s);
    table_check(&s->table);
    scene_delete(s);
}

/* Between the call that spills an item and the one that inserts its key again, others are
 * erased.  The second insert updates the item in the list.  It does not store it a second time
 * where there is room now. */
static void an_insert_joins_the_list(const struct variant *variant)
{
    enum { MOST = 300, OFTEN = 20 };
    roost_config config;
    table_config(variant, &config);
    config.capacity = 290;
    struct scene *s = scene_new(variant, &config, MOST, true);
    const size_t n = table_stats(&s->table).slots / 2 + 6;
    require(n + OFTEN <= MOST, "%zu keys", n);
    for (size_t i = 0; i < OFTEN; i++) {
        require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, i, n), s->table.handle);
        require_status(ROOST_OK, call_on_keys(s, ERASE, ROOST_ASSIGN, i, n / 2), s->table.handle);
        require_status(ROOST_OK, call_on_keys(s, INSERT, any_mode(s), i + n / 2, n / 2), s->table.handle);
        require_status(ROOST_OK, call_on_keys(s, FIND, ROOST_ASSIGN, 0, MOST), s->table.handle);
        sync_all(s);
        table_check(&s->table);
        require(table_stats(&s->table).count == stored_keys(s), "%llu keys, %llu stored",
                (unsigned long long)table_stats(&s->table).count, (unsigned long long)stored_keys(s));
        require_status(ROOST_OK, roost_table_clear(s->table.handle), s->table.handle);
        memset(s->stored, 0, sizeof s->stored);
    }
    require(table_stats(&s->table).spilled > 0, "nothing spilled");
    require(s->without_wait > 0, "all waited");
    scene_delete(s);
}

/* Pending calls may have inserted and erased keys.  The next call waits if this could lead
 * outside the bounds. */
static void bounds_count_what_is_under_way(const struct variant *variant)
{
    enum { N = 1000 };
    roost_config config;
    table_config(variant, &config);
    struct scene *s = scene_new(variant, &config, 2 * N, false);
    require_status(ROOST_OK, roost_table_reserve(s->table.handle, 3 * N / 2), s->table.handle);
    suite_step("inserts");
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, 0, N), s->table.handle);
    require(s->without_wait == 1, "the first insert waited");
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, N, N), s->table.handle);
    require(s->without_wait == 1, "the second insert did not wait");
    sync_all(s);
    suite_step("erases");
    require_status(ROOST_OK, roost_table_reserve(s->table.handle, 0), s->table.handle);
    require_status(ROOST_OK, call_on_keys(s, ERASE, ROOST_ASSIGN, 0, 700), s->table.handle);
    require(s->without_wait == 2, "the first erase waited");
    require_status(ROOST_OK, call_on_keys(s, ERASE, ROOST_ASSIGN, 700, 700), s->table.handle);
    require(s->without_wait == 2, "the second erase did not wait");
    verify_all(s);
    table_check(&s->table);
    require(table_stats(&s->table).shrink_steps > 0, "the table did not shrink");
    scene_delete(s);
}

/* Many copies of a few new keys in one batch, without room for any: one of each is stored, and
 * all are counted. */
static void copies_spill_once(const struct variant *variant)
{
    enum { FULL = 320, NEW = 3, COPIES = 40 };
    roost_config config;
    table_config(variant, &config);
    config.capacity = 520;
    struct scene *s = scene_new(variant, &config, FULL + NEW, true);
    const bool set = shape_is_set(variant->shape);
    s->universe = FULL;
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, 0, FULL), s->table.handle);
    struct unwaited *c = call_new(s, INSERT, (size_t)NEW * COPIES);
    uint64_t keys[NEW * COPIES], ones[NEW * COPIES], found_values[NEW];
    uint8_t found[NEW];
    for (size_t i = 0; i < NEW * COPIES; i++) keys[i] = s->keys[FULL + i % NEW], ones[i] = 1;
    pack(keys, c->n, variant->shape->key_bytes, c->keys);
    if (!set) pack(ones, c->n, variant->shape->value_bytes, c->values);
    c->mode = set ? ROOST_KEEP : ROOST_ADD;
    require_status(ROOST_OK, call_make(s, c), s->table.handle);
    require_status(ROOST_OK, roost_table_sync(s->table.handle, NULL), s->table.handle);
    require(table_stats(&s->table).spilled > 0, "nothing spilled");
    for (size_t key = 0; key < NEW; key++) {
        size_t inserted = 0;
        for (size_t i = key; i < NEW * COPIES; i += NEW) inserted += c->statuses[i] == ROOST_ITEM_INSERTED;
        require(inserted == 1, "%zu copies say INSERTED", inserted);
    }
    call_delete(c);
    s->count--;
    verify_all(s);
    s->table.placement = settings_on_gpu() ? PLACE_DEVICE : PLACE_HOST;
    struct unwaited *f = call_new(s, FIND, NEW);
    pack(keys, NEW, variant->shape->key_bytes, f->keys);
    require_status(ROOST_OK, call_make(s, f), s->table.handle);
    require_status(ROOST_OK, roost_table_sync(s->table.handle, NULL), s->table.handle);
    memcpy(found, f->found, NEW);
    if (!set) unpack(f->values, NEW, variant->shape->value_bytes, found_values);
    for (size_t i = 0; i < NEW; i++)
        require(found[i] == 1 && (set || found_values[i] == COPIES), "copy %zu: found %u", i, found[i]);
    call_delete(f);
    s->count = 0;
    require(table_stats(&s->table).count == FULL + NEW, "%llu keys", (unsigned long long)table_stats(&s->table).count);
    scene_delete(s);
}

/* Spilled keys that are erased before any call waits leave their room in the list to later
 * calls. */
static void erased_entries_leave_room(const struct variant *variant)
{
    enum { SPILLED = 600, ROUNDS = 4 };
    roost_config config;
    table_config(variant, &config);
    config.capacity = 4500;
    struct scene *s = scene_new(variant, &config, MOST_KEYS, true);
    const size_t n = table_stats(&s->table).slots / 2 + SPILLED;
    require(n <= MOST_KEYS, "%zu keys", n);
    for (size_t round = 0; round < ROUNDS; round++) {
        suite_step("round %zu", round);
        require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, 0, n), s->table.handle);
        require_status(ROOST_OK, call_on_keys(s, ERASE, ROOST_ASSIGN, 0, n), s->table.handle);
        if (round % 2) require_status(ROOST_OK, roost_table_clear(s->table.handle), s->table.handle);
        sync_all(s);
        table_check(&s->table);
    }
    require(s->without_wait == 2 * ROUNDS, "%zu calls did not wait", s->without_wait);
    require(table_stats(&s->table).spilled >= ROUNDS * SPILLED, "too few spilled");
    scene_delete(s);
}

/* Counts the items that were not stored by their status.  Those are not in the table, and all
 * others are. */
static uint64_t count_refused(struct scene *s, struct unwaited *c, uint8_t status)
{
    uint64_t refused = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->statuses[i] == status) {
            refused++;
            s->stored[i] = false;
            c->want_statuses[i] = status;
        } else
            require(c->statuses[i] == ROOST_ITEM_INSERTED, "item %zu: %s", i,
                    roost_item_status_string((roost_item_status)c->statuses[i]));
    }
    return refused;
}

/* More items than the spill list takes, or without growth than the table takes.  Statuses and
 * the sync report them, once. */
static void late_failures(const struct variant *variant)
{
    const bool growth = variant->number != 0;
    const size_t n = growth ? MOST_KEYS : 150;
    roost_config config;
    table_config(variant, &config);
    config.growth = growth;
    config.capacity = growth ? MOST_KEYS + 500 : 200;
    struct scene *s = scene_new(variant, &config, n, true);
    uint64_t failed = 0;
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, 0, n), s->table.handle);
    require(s->without_wait == 1, "it waited");
    require_status(growth ? ROOST_ERR_MEMORY : ROOST_ERR_FULL, roost_table_sync(s->table.handle, &failed), s->table.handle);
    const uint64_t refused = count_refused(s, &s->calls[0], growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL);
    require(failed == refused && failed > 0, "%llu items failed, and %llu say so", (unsigned long long)failed,
            (unsigned long long)refused);
    require_status(ROOST_OK, call_on_keys(s, FIND, ROOST_ASSIGN, 0, n), s->table.handle);
    sync_all(s);
    table_check(&s->table);
    scene_delete(s);
}

/* If the table may not grow for spilled items, they stay in the list, and are found, updated and
 * erased there. */
static void no_memory_to_grow(const struct variant *variant)
{
    enum { N = 170 };
    roost_config config;
    table_config(variant, &config);
    config.capacity = 200;
    struct scene *s = scene_new(variant, &config, N, true);
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_ASSIGN, 0, N), s->table.handle);
    const uint64_t limit = table_stats(&s->table).bytes_now + 64;
    for (int round = 0; round < 6; round++) {
        suite_step("round %d", round);
        inside_limit_memory(s->table.handle, limit);
        require_status(ROOST_OK, roost_table_sync(s->table.handle, NULL), s->table.handle);
        verify_all(s);
        require(table_stats(&s->table).count == stored_keys(s), "%llu keys, %llu stored",
                (unsigned long long)table_stats(&s->table).count, (unsigned long long)stored_keys(s));
        inside_limit_memory(s->table.handle, 0); /* exports need memory, too */
        compare_export(s);
        inside_limit_memory(s->table.handle, limit);
        require_status(ROOST_OK, call_on_keys(s, FIND, ROOST_ASSIGN, 0, N), s->table.handle);
        if (round % 2) require_status(ROOST_OK, call_on_keys(s, ERASE, ROOST_ASSIGN, 10 * (size_t)round, 10), s->table.handle);
        else require_status(ROOST_OK, call_on_keys(s, INSERT, any_mode(s), 60, N - 60), s->table.handle);
    }
    inside_limit_memory(s->table.handle, 0);
    sync_all(s);
    table_check(&s->table);
    require(table_stats(&s->table).grow_steps > 0 || table_stats(&s->table).reseeds > 0,
            "it neither grew at last nor drew other seeds");
    compare_export(s);
    scene_delete(s);
}

/* Carries out all work, without a call on the table. */
static void all_progress(struct scene *s)
{
    if (!settings_on_gpu()) late_queues_run(s->table.handle, late_queues_waiting());
#if ROOST_WITH_CUDA
    if (settings_on_gpu()) require(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize");
#endif
}

/* Keys of asynchronous calls that collide find no room in a nearly empty table.  The next insert,
 * of a single key, waits and draws another seed; after that all of them find room. */
static void refused_keys_draw_another_seed(const struct variant *variant)
{
    const size_t n = MOST_KEYS - 1000;
    roost_config config;
    table_config(variant, &config);
    config.capacity = 20000;
    config.growth = 0;
    struct crafted_set set = {.seed = config.seed, .key_bytes = variant->shape->key_bytes, .top = 24};
    crafted_fit(&set, n);
    uint64_t *const keys = crafted_keys(&set, n);
    struct scene *s = scene_new(variant, &config, 0, false);
    for (s->universe = 0; s->universe < n; s->universe++) s->keys[s->universe] = keys[s->universe];
    (void)call_on_keys(s, INSERT, ROOST_KEEP, 0, n);
    all_progress(s);
    size_t refused = 0;
    for (size_t i = 0; i < n; i++) refused += s->calls[0].statuses[i] == ROOST_ITEM_FULL;
    require(refused > 0, "no item found the table full");
    s->keys[s->universe++] = distinct_key(variant->shape, 1);
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_KEEP, n, 1), s->table.handle);
    require(s->calls[1].statuses[0] == ROOST_ITEM_INSERTED, "the single key was not stored");
    require(table_stats(&s->table).reseeds == 1, "%llu other seeds", (unsigned long long)table_stats(&s->table).reseeds);
    for (size_t i = 0; i < n; i++) s->stored[i] = s->calls[0].statuses[i] == ROOST_ITEM_INSERTED;
    call_delete(&s->calls[0]);
    call_delete(&s->calls[1]);
    s->count = 0;
    require_status(ROOST_OK, call_on_keys(s, INSERT, ROOST_KEEP, 0, n), s->table.handle);
    require(roost_table_sync(s->table.handle, NULL) == ROOST_ERR_FULL, "the refused items were not reported");
    verify_all(s);
    table_check(&s->table);
    free(keys);
    scene_delete(s);
}

/* ---- A log of changes ------------------------------------------------------------------------ */

enum { DELTAS = 4 };

struct logged {
    struct scene *scene;
    char folder[32], base[64], delta[DELTAS][64];
};

/* On the host all work is carried out meanwhile. */
static void scene_pause(struct scene *s)
{
    if (!settings_on_gpu()) late_queues_pause(s->table.handle);
}

static void scene_go_on(struct scene *s)
{
    if (!settings_on_gpu()) late_queues_begin(s->table.handle, &rules);
}

/* A table that logs its changes beside it, on the same machine. */
static void logged_open(struct logged *l, const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.flags = ROOST_CHANGES;
    config.capacity = 300;
    strcpy(l->folder, "/tmp/roost-unwaited-XXXXXX");
    require(mkdtemp(l->folder) != NULL, "no folder");
    snprintf(l->base, sizeof l->base, "%s/base", l->folder);
    for (int i = 0; i < DELTAS; i++) snprintf(l->delta[i], sizeof l->delta[i], "%s/%d", l->folder, i);
    l->scene = scene_new(variant, &config, MOST_KEYS / 4, false);
    struct table *const t = &l->scene->table;
    require_status(ROOST_OK, call_on_keys(l->scene, INSERT, ROOST_ASSIGN, 0, 200), t->handle);
    scene_pause(l->scene);
    require_status(ROOST_OK, roost_save_file(t->handle, l->base, NULL), t->handle);
    scene_go_on(l->scene);
}

static void logged_save(struct logged *l, int number)
{
    struct table *const t = &l->scene->table;
    roost_saved told = ROOST_SAVED_INIT;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    options.saved = &told;
    scene_pause(l->scene); /* a new log is made */
    require_status(ROOST_OK, roost_save_changes(t->handle, l->delta[number], &options), t->handle);
    scene_go_on(l->scene);
    require(!told.whole, "the whole table was saved: %s", told.reason);
}

/* Loads what was saved; the table and the loaded one have the same pairs. */
static void logged_compare(struct logged *l)
{
    struct scene *const s = l->scene;
    struct table loaded = {.shape = s->table.shape}, *const live = &s->table;
    struct scene *const copy = malloc(sizeof *copy);
    require(copy != NULL, "no memory");
    require_status(ROOST_OK, roost_load_file(&loaded.handle, l->base, NULL, NULL), NULL);
    for (int i = 0; i < DELTAS; i++) require_status(ROOST_OK, roost_load_changes(loaded.handle, l->delta[i], NULL), loaded.handle);
    compare_export(s);
    require(table_stats(live).count == stored_keys(s), "%llu keys, and %llu are stored",
            (unsigned long long)table_stats(live).count, (unsigned long long)stored_keys(s));
    *copy = *s;
    copy->table = loaded;
    compare_export(copy);
    table_check(&loaded);
    table_close(&loaded);
    free(copy);
}

static void logged_close(struct logged *l)
{
    for (int i = 0; i < DELTAS; i++) unlink(l->delta[i]);
    unlink(l->base);
    rmdir(l->folder);
    scene_delete(l->scene);
}

/* The table and its log are changed by turns, and neither takes the other's counts for its own,
 * whichever have arrived. */
static void changes_are_logged(const struct variant *variant)
{
    const size_t rounds = settings_size(60, 25);
    struct logged l;
    logged_open(&l, variant);
    struct scene *const s = l.scene;
    for (int delta = 0; delta < DELTAS; delta++) {
        for (size_t round = 0; round < rounds; round++) {
            const enum verb verb = draw_below(&s->dice, 3) ? INSERT : ERASE;
            const size_t first = draw_below(&s->dice, s->universe), n = 1 + draw_below(&s->dice, 20);
            suite_step("delta %d, round %zu: %s %zu keys from %zu on", delta, round, verb == INSERT ? "insert" : "erase", n, first);
            require_status(ROOST_OK, call_on_keys(s, verb, any_mode(s), first, n), s->table.handle);
            some_progress(s);
        }
        suite_step("delta %d is saved", delta);
        logged_save(&l, delta);
        sync_all(s);
        table_check(&s->table);
    }
    require(s->without_wait > rounds / 3, "%zu of %zu calls did not wait", s->without_wait, DELTAS * rounds);
    logged_compare(&l);
    logged_close(&l);
}

/* Engines that have no room for many keys whose hashes share their first bits. */
static bool refuses_collisions(const struct test_shape *shape)
{
    const char *engine = settings_get()->engine;
    const bool refuses = engine && (strcmp(engine, "gph") == 0 || strcmp(engine, "fks") == 0);
    return refuses && shape_has_values(shape) && shape->key_bytes == 8;
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const struct variant variant = {.shape = &shapes[i]};
        suite_add("any order, spread", any_order, (struct variant){.shape = &shapes[i], .number = 1});
        suite_add("changes are logged", changes_are_logged, variant);
        if (refuses_collisions(&shapes[i])) suite_add("refused keys draw another seed", refused_keys_draw_another_seed, variant);
        if (!settings_on_dycuckoo()) continue; /* the others crowd two subtables */
        suite_add("any order", any_order, variant);
        suite_add("an insert joins the list", an_insert_joins_the_list, variant);
        suite_add("bounds count what is under way", bounds_count_what_is_under_way, variant);
        suite_add("spilled items are stored", spilled_items_are_stored, variant);
        suite_add("copies spill once", copies_spill_once, variant);
        suite_add("erased entries leave room", erased_entries_leave_room, variant);
        suite_add("no memory to grow", no_memory_to_grow, variant);
        suite_add("late failures", late_failures, variant);
        suite_add("late failures, growth", late_failures, (struct variant){.shape = &shapes[i], .number = 1});
    }
    return suite_run("unwaited");
}
