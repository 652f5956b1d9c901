/* The life of a table, the same for all engines: the rules on capture, waiting and refusal. */
#include "engines/table.h"

#include <inttypes.h>
#include <string.h>

#include "engines/crowd.h"
#include "engines/engine.h"
#include "engines/insertion.h"
#include "engines/making.h"
#include "engines/policy.h"
#include "engines/reseed.h"

static const struct table_hooks *hooks_of(const struct engine_table *t) { return &t->engine->hooks; }

/* ---- Making --------------------------------------------------------------------------------- */

static struct engine_table *table_new(const struct engine *engine, const struct engine_config *config, struct backend *b,
                                      struct error *error)
{
    struct engine_table *t = (struct engine_table *)host_new(&b->allocator, engine->hooks.table_bytes);
    if (!t) {
        (void)error_set(error, ROOST_ERR_MEMORY, "no memory for the table's description");
        return NULL;
    }
    t->engine = engine;
    t->backend = b;
    t->error = error;
    t->warnings = config->warnings;
    t->kernels = engine->kernels[b->operations->machine]();
    t->kernels.atomic128 &= b->atomic128;
    return t;
}

/* Does a table of `keys` keys have at most as many bytes as a machine can have?  The slot of a
 * string has the string's place and length, 16 bytes. */
static bool are_possible(const struct engine_table *t, uint64_t keys)
{
    const int pair = (t->key_bytes ? t->key_bytes : 16) + t->value_bytes;
    return (double)keys / t->max_fill * pair <= 1e18;
}

static roost_status keys_check(const struct engine_table *t, uint64_t keys)
{
    if (are_possible(t, keys)) return ROOST_OK;
    return error_set(t->error, ROOST_ERR_ARGUMENT, "%" PRIu64 " keys: their bytes overflow", keys);
}

static roost_status table_configure(struct engine_table *t, const struct engine_config *config)
{
    const roost_config *asked = config->config;
    roost_status status = options_read(t, config);
    if (status) return status;
    t->key_bytes = config->key_bytes;
    t->value_bytes = config->value_bytes;
    t->value_type = config->value_type;
    t->growth = asked->growth != 0;
    t->multi = (asked->flags & ROOST_MULTI) != 0;
    t->saturate = asked->saturate != 0;
    t->captures = t->engine->captures && !t->growth;
    t->mixes = t->engine->mixes;
    t->min_fill = asked->min_fill;
    t->max_fill = asked->max_fill;
    t->floor_keys = t->asked_keys = asked->capacity;
    status = keys_check(t, t->floor_keys);
    return status ? status : hooks_of(t)->configure(t, config);
}

static void table_delete(struct engine_table *t)
{
    crowd_forget(t);
    table_drop_origin(t);
    host_delete(&t->backend->allocator, t, hooks_of(t)->table_bytes);
}

roost_status engine_create(struct engine_table **table, const struct engine *engine, const struct engine_config *config,
                           struct backend *b, struct error *error)
{
    struct engine_table *t = table_new(engine, config, b, error);
    if (!t) return ROOST_ERR_MEMORY;
    roost_status status = table_configure(t, config);
    if (!status) status = table_keep_origin(t);
    if (!status) status = table_make(t);
    if (status) table_delete(t);
    else *table = t;
    return status;
}

void engine_destroy(struct engine_table *t)
{
    table_unmake(t);
    table_delete(t);
}

/* ---- Other seeds ---------------------------------------------------------------------------- */

enum { RESEEDS_MOST = 4 /* of a call */ };

/* Reseeds at the table's size.  If it cannot, the call at hand does not try again. */
static roost_status reseed(struct engine_table *t)
{
    const struct table_hooks *h = hooks_of(t);
    const roost_status status = table_reseed(t, h->room ? h->room(t) : (uint64_t)(t->max_fill * (double)h->slots(t)));
    t->doubtful = false;
    t->reseeds_left = status ? 0 : t->reseeds_left - 1;
    if (status == ROOST_ERR_MEMORY) ledger_refuse(&t->ledger); /* it may stay above its bounds */
    return status;
}

