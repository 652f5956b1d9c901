/* What a table contains: its pairs, counted or exported a cursor's step at a time. */
#ifndef ROOST_ENGINES_CONTENTS_H
#define ROOST_ENGINES_CONTENTS_H

#include "engines/table.h"

/* The number of pairs that kernels of exports have appended or counted, in the table's words: sets
 * it to 0; waits and reads it. */
roost_status pairs_clear(const struct engine_table *t);
roost_status pairs_read(const struct engine_table *t, uint64_t *n);

/* How an engine exports.  A position is the number of a unit: a bucket, a line, a slab, a run of
 * slots. */
struct exporter {
    /* The end of the units from a position on that one launch can export; not above *position if
     * there are no more.  Moves *position over units without memory. */
    uint64_t (*end)(const struct engine_table *t, uint64_t *position);
    /* Appends the pairs of n units to arrays on the device. */
    roost_status (*launch)(struct engine_table *t, uint64_t position, uint64_t n, void *keys, void *values);
};

/* Exports as many whole units as are guaranteed to fit, until none does; a unit has at most `slots`
 * pairs. */
roost_status export_units(struct engine_table *t, const struct exporter *e, uint64_t slots, roost_cursor *cursor, void *keys,
                          void *values, size_t room, size_t *n);

#endif
