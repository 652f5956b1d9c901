/* The text of a failed call of the CUDA runtime, for files that CUDA's compiler compiles. */
#ifndef ROOST_BACKENDS_CUDA_FAILURE_H
#define ROOST_BACKENDS_CUDA_FAILURE_H

#include <cuda_runtime_api.h>
#include <stddef.h>

/* NULL: no failure.  Clears the sticky last error, so that the next check does not report it
 * again. */
static inline const char *cuda_failure_text(cudaError_t code)
{
    if (code == cudaSuccess) return NULL;
    (void)cudaGetLastError();
    return cudaGetErrorString(code);
}

#endif
