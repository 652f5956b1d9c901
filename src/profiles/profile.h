/* Profiles: the options that tables of an engine and width get on a device.  The user's file
 * precedes the built-in profile.  Profiles are read whenever a table is made, so threads share
 * nothing, and a new profile holds for the next table. */
#ifndef ROOST_PROFILES_PROFILE_H
#define ROOST_PROFILES_PROFILE_H

#include "profiles/profile_text.h"

enum { PROFILE_NAME = 1024 /* bytes of a path at most */ };

struct profile {
    char settings[PROFILE_SETTINGS]; /* "": the engine's defaults */
    char origin[PROFILE_NAME];       /* the file, "built-in H200", or "none" */
    bool built_in;
};

/* The path of the user's profile of a device, from ROOST_PROFILES, XDG_CONFIG_HOME or HOME.
 * False: there is none, and path is "". */
bool profile_path(const char *model, char path[PROFILE_NAME]);

/* The same, and the origin of the settings of the device's tables, for any engine. */
void profile_name(const char *model, char origin[PROFILE_NAME], char path[PROFILE_NAME]);

/* The built-in settings, or none: the engine's defaults. */
void profile_built_in(const struct profile_wanted *wanted, struct profile *profile);
void profile_none(struct profile *profile);

/* Finds the wanted settings of a known model. */
void profile_find(const struct profile_wanted *wanted, const roost_allocator *allocator, struct profile *profile,
                  struct warnings *warnings);

/* The built-in profiles: number `index` (NULL past the last), and that of a model. */
struct profile_entry {
    const char *model; /* the beginning of the model's name; "" for all others */
    const char *name;
    const char *text;
};
const struct profile_entry *profile_entry_at(size_t index);
const struct profile_entry *profile_entry_of(const char *model);

#endif
