/* Keys that collide, foreseen by a sample of a batch, before they have cost anything. */
#ifndef ROOST_ENGINES_CROWD_H
#define ROOST_ENGINES_CROWD_H

#include "engines/table.h"

/* Do the batch's keys share homes as random ones do with a probability below 2^-40?  Keys are
 * looked at where somebody may have chosen them by the table's seed: those of a large batch; on the
 * host those of small ones together.  Waits.  False where memory for the sample is refused. */
roost_status crowd_look(struct engine_table *t, const struct batch *batch, bool *crowded);

/* Are there keys in a mixed batch that many of its items erase and insert by turns?  Mixed with
 * each other these would leave an erased slot behind for each turn, in the way of the next ones.
 * By a sample of a large batch, which a call that may be asynchronous does without.  False where
 * memory for the sample is refused. */
roost_status crowd_churns(struct engine_table *t, const struct batch *batch, bool *churns);

/* Are there keys of which a large batch has many copies, one in some hundred items?  By the sample
 * that the call took of it, or a smaller one.  False where memory for the sample is refused. */
roost_status crowd_repeats(struct engine_table *t, const struct batch *batch, bool *repeats);

/* Forgets the keys of small batches. */
void crowd_forget(struct engine_table *t);

#endif
