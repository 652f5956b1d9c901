/* Takes the keys out of an open file for the second count behind --verify. */
#ifndef ROOST_CLI_VERIFY_PARSE_H
#define ROOST_CLI_VERIFY_PARSE_H

#include <stdio.h>

#include "cli/verify_recount.h"

/* As the plan says; false after a failure, with its words in the recount. */
bool verify_parse(struct recount *recount, FILE *file);

/* Its part for columns. */
bool verify_parse_column(struct recount *recount, FILE *file);

#endif
