/* A checker of linearisability. Is there an order of one key's operations, consistent with real
 * time, in which each result follows from a key that is absent or has a value?
 *
 * The search is Wing and Gong's (Testing and Verifying Concurrent Objects, 1993) with Lowe's
 * memory of dead ends (Testing for Linearizability, 2017): an operation may come next if no
 * other open operation responded before it was invoked. Two things keep the search cheap and
 * exact:
 * - Only overlapping operations are ever reordered, so a history splits where nothing overlaps.
 * - An operation that changes nothing, and whose result fits, comes next without an alternative. */
#ifndef ROOST_TESTS_LINEAR_H
#define ROOST_TESTS_LINEAR_H

#include <roost/roost.h>
#include <stdbool.h>

struct linear_op {
    uint64_t argument; /* of an insert */
    uint64_t value;    /* value that a find returned */
    uint64_t invoked, responded;
    uint8_t operation; /* roost_operation */
    uint8_t status;    /* roost_item_status */
    bool saturates;    /* ADD stops at the largest value */
};

/* A key's state: the value is 0 if it is absent, and in sets. */
struct linear_state {
    bool present;
    uint64_t value;
};

enum linear_verdict { LINEAR_YES, LINEAR_NO, LINEAR_UNDECIDED };

enum {
    /* most operations that may overlap; a history with more is undecided */
    LINEAR_WINDOW = 64,
    LINEAR_PLACES = 1 << 16 /* effort that decides nearly all histories */
};

/* Memory of the search, for one thread. `mask` has the bits of a value, 0 for sets. A history
 * whose search visits more than `places` places is undecided. */
struct linear *linear_new(uint64_t mask, uint64_t places);
void linear_free(struct linear *linear);

/* Decides whether there is such an order from `start` to `end`. Sorts the operations by when
 * they were invoked. */
enum linear_verdict linear_check(struct linear *linear, struct linear_op *ops, size_t n, struct linear_state start,
                                 struct linear_state end);

/* Applies the operation to the state; false if its result would be another. */
bool linear_step(const struct linear_op *op, uint64_t mask, struct linear_state *state);

/* True if three operations, at least one of them not a find, overlap mutually. The operations
 * are as linear_check leaves them. */
bool linear_crowded(const struct linear_op *ops, size_t n);

#endif
