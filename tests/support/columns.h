/* Columns of rows for groups and joins.  Tests know the items of a key column by small numbers,
 * from which the library's arrays are made: references compare the numbers alone.  A number may
 * have several forms (0.0 and -0.0, NaNs). */
#ifndef ROOST_TESTS_COLUMNS_H
#define ROOST_TESTS_COLUMNS_H

#include "support/draw.h"
#include "support/suite.h"
#include "roost/columns.h"

enum { COLUMNS_MOST = 64, ITEM_MOST = 400 /* bytes */ };

struct column_kind {
    roost_type type;
    unsigned bytes; /* of an item of type BYTES */
    int offset_bytes;
    bool nullable;
    uint16_t distinct; /* items have numbers 1 to `distinct`; 0: NULL */
};

/* An array at the end of its memory, so that a sanitizer sees what is read beyond it. */
struct placed {
    struct array array;
    size_t slack;
};

struct column {
    struct column_kind kind;
    struct placed values, offsets, validity;
};

/* A batch's columns, and the library's description of them. */
struct batch_columns {
    size_t n;
    int columns;
    struct column column[COLUMNS_MOST];
    roost_column given[COLUMNS_MOST];
};

/* Bytes of an item; 0: strings. */
unsigned kind_bytes(const struct column_kind *kind);

/* Writes an item, in one of its forms, and returns its bytes.  `number`: from 1. */
unsigned item_write(const struct column_kind *kind, uint64_t number, struct dice *dice, unsigned char *to);

/* Are these bytes a form of the item? */
bool item_is(const struct column_kind *kind, uint64_t number, const void *bytes, size_t n);

/* The type as a configuration has it. */
roost_column column_type(const struct column_kind *kind);

/* All types of keys, n of them.  Without strings and wide bytes if this build cannot store them. */
const struct column_kind *all_kinds(size_t *n);

/* Draws n of these kinds; their numbers multiply to less than 2^64. */
void kinds_draw(struct dice *dice, struct column_kind *kinds, int n, unsigned distinct);

/* Begins a batch of n rows. */
void batch_begin(struct batch_columns *batch, size_t n);
/* Adds a column of the items with these numbers (n). */
void batch_keys(struct batch_columns *batch, const struct column_kind *kind, const uint16_t *numbers, struct dice *dice,
                enum placement placement);
/* Adds a column of words of the kind's width; valid: NULL: all are. */
void batch_words(struct batch_columns *batch, const struct column_kind *kind, const uint64_t *words, const bool *valid,
                 struct dice *dice, enum placement placement);
void column_batch_free(struct batch_columns *batch);

struct placed placed_make(size_t bytes, size_t alignment);
void *placed_host(const struct placed *placed);
void *placed_given(const struct placed *placed);
void placed_send(struct placed *placed, bool to_device);
/* On the device if the placement says so; mixed: every second time. */
bool placement_turn(struct dice *dice, enum placement placement);

/* Memory for n elements, zeroed; never NULL. */
void *new_array(size_t n, size_t bytes);

#endif
