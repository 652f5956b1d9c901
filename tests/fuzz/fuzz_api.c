/* Fuzzes the API: the bytes of an input decide a table's configuration, and the calls on it
 * (api/api_life.h). */
#include "fuzz/api/api_life.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct api_limits limits = {.keys = 3000, .batch = 2000, .bytes = 1 << 17, .steps = 64};
    struct api_choices choices = {.by_bytes = true, .bytes = data, .left = size};
    struct api_totals totals = {0};
    report_begin(false);
    life_run(&choices, &limits, &totals, NULL);
    return 0;
}