/* Serves the items that wait for other seeds.  A refused copy is refused memory to them. */
static roost_status write_resume(struct engine_table *t, struct progress *p)
{
    const struct error_mark before = error_keep(t->error);
    const roost_status status = reseed(t);
    t->waiting->refused = status == ROOST_ERR_MEMORY;
    if (status == ROOST_ERR_FULL) error_restore(&before);
    const roost_status resumed = hooks_of(t)->resume(t, p);
    return status_of_items(status) || !status ? resumed : status;
}

/* Reseeds a table that an asynchronous call, or one that only settles, has found wanting.  Brings
 * one back to the size that its keys need if keys have made it grow that collide. */
static roost_status doubts_settle(struct engine_table *t)
{
    const struct error_mark before = error_keep(t->error);
    roost_status status = ROOST_OK;
    if (t->doubtful && policy_may_reseed(t)) status = reseed(t);
    if (!status && t->oversized) status = table_reseed(t, hooks_of(t)->count(t));
    t->doubtful = t->oversized = false;
    if (status == ROOST_ERR_FULL) error_restore(&before), status = ROOST_OK;
    return ledger_forgive(&t->ledger, &before, status);
}

/* Brings the fill inside its bounds, and reseeds where the engine has put that off. */
static roost_status settle(struct engine_table *t, bool shrinks)
{
    const roost_status status = hooks_of(t)->settle(t, shrinks);
    return status ? status : doubts_settle(t);
}

/* ---- Calls that wait ------------------------------------------------------------------------ */

/* Keys that collide are known before they are in each other's way, which costs a GPU most. */
static roost_status foresee(struct engine_table *t, const struct batch *batch)
{
    bool crowded;
    if (t->foreseen) return ROOST_OK;
    t->copies = COPIES_UNKNOWN;
    const roost_status status = crowd_look(t, batch, &crowded);
    t->doubtful = t->doubtful || crowded;
    return status;
}

/* Begins a call that waits: makes the counts exact and clears the debt, because the call tries
 * again.  *owed: the debt. */
static roost_status wait_begin(struct engine_table *t, const struct write *w, enum ledger_debt *owed)
{
    roost_status status = ledger_wait(&t->ledger);
    *owed = ledger_settle(&t->ledger);
    t->reseeds_left = RESEEDS_MOST;
    t->call_slots = hooks_of(t)->slots(t);
    if (!status && ledger_failed(&t->ledger)) t->doubtful = policy_doubts(t);
    ledger_judge(&t->ledger);
    if (!status && hooks_of(t)->begin) status = hooks_of(t)->begin(t, w);
    if (!status && w && write_inserts(w)) status = foresee(t, w->batch);
    return status ? status : doubts_settle(t);
}

static bool would_shrink(const struct engine_table *t) { return hooks_of(t)->would_shrink(t, hooks_of(t)->count(t)); }

/* Ends a call that inserts and waits.  Inserts alone do not shrink the table.  So a shrink that was
 * refused memory before stays owed. */
static roost_status write_settle(struct engine_table *t, const struct write *w, enum ledger_debt owed)
{
    const bool due = write_erases(w) || (owed == LEDGER_OWES_SHRINK && would_shrink(t));
    const roost_status status = due ? settle(t, true) : ROOST_OK;
    if (!due && owed == LEDGER_OWES_MEMORY && would_shrink(t)) ledger_refuse(&t->ledger);
    return status;
}

/* Writes the next piece, and settles.  A failure to settle comes before that of items: the latter
 * have their statuses. */
static roost_status write_next(struct engine_table *t, const struct write *w, struct progress *p)
{
    roost_status status = hooks_of(t)->write_piece(t, w, p);
    while (!status && t->waiting) status = write_resume(t, p);
    if (status && !status_of_items(status)) return status;
    const roost_status settled = settle(t, false);
    return settled ? settled : status;
}

/* Continues with the next piece even if not all items of a piece were stored. */
static roost_status write_waiting(struct engine_table *t, const struct write *w)
{
    struct progress p = {0, 0};
    enum ledger_debt owed;
    roost_status failure = ROOST_OK, status = wait_begin(t, w, &owed);
    while (!status && p.done < w->batch->n) {
        status = write_next(t, w, &p);
        if (!status_of_items(status)) continue;
        if (!failure) failure = status;
        status = ROOST_OK;
    }
    if (!status) status = write_settle(t, w, owed);
    return status ? ledger_ended(&t->ledger, status) : failure;
}

