/* Two tables made one: their union, their intersection or their difference. */
#ifndef ROOST_CLI_TABLE_JOIN_H
#define ROOST_CLI_TABLE_JOIN_H

#include "cli/loaded_table.h"

enum join_how { JOIN_UNION, JOIN_INTERSECT, JOIN_SUBTRACT };

/* Makes `into` the result; `from` does not change.  mode: how a value of `into` and the one of
 * `from` are combined.  Both have the same types.  Returns 0, or prints a line and returns
 * EXIT_FAILURE. */
int table_join(struct loaded_table *into, const struct loaded_table *from, enum join_how how, roost_mode mode);

#endif
