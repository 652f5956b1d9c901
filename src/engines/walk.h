/* The walk of a check over a whole table: copies of its memory on the host, and what the checks of
 * several engines verify. */
#ifndef ROOST_ENGINES_WALK_H
#define ROOST_ENGINES_WALK_H

#include "engines/table.h"

struct copy;

/* Copies in host memory.  Begin with {table}; end with copies_free. */
struct copies {
    const struct engine_table *table;
    struct copy *newest;
    roost_status status; /* of the first copy that failed; no copy is made after it */
};

/* Zeroed memory for a copy, aligned to 16 bytes.  NULL: refused. */
void *copy_room(struct copies *c, size_t bytes);
/* A copy of a table's memory.  NULL after a failure to make room. */
void *copy_of(struct copies *c, const void *from, size_t bytes);
void copies_free(struct copies *c);

/* How often a key is stored in a copy of a bucket, other than the vacant key's own one. */
int bucket_occurrences(const struct shape s, unsigned char *bucket, roost_key key);

/* Invariant F: a table that may grow, and was not refused memory, is within its bounds.  above:
 * what is above its bound, or NULL; below: would the table shrink? */
roost_status check_bounds(const struct engine_table *t, const char *above, bool below);

#endif
