/* How a failed call of the CUDA runtime becomes a status with its text. */
#ifndef ROOST_BACKENDS_CUDA_FAILED_H
#define ROOST_BACKENDS_CUDA_FAILED_H

#include <cuda_runtime_api.h>

#include "backends/backend.h"

/* Also clears the sticky last error, so that the next check does not report it again. */
roost_status cuda_failed(struct backend *b, cudaError_t code, const char *call);

#endif
