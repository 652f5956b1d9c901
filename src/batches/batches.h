/* What the library does to a batch before an engine sees it, where the engine cannot do what the call asks for: it splits a mixed batch
 * into phases, puts operations on one key into order, and brings lookups into the order of a table's parts or regions.  All work on pieces of the batch, as large as memory allows, and wait. */
#ifndef ROOST_BATCHES_H
#define ROOST_BATCHES_H

#include "engines/engine.h"

enum { BATCHES_BYTES = 128 /* of work space an item, at most */ };

/* A mixed batch as batches of one operation each: the erases, then the inserts by mode, then the finds.  ROOST_ERR_UNSUPPORTED on a stream
 * that is captured. */
roost_status batches_in_phases(struct engine_table *table, const struct batch *batch);

/* A mixed batch (or an insert: operations NULL) whose operations on one key take effect in the order of the array.  Errors as above. */
roost_status batches_in_order(struct engine_table *table, const struct batch *batch);

/* Finds of a table that routes them: in the order of the table's parts, each of which fits fast memory.  Where there is one part, no memory,
 * or a stream that is captured, as they come. */
roost_status batches_routed(struct engine_table *table, const struct batch *batch);

/* Finds of a table whose pairs are far: the table answers what it can from what is near, and looks for the other items' pairs region by region, each
 * of which its machine reaches fast.  Where there is one region, no memory, or a stream that is captured, as they come. */
roost_status batches_sifted(struct engine_table *table, const struct batch *batch);

/* Calls on a table that is larger than its machine reaches fast: partitioned by region, of which the table says how many (code_bits), worked on in
 * that order, and brought back by the partition run backwards.  With one region, without memory, or on a stream that is captured, as they come.
 * Whether a call with n keys may go so depends on nothing that writes change. */
bool batches_may_bulk(const struct engine_table *table, enum engine_call call, uint64_t n);
roost_status batches_bulk_find(struct engine_table *table, const struct batch *batch);
roost_status batches_bulk_insert(struct engine_table *table, const struct batch *batch);
roost_status batches_bulk_erase(struct engine_table *table, const struct batch *batch);

/* Operations on strings, which need not be where the table's machine reaches them (batch->strings_away): they are brought there piece by piece.
 * ROOST_ERR_ARGUMENT, and nothing has been done: offsets that fall, or a string that is too long; finds and erases of strings that are in place on
 * a device are not looked at so. */
roost_status batches_strings_insert(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_find(struct engine_table *table, const struct batch *batch);
roost_status batches_strings_erase(struct engine_table *table, const struct batch *batch);

#endif
