/* What is in a profile: settings for a device's tables, a line an engine and width.
 *
 *     roost profile 1
 *     device NVIDIA H200
 *     # engine, key + value bytes, options
 *     gph 4+4 slots=8,keys=6,find=once2
 */
#ifndef ROOST_PROFILES_PROFILE_TEXT_H
#define ROOST_PROFILES_PROFILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "portable/error.h"

enum { PROFILE_SETTINGS = 512 /* bytes of a line's options, at most */ };

/* What is looked for. */
struct profile_wanted {
    const char *model;  /* NULL: the text is for any device */
    const char *engine; /* NULL: of any, and of any width */
    int key_bytes, value_bytes;
};

/* Finds the last line of an engine and width in a text of n bytes, which may be anything.  Lines that are none, and a text that is for
 * another device, are warned of by the text's name. */
bool profile_parse(const char *text, size_t n, const char *name, const struct profile_wanted *wanted,
                   char settings[PROFILE_SETTINGS], struct warnings *warnings);

#endif
