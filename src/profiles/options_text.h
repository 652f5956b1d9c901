/* Options strings outside the engine's own parser: the library's own options, and the options in
 * force of two strings. */
#ifndef ROOST_PROFILES_OPTIONS_TEXT_H
#define ROOST_PROFILES_OPTIONS_TEXT_H

#include "engines/engine.h"
#include "roost/tuning.h"

/* Checks the form of the options, and copies them, without the library's own, to `engines`, which
 * has as much room.
 * *profiled: true for profile=auto, the default; false for profile=none. */
roost_status options_take(const char *options, char *engines, bool *profiled, struct error *error);

/* The place in engine->choices of the choice with a name of `length` bytes, or -1. */
int options_choice(const struct engine *engine, const char *name, size_t length);

/* Writes the options in force: those of the profile that the configuration's options (NULL:
 * none) do not override, then the configuration's. */
void options_join(const struct engine *engine, const char *profile, const char *options, char text[ROOST_DESCRIPTION_BYTES]);

#endif
