/* Profiles: which options tables of an engine and width get on a device.  The user's file goes before what is built in.  They are read
 * whenever a table is made, so nothing is shared between threads, and a new profile holds for the next table. */
#ifndef ROOST_PROFILES_PROFILE_H
#define ROOST_PROFILES_PROFILE_H

#include "profiles/profile_text.h"

enum { PROFILE_NAME = 1024 /* bytes of a path, at most */ };

struct profile {
    char settings[PROFILE_SETTINGS]; /* "": the engine's defaults */
    char origin[PROFILE_NAME];       /* the file, "built-in H200", or "none" */
    bool built_in;
};

/* Where the user's profile of a device would lie, from ROOST_PROFILES, XDG_CONFIG_HOME or HOME; "" and false: nowhere. */
bool profile_path(const char *model, char path[PROFILE_NAME]);

/* The same, and what tables of the device would get theirs from, whatever their engine. */
void profile_name(const char *model, char origin[PROFILE_NAME], char path[PROFILE_NAME]);

/* What is built in has settings for it, or the engine's defaults hold. */
void profile_built_in(const struct profile_wanted *wanted, struct profile *profile);
void profile_none(struct profile *profile);

/* Finds the settings that are wanted, of a model that is known. */
void profile_find(const struct profile_wanted *wanted, const roost_allocator *allocator, struct profile *profile,
                  struct warnings *warnings);

/* What is built in: entry `index`, NULL past the last; and the entry of a model. */
struct profile_entry {
    const char *model; /* the beginning of the model's name; "" for all others */
    const char *name;
    const char *text;
};
const struct profile_entry *profile_entry_at(size_t index);
const struct profile_entry *profile_entry_of(const char *model);

#endif
