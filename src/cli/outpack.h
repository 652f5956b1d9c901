/* Output that is compressed while it is written. */
#ifndef ROOST_CLI_OUTPACK_H
#define ROOST_CLI_OUTPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The bytes at the end of a name that ask for compression, .gz or .zst; 0: none. */
size_t outpack_ending(const char *name);

/* Has the name this ending, such as ".csv", in front of that of a compression? */
bool outpack_name_ends(const char *name, const char *ending);

/* Opens a stream that compresses into `to` as the name's ending says.  Closing it completes the
 * data, and leaves `to` open.  NULL: memory was refused. */
FILE *outpack_open(const char *name, FILE *to);

#endif
