/* Tables as tests use them: made for a variant, called with 64-bit patterns. */
#include "support/tables.h"

#include "support/coverage.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

uint64_t *make_patterns(size_t n)
{
    uint64_t *patterns = calloc(n + 1, sizeof *patterns);
    if (!patterns) abort();
    return patterns;
}

uint8_t *make_bytes(size_t n)
{
    uint8_t *bytes = malloc(n + 1);
    if (!bytes) abort();
    memset(bytes, UNTOUCHED_BYTE, n + 1);
    return bytes;
}

/* ---- Making ------------------------------------------------------------------------------------------------------------ */

void table_config(const struct variant *variant, roost_config *config)
{
    require_status(ROOST_OK, roost_config_init(config, sizeof *config), NULL);
    config->engine = settings_get()->engine ? settings_get()->engine : variant->options ? "dycuckoo" : NULL;
    config->device = settings_get()->device;
    config->key_type = variant->shape->key_type;
    config->value_type = variant->shape->value_type;
    config->options = variant->options;
    config->threads = variant->threads;
    config->seed = suite_seed();
}

roost_status table_create(struct table *table, const struct variant *variant, const roost_config *config)
{
    *table = (struct table){.shape = *variant->shape, .placement = variant->placement};
    table->driver = driver_of_options(config->options);
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

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

enum { KEYS, VALUES, FOUND, STATUSES, OPERATIONS, RESULTS, ARRAY_COUNT };

/* A call's arrays and options. */
struct sent {
    struct array arrays[ARRAY_COUNT];
    roost_call call;
};

static bool lies_on_device(enum placement placement, int array)
{
    return placement == PLACE_DEVICE || (placement == PLACE_MIXED && (array == KEYS || array == STATUSES || array == RESULTS));
}

/* AUTO and the explicit spaces take turns, where all arrays lie in one place. */
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

static struct array array_of_patterns(const uint64_t *patterns, size_t n, unsigned bytes)
{
    struct array array = array_make(n * bytes);
    pack(patterns, n, bytes, array.host);
    return array;
}

static struct array array_untouched(size_t n)
{
    struct array array = array_make(n);
    memset(array.host, UNTOUCHED_BYTE, n);
    return array;
}

/* What a call with arrays on the device left to be found out later. */
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

roost_status table_insert_flagged(struct table *table, roost_mode mode, const uint64_t *keys, const uint64_t *values, size_t n,
                                  uint8_t *statuses, uint32_t flags)
{
    struct sent sent = {.arrays[KEYS] = array_of_patterns(keys, n, table->shape.key_bytes)};
    if (!shape_is_set(&table->shape)) sent.arrays[VALUES] = array_of_patterns(values, n, table->shape.value_bytes);
    if (statuses) sent.arrays[STATUSES] = array_untouched(n);
    send(&sent, table);
    sent.call.flags = flags;
    const roost_status status =
        settle(table, roost_insert(table->handle, mode, sent.arrays[KEYS].given, sent.arrays[VALUES].given, n, &sent.call));
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

roost_status table_find_flagged(const struct table *table, const uint64_t *keys, size_t n, uint64_t *values, uint8_t *found,
                                uint8_t *statuses, uint32_t flags)
{
    const bool wants_values = values && !shape_is_set(&table->shape);
    struct sent sent = {.arrays[KEYS] = array_of_patterns(keys, n, table->shape.key_bytes)};
    if (wants_values) sent.arrays[VALUES] = array_of_patterns(values, n, table->shape.value_bytes);
    if (found) sent.arrays[FOUND] = array_untouched(n);
    if (statuses) sent.arrays[STATUSES] = array_untouched(n);
    send(&sent, table);
    sent.call.flags = flags;
    const roost_status status = settle(table, roost_find(table->handle, sent.arrays[KEYS].given, n, sent.arrays[VALUES].given,
                                                         sent.arrays[FOUND].given, &sent.call));
    count(table, COVER_FIND, n, status);
    fetch(&sent);
    if (wants_values) unpack(sent.arrays[VALUES].host, n, table->shape.value_bytes, values);
    if (found) memcpy(found, sent.arrays[FOUND].host, n);
    if (statuses) memcpy(statuses, sent.arrays[STATUSES].host, n);
    release(&sent);
    return status;
}

roost_status table_erase(struct table *table, const uint64_t *keys, size_t n, uint8_t *statuses)
{
    struct sent sent = {.arrays[KEYS] = array_of_patterns(keys, n, table->shape.key_bytes)};
    if (statuses) sent.arrays[STATUSES] = array_untouched(n);
    send(&sent, table);
    const roost_status status = settle(table, roost_erase(table->handle, sent.arrays[KEYS].given, n, &sent.call));
    count(table, COVER_ERASE, n, status);
    fetch(&sent);
    if (statuses) memcpy(statuses, sent.arrays[STATUSES].host, n);
    release(&sent);
    return status;
}

/* The arrays of a mixed batch; a set has no values. */
static void send_mixed(struct sent *sent, const struct table *table, const struct mixed *mixed, roost_batch *batch)
{
    *sent = (struct sent){.arrays[KEYS] = array_of_patterns(mixed->keys, mixed->n, table->shape.key_bytes)};
    sent->arrays[OPERATIONS] = array_make(mixed->n);
    memcpy(sent->arrays[OPERATIONS].host, mixed->operations, mixed->n);
    sent->arrays[STATUSES] = array_untouched(mixed->n);
    if (!shape_is_set(&table->shape)) {
        sent->arrays[VALUES] = array_of_patterns(mixed->values_in, mixed->n, table->shape.value_bytes);
        sent->arrays[RESULTS] = array_of_patterns(mixed->values_out, mixed->n, table->shape.value_bytes);
    }
    send(sent, table);
    require_status(ROOST_OK, roost_batch_init(batch, sizeof *batch), NULL);
    batch->operations = sent->arrays[OPERATIONS].given;
    batch->keys = sent->arrays[KEYS].given;
    batch->values_in = sent->arrays[VALUES].given;
    batch->values_out = sent->arrays[RESULTS].given;
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
    if (!shape_is_set(&table->shape)) unpack(sent.arrays[RESULTS].host, mixed->n, table->shape.value_bytes, mixed->values_out);
    memcpy(mixed->statuses, sent.arrays[STATUSES].host, mixed->n);
    release(&sent);
    return status;
}

/* ---- Contents ---------------------------------------------------------------------------------------------------------- */

/* One call of an export: up to `room` pairs to the end of `pairs`. */
static void export_some(const struct table *table, roost_cursor *cursor, size_t room, struct pairs *pairs)
{
    const bool with_values = !shape_is_set(&table->shape);
    struct sent sent = {.arrays[KEYS] = array_make(room * table->shape.key_bytes)};
    if (with_values) sent.arrays[VALUES] = array_make(room * table->shape.value_bytes);
    size_t n = SIZE_MAX;
    send(&sent, table);
    require_status(ROOST_OK,
                   roost_export(table->handle, cursor, sent.arrays[KEYS].given, sent.arrays[VALUES].given, room, &n, &sent.call),
                   table->handle);
    fetch(&sent);
    require(n <= room, "an export wrote %zu pairs to room for %zu", n, room);
    pairs->keys = realloc(pairs->keys, (pairs->n + n + 1) * sizeof *pairs->keys);
    pairs->values = realloc(pairs->values, (pairs->n + n + 1) * sizeof *pairs->values);
    if (!pairs->keys || !pairs->values) abort();
    unpack(sent.arrays[KEYS].host, n, table->shape.key_bytes, pairs->keys + pairs->n);
    unpack(sent.arrays[VALUES].host, n, table->shape.value_bytes, pairs->values + pairs->n);
    pairs->n += n;
    release(&sent);
}

struct pairs table_export(const struct table *table, size_t room)
{
    struct pairs pairs = {0};
    roost_cursor cursor = {0};
    const uint64_t most_calls = table_stats(table).slots + 64;
    for (uint64_t calls = 0; !cursor.end; calls++) {
        require(calls < most_calls, "an export of %zu pairs so far does not end", pairs.n);
        export_some(table, &cursor, room, &pairs);
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

roost_stats table_stats(const struct table *table)
{
    roost_stats stats;
    memset(&stats, UNTOUCHED_BYTE, sizeof stats);
    require_status(ROOST_OK, roost_table_stats(table->handle, &stats, sizeof stats), table->handle);
    require(stats.size == sizeof stats, "roost_stats.size is %zu, not %zu", stats.size, sizeof stats);
    return stats;
}

void table_check(const struct table *table) { require_status(ROOST_OK, roost_table_check(table->handle), table->handle); }
