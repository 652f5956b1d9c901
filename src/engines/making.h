/* The memory of a table of any engine: made from its configuration, and freed. */
#ifndef ROOST_ENGINES_MAKING_H
#define ROOST_ENGINES_MAKING_H

#include "engines/table.h"

/* Makes an empty table with room for floor_keys of one that is configured.  After a failure its
 * memory is freed. */
roost_status table_make(struct engine_table *t);

/* Frees all memory of a table but its description. */
void table_unmake(struct engine_table *t);

/* Keeps a copy of a configured table, from which reseed.c makes others like it; and frees it. */
roost_status table_keep_origin(struct engine_table *t);
void table_drop_origin(struct engine_table *t);

#endif
