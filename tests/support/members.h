/* Ranks of a table, which are threads here, and the arrays of numbered keys that they bring to a
 * call. */
#ifndef ROOST_TESTS_MEMBERS_H
#define ROOST_TESTS_MEMBERS_H

#include "support/tables.h"
#include "roost/sharding.h"

#include <stdio.h>

enum { MEMBERS_MOST = 18 };

/* A rank's thread.  It notes what is wrong, because only the main thread may fail a test. */
struct member {
    const struct variant *variant;
    void (*body)(struct member *m);
    roost_comm *comm;
    roost_config config; /* its table's */
    roost_table *table;
    int rank, ranks;
    uint64_t number;   /* a parameter of the body */
    roost_status last; /* what a call that may fail returned */
    char wrong[400];
};

#define EXPECT(m, condition, ...)                                                                                                  \
    do {                                                                                                                           \
        if (!(condition) && !*(m)->wrong) snprintf((m)->wrong, sizeof(m)->wrong, __VA_ARGS__);                                     \
    } while (0)

void expect_ok(struct member *m, roost_status status, const char *what);

/* The ranks of the present test send messages, although they reach each other's memory. */
extern int members_send_messages;

/* Makes the ranks of a comm of their own; limits NULL: the defaults. */
void members_open(struct member *m, int ranks, const struct variant *variant, const roost_comm_limits *limits);
/* Runs a body in each rank's thread; fails the test if a rank notes something. */
void members_run(struct member *m, int ranks, void (*body)(struct member *m));
void members_close(struct member *m, int ranks);
/* Ranks of a comm of their own run a body. */
void members_try(const struct variant *variant, int ranks, void (*body)(struct member *m));

/* A rank's transport that fails at its exchange number `fails`. */
struct frail {
    roost_comm *comm; /* the rank's own one */
    const roost_comm_operations *inner;
    uint64_t exchanges, fails;
};

/* Gives the ranks comms over frail transports, of which that of one rank fails at an exchange.
 * frail_end: after members_close. */
void frail_begin(struct frail *frail, struct member *m, int ranks, int failing, uint64_t at);
void frail_end(const struct frail *frail, int ranks);

/* Makes a rank's table. */
void table_open_all(struct member *m);

/* ---- Arrays ---------------------------------------------------------------------------------- */

struct arrays {
    size_t n;
    uint64_t *numbers; /* of keys */
    void *keys, *values;
    uint8_t *statuses, *found;
};

/* For keys and values of up to 16 bytes. */
struct arrays arrays_make(size_t n);
void arrays_free(struct arrays *a);
/* Makes keys and values of the numbers. */
void arrays_fill(struct arrays *a, const struct test_shape *shape);

#endif
