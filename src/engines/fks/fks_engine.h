/* What the registry includes of HH Hash. */
#ifndef ROOST_FKS_ENGINE_H
#define ROOST_FKS_ENGINE_H

struct engine;
extern const struct engine fks_engine;

#endif
