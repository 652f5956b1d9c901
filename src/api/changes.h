/* The log of a table's changes (ROOST_CHANGES): the keys that were written since the table was
 * saved, as a set of the same backend, so that its memory counts in the table's limit and its work
 * is in the order of the table's calls.  It may have keys whose pairs did not change after all. */
#ifndef ROOST_API_CHANGES_H
#define ROOST_API_CHANGES_H

#include "api/table.h"

/* Was the table made with ROOST_CHANGES? */
bool changes_asked(const struct roost_table *t);

/* Prepares the log of a new table. */
roost_status changes_make(struct roost_table *t);
void changes_release(struct roost_table *t);

/* Begins an empty log: the table is as it was saved. */
void changes_begin(struct roost_table *t);

/* Gives the log up, and frees its memory.  why: for the caller, a text that lives on. */
void changes_lose(struct roost_table *t, const char *why);

/* Why the next save must be of the whole table; NULL: the log has all changes.  Waits. */
const char *changes_lost(struct roost_table *t);

/* Are keys to be logged before they are written? */
bool changes_wanted(const struct roost_table *t);

/* Adds the keys of a batch, which the table's machine reaches, to a log: a batch_function. */
roost_status changes_note(struct engine_table *log, const struct batch *batch);

/* May the log take n more keys?  Gives it up if not.  Called before and after they are added. */
bool changes_fit(struct roost_table *t, uint64_t n);

#endif
