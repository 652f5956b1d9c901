/* The text of a profile: settings for a device's tables, one line per engine and width.
 *
 *     roost profile 1
 *     device NVIDIA H200
 *     # engine, key + value bytes, options
 *     gph 4+4 slots=8,keys=6,find=once2 */
#ifndef ROOST_PROFILES_PROFILE_TEXT_H
#define ROOST_PROFILES_PROFILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "portable/error.h"

enum { PROFILE_SETTINGS = 512 /* bytes of a line's options at most */ };

/* The wanted settings. */
struct profile_wanted {
    const char *model;  /* NULL: the text is for any device */
    const char *engine; /* NULL: any engine and width */
    int key_bytes, value_bytes;
};

/* Finds the last line of an engine and width in a text of n bytes with any content.  Warnings
 * name the text and its malformed lines, or a text for another device. */
bool profile_parse(const char *text, size_t n, const char *name, const struct profile_wanted *wanted,
                   char settings[PROFILE_SETTINGS], struct warnings *warnings);

#endif
