/* What the registry includes of GPH. */
#ifndef ROOST_GPH_ENGINE_H
#define ROOST_GPH_ENGINE_H

struct engine;
extern const struct engine gph_engine;

#endif
