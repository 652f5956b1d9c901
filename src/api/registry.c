/* The engines that this build has: adding one is a line here. */
#include "api/registry.h"

#include <string.h>

#include "engines/dycuckoo/dycuckoo_engine.h"

static const struct engine *const engines[] = {
    &dycuckoo_engine,
};

const struct engine *registry_at(size_t index) { return index < sizeof engines / sizeof engines[0] ? engines[index] : NULL; }

const struct engine *registry_find(const char *name)
{
    if (!name) return engines[0];
    for (size_t i = 0; registry_at(i); i++)
        if (!strcmp(engines[i]->name, name)) return engines[i];
    return NULL;
}
