/* Allocators for tables on the host: they count what is held, and can refuse. */
#include "support/allocators.h"

#include <stdlib.h>
#include <string.h>

/* Each piece lies behind its own size. */
#define HEADER_BYTES 64

static bool refuses(struct allocator *allocator)
{
    const uint64_t request = __atomic_add_fetch(&allocator->requests, 1, __ATOMIC_RELAXED);
    return allocator->refuse_at && (allocator->refuse_on ? request >= allocator->refuse_at : request == allocator->refuse_at);
}

static void *allocate(void *context, size_t bytes)
{
    struct allocator *allocator = context;
    if (refuses(allocator)) return NULL;
    char *memory = aligned_alloc(64, HEADER_BYTES + bytes / 64 * 64 + 64);
    if (!memory) return NULL;
    memset(memory, 0xA5, HEADER_BYTES + bytes); /* nobody said that new memory is zero */
    memcpy(memory, &bytes, sizeof bytes);
    __atomic_add_fetch(&allocator->bytes, bytes, __ATOMIC_RELAXED);
    return memory + HEADER_BYTES;
}

static void release(void *context, void *memory, size_t bytes)
{
    struct allocator *allocator = context;
    size_t asked;
    if (!memory) return;
    memcpy(&asked, (char *)memory - HEADER_BYTES, sizeof asked);
    if (asked != bytes) __atomic_add_fetch(&allocator->wrong, 1, __ATOMIC_RELAXED);
    __atomic_sub_fetch(&allocator->bytes, asked, __ATOMIC_RELAXED);
    free((char *)memory - HEADER_BYTES);
}

roost_allocator allocator_hooks(struct allocator *allocator) { return (roost_allocator){allocate, release, allocator}; }
