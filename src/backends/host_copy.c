/* Copies on the host: between host arrays on several threads, and between any two places, one of
 * which may be on a GPU. */
#include <omp.h>
#include <string.h>

#include "backends/backend.h"

enum {
    COPY_GRAIN = 1 << 20 /* bytes, or items, that a thread takes at a time */,
    COPY_THREADS = 8 /* more do not make memory faster */
};

static int copy_threads(void)
{
    const int processors = omp_get_num_procs();
    return processors < COPY_THREADS ? processors : COPY_THREADS;
}

void backend_copy_host(void *to, const void *from, size_t bytes)
{
    const int64_t grains = (int64_t)((bytes + COPY_GRAIN - 1) / COPY_GRAIN);
#pragma omp parallel for num_threads(copy_threads()) if (grains > 1)
    for (int64_t i = 0; i < grains; i++) {
        const size_t first = (size_t)i * COPY_GRAIN;
        memcpy((char *)to + first, (const char *)from + first, bytes - first < COPY_GRAIN ? bytes - first : COPY_GRAIN);
    }
}

static void copy_flagged4(uint32_t *to, const uint32_t *from, const uint8_t *flags, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (flags[i]) to[i] = from[i];
}

static void copy_flagged8(uint64_t *to, const uint64_t *from, const uint8_t *flags, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (flags[i]) to[i] = from[i];
}

static void copy_flagged_items(char *to, const char *from, const uint8_t *flags, uint64_t n, size_t bytes)
{
    for (uint64_t i = 0; i < n; i++)
        if (flags[i]) memcpy(to + i * bytes, from + i * bytes, bytes);
}

static void copy_flagged(void *to, const void *from, const uint8_t *flags, uint64_t n, int item_bytes)
{
    if (!memchr(flags, 0, n)) memcpy(to, from, n * (unsigned)item_bytes);
    else if (item_bytes == 4) copy_flagged4((uint32_t *)to, (const uint32_t *)from, flags, n);
    else if (item_bytes == 8) copy_flagged8((uint64_t *)to, (const uint64_t *)from, flags, n);
    else copy_flagged_items((char *)to, (const char *)from, flags, n, (size_t)item_bytes);
}

void backend_copy_flagged(void *to, const void *from, const uint8_t *flags, uint64_t n, int item_bytes)
{
    const int64_t grains = (int64_t)((n + COPY_GRAIN - 1) / COPY_GRAIN);
#pragma omp parallel for num_threads(copy_threads()) if (grains > 1)
    for (int64_t i = 0; i < grains; i++) {
        const uint64_t first = (uint64_t)i * COPY_GRAIN, at = first * (unsigned)item_bytes;
        copy_flagged((char *)to + at, (const char *)from + at, flags + first, n - first < COPY_GRAIN ? n - first : COPY_GRAIN,
                     item_bytes);
    }
}

roost_status copy_anywhere(struct backend *b, void *to, const void *from, size_t bytes)
{
    if (cuda_operations_if_any()) return cuda_copy_now(b, to, from, bytes);
    memcpy(to, from, bytes);
    return ROOST_OK;
}

roost_space locate_anywhere(struct backend *b, const void *memory)
{
    (void)b;
    const struct backend_operations *cuda = cuda_operations_if_any();
    return cuda ? cuda->locate(NULL, memory) : ROOST_SPACE_HOST;
}
