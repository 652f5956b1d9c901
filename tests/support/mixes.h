/* Mixed batches against the exact reference: drawn, applied, and compared item by item. */
#ifndef ROOST_TESTS_MIXES_H
#define ROOST_TESTS_MIXES_H

#include "support/draw.h"
#include "support/model.h"

struct mixed mixed_make(size_t n);
void mixed_free(struct mixed *mixed);

/* A random operation that a table of this shape supports. */
uint8_t draw_operation(struct dice *dice, const struct test_shape *shape);

/* Draws n items with keys among the first `among` of distinct_key. `once`: no key twice; `among`
 * must then be a power of two. */
void mixed_draw(struct mixed *mixed, struct dice *dice, const struct test_shape *shape, size_t n, uint64_t among, bool once);

/* Applies one operation to the model's reference; returns the item's status, and a find's value. */
uint8_t mixed_step(struct model *model, uint8_t operation, uint64_t key, uint64_t operand, uint64_t *value);

/* Applies the batch to the table and to the reference, which carries the items out one after the
 * other. Every result must be the same; so the batch needs ROOST_ORDERED, or distinct keys. */
void model_apply(struct model *model, struct mixed *mixed, uint32_t flags);

/* Checks by the items' results that the batch was carried out in the order of the array. */
void mixed_check(struct model *model, const struct mixed *mixed);

/* The same for a batch that ended with this status: of keys that were not stored before, all
 * inserts may have been refused; then their other items ended as if there were no such inserts.
 * Returns the number of refused items. */
size_t mixed_check_refused(struct model *model, const struct mixed *mixed, roost_status status);

/* As model_apply, for a batch during which room or memory may be refused.  Returns the number of
 * refused items. */
size_t model_apply_refused(struct model *model, struct mixed *mixed, uint32_t flags);

/* Applies `rounds` mixed batches of up to `most` items, the first ones of 0 to 2 items, against
 * the reference. Compares the table with the reference at the end. */
void mixed_rounds(struct model *model, size_t rounds, size_t most, uint64_t among);

#endif
