/* Calls on a whole table, without items. */
#include <math.h>
#include <string.h>

#include "comms/group.h"

uint64_t share_by_chance(uint64_t n, int ranks)
{
    const double mean = (double)n / ranks, most = ceil(mean + 8 * sqrt(mean));
    return most < (double)n ? (uint64_t)most : n;
}

/* Agrees on a call without items. */
static roost_status whole_agree(struct roost_table *t, enum collective of, uint64_t number)
{
    const struct said mine = {.of = of, .table = group_of(t)->number, .number = number};
    struct agreed agreed;
    return group_agree(t, &mine, &agreed);
}

/* Adds each number to those of the other ranks; of many, the last ones become the largest. */
static roost_status numbers_add(struct roost_table *t, uint64_t *numbers, int n)
{
    struct comm *const c = group_of(t)->comm;
    const size_t bytes = (size_t)n * sizeof *numbers;
    const void *all;
    const roost_status status = comm_gather(c, numbers, bytes, false, &all, &t->error);
    if (!status) memset(numbers, 0, bytes);
    for (int i = 0; !status && i < comm_ranks(c) * n; i++) {
        const uint64_t theirs = ((const uint64_t *)all)[i];
        uint64_t *const number = &numbers[i % n];
        if (i % n >= n - MAXIMA && n > MAXIMA) *number = theirs > *number ? theirs : *number;
        else *number += theirs;
    }
    return status;
}

roost_status group_whole(struct roost_table *t, enum collective of, uint64_t *number)
{
    const bool reserves = of == COLLECTIVE_RESERVE;
    roost_status status = whole_agree(t, of, reserves ? *number : 0);
    if (status) return status;
    uint64_t share = reserves ? share_by_chance(*number, comm_ranks(group_of(t)->comm)) : 0;
    status = group_vote(t, table_whole(t, of, reserves ? &share : number));
    return status || of != COLLECTIVE_SYNC ? status : numbers_add(t, number, 1);
}

roost_status group_sum(struct roost_table *t, enum collective of, uint64_t *numbers, int n, roost_status own)
{
    const struct error why = t->error;
    roost_status status = whole_agree(t, of, 0);
    if (own) t->error = why;
    if (!status) status = group_vote(t, own);
    if (!status) status = numbers_add(t, numbers, n);
    return own ? own : status;
}
