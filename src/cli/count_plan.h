/* What `roost count` tells its table before it counts: how many distinct keys there will be, and in
 * batches of how many they come. */
#ifndef ROOST_CLI_COUNT_PLAN_H
#define ROOST_CLI_COUNT_PLAN_H

#include "cli/count_options.h"
#include "cli/key_kind.h"
#include "roost/roost.h"

struct count_plan {
    bool made;         /* else everything is left to the options and the library */
    uint64_t distinct; /* an estimate; 0: unknown */
    size_t batch;      /* keys of a batch */
};

/* Plans for keys of this kind.  Reads files that can be read again, and whose keys are quickly
 * read. */
void count_plan_make(struct count_plan *plan, const struct count_options *options, struct key_kind kind);

/* Tells a table what is planned, except what the user's options say. */
void count_plan_apply(const struct count_plan *plan, roost_config *config);

#endif
