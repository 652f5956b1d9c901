/* What the ranks of a `roost replay --verify` send to rank 0, which alone has a reference. */
#ifndef ROOST_CLI_REPLAY_GATHER_H
#define ROOST_CLI_REPLAY_GATHER_H

#include "cli/replay_workload.h"

/* Items of an operation with the table's answers, or pairs of an export.  An array that an
 * operation does not have is NULL. */
struct replay_items {
    struct workload_keys keys;
    const uint32_t *values;
    const uint8_t *found, *statuses;
};

/* Memory of the items of all ranks, all 0 at the start. */
struct replay_gathered {
    void *keys, *values, *found, *statuses;
};

/* Replaces this rank's items by those of all ranks; on other ranks than 0 by none.  An array is
 * NULL on all ranks or on none.  What was gathered before is freed; one process keeps its items
 * where they are.  Returns 0, or prints a line and returns EXIT_FAILURE. */
int replay_gather(struct replay_gathered *gathered, size_t key_bytes, struct replay_items *items);
void replay_gathered_release(struct replay_gathered *gathered);

/* Makes *whole hold the keys of all ranks, one rank after another: on rank 0; elsewhere none.  Of
 * one process it is a view of its keys.  The caller releases *gathered after the last use of
 * *whole. */
int replay_gather_workload(struct replay_gathered *gathered, const struct workload *workload, struct workload *whole);

#endif
