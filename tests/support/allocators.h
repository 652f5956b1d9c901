/* Allocators for tables: they count what is held, and can refuse. */
#ifndef ROOST_TESTS_ALLOCATORS_H
#define ROOST_TESTS_ALLOCATORS_H

#include <roost/roost.h>
#include <stdbool.h>

struct allocator {
    uint64_t requests;  /* so far, refused ones included */
    uint64_t bytes;     /* held now */
    uint64_t refuse_at; /* this request (from 1) is refused; 0: none */
    bool refuse_on;     /* ... and all after it */
    bool paused;        /* requests are neither counted nor refused */
    uint64_t wrong;     /* pieces that came back with another size than they were asked for with */
};

/* The hooks to put into roost_config.allocator. */
roost_allocator allocator_hooks(struct allocator *allocator);

/* And into roost_config.device_allocator, on a GPU; all NULL in builds without CUDA. */
roost_device_allocator allocator_device_hooks(struct allocator *allocator);

#endif
