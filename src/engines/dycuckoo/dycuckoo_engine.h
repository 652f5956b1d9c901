/* What the registry includes of DyCuckoo. */
#ifndef ROOST_DYCUCKOO_ENGINE_H
#define ROOST_DYCUCKOO_ENGINE_H

struct engine;
extern const struct engine dycuckoo_engine;

#endif
