/* The order of groups: by rising key, column by column. */
#ifndef ROOST_CLI_GROUP_ORDER_H
#define ROOST_CLI_GROUP_ORDER_H

#include "cli/group_options.h"

/* Keys as texts: text i ends at ends[i], where the next one begins. */
struct group_keys {
    const uint8_t *bytes;
    const uint64_t *ends;
    size_t n;
};

/* Writes the numbers of the groups by rising key to order: NULL comes first, strings by their
 * unsigned bytes, other types by number.  False: memory is refused. */
bool group_order(const struct group_options *options, const struct group_keys *keys, uint64_t *order);

#endif
