/* compact's declaration for the registry. */
#ifndef ROOST_COMPACT_ENGINE_H
#define ROOST_COMPACT_ENGINE_H

struct engine;
extern const struct engine compact_engine;

#endif
