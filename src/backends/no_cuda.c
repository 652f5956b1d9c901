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

/* Asked only of tables on a GPU. */
bool cuda_peer_enable(struct backend *b, int ordinal) { return (void)b, (void)ordinal, false; }
roost_status cuda_shared_allocate(struct backend *b, size_t bytes, void **memory, char name[SHARED_NAME])
{
    (void)bytes, (void)memory, (void)name;
    return error_set(b->error, ROOST_ERR_UNSUPPORTED, "this build has no CUDA");
}
void cuda_shared_release(struct backend *b, void *memory) { (void)b, (void)memory; }
roost_status cuda_shared_open(struct backend *b, const char name[SHARED_NAME], void **memory)
{
    (void)name, (void)memory;
    return error_set(b->error, ROOST_ERR_UNSUPPORTED, "this build has no CUDA");
}
void cuda_shared_close(struct backend *b, void *memory) { (void)b, (void)memory; }

/* Asked only of arrays on a GPU. */
roost_status cuda_event_follow(struct backend *b, void *stream, void *event)
{
    (void)stream, (void)event;
    return error_set(b->error, ROOST_ERR_UNSUPPORTED, "this build has no CUDA");
}
roost_status cuda_event_await(void *event, struct error *error)
{
    (void)event;
    return error_set(error, ROOST_ERR_UNSUPPORTED, "this build has no CUDA");
}

roost_status cuda_describe(int ordinal, roost_device_info *info)
{
    (void)ordinal, (void)info;
    return ROOST_ERR_NOT_FOUND;
}

#endif
