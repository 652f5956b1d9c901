/* What chance does to random keys. */
#include "engines/chance.h"

#include <math.h>

/* -log of the probability. */
static double rarity(double cases) { return log(fmax(cases, 1)) - log(ldexp(1, -40)); }

/* P(k or more) < exp(-m) (e m / k)^k for a sum of independent trials of mean m, and k above m
 * (Chernoff). */
double chance_never(double mean, double cases)
{
    const double rare = rarity(cases);
    double k = floor(mean) + 1;
    while (mean > 0 && k * (log(k / mean) - 1) + mean < rare) k++;
    return k;
}

/* The lower of two bounds.  Key i meets one of the i keys before it with a probability of at most
 * i / homes, so chance_never bounds the sum.  The second bound is the lower one where homes are
 * few: a key changes the number of taken homes by at most one, so that number is t below its mean
 * with a probability below exp(-2 t^2 / n) (McDiarmid, "On the method of bounded differences",
 * 1989). */
double chance_never_met(double n, double homes, double cases)
{
    const double mean = n - homes * -expm1(n * log1p(-1 / homes));
    return fmin(chance_never(n * n / (2 * homes), cases), ceil(mean + sqrt(n * rarity(cases) / 2)) + 1);
}
