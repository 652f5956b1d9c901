/* Keys that crowd a DyCuckoo table: they share two of its subtables at every size, so that inserts find no room while the table as a
 * whole is far from full. */
#ifndef ROOST_TESTS_CROWD_H
#define ROOST_TESTS_CROWD_H

#include <roost/roost.h>
#include <stdbool.h>

/* Does the key live in the first two subtables of this table? */
bool crowd_has(const roost_table *table, uint64_t key);

/* What the statistics call host_waits, without asking the table for them. */
uint64_t crowd_waits(const roost_table *table);

/* A memory limit for a table that was made without one, or another one. */
void crowd_limit_memory(roost_table *table, uint64_t bytes);

#endif
