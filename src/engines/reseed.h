/* Tables rebuilt under other seeds, because their keys collide. */
#ifndef ROOST_ENGINES_RESEED_H
#define ROOST_ENGINES_RESEED_H

#include "engines/table.h"

/* Rebuilds the table under a secret seed, with room for this many keys.  Its calls in flight have
 * ended, and their counts are known.  Items that wait stay in the table's lists.
 * Returns, with the table as it was: ROOST_ERR_MEMORY: memory for a copy was refused;
 * ROOST_ERR_FULL: the pairs found no room under several seeds. */
roost_status table_reseed(struct engine_table *t, uint64_t keys);

#endif