static roost_status erase_waiting(struct engine_table *t, const struct write *w)
{
    struct counters since;
    enum ledger_debt owed;
    roost_status status = wait_begin(t, w, &owed);
    if (!status) status = hooks_of(t)->erase(t, w);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (!status) t->stats.erased += since.erased;
    if (!status) status = settle(t, true);
    return ledger_ended(&t->ledger, status);
}

/* ---- Asynchronous calls --------------------------------------------------------------------- */

/* Do keys of earlier inserts, which did not wait, seem to collide?  The call at hand can reseed. */
static bool keys_collided(struct engine_table *t)
{
    t->reseeds_left = RESEEDS_MOST;
    return ledger_failed(&t->ledger) && policy_doubts(t);
}

/* May the call be asynchronous?  Only if nothing is owed or unknown, inserts have guaranteed room,
 * and the table does not shrink, whichever of the pending erases find their keys.  While graphs may
 * insert at any time, no room is guaranteed.  An insert waits if keys of earlier ones seem to
 * collide. */
static bool may_enqueue(struct engine_table *t, const struct write *w)
{
    const struct table_hooks *h = hooks_of(t);
    const struct ledger *l = &t->ledger;
    const uint64_t n = w->batch->n, going = l->going + n, count = h->count(t);
    if (!t->backend->enqueue || ledger_refused(l) || !ledger_trusted(l)) return false;
    if (write_erases(w) && h->would_shrink(t, count > going ? count - going : 0)) return false;
    /* Erases of all pairs of a key remove an unknown number. */
    if (!write_inserts(w)) return w->kind != WRITE_ERASE_ALL;
    if (keys_collided(t)) return false;
    return !l->captured && !t->inserts_wait && h->has_room(t, w) && (!h->parks || lists_piece(&t->lists, n) == n);
}

/* Enqueues inserts in pieces of the lists' length.  A graph uses the lists for the table's life,
 * and new ones cannot be made during a capture. */
static roost_status insert_enqueue(struct engine_table *t, const struct write *w)
{
    const struct table_hooks *h = hooks_of(t);
    const uint64_t n = w->batch->n, most = h->parks ? t->lists.room : n;
    roost_status status = ROOST_OK;
    for (uint64_t first = 0, size; !status && first < n; first += size) {
        size = n - first < most ? n - first : most;
        struct batch piece = batch_slice(t, w->batch, first, size);
        piece.park_status = t->growth ? ROOST_ITEM_NO_MEMORY : ROOST_ITEM_FULL;
        status = h->enqueue(t, w, &piece);
    }
    if (t->backend->capturing && h->parks) t->lists.fixed = true;
    return status;
}

static roost_status write_enqueue(struct engine_table *t, const struct write *w)
{
    const uint64_t n = w->batch->n;
    ledger_announce(&t->ledger, write_inserts(w) ? n : 0, write_erases(w) ? n : 0);
    return ledger_enqueued(&t->ledger, write_inserts(w) ? insert_enqueue(t, w) : hooks_of(t)->erase(t, w));
}

/* ---- Calls that write ----------------------------------------------------------------------- */

static roost_status write_run(struct engine_table *t, enum write_kind kind, const struct batch *batch)
{
    const struct write w = {kind, batch};
    const bool capturing = t->backend->capturing;
    if (capturing && (!t->captures || (write_inserts(&w) && t->inserts_wait)))
        return error_set(t->error, ROOST_ERR_UNSUPPORTED,
                         "a call that writes can be captured into a graph only where the table's growth is off");
    ledger_catch_up(&t->ledger);
    if (capturing || may_enqueue(t, &w)) return write_enqueue(t, &w);
    return write_inserts(&w) ? write_waiting(t, &w) : erase_waiting(t, &w);
}

