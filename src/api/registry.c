/* The engines that this build has: CMake lists their rooms in engine_list.h, the default one first. */
#include "api/registry.h"

#include <stdio.h>
#include <string.h>

#include "engine_list.h"

#define ENGINE(name) &name##_engine,
static const struct engine *const engines[] = {ROOST_ENGINE_LIST(ENGINE)};
#undef ENGINE

const struct engine *registry_at(size_t index) { return index < sizeof engines / sizeof engines[0] ? engines[index] : NULL; }

const struct engine *registry_find(const char *name)
{
    if (!name) return engines[0];
    for (size_t i = 0; registry_at(i); i++)
        if (!strcmp(engines[i]->name, name) || (engines[i]->alias && !strcmp(engines[i]->alias, name))) return engines[i];
    return NULL;
}

void registry_able(bool (*able)(const struct engine *engine), char *text, size_t size)
{
    size_t length = 0;
    snprintf(text, size, "no engine of this build");
    for (size_t i = 0; registry_at(i); i++) {
        if (!able(engines[i]) || length >= size) continue;
        length += (size_t)snprintf(text + length, size - length, "%s%s", length ? ", " : "", engines[i]->name);
    }
}
