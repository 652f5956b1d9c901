/* The profiles that are built in.  They name what was found best where it differs between devices, or might; a kernel that they leave
 * out is the first of its operation in the engine's list, which is what was measured on an H200. */
#include <string.h>

#include "profiles/profile.h"

static const struct profile_entry entries[] = {
    /* keys=6: inserts twice as fast and finds as fast, where keys=4 is up to 5 % better and its index half as large again; for wider pairs than
     * these nothing was compared (2026-11-23, docs/tuning.md). */
    {"NVIDIA H200", "H200",
     "roost profile 1\n"
     "dycuckoo 4+4 subtables=4,slots=8\n"
     "fks 4+4 bucket=auto,dense=0.5\n"
     "gph 4+4 slots=8,virtual=16,keys=6\n"
     "gph 8+8 slots=8,virtual=16,keys=6\n"
     "slab 4+4 reads=auto,memory=auto\n"
     "stadium 4+4 ticket=8,probe=group\n"},
    /* keys=6: inserts 1.5 to 2.1 times as fast, finds as fast (2026-11-23, docs/tuning.md). */
    {"host", "host",
     "roost profile 1\n"
     "dycuckoo 4+4 subtables=4,slots=8\n"
     "fks 4+4 bucket=auto,dense=0.5\n"
     "gph 4+4 slots=8,virtual=8,keys=6\n"
     "slab 4+4 reads=auto,memory=auto\n"
     "stadium 4+4 ticket=8,probe=group\n"},
    {"", "GPU",
     "roost profile 1\n"
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
    while (strncmp(model, entry->model, strlen(entry->model)) != 0) entry++; /* the last one fits all */
    return entry;
}
