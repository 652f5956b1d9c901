/* Replaces cuda_backend.c in a build without CUDA: no devices. */
#include "backends/backend.h"

#if !defined(ROOST_WITH_CUDA)

const struct backend_operations *cuda_operations_if_any(void) { return NULL; }

int cuda_device_count(void) { return 0; }

int cuda_ordinal_of(const struct backend *b, const void *memory) { return (void)b, (void)memory, -1; }

roost_status cuda_copy_now(struct backend *b, void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
    return error_set(b->error, ROOST_ERR_UNSUPPORTED, "this build has no CUDA");
}

roost_status cuda_describe(int ordinal, roost_device_info *info)
{
    (void)ordinal, (void)info;
    return ROOST_ERR_NOT_FOUND;
}

#endif
