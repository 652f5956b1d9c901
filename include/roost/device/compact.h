/* A table of engine compact in the caller's own kernels: they find, insert and erase while they
 * run, at the same time, each operation linearisable by key.  Experimental: may change before 1.0.
 *
 *     roost_compact_view view = roost_compact_view_make();
 *     roost_view_acquire(table, &view, sizeof view, inserts, &call);   (at most `inserts` new keys)
 *     kernel<<<blocks, threads, 0, stream>>>(view, ...);               (the stream of the call)
 *     roost_view_release(table);
 *
 *     __global__ void kernel(const __grid_constant__ roost_compact_view view, ...)
 *     {
 *         const roost_compact_tile tile = roost_compact_tile_here(2);  (2 lanes work on one key)
 *         roost_compact_insert(&view, tile, roost_compact_shape_of(8, 8), ROOST_ADD, key, 1);
 *
 * A view is plain data, passed by value.  A tile is 1 or 2 lanes of a warp; the number of its first
 * lane in the warp is a multiple of their count.  All lanes make each call together, with equal
 * arguments, and get the same answers.  The shape is a constant: a variable one compiles all shapes
 * at once.
 *
 * An erased key's slot stays taken until the release.  The announced inserts find room for random
 * keys; keys that collide, or one that is inserted and erased again and again, may end FULL.
 *
 * The same compiles as C (gcc and clang) for threads of the host, where a tile is one lane.
 * ROOST_ITEM_NONE: the view is of a table of other widths, or of one that does not take the
 * operation. */
#ifndef ROOST_DEVICE_COMPACT_H
#define ROOST_DEVICE_COMPACT_H

#include "engines/compact/compact_items.h"

typedef struct compact_user_view roost_compact_view;
typedef struct shape roost_compact_shape;
typedef tile roost_compact_tile;

/* A view to acquire.  It carries the layout that the caller was compiled with. */
static inline roost_compact_view roost_compact_view_make(void)
{
    roost_compact_view view;
    memset(&view, 0, sizeof view);
    view.layout = COMPACT_VIEW_LAYOUT;
    return view;
}

/* The tile of the calling thread, in a block of any form.  Its threads are a multiple of `size`. */
ROOST_FN roost_compact_tile roost_compact_tile_here(const int size) { return user_tile_here(size); }

/* The table's widths in bytes: 4+4, 8+8, 8+4, 4+8, 4+0 or 8+0. */
ROOST_FN roost_compact_shape roost_compact_shape_of(const int key_bytes, const int value_bytes)
{
    const struct shape s = {key_bytes, value_bytes, 0, 0, 0};
    return s;
}

/* ---- Behind the calls ------------------------------------------------------------------------ */

/* Carries out the item in the shape that the table has at its size: one of those of its widths. */
ROOST_FN void compact_user_item(const struct shape s, const tile g, const roost_compact_view *view,
                                struct item *item)
{
    const struct compact_view *const v = &view->at;
    const struct user_table *const t = &view->table;
    const uint64_t hash = compact_hash(compact_bits(s), &v->seeds, item->key);
    if (!user_item_fits(s, t, item)) return;
#define COMPACT_SHAPE_TRY(name, key, value, in_bucket, bytes, homes)                               \
    if (s.key_bytes == key && s.value_bytes == value && t->slots == in_bucket &&                   \
        t->word == bytes) {                                                                        \
        const struct shape own = {key, value, in_bucket, bytes, homes};                            \
        compact_item_place(own, v, hash, item);                                                    \
        user_carry_out(compact_apply_step, own, g, v, t, item, NULL);                              \
    }
    COMPACT_SHAPES(COMPACT_SHAPE_TRY)
#undef COMPACT_SHAPE_TRY
}

/* ---- The calls ------------------------------------------------------------------------------- */

/* FOUND, with the value in *value (NULL: not wanted), or ABSENT. */
ROOST_FN roost_item_status roost_compact_find(const roost_compact_view *view,
                                              const roost_compact_tile g,
                                              const roost_compact_shape s, uint64_t key,
                                              uint64_t *value)
{
    struct item item = user_item_make(ROOST_OP_FIND, key, 0);
    compact_user_item(s, g, view, &item);
    if (value && item.status == ROOST_ITEM_FOUND) *value = item.value;
    return (roost_item_status)item.status;
}

/* INSERTED, UPDATED, KEPT; or FULL: there is no room, and the key is not stored. */
ROOST_FN roost_item_status roost_compact_insert(const roost_compact_view *view,
                                                const roost_compact_tile g,
                                                const roost_compact_shape s, const roost_mode mode,
                                                uint64_t key, uint64_t value)
{
    struct item item = user_item_make((roost_operation)(ROOST_OP_INSERT + mode), key, value);
    compact_user_item(s, g, view, &item);
    return (roost_item_status)item.status;
}

/* ERASED: this call removed the pair; or ABSENT. */
ROOST_FN roost_item_status roost_compact_erase(const roost_compact_view *view,
                                               const roost_compact_tile g,
                                               const roost_compact_shape s, uint64_t key)
{
    struct item item = user_item_make(ROOST_OP_ERASE, key, 0);
    compact_user_item(s, g, view, &item);
    return (roost_item_status)item.status;
}

#endif
