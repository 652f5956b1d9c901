/* Sums of numbers, which carry each rank's status with them. */
#include "snapshots/snapshot_ranks.h"

#include <string.h>

roost_status shards_sum(struct roost_table *t, uint64_t *numbers, int n, roost_status own)
{
    uint64_t all[SUMS_MOST] = {0};
    memcpy(all, numbers, (size_t)n * sizeof *numbers);
    const roost_status status = t->group->calls->sum(t, COLLECTIVE_STATS, all, SUMS_MOST, own);
    memcpy(numbers, all, (size_t)n * sizeof *numbers);
    return status;
}

roost_status shards_vote(struct roost_table *t, roost_status own)
{
    uint64_t nothing = 0;
    return shards_sum(t, &nothing, 1, own);
}
