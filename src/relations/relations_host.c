/* Stamps the kernels over rows and groups for the host. */
#include "relations/relations_kernels.h"

#define STAMP(name)                                                                                                                \
    static void name(const void *args, uint64_t first, uint64_t last)                                                              \
    {                                                                                                                              \
        for (uint64_t i = first; i < last; i++) relations_##name((const struct relations_args *)args, i);                          \
    }
RELATIONS_KERNELS(STAMP)

#define STAMP_TILE(name)                                                                                                           \
    static void name(const void *args, uint64_t first, uint64_t last)                                                              \
    {                                                                                                                              \
        struct group_cache cache;                                                                                                  \
        for (uint64_t i = first; i < last; i++) relations_##name(tile_make(1), (const struct relations_args *)args, i, &cache);    \
    }
RELATIONS_TILE_KERNELS(STAMP_TILE)

/* A thread takes few chunks at a time, because each is work for many items. */
enum { CHUNK_WORK = GROUP_CHUNK * 256 };
#define ENTRY_TILE(name) {#name, RELATIONS_##name, 0, 0, 1, CHUNK_WORK, name, NULL, false, 0, 0},
#define ENTRY(name) {#name, RELATIONS_##name, 0, 0, 1, 0, name, NULL, false, 0, 0},
static const struct kernel kernels[] = {RELATIONS_KERNELS(ENTRY) RELATIONS_TILE_KERNELS(ENTRY_TILE)};

const struct kernel *relations_host_kernel(enum relations_kernel which) { return &kernels[which]; }
