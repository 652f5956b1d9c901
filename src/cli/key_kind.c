/* Descriptions of kinds of keys. */
#include "cli/key_kind.h"

#include <stdio.h>

const char *key_kind_describe(struct key_kind kind, char *text, size_t bytes)
{
    if (kind.type == IO_STRING) snprintf(text, bytes, "strings as keys");
    else snprintf(text, bytes, "%zu-byte keys", kind.bytes);
    return text;
}
