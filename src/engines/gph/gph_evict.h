/* GPH's eviction, in the dialect: the pass of a table that does not grow over items for which
 * refine found neither a mapping nor room in the overflow store.
 *
 * A step does first what moves nothing: it updates the key or takes a vacancy of its bucket.  If
 * there is none, one of the bucket's slots is vacated for the next step, by another mapping of the
 * cell whose key has the slot.  A step locks one cell at a time, as refine and mend do, so nothing
 * is new in who waits for whom.  Another item may take the vacancy before the item comes again.
 * Then it has the next slot vacated, and is parked when it has had all of them. */
#ifndef ROOST_GPH_EVICT_H
#define ROOST_GPH_EVICT_H

#include "engines/gph/gph_refine.h"

/* An item's home[1].sub counts the slots that were vacated for it. */
#define gph_evict_begin gph_refine_begin
#define gph_evict_end item_report

/* Vacates the slot of a pair, unless the pair is of the item's own cell, whose mappings were all
 * tried.  The pair was read under the lock of the item's cell and not of its own: it may have left
 * by now, and then its cell moves for nothing.  An item that dies tries the same slot again. */
ROOST_FN enum step slot_vacate(const struct shape s, const tile g, const struct gph_view *v, uint64_t unit, uint32_t stamp,
                               struct gph_workspace *w, struct item *item, struct tally *tally)
{
    const uint32_t cell = gph_hash(s, v, unit_key(s, unit)).cell;
    const bool others = unit != 0 && cell != item_cell(item);
    if (others && !cell_remap(s, g, v, cell, stamp, false, w, item, tally)) return item_died(g, v, item, tally);
    item->home[1].sub++;
    return STEP_AGAIN;
}

ROOST_FN enum step gph_evict_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                                  struct tally *tally, void *scratch)
{
    const struct gph_view *v = (const struct gph_view *)view;
    const uint32_t stamp = (uint32_t)item->index + 1, slot = item->home[1].sub;
    struct gph_cell c;
    if (!cell_open(g, v, item_cell(item), stamp, &c)) return item_died(g, v, item, tally);
    cell_hashes(v, v->seeds.family, &c);
    const uint32_t bucket = refine_bucket(v, &c, item);
    const enum attempt attempt = insert_resting(s, g, v, b, &c, bucket, item);
    const bool in_the_way = attempt == ATTEMPT_FULL && slot < (uint32_t)s.slots;
    uint64_t unit = 0;
    if (in_the_way) unit = tile_from64(g, slot_load_unit(s, gph_at(s, v, bucket), (int)slot), 0);
    const enum step result = cell_close(g, v, &c, attempt, item, tally);
    if (!in_the_way) return result;
    return slot_vacate(s, g, v, unit, stamp, (struct gph_workspace *)scratch, item, tally);
}

#endif
