/* SlabHash's finds and counts: launches over a batch that do not change the table. */
#include "engines/slab/slab_table.h"

roost_status slab_find(struct engine_table *table, const struct batch *batch)
{
    struct slab_args args = slab_batch_args(slab_of(table), batch);
    if (!ROOST_PROBES) args.batch.counters = NULL; /* finds count only probes */
    return slab_launch(slab_of(table), table->kernel[SLAB_find], &args);
}

roost_status slab_count(struct engine_table *table, const struct batch *batch)
{
    struct slab_args args = slab_batch_args(slab_of(table), batch);
    args.batch.counters = NULL;
    args.batch.mode = SLAB_EVERY_COUNT;
    return slab_launch(slab_of(table), table->kernel[SLAB_every], &args);
}
