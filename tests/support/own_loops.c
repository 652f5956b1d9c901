/* The kernels of a table's user as loops on threads of the host. */
#include "support/own_items.h"

#include <string.h>

#define OWN_FITS(engine) _Static_assert(sizeof(uint64_t[1024]) >= sizeof(roost_##engine##_view), "room for a view");
OWN_ENGINES(OWN_FITS)

enum own_engine own_engine_named(const char *name)
{
#define OWN_NAMED(engine)                                                                                                          \
    if (!strcmp(name, #engine)) return OWN_##engine;
    OWN_ENGINES(OWN_NAMED)
    (void)name; /* a tree may have no such engine */
    return OWN_NONE;
}

size_t own_view_bytes(const struct own_view *view)
{
#define OWN_BYTES(name)                                                                                                            \
    if (view->engine == OWN_##name) return sizeof(roost_##name##_view);
    OWN_ENGINES(OWN_BYTES)
    (void)view;
    return 0;
}

#define OWN_MAKE(engine)                                                                                                           \
    static void make_##engine(struct own_view *view)                                                                               \
    {                                                                                                                              \
        const roost_##engine##_view made = roost_##engine##_view_make();                                                           \
        memcpy(view, &made, sizeof made);                                                                                          \
    }
OWN_ENGINES(OWN_MAKE)

struct own_view own_view_make(enum own_engine engine)
{
    struct own_view view = {{0}, engine};
#define OWN_CHOOSE_MAKE(name)                                                                                                      \
    if (engine == OWN_##name) make_##name(&view);
    OWN_ENGINES(OWN_CHOOSE_MAKE)
    return view;
}

enum { PIECE = 64, THREADS = 4 };

#define LOOP(engine, key, value)                                                                                                   \
    static void loop_##engine##_##key##_##value(const struct own_view *view, const struct own_work *w, uint64_t first)             \
    {                                                                                                                              \
        own_##engine##_worker worker = own_##engine##_worker_make((uint32_t)(first / PIECE));                                      \
        for (uint64_t i = first; i < w->n && i < first + PIECE; i++)                                                               \
            own_item_##engine((const roost_##engine##_view *)(const void *)view, roost_##engine##_tile_here(1),                    \
                              roost_##engine##_shape_of(key, value), w, i, &worker);                                               \
    }
#define LOOPS(engine) OWN_WIDTHS(LOOP, engine)
OWN_ENGINES(LOOPS)

#define CHOOSE(name, key, value)                                                                                                   \
    if (view->engine == OWN_##name && key_bytes == key && value_bytes == value) loop = loop_##name##_##key##_##value;
#define CHOICES(engine) OWN_WIDTHS(CHOOSE, engine)

int own_loops(const struct own_view *view, int key_bytes, int value_bytes, const struct own_work *work)
{
    void (*loop)(const struct own_view *view, const struct own_work *w, uint64_t first) = NULL;
    OWN_ENGINES(CHOICES)
    (void)key_bytes, (void)value_bytes;
    if (!loop) return 1;
#pragma omp parallel for schedule(dynamic) num_threads(THREADS)
    for (uint64_t first = 0; first < work->n; first += PIECE) loop(view, work, first);
    return 0;
}
