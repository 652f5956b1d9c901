/* Mixed batches against the exact reference: drawn, applied, and compared item by item. */
#ifndef ROOST_TESTS_MIXES_H
#define ROOST_TESTS_MIXES_H

#include "support/draw.h"
#include "support/model.h"

struct mixed mixed_make(size_t n);
void mixed_free(struct mixed *mixed);

/* Any operation that a table of this shape takes. */
uint8_t draw_operation(struct dice *dice, const struct test_shape *shape);

/* n items, of keys among the first `among` of distinct_key; `once`: no key twice, for which `among` is a
 * power of two. */
void mixed_draw(struct mixed *mixed, struct dice *dice, const struct test_shape *shape, size_t n, uint64_t among, bool once);

/* What one operation does to the model's reference: the item's status, and a find's value. */
uint8_t mixed_step(struct model *model, uint8_t operation, uint64_t key, uint64_t operand, uint64_t *value);

/* Applies the batch to both; the reference carries the items out one after the other, and every result must be the same.  That is so
 * with ROOST_ORDERED, and for keys that come once. */
void model_apply(struct model *model, struct mixed *mixed, uint32_t flags);

/* The batch was carried out in the order of the array, by what its items say of themselves. */
void mixed_check(struct model *model, const struct mixed *mixed);

/* So many mixed batches of up to `most` items, the first ones of none to two, against the reference, which is compared with the table at the end. */
void mixed_rounds(struct model *model, size_t rounds, size_t most, uint64_t among);

#endif
