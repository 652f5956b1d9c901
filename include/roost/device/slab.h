/* A table of engine slab in the caller's own kernels: they find, insert and erase while they run,
 * at the same time, each operation linearisable by key.  Experimental: may change before 1.0.
 *
 *     roost_slab_view view = roost_slab_view_make();
 *     roost_view_acquire(table, &view, sizeof view, inserts, &call);   (at most `inserts` new keys)
 *     kernel<<<blocks, threads, 0, stream>>>(view, ...);               (the stream of the call)
 *     roost_view_release(table);
 *
 *     __global__ void kernel(const __grid_constant__ roost_slab_view view, ...)
 *     {
 *         const roost_slab_tile tile = roost_slab_tile_here(4);        (4 lanes work on one key)
 *         roost_slab_worker worker = roost_slab_worker_make(number of this tile);
 *         roost_slab_insert(&view, tile, roost_slab_shape_of(8, 8), ROOST_ADD, key, 1, &worker);
 *
 * A view is plain data, passed by value.  __grid_constant__ keeps a kernel from copying its 3 KB
 * for each thread.  A tile is 1, 2, 4, 8, 16 or 32 lanes of a warp; the number of its first lane in
 * the warp is a multiple of their count.  All lanes make each call together, with equal arguments,
 * and get the same answers.  The shape is a constant: a variable one compiles all shapes at once.
 *
 * The same compiles as C (gcc and clang) for threads of the host, where a tile is one lane.
 * ROOST_ITEM_NONE: the view is of a table of other widths, or of one that does not take the
 * operation; or its pairs of 16 bytes need atomics that this code was not compiled with (sm_90; on
 * the host -mavx).  Option publish=two-step makes a table that does without these. */
#ifndef ROOST_DEVICE_SLAB_H
#define ROOST_DEVICE_SLAB_H

/* gcc's warning after inlining is wrong: slots that a shape does not have are not read. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include "engines/slab/slab_items.h"
#pragma GCC diagnostic pop
#else
#include "engines/slab/slab_items.h"
#endif

typedef struct slab_user_view roost_slab_view;
typedef struct shape roost_slab_shape;
typedef tile roost_slab_tile;

/* The place where a tile's inserts look for free slabs first.  A tile keeps it from call to
 * call. */
typedef struct slab_resident roost_slab_worker;

/* A view to acquire.  It carries the layout that the caller was compiled with. */
static inline roost_slab_view roost_slab_view_make(void)
{
    roost_slab_view view;
    memset(&view, 0, sizeof view);
    view.layout = SLAB_VIEW_LAYOUT;
    return view;
}

/* Tiles with different numbers begin their searches in different places, which affects speed
 * only. */
ROOST_FN roost_slab_worker roost_slab_worker_make(uint32_t number)
{
    return slab_resident_none(number);
}

/* The tile of the calling thread, in a block of any form.  Its threads are a multiple of `size`. */
ROOST_FN roost_slab_tile roost_slab_tile_here(const int size) { return user_tile_here(size); }

/* The table's widths in bytes: 4+4, 8+8, 8+4, 4+8, 4+0 or 8+0. */
ROOST_FN roost_slab_shape roost_slab_shape_of(const int key_bytes, const int value_bytes)
{
#define SLAB_SHAPE_PICK(name, key, value, slots, kind, homes)                                      \
    if (key_bytes == key && value_bytes == value) {                                                \
        const struct shape s = {key, value, slots, kind, homes};                                   \
        return s;                                                                                  \
    }
    SLAB_SHAPES(SLAB_SHAPE_PICK)
#undef SLAB_SHAPE_PICK
    const struct shape none = {0, 0, 0, 0, 0};
    return none;
}

/* ---- Behind the calls ------------------------------------------------------------------------ */

/* Carries out the item, in the way in which the table publishes pairs of 16 bytes. */
ROOST_FN void slab_user_item(const struct shape s, const tile g, const roost_slab_view *view,
                             struct item *item, roost_slab_worker *worker)
{
    const struct user_table *const t = &view->table;
    const struct shape steps = {s.key_bytes, s.value_bytes, s.slots, SLAB_TWO_STEP, s.homes};
    if (!user_item_fits(s, t, item)) return;
    if (s.word == SLAB_PAIR && t->word == SLAB_TWO_STEP) {
        slab_place(steps, &view->at, item);
        user_carry_out(slab_apply_step, steps, g, &view->at, t, item, worker);
    } else if (s.word == SLAB_WORD || ROOST_ATOMIC128) {
        slab_place(s, &view->at, item);
        user_carry_out(slab_apply_step, s, g, &view->at, t, item, worker);
    }
}

/* ---- The calls ------------------------------------------------------------------------------- */

/* FOUND, with the first pair's value in *value (NULL: not wanted), or ABSENT. */
ROOST_FN roost_item_status roost_slab_find(const roost_slab_view *view, const roost_slab_tile g,
                                           const roost_slab_shape s, uint64_t key, uint64_t *value)
{
    struct item item = user_item_make(ROOST_OP_FIND, key, 0);
    slab_user_item(s, g, view, &item, NULL);
    if (value && item.status == ROOST_ITEM_FOUND) *value = item.value;
    return (roost_item_status)item.status;
}

/* INSERTED, UPDATED, KEPT; or FULL: there is no room, and the key is not stored. */
ROOST_FN roost_item_status roost_slab_insert(const roost_slab_view *view, const roost_slab_tile g,
                                             const roost_slab_shape s, const roost_mode mode,
                                             uint64_t key, uint64_t value,
                                             roost_slab_worker *worker)
{
    struct item item = user_item_make((roost_operation)(ROOST_OP_INSERT + mode), key, value);
    slab_user_item(s, g, view, &item, worker);
    return (roost_item_status)item.status;
}

/* ERASED: this call removed the (first) pair; or ABSENT. */
ROOST_FN roost_item_status roost_slab_erase(const roost_slab_view *view, const roost_slab_tile g,
                                            const roost_slab_shape s, uint64_t key)
{
    struct item item = user_item_make(ROOST_OP_ERASE, key, 0);
    slab_user_item(s, g, view, &item, NULL);
    return (roost_item_status)item.status;
}

#endif
