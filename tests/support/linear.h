/* A checker of linearisability: is there an order of one key's operations, consistent with real time, in which each one's result
 * follows from a key that is absent or has a value?
 *
 * The search is Wing and Gong's (Testing and Verifying Concurrent Objects, 1993) with Lowe's memory of the places that lead nowhere
 * (Testing for Linearizability, 2017): an operation may come next if no other one that is still open has responded before it was
 * invoked.  Two things keep it cheap, and exact: only operations that overlap are ever told apart, so that a history falls apart where
 * nothing does; and an operation that changes nothing, and whose result fits, comes next without an alternative. */
#ifndef ROOST_TESTS_LINEAR_H
#define ROOST_TESTS_LINEAR_H

#include <roost/roost.h>
#include <stdbool.h>

struct linear_op {
    uint64_t argument; /* of an insert */
    uint64_t value;    /* that a find found */
    uint64_t invoked, responded;
    uint8_t operation; /* roost_operation */
    uint8_t status;    /* roost_item_status */
    bool saturates;    /* of an ADD: it stops at the largest value */
};

/* A key: its value is 0 where it is absent, and in sets. */
struct linear_state {
    bool present;
    uint64_t value;
};

enum linear_verdict { LINEAR_YES, LINEAR_NO, LINEAR_UNDECIDED };

enum {
    LINEAR_WINDOW = 64,     /* operations that overlap at most: a history with more is not decided */
    LINEAR_PLACES = 1 << 16 /* an effort that decides nearly all */
};

/* Memory of the search, for one thread; `mask` has the bits of a value, 0 for sets.  A history that takes more than so many places of the
 * search is not decided. */
struct linear *linear_new(uint64_t mask, uint64_t places);
void linear_free(struct linear *linear);

/* Is there such an order from one state to the other?  Sorts the operations by when they were invoked. */
enum linear_verdict linear_check(struct linear *linear, struct linear_op *ops, size_t n, struct linear_state start,
                                 struct linear_state end);

/* What becomes of the key if the operation takes effect; false: its result would be another. */
bool linear_step(const struct linear_op *op, uint64_t mask, struct linear_state *state);

/* Do three operations, one of them no find, overlap mutually?  Of operations as linear_check leaves them. */
bool linear_crowded(const struct linear_op *ops, size_t n);

#endif
