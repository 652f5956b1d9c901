/* Walks a table's export step by step, for all kinds of keys. */
#ifndef ROOST_CLI_TABLE_WALK_H
#define ROOST_CLI_TABLE_WALK_H

#include "cli/key_count.h"
#include "cli/key_kind.h"
#include "roost/roost.h"

struct table_walk {
    const roost_table *table;
    struct key_kind kind;
    roost_cursor cursor;
    size_t room, n;    /* pairs of a step at most, and of the current one */
    void *keys;        /* n keys of kind.bytes each, or bytes of strings */
    uint64_t *offsets; /* of strings */
    size_t bytes_room;
    void *values;
};

/* Returns 0, or prints a line and returns EXIT_FAILURE.  The caller releases *walk in any case. */
int table_walk_begin(struct table_walk *walk, const roost_table *table, struct key_kind kind, size_t value_bytes);

/* Takes one more step.  Precondition: !walk->cursor.end. */
int table_walk_next(struct table_walk *walk);

/* Key i of the step, as bytes. */
struct key_bytes table_walk_key(const struct table_walk *walk, size_t i);

void table_walk_release(struct table_walk *walk);

#endif
