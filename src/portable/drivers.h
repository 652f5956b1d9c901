/* Drivers: how lanes share a batch, independent of the table.
 *
 *   tile          each tile works on one item (per-tile); with a tile of one lane, each lane on its
 *                 own item (per-lane)
 *   once          as tile, with one tile for each item: the GPU starts blocks as others end, so
 *                 that their beginnings and ends overlap
 *   abreast       as tile, but all tiles of a warp make each step together; one whose item has
 *                 ended meanwhile, or that has none, is idle.  Items that take a longer way than
 *                 most wait in shared memory, until each tile of the warp has one
 *   onceabreast   as abreast, with one tile for each item, for operations of one step
 *   twice         as once, with two items for each tile: the buckets of both are loaded before
 *                 either is looked at (ILP; GPH, section 5.2)
 *   cooperative   each lane loads an item; the tile serves them one after another (SlabHash section
 *                 IV-A)
 *   collaborate   each lane works on its own item, one step at a time.  Lanes that have finished
 *                 take new items.  Unfinished items wait in shared memory until there are enough
 *                 for a whole warp (Stadium hashing, section III-C, clStash)
 *   staged        as tile, but first a block copies the data that its items read to shared memory;
 *                 the engine says which (GPH, section 5.1)
 *   team          as tile, with a whole warp as the tile; it builds its output in scratch memory
 *   runs          as tile, but a tile's items are neighbours in the batch: where neighbours want
 *                 the same locks, one comes after the other
 *   vote          as cooperative, but an item whose lock is taken is put back and another lane's
 *                 item is served meanwhile; leaders rotate (DyCuckoo section 5.2)
 *
 * On the host every driver is the same loop over a part of the batch: items are begun (hashed,
 * prefetched) some places ahead, and an item that must be retried yields the processor.  The leader
 * is the lane whose item is served.
 *
 * Kernels stamp a driver with an operation's three functions, which are constants here and
 * disappear by inlining. */
#ifndef ROOST_PORTABLE_DRIVERS_H
#define ROOST_PORTABLE_DRIVERS_H

#include "portable/bucket.h"
#include "portable/timestamps.h"

#if defined(ROOST_MACHINE_HOST)
#include <sched.h>
#endif

typedef void item_begin(const struct shape s, const void *view, const struct batch *b, uint64_t index, struct item *item);
typedef enum step item_step(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *item,
                            struct tally *tally, void *scratch);
typedef void item_end(const struct shape s, const struct batch *b, const struct item *item);
/* The first steps of two items of a tile, made together; NULL: an operation has none. */
typedef void item_early(const struct shape s, const tile g, const void *view, const struct batch *b, struct item *items,
                        enum step *results, struct tally *tally);
/* An operation of one step in two halves: */
typedef void item_request(const struct shape s, const tile g, const void *view, const struct item *item,
                          struct bucket_share *share);
typedef void item_look(const struct shape s, const tile g, const void *view, struct item *item, const struct bucket_share *share,
                       struct tally *tally);

/* The end function of most operations: the item's status, */
ROOST_FN void item_report(const struct shape s, const struct batch *b, const struct item *item)
{
    (void)s;
    if (b->statuses) b->statuses[item->index] = item->status;
}

/* and the result of a find. */
ROOST_FN void item_report_find(const struct shape s, const struct batch *b, const struct item *item)
{
    const bool hit = opaque_bool(item->status == ROOST_ITEM_FOUND);
    const uint64_t value = item->value & ((uint64_t)0 - hit);
    if (b->values_out) store_width_if(hit | (b->absent_zero != 0), s.value_bytes, b->values_out, item->index, value);
    if (b->found) b->found[item->index] = hit;
    item_report(s, b, item);
}

/* An operation's three functions, by its name. */
#define ROOST_OPERATION(name) name##_begin, name##_step, name##_end
#define ROOST_OPERATION_HALVES(name) name##_begin, name##_request, name##_look, name##_end

/* ---- Parking: indices of items that a later kernel works on ------------------------------------
 *
 * An atomic reserves a place in the list, so that two items never share one.  On CUDA a block
 * collects its indices in shared memory and reserves all their places at its end: with one atomic
 * for each item, items would queue at one address for longer than the kernel works. */

#if defined(ROOST_MACHINE_CUDA)

enum { PARKED_MOST = 1024 };

struct parked {
    uint64_t first;
    uint32_t count; /* may exceed PARKED_MOST: the surplus went directly to the list */
    uint32_t index[PARKED_MOST];
};

ROOST_FN struct parked *parked_here(void)
{
    __shared__ struct parked parked;
    return &parked;
}

ROOST_FN void parking_begin(const struct batch *b)
{
    if (!b->leftover) return;
    if (threadIdx.x == 0) parked_here()->count = 0;
    __syncthreads();
}

