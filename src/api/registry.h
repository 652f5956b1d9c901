/* The engines of this build. */
#ifndef ROOST_API_REGISTRY_H
#define ROOST_API_REGISTRY_H

#include "engines/engine.h"

/* Engine `index`, from 0; NULL past the last. */
const struct engine *registry_at(size_t index);

/* An engine's options as text, made once: `help`, and `tuned`, those worth tuning. */
struct engine_text {
    char help[6144], tuned[1024];
};
const struct engine_text *registry_text(const struct engine *engine);

/* Writes the names of the engines for which able() holds; "no engine of this build" without any. */
void registry_able(bool (*able)(const struct engine *engine), char *text, size_t size);

/* The engine of this name (NULL: the default one), or NULL. */
const struct engine *registry_find(const char *name);

#endif
