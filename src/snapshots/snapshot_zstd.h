/* Zstandard, from libzstd.so.1, which is loaded when it is first asked for: the library works
 * without it. */
#ifndef ROOST_SNAPSHOTS_ZSTD_H
#define ROOST_SNAPSHOTS_ZSTD_H

#include <stdbool.h>

#include "portable/error.h"

struct zstd {
    size_t (*bound)(size_t n);
    size_t (*compress)(void *to, size_t room, const void *from, size_t n, int level);
    size_t (*decompress)(void *to, size_t room, const void *from, size_t n);
    unsigned (*is_error)(size_t code);
};

/* The functions.  Returns: ROOST_ERR_UNSUPPORTED: there is no libzstd. */
roost_status zstd_find(const struct zstd **zstd, struct error *error);

#endif
