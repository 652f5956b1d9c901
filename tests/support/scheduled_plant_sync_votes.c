/* DyCuckoo's kernels with a planted fault: the lanes of a tile meet as in a vote where their accesses have to be ordered. */
#include "portable/tile.h"
#undef tile_sync
#define tile_sync(g) ((void)scheduled_meet(g, MEET_BALLOT, 0, 0, SCHEDULED_SITE("tile_sync", false)))
#define SCHEDULED_KERNELS kernels_sync_votes
#include "support/scheduled_stamp.h"
