/* Checks of arguments, and the common end of calls on a table. */
#ifndef ROOST_API_CHECKS_H
#define ROOST_API_CHECKS_H

#include "api/structs.h"
#include "api/table.h"

/* Every call stores its error for roost_last_error: in the table and in the thread. */
roost_status call_finish(const struct roost_table *table, roost_status status);
roost_status call_without_table(const char *function);

/* Copies the options of **call, or the defaults if *call is NULL or refused, to *own, and points
 * *call to *own.  flags: those that this call allows. */
roost_status call_read(struct roost_table *t, const roost_call **call, uint32_t flags, roost_call *own);
roost_status check_array(struct roost_table *t, const char *name, const void *array, size_t n, int bytes);
/* As check_array.  The array must not be NULL if there are items. */
roost_status check_given(struct roost_table *t, const char *name, const void *array, size_t n, int bytes);
/* The same for keys.  Refuses tables whose keys are strings. */
roost_status check_keys(struct roost_table *t, const void *keys, size_t n);
/* UNSUPPORTED unless keys have 4 or 8 bytes, and values 4, 8 or none. */
roost_status check_words(struct roost_table *t, const char *what);

/* Is `operation` one of the engine's?  The error names the engines that have it. */
roost_status check_able(struct roost_table *t, const char *operation, bool (*able)(const struct engine *engine));

/* Was the table made with ROOST_NUMBERED? */
roost_status check_numbered(struct roost_table *t);

/* Do the engine's tables order keys (roost_hash_order)? */
roost_status check_hash_order(struct roost_table *t);

/* Are the values of an insert right?  Without them ADD adds 1. */
roost_status check_values(struct roost_table *t, roost_mode mode, const void *values, size_t n, const roost_call *call);

/* check_mode: does the table take inserts of this mode? check_export: are the arguments of an
 * export, except its keys, right? */
roost_status check_mode(struct roost_table *t, roost_mode mode);
roost_status check_export(struct roost_table *t, const roost_cursor *cursor, const void *values, size_t room, const size_t *n,
                          const roost_call *call);

/* mode_is_taken: does the table take inserts of this mode? operations_taken: one bit per
 * operation that a batch on the table may have. */
bool mode_is_taken(const struct roost_table *t, roost_mode mode);
uint16_t operations_taken(const struct roost_table *t, bool inserts);

/* A batch with keys and statuses only. */
struct batch batch_of(const struct roost_table *t, const void *keys, size_t n, const roost_call *call);

#endif
