/* Stadium hashing's declaration for the registry. */
#ifndef ROOST_STADIUM_ENGINE_H
#define ROOST_STADIUM_ENGINE_H

struct engine;
extern const struct engine stadium_engine;

#endif
