/* Reads the keys of an open file for the second count of --verify. */
#ifndef ROOST_CLI_VERIFY_PARSE_H
#define ROOST_CLI_VERIFY_PARSE_H

#include <stdio.h>

#include "cli/verify_recount.h"

/* Parses as the plan says.  False on failure, with a description in the recount. */
bool verify_parse(struct recount *recount, FILE *file);

/* The parts for k-mers and for columns. */
bool verify_parse_kmers(struct recount *recount, FILE *file);
bool verify_parse_column(struct recount *recount, FILE *file);

/* Skips the byte order mark of UTF-8 at the file's beginning. */
void verify_skip_mark(FILE *file);

#endif
