/* What the API knows of tables that are spread over ranks (src/sharding): which calls are
 * collective, and whom to hand them to.  The rank's own shard is an ordinary table. */
#ifndef ROOST_API_COLLECTIVE_H
#define ROOST_API_COLLECTIVE_H

#include "api/table.h"
#include "roost/sharding.h"

enum collective {
    COLLECTIVE_CREATE,
    COLLECTIVE_INSERT,
    COLLECTIVE_FIND,
    COLLECTIVE_ERASE,
    COLLECTIVE_APPLY,
    COLLECTIVE_RESERVE,
    COLLECTIVE_CLEAR,
    COLLECTIVE_SYNC,
    COLLECTIVE_COMPACT,
    COLLECTIVE_CHECK,
    COLLECTIVE_STATS,
    COLLECTIVE_SCATTER
};

struct collective_calls {
    /* Agrees on a new table, and makes *config that of the rank's shard.  t->group is set. */
    roost_status (*join)(roost_comm *comm, struct roost_table *t, roost_config *config);
    /* Takes part in the making of a table, and refuses: this rank cannot even begin. */
    void (*decline)(roost_comm *comm);
    /* The shard was opened, or not: all ranks learn whether all were. */
    roost_status (*joined)(struct roost_table *t, roost_status status);
    void (*leave)(struct roost_table *t);
    /* arguments: those of this rank are right; else it takes part without items. */
    roost_status (*batch)(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call,
                          roost_status arguments);
    roost_status (*whole)(struct roost_table *t, enum collective of, uint64_t *number);
    /* Adds each of n <= SUMS_MOST numbers to those of the other ranks; the last MAXIMA become the
     * largest.  own: whether this rank has them; a rank without them takes part, too. */
    roost_status (*sum)(struct roost_table *t, enum collective of, uint64_t *numbers, int n, roost_status own);
    /* The shards that an export of this handle has, numbered from 0; NULL: no more. */
    struct roost_table *(*shard)(struct roost_table *t, uint64_t number);
};
enum { SUMS_MOST = 18, MAXIMA = 2 };

/* A comm, and a table's part in it, begin so. */
struct roost_comm {
    const struct collective_calls *calls;
};
struct table_group {
    const struct collective_calls *calls;
    const char *devices; /* of a handle with several; NULL: the table's own */
    uint64_t received;   /* items that this rank has owned in all calls */
    uint64_t capacity;   /* of the whole table, as configured */
    double imbalance;    /* of the last roost_table_stats: the most received, over the mean */
    int rank, ranks;
};

/* An export's cursor holds the number of the shard above the position in it. */
enum { SHARD_SHIFT = 48 };

/* The rank's own part of a call, whose arguments were checked.  table_whole: *number is what the
 * call counts, or the keys of a reservation. */
roost_status table_batch(struct roost_table *t, enum collective of, const struct batch *b, const roost_call *call);
roost_status table_whole(struct roost_table *t, enum collective of, uint64_t *number);

#endif
