/* A call's arrays, on the host or on the device. */
#include "support/arrays.h"

#include "support/suite.h"

#include <stdlib.h>
#include <string.h>

#if ROOST_WITH_CUDA
#include <cuda_runtime_api.h>

static void cuda_done(cudaError_t error)
{
    require(error == cudaSuccess, "the test's own CUDA call failed: %s", cudaGetErrorString(error));
}

static void *device_copy(const void *host, size_t bytes)
{
    void *device;
    cuda_done(cudaMalloc(&device, bytes));
    cuda_done(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    return device;
}

static void device_fetch(void *host, const void *device, size_t bytes)
{
    cuda_done(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
}

static void device_update(void *device, const void *host, size_t bytes)
{
    cuda_done(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
}

static void device_clear(void *device, size_t bytes) { cuda_done(cudaMemset(device, 0, bytes)); }

static void device_free(void *device) { cuda_done(cudaFree(device)); }
#else
static void *device_copy(const void *host, size_t bytes)
{
    (void)host;
    suite_fail(__FILE__, __LINE__, "ROOST_WITH_CUDA", "%zu bytes on the device in a build without CUDA", bytes);
}

static void device_fetch(void *host, const void *device, size_t bytes) { (void)host, (void)device, (void)bytes; }

static void device_update(void *device, const void *host, size_t bytes) { (void)device, (void)host, (void)bytes; }

static void device_clear(void *device, size_t bytes) { (void)device, (void)bytes; }

static void device_free(void *device) { (void)device; }
#endif

struct array array_make(size_t bytes)
{
    const size_t rounded = bytes / 64 * 64 + 64;
    struct array array = {.host = aligned_alloc(64, rounded), .bytes = bytes};
    if (!array.host) abort();
    array.given = array.host;
    return array;
}

void array_send(struct array *array, bool to_device)
{
    array->given = to_device ? device_copy(array->host, array->bytes ? array->bytes : 1) : array->host;
}

void array_update(struct array *array)
{
    if (array->given != array->host) device_update(array->given, array->host, array->bytes);
}

void array_clear(struct array *array)
{
    if (array->given != array->host) device_clear(array->given, array->bytes);
    else memset(array->host, 0, array->bytes);
}

void array_fetch(struct array *array)
{
    if (array->given != array->host) device_fetch(array->host, array->given, array->bytes);
}

void array_free(struct array *array)
{
    if (array->given != array->host) device_free(array->given);
    free(array->host);
    *array = (struct array){0};
}
