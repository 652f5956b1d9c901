/* Linear counting: the size of the map for any number of items, and the bounds of the estimate. */
#include "engines/estimate.h"
#include "support/suite.h"

#include <math.h>

static void maps_of_any_size(const struct variant *variant)
{
    static const uint64_t items[] = {
        1, 4, 5, 1000, (1u << 28) - 1, 1u << 28, (1u << 28) + 1, 1u << 29, 1u << 30, UINT32_MAX, (uint64_t)1 << 32, UINT64_MAX};
    (void)variant;
    for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
        const uint64_t bits = linear_counting_bits(items[i]), most = (uint64_t)1 << 31;
        suite_step("%llu items", (unsigned long long)items[i]);
        require(bits % 32 == 0 && bits <= most, "%llu bits", (unsigned long long)bits);
        require(bits == most || bits / 8 >= items[i], "%llu bits", (unsigned long long)bits);
    }
}

/* As many bits as n distinct keys are expected to set. */
static void bounds_hold_the_number(const struct variant *variant)
{
    (void)variant;
    for (uint64_t n = 100; n <= (uint64_t)1 << 32; n *= 4) {
        const double bits = (double)linear_counting_bits(n), set = bits * (1 - exp(-(double)n / bits));
        const struct distinct_bounds bounds = linear_counting_bounds((uint32_t)bits, (uint64_t)set, n);
        suite_step("%llu keys", (unsigned long long)n);
        require(bounds.least <= (double)n && (double)n <= bounds.most + 1, "bounds %.0f and %.0f", bounds.least, bounds.most);
        require(bounds.least > 0.5 * (double)n, "least %.0f", bounds.least);
    }
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("maps of any size", maps_of_any_size);
    suite_add_once("bounds hold the number", bounds_hold_the_number);
    return suite_run("estimate");
}
