/* Reads batches of keys, and inserts them. */
#include "cli/key_batch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "roost/strings.h"

#define STRING_BYTES ((size_t)1 << 24) /* of all strings of a batch */

int key_batch_make(struct key_batch *batch, struct key_kind kind, size_t room)
{
    memset(batch, 0, sizeof *batch);
    batch->kind = kind;
    batch->room = room;
    if (kind.type == IO_STRING) {
        batch->strings.room = room;
        batch->strings.bytes_room = STRING_BYTES;
        batch->strings.offsets = (uint64_t *)malloc((room + 1) * sizeof *batch->strings.offsets);
        batch->strings.bytes = (uint8_t *)malloc(STRING_BYTES);
        if (batch->strings.offsets != NULL && batch->strings.bytes != NULL) return 0;
    } else if ((batch->keys = malloc(room * kind.bytes)) != NULL) {
        return 0;
    }
    return command_fail("out of memory for a batch of %zu keys", room);
}

/* Enlarges the buffer, because one string does not fit into it. */
static int grow(struct io_strings *strings)
{
    const size_t most = (size_t)ROOST_STRING_MOST + 2;
    if (strings->bytes_room >= most)
        return command_fail("a key has more than %d bytes, the most that a table takes", ROOST_STRING_MOST);
    const size_t room = strings->bytes_room > most / 2 ? most : 2 * strings->bytes_room;
    uint8_t *bytes = (uint8_t *)realloc(strings->bytes, room);
    if (bytes == NULL) return command_fail("out of memory for a key of more than %zu bytes", strings->bytes_room);
    strings->bytes = bytes;
    strings->bytes_room = room;
    return 0;
}

static int read_strings(struct key_batch *batch, struct io_reader *reader)
{
    struct io_strings *strings = &batch->strings;
    struct io_error error;
    for (;;) {
        if (io_reader_next_strings(reader, strings, &error) != IO_OK) return command_fail("%s", error.text);
        batch->n = strings->n;
        if (strings->n > 0 || strings->begun == 0) return 0;
        const int result = grow(strings);
        if (result != 0) return result;
    }
}

int key_batch_read(struct key_batch *batch, struct io_reader *reader)
{
    struct io_error error;
    batch->n = 0;
    if (batch->kind.type == IO_STRING) return read_strings(batch, reader);
    return io_reader_next(reader, batch->keys, batch->room, &batch->n, &error) == IO_OK ? 0 : command_fail("%s", error.text);
}

struct key_bytes key_batch_get(const struct key_batch *batch, size_t i)
{
    const struct io_strings *strings = &batch->strings;
    if (batch->kind.type != IO_STRING) return key_bytes_at(batch->keys, batch->kind.bytes, NULL, i);
    return key_bytes_at(strings->bytes, 0, strings->offsets, i);
}

/* ---- Keys that the caller appends ------------------------------------------------------------ */

static size_t strings_end(const struct key_batch *batch) { return batch->n > 0 ? (size_t)batch->strings.offsets[batch->n] : 0; }

uint8_t *key_batch_string(struct key_batch *batch, size_t most)
{
    struct io_strings *const strings = &batch->strings;
    const size_t used = strings_end(batch);
    if (most > strings->bytes_room - used) {
        if (most > SIZE_MAX / 2 - used) return NULL;
        uint8_t *const bytes = (uint8_t *)realloc(strings->bytes, 2 * (used + most));
        if (bytes == NULL) return NULL;
        strings->bytes = bytes;
        strings->bytes_room = 2 * (used + most);
    }
    return strings->bytes + used;
}

void key_batch_string_end(struct key_batch *batch, size_t length)
{
    const size_t used = strings_end(batch);
    batch->strings.offsets[0] = 0;
    batch->strings.offsets[++batch->n] = used + length;
}

/* ---- Into the table -------------------------------------------------------------------------- */

static roost_strings strings_of(const struct key_batch *batch)
{
    roost_strings strings;
    (void)roost_strings_init(&strings, sizeof strings); /* fails for a wrong size only */
    strings.offsets = batch->strings.offsets;
    strings.bytes = batch->strings.bytes;
    return strings;
}

roost_status key_batch_find(const struct key_batch *batch, const roost_table *table, void *values, uint8_t *found)
{
    if (batch->kind.type != IO_STRING) return roost_find(table, batch->keys, batch->n, values, found, NULL);
    const roost_strings strings = strings_of(batch);
    return roost_find_strings(table, &strings, batch->n, values, found, NULL);
}

roost_status key_batch_insert(const struct key_batch *batch, roost_table *table, roost_mode mode, const void *values, size_t n)
{
    if (batch->kind.type != IO_STRING) return roost_insert(table, mode, batch->keys, values, n, NULL);
    const roost_strings strings = strings_of(batch);
    return roost_insert_strings(table, mode, &strings, values, n, NULL);
}

void key_batch_release(struct key_batch *batch)
{
    free(batch->keys);
    free(batch->strings.offsets);
    free(batch->strings.bytes);
    memset(batch, 0, sizeof *batch);
}
