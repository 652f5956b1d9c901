/* Watches on a table, for what is read from it in several steps: was the table destroyed in
 * between, and did a call write to it? */
#ifndef ROOST_API_WATCH_H
#define ROOST_API_WATCH_H

#include "api/table.h"

struct table_watch {
    struct roost_table *table; /* NULL: it was destroyed */
    uint64_t writes;           /* of the table and its shards when the watch began */
    struct table_watch *next;
};

/* Begins and ends a watch.  Different watches may do so at the same time. */
void watch_begin(struct table_watch *w, struct roost_table *t);
void watch_end(struct table_watch *w);

/* Has a call written since the watch began?  The table is there. */
bool watch_saw_write(const struct table_watch *w);

/* The table is destroyed: ends all watches on it. */
void watches_end(struct roost_table *t);

#endif