/* Nothing that the table owes is tried here. */
roost_status engine_foresee(struct engine_table *t, const struct batch *batch)
{
    const struct write w = {WRITE_MIXED, batch};
    enum ledger_debt owed;
    if (t->backend->capturing) return ROOST_OK; /* the calls are refused */
    const roost_status status = wait_begin(t, &w, &owed);
    ledger_owe(&t->ledger, owed);
    t->foreseen = !status;
    return ledger_ended(&t->ledger, status);
}

void engine_forget(struct engine_table *t) { t->foreseen = false; }

void engine_trust(struct engine_table *t)
{
    t->foreseen = true;
    t->copies = COPIES_UNKNOWN;
}

roost_status engine_find(struct engine_table *t, const struct batch *batch)
{
    ledger_catch_up(&t->ledger);
    return t->engine->find(t, batch);
}

roost_status engine_insert(struct engine_table *t, const struct batch *batch) { return write_run(t, WRITE_INSERT, batch); }
roost_status engine_erase(struct engine_table *t, const struct batch *batch) { return write_run(t, WRITE_ERASE, batch); }
roost_status engine_apply(struct engine_table *t, const struct batch *batch) { return write_run(t, WRITE_MIXED, batch); }
roost_status engine_erase_all(struct engine_table *t, const struct batch *batch) { return write_run(t, WRITE_ERASE_ALL, batch); }

/* ---- The table as a whole ------------------------------------------------------------------- */

/* No more keys than are stored need no memory: a table that was refused growth keeps its size. */
static roost_status reserve(struct engine_table *t, uint64_t keys)
{
    const struct error_mark before = error_keep(t->error);
    const roost_status status = hooks_of(t)->reserve(t, keys);
    if (status != ROOST_ERR_MEMORY || keys > hooks_of(t)->count(t)) return status;
    error_restore(&before);
    return ROOST_OK;
}

/* The reservation that serves `keys`.  Each larger one may move all keys.  So one that rises little
 * by little, as before each of many batches, rises by a quarter at a time once there are keys. */
static uint64_t reservation_for(const struct engine_table *t, uint64_t keys)
{
    const uint64_t floor = t->floor_keys, ahead = floor + floor / 4;
    if (keys <= floor) return keys >= t->asked_keys ? floor : keys;
    return keys < ahead && hooks_of(t)->count(t) && are_possible(t, ahead) ? ahead : keys;
}

/* Reserves room for `room` keys; or, where memory for that is refused, for `keys` of them. */
static roost_status reserve_some(struct engine_table *t, uint64_t room, uint64_t keys)
{
    const struct error_mark before = error_keep(t->error);
    t->floor_keys = room;
    const roost_status status = reserve(t, room);
    if (status != ROOST_ERR_MEMORY || room == keys) return status;
    error_restore(&before);
    t->floor_keys = keys;
    return reserve(t, keys);
}

roost_status engine_reserve(struct engine_table *t, uint64_t keys)
{
    const uint64_t before = t->floor_keys;
    enum ledger_debt owed;
    roost_status status = keys_check(t, keys);
    if (status) return status;
    status = wait_begin(t, NULL, &owed);
    if (status) return ledger_ended(&t->ledger, status);
    status = reserve_some(t, reservation_for(t, keys), keys);
    /* Keys collide at every size. */
    if (status == ROOST_ERR_FULL) status = policy_may_reseed(t) ? table_reseed(t, t->floor_keys) : ROOST_ERR_MEMORY;
    if (status) t->floor_keys = before;
    else t->asked_keys = keys;
    if (status == ROOST_ERR_MEMORY) {
        ledger_owe(&t->ledger, owed);
        return status; /* the table is unchanged */
    }
    if (!status) status = settle(t, true);
    return ledger_ended(&t->ledger, status);
}

roost_status engine_make_room(struct engine_table *t, uint64_t keys)
{
    const struct error_mark before = error_keep(t->error);
    const uint64_t floor = t->floor_keys, asked = t->asked_keys;
    if (!t->growth || keys <= floor || !are_possible(t, keys)) return ROOST_OK;
    const roost_status status = engine_reserve(t, keys);
    t->floor_keys = floor;
    t->asked_keys = asked;
    if (status != ROOST_ERR_MEMORY) return status;
    error_restore(&before);
    return ROOST_OK;
}

