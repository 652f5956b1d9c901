/* Keys that collide, foreseen by a sample of a batch, before they have cost anything. */
#ifndef ROOST_ENGINES_CROWD_H
#define ROOST_ENGINES_CROWD_H

#include "engines/table.h"

/* Do the batch's keys share homes as random ones do with a probability below 2^-40?  Looked at are
 * words of 4 and 8 bytes, in large batches, where somebody may have chosen them by the table's
 * seed.  Waits.  False where memory for the sample is refused. */
roost_status crowd_look(struct engine_table *t, const struct batch *batch, bool *crowded);

/* The number k so that k or more of n random keys have a home with another one of them with a
 * probability below 2^-41, if there are this many homes. */
uint64_t crowd_least(uint64_t n, uint64_t homes);

#endif
