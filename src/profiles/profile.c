/* The places of profiles, and the settings that a table gets from them. */
#define _GNU_SOURCE 1
#include "profiles/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/backend.h"

enum { FILE_MOST = 64 << 10 /* bytes of a profile at most */ };

/* ---- Where ----------------------------------------------------------------------------------- */

static const char *setting(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

static bool none_wanted(void)
{
    const char *folder = setting("ROOST_PROFILES");
    return folder && !strcmp(folder, "none");
}

/* "NVIDIA H200" is in nvidia-h200.profile.  No name leads out of the folder. */
static void file_name(const char *model, char name[128])
{
    size_t length = 0;
    for (; *model && length < 100; model++) {
        const char c = *model >= 'A' && *model <= 'Z' ? (char)(*model - 'A' + 'a') : *model;
        const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain || (length && name[length - 1] != '-')) name[length++] = plain ? c : '-';
    }
    strcpy(name + length, ".profile");
}

/* Returns the path's length, or -1: there is no path.  A path that is too long is cut. */
static int make_path(const char *model, char path[PROFILE_NAME])
{
    char name[128];
    int length = -1;
    const char *own = setting("ROOST_PROFILES"), *config = setting("XDG_CONFIG_HOME"), *home = setting("HOME");
    file_name(model, name);
    if (own && !none_wanted()) length = snprintf(path, PROFILE_NAME, "%s/%s", own, name);
    else if (!own && config && *config == '/') length = snprintf(path, PROFILE_NAME, "%s/roost/%s", config, name);
    else if (!own && home) length = snprintf(path, PROFILE_NAME, "%s/.config/roost/%s", home, name);
    return length;
}

bool profile_path(const char *model, char path[PROFILE_NAME])
{
    const int length = make_path(model, path);
    if (length > 0 && length < PROFILE_NAME) return true;
    *path = 0;
    return false;
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Reads up to n bytes: fewer at the end of the file, -1 on failure. */
static ssize_t read_bytes(int descriptor, char *text, size_t n)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t got = read(descriptor, text + done, n - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static bool parse_bytes(int descriptor, size_t bytes, const char *path, const struct profile_wanted *wanted,
                        const roost_allocator *allocator, struct profile *profile, struct warnings *warnings)
{
    char *text = (char *)host_new(allocator, bytes + 1);
    if (!text) {
        warning_add(warnings, "%s is ignored: no memory to read it", path);
        return false;
    }
    const ssize_t got = read_bytes(descriptor, text, bytes);
    bool found = false;
    if (got < 0) warning_add(warnings, "%s is ignored: %s", path, strerror(errno));
    else found = profile_parse(text, (size_t)got, path, wanted, profile->settings, warnings);
    host_delete(allocator, text, bytes + 1);
    return found;
}

/* Skips, with a warning, what is not a regular file (a pipe would not end) or is too long.  A
 * missing file is not worth a warning. */
static bool file_find(const char *path, const struct profile_wanted *wanted, const roost_allocator *allocator,
                      struct profile *profile, struct warnings *warnings)
{
    struct stat about;
    bool found = false;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        if (errno != ENOENT) warning_add(warnings, "%s is ignored: %s", path, strerror(errno));
        return false;
    }
    if (fstat(descriptor, &about) != 0) warning_add(warnings, "%s is ignored: %s", path, strerror(errno));
    else if (!S_ISREG(about.st_mode)) warning_add(warnings, "%s is ignored: it is not a regular file", path);
    else if (about.st_size > FILE_MOST) warning_add(warnings, "%s is ignored: it has more than %d bytes", path, FILE_MOST);
    else found = parse_bytes(descriptor, (size_t)about.st_size, path, wanted, allocator, profile, warnings);
    close(descriptor);
    return found;
}

/* Looks in the user's profile.  False: it has no such settings. */
static bool own_find(const struct profile_wanted *wanted, const roost_allocator *allocator, struct profile *profile,
                     struct warnings *warnings)
{
    const int length = make_path(wanted->model, profile->origin);
    if (length < PROFILE_NAME) return length > 0 && file_find(profile->origin, wanted, allocator, profile, warnings);
    warning_add(warnings, "the path of %s's profile is ignored: it has %d bytes, for %d at most", wanted->model, length,
                PROFILE_NAME - 1);
    return false;
}

void profile_none(struct profile *profile)
{
    memset(profile, 0, sizeof *profile);
    strcpy(profile->origin, "none");
}

void profile_built_in(const struct profile_wanted *wanted, struct profile *profile)
{
    const struct profile_entry *entry = profile_entry_of(wanted->model);
    const struct profile_wanted any = {NULL, wanted->engine, wanted->key_bytes, wanted->value_bytes};
    struct warnings none = {""}; /* its lines are correct */
    profile_none(profile);
    profile->built_in = profile_parse(entry->text, strlen(entry->text), entry->name, &any, profile->settings, &none);
    if (profile->built_in) snprintf(profile->origin, sizeof profile->origin, "built-in %s", entry->name);
}

void profile_find(const struct profile_wanted *wanted, const roost_allocator *allocator, struct profile *profile,
                  struct warnings *warnings)
{
    profile_none(profile);
    if (!none_wanted() && !own_find(wanted, allocator, profile, warnings)) profile_built_in(wanted, profile);
}

void profile_name(const char *model, char origin[PROFILE_NAME], char path[PROFILE_NAME])
{
    const struct profile_wanted any = {model, NULL, 0, 0};
    const roost_allocator allocator = {0};
    struct warnings warnings = {""}; /* table creation reports them */
    struct profile profile;
    profile_none(&profile);
    (void)profile_path(model, path);
    if (!none_wanted() && !own_find(&any, &allocator, &profile, &warnings))
        snprintf(profile.origin, sizeof profile.origin, "built-in %s", profile_entry_of(model)->name);
    strcpy(origin, profile.origin);
}
