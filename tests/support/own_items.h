/* One item of a list that a user's kernels work on (own_kernels.h), for the host and the GPU. */
#ifndef ROOST_TESTS_OWN_ITEMS_H
#define ROOST_TESTS_OWN_ITEMS_H

#include "portable/user_items.h"
#include "support/own_kernels.h"

/* A tree may lack the room of an engine.  The worker is what an engine's inserts need beside the
 * view, by the number of their tile. */
#if __has_include("engines/slab/slab_items.h")
#include "roost/device/slab.h"
#define OWN_SLAB(X) X(slab)
typedef roost_slab_worker own_slab_worker;
ROOST_FN own_slab_worker own_slab_worker_make(uint32_t number) { return roost_slab_worker_make(number); }
ROOST_FN roost_item_status own_slab_insert(const roost_slab_view *view, const tile g, const struct shape s, const roost_mode mode,
                                           uint64_t key, uint64_t value, own_slab_worker *worker)
{
    return roost_slab_insert(view, g, s, mode, key, value, worker);
}
#else
#define OWN_SLAB(X)
#endif
#if __has_include("engines/compact/compact_items.h")
#include "roost/device/compact.h"
#define OWN_COMPACT(X) X(compact)
typedef uint32_t own_compact_worker; /* none */
ROOST_FN own_compact_worker own_compact_worker_make(uint32_t number) { return number; }
ROOST_FN roost_item_status own_compact_insert(const roost_compact_view *view, const tile g, const struct shape s,
                                              const roost_mode mode, uint64_t key, uint64_t value, own_compact_worker *worker)
{
    (void)worker;
    return roost_compact_insert(view, g, s, mode, key, value);
}
#else
#define OWN_COMPACT(X)
#endif

/* X(engine): those with views. */
#define OWN_ENGINES(X) OWN_SLAB(X) OWN_COMPACT(X)
/* X(engine, key bytes, value bytes) */
#define OWN_WIDTHS(X, engine) X(engine, 4, 4) X(engine, 8, 8) X(engine, 8, 4) X(engine, 4, 8) X(engine, 4, 0) X(engine, 8, 0)

ROOST_FN void own_report(const struct shape s, const struct own_work *w, uint64_t i, roost_item_status status, uint64_t value)
{
    if (status == ROOST_ITEM_FOUND && s.value_bytes == 4 && value >> 32)
        status = ROOST_ITEM_NONE; /* value wider than its type: always wrong */
    w->statuses[i] = (uint8_t)status;
    if (s.value_bytes && status == ROOST_ITEM_FOUND) store_width(s.value_bytes, w->values_out, i, value);
}

#define OWN_ITEM(engine)                                                                                                           \
    ROOST_FN void own_item_##engine(const roost_##engine##_view *view, const tile g, const struct shape s,                         \
                                    const struct own_work *w, uint64_t i, own_##engine##_worker *worker)                           \
    {                                                                                                                              \
        const int operation = w->operations[i];                                                                                    \
        const uint64_t key = load_width(s.key_bytes, w->keys, i);                                                                  \
        uint64_t value = s.value_bytes ? load_width(s.value_bytes, w->values_in, i) : 0;                                           \
        roost_item_status status;                                                                                                  \
        if (operation == ROOST_OP_FIND) status = roost_##engine##_find(view, g, s, key, &value);                                   \
        else if (operation == ROOST_OP_ERASE) status = roost_##engine##_erase(view, g, s, key);                                    \
        else status = own_##engine##_insert(view, g, s, (roost_mode)(operation - ROOST_OP_INSERT), key, value, worker);            \
        if (g.lane == 0) own_report(s, w, i, status, value);                                                                       \
    }
OWN_ENGINES(OWN_ITEM)

#endif
