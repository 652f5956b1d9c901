/* FKS's builds and the allocation of their blocks for the scheduled machine. The build names the
 * constant: fks_build_sound, or a fault of tests/plants. */
#include "support/scheduled_fks_build_kernels.h"

#include <string.h>

static void build(const void *args, void *scratch)
{
    const struct fks_build_call *c = (const struct fks_build_call *)args;
    struct item item;
    struct tally tally = {0};
    memset(&item, 0, sizeof item);
    item.index = tile_rank(c->size);
    (void)fks_build_step(c->shape, tile_make(c->size), &c->args.view, &c->args.batch, &item, &tally, scratch);
}

static void take(const void *args, void *scratch)
{
    const struct fks_take_call *c = (const struct fks_take_call *)args;
    const uint64_t lane = tile_rank(1);
    (void)scratch;
    for (int i = 0; i < TAKES; i++) {
        const uint32_t size = c->sizes[lane][i], block = fks_take(c->part, c->space, size);
        c->blocks[lane][i] = block;
        if (block != ~0u && !c->kept[lane][i]) fks_give(c->part, c->space, block, size);
    }
}

const struct fks_build_stamped SCHEDULED_STAMPED = {build, take};
