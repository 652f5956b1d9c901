/* Tables as tests use them: created for a variant, called with 64-bit patterns. */
#include "support/tables.h"

#include "support/coverage.h"
#include "support/draw.h"
#include "support/settings.h"
#include "roost/strings.h"
#include "roost/mixed.h"
#include "roost/numbers.h"
#include "roost/tuning.h"

#include <stdlib.h>
#include <string.h>

uint64_t *make_patterns(size_t n)
{
    uint64_t *patterns = calloc(n + 1, sizeof *patterns);
    if (!patterns) abort();
    return patterns;
}

uint64_t *numbered_keys(const struct test_shape *shape, size_t first, size_t n)
{
    uint64_t *keys = make_patterns(n);
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(shape, first + i);
    return keys;
}

uint8_t *make_bytes(size_t n)
{
    uint8_t *bytes = malloc(n + 1);
    if (!bytes) abort();
    memset(bytes, UNTOUCHED_BYTE, n + 1);
    return bytes;
}

/* Calls take turns at random, but in the same order after each table that is created. */
static uint64_t turns_taken;
static unsigned turn(unsigned turns) { return (unsigned)(mix64(++turns_taken) % turns); }

/* ---- Making ---------------------------------------------------------------------------------- */

/* Tests that name no engine test the first one, not the library's choice; with wide keys, the
 * one that supports them. */
static const char *first_engine(void)
{
    static roost_engine_info info;
    require_status(ROOST_OK, roost_engine_describe(0, &info, sizeof info), NULL);
    return info.name;
}

const char *table_engine(const struct variant *variant)
{
    const bool word = shape_index(variant->shape) < SHAPE_COUNT;
    return settings_get()->engine ? settings_get()->engine : variant->options ? "dycuckoo" : word ? first_engine() : NULL;
}

void table_config(const struct variant *variant, roost_config *config)
{
    require_status(ROOST_OK, roost_config_init(config, sizeof *config), NULL);
    config->engine = table_engine(variant);
    config->device = settings_get()->device;
    config->key_type = variant->shape->key_type;
    config->value_type = variant->shape->value_type;
    config->key_bytes = variant->shape->key_bytes;
    config->value_bytes = variant->shape->value_bytes;
    config->options = variant->options;
    config->threads = variant->threads;
    config->seed = suite_seed();
    config->seed_given = 1;
}

