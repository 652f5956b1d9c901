/* SlabHash's declaration for the registry. */
#ifndef ROOST_SLAB_ENGINE_H
#define ROOST_SLAB_ENGINE_H

struct engine;
extern const struct engine slab_engine;

#endif
