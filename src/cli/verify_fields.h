/* Fields of a column for the second count of --verify. */
#ifndef ROOST_CLI_VERIFY_FIELDS_H
#define ROOST_CLI_VERIFY_FIELDS_H

#include "cli/verify_recount.h"

/* Adds the field as a key, or counts a record without a key.  field: ends in 0; NULL: the record
 * lacks it.  False: the plan allows no such record, or memory was refused. */
bool verify_add_field(struct recount *recount, const char *field, size_t length);

#endif
