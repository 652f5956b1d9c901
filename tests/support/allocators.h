/* Allocators for tables: they count the memory that is held, and can refuse requests. */
#ifndef ROOST_TESTS_ALLOCATORS_H
#define ROOST_TESTS_ALLOCATORS_H

#include <roost/roost.h>
#include <stdbool.h>

struct allocator {
    uint64_t requests;  /* requests so far, including refused ones */
    uint64_t bytes;     /* bytes held now */
    uint64_t refuse_at; /* number of the request to refuse (from 1); 0: none */
    bool refuse_on;     /* all later requests are refused, too, */
    uint64_t step;      /* or one of `step` of them; 0 and 1: all */
    bool paused;        /* requests are neither counted nor refused */
    uint64_t wrong;     /* blocks released with another size than they were allocated with */
};

/* The hooks for roost_config.allocator. */
roost_allocator allocator_hooks(struct allocator *allocator);

/* The hooks for roost_config.device_allocator on a GPU; all NULL in builds without CUDA. */
roost_device_allocator allocator_device_hooks(struct allocator *allocator);

#endif
