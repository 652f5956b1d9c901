/* What the keys of a run are: integers, bytes of one width, or strings. */
#ifndef ROOST_CLI_KEY_KIND_H
#define ROOST_CLI_KEY_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "io/io_reader.h"

struct key_kind {
    enum io_key_type type;
    size_t bytes; /* of a key; 0: strings */
};

/* Keys that are no integers: their bytes are compared, from the first one on. */
static inline bool key_kind_is_bytes(struct key_kind kind) { return kind.type == IO_BYTES || kind.type == IO_STRING; }

/* A key in words, for reports; returns text. */
const char *key_kind_describe(struct key_kind kind, char *text, size_t bytes);

#endif
