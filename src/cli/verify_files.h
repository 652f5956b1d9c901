/* Opens files for the second count of --verify, and decompresses them without the readers' code. */
#ifndef ROOST_CLI_VERIFY_FILES_H
#define ROOST_CLI_VERIFY_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* NULL on failure.  verbatim: no decompression.  Damage inside a compressed file shows at
 * reading or closing. */
FILE *verify_open(const char *path, bool verbatim);

/* Skips the byte order mark of UTF-8 at the file's beginning. */
void verify_skip_mark(FILE *file);

#endif
