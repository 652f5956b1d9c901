/* Calls with timestamped items, and the proof that they were linearisable. All operations of one
 * call on one key are a history, from what the table held before to what an export finds
 * afterwards. */
#ifndef ROOST_TESTS_HISTORY_H
#define ROOST_TESTS_HISTORY_H

#include "support/linear.h"
#include "support/tables.h"

#include <stdio.h>

enum stamping {
    STAMPS_FENCED,   /* from a counter, read between fences */
    STAMPS_UNFENCED, /* from the machine's clock, with slack on both sides */
    STAMPS_NONE      /* none: an item may take effect at any time of the call */
};

struct history_counts {
    uint64_t histories, operations;
    /* histories in which three operations overlap mutually, at least one of them an update */
    uint64_t crowded;
    uint64_t wrong, undecided;
};

struct history_item {
    uint64_t argument;
    uint32_t key; /* number of the key */
    uint8_t operation;
};

struct history {
    struct table *table;
    enum stamping stamping;
    uint64_t *keys; /* patterns by number */
    size_t key_count, room;
    struct linear_state *states; /* what the table holds for each key */
    struct history_item *items;  /* filled by the caller */
    struct history_counts counts;
    struct history_arrays *arrays;
};

/* For calls of up to `room` items on an empty table and on `key_count` keys: three edge-case
 * patterns, then scattered ones. */
struct history *history_open(struct table *table, enum stamping stamping, size_t key_count, size_t room);
void history_close(struct history *h);

/* Carries out the first n items in one call and checks each key's history; fails the test if one
 * is wrong. mixed: by roost_apply; otherwise all items have one operation and go to its own
 * call. */
void history_run(struct history *h, size_t n, bool mixed);

/* To be called after the table was cleared. */
void history_cleared(struct history *h);

/* history_call only carries the items out; history_statuses returns their statuses. history_read
 * stores what the table holds now in h->states, and fails the test if a key occurs twice. */
void history_call(struct history *h, size_t n, bool mixed);
const uint8_t *history_statuses(const struct history *h);
void history_read(struct history *h);

/* True if the table's engine works on all items of a mixed batch at the same time. */
bool history_mixes(const struct table *table);

/* How far a recorded interval of unfenced timestamps is widened on either side, in ticks of the
 * machine's clock. */
uint64_t history_slack(void);

void history_add(struct history_counts *sum, const struct history_counts *counts);
void history_print(FILE *file, const char *what, const struct history_counts *counts);

#endif
