/* Checks the jumps of a slab list on the scheduled machine: invariant H of slab.h. */
#include "support/scheduled_slab_table.h"

#include <inttypes.h>

/* The number of the slab to which a jump leads, from 0; -1: it leads out of the list. */
static int place_of(const struct slab_scene_table *t, const struct slab_list_slabs *list, uint32_t handle)
{
    for (int i = 1; i < list->n; i++)
        if (list->slab[i] == slab_unit(&t->view.pool, handle)) return i;
    return -1;
}

static bool tail_check(const struct slab_scene_table *t, int to)
{
    return (t->view.multi && to >= (int)t->view.near) || wrong_say("invariant H: a tail is slab %d, counted from 0", to);
}

static bool skip_check(const struct slab_scene_table *t, const struct slab_list_slabs *list, int from, int to)
{
    if (from + 1 < (int)t->view.near || to <= from) return wrong_say("invariant H: a jump leads from slab %d to slab %d", from, to);
    for (int i = from + 1; i < to; i++)
        if (!list->is_dead[i]) return wrong_say("invariant H: a jump from slab %d to %d skips slab %d, with keys", from, to, i);
    return true;
}

bool slab_jumps_check(const struct slab_scene_table *t, const struct slab_list_slabs *list, struct slab_contents *contents)
{
    for (int i = 0; i < list->n; i++) {
        const uint32_t jump = *slab_jump(t->shape, list->slab[i]), handle = jump & SLAB_JUMP_NONE;
        const bool is_tail = jump >> SLAB_TAIL_BIT & 1u;
        if (is_tail && handle == SLAB_JUMP_NONE) continue;
        if (is_tail != (i == 0)) return wrong_say("invariant H: slab %d has the jump %" PRIx32, i, jump);
        const int to = place_of(t, list, handle);
        if (is_tail ? !tail_check(t, to) : !skip_check(t, list, i, to)) return false;
        contents->tails += is_tail, contents->skips += !is_tail;
    }
    return true;
}
