/* What the calls on a table share: checks of their arguments, and how each of them ends. */
#ifndef ROOST_API_CHECKS_H
#define ROOST_API_CHECKS_H

#include "api/table.h"

/* Every call writes its error where roost_last_error looks for it: with the table, and in the thread. */
roost_status call_finish(const struct roost_table *table, roost_status status);
roost_status call_without_table(const char *function);

/* The call's options, *call being the defaults where it is NULL; `flags`: those that it may have. */
roost_status check_call(struct roost_table *t, const roost_call **call, uint32_t flags);
roost_status check_array(struct roost_table *t, const char *name, const void *array, size_t n, int bytes);
/* An array that must not be NULL if there are items. */
roost_status check_given(struct roost_table *t, const char *name, const void *array, size_t n, int bytes);

/* Does the engine have `operation`?  If not, the error names those that do. */
roost_status check_able(struct roost_table *t, const char *operation, bool (*able)(const struct engine *engine));

/* Does the table take inserts of this mode?  And the operations that a batch on it may have, a bit each. */
bool mode_is_taken(const struct roost_table *t, roost_mode mode);
uint16_t operations_taken(const struct roost_table *t, bool inserts);

/* A batch of keys, without the other arrays. */
struct batch batch_of(const struct roost_table *t, const void *keys, size_t n, const roost_call *call);

#endif
