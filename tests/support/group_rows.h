/* Rows of groups: how tests draw them, give them to roost_group, export the groups, and compare
 * these with a reference that sorts the rows by the numbers of their keys' items. */
#ifndef ROOST_TESTS_GROUP_ROWS_H
#define ROOST_TESTS_GROUP_ROWS_H

#include "support/columns.h"
#include "roost/group.h"

enum { KEYS_MOST = 4, VALUES_MOST = 13, AGGREGATES_MOST = 128 };

/* How values are drawn. */
enum draws { DRAW_SMALL, DRAW_ANY, DRAW_NAN };

struct value_column {
    struct column_kind kind;
    enum draws draws;
    uint64_t *words; /* of all rows */
    bool *valid;
};

/* All rows that were added, and how the test asks for groups. */
struct rows {
    const struct variant *variant;
    struct dice dice;
    int keys, values, aggregates;
    struct column_kind key[KEYS_MOST];
    uint16_t *numbers[KEYS_MOST]; /* of the keys' items */
    struct value_column value[VALUES_MOST];
    roost_aggregate aggregate[AGGREGATES_MOST];
    size_t n, room;
    uint32_t flags;
    uint64_t capacity;
    roost_group *group;
};

/* room: the most rows. */
void rows_begin(struct rows *r, const struct variant *variant, size_t room);
void rows_end(struct rows *r);

/* The columns and the aggregates, before rows_create. */
void rows_key(struct rows *r, struct column_kind kind, unsigned distinct);
void rows_value(struct rows *r, roost_type type, bool nullable, enum draws draws);
void rows_aggregate(struct rows *r, roost_aggregate_kind kind, int column);

/* The first value column is the row's number, and the first aggregate the number of a group's first
 * row, by which the reference knows the group. */
void rows_first(struct rows *r);

/* Makes r->group; rows_open: it must succeed. */
roost_status rows_create(struct rows *r);
void rows_open(struct rows *r);

/* Draws n more rows. */
void rows_draw(struct rows *r, size_t n);

/* Adds the n rows that were drawn last; rows_send: it must succeed; rows_add: draws them, too. */
roost_status rows_give(struct rows *r, size_t n);
void rows_send(struct rows *r, size_t n);
void rows_add(struct rows *r, size_t n);

/* Arrays of results of one call. */
struct results {
    struct placed values, validity, offsets;
};

struct exported {
    struct results key[KEYS_MOST], aggregate[AGGREGATES_MOST];
    roost_result keys[KEYS_MOST], results[AGGREGATES_MOST];
    size_t n;
};

roost_type result_type(const struct rows *r, const roost_aggregate *a);

/* Arrays for `room` groups, whose strings have bytes_room bytes. */
void exported_make(struct rows *r, struct exported *e, size_t room, size_t bytes_room);
roost_status exported_call(struct rows *r, struct exported *e, uint64_t first, size_t room);
void exported_free(const struct rows *r, struct exported *e);

bool result_valid(const struct results *a, size_t i);
uint64_t result_word(const struct results *a, unsigned bytes, size_t i);

/* Compares the key of exported group i with that of a row. */
void key_compare(const struct rows *r, const struct exported *e, size_t i, uint64_t row);

/* Compares all groups, exported `room` at a time; bytes_room 0: enough. */
void rows_compare(struct rows *r, size_t room, size_t bytes_room);

#endif
