/* GPH's tables that do not grow, or were refused memory for it, once they have as many keys as they
 * were made for.
 *
 * Such a table takes more keys until one finds no room, or half of the overflow store but one
 * bucket is taken.  From then on it is full with that number of keys: it refuses new ones without a
 * search.  After erases it takes keys up to that number again.  It stops so early because it is to
 * take a key for each one that was erased.  Then other cells move out of the new key's way (evict),
 * which they can while they have other mappings; a table without vacancies has none for any
 * cell. */
#include "engines/gph/gph_table.h"

enum {
    PROBES = 256,      /* steps by which a table is filled that was never full, in its room */
    SOME = 64,         /* items without room that are no reason to try no more */
    MENDED_ERASED = 16 /* flagged cells that an erased key pays for if that spares a refusal */
};

bool gph_is_tight(const struct gph_table *t, uint64_t more)
{
    return (!t->base.growth || t->full_keys) && gph_count(&t->base) + more > t->room_keys;
}

void gph_filled(struct gph_table *t)
{
    const uint64_t count = gph_count(&t->base);
    t->full_keys = count > t->room_keys ? count : t->room_keys;
}

/* Keys that have been in the table without one being refused. */
static uint64_t keys_owed(const struct gph_table *t) { return t->full_keys > t->room_keys ? t->full_keys : t->room_keys; }

/* The number of new keys to try next; 0: the table is full.  A step beyond what is owed is small,
 * so that its first pass does not fill the vacancies that moves need. */
static uint64_t keys_next(const struct gph_table *t)
{
    const uint64_t count = gph_count(&t->base), owed = keys_owed(t);
    if (count < owed) return owed - count;
    return t->full_keys ? 0 : t->room_keys / PROBES + 1;
}

/* The rest is for keys to come in the place of erased ones.  With half of the whole store taken,
 * tables of some hundred keys refused up to one in fifty of these. */
static bool overflow_filled(const struct gph_table *t)
{
    const uint64_t slots = (unsigned)t->base.shape.slots;
    return 2 * (t->counts.overflow + slots) >= t->view.overflow_count * slots;
}

/* Makes room for items that found none although other keys were erased: by evictions, and, where
 * these do not help, after a mend that the erased keys have paid for in part. */
static roost_status owed_insert(struct insertion *in)
{
    struct gph_table *t = gph_of(in->table);
    roost_status status = gph_piece_evict(in);
    if (status || !in->items.n || MENDED_ERASED * t->erased < t->counts.flagged) return status;
    status = gph_mend_cells(t);
    if (!status) status = gph_piece_passes(in, PASS_REFINE, PASS_FINISH);
    return status || !in->items.n ? status : gph_piece_evict(in);
}

/* Inserts items of keys that are not stored.  Those without room remain.  Evictions come before
 * moves of the items' own cells, which would fill the overflow store. */
static roost_status step_insert(struct insertion *in)
{
    struct gph_table *t = gph_of(in->table);
    const bool owed = gph_count(in->table) < keys_owed(t);
    roost_status status = gph_piece_passes(in, PASS_FILL, PASS_FILL);
    if (!status && in->items.n && owed) status = gph_piece_evict(in);
    if (!status && in->items.n) status = gph_piece_passes(in, PASS_REFINE, PASS_FINISH);
    if (!status && in->items.n && owed) status = owed_insert(in);
    if (!status && in->items.n) status = gph_piece_update(in); /* others may have stored the key */
    if (!status && !owed && overflow_filled(t)) status = gph_mend_due(t);
    if (!status && (in->items.n || (!owed && overflow_filled(t)))) gph_filled(t);
    return status;
}

/* A piece's items of keys that are not stored, while they are inserted. */
struct waiting {
    struct source items; /* not tried yet */
    uint64_t refused;    /* items that were tried, and found no room */
    uint64_t fresh;      /* keys that the piece had stored when these were looked for last */
    uint64_t known;      /* steps since then that found half of their keys stored */
};