ROOST_FN void batch_park(const struct batch *b, uint64_t index)
{
    struct parked *here = parked_here();
    const uint32_t place = atomicAdd(&here->count, 1u);
    if (place < PARKED_MOST) here->index[place] = (uint32_t)index;
    else b->leftover[take_place_relaxed_device64(b->leftover_n)] = (uint32_t)index;
}

ROOST_FN void parking_end(const struct batch *b)
{
    if (!b->leftover) return;
    struct parked *here = parked_here();
    __syncthreads();
    const uint32_t count = here->count < PARKED_MOST ? here->count : PARKED_MOST;
    if (threadIdx.x == 0 && count) here->first = add_relaxed_device64(b->leftover_n, count);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) b->leftover[here->first + i] = here->index[i];
}

#else

ROOST_FN void parking_begin(const struct batch *b) { (void)b; }
ROOST_FN void batch_park(const struct batch *b, uint64_t index)
{
    b->leftover[take_place_relaxed_device64(b->leftover_n)] = (uint32_t)index;
}
ROOST_FN void parking_end(const struct batch *b) { (void)b; }

#endif

/* Counts an item's result, by its status. */
ROOST_FN void tally_item(struct tally *t, const struct item *item)
{
    t->inserted += item->status == ROOST_ITEM_INSERTED;
    t->updated += item->status == ROOST_ITEM_UPDATED || item->status == ROOST_ITEM_KEPT;
    t->erased += item->status == ROOST_ITEM_ERASED;
    if (item->status == ROOST_ITEM_INSERTED) tally_stored(t, item->where, 1);
    if (item->status == ROOST_ITEM_ERASED) tally_stored(t, item->where, (uint32_t)-1);
}

/* Loads ahead what an item reads of the batch's arrays. */
ROOST_FN void batch_prefetch(const struct shape s, const struct batch *b, uint64_t index)
{
    prefetch_far((const char *)b->keys + index * (unsigned)s.key_bytes);
    if (b->values_in) prefetch_far((const char *)b->values_in + index * (unsigned)s.value_bytes);
    if (b->operations) prefetch_far((const char *)b->operations + index);
}

/* Begins an item with the lanes of g; lane 0 keeps the timestamp.  hurries, waited: see struct
 * item. */
ROOST_FN void item_start_as(item_begin *begin, const struct shape s, const tile g, const void *view, const struct batch *b,
                            bool hurries, bool waited, uint64_t index, struct item *item)
{
    const uint64_t invoked = g.lane == 0 ? stamp_invoked(b) : 0;
    stamp_meet(g, b);
    item->idle = false;
    item->hurries = hurries;
    item->waited = waited;
    begin(s, view, b, index, item);
    item->invoked = invoked;
}
ROOST_FN void item_start(item_begin *begin, const struct shape s, const tile g, const void *view, const struct batch *b,
                         uint64_t index, struct item *item)
{
    item_start_as(begin, s, g, view, b, false, false, index, item);
}

/* Called when an item's step returned DONE or PARK, by all lanes that worked on it; `mine` on the
 * lane that has the item. */
ROOST_FN void item_served(const tile g, const struct batch *b, bool mine, const struct item *item)
{
    stamp_meet(g, b);
    if (mine) stamp_responded(b, item);
}

/* Ends an item whose step returned DONE or PARK; one lane calls it. */
ROOST_FN void item_finish(item_end *end, const struct shape s, const struct batch *b, struct item *item, enum step result,
                          struct tally *tally)
{
    if (result == STEP_PARK) {
        item->status = b->park_status;
        if (b->leftover) batch_park(b, item->index);
        else tally->failed++;
    }
    if (b->counters) tally_item(tally, item);
    end(s, b, item);
}

#define ROOST_COUNTERS_FROM_TALLY(X)                                                                                               \
    X(inserted)                                                                                                                    \
    X(updated)                                                                                                                     \
    X(erased)                                                                                                                      \
    X(put_back)                                                                                                                    \
    X(evicted)                                                                                                                     \
    X(moved)                                                                                                                       \
    X(distinct)                                                                                                                    \
    X(lanes_active)                                                                                                                \
    X(lanes_possible)                                                                                                              \
    X(reused) X(linked) X(failed) X(delta_moves) X(phi_moves) X(tries) X(died) X(flagged) X(second_reads) X(strayed) X(bucket_reads)

#if defined(ROOST_MACHINE_CUDA)

ROOST_FN void counter_add(uint64_t *counter, uint32_t count)
{
    const unsigned sum = __reduce_add_sync(0xffffffffu, count);
    if (sum && (threadIdx.x & 31u) == 0) add_relaxed_device64(counter, (uint64_t)(int64_t)(int32_t)sum);
}

/* Adds the lanes' counts to the batch's; all lanes of the warp call it.  Sums are signed: evictions
 * decrement `stored`, rebuilds decrement `linked`. */
