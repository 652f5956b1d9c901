/* Looks into a table of any engine, past the library's calls. */
#ifndef ROOST_TESTS_INSIDE_H
#define ROOST_TESTS_INSIDE_H

#include <roost/roost.h>
#include <stdbool.h>

/* The statistic host_waits, read without a call to the library. */
uint64_t inside_waits(const roost_table *table);

/* Sets a table's memory limit, whether it has one or not. */
void inside_limit_memory(roost_table *table, uint64_t bytes);

/* Later calls on a table of the host find its stream captured into a graph, or not any more. */
void inside_capture(roost_table *table, bool captures);

#endif
