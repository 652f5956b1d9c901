/* The engines of this build: CMake lists their folders in engine_list.h, the default one first. */
#include "api/registry.h"

#include <pthread.h>
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

/* ---- Texts ----------------------------------------------------------------------------------- */

static struct engine_text texts[sizeof engines / sizeof engines[0]];

static void texts_make(void)
{
    for (size_t i = 0; registry_at(i); i++) {
        options_help(engines[i], texts[i].help, sizeof texts[i].help);
        options_tuned(engines[i], texts[i].tuned, sizeof texts[i].tuned);
    }
}

const struct engine_text *registry_text(const struct engine *engine)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t i = 0;
    (void)pthread_once(&once, texts_make);
    while (engines[i] != engine) i++;
    return &texts[i];
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