ROOST_FN void tally_flush(const struct tally *t, struct counters *c)
{
    if (!c) return;
#define ROOST_FLUSH(field) counter_add(&c->field, t->field);
    ROOST_COUNTERS_FROM_TALLY(ROOST_FLUSH)
#undef ROOST_FLUSH
    ROOST_UNROLL
    for (int i = 0; i <= MAX_SUBTABLES; i++) counter_add(&c->stored[i], t->stored[i]);
    counter_add(&c->path_length[1], t->exchanged);
    /* One atomic for each warp, and only if the warp raises the maximum. */
    const unsigned longest = __reduce_max_sync(0xffffffffu, t->longest);
    if (longest && (threadIdx.x & 31u) == 0 && load_relaxed_device64(&c->longest) < longest)
        max_relaxed_device64(&c->longest, longest);
    if (ROOST_PROBES && t->max_bucket_reads) max_relaxed_device64(&c->max_bucket_reads, t->max_bucket_reads);
}

#else

ROOST_FN void counter_raise(uint64_t *counter, uint32_t most)
{
    if (most) max_relaxed_device64(counter, most);
}

ROOST_FN void tally_flush(const struct tally *t, struct counters *c)
{
    if (!c) return;
#define ROOST_FLUSH(field)                                                                                                         \
    if (t->field) add_relaxed_device64(&c->field, (uint64_t)(int64_t)(int32_t)t->field);
    ROOST_COUNTERS_FROM_TALLY(ROOST_FLUSH)
#undef ROOST_FLUSH
    for (int i = 0; i <= MAX_SUBTABLES; i++)
        if (t->stored[i]) add_relaxed_device64(&c->stored[i], (uint64_t)(int64_t)(int32_t)t->stored[i]);
    if (t->exchanged) add_relaxed_device64(&c->path_length[1], t->exchanged);
    counter_raise(&c->longest, t->longest);
    counter_raise(&c->max_bucket_reads, t->max_bucket_reads);
}

#endif

/* An unfinished item that waits in the shared memory of its warp, with the state of its steps. */
enum { COLLABORATE_HOMES = 3 };
struct waiting_item {
    uint64_t invoked, index;
    roost_key key;
    roost_value value;
    struct home home[COLLABORATE_HOMES];
    uint64_t operation;
};
enum { COLLABORATE_BYTES = sizeof(struct waiting_item) };

#if defined(ROOST_MACHINE_LANES)

/* A lane that begins an item of its own. */
ROOST_FN tile lane_alone(void)
{
    const tile g = {1, 0, 1u};
    return g;
}

/* Called after a step; true: it is to be made again.  Tiles of a warp that have diverged run by
 * turns.  One that only retries may take all turns, so that the tile that holds the lock never
 * gives it back: inserts of adjacent copies of a key did not end under compute-sanitizer.
 * Therefore a tile sleeps after some retries.  *retries: how many there were. */
ROOST_FN bool step_again(const tile g, enum step result, uint32_t *retries, struct tally *tally)
{
    enum { SLEEPLESS = 64 };
    if (result != STEP_RETRY) return result == STEP_AGAIN;
    if (g.lane == 0) tally->put_back++;
    if (++*retries % SLEEPLESS == 0) back_off(0);
    return true;
}

/* Works on item `first` of a batch and on each `stride`-th item after it, below `last`.  All tiles
 * of a warp have the same number of turns. */
ROOST_FN void drive_turns(item_begin *begin, item_step *step, item_end *end, const struct shape s, const tile g, const void *view,
                          const struct batch *b, void *scratch, uint64_t first, uint64_t last, uint64_t stride, uint64_t turns,
                          struct tally *tally)
{
    /* An item's index is loaded while the one before it is worked on. */
    uint64_t ahead = first < last ? batch_index(b, first) : 0;
    for (uint64_t i = first; turns > 0; turns--, i += stride) {
        const uint64_t index = ahead;
        /* Tiles that finished early wait for the others: else the warp would run them apart from
         * now on. */
        warp_converge();
        if (i >= last) continue;
        if (i + stride < last) ahead = batch_index(b, i + stride);
        struct item item;
        uint32_t retries = 0;
        item_start(begin, s, g, view, b, index, &item);
        enum step result;
        do result = step(s, g, view, b, &item, tally, scratch);
        while (step_again(g, result, &retries, tally));
        item_served(g, b, g.lane == 0, &item);
        if (g.lane == 0) item_finish(end, s, b, &item, result, tally);
        if (g.lane == 0) tally_item_end(tally);
    }
}

