/* What the registry includes of Stadium hashing. */
#ifndef ROOST_STADIUM_ENGINE_H
#define ROOST_STADIUM_ENGINE_H

struct engine;
extern const struct engine stadium_engine;

#endif
