/* Keys that collide, foreseen by a sample of a batch, before they have cost anything. */
#ifndef ROOST_ENGINES_CROWD_H
#define ROOST_ENGINES_CROWD_H

#include "engines/table.h"

/* Do the batch's keys share homes as random ones do with a probability below 2^-40?  Keys are
 * looked at where somebody may have chosen them by the table's seed: those of a large batch; on the
 * host those of small ones together.  Waits.  False where memory for the sample is refused. */
roost_status crowd_look(struct engine_table *t, const struct batch *batch, bool *crowded);

/* Forgets the keys of small batches. */
void crowd_forget(struct engine_table *t);

#endif
