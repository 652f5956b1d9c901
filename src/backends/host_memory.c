/* Host memory for small structs, from the caller's allocator or the system's. */
#include <stdlib.h>
#include <string.h>

#include "backends/backend.h"

void *host_new(const roost_allocator *allocator, size_t bytes)
{
    if (!allocator->allocate) return calloc(1, bytes);
    void *memory = allocator->allocate(allocator->context, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void host_delete(const roost_allocator *allocator, void *memory, size_t bytes)
{
    if (!memory) return;
    if (allocator->release) allocator->release(allocator->context, memory, bytes);
    else free(memory);
}
