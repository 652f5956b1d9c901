/* Kernels of a table's user, for tests: each item of a list carries out its operation through a
 * view, concurrently with the others. */
#ifndef ROOST_TESTS_OWN_KERNELS_H
#define ROOST_TESTS_OWN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum own_engine { OWN_slab, OWN_compact, OWN_NONE };

/* Room for any engine's view; and whose it is. */
struct own_view {
    uint64_t words[1024];
    enum own_engine engine;
};

/* Arrays like those of roost_batch and roost_call, within reach of the table's machine. */
struct own_work {
    const uint8_t *operations;
    const void *keys, *values_in;
    void *values_out;
    uint8_t *statuses;
    uint64_t n;
};

/* The engine of this name, if it has views. */
enum own_engine own_engine_named(const char *name);
/* A view that is ready to be acquired, and its size in bytes. */
struct own_view own_view_make(enum own_engine engine);
size_t own_view_bytes(const struct own_view *view);

/* own_loops runs on threads of the host. own_kernels runs on the GPU and waits. Both return 0 on
 * success. */
int own_loops(const struct own_view *view, int key_bytes, int value_bytes, const struct own_work *work);
int own_kernels(const struct own_view *view, int key_bytes, int value_bytes, const struct own_work *work);

#ifdef __cplusplus
}
#endif
#endif
