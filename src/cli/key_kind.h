/* The kind of a run's keys: integers, bytes of one width, or strings. */
#ifndef ROOST_CLI_KEY_KIND_H
#define ROOST_CLI_KEY_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "io/io_reader.h"

struct key_kind {
    enum io_key_type type;
    size_t bytes; /* per key; 0: strings */
};

/* True if keys are compared as bytes, from the first one on, and not as integers. */
static inline bool key_kind_is_bytes(struct key_kind kind) { return kind.type == IO_BYTES || kind.type == IO_STRING; }

/* The bit of negative keys; 0: none are. */
static inline uint64_t key_kind_sign(struct key_kind kind)
{
    if (kind.type == IO_I32) return (uint64_t)1 << 31;
    return kind.type == IO_I64 ? (uint64_t)1 << 63 : 0;
}

/* Writes a description of a key to text, for reports, and returns it. */
const char *key_kind_describe(struct key_kind kind, char *text, size_t bytes);

#endif
