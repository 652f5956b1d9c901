/* Stamps DyCuckoo's kernels for the host.  Compiled once per instruction set; dycuckoo_isa.c
 * chooses among them at run time. */
#include "backends/host_isa.h"
#include "engines/dycuckoo/dycuckoo_kernels.h"

#define COMPILED_find HOST_HOT
#define COMPILED_findslot HOST_HOT
#define COMPILED_erase HOST_HOT
#define COMPILED_fill HOST_HOT
#define COMPILED_evict HOST_WARM
#define COMPILED_path HOST_WARM
#define COMPILED_resize HOST_COLD
#define COMPILED_export HOST_COLD
#define COMPILED_estimate HOST_COLD
#define COMPILED_spill HOST_COLD

#define STAMP(operation, shape)                                                                                                    \
    static COMPILED_##operation void operation##_##shape(const void *args, uint64_t first, uint64_t last)                          \
    {                                                                                                                              \
        const struct dycuckoo_args *a = (const struct dycuckoo_args *)args;                                                        \
        struct path_node scratch[1 + DYCUCKOO_SCRATCH_##operation / sizeof(struct path_node)];                                     \
        drive_host(ROOST_OPERATION(dycuckoo_##operation), shape_##shape(), a, &a->batch, first, last, scratch);                    \
    }
#define STAMP_SHAPE(shape, ...) DYCUCKOO_OPERATIONS(STAMP, shape)
DYCUCKOO_PAIR_SHAPES(STAMP_SHAPE)
#if ROOST_TUNE
DYCUCKOO_DARY_SHAPES(STAMP_SHAPE)
STAMP(findslot, k4v4)
STAMP(findslot, k4v4s4)
STAMP(findslot, k4v4s16)
#endif
STAMP(resize, any)
STAMP(export, any)
STAMP(estimate, any)
STAMP(spill, any)

#define ENTRY(operation, shape, driver, tile) ROOST_KERNEL(DYCUCKOO, operation, shape, driver, tile, 0, operation##_##shape, NULL)
static const struct kernel kernels[] = {DYCUCKOO_KERNELS(ENTRY) DYCUCKOO_TUNE_KERNELS(ENTRY)};

ROOST_KERNELS_OF_ISA(dycuckoo, kernels, false)
