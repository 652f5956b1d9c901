/* compact's stash, in the dialect: entries beside the buckets for keys that find no room there.
 *
 * A key's order of entries begins at one that its hash chooses, and goes round.  A search ends at
 * the first vacant entry: an erase leaves a dead one, and only a drain makes entries vacant again.
 * compact.h argues that this is correct beside other operations. */
#ifndef ROOST_COMPACT_STASH_H
#define ROOST_COMPACT_STASH_H

#include "engines/compact/compact_vector.h"
#include "portable/drivers.h"

/* How a kernel works: constants in each. */
struct compact_way {
    int phase, operation;
    bool mixed; /* other operations run beside this one */
    bool early; /* see compact_apply_early */
};

ROOST_FN uint64_t compact_item_hash(const struct item *item) { return (uint64_t)item->home[2].index << 32 | item->home[2].sub; }

ROOST_FN uint32_t compact_stash_start(const struct compact_view *v, uint64_t hash)
{
    return range32((uint32_t)hash * 0xc2b2ae35u, v->stash_entries);
}
ROOST_FN uint32_t compact_stash_next(const struct compact_view *v, uint32_t at) { return at + 1 < v->stash_entries ? at + 1 : 0; }

ROOST_FN struct cell compact_entry_cell(const struct shape s, struct compact_entry *e)
{
    const struct cell c = {&e->value, s.value_bytes, 0, 8 * s.value_bytes};
    return c;
}

/* What a tile sees in the stash.  match: COMPACT_UNSURE if an entry is not complete, which may be
 * the key's. */
#define COMPACT_NOWHERE 0xffffffffu
#define COMPACT_UNSURE 0xfffffffeu
struct compact_seek {
    uint32_t match, open; /* the key's entry; the first open one in its order */
};

/* The acquire: who sees an entry complete also sees its hash, its value, and the bit and the mark
 * that were set before. */
ROOST_FN struct compact_seek compact_stash_search(const struct compact_view *v, uint64_t hash, uint32_t epoch)
{
    struct compact_seek f = {COMPACT_NOWHERE, COMPACT_NOWHERE};
    uint32_t at = compact_stash_start(v, hash);
    for (uint32_t n = 0; n < v->stash_entries; n++, at = compact_stash_next(v, at)) {
        const uint32_t state = load_acquire_device32(&v->stash[at].state);
        if (f.open == COMPACT_NOWHERE && compact_is_open(state, epoch)) f.open = at;
        if (state == COMPACT_VACANT) break;
        if (state == COMPACT_TAKEN) f.match = COMPACT_UNSURE;
        if (state != COMPACT_STASHED || load_relaxed_device64(&v->stash[at].hash) != hash) continue;
        f.match = at;
        break;
    }
    return f;
}

/* One lane searches: two could see different things. */
ROOST_FN struct compact_seek compact_stash_look(const tile g, const struct compact_view *v, uint64_t hash, uint32_t epoch)
{
    struct compact_seek f = {COMPACT_NOWHERE, COMPACT_NOWHERE};
    if (g.lane == 0) f = compact_stash_search(v, hash, epoch);
    f.match = tile_from32(g, f.match, 0);
    f.open = tile_from32(g, f.open, 0);
    return f;
}

/* Ends an item whose key an entry has.  The compare-and-swap: of two lanes that erase it, one
 * does. */
ROOST_FN enum step compact_stash_meet(const struct compact_way w, const struct shape s, const tile g, const struct compact_view *v,
                                      const struct batch *b, struct compact_entry *e, struct item *item)
{
    const struct cell c = compact_entry_cell(s, e);
    const uint32_t dead = COMPACT_DEAD_0 + v->marks->epoch;
    bool gone = false;
    if (w.operation == ROOST_OP_FIND) item->value = tile_from64(g, g.lane == 0 ? compact_cell_load(c) : 0, 0);
    if (g.lane == 0 && operation_inserts(w.operation) && s.value_bytes)
        cell_update(b, w.operation - ROOST_OP_INSERT, c, item->key, item->value);
    if (g.lane == 0 && w.operation == ROOST_OP_ERASE)
        gone = cas_relaxed_device32(&e->state, COMPACT_STASHED, dead) != COMPACT_STASHED;
    if (tile_any(g, gone)) return STEP_AGAIN;
    item->status = operation_status(w.operation, true);
    return STEP_DONE;
}

/* Stores the item's pair in an open entry, by one lane.  False: it is not open any more.
 * The compare-and-swap: of two lanes that see it open, one gets it.  The release: who sees the
 * entry complete also sees the pair, and the bit and the mark, without which the key would not be
 * found. */
ROOST_FN bool compact_stash_store(const struct shape s, const struct compact_view *v, struct compact_entry *e, uint32_t epoch,
                                  const struct item *item)
{
    const uint64_t hash = compact_item_hash(item);
    uint32_t seen = load_relaxed_device32(&e->state);
    (void)compact_filter_set(s, v, item->home[0].index, compact_filter_bit(hash));
    if (!load_relaxed_device32(&v->marks->stashed)) store_relaxed_device32(&v->marks->stashed, 1);
    if (!compact_is_open(seen, epoch) || cas_relaxed_device32(&e->state, seen, COMPACT_TAKEN) != seen) return false;
    store_relaxed_device64(&e->hash, hash);
    compact_cell_store(compact_entry_cell(s, e), item->value);
    (void)cas_release_device32(&e->state, COMPACT_TAKEN, COMPACT_STASHED);
    return true;
}

/* One try of any operation on the stash; adds: an insert may add its pair.  STEP_PARK: the key is
 * not there, and was not added. */
ROOST_FN enum step compact_stash_work(const struct compact_way w, const struct shape s, const tile g, const struct compact_view *v,
                                      const struct batch *b, uint32_t epoch, const bool adds, struct item *item)
{
    const struct compact_seek f = compact_stash_look(g, v, compact_item_hash(item), epoch);
    if (f.match == COMPACT_UNSURE && operation_inserts(w.operation)) return STEP_RETRY;
    if (f.match < COMPACT_UNSURE) return compact_stash_meet(w, s, g, v, b, v->stash + f.match, item);
    if (!adds || f.open == COMPACT_NOWHERE || !permit_take(g, v->permits)) return STEP_PARK;
    if (!tile_any(g, g.lane == 0 && compact_stash_store(s, v, v->stash + f.open, epoch, item))) {
        permit_give(g, v->permits);
        return STEP_AGAIN;
    }
    item->status = ROOST_ITEM_INSERTED;
    return STEP_DONE;
}

/* May the stash have keys?  In a kernel that adds none the mark stays as it is.  In others one lane
 * looks: two could see different things. */
ROOST_FN bool compact_stash_marked(const tile g, const struct compact_view *v)
{
    if (!v->stashes) return v->marks->stashed != 0;
    return tile_any(g, g.lane == 0 && load_relaxed_device32(&v->marks->stashed));
}

#endif
