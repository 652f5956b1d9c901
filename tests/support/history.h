/* Calls whose items are stamped, and the proof that they were linearisable: all operations of one call on one key are a history, from
 * what the table held for it before to what an export finds after. */
#ifndef ROOST_TESTS_HISTORY_H
#define ROOST_TESTS_HISTORY_H

#include "support/linear.h"
#include "support/tables.h"

#include <stdio.h>

enum stamping {
    STAMPS_FENCED,   /* drawn from a counter between fences */
    STAMPS_UNFENCED, /* the machine's clock, widened */
    STAMPS_NONE      /* every item may have taken effect at any time of the call */
};

struct history_counts {
    uint64_t histories, operations;
    uint64_t crowded; /* histories in which three operations, one of them an update, overlap mutually */
    uint64_t wrong, undecided;
};

struct history_item {
    uint64_t argument;
    uint32_t key; /* its number */
    uint8_t operation;
};

struct history {
    struct table *table;
    enum stamping stamping;
    uint64_t *keys; /* patterns by number */
    size_t key_count, room;
    struct linear_state *states; /* what the table holds for each key */
    struct history_item *items;  /* the caller's to fill */
    struct history_counts counts;
    struct history_arrays *arrays;
};

/* For calls of up to `room` items on a table that is empty and on `key_count` keys: a few of telling patterns, then scattered ones. */
struct history *history_open(struct table *table, enum stamping stamping, size_t key_count, size_t room);
void history_close(struct history *h);

/* Carries the first n items out in one call, and checks each key's history; fails the test where one is wrong.
 * mixed: by roost_apply; else all items are of one operation, and go to its own call. */
void history_run(struct history *h, size_t n, bool mixed);

/* The table was cleared. */
void history_cleared(struct history *h);

/* Only carries them out; their statuses; and what the table holds now, each key once, to h->states. */
void history_call(struct history *h, size_t n, bool mixed);
const uint8_t *history_statuses(const struct history *h);
void history_read(struct history *h);

/* Does the table's engine work on all items of a mixed batch at the same time? */
bool history_mixes(const struct table *table);

/* How far a recorded interval of unfenced stamps is widened on either side, in ticks of the machine's clock. */
uint64_t history_slack(void);

void history_add(struct history_counts *sum, const struct history_counts *counts);
void history_print(FILE *file, const char *what, const struct history_counts *counts);

#endif
