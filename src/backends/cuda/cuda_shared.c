/* Memory of a GPU that others use: other GPUs of the host, and other processes by the runtime's
 * handles.  Both need plain memory, not a pool's. */
#include "backends/cuda/cuda_failed.h"

#include <string.h>

_Static_assert(sizeof(cudaIpcMemHandle_t) <= SHARED_NAME, "a handle is a name");

/* The runtime gives small pieces of memory a common handle: pieces of this size have their own. */
enum { SHARED_UNIT = 2 << 20 };

bool cuda_peer_enable(struct backend *b, int ordinal)
{
    int can = 0;
    if (ordinal == b->ordinal) return true;
    cudaError_t code = cudaDeviceCanAccessPeer(&can, b->ordinal, ordinal);
    if (code == cudaSuccess && can) code = cudaSetDevice(b->ordinal);
    if (code == cudaSuccess && can) code = cudaDeviceEnablePeerAccess(ordinal, 0);
    (void)cudaGetLastError();
    return can && (code == cudaSuccess || code == cudaErrorPeerAccessAlreadyEnabled);
}

roost_status cuda_shared_allocate(struct backend *b, size_t bytes, void **memory, char name[SHARED_NAME])
{
    cudaIpcMemHandle_t handle;
    const size_t units = bytes / SHARED_UNIT + 1;
    cudaError_t code = cudaSetDevice(b->ordinal);
    if (code == cudaSuccess) code = cudaMalloc(memory, units * SHARED_UNIT);
    if (code != cudaSuccess) return cuda_failed(b, code, "cudaMalloc");
    /* Without a handle threads can use it, and processes will fail to map it. */
    memset(name, 0, SHARED_NAME);
    if (cudaIpcGetMemHandle(&handle, *memory) == cudaSuccess) memcpy(name, &handle, sizeof handle);
    (void)cudaGetLastError();
    return ROOST_OK;
}

void cuda_shared_release(struct backend *b, void *memory)
{
    (void)cudaSetDevice(b->ordinal);
    (void)cudaFree(memory);
    (void)cudaGetLastError(); /* a failed context must not prevent the release */
}

roost_status cuda_shared_open(struct backend *b, const char name[SHARED_NAME], void **memory)
{
    cudaIpcMemHandle_t handle;
    memcpy(&handle, name, sizeof handle);
    cudaError_t code = cudaSetDevice(b->ordinal);
    if (code == cudaSuccess) code = cudaIpcOpenMemHandle(memory, handle, cudaIpcMemLazyEnablePeerAccess);
    if (code == cudaSuccess) return ROOST_OK;
    *memory = NULL;
    return cuda_failed(b, code, "cudaIpcOpenMemHandle");
}

void cuda_shared_close(struct backend *b, void *memory)
{
    (void)cudaSetDevice(b->ordinal);
    (void)cudaIpcCloseMemHandle(memory);
    (void)cudaGetLastError();
}
