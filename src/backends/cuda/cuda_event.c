/* Events that others have recorded, behind which the library's work or the caller waits. */
#include <string.h>

#include "backends/cuda/cuda_failed.h"

/* The event may be of another GPU of the host. */
roost_status cuda_event_follow(struct backend *b, void *stream, void *event)
{
    cudaError_t code = cudaSetDevice(b->ordinal);
    if (code != cudaSuccess) return cuda_failed(b, code, "cudaSetDevice");
    code = cudaStreamWaitEvent((cudaStream_t)stream, *(const cudaEvent_t *)event, 0);
    return code == cudaSuccess ? ROOST_OK : cuda_failed(b, code, "cudaStreamWaitEvent");
}

roost_status cuda_event_await(void *event, struct error *error)
{
    struct backend none;
    memset(&none, 0, sizeof none);
    none.error = error;
    const cudaError_t code = cudaEventSynchronize(*(const cudaEvent_t *)event);
    return code == cudaSuccess ? ROOST_OK : cuda_failed(&none, code, "cudaEventSynchronize");
}
