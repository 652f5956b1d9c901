/* FKS's kernels for the scheduled machine, all run by tiles: the constant fks_sound. With a
 * fault of tests/plants, the build gives the constant the fault's name. */
#include "portable/bucket.h"

/* The parts of a pair that a lock guards are stored and loaded plainly. Here these accesses are
 * scheduling points, too: other lanes run between the claim of a key and the store of its value,
 * and with weak memory it is the lock that orders the two. */
static inline uint64_t load_beside(int bytes, const void *array, uint64_t index)
{
    return bytes == 8 ? load_relaxed_device64((const uint64_t *)array + index)
                      : load_relaxed_device32((const uint32_t *)array + index);
}

static inline void store_beside(int bytes, void *array, uint64_t index, uint64_t x)
{
    if (bytes == 8) store_relaxed_device64((uint64_t *)array + index, x);
    else store_relaxed_device32((uint32_t *)array + index, (uint32_t)x);
}

#define load_width load_beside
#define store_width store_beside

#include "support/scheduled_fks_kernels.h"

#include "engines/fks/fks_write.h"

#ifndef SCHEDULED_STAMPED
#define SCHEDULED_STAMPED fks_sound
#endif

#define STAMP(operation)                                                                                                           \
    ROOST_FN enum step checked_##operation##_step(const struct shape s, const tile g, const void *view, const struct batch *b,     \
                                                  struct item *item, struct tally *tally, void *scratch)                           \
    {                                                                                                                              \
        const enum step result = fks_##operation##_step(s, g, view, b, item, tally, scratch);                                      \
        scheduled_step_returned();                                                                                                 \
        return result;                                                                                                             \
    }                                                                                                                              \
    static void run_##operation(const void *args, void *scratch)                                                                   \
    {                                                                                                                              \
        const struct fks_call *c = (const struct fks_call *)args;                                                                  \
        drive_tile(fks_##operation##_begin, checked_##operation##_step, fks_##operation##_end, c->shape, c->size, &c->args,        \
                   &c->args.batch, scratch);                                                                                       \
    }
STAMP(find)
STAMP(erase)
STAMP(write)
STAMP(shift)

#define NAME_(stamped) #stamped
#define NAME(stamped) NAME_(stamped)

const struct fks_stamped SCHEDULED_STAMPED = {
    NAME(SCHEDULED_STAMPED),
    {[FKS_find] = run_find, [FKS_erase] = run_erase, [FKS_write] = run_write, [FKS_shift] = run_shift},
};
