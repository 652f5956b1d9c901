/* An engine's kernels for one machine, as its policy finds them. */
#include "engines/kernels.h"

#include <string.h>

#include "portable/options.h"

const struct kernel *kernels_find(struct kernels set, int operation, int shape, int driver, int lanes)
{
    for (size_t i = 0; i < set.count; i++) {
        const struct kernel *k = &set.kernel[i];
        if (k->operation == operation && k->shape == shape && (driver < 0 || k->driver == driver) && (!lanes || k->tile == lanes))
            return k;
    }
    return NULL;
}

const struct kernel *kernels_default(struct kernels set, int operation, int shape)
{
    return kernels_find(set, operation, shape, -1, 0);
}

/* Distance of two widths: their quotient, because widths are powers of two. */
static int width_distance(int a, int b) { return a > b ? a / b : b / a; }

const struct kernel *kernels_nearest(struct kernels set, int operation, int shape, int driver, int lanes)
{
    const struct kernel *nearest = NULL;
    for (size_t i = 0; i < set.count; i++) {
        const struct kernel *k = &set.kernel[i];
        if (k->operation != operation || k->shape != shape || k->driver != driver) continue;
        if (!nearest || width_distance(k->tile, lanes) < width_distance(nearest->tile, lanes)) nearest = k;
    }
    return nearest ? nearest : kernels_default(set, operation, shape);
}

bool kernels_parse(const char *value, int *driver, int *lanes)
{
    char name[32];
    *driver = -1;
    *lanes = 0;
    if (!strcmp(value, "auto")) return true;
    const size_t length = strcspn(value, "0123456789");
    if (length >= sizeof name) return false;
    memcpy(name, value, length);
    name[length] = 0;
    *driver = option_choice(name, ROOST_DRIVER_NAMES);
    *lanes = option_number(value + length, 1, 32);
    return *driver >= 0 && *lanes > 0;
}

const char *kernels_value(const struct kernel *k) { return strrchr(k->name, '_') + 1; }

bool kernels_choose(struct kernels set, int operation, int shape, int driver, int lanes, const struct kernel **k)
{
    const struct kernel *asked = kernels_find(set, operation, shape, driver, lanes);
    *k = asked ? asked : kernels_default(set, operation, shape);
    return asked != NULL;
}

roost_status kernels_prepare(struct backend *b, const struct kernel *const *kernels, size_t n)
{
    roost_status status = ROOST_OK;
    for (size_t i = 0; !status && i < n; i++)
        if (kernels[i]) status = b->operations->prepare(b, kernels[i]);
    return status;
}
