/* Fields of a column for the second count of --verify. */
#ifndef ROOST_CLI_VERIFY_FIELDS_H
#define ROOST_CLI_VERIFY_FIELDS_H

#include "cli/verify_recount.h"

/* Adds the field as a key, or counts a record without a key.  field: ends in 0; NULL: the record
 * lacks it.  False: the plan allows no such record, or memory was refused. */
bool verify_add_field(struct recount *recount, const char *field, size_t length);

/* Parses a field, which ends in 0, by the plan's field, decimals, base and key_bytes.  False: it is
 * no key. */
bool verify_field_parse(const struct verify_plan *plan, const char *field, size_t length, uint64_t *key);

#endif
