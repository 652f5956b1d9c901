/* Keys that crowd a DyCuckoo table: they share two of its subtables at every size. Inserts find
 * no room while the table as a whole is far from full. */
#ifndef ROOST_TESTS_CROWD_H
#define ROOST_TESTS_CROWD_H

#include <roost/roost.h>
#include <stdbool.h>

/* True if the key belongs to the first two subtables of this table. */
bool crowd_has(const roost_table *table, uint64_t key);

#endif
