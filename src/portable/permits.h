/* Permits, in the dialect: how many keys the items of a pass may still add to a table that does not
 * grow, because it keeps some slots vacant. */
#ifndef ROOST_PORTABLE_PERMITS_H
#define ROOST_PORTABLE_PERMITS_H

#include "portable/atomic.h"
#include "portable/tile.h"

/* An item takes a permit before it adds its key.  Of two items that see the last permit, one gets
 * it: with a load and a store both would, and the permits that are left would be wrong from then
 * on.  An item that finds none while another one holds a permit that it gives back is parked
 * without need.  Relaxed: permits order nothing.  The load before keeps items of a full table from
 * all writing one word.  The word is below 0 while several items find none left.
 * permits: NULL: as many as there is room for. */
ROOST_FN bool permit_take(const tile g, uint64_t *permits)
{
    bool taken = false;
    if (!permits) return true;
    if (g.lane == 0 && (int64_t)load_relaxed_device64(permits) > 0) {
        taken = (int64_t)add_relaxed_device64(permits, (uint64_t)-1) > 0;
        if (!taken) add_relaxed_device64(permits, 1);
    }
    return tile_any(g, taken);
}

/* For an item that did not add its key. */
ROOST_FN void permit_give(const tile g, uint64_t *permits)
{
    if (permits && g.lane == 0) add_relaxed_device64(permits, 1);
}

#endif
