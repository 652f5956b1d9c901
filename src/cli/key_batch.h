/* A batch of keys on their way from a reader into a table: bounded by a number of keys, and strings by their bytes, too. */
#ifndef ROOST_CLI_KEY_BATCH_H
#define ROOST_CLI_KEY_BATCH_H

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "roost/roost.h"

struct key_batch {
    struct key_kind kind;
    size_t room, n;
    void *keys;                /* n of kind.bytes each */
    struct io_strings strings; /* where keys are strings; one that is longer than a batch's bytes makes them more */
};

/* 0, or prints a line and returns EXIT_FAILURE; *batch is to be released in any case. */
int key_batch_make(struct key_batch *batch, struct key_kind kind, size_t room);

/* Reads up to `room` keys; n is 0 at the file's end only.  As io_reader_next: 0, or prints a line and returns EXIT_FAILURE. */
int key_batch_read(struct key_batch *batch, struct io_reader *reader);

/* Key i of a batch of bytes or strings. */
struct key_bytes key_batch_get(const struct key_batch *batch, size_t i);

/* Inserts the first n keys. */
roost_status key_batch_insert(const struct key_batch *batch, roost_table *table, roost_mode mode, const void *values, size_t n);

void key_batch_release(struct key_batch *batch);

#endif
