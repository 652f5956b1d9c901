/* Opens files for the second count behind --verify, decompressed where they are compressed, by a way of its own. */
#ifndef ROOST_CLI_VERIFY_FILES_H
#define ROOST_CLI_VERIFY_FILES_H

#include <stdbool.h>
#include <stdio.h>

/* NULL after a failure.  verbatim: no decompression.  What is wrong inside a compressed file shows when it is read or closed. */
FILE *verify_open(const char *path, bool verbatim);

#endif
