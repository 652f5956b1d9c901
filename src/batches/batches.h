/* What the library does to a batch before an engine sees it: it splits a mixed batch into phases,
 * puts operations on one key into order, and brings a batch into the order of a table's parts.  All
 * work on pieces of the batch, as large as memory allows, and wait. */
#ifndef ROOST_BATCHES_H
#define ROOST_BATCHES_H

#include "engines/engine.h"

enum { BATCHES_BYTES = 128 /* of work space an item, at most */ };

/* A mixed batch as batches of one operation each: the erases, then the inserts by mode, then the finds.  ROOST_ERR_UNSUPPORTED on a stream
 * that is captured. */
roost_status batches_in_phases(struct engine_table *table, const struct batch *batch);

/* A mixed batch (or an insert: operations NULL) whose operations on one key take effect in the order of the array.  Errors as above. */
roost_status batches_in_order(struct engine_table *table, const struct batch *batch);

/* How a call of one operation with n keys goes to the engine: unordered, by its own function; or,
 * if the table may ask for an order (struct batch_order), by one that brings the items into it,
 * runs the engine's function on them, and brings the results back.  It stays unordered where the
 * order does not pay, where memory is refused, and on a stream that is captured.  The answer
 * depends on nothing that writes change. */
struct batches_way {
    batch_function *run;
    size_t work_bytes; /* of work space an item that finds ask for, at most */
};
struct batches_way batches_way_of(const struct engine_table *table, enum engine_call call, uint64_t n);

/* Operations on strings, which need not be where the table's machine reaches them (batch->strings_away): they are brought there piece by piece.
 * ROOST_ERR_ARGUMENT, and nothing has been done: offsets that fall, or a string that is too long; finds and erases of strings that are in place on
 * a device are not looked at so. */
roost_status batches_strings_insert(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_find(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_erase(struct engine_table *table, const struct batch *batch);

#endif