roost_status engine_clear(struct engine_table *t)
{
    roost_status status = ledger_wait(&t->ledger);
    (void)ledger_settle(&t->ledger);
    if (!status) status = hooks_of(t)->empty(t);
    if (!status) t->numbers.next = 0;
    return ledger_ended(&t->ledger, status);
}

roost_status engine_sync(struct engine_table *t, uint64_t *items_failed)
{
    enum ledger_debt owed;
    *items_failed = 0;
    roost_status status = backend_wait(t->backend);
    if (!status) status = wait_begin(t, NULL, &owed);
    if (!status) status = settle(t, true);
    return status ? ledger_ended(&t->ledger, status) : ledger_failures(&t->ledger, t->growth, items_failed);
}

/* Frees the marks of erased keys; refused memory leaves them in place. */
roost_status engine_compact(struct engine_table *t)
{
    if (!hooks_of(t)->compact) return backend_wait(t->backend);
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = hooks_of(t)->compact(t);
    return status == ROOST_ERR_MEMORY ? status : ledger_ended(&t->ledger, status);
}

roost_status engine_stats(struct engine_table *t, struct engine_stats *stats)
{
    const struct table_hooks *h = hooks_of(t);
    struct counters since;
    roost_status status = ledger_wait(&t->ledger);
    /* Counts of finds, which do not wait. */
    if (!status && ROOST_PROBES) status = ledger_read(&t->ledger, &since);
    *stats = t->stats;
    stats->count = h->count(t);
    stats->slots = h->slots(t);
    stats->table_bytes = h->bytes(t);
    stats->slots_per_bucket = (uint32_t)t->shape.slots;
    stats->seed = t->seed;
    if (!status && h->stats) status = h->stats(t, stats);
    /* Keys whose bits mean a vacant slot, and those of a spill list, lie beside the slots. */
    if (stats->slots < stats->count) stats->slots = stats->count;
    stats->load_factor = (double)stats->count / (double)stats->slots;
    return status;
}

/* ---- Views ---------------------------------------------------------------------------------- */

/* The caller's kernels must have this library's layout and hash functions. */
static roost_status view_check(const struct engine_table *t, const void *view, size_t bytes)
{
    const struct table_hooks *h = hooks_of(t);
    uint64_t layout = 0;
    if (bytes >= sizeof layout) memcpy(&layout, view, sizeof layout);
    if (bytes == h->view_bytes && layout == h->view_layout) return ROOST_OK;
    return error_set(t->error, ROOST_ERR_ARGUMENT,
                     "the view has %zu bytes of layout %#" PRIx64 ", the library's %zu of layout %#" PRIx64
                     ": begin with roost_%s_view_make(), and compile the kernels with this library's roost/device/%s.h",
                     bytes, layout, h->view_bytes, h->view_layout, t->engine->name, t->engine->name);
}

/* Until the table is counted, the effects of the caller's kernels are unknown. */
roost_status engine_view_acquire(struct engine_table *t, void *view, size_t bytes, uint64_t inserts, uint16_t takes)
{
    const struct table_hooks *h = hooks_of(t);
    struct batch none;
    const struct write w = {WRITE_MIXED, &none};
    enum ledger_debt owed;
    memset(&none, 0, sizeof none);
    roost_status status = view_check(t, view, bytes);
    if (!status) status = keys_check(t, inserts);
    if (status) return status;
    status = wait_begin(t, &w, &owed);
    if (status) return ledger_ended(&t->ledger, status);
    status = h->view_room(t, inserts);
    if (status == ROOST_ERR_MEMORY) return status;
    if (status) return ledger_ended(&t->ledger, status);
    h->view_write(t, view, takes);
    ledger_lend(&t->ledger);
    return ROOST_OK;
}

roost_status engine_view_release(struct engine_table *t)
{
    enum ledger_debt owed;
    ledger_return(&t->ledger);
    roost_status status = wait_begin(t, NULL, &owed);
    if (!status) status = settle(t, true);
    return ledger_ended(&t->ledger, status);
}
