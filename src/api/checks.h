/* What the calls on a table share: checks of their arguments, and how each of them ends. */
#ifndef ROOST_API_CHECKS_H
#define ROOST_API_CHECKS_H

#include "api/structs.h"
#include "api/table.h"

/* Every call writes its error where roost_last_error looks for it: with the table, and in the thread. */
roost_status call_finish(const struct roost_table *table, roost_status status);
roost_status call_without_table(const char *function);

/* Copies the call's options, the defaults where *call is NULL, to *own, and makes *call point there.  flags: those that it may have. */
roost_status call_read(struct roost_table *t, const roost_call **call, uint32_t flags, roost_call *own);
roost_status check_array(struct roost_table *t, const char *name, const void *array, size_t n, int bytes);
/* An array that must not be NULL if there are items. */
roost_status check_given(struct roost_table *t, const char *name, const void *array, size_t n, int bytes);
/* The same of a call's keys, which are no strings. */
roost_status check_keys(struct roost_table *t, const void *keys, size_t n);
/* UNSUPPORTED but for tables whose keys and values have 4 or 8 bytes (values: or none). */
roost_status check_words(struct roost_table *t, const char *what);

/* Does the engine have `operation`?  If not, the error names those that do. */
roost_status check_able(struct roost_table *t, const char *operation, bool (*able)(const struct engine *engine));

/* Does an insert have a mode that the table takes?  Are an export's arguments right, but for its keys? */
roost_status check_mode(struct roost_table *t, roost_mode mode);
roost_status check_export(struct roost_table *t, const roost_cursor *cursor, const void *values, size_t room, const size_t *n,
                          const roost_call *call);

/* Does the table take inserts of this mode?  And the operations that a batch on it may have, a bit each. */
bool mode_is_taken(const struct roost_table *t, roost_mode mode);
uint16_t operations_taken(const struct roost_table *t, bool inserts);

/* A batch of keys, without the other arrays. */
struct batch batch_of(const struct roost_table *t, const void *keys, size_t n, const roost_call *call);

#endif
