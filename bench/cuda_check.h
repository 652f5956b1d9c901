/* The check around every CUDA call of the benchmark: on an error names the call and ends the
 * program. */
#ifndef ROOST_BENCH_CUDA_CHECK_H
#define ROOST_BENCH_CUDA_CHECK_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)

static inline void cuda_check(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess) return;
    fprintf(stderr, "roost-bench: %s: %s (%s:%d)\n", call, cudaGetErrorString(error), file, line);
    exit(1);
}

/* Checks the kernel launch just before. */
#define CUDA_CHECK_LAUNCH() CUDA_CHECK(cudaGetLastError())

#endif
