/* Tables merged and intersected.  Pairs pass between the two tables through arrays of bounded size,
 * which both reach: on the GPU of both, or in host memory.  Each step is a call of its own on one
 * of the tables, so none holds one table while it waits for the other.
 *
 * An intersection first removes keys.  A write ends an export, so the keys to remove are gathered
 * while `into` is exported.  When there is no room for more of them they are removed, and the
 * export begins again.  With room for an eighth of the keys, all passes together look up each key
 * less than twice on average: pass k of p comes to k / p of the keys that stay.  Then `into` has no
 * key that `from` lacks, and the pairs of `from`, which no write disturbs, update its values once
 * each. */
#include "api/checks.h"
#include "batches/batches.h"
#include "roost/merge.h"

enum {
    PAIRS_MOST = 1 << 22, /* that pass at a time, */
    BYTES_MOST = 1 << 28, /* the bytes of these, */
    PAIRS_SHARE = 16,     /* and the share of the slots, so that an export has few launches */
    GATHERED_SHARE = 8    /* the share of the keys that are gathered before they are removed */
};

/* CHOSEN: those of the pairs that are written. */
enum { KEYS, VALUES, FOUND, CHOSEN_KEYS, CHOSEN_VALUES, WORD, ARRAYS };

enum { INTO, FROM, TABLES };

struct meeting {
    struct roost_table *into, *from;
    uint64_t keys[TABLES], slots[TABLES], seed[TABLES];
    roost_call call;       /* of all calls on both */
    struct backend *owner; /* of the memory */
    bool on_device;        /* the memory is on the GPU of both */
    uint64_t room;         /* pairs */
    uint64_t gathered;     /* keys to remove, at most; 0: a merge */
    size_t bytes[ARRAYS];
    void *memory, *at[ARRAYS];
};

/* ---- Memory between the tables --------------------------------------------------------------- */

static bool on_gpu(const struct roost_table *t) { return t->backend->ordinal >= 0; }

static void arrays_plan(struct meeting *m)
{
    const struct roost_table *t = m->into;
    const bool chooses = m->gathered > 0;
    m->bytes[KEYS] = m->room * (unsigned)t->key_bytes;
    m->bytes[VALUES] = m->room * (unsigned)t->value_bytes;
    m->bytes[FOUND] = chooses ? m->room : 0;
    m->bytes[CHOSEN_KEYS] = chooses ? (m->gathered + m->room) * (unsigned)t->key_bytes : 0;
    m->bytes[CHOSEN_VALUES] = chooses ? m->bytes[VALUES] : 0;
    m->bytes[WORD] = chooses ? sizeof(uint64_t) : 0;
}

static roost_status arrays_allocate(struct meeting *m)
{
    struct backend *const b = m->owner;
    arrays_plan(m);
    const size_t bytes = backend_arrays_bytes(m->bytes, ARRAYS);
    const bool pinned = !m->on_device && b->ordinal >= 0;
    return pinned ? b->operations->pinned_allocate(b, bytes, &m->memory) : backend_allocate(b, bytes, &m->memory);
}

static void arrays_release(struct meeting *m)
{
    struct backend *const b = m->owner;
    const size_t bytes = backend_arrays_bytes(m->bytes, ARRAYS);
    if (m->memory && !m->on_device && b->ordinal >= 0) b->operations->pinned_release(b, m->memory, bytes);
    else if (m->memory) backend_release(b, m->memory, bytes);
}

/* Fewer pairs if memory is refused. */
static roost_status arrays_make(struct meeting *m)
{
    const struct error_mark before = error_keep(m->owner->error);
    if (m->owner->capturing)
        return error_set(m->owner->error, ROOST_ERR_UNSUPPORTED, "a call on two tables cannot be captured into a graph");
    for (;;) {
        const roost_status status = arrays_allocate(m);
        if (!status) backend_arrays_place(m->memory, m->bytes, ARRAYS, m->at);
        if (status != ROOST_ERR_MEMORY || m->room / 2 < ROOST_EXPORT_MIN) return status;
        error_restore(&before);
        m->room /= 2;
        m->gathered /= 2;
    }
}

