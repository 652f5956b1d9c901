/* What the registry includes of SlabHash. */
#ifndef ROOST_SLAB_ENGINE_H
#define ROOST_SLAB_ENGINE_H

struct engine;
extern const struct engine slab_engine;

#endif
