/* Homes that a sample's keys share: how many chance gives. */
#include "engines/crowd.h"
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
    static const uint64_t sizes[] = {256, 320, 512};
    struct dice dice = {suite_seed()};
    (void)variant;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (uint64_t homes = 1024; homes <= 1 << 20; homes *= 4) {
            const uint64_t n = sizes[s], least = crowd_least(n, homes);
            const double mean = (double)(n * n) / (2 * (double)homes);
            uint8_t *taken = (uint8_t *)malloc(homes);
            uint64_t most = 0;
            suite_step("%llu keys, %llu homes", (unsigned long long)n, (unsigned long long)homes);
            require(taken != NULL, "no memory");
            for (uint64_t round = 0; round < (homes > 1 << 16 ? 50 : 2000); round++) {
                const uint64_t met = met_by_chance(&dice, n, homes, taken);
                if (met > most) most = met;
            }
            require(most < least, "%llu keys met another one, and the bound is %llu", (unsigned long long)most,
                    (unsigned long long)least);
            require((double)least <= mean + 12 * sqrt(mean) + 12, "%llu keys, and %.1f are expected", (unsigned long long)least,
                    mean);
            free(taken);
        }
    }
}

/* Chances that can be added up: two keys, and keys that meet with certainty. */
static void bounds_of_simple_cases(const struct variant *variant)
{
    (void)variant;
    require(crowd_least(2, (uint64_t)1 << 60) == 1, "one pair of 2 keys meets with a chance of 2^-60");
    require(crowd_least(2, 1 << 20) > 1, "one pair of 2 keys meets with a chance of 2^-20");
    require(crowd_least(512, 256) > 512 - 256, "512 keys in 256 homes");
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("chance stays below the bound", chance_stays_below);
    suite_add_once("bounds of simple cases", bounds_of_simple_cases);
    return suite_run("crowd");
}
