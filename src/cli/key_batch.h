/* A batch of keys on their way from a reader into a table.  Their number is bounded, and so are
 * the bytes of strings. */
#ifndef ROOST_CLI_KEY_BATCH_H
#define ROOST_CLI_KEY_BATCH_H

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "roost/roost.h"

struct key_batch {
    struct key_kind kind;
    size_t room, n;
    void *keys; /* n keys of kind.bytes each */
    /* if keys are strings; a string that is longer than the buffer enlarges it */
    struct io_strings strings;
};

/* Returns 0, or prints a line and returns EXIT_FAILURE.  The caller releases *batch in any case. */
int key_batch_make(struct key_batch *batch, struct key_kind kind, size_t room);

/* Reads up to `room` keys; n is 0 only at the file's end.  Returns 0, or prints a line and
 * returns EXIT_FAILURE. */
int key_batch_read(struct key_batch *batch, struct io_reader *reader);

/* Key i of a batch of bytes or strings. */
struct key_bytes key_batch_get(const struct key_batch *batch, size_t i);

/* For a caller that appends strings itself: room for one of `most` bytes, behind those that the
 * batch has, or NULL if memory was refused; and its end, which makes it key n of the batch. */
uint8_t *key_batch_string(struct key_batch *batch, size_t most);
void key_batch_string_end(struct key_batch *batch, size_t length);

/* Finds all keys, as roost_find. */
roost_status key_batch_find(const struct key_batch *batch, const roost_table *table, void *values, uint8_t *found);

/* Inserts the first n keys. */
roost_status key_batch_insert(const struct key_batch *batch, roost_table *table, roost_mode mode, const void *values, size_t n);

void key_batch_release(struct key_batch *batch);

#endif
