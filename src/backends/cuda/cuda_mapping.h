/* Mapped device memory: an array that grows where it is, by physical memory that is mapped behind
 * the array's.  The driver's calls are found at run time, so the library does not link to it. */
#ifndef ROOST_BACKENDS_CUDA_MAPPING_H
#define ROOST_BACKENDS_CUDA_MAPPING_H

#include "backends/backend.h"

/* The mapped arrays of a table; initially NULL. */
struct cuda_mapping;

/* The unit of a device's mapped memory, bytes; 0: it has none. */
size_t cuda_mapping_unit(int ordinal);
/* As backend_operations.remap.  The device is the current one. */
roost_status cuda_mapping_resize(struct backend *b, struct cuda_mapping **all, void **memory, size_t from, size_t to);

#endif
