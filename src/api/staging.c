/* Staging: arrays that the table's machine cannot reach are copied to it in pieces, and results
 * back, on queues beside the work.  While one piece is processed, the next is copied in and the
 * results of the last are copied out.
 *
 * Pageable host arrays pass through pinned memory, because copies of pageable memory do not
 * overlap with other work.
 *
 * Finds write all values, or (ROOST_ABSENT_KEEP, and mixed batches) leave the values of absent
 * keys untouched.  One copy out would overwrite these.  So a piece's values are copied out only
 * after its flags show that all of its keys were found.  If not:
 *   - pageable arrays take the found values, one by one, from pinned memory;
 *   - values of pinned arrays are copied in, and the piece is looked up again over them. From the
 *     first such piece on, values are copied in with the keys.
 * Values of a batch that also writes, in pinned arrays, are always copied in, because the batch
 * cannot be repeated.
 *
 * An ordered batch of more than one piece is not run piece by piece: what becomes of a key is known
 * only at its last item.  Instead all pieces pass several times, in sweeps (batches_ranges.c), each
 * with the arrays that it needs. */
#include <string.h>

#include "api/changes.h"
#include "api/table.h"
#include "batches/batches.h"
#include "roost/numbers.h"

enum {
    SLOTS = 4 /* pieces in flight */,
    STAGED_ITEMS = 1 << 21 /* items of a piece at most; fewer if memory is refused */,
    STAGED_BYTES = 1 << 28 /* bytes of a piece at most */,
    /* bytes that a run with memory of its own takes for the fewest items */
    RUN_LEAST = 8192
};

enum { KEYS, VALUES_IN, OPERATIONS, VALUES_OUT, FOUND, STATUSES, COUNTS, ARRAYS };

/* One of a call's arrays. */
struct array {
    bool staged;
    /* reachable by the table's machine.  Flags may be staged nevertheless: the host reads them. */
    bool reachable;
    bool pageable; /* not pinned */
    bool through;  /* passes through pinned memory */
    int bytes;     /* per item */
    /* at, host_at: offsets of its part in a slot's memory and in pinned memory */
    size_t at, host_at;
};

enum mark { MARK_IN, MARK_WORK, MARK_FLAGS, MARK_OUT, MARKS };

struct slot {
    struct batch user, staged;
    uint64_t first;      /* index in the call of its first item */
    bool values_came;    /* copied in with the keys */
    bool values_pending; /* values are copied out after the flags */
};

struct staging {
    struct roost_table *t;
    struct engine_table *at; /* that the batch is run on: the table's, or the log of its changes */
    struct backend *b;
    batch_function *run;
    size_t run_bytes; /* work space per item that the run allocates */
    /* Of an ordered batch: what the pieces of the current sweep are for.  Else NULL. */
    batches_visit *visit;
    void *context;
    bool ordered;
    struct array array[ARRAYS];
    struct slot slot[SLOTS];
    int slots;
    uint64_t room;                  /* items per slot */
    size_t slot_bytes, slot_pinned; /* bytes per slot of memory and of pinned memory */
    void *memory;
    bool spare; /* the memory is the table's spare memory */
    bool values_travel_in;
    bool statuses_travel_in; /* the sweep writes some of them */
};

/* ---- Arrays ---------------------------------------------------------------------------------- */

static void *array_get(const struct batch *b, int a)
{
    switch (a) {
    case KEYS: return (void *)(uintptr_t)b->keys;
    case VALUES_IN: return (void *)(uintptr_t)b->values_in;
    case OPERATIONS: return (void *)(uintptr_t)b->operations;
    case VALUES_OUT: return b->values_out;
    case FOUND: return b->found;
    case COUNTS: return b->counts;
    default: return b->statuses;
    }
}

static void array_set(struct batch *b, int a, void *to)
{
    switch (a) {
    case KEYS: b->keys = to; return;
    case VALUES_IN: b->values_in = to; return;
    case OPERATIONS: b->operations = (const uint8_t *)to; return;
    case VALUES_OUT: b->values_out = to; return;
    case FOUND: b->found = (uint8_t *)to; return;
    case COUNTS: b->counts = (uint64_t *)to; return;
    default: b->statuses = (uint8_t *)to; return;
    }
}

