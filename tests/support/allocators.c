/* Allocators for tables: they count the memory that is held, and can refuse requests. */
#include "support/allocators.h"

#if ROOST_WITH_CUDA
#include <cuda_runtime_api.h>
#endif
#include <stdlib.h>
#include <string.h>

/* The size of each block is stored before it. */
#define HEADER_BYTES 64

static bool refuses(struct allocator *allocator)
{
    if (allocator->paused) return false;
    const uint64_t request = __atomic_add_fetch(&allocator->requests, 1, __ATOMIC_RELAXED);
    if (!allocator->refuse_at || request < allocator->refuse_at) return false;
    if (!allocator->refuse_on) return request == allocator->refuse_at;
    return allocator->step < 2 || (request - allocator->refuse_at) % allocator->step == 0;
}

static void *allocate(void *context, size_t bytes)
{
    struct allocator *allocator = context;
    if (refuses(allocator)) return NULL;
    char *memory = aligned_alloc(64, HEADER_BYTES + bytes / 64 * 64 + 64);
    if (!memory) return NULL;
    memset(memory, 0xA5, HEADER_BYTES + bytes); /* new memory is not zero by contract */
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

#if ROOST_WITH_CUDA
/* Blocks are looked up by address. A table makes its calls one at a time, so no lock is needed. */
static struct {
    void *memory;
    size_t bytes;
} pieces[4096];

static void *allocate_device(void *context, size_t bytes, void *stream)
{
    struct allocator *allocator = context;
    void *memory = NULL;
    size_t i = 0;
    while (i < 4095 && pieces[i].memory) i++;
    if (refuses(allocator) || cudaMallocAsync(&memory, bytes, (cudaStream_t)stream) != cudaSuccess) return NULL;
    if (cudaMemsetAsync(memory, 0xA5, bytes, (cudaStream_t)stream) != cudaSuccess) abort();
    pieces[i].memory = memory;
    pieces[i].bytes = bytes;
    allocator->bytes += bytes;
    return memory;
}

static void release_device(void *context, void *memory, size_t bytes, void *stream)
{
    struct allocator *allocator = context;
    size_t i = 0;
    while (i < 4095 && pieces[i].memory != memory) i++;
    if (pieces[i].memory != memory || pieces[i].bytes != bytes) allocator->wrong++;
    pieces[i].memory = NULL;
    allocator->bytes -= bytes;
    if (cudaFreeAsync(memory, (cudaStream_t)stream) != cudaSuccess) allocator->wrong++;
}

roost_device_allocator allocator_device_hooks(struct allocator *allocator)
{
    return (roost_device_allocator){allocate_device, release_device, allocator};
}
#else
roost_device_allocator allocator_device_hooks(struct allocator *allocator)
{
    (void)allocator;
    return (roost_device_allocator){NULL, NULL, NULL};
}
#endif
