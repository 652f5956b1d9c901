/* Bags of strings: what tables of strings are called with where no reference is beside them. */
#include "support/string_bags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bag_put(struct bag *bag, uint64_t number, const void *string, size_t bytes)
{
    if (bag->n + 2 > bag->room) {
        bag->room = 2 * bag->room + 64;
        bag->offsets = realloc(bag->offsets, bag->room * sizeof *bag->offsets);
        bag->numbers = realloc(bag->numbers, bag->room * sizeof *bag->numbers);
        if (!bag->offsets || !bag->numbers) abort();
    }
    if (!bag->n) bag->offsets[0] = 0;
    const uint64_t end = bag->offsets[bag->n];
    if (end + bytes + 1 > bag->bytes_room) {
        bag->bytes_room = 2 * (end + bytes + 1);
        bag->bytes = realloc(bag->bytes, bag->bytes_room);
        if (!bag->bytes) abort();
    }
    if (bytes) memcpy(bag->bytes + end, string, bytes);
    bag->numbers[bag->n++] = number;
    bag->offsets[bag->n] = end + bytes;
}

void bag_new(struct bag *bag, const void *string, size_t bytes) { bag_put(bag, bag->distinct++, string, bytes); }

void bag_free(struct bag *bag)
{
    free(bag->offsets);
    free(bag->numbers);
    free(bag->bytes);
    *bag = (struct bag){0};
}

size_t bag_length(const struct bag *bag, size_t i) { return (size_t)(bag->offsets[i + 1] - bag->offsets[i]); }

struct bag words(size_t first, size_t n)
{
    static const char *const stems[] = {"", "user/", "http://example.org/a/rather/long/path/to/page-", "chr1:", "key"};
    struct bag bag = {.distinct = first};
    char text[96];
    for (size_t i = first; i < first + n; i++) {
        snprintf(text, sizeof text, "%s%zu", stems[i % 5], i);
        bag_new(&bag, text, strlen(text));
    }
    return bag;
}

static void put_offsets(struct sent *sent, const struct bag *bag, int offset_bytes, uint64_t first)
{
    for (size_t i = 0; i <= bag->n; i++) {
        const uint64_t offset = (bag->n ? bag->offsets[i] : 0) + first;
        pack(&offset, 1, (unsigned)offset_bytes, (char *)sent->offsets.host + i * (size_t)offset_bytes);
    }
}

struct sent bag_send(const struct bag *bag, const struct table *table, int offset_bytes, uint64_t first)
{
    const unsigned value_bytes = table->shape.value_bytes;
    const uint64_t bytes = bag->n ? bag->offsets[bag->n] : 0;
    struct sent sent = {.offsets = array_make((bag->n + 1) * (size_t)offset_bytes), .bytes = array_make(first + bytes)};
    put_offsets(&sent, bag, offset_bytes, first);
    memset(sent.bytes.host, UNTOUCHED_BYTE, first);
    if (bytes) memcpy((char *)sent.bytes.host + first, bag->bytes, bytes);
    sent.values = array_make(bag->n * value_bytes);
    pack(bag->numbers, bag->n, value_bytes, sent.values.host);
    sent.found = array_make(bag->n);
    sent.statuses = array_make(bag->n);
    memset(sent.statuses.host, UNTOUCHED_BYTE, bag->n);
    array_send(&sent.offsets, table->placement != PLACE_HOST);
    array_send(&sent.bytes, table->placement == PLACE_DEVICE);
    array_send(&sent.values, table->placement == PLACE_DEVICE);
    array_send(&sent.found, table->placement != PLACE_HOST);
    array_send(&sent.statuses, table->placement == PLACE_DEVICE);
    require_status(ROOST_OK, roost_strings_init(&sent.strings, sizeof sent.strings), NULL);
    sent.strings.offsets = sent.offsets.given;
    sent.strings.bytes = sent.bytes.given;
    sent.strings.offset_bytes = offset_bytes;
    require_status(ROOST_OK, roost_call_init(&sent.call, sizeof sent.call), NULL);
    sent.call.statuses = sent.statuses.given;
    return sent;
}

