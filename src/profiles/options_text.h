/* Options strings beside the engine's own reading of them: what is the library's in one, and which options of two hold. */
#ifndef ROOST_PROFILES_OPTIONS_TEXT_H
#define ROOST_PROFILES_OPTIONS_TEXT_H

#include "engines/engine.h"
#include "roost/tuning.h"

/* Copies the options without those of the library's own into `engines`, which has as much room.  *profiled: profile=auto, the default, and
 * not profile=none. */
roost_status options_take(const char *options, char *engines, bool *profiled, struct error *error);

/* The choice that a name of `length` bytes is, by its place in engine->choices, or -1. */
int options_choice(const struct engine *engine, const char *name, size_t length);

/* The options of a profile that the configuration's (NULL: none) leave in force, and those. */
void options_join(const struct engine *engine, const char *profile, const char *options, char text[ROOST_DESCRIPTION_BYTES]);

#endif
