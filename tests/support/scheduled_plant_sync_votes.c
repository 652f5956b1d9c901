/* DyCuckoo's kernels with a planted fault: the lanes of a tile meet where their accesses have to be ordered, but as in a vote: only those to
 * the tile's scratch memory are, without which they would follow what nobody wrote. */
#include "portable/tile.h"
#undef tile_sync
#define tile_sync(g) ((void)scheduled_meet(g, MEET_SCRATCH, 0, 0, SCHEDULED_SITE("tile_sync", false)))
#define SCHEDULED_KERNELS kernels_sync_votes
#include "support/scheduled_stamp.h"