static int array_bytes(const struct roost_table *t, int a)
{
    if (a == COUNTS) return sizeof(uint64_t);
    return a == KEYS ? t->key_bytes : a == VALUES_IN || a == VALUES_OUT ? t->value_bytes : 1;
}

bool array_on_device(const struct roost_table *t, const void *array, const roost_call *call)
{
    const roost_space space = call->space == ROOST_SPACE_AUTO ? t->backend->operations->locate(t->backend, array) : call->space;
    return space == ROOST_SPACE_DEVICE;
}

bool array_is_reached(const struct roost_table *t, const void *array, const roost_call *call)
{
    const bool device = array && array_on_device(t, array, call);
    const int ordinal = device ? cuda_ordinal_of(t->backend, array) : -1;
    if (!array || device != (t->backend->operations->machine == MACHINE_CUDA)) return !array;
    return ordinal < 0 || ordinal == t->backend->ordinal;
}

/* Decides which arrays are staged and how.  False: none. */
static bool arrays_look(struct staging *s, const struct batch *batch, const roost_call *call)
{
    const bool device = s->b->operations->machine == MACHINE_CUDA;
    bool any = batch->strings_away != 0;
    for (int a = 0; a < ARRAYS; a++) {
        struct array *array = &s->array[a];
        const void *user = array_get(batch, a);
        array->bytes = array_bytes(s->t, a);
        if (!user || (a == KEYS && batch->key_offsets)) continue;
        const bool there = array_on_device(s->t, user, call);
        array->reachable = there == device;
        array->staged = !array->reachable;
        array->pageable = !there && !s->b->operations->is_pinned(s->b, user);
        array->through = array->staged && array->pageable;
        any |= array->staged;
    }
    if (!s->array[VALUES_OUT].staged || batch->absent_zero) return any;
    /* The host needs the flags to learn which values were found, wherever the caller wants them,
     * if at all. */
    s->array[FOUND].through |= !batch->found || s->array[FOUND].reachable;
    s->array[FOUND].staged = true;
    s->values_travel_in = (batch->operations || batch->exchanges) && !s->array[VALUES_OUT].pageable;
    return true;
}

static size_t part_bytes(uint64_t n, int bytes) { return (size_t)((n * (unsigned)bytes + 255) / 256 * 256); }

