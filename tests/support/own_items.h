/* One item of a list that a user's kernels work on (own_kernels.h), for the host and the GPU. */
#ifndef ROOST_TESTS_OWN_ITEMS_H
#define ROOST_TESTS_OWN_ITEMS_H

#include "roost/device/slab.h"
#include "support/own_kernels.h"

/* X(key bytes, value bytes) */
#define OWN_WIDTHS(X) X(4, 4) X(8, 8) X(8, 4) X(4, 8) X(4, 0) X(8, 0)

ROOST_FN void own_item(const roost_slab_view *view, const roost_slab_tile g, const roost_slab_shape s, const struct own_work *w,
                       uint64_t i, roost_slab_worker *worker)
{
    const int operation = w->operations[i];
    const uint64_t key = load_width(s.key_bytes, w->keys, i);
    uint64_t value = s.value_bytes ? load_width(s.value_bytes, w->values_in, i) : 0;
    roost_item_status status;
    if (operation == ROOST_OP_FIND) status = roost_slab_find(view, g, s, key, &value);
    else if (operation == ROOST_OP_ERASE) status = roost_slab_erase(view, g, s, key);
    else status = roost_slab_insert(view, g, s, (roost_mode)(operation - ROOST_OP_INSERT), key, value, worker);
    if (g.lane != 0) return;
    if (status == ROOST_ITEM_FOUND && s.value_bytes == 4 && value >> 32)
        status = ROOST_ITEM_NONE; /* value wider than its type: always wrong */
    w->statuses[i] = (uint8_t)status;
    if (s.value_bytes && status == ROOST_ITEM_FOUND) store_width(s.value_bytes, w->values_out, i, value);
}

#endif
