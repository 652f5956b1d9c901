/* The built-in profiles.  They name the best settings where these differ, or may differ, between
 * devices.  For a kernel that they do not name, the first one of its operation in the engine's
 * list runs; the lists were measured on an H200. */
#include <string.h>

#include "profiles/profile.h"

static const struct profile_entry entries[] = {
    /* With keys=6 inserts are twice as fast as by default, and finds as fast.  With keys=4 they
     * are up to 5 % better, but the index is half as large again.  Wider pairs than these were
     * not compared (2026-11-23, docs/tuning.md). */
    {"NVIDIA H200", "H200",
     "roost profile 1\n"
     "compact 4+4 step=1.5\n"
     "dycuckoo 4+4 subtables=4,slots=8\n"
     "fks 4+4 bucket=auto,dense=0.5\n"
     "gph 4+4 slots=8,virtual=16,keys=6\n"
     "gph 8+8 slots=8,virtual=16,keys=6\n"
     "slab 4+4 reads=auto,memory=auto\n"
     "stadium 4+4 ticket=8,probe=group\n"},
    /* With keys=6 inserts are 1.5 to 2.1 times as fast as by default, and finds as fast
     * (2026-11-23, docs/tuning.md). */
    {"host", "host",
     "roost profile 1\n"
     "compact 4+4 step=1.5\n"
     "dycuckoo 4+4 subtables=4,slots=8\n"
     "fks 4+4 bucket=auto,dense=0.5\n"
     "gph 4+4 slots=8,virtual=8,keys=6\n"
     "slab 4+4 reads=auto,memory=auto\n"
     "stadium 4+4 ticket=8,probe=group\n"},
    {"", "GPU",
     "roost profile 1\n"
     "compact 4+4 step=1.5\n"
     "dycuckoo 4+4 subtables=4,slots=8\n"
     "fks 4+4 bucket=auto,dense=0.5\n"
     "gph 4+4 slots=8,virtual=8\n"
     "slab 4+4 reads=auto,memory=auto\n"
     "stadium 4+4 ticket=8,probe=group\n"},
};

const struct profile_entry *profile_entry_at(size_t index)
{
    return index < sizeof entries / sizeof entries[0] ? &entries[index] : NULL;
}

const struct profile_entry *profile_entry_of(const char *model)
{
    const struct profile_entry *entry = entries;
    /* The last entry fits every model. */
    while (strncmp(model, entry->model, strlen(entry->model)) != 0) entry++;
    return entry;
}