/* Lays a slot out for `room` items. */
static void arrays_place(struct staging *s, uint64_t room)
{
    s->room = room;
    s->slot_bytes = s->slot_pinned = 0;
    for (int a = 0; a < ARRAYS; a++) {
        struct array *array = &s->array[a];
        array->at = s->slot_bytes;
        array->host_at = s->slot_pinned;
        if (array->staged) s->slot_bytes += part_bytes(room, array->bytes);
        if (array->through) s->slot_pinned += part_bytes(room, array->bytes);
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Allocates the slots' memory.  At the same time it allocates, and releases again, what the run
 * will allocate later: slots that left no room for that would be too large.
 * A batch whose only distant arrays are its strings has no slots: batches_strings brings
 * strings. */
static roost_status slots_allocate(struct staging *s)
{
    const size_t bytes = s->slot_bytes * (size_t)s->slots, work_bytes = s->room * s->run_bytes + RUN_LEAST;
    const bool alone = !s->run_bytes || (s->room <= backend_items_least(s->b) && s->slots == 1);
    s->spare = bytes && s->slots == 1 && bytes <= s->t->spare_bytes;
    s->memory = s->t->spare;
    if (s->spare) return ROOST_OK;
    return backend_allocate_beside(s->b, bytes, alone ? 0 : work_bytes, &s->memory);
}

static void slots_release(struct staging *s)
{
    if (!s->spare) backend_release(s->b, s->memory, s->slot_bytes * (size_t)s->slots);
}

size_t staging_spare_bytes(const struct roost_table *t)
{
    size_t bytes = 0;
    /* In builds for tests any table may be told that arrays are out of its reach. */
    if (t->backend->ordinal < 0 && !cuda_device_count() && !ROOST_PROBES) return 0;
    for (int a = 0; a < ARRAYS; a++) bytes += part_bytes(backend_items_least(t->backend), array_bytes(t, a));
    return bytes;
}

roost_status staging_spare_make(struct roost_table *t)
{
    t->spare_bytes = staging_spare_bytes(t);
    return t->spare_bytes ? backend_allocate(t->backend, t->spare_bytes, &t->spare) : ROOST_OK;
}

void staging_spare_release(struct roost_table *t) { backend_release(t->backend, t->spare, t->spare_bytes); }

/* Items per piece while memory is not refused. */
static uint64_t piece_items(const struct staging *s)
{
    uint64_t items = STAGED_ITEMS, bytes = 0;
    for (int a = 0; a < ARRAYS; a++)
        if (s->array[a].staged) bytes += (unsigned)s->array[a].bytes;
    while (items * bytes > STAGED_BYTES && items > backend_items_least(s->b)) items /= 2;
    return items;
}

/* Allocates slots of as many items as memory allows. */
static roost_status memory_of_device(struct staging *s, uint64_t n)
{
    const uint64_t piece = piece_items(s), least = backend_items_least(s->b);
    uint64_t room = n < piece ? n : piece;
    s->slots = n <= piece ? 1 : SLOTS;
    for (;;) {
        arrays_place(s, room);
        const roost_status status = slots_allocate(s);
        if (status != ROOST_ERR_MEMORY || (room <= least && s->slots == 1)) return status;
        if (room > least) room /= 2, s->slots = SLOTS;
        else s->slots = 1;
    }
}

/* Pinned memory is kept with the table: allocating it costs more than many calls do. */
static roost_status memory_of_host(struct staging *s)
{
    struct roost_table *t = s->t;
    const size_t bytes = s->slot_pinned * (size_t)s->slots;
    if (bytes <= t->pinned_bytes) return ROOST_OK;
    s->b->operations->pinned_release(s->b, t->pinned, t->pinned_bytes);
    t->pinned = NULL;
    t->pinned_bytes = 0;
    const roost_status status = s->b->operations->pinned_allocate(s->b, bytes, &t->pinned);
    if (!status) t->pinned_bytes = bytes;
    return status;
}

static char *device_part(const struct staging *s, int i, int a)
{
    return (char *)s->memory + (size_t)i * s->slot_bytes + s->array[a].at;
}

static char *host_part(const struct staging *s, int i, int a)
{
    return (char *)s->t->pinned + (size_t)i * s->slot_pinned + s->array[a].host_at;
}

/* In probing builds: fills the values' memory.  Values of absent keys are copied out though
 * never written.  Without the fill the sanitizer would report them. */
static roost_status values_fill(const struct staging *s)
{
    const size_t bytes = part_bytes(s->room, s->array[VALUES_OUT].bytes);
    roost_status status = ROOST_OK;
    if (!ROOST_PROBES || !s->array[VALUES_OUT].staged) return ROOST_OK;
    for (int i = 0; i < s->slots && !status; i++) status = s->b->operations->fill(s->b, device_part(s, i, VALUES_OUT), 0xA5, bytes);
    return status;
}

/* ---- Pieces ---------------------------------------------------------------------------------- */

static int mark_of(int i, enum mark mark) { return i * MARKS + (int)mark; }

static roost_status mark(const struct staging *s, enum queue queue, int i, enum mark m)
{
    return s->b->operations->mark(s->b, queue, mark_of(i, m));
}

static roost_status follow(const struct staging *s, enum queue queue, int i, enum mark m)
{
    return s->b->operations->follow(s->b, queue, s->b, mark_of(i, m));
}

static roost_status await(const struct staging *s, int i, enum mark m)
{
    s->b->waits++;
    return s->b->operations->await(s->b, mark_of(i, m));
}

static roost_status transfer(const struct staging *s, enum queue queue, void *to, const void *from, uint64_t n, int bytes)
{
    return s->b->operations->transfer(s->b, queue, to, from, n * (unsigned)bytes);
}

/* Puts items first .. first + n - 1 of the call into slot i. */
static void piece_begin(struct staging *s, int i, const struct batch *batch, uint64_t first, uint64_t n)
{
    struct slot *slot = &s->slot[i];
    slot->user = slot->staged = *batch;
    slot->user.n = slot->staged.n = n;
    slot->first = first;
    for (int a = 0; a < ARRAYS; a++) {
        char *user = (char *)array_get(batch, a);
        if (user) /* bytes is 0 for strings */
            array_set(&slot->user, a, user + first * (unsigned)s->array[a].bytes);
        array_set(&slot->staged, a, s->array[a].staged ? device_part(s, i, a) : array_get(&slot->user, a));
    }
    if (batch->key_offsets) slot->staged.key_offsets = array_at(batch->key_offsets, first, batch->offset_bytes);
    if (batch->stamps) slot->staged.stamps = batch->stamps + first;
    slot->values_came = s->values_travel_in && s->array[VALUES_OUT].staged;
    slot->values_pending =
        s->array[VALUES_OUT].staged && !s->array[VALUES_OUT].pageable && !slot->values_came && !batch->absent_zero;
}

static roost_status array_in(struct staging *s, int i, int a)
{
    struct slot *slot = &s->slot[i];
    const struct array *array = &s->array[a];
    const void *from = array_get(&slot->user, a);
    if (array->through) {
        backend_copy_host(host_part(s, i, a), from, slot->user.n * (unsigned)array->bytes);
        from = host_part(s, i, a);
    }
    return transfer(s, QUEUE_IN, array_get(&slot->staged, a), from, slot->user.n, array->bytes);
}

/* Copies the piece's inputs in.  The piece before it in this slot has ended, and with it all
 * copies from and to the slot. */
static roost_status piece_in(struct staging *s, int i)
{
    struct slot *slot = &s->slot[i];
    roost_status status = ROOST_OK;
    for (int a = KEYS; !status && a <= OPERATIONS; a++)
        if (s->array[a].staged) status = array_in(s, i, a);
    if (!status && slot->values_came) status = array_in(s, i, VALUES_OUT);
    if (!status && s->statuses_travel_in && s->array[STATUSES].staged) status = array_in(s, i, STATUSES);
    return status ? status : mark(s, QUEUE_IN, i, MARK_IN);
}

static roost_status array_out(struct staging *s, int i, int a)
{
    struct slot *slot = &s->slot[i];
    const struct array *array = &s->array[a];
    void *user = array_get(&slot->user, a);
    const void *staged = array_get(&slot->staged, a);
    if (!array->staged) return ROOST_OK;
    if (user && array->reachable) {
        const roost_status status = transfer(s, QUEUE_OUT, user, staged, slot->user.n, array->bytes);
        if (status) return status;
    }
    return transfer(s, QUEUE_OUT, array->through ? host_part(s, i, a) : user, staged, slot->user.n, array->bytes);
}

static roost_status piece_run(struct staging *s, const struct slot *slot)
{
    return s->visit ? s->visit(s->context, &slot->staged, slot->first) : s->run(s->at, &slot->staged);
}

/* Runs the piece once its inputs have arrived, and copies its results out, except values that
 * wait for the flags. */
static roost_status piece_work(struct staging *s, int i, roost_status *failure)
{
    struct slot *slot = &s->slot[i];
    roost_status status = follow(s, QUEUE_WORK, i, MARK_IN);
    if (!status) status = piece_run(s, slot);
    if (status_of_items(status)) {
        if (!*failure) *failure = status;
        status = ROOST_OK;
    }
    if (!status) status = mark(s, QUEUE_WORK, i, MARK_WORK);
    if (!status) status = follow(s, QUEUE_OUT, i, MARK_WORK);
    if (!status) status = array_out(s, i, FOUND);
    if (!status) status = array_out(s, i, STATUSES);
    if (!status) status = array_out(s, i, COUNTS);
    if (!status && !slot->values_pending) status = array_out(s, i, VALUES_OUT);
    return status ? status : mark(s, QUEUE_OUT, i, slot->values_pending ? MARK_FLAGS : MARK_OUT);
}

static const uint8_t *flags_of(const struct staging *s, int i)
{
    return s->array[FOUND].through ? (const uint8_t *)host_part(s, i, FOUND) : s->slot[i].user.found;
}

/* Repeats the find over the values that were copied in, so that absent keys keep theirs. */
static roost_status piece_again(struct staging *s, int i)
{
    s->values_travel_in = true;
    roost_status status = array_in(s, i, VALUES_OUT);
    if (!status) status = mark(s, QUEUE_IN, i, MARK_IN);
    if (!status) status = follow(s, QUEUE_WORK, i, MARK_IN);
    if (!status) status = s->run(s->at, &s->slot[i].staged);
    if (!status) status = mark(s, QUEUE_WORK, i, MARK_WORK);
    return status ? status : follow(s, QUEUE_OUT, i, MARK_WORK);
}

/* Copies out the values that waited for the flags. */
static roost_status piece_values(struct staging *s, int i)
{
    struct slot *slot = &s->slot[i];
    if (!slot->values_pending) return ROOST_OK;
    roost_status status = await(s, i, MARK_FLAGS);
    if (!status && memchr(flags_of(s, i), 0, slot->user.n)) status = piece_again(s, i);
    if (!status) status = array_out(s, i, VALUES_OUT);
    return status ? status : mark(s, QUEUE_OUT, i, MARK_OUT);
}

/* Copies results from pinned memory to the caller. */
static roost_status piece_end(struct staging *s, int i)
{
    const struct slot *slot = &s->slot[i];
    const roost_status status = await(s, i, MARK_OUT);
    if (status) return status;
    const struct array *values = &s->array[VALUES_OUT];
    if (values->through && slot->user.absent_zero)
        backend_copy_host(slot->user.values_out, host_part(s, i, VALUES_OUT), slot->user.n * (unsigned)values->bytes);
    else if (values->through)
        backend_copy_flagged(slot->user.values_out, host_part(s, i, VALUES_OUT), flags_of(s, i), slot->user.n, values->bytes);
    for (int a = FOUND; a <= COUNTS; a++) {
        void *user = array_get(&slot->user, a);
        const size_t bytes = slot->user.n * (unsigned)s->array[a].bytes;
        if (s->array[a].through && user && !s->array[a].reachable) backend_copy_host(user, host_part(s, i, a), bytes);
    }
    return ROOST_OK;
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* One step of the pipeline: a piece begins, the one before it is run, the one before that sends
 * its values, and a fourth ends.  In this order a queue does not run dry while the caller waits.
 * With one slot (`lag` 0) a piece passes all stages in one step. */
static roost_status step(struct staging *s, const struct batch *batch, uint64_t at, uint64_t pieces, uint64_t lag,
                         roost_status *failure)
{
    const uint64_t slots = (uint64_t)s->slots;
    roost_status status = ROOST_OK;
    if (at < pieces) {
        const uint64_t first = at * s->room, left = batch->n - first;
        piece_begin(s, (int)(at % slots), batch, first, left < s->room ? left : s->room);
        status = piece_in(s, (int)(at % slots));
    }
    if (!status && at >= lag && at - lag < pieces) status = piece_work(s, (int)((at - lag) % slots), failure);
    if (!status && at >= 2 * lag && at - 2 * lag < pieces) status = piece_values(s, (int)((at - 2 * lag) % slots));
    if (!status && at >= 3 * lag && at - 3 * lag < pieces) status = piece_end(s, (int)((at - 3 * lag) % slots));
    return status;
}

/* After a failure: waits until nothing is in flight, so that the memory can be released.  A
 * queue that fails here, too, has nothing in flight. */
static void drain(struct staging *s)
{
    const struct error_mark why = error_keep(s->b->error);
    for (int queue = 0; queue < QUEUES; queue++)
        if (!s->b->operations->mark(s->b, (enum queue)queue, SLOTS * MARKS)) (void)s->b->operations->await(s->b, SLOTS * MARKS);
    error_restore(&why);
}

static roost_status run_pieces(struct staging *s, const struct batch *batch)
{
    const uint64_t pieces = (batch->n + s->room - 1) / s->room, lag = s->slots > 1;
    roost_status failure = ROOST_OK;
    /* Earlier work on the call's stream may still use the caller's arrays. */
    roost_status status = s->b->operations->mark(s->b, QUEUE_WORK, SLOTS * MARKS);
    if (!status) status = s->b->operations->follow(s->b, QUEUE_IN, s->b, SLOTS * MARKS);
    if (!status) status = s->b->operations->follow(s->b, QUEUE_OUT, s->b, SLOTS * MARKS);
    for (uint64_t at = 0; !status && at < pieces + 3 * lag; at++) status = step(s, batch, at, pieces, lag, &failure);
    if (status) drain(s);
    return status ? status : failure;
}

/* ---- Ordered batches of several pieces ------------------------------------------------------- */

struct staged_sweep {
    struct batches_sweep sweep;
    struct staging *staging;
};

/* Is the array among those of a sweep?  The flags say which values were found. */
static bool is_swept(int a, int arrays)
{
    if (a == KEYS) return arrays & BATCHES_KEYS;
    return arrays & (a == VALUES_IN || a == OPERATIONS ? BATCHES_INPUTS : BATCHES_RESULTS);
}

static roost_status sweep_pieces(struct batches_sweep *sweep, int arrays, batches_visit *visit, void *context)
{
    struct staging *s = ((struct staged_sweep *)sweep)->staging;
    struct array all[ARRAYS];
    memcpy(all, s->array, sizeof all);
    for (int a = 0; a < ARRAYS; a++)
        if (!is_swept(a, arrays)) s->array[a].staged = s->array[a].through = false;
    s->statuses_travel_in = arrays & BATCHES_RESULTS;
    s->visit = visit;
    s->context = context;
    const roost_status status = run_pieces(s, sweep->batch);
    memcpy(s->array, all, sizeof all);
    return status;
}

static roost_status run_in_sweeps(struct staging *s, const struct batch *batch)
{
    struct staged_sweep sweep = {{sweep_pieces, batch}, s};
    return batches_swept_in_order(s->t->at, &sweep.sweep);
}

/* ---- Staged calls ---------------------------------------------------------------------------- */

/* Writes the statuses and the numbers of items that were not tried, where the host reaches them. */
static void items_untried(const struct staging *s, const struct batch *b)
{
    const bool device = s->b->operations->machine == MACHINE_CUDA;
    if (b->statuses && s->array[STATUSES].staged == device) memset(b->statuses, ROOST_ITEM_NONE, b->n);
    if (b->numbers && s->array[VALUES_OUT].staged == device) memset(b->values_out, 0xFF, b->n * b->value_bytes);
}

static roost_status run_staged(struct staging *s, const struct batch *batch)
{
    roost_status status = memory_of_device(s, batch->n);
    if (!status) status = memory_of_host(s);
    if (!status) status = values_fill(s);
    if (status || s->ordered) items_untried(s, batch);
    if (!status) status = s->ordered && batch->n > s->room ? run_in_sweeps(s, batch) : run_pieces(s, batch);
    slots_release(s);
    return status;
}

#if ROOST_PROBES
struct call_stamps call_stamps;
#endif

/* Logs the keys of a batch before they are written.  What goes wrong costs the log alone. */
static void keys_note(struct roost_table *t, const struct batch *batch, const roost_call *call)
{
    const struct error_mark before = error_keep(&t->error);
    struct staging s;
    struct batch keys;
    memset(&s, 0, sizeof s);
    memset(&keys, 0, sizeof keys);
    keys.keys = batch->keys;
    keys.key_offsets = batch->key_offsets;
    keys.offset_bytes = batch->offset_bytes;
    keys.strings_away = batch->strings_away;
    keys.key_bytes = batch->key_bytes;
    keys.n = batch->n;
    s.t = t;
    s.b = t->backend;
    s.run = changes_note;
    s.run_bytes = BATCHES_BYTES;
    if (!changes_fit(t, keys.n)) return;
    s.at = t->changes.log;
    const bool any = arrays_look(&s, &keys, call);
    s.b->enqueue = !any && s.b->operations->enqueues;
    const roost_status status = any ? run_staged(&s, &keys) : s.run(s.at, &keys);
    if (status) changes_lose(t, "the log of changes ran out of memory");
    else (void)changes_fit(t, 0);
    error_restore(&before);
}

static roost_status writing_begin(struct roost_table *t, const struct batch *batch, const roost_call *call)
{
    if (!batch->keys && !batch->key_offsets) return ROOST_OK; /* it writes results alone */
    t->saved.written = true;
    if (changes_asked(t) && t->backend->capturing)
        return error_set(&t->error, ROOST_ERR_UNSUPPORTED, "a ROOST_CHANGES table cannot log what a graph writes");
    if (changes_wanted(t)) keys_note(t, batch, call);
    return ROOST_OK;
}

static roost_status run_anywhere(struct staging *s, struct roost_table *t, enum access access, const struct batch *batch,
                                 const roost_call *call)
{
#if ROOST_PROBES
    struct batch stamped = *batch;
    stamped.stamps = call_stamps.stamps;
    stamped.clock = call_stamps.clock;
    batch = &stamped;
#endif
    s->t = t;
    s->at = t->at;
    s->b = t->backend;
    const bool any = arrays_look(s, batch, call);
    if (!any && !s->run_bytes && access == ACCESS_READ && s->b->operations->machine == MACHINE_HOST)
        /* Calls with work space of their own take turns. */
        access = ACCESS_SHARED;
    roost_status status = call_begin(t, call->stream, access);
    if (!status && access == ACCESS_WRITE) {
        status = writing_begin(t, batch, call);
        if (status) return call_end(t, access, status);
    }
    if (status) return status;
    /* The ranks of a table learn at once what became of each other's items. */
    if (access == ACCESS_WRITE) s->b->enqueue = !any && !t->group && s->b->operations->enqueues;
    if (any && s->b->capturing)
        status = error_set(&t->error, ROOST_ERR_UNSUPPORTED, "arrays that the GPU cannot reach cannot be captured into a graph");
    else status = any ? run_staged(s, batch) : s->run(s->at, batch);
    return call_end(t, access, status);
}

roost_status staged_run(struct roost_table *t, batch_function *run, size_t run_bytes, enum access access, const struct batch *batch,
                        const roost_call *call)
{
    struct staging s;
    memset(&s, 0, sizeof s);
    s.run = run;
    s.run_bytes = run_bytes;
    return run_anywhere(&s, t, access, batch, call);
}

roost_status staged_in_order(struct roost_table *t, const struct batch *batch, const roost_call *call)
{
    struct staging s;
    memset(&s, 0, sizeof s);
    s.run = batches_in_order;
    s.run_bytes = BATCHES_BYTES;
    s.ordered = true;
    return run_anywhere(&s, t, ACCESS_WRITE, batch, call);
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* Where an export's keys or values are written: the caller's array or the staging memory. */
static void *export_part(struct staging *s, int a, void *user) { return s->array[a].staged ? device_part(s, 0, a) : user; }

static roost_status export_out(struct staging *s, int a, void *user, const void *from, uint64_t n)
{
    if (!s->array[a].staged) return ROOST_OK;
    return s->b->operations->copy(s->b, user, from, n * (unsigned)s->array[a].bytes);
}

static roost_status export_run(struct roost_table *t, uint32_t flags, roost_cursor *cursor, void *keys, void *values, size_t room,
                               size_t *n)
{
    return (flags & ROOST_HASH_ORDER     ? batches_export_in_order
            : flags & ROOST_NUMBER_ORDER ? batches_export_by_number
                                         : t->engine->export_pairs)(t->at, cursor, keys, values, room, n);
}

static roost_status export_staged(struct staging *s, uint32_t flags, roost_cursor *cursor, void *keys, void *values, size_t room,
                                  size_t *n)
{
    struct roost_table *t = s->t;
    /* One slot, and one step of the cursor. */
    roost_status status = memory_of_device(s, room < STAGED_ITEMS ? room : STAGED_ITEMS);
    if (status) return status;
    void *keys_there = export_part(s, KEYS, keys), *values_there = export_part(s, VALUES_IN, values);
    status = export_run(t, flags, cursor, keys_there, values_there, s->room, n);
    if (!status) status = export_out(s, KEYS, keys, keys_there, *n);
    if (!status) status = export_out(s, VALUES_IN, values, values_there, *n);
    if (!status) status = backend_wait(s->b);
    slots_release(s);
    return status;
}

roost_status staged_export(struct roost_table *t, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n,
                           const roost_call *call)
{
    struct staging s;
    struct batch arrays;
    memset(&s, 0, sizeof s);
    memset(&arrays, 0, sizeof arrays);
    s.t = t;
    s.b = t->backend;
    arrays.keys = keys;
    arrays.values_in = values;
    const bool any = arrays_look(&s, &arrays, call);
    roost_status status = call_begin(t, call->stream, ACCESS_READ); /* exports share a counter */
    if (status) return status;
    if (s.b->capturing) status = error_set(&t->error, ROOST_ERR_UNSUPPORTED, "an export cannot be captured into a graph");
    else
        status = any ? export_staged(&s, call->flags, cursor, keys, values, room, n)
                     : export_run(t, call->flags, cursor, keys, values, room, n);
    return call_end(t, ACCESS_READ, status);
}
