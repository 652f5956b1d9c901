/* Stamps the kernels over items of batches for the host. */
#include "batches/batches_kernels.h"

#define STAMP(name)                                                                                                                \
    static void name(const void *args, uint64_t first, uint64_t last)                                                              \
    {                                                                                                                              \
        for (uint64_t i = first; i < last; i++) batches_##name((const struct batches_args *)args, i);                              \
    }
BATCHES_KERNELS(STAMP)

#define ENTRY(name) {#name, BATCHES_##name, 0, 0, 1, 0, name, NULL, false, 0, 0},
static const struct kernel kernels[] = {BATCHES_KERNELS(ENTRY)};

const struct kernel *batches_host_kernel(enum batches_kernel which) { return &kernels[which]; }
