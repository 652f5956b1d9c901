/* What the engines' policies share, whatever their tables look like. */
#ifndef ROOST_ENGINES_POLICY_H
#define ROOST_ENGINES_POLICY_H

#include "engines/engine.h"
#include "portable/hash.h"

/* Sets one option of an engine's; false if the value is none of its values.  *known: whether there is such an option. */
typedef bool policy_option_set(void *options, const char *name, const char *value, bool *known);

/* Reads an options string (portable/options.h) into `options`, which holds the defaults. */
roost_status policy_options(const char *engine, const char *text, policy_option_set *set, void *options, struct error *error);

/* The options `driver`, one of those that the engine knows, and `tile`: -1 and 0 stand for auto.  Whether there is such a kernel is known
 * later. */
bool policy_driver(const char *value, const char *known, int *driver);
bool policy_tile(const char *value, int *lanes);

/* Refuses a driver or tile that no kernel of a table's has. */
roost_status policy_no_kernel(struct error *error);

/* Draws the seeds of a table's hash functions; the universal family is of keys of 4 bytes. */
roost_status policy_seeds(struct hash_seeds *seeds, bool universal, const struct engine_config *config, struct error *error);

/* Refuses a call that writes on a stream that is captured: such a table may have to grow. */
roost_status policy_no_capture(struct error *error);

#endif
