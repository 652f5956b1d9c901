/* The kernels of a table's user as loops on threads of the host. */
#include "support/own_items.h"

_Static_assert(sizeof(struct own_view) >= sizeof(roost_slab_view), "room for a view");

size_t own_view_bytes(void) { return sizeof(roost_slab_view); }

struct own_view own_view_make(void)
{
    const roost_slab_view made = roost_slab_view_make();
    struct own_view view = {{0}};
    memcpy(&view, &made, sizeof made);
    return view;
}

enum { PIECE = 64, THREADS = 4 };

#define LOOP(key, value)                                                                                                           \
    static void loop_##key##_##value(const roost_slab_view *view, const struct own_work *w, uint64_t first)                        \
    {                                                                                                                              \
        roost_slab_worker worker = roost_slab_worker_make((uint32_t)(first / PIECE));                                              \
        for (uint64_t i = first; i < w->n && i < first + PIECE; i++)                                                               \
            own_item(view, roost_slab_tile_here(1), roost_slab_shape_of(key, value), w, i, &worker);                               \
    }
OWN_WIDTHS(LOOP)

#define CHOOSE(key, value)                                                                                                         \
    if (key_bytes == key && value_bytes == value) loop = loop_##key##_##value;

int own_loops(const struct own_view *view, int key_bytes, int value_bytes, const struct own_work *work)
{
    void (*loop)(const roost_slab_view *view, const struct own_work *w, uint64_t first) = NULL;
    OWN_WIDTHS(CHOOSE)
    if (!loop) return 1;
#pragma omp parallel for schedule(dynamic) num_threads(THREADS)
    for (uint64_t first = 0; first < work->n; first += PIECE) loop((const roost_slab_view *)(const void *)view, work, first);
    return 0;
}