/* Updates those of the waiting items whose keys are stored by now. */
static roost_status waiting_update(struct insertion *in, struct waiting *waiting)
{
    in->items = waiting->items;
    const roost_status status = in->items.n ? gph_piece_update(in) : ROOST_OK;
    waiting->items = in->items;
    waiting->fresh = in->fresh;
    waiting->known = 0;
    return status;
}

/* Inserts the first of the waiting items, of at most `room` keys.  After some such steps with keys
 * that were stored before, the others are likely to have many copies, too, and are updated. */
static roost_status waiting_insert(struct insertion *in, struct waiting *waiting, uint64_t room)
{
    enum { STEPS = 8 };
    const uint64_t fresh = in->fresh;
    uint64_t keys;
    in->items = waiting->items;
    roost_status status = insertion_split(in, room, &waiting->items, &keys);
    if (!status) status = step_insert(in);
    waiting->refused += in->items.n;
    waiting->known += 2 * (in->fresh - fresh + in->items.n) < keys;
    return status || waiting->known < STEPS ? status : waiting_update(in, waiting);
}

/* Inserts the first of the waiting items, while the table owes them room. */
static roost_status waiting_try(struct insertion *in, struct waiting *waiting)
{
    roost_status status = ROOST_OK;
    uint64_t next;
    while (!status && waiting->items.n && waiting->refused <= SOME + in->fresh && (next = keys_next(gph_of(in->table))) != 0)
        status = waiting_insert(in, waiting, next);
    if (!status && in->fresh > waiting->fresh) status = waiting_update(in, waiting);
    in->items.n = waiting->refused + waiting->items.n;
    return status;
}

roost_status gph_insert_tight(struct insertion *in)
{
    struct waiting waiting = {in->items, 0, 0, 0};
    roost_status status = waiting_update(in, &waiting);
    in->table->stats.parked += waiting.items.n;
    if (!status) status = waiting_try(in, &waiting);
    return !status && in->items.n ? insertion_full(in) : status;
}

/* Inserts waiting items while the table has room for their keys, until some find none. */
static roost_status waiting_fill(struct insertion *in, struct waiting *waiting)
{
    const struct gph_table *t = gph_of(in->table);
    struct source left = {NULL, NULL, 0};
    roost_status status = ROOST_OK;
    uint64_t keys;
    while (!status && waiting->items.n && !left.n && gph_count(in->table) < t->room_keys) {
        in->items = waiting->items;
        status = insertion_split(in, t->room_keys - gph_count(in->table), &waiting->items, &keys);
        if (!status) status = step_insert(in);
        left = in->items;
        if (!status && !left.n) status = waiting_update(in, waiting);
    }
    if (!status && left.n) status = lists_join(&in->table->lists, &left, &waiting->items);
    if (left.n) waiting->items = left;
    in->items = waiting->items;
    return status;
}

roost_status gph_insert_refused(struct insertion *in)
{
    const struct error_mark before = error_keep(in->table->error);
    struct waiting waiting = {in->items, 0, 0, 0};
    in->batch.park_status = ROOST_ITEM_NO_MEMORY;
    roost_status status = waiting_update(in, &waiting);
    in->table->stats.parked += waiting.items.n;
    if (!status) status = waiting_fill(in, &waiting);
    if (status || !waiting.items.n) return status;
    status = gph_enlarge(gph_of(in->table), gph_count(in->table) + 1, false);
    if (status == ROOST_ERR_MEMORY) {
        const struct error_mark why = error_keep(in->table->error);
        status = waiting_try(in, &waiting);
        error_restore(&why);
        return !status && in->items.n ? ROOST_ERR_MEMORY : status;
    }
    if (status == ROOST_ERR_FULL) error_restore(&before), status = ROOST_OK; /* passes will show */
    if (!status) status = in->run(in);
    return status ? status : insertion_finish(in);
}

roost_status gph_make_way(struct insertion *in)
{
    roost_status status = in->items.n <= SOME ? gph_piece_evict(in) : ROOST_OK;
    return !status && in->items.n ? insertion_full(in) : status;
}
