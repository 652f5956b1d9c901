/* What was written to a table since it was saved, as a snapshot of its own. */
#ifndef ROOST_SNAPSHOTS_CHANGES_H
#define ROOST_SNAPSHOTS_CHANGES_H

#include "snapshots/snapshot_load.h"
#include "snapshots/snapshot_save.h"

/* Makes the header of s->writer's snapshot, which save_begin made, that of changes. */
roost_status changes_header(struct save *s);

/* Writes the header, each logged key's pair or that it was removed, and the end. */
roost_status changes_save(struct save *s);

/* Do the changes, whose header was read, follow what the table has? */
roost_status changes_follow(const struct load *l);

/* Reads all blocks and applies nothing.  A key that comes twice is an error. */
roost_status changes_read(struct load *l);

/* Reads them again, and applies them. */
roost_status changes_apply(struct load *l);

#endif
