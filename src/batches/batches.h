/* What the library does to a batch before an engine sees it: it splits a mixed batch into phases,
 * puts operations on one key into order, and brings a batch into the order of a table's parts.  All
 * work on pieces of the batch, as large as memory allows, and wait. */
#ifndef ROOST_BATCHES_H
#define ROOST_BATCHES_H

#include "engines/engine.h"

enum { BATCHES_BYTES = 128 /* work space per item, at most */ };

/* The memory that a table keeps so that mixed and ordered calls always make progress, for pieces
 * of backend_items_least items.  For tables of keys and values of 4 and 8 bytes. */
roost_status batches_spare_make(struct engine_table *table);
/* Its bytes, at most. */
static inline size_t batches_spare_most(const struct backend *b)
{
    return b->ordinal < 0 ? 0 : (size_t)backend_items_least(b) * BATCHES_BYTES;
}
void batches_spare_release(struct engine_table *table);

/* Runs a mixed batch as batches of one operation each: the erases, then the inserts by mode,
 * then the finds.
 * Returns: ROOST_ERR_UNSUPPORTED: the stream is captured. */
roost_status batches_in_phases(struct engine_table *table, const struct batch *batch);

/* Runs a mixed batch by kernels that mix operations; or in phases, where many of its items erase
 * and insert few keys by turns (crowd_churns). */
roost_status batches_mixed(struct engine_table *table, const struct batch *batch);

/* Runs a mixed batch, or an insert (operations NULL), so that operations on one key take effect
 * in the order of the arrays.  Errors as above. */
roost_status batches_in_order(struct engine_table *table, const struct batch *batch);

/* The same where not all items are in the machine's reach at one time.  A sweep brings all of them
 * there, part after part in the order of the arrays, and calls `visit` for each part.  first: the
 * index of its first item in the call; arrays: those that are needed, the others may be out of
 * reach.  Results are arrays that the visit changes in places. */
enum { BATCHES_KEYS = 1, BATCHES_INPUTS = 2 /* values and operations */, BATCHES_RESULTS = 4 };
typedef roost_status batches_visit(void *context, const struct batch *part, uint64_t first);
struct batches_sweep {
    roost_status (*run)(struct batches_sweep *sweep, int arrays, batches_visit *visit, void *context);
    const struct batch *batch; /* the call's items, out of reach */
};
roost_status batches_swept_in_order(struct engine_table *table, struct batches_sweep *sweep);

/* How a call of one operation with n keys goes to the engine: unordered, by the engine's
 * function; or, if the table may ask for an order (struct batch_order), by a function that
 * orders the items, runs the engine's function on them, and brings the results back.  It stays
 * unordered if the order does not pay, if memory is refused, and on a captured stream.  The
 * answer depends on nothing that writes change. */
struct batches_way {
    batch_function *run;
    size_t work_bytes; /* work space per item that finds ask for, at most */
};
struct batches_way batches_way_of(const struct engine_table *table, enum engine_call call, uint64_t n);

/* Appends the items of a batch whose flag (batch->found) is `flag` to arrays; values NULL: only
 * keys.  They are unordered.  word: a place for their number *n.  All lie on the GPU of b, or (b
 * NULL) in host memory. */
roost_status batches_select_items(struct backend *b, const struct batch *batch, uint8_t flag, void *keys, void *values,
                                  uint64_t *word, uint64_t *n);

/* Exports as struct engine's export_pairs, in the order of ranks (struct engine_ranking).  What it
 * keeps for the next call is released by batches_export_forget, which a call that writes begins
 * with. */
roost_status batches_export_in_order(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                     size_t *n);
void batches_export_forget(struct engine_table *table);
/* The same in the order of dense numbers. */
roost_status batches_export_by_number(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                      size_t *n);

/* Dense numbers of keys (roost/numbers.h) into batch->values_out; by_first: of new keys in the
 * order of their first items.  Refused items get the number with all bits set. */
roost_status batches_number(struct engine_table *table, const struct batch *batch);
roost_status batches_number_by_first(struct engine_table *table, const struct batch *batch);
#if ROOST_PROBES
/* For tests: numbers that a table has, at most. */
extern uint64_t batches_numbers_most;
#endif

/* Of an exchange: batch->found from the statuses, which are in batch->operations. */
roost_status batches_met_of(struct engine_table *table, const struct batch *batch);

/* Inserts with mode ADD and no values: each item adds 1. */
roost_status batches_add_one(struct engine_table *table, const struct batch *batch);

/* Operations on strings.  Strings that the table's machine does not reach (batch->strings_away)
 * are copied there piece by piece.
 * Returns: ROOST_ERR_ARGUMENT, and nothing was done: offsets fall, or a string is too long.
 * Finds and erases whose strings are all in place on a device do not check this. */
roost_status batches_strings_insert(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_find(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_erase(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_number(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_number_by_first(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_add_one(struct engine_table *table, const struct batch *batch);

#endif
