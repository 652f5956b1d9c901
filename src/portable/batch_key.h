/* Keys of a batch that are byte strings. */
#ifndef ROOST_PORTABLE_BATCH_KEY_H
#define ROOST_PORTABLE_BATCH_KEY_H

#include "portable/bytes.h"
#include "portable/item.h"
#include "roost/strings.h"

/* A key: a string, or one of key_bytes.  A length of ROOST_STRING_MOST + 1 marks an invalid string:
 * it is too long, or its offsets fall. */
ROOST_FN struct bytes batch_key(const struct batch *b, uint32_t key_bytes, uint64_t index)
{
    const unsigned char *const keys = (const unsigned char *)b->keys;
    struct bytes key = {keys, key_bytes};
    if (!b->key_offsets) {
        key.at = keys + index * key_bytes;
        return key;
    }
    const uint64_t first = load_width(b->offset_bytes, b->key_offsets, index),
                   end = load_width(b->offset_bytes, b->key_offsets, index + 1);
    if (keys) key.at = keys + first; /* else all strings are empty */
    key.n = end < first || end - first > ROOST_STRING_MOST ? ROOST_STRING_MOST + 1u : (uint32_t)(end - first);
    return key;
}

#endif