/* Items first .. last - 1 of a batch, for `tiles` tiles of which this is number `rank`. */
ROOST_FN void drive_range(item_begin *begin, item_step *step, item_end *end, const struct shape s, const tile g, const void *view,
                          const struct batch *b, void *scratch, uint64_t first, uint64_t last, uint64_t rank, uint64_t tiles,
                          struct tally *tally)
{
    const uint64_t turns = first < last ? (last - first + tiles - 1) / tiles : 0;
    drive_turns(begin, step, end, s, g, view, b, scratch, first + rank, last, tiles, turns, tally);
}

/* team: parks nothing, because its teams build in the memory in which a block would park items. */
ROOST_FN void drive_team(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size, const void *view,
                         const struct batch *b, void *scratch)
{
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    drive_range(begin, step, end, s, tile_make(size), view, b, scratch, 0, batch_size(b), tile_rank(size), tile_count(size),
                &tally);
    tally_flush(&tally, b->counters);
}

/* per-lane, per-tile */
ROOST_FN void drive_tile(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size, const void *view,
                         const struct batch *b, void *scratch)
{
    parking_begin(b);
    drive_team(begin, step, end, s, size, view, b, scratch);
    parking_end(b);
}

ROOST_FN void drive_runs(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size, const void *view,
                         const struct batch *b, void *scratch)
{
    const uint64_t n = batch_size(b), tiles = tile_count(size), per = (n + tiles - 1) / tiles;
    /* Of few items each warp has few: its tiles wait for each other. */
    const uint64_t spread = n && n < tiles ? tiles / n : 1, rank = tile_rank(size);
    const uint64_t first = rank % spread ? n : rank / spread * per, last = first + per < n ? first + per : n;
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    parking_begin(b);
    drive_turns(begin, step, end, s, tile_make(size), view, b, scratch, first, last, 1, per, &tally);
    tally_flush(&tally, b->counters);
    parking_end(b);
}

/* How far the next item of a tile is, where there is one tile for each item: beyond all n, unless
 * only the device knows how many there are. */
ROOST_FN uint64_t once_stride(const struct batch *b, uint64_t n, const int size) { return b->order_n ? tile_count(size) : n; }

#if defined(ROOST_MACHINE_CUDA)

/* Begins an item with all tiles of the warp.  exists: this tile has one; else its lanes look where
 * some item of the batch leads, and do nothing. */
ROOST_FN void abreast_start(item_begin *begin, const struct shape s, const tile g, const void *view, const struct batch *b,
                            bool exists, bool hurries, bool waited, uint64_t index, struct item *item)
{
    item_start_as(begin, s, g, view, b, hurries, waited, index, item);
    item->idle = !exists;
}

/* Makes an item's steps. */
ROOST_FN enum step abreast_steps(item_step *step, const struct shape s, const tile g, const void *view, const struct batch *b,
                                 void *scratch, struct item *item, struct tally *tally)
{
    enum step result = STEP_DONE;
    uint32_t retries = 0;
    do {
        const enum step now = step(s, g, view, b, item, tally, scratch);
        if (item->idle) continue;
        result = now;
        item->idle = !step_again(g, now, &retries, tally);
    } while (tile_any_abreast(g, !item->idle));
    return result;
}

/* Indices of a warp's items that wait for their long way.  A turn adds at most two for each of the
 * warp's tiles, and begins with fewer than one.  A block has at most 256 threads. */
enum { LATER_WARPS = 8, LATER_ITEMS = 64 };
ROOST_FN uint64_t *later_here(void)
{
    __shared__ uint64_t later[LATER_WARPS][LATER_ITEMS];
    return later[threadIdx.x / 32];
}

/* Adds the items of some tiles, `waiting` of which there are; returns how many there are then. */
ROOST_FN uint32_t later_add(bool adds, uint64_t index, uint32_t waiting)
{
    const uint32_t who = __ballot_sync(0xffffffffu, adds), below = (1u << (threadIdx.x & 31u)) - 1u;
    __syncwarp(); /* all have read the items of this turn */
    if (adds) later_here()[waiting + (uint32_t)bit_count32(who & below)] = index;
    __syncwarp(); /* before others read them */
    return waiting + (uint32_t)bit_count32(who);
}

/* A tile's way through a batch: item i is its next one, if that is below n. */
struct abreast_course {
    uint64_t n, i, tiles, turns; /* turns of the warp that are left */
    uint64_t ahead;              /* the next item's index, or that of another one */
};
ROOST_FN struct abreast_course abreast_begin(const struct batch *b, const int size)
{
    const uint64_t n = batch_size(b), tiles = tile_count(size), i = tile_rank(size);
    const struct abreast_course c = {n, i, tiles, (n + tiles - 1) / tiles, n ? batch_index(b, i < n ? i : n - 1) : 0};
    return c;
}
/* Goes on to the next item, and returns the index of this one.  What the item `distance` turns
 * ahead reads of the batch is loaded while this one is worked on. */
