/* Stamps the kernels over items of batches for the host. */
#include "batches/batches_kernels.h"

#define STAMP(name)                                                                                                                \
    static void name(const void *args, uint64_t first, uint64_t last)                                                              \
    {                                                                                                                              \
        for (uint64_t i = first; i < last; i++) batches_##name((const struct batches_args *)args, i);                              \
    }
BATCHES_KERNELS(STAMP)

#define STAMP_TILE(name)                                                                                                           \
    static void name(const void *args, uint64_t first, uint64_t last)                                                              \
    {                                                                                                                              \
        uint32_t scratch[TRAVEL_SCRATCH];                                                                                          \
        for (uint64_t i = first; i < last; i++) batches_##name(tile_make(1), (const struct batches_args *)args, i, scratch);       \
    }
BATCHES_TILE_KERNELS(STAMP_TILE)
BATCHES_BESIDE_KERNELS(STAMP_TILE)

/* A thread takes few chunks at a time, because each is work for many items. */
enum { CHUNK_WORK = TRAVEL_CHUNK * 256 };
#define ENTRY_TILE(name) {#name, BATCHES_##name, 0, 0, 1, CHUNK_WORK, name, NULL, false, 0, 0},
#define ENTRY(name) {#name, BATCHES_##name, 0, 0, 1, 0, name, NULL, false, 0, 0},
static const struct kernel kernels[] = {BATCHES_KERNELS(ENTRY) BATCHES_TILE_KERNELS(ENTRY_TILE) BATCHES_BESIDE_KERNELS(ENTRY_TILE)};

const struct kernel *batches_host_kernel(enum batches_kernel which) { return &kernels[which]; }