/* What a table reports is the error of the call, which is on `into`. */
static roost_status of_table(const struct meeting *m, const struct roost_table *t, roost_status status)
{
    if (status && t != m->into) m->into->error = t->error;
    return status;
}

/* Runs arrays_make, or arrays_release, as a call on the owner's table: in the order of its
 * stream. */
static roost_status meeting_begin(struct meeting *m)
{
    struct roost_table *const t = m->owner == m->into->backend ? m->into : m->from;
    const roost_status status = call_begin(t, m->call.stream, ACCESS_READ);
    return of_table(m, t, status ? status : call_end(t, ACCESS_READ, arrays_make(m)));
}

static roost_status meeting_end(struct meeting *m, roost_status status)
{
    struct roost_table *const t = m->owner == m->into->backend ? m->into : m->from;
    const struct error_mark why = error_keep(&m->into->error);
    if (!m->memory) return status;
    const roost_status begun = call_begin(t, m->call.stream, ACCESS_READ);
    arrays_release(m); /* a failed device must not prevent it */
    const roost_status ended = of_table(m, t, begun ? begun : call_end(t, ACCESS_READ, ROOST_OK));
    if (status) error_restore(&why);
    return status ? status : ended;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static roost_status step_export(struct meeting *m, struct roost_table *t, roost_cursor *cursor, uint64_t *n)
{
    size_t pairs = 0;
    void *const values = t->value_bytes ? m->at[VALUES] : NULL;
    const roost_status status = staged_export(t, cursor, m->at[KEYS], values, (size_t)m->room, &pairs, &m->call);
    *n = pairs;
    return of_table(m, t, status);
}

/* Which of the n keys are in the table? */
static roost_status step_find(struct meeting *m, struct roost_table *t, uint64_t n)
{
    const struct batches_way way = batches_way_of(t->at, ENGINE_FIND, n);
    struct batch b = batch_of(t, m->at[KEYS], n, &m->call);
    b.found = (uint8_t *)m->at[FOUND];
    return of_table(m, t, staged_run(t, way.run, way.work_bytes, ACCESS_READ, &b, &m->call));
}

/* Appends those of the n pairs that are in the table, or are not, to *chosen others. */
static roost_status step_choose(struct meeting *m, uint64_t n, bool found, uint64_t *chosen)
{
    struct roost_table *const t = m->into;
    struct batch b = batch_of(t, m->at[KEYS], n, &m->call);
    uint64_t more = 0;
    b.found = (uint8_t *)m->at[FOUND];
    b.values_in = m->at[VALUES];
    void *const keys = array_at(m->at[CHOSEN_KEYS], *chosen, t->key_bytes), *const values = found ? m->at[CHOSEN_VALUES] : NULL;
    roost_status status = call_begin(t, m->call.stream, ACCESS_READ);
    if (status) return status;
    status = batches_select_items(m->on_device ? t->backend : NULL, &b, found, keys, values, (uint64_t *)m->at[WORD], &more);
    *chosen += more;
    return call_end(t, ACCESS_READ, status);
}

/* Waits, so that the call learns which items were not stored. */
static roost_status write_waiting(struct engine_table *t, const struct batch *b)
{
    const enum engine_call call = b->takes ? ENGINE_INSERT : ENGINE_ERASE;
    t->backend->enqueue = false;
    return batches_way_of(t, call, b->n).run(t, b);
}

/* With one seed, pairs that are near each other in one table are so in the other. */
static roost_status insert_alike(struct engine_table *t, const struct batch *b)
{
    engine_trust(t);
    const roost_status status = write_waiting(t, b);
    engine_forget(t);
    return status;
}

static roost_status step_insert(struct meeting *m, roost_mode mode, const void *keys, const void *values, uint64_t n)
{
    struct batch b = batch_of(m->into, keys, n, &m->call);
    b.mode = (uint8_t)mode;
    b.values_in = values;
    b.takes = (uint16_t)(1u << (ROOST_OP_INSERT + mode));
    return n ? staged_run(m->into, m->seed[INTO] == m->seed[FROM] ? insert_alike : write_waiting, 0, ACCESS_WRITE, &b, &m->call)
             : ROOST_OK;
}

static roost_status step_erase(struct meeting *m, uint64_t n)
{
    const struct batch b = batch_of(m->into, m->at[CHOSEN_KEYS], n, &m->call);
    return n ? staged_run(m->into, write_waiting, 0, ACCESS_WRITE, &b, &m->call) : ROOST_OK;
}

/* ---- Merge ----------------------------------------------------------------------------------- */

/* Room for the larger of the two tables: all keys of the other one may be in it.  A multimap has
 * all pairs of both. */
static roost_status room_make(struct meeting *m)
{
    struct roost_table *const t = m->into;
    const roost_status status = call_begin(t, m->call.stream, ACCESS_WRITE);
    if (status) return status;
    return call_end(t, ACCESS_WRITE, engine_make_room(t->at, t->multi ? m->keys[INTO] + m->keys[FROM] : m->keys[FROM]));
}

/* Continues where some pairs find no room. */
static roost_status pairs_merge(struct meeting *m, roost_mode mode)
{
    roost_cursor cursor = {0, 0};
    roost_status failure = ROOST_OK;
    while (!cursor.end) {
        uint64_t n;
        roost_status status = step_export(m, m->from, &cursor, &n);
        if (status) return status;
        status = step_insert(m, mode, m->at[KEYS], m->at[VALUES], n);
        if (status && !status_of_items(status)) return status;
        if (!failure) failure = status;
    }
    return failure;
}

/* ---- Intersection ---------------------------------------------------------------------------- */

/* Gathers keys to remove until there is no room for those of one more step. */
static roost_status absent_gather(struct meeting *m, roost_cursor *cursor, uint64_t *absent)
{
    roost_status status = ROOST_OK;
    for (*absent = 0; !status && !cursor->end && *absent <= m->gathered;) {
        uint64_t n;
        status = step_export(m, m->into, cursor, &n);
        if (!status && n) status = step_find(m, m->from, n);
        if (!status && n) status = step_choose(m, n, false, absent);
    }
    return status;
}

static roost_status absent_remove(struct meeting *m)
{
    roost_status status = ROOST_OK;
    bool end = false;
    while (!status && !end) {
        roost_cursor cursor = {0, 0};
        uint64_t absent;
        status = absent_gather(m, &cursor, &absent);
        end = cursor.end;
        if (!status) status = step_erase(m, absent);
    }
    return status;
}

static roost_status values_combine(struct meeting *m, roost_mode mode)
{
    roost_cursor cursor = {0, 0};
    roost_status failure = ROOST_OK;
    while (!cursor.end) {
        uint64_t n, chosen = 0;
        roost_status status = step_export(m, m->from, &cursor, &n);
        if (!status && n) status = step_find(m, m->into, n);
        if (!status && n) status = step_choose(m, n, true, &chosen);
        if (status) return status;
        status = step_insert(m, mode, m->at[CHOSEN_KEYS], m->at[CHOSEN_VALUES], chosen);
        if (status && !status_of_items(status)) return status;
        if (!failure) failure = status;
    }
    return failure;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

static roost_status tables_check(struct roost_table *into, const struct roost_table *from, roost_mode mode, const roost_call *call)
{
    if (!from) return error_set(&into->error, ROOST_ERR_ARGUMENT, "from is NULL");
    if (into->group || from->group)
        return error_set(&into->error, ROOST_ERR_UNSUPPORTED, "tables that are spread over ranks are not merged");
    if (into == from) return error_set(&into->error, ROOST_ERR_ARGUMENT, "into and from are one table");
    if (call->statuses) return error_set(&into->error, ROOST_ERR_ARGUMENT, "a call on two tables has no statuses");
    if (into->strings || from->strings)
        return error_set(&into->error, ROOST_ERR_UNSUPPORTED, "tables whose keys are strings are not merged");
    if (into->key_bytes != from->key_bytes || into->value_bytes != from->value_bytes || into->value_type != from->value_type)
        return error_set(&into->error, ROOST_ERR_ARGUMENT,
                         "keys of %d bytes with values of %d in from, of %d with %d in into: widths and types must be the same",
                         from->key_bytes, from->value_bytes, into->key_bytes, into->value_bytes);
    return check_mode(into, mode);
}

static roost_status size_read(struct meeting *m, int of)
{
    struct roost_table *const t = of == INTO ? m->into : m->from;
    const roost_status status = call_begin(t, m->call.stream, ACCESS_READ);
    if (status) return of_table(m, t, status);
    m->keys[of] = t->engine->hooks.count(t->at);
    m->slots[of] = t->engine->hooks.slots(t->at);
    m->seed[of] = t->at->seed;
    return of_table(m, t, call_end(t, ACCESS_READ, ROOST_OK));
}

/* Arrays on the GPU of both tables, or on the host; where only one of the tables is there, in host
 * memory that the GPU's driver knows. */
static roost_status meeting_plan(struct meeting *m, struct roost_table *into, const struct roost_table *from,
                                 const roost_call *call)
{
    memset(m, 0, sizeof *m);
    m->into = into;
    m->from = (struct roost_table *)(uintptr_t)from; /* as roost_find */
    m->call = *call;
    m->call.space = ROOST_SPACE_AUTO;
    m->on_device = on_gpu(into) && into->backend->ordinal == from->backend->ordinal;
    m->owner = on_gpu(into) || !on_gpu(from) ? into->backend : from->backend;
    roost_status status = size_read(m, INTO);
    if (!status) status = size_read(m, FROM);
    const uint64_t fit = BYTES_MOST / (unsigned)(into->key_bytes + into->value_bytes), most = fit < PAIRS_MOST ? fit : PAIRS_MOST;
    const uint64_t share = m->slots[INTO] / PAIRS_SHARE + m->slots[FROM] / PAIRS_SHARE + ROOST_EXPORT_MIN;
    m->room = share < most ? share : most;
    return status;
}

ROOST_EXPORT roost_status roost_table_merge(roost_table *into, const roost_table *from, roost_mode mode, const roost_call *call)
{
    roost_call own;
    if (!into) return call_without_table("roost_table_merge");
    roost_status status = call_read(into, &call, 0, &own);
    if (!status) status = tables_check(into, from, mode, call);
    if (status) return call_finish(into, status);
    struct meeting m;
    status = meeting_plan(&m, into, from, call);
    if (!status) status = meeting_begin(&m);
    if (!status) status = room_make(&m);
    if (!status) status = pairs_merge(&m, mode);
    return call_finish(into, meeting_end(&m, status));
}

static roost_status intersection_check(struct roost_table *into, const struct roost_table *from)
{
    if (!into->multi && !from->multi) return check_words(into, "roost_table_intersect");
    return error_set(&into->error, ROOST_ERR_UNSUPPORTED, "roost_table_intersect is for tables without ROOST_MULTI");
}

ROOST_EXPORT roost_status roost_table_intersect(roost_table *into, const roost_table *from, roost_mode mode, const roost_call *call)
{
    roost_call own;
    if (!into) return call_without_table("roost_table_intersect");
    roost_status status = call_read(into, &call, 0, &own);
    if (!status) status = tables_check(into, from, mode, call);
    if (!status) status = intersection_check(into, from);
    if (status) return call_finish(into, status);
    struct meeting m;
    status = meeting_plan(&m, into, from, call);
    m.gathered = m.keys[INTO] / GATHERED_SHARE > m.room ? m.keys[INTO] / GATHERED_SHARE : m.room;
    if (!status) status = meeting_begin(&m);
    if (!status) status = absent_remove(&m);
    if (!status && mode != ROOST_KEEP && into->value_bytes) status = values_combine(&m, mode);
    return call_finish(into, meeting_end(&m, status));
}