ROOST_FN uint64_t abreast_next(const struct shape s, const struct batch *b, struct abreast_course *c, const unsigned distance)
{
    const uint64_t index = c->ahead, far = c->i + distance * c->tiles;
    c->turns--, c->i += c->tiles;
    if (c->i < c->n) c->ahead = batch_index(b, c->i);
    if (far < c->n && !b->order) batch_prefetch(s, b, far);
    return index;
}

/* Ends a turn's items; those that return LATER wait.  Returns how many wait then. */
ROOST_FN uint32_t abreast_end(item_end *end, const struct shape s, const tile g, const struct batch *b, bool exists,
                              struct item *item, enum step result, uint32_t waiting, struct tally *tally)
{
    const bool acts = exists && g.lane == 0, waits = acts && result == STEP_LATER, ends = acts && !waits;
    item_served(g, b, ends, item);
    if (ends) item_finish(end, s, b, item, result, tally);
    if (waits) stamp_waits(b, item);
    tally_item_end(tally);
    return later_add(waits, item->index, waiting);
}

/* The early steps of two items: their loads wait together. */
ROOST_FN uint32_t abreast_pair(item_begin *begin, item_early *early, item_end *end, const struct shape s, const tile g,
                               const void *view, const struct batch *b, struct abreast_course *c, uint32_t waiting,
                               struct tally *tally)
{
    enum { ITEMS = 2 };
    struct item item[ITEMS];
    enum step result[ITEMS];
    bool exists[ITEMS];
    ROOST_UNROLL
    for (int k = 0; k < ITEMS; k++) {
        exists[k] = c->turns && c->i < c->n;
        abreast_start(begin, s, g, view, b, exists[k], true, false, c->turns ? abreast_next(s, b, c, ITEMS) : c->ahead, &item[k]);
    }
    early(s, g, view, b, item, result, tally);
    ROOST_UNROLL
    for (int k = 0; k < ITEMS; k++) waiting = abreast_end(end, s, g, b, exists[k], &item[k], result[k], waiting, tally);
    return waiting;
}

/* abreast */
ROOST_FN void drive_abreast(item_begin *begin, item_early *early, item_step *step, item_end *end, const struct shape s,
                            const int size, const void *view, const struct batch *b, void *scratch)
{
    const tile g = tile_abreast(size);
    const uint32_t abreast = 32u / (unsigned)size, rank = (threadIdx.x & 31u) / (unsigned)size;
    struct abreast_course c = abreast_begin(b, size);
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    parking_begin(b);
    for (uint32_t waiting = 0; c.turns || waiting;) {
        const bool fresh = c.turns && waiting < abreast, exists = fresh ? c.i < c.n : rank < waiting;
        if (early && fresh && !b->order) {
            waiting = abreast_pair(begin, early, end, s, g, view, b, &c, waiting, &tally);
            continue;
        }
        const uint64_t index = fresh ? abreast_next(s, b, &c, 1) : later_here()[exists ? waiting - 1 - rank : 0];
        if (!fresh) waiting -= waiting < abreast ? waiting : abreast;
        struct item item;
        /* Those of a list have mostly come here for their long way. */
        abreast_start(begin, s, g, view, b, exists, fresh && !b->order, !fresh, index, &item);
        const enum step result = abreast_steps(step, s, g, view, b, scratch, &item, &tally);
        waiting = abreast_end(end, s, g, b, exists, &item, result, waiting, &tally);
    }
    tally_flush(&tally, b->counters);
    parking_end(b);
}

/* onceabreast: as once, for operations of one step. */
ROOST_FN void drive_onceabreast(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size,
                                const void *view, const struct batch *b, void *scratch)
{
    const tile g = tile_abreast(size);
    const uint64_t n = batch_size(b);
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    for (uint64_t i = tile_rank(size); tile_any_abreast(g, i < n); i += once_stride(b, n, size)) {
        struct item item;
        abreast_start(begin, s, g, view, b, i < n, false, false, batch_index(b, i < n ? i : n - 1), &item);
        (void)step(s, g, view, b, &item, &tally, scratch);
        item_served(g, b, i < n && g.lane == 0, &item);
        if (i < n && g.lane == 0) end(s, b, &item);
        if (i < n && g.lane == 0) tally_item_end(&tally);
    }
    tally_flush(&tally, b->counters);
}

#endif

/* once: for operations that park nothing and, except for probes, count nothing: every block would
 * add to the batch's counts. */
ROOST_FN void drive_once(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size, const void *view,
                         const struct batch *b, void *scratch)
{
    const tile g = tile_make(size);
    const uint64_t n = batch_size(b);
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    for (uint64_t i = tile_rank(size); i < n; i += once_stride(b, n, size)) {
        struct item item;
        enum step result;
        uint32_t retries = 0;
        item_start(begin, s, g, view, b, batch_index(b, i), &item);
        do result = step(s, g, view, b, &item, &tally, scratch);
        while (step_again(g, result, &retries, &tally));
        item_served(g, b, g.lane == 0, &item);
        if (g.lane == 0) end(s, b, &item);
        if (g.lane == 0) tally_item_end(&tally);
    }
    tally_flush(&tally, b->counters);
}

