/* Stamps the kernels over rows and groups for the host. */
#include "relations/relations_kernels.h"

/* Arguments of its own, which no store of a kernel can change, stay in registers. */
#define STAMP(name)                                                                                                                \
    static void name(const void *args, uint64_t first, uint64_t last)                                                              \
    {                                                                                                                              \
        const struct relations_args a = *(const struct relations_args *)args;                                                      \
        for (uint64_t i = first; i < last; i++) relations_##name(&a, i);                                                           \
    }
RELATIONS_KERNELS(STAMP)

#define STAMP_TILE(name)                                                                                                           \
    static void name(const void *args, uint64_t first, uint64_t last)                                                              \
    {                                                                                                                              \
        const struct relations_args a = *(const struct relations_args *)args;                                                      \
        struct group_cache cache;                                                                                                  \
        for (uint64_t i = first; i < last; i++) relations_##name(tile_make(1), &a, i, &cache);                                     \
    }
RELATIONS_TILE_KERNELS(STAMP_TILE)

/* A thread takes few chunks at a time, because each is work for many items. */
enum { CHUNK_WORK = GROUP_CHUNK * 256 };
#define ENTRY_TILE(name) {#name, RELATIONS_##name, 0, 0, 1, CHUNK_WORK, name, NULL, false, 0, 0},
#define ENTRY(name) {#name, RELATIONS_##name, 0, 0, 1, 0, name, NULL, false, 0, 0},
static const struct kernel kernels[] = {RELATIONS_KERNELS(ENTRY) RELATIONS_TILE_KERNELS(ENTRY_TILE)};

static void steps(const void *args, uint64_t first, uint64_t last)
{
    const struct relations_steps *all = (const struct relations_steps *)args;
    for (uint64_t chunk = first; chunk < last; chunk++)
        for (int i = 0; i < all->n; i++) {
            const struct relations_step *step = &all->step[i];
            const uint64_t begin = chunk * GROUP_CHUNK, end = begin + GROUP_CHUNK < all->rows ? begin + GROUP_CHUNK : all->rows;
            if (relations_takes_chunks(step->which)) kernels[step->which].host(&step->args, chunk, chunk + 1);
            else kernels[step->which].host(&step->args, begin, end);
        }
}
const struct kernel relations_host_steps = {"steps", RELATIONS_KERNEL_COUNT, 0, 0, 1, CHUNK_WORK, steps, NULL, false, 0, 0};

const struct kernel *relations_host_kernel(enum relations_kernel which) { return &kernels[which]; }
