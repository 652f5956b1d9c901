/* Random sequences of batches against the reference. */
#ifndef ROOST_TESTS_SEQUENCES_H
#define ROOST_TESTS_SEQUENCES_H

#include "support/draw.h"
#include "support/model.h"

/* Runs `steps` random batches of up to `most` items each: inserts in all modes that the table's
 * values allow, finds, erases, and sometimes a clear or a reservation. Keys come from ranges of
 * all sizes and of several structures. */
void sequence_run(struct model *model, struct dice *dice, size_t steps, size_t most);

/* The number of modes that a shape's values allow: all five, or the two that need no arithmetic. */
unsigned mode_count(const struct test_shape *shape);

/* One of them. */
roost_mode any_mode(const struct test_shape *shape, struct dice *dice);

const char *mode_name(roost_mode mode);

#endif