bool engine_is_built(const char *name)
{
    roost_engine_info info;
    for (size_t i = 0; roost_engine_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (!strcmp(info.name, name)) return true;
    return false;
}

roost_status table_create(struct table *table, const struct variant *variant, const roost_config *config)
{
    *table = (struct table){.shape = *variant->shape, .placement = variant->placement};
    table->driver = driver_of_options(config->options);
    turns_taken = 0;
    const roost_status status = roost_table_create(&table->handle, config);
    require((status == ROOST_OK) == (table->handle != NULL), "%s and table %p", roost_status_name(status), (void *)table->handle);
    return status;
}

void table_open(struct table *table, const struct variant *variant, const roost_config *config)
{
    roost_config usual;
    table_config(variant, &usual);
    require_status(ROOST_OK, table_create(table, variant, config ? config : &usual), NULL);
}

void table_close(struct table *table)
{
    roost_table_destroy(table->handle);
    table->handle = NULL;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* STRINGS: the bytes of string keys, whose offsets are then in KEYS. */
enum { KEYS, VALUES, FOUND, STATUSES, OPERATIONS, RESULTS, STRINGS, ARRAY_COUNT };

/* A call's arrays and options. */
struct sent {
    struct array arrays[ARRAY_COUNT];
    unsigned shifts[ARRAY_COUNT]; /* bytes before the items, which then are unaligned */
    int offset_bytes;
    roost_call call;
};

static bool lies_on_device(enum placement placement, int array)
{
    return placement == PLACE_DEVICE || (placement == PLACE_MIXED && (array == KEYS || array == STATUSES || array == RESULTS));
}

/* If all arrays lie in one place, AUTO alternates with the explicit space. */
static roost_space space_of(enum placement placement)
{
    static bool say;
    say = !say;
    if (!say || placement == PLACE_MIXED) return ROOST_SPACE_AUTO;
    return placement == PLACE_DEVICE ? ROOST_SPACE_DEVICE : ROOST_SPACE_HOST;
}

static void send(struct sent *sent, const struct table *table)
{
    for (int i = 0; i < ARRAY_COUNT; i++)
        if (sent->arrays[i].host) array_send(&sent->arrays[i], lies_on_device(table->placement, i));
    require_status(ROOST_OK, roost_call_init(&sent->call, sizeof sent->call), NULL);
    sent->call.space = space_of(table->placement);
    sent->call.statuses = sent->arrays[STATUSES].given;
}

static void fetch(struct sent *sent)
{
    for (int i = 0; i < ARRAY_COUNT; i++)
        if (sent->arrays[i].host) array_fetch(&sent->arrays[i]);
}

static void release(struct sent *sent)
{
    for (int i = 0; i < ARRAY_COUNT; i++)
        if (sent->arrays[i].host) array_free(&sent->arrays[i]);
}

/* The address that the call gets, and the host's address. */
static void *given(const struct sent *sent, int array)
{
    return sent->arrays[array].host ? (char *)sent->arrays[array].given + sent->shifts[array] : NULL;
}

static void *seen(const struct sent *sent, int array)
{
    return sent->arrays[array].host ? (char *)sent->arrays[array].host + sent->shifts[array] : NULL;
}

/* Makes an array of n items. Widths other than 4 and 8 bytes begin at any address. */
static void make_items(struct sent *sent, int array, size_t n, unsigned bytes)
{
    sent->shifts[array] = bytes == 4 || bytes == 8 ? 0 : turn(8);
    sent->arrays[array] = array_make(n * bytes + sent->shifts[array]);
}

static void put_values(struct sent *sent, int array, const uint64_t *values, size_t n, unsigned bytes)
{
    make_items(sent, array, n, bytes);
    pack(values, n, bytes, seen(sent, array));
}

/* Strings in Arrow's layout, with some bytes before the first one. */
static void put_strings(struct sent *sent, const uint64_t *patterns, size_t n)
{
    uint64_t end = turn(4);
    char *bytes;
    sent->offset_bytes = turn(2) ? 4 : 8;
    make_items(sent, KEYS, n + 1, (unsigned)sent->offset_bytes);
    sent->arrays[STRINGS] = array_make(end + n * STRING_LONGEST);
    bytes = seen(sent, STRINGS);
    memset(bytes, UNTOUCHED_BYTE, end);
    for (size_t i = 0; i <= n; i++) {
        pack(&end, 1, (unsigned)sent->offset_bytes, (char *)seen(sent, KEYS) + i * (size_t)sent->offset_bytes);
        if (i == n) break;
        string_write(patterns[i], bytes + end);
        end += string_bytes(patterns[i]);
    }
}

static void put_keys(struct sent *sent, const struct table *table, const uint64_t *keys, size_t n)
{
    if (shape_has_strings(&table->shape)) {
        put_strings(sent, keys, n);
        return;
    }
    make_items(sent, KEYS, n, table->shape.key_bytes);
    pack_keys(keys, n, table->shape.key_bytes, seen(sent, KEYS));
}

static roost_strings strings_of(const struct sent *sent)
{
    roost_strings strings;
    require_status(ROOST_OK, roost_strings_init(&strings, sizeof strings), NULL);
    strings.offsets = given(sent, KEYS);
    strings.bytes = given(sent, STRINGS);
    strings.offset_bytes = sent->offset_bytes;
    return strings;
}

static struct array array_untouched(size_t n)
{
    struct array array = array_make(n);
    memset(array.host, UNTOUCHED_BYTE, n);
    return array;
}

/* Collects the late errors of a call with arrays on the device. */
static roost_status settle(const struct table *table, roost_status status)
{
    if (table->placement == PLACE_HOST || status != ROOST_OK) return status;
    return roost_table_sync(table->handle, NULL);
}

static void count(const struct table *table, unsigned operation, size_t n, roost_status status)
{
    if (status == ROOST_ERR_UNSUPPORTED) coverage_unsupported(&table->shape, table->driver, operation);
    else if (status != ROOST_ERR_ARGUMENT) coverage_add(&table->shape, table->driver, operation, n);
}

roost_status table_insert(struct table *table, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n,
                          uint8_t *statuses)
{
    return table_insert_flagged(table, mode, keys, values, n, statuses, 0);
}

static roost_status call_insert(struct table *table, roost_mode mode, const struct sent *sent, size_t n)
{
    if (!shape_has_strings(&table->shape))
        return roost_insert(table->handle, mode, given(sent, KEYS), given(sent, VALUES), n, &sent->call);
    const roost_strings strings = strings_of(sent);
    return roost_insert_strings(table->handle, mode, &strings, given(sent, VALUES), n, &sent->call);
}

roost_status table_insert_flagged(struct table *table, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n,
                                  uint8_t *statuses, uint32_t flags)
{
    struct sent sent = {0};
    put_keys(&sent, table, keys, n);
    if (values && !shape_is_set(&table->shape)) put_values(&sent, VALUES, values, n, table->shape.value_bytes);
    if (statuses) sent.arrays[STATUSES] = array_untouched(n);
    send(&sent, table);
    sent.call.flags = flags;
    const roost_status status = settle(table, call_insert(table, mode, &sent, n));
    count(table, mode, n, status);
    fetch(&sent);
    if (statuses) memcpy(statuses, sent.arrays[STATUSES].host, n);
    release(&sent);
    return status;
}

roost_status table_find(const struct table *table, const uint64_t *keys, size_t n, uint64_t *values, uint8_t *found,
                        uint8_t *statuses)
{
    return table_find_flagged(table, keys, n, values, found, statuses, 0);
}

static roost_status call_find(const struct table *table, const struct sent *sent, size_t n)
{
    if (!shape_has_strings(&table->shape))
        return roost_find(table->handle, given(sent, KEYS), n, given(sent, VALUES), given(sent, FOUND), &sent->call);
    const roost_strings strings = strings_of(sent);
    return roost_find_strings(table->handle, &strings, n, given(sent, VALUES), given(sent, FOUND), &sent->call);
}

roost_status table_find_flagged(const struct table *table, const uint64_t *keys, size_t n, uint64_t *values, uint8_t *found,
                                uint8_t *statuses, uint32_t flags)
{
    const bool wants_values = values && !shape_is_set(&table->shape);
    struct sent sent = {0};
    put_keys(&sent, table, keys, n);
    if (wants_values) put_values(&sent, VALUES, values, n, table->shape.value_bytes);
    if (found) sent.arrays[FOUND] = array_untouched(n);
    if (statuses) sent.arrays[STATUSES] = array_untouched(n);
    send(&sent, table);
    sent.call.flags = flags;
    const roost_status status = settle(table, call_find(table, &sent, n));
    count(table, COVER_FIND, n, status);
    fetch(&sent);
    if (wants_values) unpack(seen(&sent, VALUES), n, table->shape.value_bytes, values);
    if (found) memcpy(found, sent.arrays[FOUND].host, n);
    if (statuses) memcpy(statuses, sent.arrays[STATUSES].host, n);
    release(&sent);
    return status;
}

static roost_status call_erase(struct table *table, const struct sent *sent, size_t n)
{
    if (!shape_has_strings(&table->shape)) return roost_erase(table->handle, given(sent, KEYS), n, &sent->call);
    const roost_strings strings = strings_of(sent);
    return roost_erase_strings(table->handle, &strings, n, &sent->call);
}

roost_status table_erase(struct table *table, const uint64_t *keys, size_t n, uint8_t *statuses)
{
    struct sent sent = {0};
    put_keys(&sent, table, keys, n);
    if (statuses) sent.arrays[STATUSES] = array_untouched(n);
    send(&sent, table);
    const roost_status status = settle(table, call_erase(table, &sent, n));
    count(table, COVER_ERASE, n, status);
    fetch(&sent);
    if (statuses) memcpy(statuses, sent.arrays[STATUSES].host, n);
    release(&sent);
    return status;
}

static roost_status call_number(struct table *table, const struct sent *sent, size_t n)
{
    if (!shape_has_strings(&table->shape))
        return roost_number(table->handle, given(sent, KEYS), n, given(sent, RESULTS), &sent->call);
    const roost_strings strings = strings_of(sent);
    return roost_number_strings(table->handle, &strings, n, given(sent, RESULTS), &sent->call);
}

roost_status table_number(struct table *table, const uint64_t *keys, size_t n, uint64_t *numbers, uint8_t *statuses, uint32_t flags)
{
    const unsigned bytes = table->shape.value_bytes;
    struct sent sent = {0};
    put_keys(&sent, table, keys, n);
    make_items(&sent, RESULTS, n, bytes);
    memset(seen(&sent, RESULTS), UNTOUCHED_BYTE, n * bytes);
    if (statuses) sent.arrays[STATUSES] = array_untouched(n);
    send(&sent, table);
    sent.call.flags = flags;
    const roost_status status = settle(table, call_number(table, &sent, n));
    fetch(&sent);
    unpack(seen(&sent, RESULTS), n, bytes, numbers);
    if (statuses) memcpy(statuses, sent.arrays[STATUSES].host, n);
    release(&sent);
    return status;
}

roost_status table_exchange(struct table *table, roost_mode mode, const struct exchange *e, uint32_t flags)
{
    const unsigned bytes = table->shape.value_bytes;
    struct sent sent = {0};
    put_keys(&sent, table, e->keys, e->n);
    if (bytes) put_values(&sent, VALUES, e->values, e->n, bytes);
    if (bytes && e->old) put_values(&sent, RESULTS, e->old, e->n, bytes);
    if (e->found) sent.arrays[FOUND] = array_untouched(e->n);
    if (e->statuses) sent.arrays[STATUSES] = array_untouched(e->n);
    send(&sent, table);
    sent.call.flags = flags;
    const roost_status status = settle(table, roost_exchange(table->handle, mode, given(&sent, KEYS), given(&sent, VALUES), e->n,
                                                             given(&sent, RESULTS), given(&sent, FOUND), &sent.call));
    fetch(&sent);
    if (bytes && e->old) unpack(seen(&sent, RESULTS), e->n, bytes, e->old);
    if (e->found) memcpy(e->found, sent.arrays[FOUND].host, e->n);
    if (e->statuses) memcpy(e->statuses, sent.arrays[STATUSES].host, e->n);
    release(&sent);
    return status;
}

/* Sends the arrays of a mixed batch; a set has no values. */
static void send_mixed(struct sent *sent, const struct table *table, const struct mixed *mixed, roost_batch *batch)
{
    *sent = (struct sent){0};
    put_keys(sent, table, mixed->keys, mixed->n);
    sent->arrays[OPERATIONS] = array_make(mixed->n);
    memcpy(sent->arrays[OPERATIONS].host, mixed->operations, mixed->n);
    sent->arrays[STATUSES] = array_untouched(mixed->n);
    if (!shape_is_set(&table->shape)) {
        put_values(sent, VALUES, mixed->values_in, mixed->n, table->shape.value_bytes);
        put_values(sent, RESULTS, mixed->values_out, mixed->n, table->shape.value_bytes);
    }
    send(sent, table);
    require_status(ROOST_OK, roost_batch_init(batch, sizeof *batch), NULL);
    batch->operations = sent->arrays[OPERATIONS].given;
    batch->keys = given(sent, KEYS);
    batch->values_in = given(sent, VALUES);
    batch->values_out = given(sent, RESULTS);
    batch->n = mixed->n;
}

roost_status table_apply(struct table *table, struct mixed *mixed, uint32_t flags)
{
    struct sent sent;
    roost_batch batch;
    send_mixed(&sent, table, mixed, &batch);
    sent.call.flags = flags;
    const roost_status status = settle(table, roost_apply(table->handle, &batch, &sent.call));
    fetch(&sent);
    if (!shape_is_set(&table->shape)) unpack(seen(&sent, RESULTS), mixed->n, table->shape.value_bytes, mixed->values_out);
    memcpy(mixed->statuses, sent.arrays[STATUSES].host, mixed->n);
    release(&sent);
    return status;
}

/* ---- Contents -------------------------------------------------------------------------------- */

static roost_status call_export(const struct table *table, roost_cursor *cursor, const struct sent *sent, size_t room, size_t *n)
{
    if (!shape_has_strings(&table->shape))
        return roost_export(table->handle, cursor, given(sent, KEYS), given(sent, VALUES), room, n, &sent->call);
    return roost_export_strings(table->handle, cursor, given(sent, KEYS), sent->offset_bytes, given(sent, STRINGS),
                                sent->arrays[STRINGS].bytes, given(sent, VALUES), room, n, &sent->call);
}

static void make_room(struct sent *sent, const struct test_shape *shape, size_t room)
{
    *sent = (struct sent){.offset_bytes = turn(2) ? 4 : 8};
    make_items(sent, KEYS, room + shape_has_strings(shape),
               shape_has_strings(shape) ? (unsigned)sent->offset_bytes : shape->key_bytes);
    if (shape_has_strings(shape)) sent->arrays[STRINGS] = array_make(room * STRING_LONGEST);
    if (!shape_is_set(shape)) make_items(sent, VALUES, room, shape->value_bytes);
}

static void read_strings(const struct sent *sent, size_t n, uint64_t *patterns)
{
    const char *bytes = seen(sent, STRINGS);
    uint64_t offset, last = 0;
    for (size_t i = 0; i <= n; i++) {
        unpack((const char *)seen(sent, KEYS) + i * (size_t)sent->offset_bytes, 1, (unsigned)sent->offset_bytes, &offset);
        require(i ? offset >= last && offset <= sent->arrays[STRINGS].bytes : offset == 0, "offset %zu of an export is %llu", i,
                (unsigned long long)offset);
        if (i) patterns[i - 1] = string_read(bytes + last, offset - last);
        last = offset;
    }
}

static void read_pairs(const struct table *table, const struct sent *sent, size_t n, struct pairs *pairs)
{
    const struct test_shape *shape = &table->shape;
    pairs->keys = realloc(pairs->keys, (pairs->n + n + 1) * sizeof *pairs->keys);
    pairs->values = realloc(pairs->values, (pairs->n + n + 1) * sizeof *pairs->values);
    if (!pairs->keys || !pairs->values) abort();
    if (shape_has_strings(shape)) read_strings(sent, n, pairs->keys + pairs->n);
    else unpack_keys(seen(sent, KEYS), n, shape->key_bytes, pairs->keys + pairs->n);
    unpack(seen(sent, VALUES), n, shape->value_bytes, pairs->values + pairs->n);
    pairs->n += n;
}

roost_status table_export_some(const struct table *table, roost_cursor *cursor, size_t room, struct pairs *pairs)
{
    return table_export_some_flagged(table, cursor, room, pairs, 0);
}

roost_status table_export_some_flagged(const struct table *table, roost_cursor *cursor, size_t room, struct pairs *pairs,
                                       uint32_t flags)
{
    struct sent sent;
    size_t n = SIZE_MAX;
    make_room(&sent, &table->shape, room);
    send(&sent, table);
    sent.call.flags = flags;
    const roost_status status = call_export(table, cursor, &sent, room, &n);
    fetch(&sent);
    require(status != ROOST_OK || n <= room, "an export wrote %zu pairs to room for %zu", n, room);
    if (status == ROOST_OK) read_pairs(table, &sent, n, pairs);
    release(&sent);
    return status;
}

struct pairs table_export(const struct table *table, size_t room) { return table_export_flagged(table, room, 0); }

struct pairs table_export_flagged(const struct table *table, size_t room, uint32_t flags)
{
    struct pairs pairs = {0};
    roost_cursor cursor = {0};
    const uint64_t most_calls = table_stats(table).slots + 64;
    for (uint64_t calls = 0; !cursor.end; calls++) {
        require(calls < most_calls, "an export of %zu pairs so far does not end", pairs.n);
        require_status(ROOST_OK, table_export_some_flagged(table, &cursor, room, &pairs, flags), table->handle);
    }
    require(cursor.end == 1, "the cursor ends as %llu", (unsigned long long)cursor.end);
    return pairs;
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->keys);
    free(pairs->values);
    *pairs = (struct pairs){0};
}

struct table_numbers table_stats(const struct table *table) { return table_numbers_read(table->handle); }

void table_check(const struct table *table) { require_status(ROOST_OK, roost_table_check(table->handle), table->handle); }
