/* Seeds against kernels on the scheduled machine. */
#include "support/plants.h"

#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const char *memory_name(bool weak) { return weak ? "weak" : "strong"; }

int plants_found_by(plants_explore *explore, const char *name, const void *kernels, bool weak)
{
    int found = 0, first = -1, combination;
    for (int i = 0; i < PLANT_SEEDS; i++) {
        const uint64_t seed = settings_get()->seed + (uint64_t)i;
        const char *report = explore(kernels, seed, weak, &combination);
        if (!report || found++) continue;
        first = i;
        printf("%s, seed %" PRIu64 ", combination %d: %.600s\n", name, seed, combination, report);
    }
    printf("%s, %s memory: found by %d of %d seeds, first by number %d\n", name, memory_name(weak), found, PLANT_SEEDS, first);
    return found;
}

static void assert_none(plants_explore *explore, const void *kernels, uint64_t seed, bool weak)
{
    int combination;
    const char *report = explore(kernels, seed, weak, &combination);
    if (report) print_error("seed %" PRIu64 ", %s memory, combination %d: %s\n", seed, memory_name(weak), combination, report);
    assert_null(report);
}

void plants_assert_none(plants_explore *explore, const void *kernels, uint64_t seeds)
{
    for (uint64_t i = 0; i < seeds; i++) {
        assert_none(explore, kernels, settings_get()->seed + i, false);
        assert_none(explore, kernels, settings_get()->seed + i, true);
    }
}
