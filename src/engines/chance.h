/* What chance does to random keys, and what it does not. */
#ifndef ROOST_ENGINES_CHANCE_H
#define ROOST_ENGINES_CHANCE_H

/* A count of independent trials, each of which succeeds rarely or not, has this mean.  Returns the
 * least number that any of `cases` such counts reaches with a probability below 2^-40. */
double chance_never(double mean, double cases);

/* The same of the keys, among n with random homes, that meet an earlier one in their home. */
double chance_never_met(double n, double homes, double cases);

#endif
