/* What the engines' policies share, whatever their tables look like. */
#ifndef ROOST_ENGINES_POLICY_H
#define ROOST_ENGINES_POLICY_H

#include "engines/engine.h"

/* Sets one option of an engine's; false if the value is none of its values.  *known: whether there is such an option. */
typedef bool policy_option_set(void *options, const char *name, const char *value, bool *known);

/* Reads an options string (portable/options.h) into `options`, which holds the defaults. */
roost_status policy_options(const char *engine, const char *text, policy_option_set *set, void *options, struct error *error);

/* Refuses a call that writes on a stream that is captured: such a table may have to grow. */
roost_status policy_no_capture(struct error *error);

/* How a sync ends: what calls that did not wait have failed to store, `failed` since the last sync. */
roost_status policy_failures(uint64_t *failed, bool growth, uint64_t *items_failed, struct error *error);

/* What the kernels counted between two looks at their counters, which only rise, so that none has to be waited for before they are reset;
 * those that are a largest number stay as they are now. */
void counters_since(const struct counters *now, const struct counters *before, struct counters *since);

#endif