/* twice: as once.  A tile without a second item works on its first one twice, and ends it once. */
ROOST_FN void drive_twice(item_begin *begin, item_request *request, item_look *look, item_end *end, const struct shape s,
                          const int size, const void *view, const struct batch *b)
{
    enum { ITEMS = 2 };
    const tile g = tile_make(size);
    const uint64_t n = batch_size(b);
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    for (uint64_t first = tile_rank(size); first < n; first += ITEMS * once_stride(b, n, size)) {
        const uint64_t second = first + tile_count(size), places[ITEMS] = {first, second};
        const int items = second < n ? ITEMS : 1;
        struct item item[ITEMS];
        struct bucket_share share[ITEMS];
        ROOST_UNROLL
        for (int i = 0; i < ITEMS; i++) item_start(begin, s, g, view, b, batch_index(b, i < items ? places[i] : first), &item[i]);
        ROOST_UNROLL
        for (int i = 0; i < ITEMS; i++) request(s, g, view, &item[i], &share[i]);
        ROOST_UNROLL
        for (int i = 0; i < ITEMS; i++) {
            if (i >= items) break;
            look(s, g, view, &item[i], &share[i], &tally);
            item_served(g, b, g.lane == 0, &item[i]);
            if (g.lane == 0) end(s, b, &item[i]);
            if (g.lane == 0) tally_item_end(&tally);
        }
    }
    tally_flush(&tally, b->counters);
}

/* The item of one lane, sent to all lanes of the tile. */
ROOST_FN void item_send(const struct shape s, const tile g, const struct batch *b, const struct item *mine, int leader,
                        struct item *served)
{
    served->key = s.key_bytes == 8 ? tile_from64(g, mine->key, leader) : tile_from32(g, (uint32_t)mine->key, leader);
    served->value = 0;
    if (b->values_in && s.value_bytes == 8) served->value = tile_from64(g, mine->value, leader);
    if (b->values_in && s.value_bytes == 4) served->value = tile_from32(g, (uint32_t)mine->value, leader);
    served->index = 0;
    served->operation = b->operations ? (uint8_t)tile_from32(g, mine->operation, leader) : 0;
    served->status = ROOST_ITEM_NONE;
    served->where = 0;
    ROOST_UNROLL
    for (int h = 0; h < MAX_HOMES; h++) {
        if (h >= s.homes) break;
        served->home[h].sub = tile_from32(g, mine->home[h].sub, leader);
        served->home[h].index = tile_from32(g, mine->home[h].index, leader);
    }
}

/* Copies the result back to the item's lane. */
ROOST_FN void item_take(struct item *mine, const struct item *served)
{
    mine->status = served->status;
    mine->where = served->where;
    mine->value = served->value;
}

/* Number of items for a tile's next round, one for each lane.  Fewer than a tile's lanes if the
 * batch is short, so that all tiles have some. */
ROOST_FN uint64_t round_items(uint64_t n, const int size)
{
    const uint64_t per = (n + tile_count(size) - 1) / tile_count(size);
    return per < (unsigned)size ? per : (unsigned)size;
}

/* cooperative: the lanes' items in turn */
ROOST_FN void drive_cooperative(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size,
                                const void *view, const struct batch *b, void *scratch)
{
    const tile g = tile_make(size);
    const uint64_t n = batch_size(b), per = round_items(n, size);
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    parking_begin(b);
    for (uint64_t first = tile_rank(size) * per; first < n; first += tile_count(size) * per) {
        const uint64_t count = n - first < per ? n - first : per;
        const bool exists = (unsigned)g.lane < count;
        struct item mine = {0};
        if (exists) item_start(begin, s, lane_alone(), view, b, batch_index(b, first + (unsigned)g.lane), &mine);
        stamp_meet(g, b);
        enum step mine_result = STEP_DONE;
        ROOST_UNROLL
        for (int turn = 0; turn < size; turn++) {
            if ((unsigned)turn >= count) break;
            struct item served;
            enum step result;
            uint32_t retries = 0;
            item_send(s, g, b, &mine, turn, &served);
            do result = step(s, g, view, b, &served, &tally, scratch);
            while (step_again(g, result, &retries, &tally));
            if (g.lane == turn) {
                mine_result = result;
                item_take(&mine, &served);
            }
            item_served(g, b, g.lane == turn, &mine);
            if (g.lane == 0) tally_item_end(&tally);
        }
        if (exists) item_finish(end, s, b, &mine, mine_result, &tally);
    }
    parking_end(b);
    tally_flush(&tally, b->counters);
}

