/* What chance never does: the bounds by which tables see that keys collide. */
#include "engines/chance.h"
#include "support/draw.h"
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of n keys with random homes, those that meet one before them. */
static uint64_t met_by_chance(struct dice *dice, uint64_t n, uint64_t homes, uint8_t *taken)
{
    uint64_t met = 0;
    memset(taken, 0, homes);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t home = draw_below(dice, homes);
        met += taken[home];
        taken[home] = 1;
    }
    return met;
}

/* The bound is above what any of 2000 samples shows, and at most twelve deviations and twelve keys
 * above the mean. */
static void chance_stays_below(const struct variant *variant)
{
    static const uint64_t sizes[] = {190, 512, 4096};
    struct dice dice = {suite_seed()};
    (void)variant;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (uint64_t homes = 64; homes <= 1 << 20; homes *= 4) {
            const uint64_t n = sizes[s];
            const double mean = (double)(n * n) / (2 * (double)homes), never = chance_never_met((double)n, (double)homes, 1);
            uint8_t *taken = (uint8_t *)malloc(homes);
            uint64_t most = 0;
            suite_step("%llu keys, %llu homes", (unsigned long long)n, (unsigned long long)homes);
            require(taken != NULL, "no memory");
            for (uint64_t round = 0; round < (homes > 1 << 16 ? 50 : 2000); round++) {
                const uint64_t met = met_by_chance(&dice, n, homes, taken);
                if (met > most) most = met;
            }
            require((double)most < never, "%llu keys met another one, and the bound is %.0f", (unsigned long long)most, never);
            require(never <= mean + 12 * sqrt(mean) + 12, "%.0f keys, and %.1f are expected", never, mean);
            free(taken);
        }
    }
}

/* Against sums of the Poisson distribution, which is the worst one of a mean. */
static void bounds_hold_for_poisson(const struct variant *variant)
{
    (void)variant;
    for (double mean = 1e-9; mean < 1000; mean *= 3) {
        const double never = chance_never(mean, 1), cases = chance_never(mean, 1e6);
        double term = exp(-mean), tail = 0;
        suite_step("mean %g", mean);
        for (double k = 1; k < never + 200; k++) {
            term *= mean / k;
            if (k >= never) tail += term;
        }
        require(tail < ldexp(1, -40), "%.0f or more have a probability of %g", never, tail);
        require(cases > never || mean < 1e-6, "%.0f for one case, %.0f for a million", never, cases);
    }
    require(chance_never(0, 1) == 1, "what never happens once");
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("chance stays below the bound", chance_stays_below);
    suite_add_once("bounds hold for Poisson distributions", bounds_hold_for_poisson);
    return suite_run("chance");
}
