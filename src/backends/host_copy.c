/* Copies on the host: between host arrays on several threads, and between any two places, one of
 * which may be on a GPU. */
#include <string.h>

#include "backends/backend.h"
#include "backends/host_threads.h"

enum {
    COPY_GRAIN = 1 << 20 /* bytes, or items, that a thread takes at a time */,
    COPY_THREADS = 8 /* more do not make memory faster */
};

/* A copy of n bytes or, with flags, of those of n items whose flag is set. */
struct copying {
    char *to;
    const char *from;
    const uint8_t *flags;
    uint64_t n;
    int item_bytes;
};

static void copy_in_grains(const struct copying *c, host_share *grain)
{
    const uint64_t grains = (c->n + COPY_GRAIN - 1) / COPY_GRAIN;
    const int processors = grains > 1 ? host_processors() : 1;
    host_run(processors < COPY_THREADS ? processors : COPY_THREADS, grains, grain, c);
}

static uint64_t grain_size(const struct copying *c, uint64_t first)
{
    return c->n - first < COPY_GRAIN ? c->n - first : COPY_GRAIN;
}

static void copy_grain(const void *context, uint64_t i)
{
    const struct copying *c = (const struct copying *)context;
    const uint64_t first = i * COPY_GRAIN;
    memcpy(c->to + first, c->from + first, grain_size(c, first));
}

void backend_copy_host(void *to, const void *from, size_t bytes)
{
    const struct copying c = {.to = (char *)to, .from = (const char *)from, .n = bytes};
    copy_in_grains(&c, copy_grain);
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

static void copy_flagged_grain(const void *context, uint64_t i)
{
    const struct copying *c = (const struct copying *)context;
    const uint64_t first = i * COPY_GRAIN, at = first * (unsigned)c->item_bytes;
    copy_flagged(c->to + at, c->from + at, c->flags + first, grain_size(c, first), c->item_bytes);
}

void backend_copy_flagged(void *to, const void *from, const uint8_t *flags, uint64_t n, int item_bytes)
{
    const struct copying c = {(char *)to, (const char *)from, flags, n, item_bytes};
    copy_in_grains(&c, copy_flagged_grain);
}

roost_space locate_anywhere(struct backend *b, const void *memory)
{
    (void)b;
    const struct backend_operations *cuda = cuda_operations_if_any();
    return cuda ? cuda->locate(NULL, memory) : ROOST_SPACE_HOST;
}

/* CUDA copies nothing between arrays of the host: it does not work in a child after fork(). */
roost_status copy_anywhere(struct backend *b, void *to, const void *from, size_t bytes)
{
    if (locate_anywhere(b, to) == ROOST_SPACE_DEVICE || locate_anywhere(b, from) == ROOST_SPACE_DEVICE)
        return cuda_copy_now(b, to, from, bytes);
    memcpy(to, from, bytes);
    return ROOST_OK;
}

bool copy_between(void *to, const void *from, size_t bytes)
{
    struct error ignored;
    struct backend none;
    memset(&none, 0, sizeof none);
    none.error = &ignored;
    return copy_anywhere(&none, to, from, bytes) == ROOST_OK;
}