void sent_fetch(struct sent *sent)
{
    array_fetch(&sent->values);
    array_fetch(&sent->found);
    array_fetch(&sent->statuses);
}

void sent_free(struct sent *sent)
{
    array_free(&sent->offsets);
    array_free(&sent->bytes);
    array_free(&sent->values);
    array_free(&sent->found);
    array_free(&sent->statuses);
}

void count_statuses(const struct sent *sent, size_t n, size_t counts[ROOST_ITEM_NO_MEMORY + 1])
{
    memset(counts, 0, (ROOST_ITEM_NO_MEMORY + 1) * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        const uint8_t status = ((const uint8_t *)sent->statuses.host)[i];
        require(status <= ROOST_ITEM_NO_MEMORY, "item %zu ended %u", i, status);
        counts[status]++;
    }
}

void bag_insert(struct table *table, roost_mode mode, const struct bag *bag, int offset_bytes, size_t fresh)
{
    struct sent sent = bag_send(bag, table, offset_bytes, bag->n % 7);
    size_t counts[ROOST_ITEM_NO_MEMORY + 1];
    void *const values = table->shape.value_bytes ? sent.values.given : NULL;
    require_status(ROOST_OK, roost_insert_strings(table->handle, mode, &sent.strings, values, bag->n, &sent.call), table->handle);
    sent_fetch(&sent);
    count_statuses(&sent, bag->n, counts);
    require(counts[ROOST_ITEM_INSERTED] == fresh &&
                counts[mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED] == bag->n - fresh,
            "%zu of %zu items ended INSERTED, not %zu", counts[ROOST_ITEM_INSERTED], bag->n, fresh);
    sent_free(&sent);
    table_check(table);
}

void bag_erase(struct table *table, const struct bag *bag, int offset_bytes, size_t there)
{
    struct sent sent = bag_send(bag, table, offset_bytes, 3);
    size_t counts[ROOST_ITEM_NO_MEMORY + 1];
    require_status(ROOST_OK, roost_erase_strings(table->handle, &sent.strings, bag->n, &sent.call), table->handle);
    require_status(ROOST_OK, roost_table_sync(table->handle, NULL), table->handle);
    sent_fetch(&sent);
    count_statuses(&sent, bag->n, counts);
    require(counts[ROOST_ITEM_ERASED] == there && counts[ROOST_ITEM_ABSENT] == bag->n - there,
            "%zu of %zu items ended ERASED, not %zu", counts[ROOST_ITEM_ERASED], bag->n, there);
    sent_free(&sent);
    table_check(table);
}

void bag_find(const struct table *table, const struct bag *bag, int offset_bytes, bool there)
{
    struct sent sent = bag_send(bag, table, offset_bytes, 5);
    const unsigned bytes = table->shape.value_bytes;
    void *const values = bytes ? sent.values.given : NULL;
    array_clear(&sent.values);
    require_status(ROOST_OK, roost_find_strings(table->handle, &sent.strings, bag->n, values, sent.found.given, &sent.call),
                   table->handle);
    require_status(ROOST_OK, roost_table_sync(table->handle, NULL), table->handle);
    sent_fetch(&sent);
    for (size_t i = 0; i < bag->n; i++) {
        const uint8_t found = ((const uint8_t *)sent.found.host)[i], status = ((const uint8_t *)sent.statuses.host)[i];
        uint64_t value = 0;
        unpack((const char *)sent.values.host + i * bytes, 1, bytes, &value);
        require(found == there && status == (there ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT),
                "string %zu, number %llu of %zu bytes: found %u, status %u", i, print(bag->numbers[i]), bag_length(bag, i), found,
                status);
        require(value == (there ? bag->numbers[i] & width_mask(bytes) : 0), "string %zu, number %llu of %zu bytes has value %llu",
                i, print(bag->numbers[i]), bag_length(bag, i), print(value));
    }
    sent_free(&sent);
}

void require_count(const struct table *table, uint64_t count)
{
    require(table_stats(table).count == count, "%llu keys, not %llu", print(table_stats(table).count), print(count));
}
