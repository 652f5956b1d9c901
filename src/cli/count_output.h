/* The list of keys and counts that `roost count` writes. */
#ifndef ROOST_CLI_COUNT_OUTPUT_H
#define ROOST_CLI_COUNT_OUTPUT_H

#include "cli/harvest.h"
#include "cli/outfile.h"

/* These write a line for each key: the key, a tab, and its count.  On failure they print a line and
 * return EXIT_FAILURE; a write that failed is reported by outfile_finish. */

/* The keys in harvest->all, in their order. */
int count_output_list(struct outfile *file, struct key_form form, const struct harvest *harvest);

/* The keys of the table, in no order. */
int count_output_table(struct outfile *file, struct key_form form, const roost_table *table, const struct harvest_wish *wish);

#endif
