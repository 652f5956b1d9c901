/* Looks into a table with the library's own structs. */
#include "support/inside.h"

#include "api/table.h"

uint64_t inside_waits(const roost_table *table) { return table->backend->waits; }

void inside_limit_memory(roost_table *table, uint64_t bytes) { table->backend->memory_limit = bytes; }

void inside_capture(roost_table *table, bool captures) { table->backend->capturing = captures; }