/* vote: the lowest waiting lane is the leader.  The leadership moves on after every turn, so that
 * an item that was put back waits until the others had their turn. */
ROOST_FN void drive_vote(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int size, const void *view,
                         const struct batch *b, void *scratch)
{
    const tile g = tile_make(size);
    const uint64_t n = batch_size(b), per = round_items(n, size);
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    parking_begin(b);
    for (uint64_t first = tile_rank(size) * per; first < n; first += tile_count(size) * per) {
        const bool exists = (unsigned)g.lane < per && first + (unsigned)g.lane < n;
        struct item mine = {0};
        if (exists) item_start(begin, s, lane_alone(), view, b, batch_index(b, first + (unsigned)g.lane), &mine);
        stamp_meet(g, b);
        enum step mine_result = exists ? STEP_RETRY : STEP_DONE;
        uint32_t retries = 0;
        int turn = 0;
        for (uint32_t waiting; (waiting = tile_ballot(g, mine_result == STEP_RETRY || mine_result == STEP_AGAIN)) != 0;) {
            const uint32_t later = waiting & ~((1u << turn) - 1u);
            const int leader = bit_lowest32(later ? later : waiting);
            struct item served;
            item_send(s, g, b, &mine, leader, &served);
            const enum step result = step(s, g, view, b, &served, &tally, scratch);
            turn = (leader + 1) & (size - 1);
            if (g.lane == leader) {
                mine_result = result;
                item_take(&mine, &served);
            }
            if (step_again(g, result, &retries, &tally)) continue;
            item_served(g, b, g.lane == leader, &mine);
            if (g.lane == 0) tally_item_end(&tally);
        }
        if (exists) item_finish(end, s, b, &mine, mine_result, &tally);
    }
    parking_end(b);
    tally_flush(&tally, b->counters);
}

ROOST_FN void waiting_put(struct waiting_item *to, const struct item *item)
{
    to->invoked = item->invoked, to->index = item->index;
    to->key = item->key, to->value = item->value;
    to->operation = item->operation;
    ROOST_UNROLL
    for (int h = 0; h < COLLABORATE_HOMES; h++) to->home[h] = item->home[h];
}

ROOST_FN void waiting_take(const struct waiting_item *from, struct item *item)
{
    item->invoked = from->invoked, item->index = from->index;
    item->key = from->key, item->value = from->value;
    ROOST_UNROLL
    for (int h = 0; h < COLLABORATE_HOMES; h++) item->home[h] = from->home[h];
    item->status = ROOST_ITEM_NONE;
    item->operation = (uint8_t)from->operation;
    item->where = 0;
}

/* The work of a warp. */
struct collaboration {
    uint64_t next, last; /* fresh items */
    uint32_t waiting;    /* in `pool` */
    struct waiting_item *pool;
};

/* Gives idle lanes work, as in Figure 12.  If the pool has room for all unfinished items, they wait
 * there and every lane takes a fresh item.  Otherwise, and once there are no fresh items, idle
 * lanes take over items that wait.  *busy: whether this lane has an item. */
ROOST_FN void collaborate_share(const tile w, item_begin *begin, const struct shape s, const void *view, const struct batch *b,
                                struct collaboration *c, struct item *item, bool *busy)
{
    const uint32_t working = tile_ballot(w, *busy), below = (1u << w.lane) - 1u;
    const uint32_t busy_n = (uint32_t)bit_count32(working), idle_n = (uint32_t)w.size - busy_n;
    if (c->next < c->last && busy_n + c->waiting <= (uint32_t)w.size) {
        if (*busy) waiting_put(&c->pool[c->waiting + (uint32_t)bit_count32(working & below)], item);
        c->waiting += busy_n;
        *busy = c->next + (unsigned)w.lane < c->last;
        if (*busy) item_start(begin, s, lane_alone(), view, b, batch_index(b, c->next + (unsigned)w.lane), item);
        c->next += (unsigned)w.size;
    } else if (c->waiting) {
        const uint32_t rank = (uint32_t)bit_count32(~working & below), taken = idle_n < c->waiting ? idle_n : c->waiting;
        if (!*busy && rank < taken) {
            waiting_take(&c->pool[c->waiting - 1 - rank], item);
            *busy = true;
        }
        c->waiting -= taken;
    }
    /* Lanes take items that other lanes put there, and no lane overwrites one that is still being
     * read. */
    tile_sync(w);
}

/* collaborate: `lanes` is the size of a warp (tests have smaller ones), and `scratch` holds a
 * waiting_item for each lane. */
