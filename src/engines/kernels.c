/* An engine's kernels for one machine, as its policy finds them. */
#include "engines/kernels.h"

const struct kernel *kernels_find(struct kernels set, int operation, int shape, int driver, int lanes)
{
    for (size_t i = 0; i < set.count; i++) {
        const struct kernel *k = &set.kernel[i];
        if (k->operation == operation && k->shape == shape && (driver < 0 || k->driver == driver) && (!lanes || k->tile == lanes))
            return k;
    }
    return NULL;
}

bool kernels_choose(struct kernels set, int operation, int shape, int driver, int lanes, const struct kernel **k)
{
    const struct kernel *asked = kernels_find(set, operation, shape, driver, lanes);
    *k = asked ? asked : kernels_find(set, operation, shape, -1, 0);
    return asked != NULL;
}

roost_status kernels_prepare(struct backend *b, const struct kernel *const *kernels, size_t n)
{
    roost_status status = ROOST_OK;
    for (size_t i = 0; !status && i < n; i++) status = b->operations->prepare(b, kernels[i]);
    return status;
}
