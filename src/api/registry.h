/* The engines that this build has. */
#ifndef ROOST_API_REGISTRY_H
#define ROOST_API_REGISTRY_H

#include "engines/engine.h"

/* Engine `index`, from 0; NULL past the last. */
const struct engine *registry_at(size_t index);

/* An engine's options as text, made once: their help, and what is worth tuning. */
struct engine_text {
    char help[6144], tuned[1024];
};
const struct engine_text *registry_text(const struct engine *engine);

/* The names of the engines that can do something, into text; "no engine of this build" where there is none. */
void registry_able(bool (*able)(const struct engine *engine), char *text, size_t size);

/* The engine of this name, the default one for NULL, or NULL. */
const struct engine *registry_find(const char *name);

#endif