ROOST_FN void drive_collaborate(item_begin *begin, item_step *step, item_end *end, const struct shape s, const int lanes,
                                const void *view, const struct batch *b, void *scratch)
{
    const tile w = tile_make(lanes);
    const uint64_t n = batch_size(b), warps = tile_count(lanes), per = (n + warps - 1) / warps;
    struct collaboration c = {per * tile_rank(lanes), 0, 0, (struct waiting_item *)scratch};
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    struct item item = {0};
    bool busy = false;
    tally.stored = stored;
    c.last = c.next + per < n ? c.next + per : n;
    parking_begin(b);
    for (;;) {
        collaborate_share(w, begin, s, view, b, &c, &item, &busy);
        if (!tile_any(w, busy)) break;
        if (!busy) continue;
        const enum step result = step(s, lane_alone(), view, b, &item, &tally, NULL);
        tally.put_back += result == STEP_RETRY;
        if (result == STEP_RETRY || result == STEP_AGAIN) continue;
        item_served(lane_alone(), b, true, &item);
        item_finish(end, s, b, &item, result, &tally);
        tally_item_end(&tally);
        busy = false;
    }
    parking_end(b);
    tally_flush(&tally, b->counters);
}

#else

/* Items begun ahead: enough lines in flight to hide a miss of main memory. */
enum { HOST_AHEAD = 32 };

/* Prefetch for an operation whose second read depends on its first one, and perhaps a third on the
 * second.  Called once the data that the read depends on has arrived.  stage: 0, then 1. */
typedef void item_approach(const struct shape s, const void *view, struct item *item, const int stage);

ROOST_FN void approach_nothing(const struct shape s, const void *view, struct item *item, const int stage)
{
    (void)s, (void)view, (void)item, (void)stage;
}

/* Has the pass parked more items than the batch allows?  Then it is given up. */
ROOST_FN bool batch_given_up(const struct batch *b)
{
    return b->parked_most && load_relaxed_device64(b->leftover_n) > b->parked_most;
}

/* Parks items first .. last - 1 without trying them.  One atomic reserves all their places. */
ROOST_FN void batch_park_all(const struct batch *b, uint64_t first, uint64_t last)
{
    const uint64_t place = add_relaxed_device64(b->leftover_n, last - first);
    for (uint64_t i = first; i < last; i++) b->leftover[place + i - first] = (uint32_t)batch_index(b, i);
}

/* Loads ahead what item i of a list reads of the batch's arrays: it may be anywhere there. */
ROOST_FN void item_prefetch(const struct shape s, const struct batch *b, uint64_t i)
{
    if (b->order && b->key_bytes) batch_prefetch(s, b, b->order[i]);
}

/* Every driver on the host: items first .. last - 1 of the batch, one thread.  Items are approached
 * half as far ahead as they are begun, and again a quarter as far. */
ROOST_FN void drive_host_by(item_begin *begin, item_approach *approach, item_step *step, item_end *end, const struct shape s,
                            const void *view, const struct batch *b, uint64_t first, uint64_t last, void *scratch)
{
    const tile g = tile_make(1);
    struct item ring[HOST_AHEAD];
    uint32_t stored[MAX_SUBTABLES + 1] = {0};
    struct tally tally = {0};
    tally.stored = stored;
    uint64_t begun = first, approached = first, again = first;
    bool given_up = batch_given_up(b);
    uint64_t i = first;
    if (last > batch_size(b)) last = batch_size(b); /* a list shorter than its bound */
    for (; i < last && !given_up; i++) {
        for (; begun < last && begun < i + HOST_AHEAD; begun++) {
            if (begun + HOST_AHEAD < last) item_prefetch(s, b, begun + HOST_AHEAD);
            item_start(begin, s, g, view, b, batch_index(b, begun), &ring[begun % HOST_AHEAD]);
        }
        for (; approached < begun && approached < i + HOST_AHEAD / 2; approached++)
            approach(s, view, &ring[approached % HOST_AHEAD], 0);
        for (; again < approached && again < i + HOST_AHEAD / 4; again++) approach(s, view, &ring[again % HOST_AHEAD], 1);
        struct item *item = &ring[i % HOST_AHEAD];
        enum step result;
        while ((result = step(s, g, view, b, item, &tally, scratch)) == STEP_RETRY || result == STEP_AGAIN) {
            if (result == STEP_AGAIN) continue;
            tally.put_back++;
            sched_yield(); /* the holder may be waiting for this processor */
        }
        item_served(g, b, true, item);
        item_finish(end, s, b, item, result, &tally);
        tally_item_end(&tally);
        if (result == STEP_PARK) given_up = batch_given_up(b);
    }
    if (i < last) batch_park_all(b, i, last);
    tally_flush(&tally, b->counters);
}

/* The same without approaches. */
ROOST_FN void drive_host(item_begin *begin, item_step *step, item_end *end, const struct shape s, const void *view,
                         const struct batch *b, uint64_t first, uint64_t last, void *scratch)
{
    drive_host_by(begin, approach_nothing, step, end, s, view, b, first, last, scratch);
}

#endif

#endif
