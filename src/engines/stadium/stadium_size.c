/* Stadium's sizes: how many groups a number of keys takes, and when and how the table is made anew with more or fewer of them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/stadium/stadium_table.h"

enum {
    LEAST_GROUPS = 3,   /* a step needs two */
    LEAST_TICKETS = 67, /* of groups of one */
    MOST_GROUPS = 256,  /* that a key goes to: at load 0.97 one in 10^30 keys finds all of them full */
    MOST_TICKETS = 1024 /* of groups of one: one in 10^13 */
};

static const uint64_t most_slots = (uint64_t)1 << 39; /* primes are looked for up to here */

/* ---- Primes --------------------------------------------------------------------------------------------------------------------------- */

static bool is_prime(uint64_t n)
{
    if (n < 4) return n > 1;
    if (n % 2 == 0) return false;
    for (uint64_t d = 3; d * d <= n; d += 2)
        if (n % d == 0) return false;
    return true;
}

uint64_t prime_from(uint64_t n)
{
    while (!is_prime(n)) n++;
    return n;
}

/* ---- Fill ----------------------------------------------------------------------------------------------------------------------------- */

uint64_t stadium_slots(const struct stadium_table *t) { return stadium_main_slots(t->shape, &t->view); }

static bool within(const struct stadium_table *t, uint64_t keys, uint64_t slots)
{
    return (double)keys <= t->max_fill * (double)slots;
}

bool stadium_has_room(const struct stadium_table *t, uint64_t keys) { return within(t, keys, stadium_slots(t)); }

static bool over_full(const struct stadium_table *t) { return t->growth && !stadium_has_room(t, t->count); }

/* ---- Sizes ------------------------------------------------------------------------------------------------------------------------------ */

static uint64_t groups_for(const struct stadium_table *t, uint64_t keys)
{
    const double tickets = (double)stadium_group_tickets(t->shape, &t->view);
    const uint64_t least = t->view.single ? LEAST_TICKETS : LEAST_GROUPS;
    uint64_t groups = (uint64_t)ceil((double)keys / (t->max_fill * tickets));
    while (!within(t, keys, groups * (uint64_t)tickets)) groups++; /* a rounded quotient */
    return prime_from(groups < least ? least : groups);
}

static uint64_t slots_for(const struct stadium_table *t, uint64_t keys)
{
    return groups_for(t, keys) * stadium_group_tickets(t->shape, &t->view);
}

static roost_status keys_check(const struct stadium_table *t, uint64_t keys)
{
    if ((double)keys * 16 > 1e18)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "%" PRIu64 " keys: their bytes overflow", keys);
    if ((double)keys / t->max_fill <= (double)most_slots / 2) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_MEMORY, "room for %" PRIu64 " keys would take more than 2^38 slots", keys);
}

static bool low_for(const struct stadium_table *t, uint64_t slots, uint64_t keys)
{
    return (double)keys < t->min_fill * (double)slots;
}

/* May a table with room for so many keys be halved when it holds `keys`? */
static bool may_halve(const struct stadium_table *t, uint64_t room, uint64_t keys)
{
    const uint64_t half = (room + 1) / 2;
    return t->growth && half >= t->floor_keys && half >= keys && groups_for(t, half) < groups_for(t, room);
}

bool stadium_would_shrink(const struct stadium_table *t, uint64_t keys)
{
    return low_for(t, stadium_slots(t), keys) && may_halve(t, t->room_keys, keys);
}

/* ---- Memory --------------------------------------------------------------------------------------------------------------------------- */

/* Whole blocks: who looks for a single ticket reads its block. */
static size_t board_bytes(const struct shape s, const struct stadium_view *v)
{
    const uint64_t bits = stadium_all_slots(s, v) << v->ticket_log;
    return (size_t)((bits + STADIUM_BLOCK_BITS - 1) / STADIUM_BLOCK_BITS * (STADIUM_BLOCK_BITS / 8));
}

static size_t pairs_bytes(const struct shape s, const struct stadium_view *v)
{
    return (size_t)stadium_all_slots(s, v) * (size_t)stadium_pair_bytes(s);
}

uint64_t stadium_board_bytes(const struct stadium_table *t) { return board_bytes(t->shape, &t->view); }
uint64_t stadium_pairs_bytes(const struct stadium_table *t) { return pairs_bytes(t->shape, &t->view); }
uint64_t stadium_table_bytes(const struct stadium_table *t)
{
    return stadium_board_bytes(t) + stadium_pairs_bytes(t) + sizeof(struct stadium_words);
}

static roost_status pairs_allocate(struct stadium_table *t, struct stadium_view *v)
{
    struct backend *b = t->base.backend;
    void *pairs = NULL;
    const size_t bytes = pairs_bytes(t->shape, v);
    const struct error before = *t->base.error;
    roost_status status = ROOST_ERR_MEMORY;
    v->on_host = t->options.memory == STADIUM_MEMORY_HOST;
    if (!v->on_host) status = backend_allocate(b, bytes, &pairs);
    if (status == ROOST_ERR_MEMORY && t->options.memory != STADIUM_MEMORY_DEVICE) {
        *t->base.error = before;
        status = b->operations->pinned_allocate(b, bytes, &pairs);
        v->on_host = true;
    }
    v->pairs = (unsigned char *)pairs;
    return status;
}

static void view_release(struct stadium_table *t, struct stadium_view *v)
{
    struct backend *b = t->base.backend;
    if (v->pairs && v->on_host) b->operations->pinned_release(b, v->pairs, pairs_bytes(t->shape, v));
    else if (v->pairs) backend_release(b, v->pairs, pairs_bytes(t->shape, v));
    if (v->board) backend_release(b, v->board, board_bytes(t->shape, v));
    v->board = NULL;
    v->pairs = NULL;
}

/* Pairs first: those that have marks say that nothing is there before their tickets do. */
static roost_status view_empty(const struct stadium_table *t, const struct stadium_view *v)
{
    struct backend *b = t->base.backend;
    const roost_status status = v->access ? ROOST_OK : b->operations->fill(b, v->pairs, 0xff, pairs_bytes(t->shape, v));
    return status ? status : b->operations->fill(b, v->board, 0xff, board_bytes(t->shape, v));
}

/* An empty table of this size beside the present one. */
static roost_status view_make(struct stadium_table *t, uint64_t groups, struct stadium_view *v)
{
    void *board = NULL;
    const uint64_t most = t->view.single ? MOST_TICKETS : MOST_GROUPS;
    *v = t->view;
    v->board = NULL;
    v->pairs = NULL;
    v->groups = groups;
    v->bound = (uint32_t)(groups < most ? groups : most);
    roost_status status = backend_allocate(t->base.backend, board_bytes(t->shape, v), &board);
    v->board = (uint32_t *)board;
    if (!status) status = pairs_allocate(t, v);
    if (!status) status = view_empty(t, v);
    if (status) view_release(t, v);
    return status;
}

static void table_use(struct stadium_table *t, const struct stadium_view *v, uint64_t keys)
{
    t->view = *v;
    /* What the least number of groups has room for. */
    const uint64_t room =
        (uint64_t)(t->max_fill * (double)(v->single ? LEAST_TICKETS : LEAST_GROUPS * stadium_group_tickets(t->shape, v)));
    t->room_keys = keys > room ? keys : room;
}

roost_status stadium_make(struct stadium_table *t)
{
    struct stadium_view view;
    roost_status status = keys_check(t, t->floor_keys);
    if (!status) status = view_make(t, groups_for(t, t->floor_keys), &view);
    if (!status) table_use(t, &view, t->floor_keys);
    return status;
}

void stadium_unmake(struct stadium_table *t) { view_release(t, &t->view); }

roost_status stadium_empty_slots(struct stadium_table *t)
{
    struct backend *b = t->base.backend;
    t->half_empty = true;
    roost_status status = view_empty(t, &t->view);
    if (!status) status = b->operations->fill(b, &t->words->counters.longest, 0, sizeof t->words->counters.longest);
    if (status) return status;
    t->half_empty = false;
    t->count = t->tombstones = 0;
    return ROOST_OK;
}

roost_status stadium_make_empty(struct stadium_table *t)
{
    const struct error before = *t->base.error;
    struct stadium_view view;
    uint64_t room = t->room_keys;
    const roost_status status = stadium_empty_slots(t);
    if (status) return status;
    while (may_halve(t, room, 0)) room = (room + 1) / 2;
    const uint64_t groups = groups_for(t, room);
    if (groups >= t->view.groups) return ROOST_OK;
    if (view_make(t, groups, &view)) {
        *t->base.error = before; /* an empty table that stays large */
        t->ledger.refused = true;
        return ROOST_OK;
    }
    stadium_unmake(t);
    table_use(t, &view, room);
    return ROOST_OK;
}

/* ---- Making the table anew ------------------------------------------------------------------------------------------------------------- */

/* All pairs of the present table into the new one.  *moved: how many arrived; the others found no room. */
static roost_status pairs_move(struct stadium_table *t, const struct stadium_view *to, uint64_t *moved)
{
    struct backend *b = t->base.backend;
    const uint64_t n = stadium_all_slots(t->shape, &t->view);
    struct stadium_words now;
    struct stadium_args args;
    struct counters since;
    memset(&args, 0, sizeof args);
    args.view = *to;
    args.batch.counters = &t->words->counters;
    args.batch.n = n;
    args.transfer.from = t->view;
    args.transfer.shape = t->shape;
    roost_status status = b->operations->launch(b, t->rebuild, &args, sizeof args, n);
    if (!status) status = backend_read(b, &now, t->words, sizeof now);
    if (status) return status;
    *moved = now.counters.moved - t->ledger.seen.moved;
    t->ledger.expected_moves = *moved; /* the caller looks whether these are all */
    return ledger_read(&t->ledger, &since);
}

/* The table anew with room for so many keys.  *done is false if some pair found none: then, and after a failure, it is as it was. */
static roost_status rehash(struct stadium_table *t, uint64_t keys, bool *done)
{
    struct stadium_view view, old = t->view;
    uint64_t moved = 0;
    *done = false;
    roost_status status = keys_check(t, keys);
    if (!status) status = view_make(t, groups_for(t, keys), &view);
    if (status) return status;
    status = pairs_move(t, &view, &moved);
    *done = !status && moved == t->count;
    if (!*done) {
        view_release(t, &view);
        return status;
    }
    table_use(t, &view, keys);
    t->tombstones = 0;
    view_release(t, &old);
    t->ledger.stats.rehashed += t->count;
    return ROOST_OK;
}

roost_status stadium_enlarge(struct stadium_table *t, uint64_t keys, bool forced)
{
    roost_status status = ROOST_OK;
    uint64_t room = t->room_keys;
    bool done = false;
    do room *= 2;
    while (room < keys);
    for (; !status && !done; room *= 2) status = rehash(t, room, &done);
    if (status == ROOST_ERR_MEMORY) t->ledger.refused = true;
    if (status) return status;
    t->ledger.stats.grow_steps++;
    t->ledger.stats.forced_grow_steps += forced;
    if (t->count > t->ledger.stats.largest_rehash) t->ledger.stats.largest_rehash = t->count;
    return ROOST_OK;
}

roost_status stadium_reserve_room(struct stadium_table *t, uint64_t keys)
{
    bool done = false;
    roost_status status = ROOST_OK;
    for (uint64_t room = keys; !status && !done; room *= 2) status = rehash(t, room, &done);
    t->ledger.stats.grow_steps += done;
    return status;
}

/* ---- Erased slots ----------------------------------------------------------------------------------------------------------------------- */

/* When a quarter of the slots would be erased ones, or they and the keys more than the upper bound allows the keys alone. */
bool stadium_reclaim_due(const struct stadium_table *t, uint64_t more)
{
    const uint64_t erased = t->tombstones + more, slots = stadium_slots(t);
    return erased && (4 * erased > slots || (16 * erased > slots && !within(t, t->count + erased, slots)));
}

static roost_status compact_groups(struct stadium_table *t)
{
    struct stadium_args args;
    struct counters since;
    memset(&args, 0, sizeof args);
    args.batch.counters = &t->words->counters;
    const roost_status status = stadium_launch_over(t, t->compact, &args, t->view.groups);
    return status ? status : ledger_read(&t->ledger, &since);
}

roost_status stadium_reclaim(struct stadium_table *t)
{
    const uint64_t before = t->tombstones;
    bool done = true;
    roost_status status = t->view.access && !t->view.single ? compact_groups(t) : ROOST_OK;
    if (!status && t->tombstones && (stadium_reclaim_due(t, 0) || t->tombstones == before)) {
        status = rehash(t, t->room_keys, &done);
        if (!status && !done)
            status = error_set(t->base.error, ROOST_ERR_MEMORY, "the pairs found no room in a table of the same size");
    }
    t->ledger.stats.flushes += !status;
    return status;
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------------------------------- */

roost_status stadium_settle(struct stadium_table *t)
{
    const struct error before = *t->base.error;
    roost_status status = ROOST_OK;
    while (!status && !t->ledger.refused && over_full(t)) status = stadium_enlarge(t, t->count, false);
    if (!status && !t->ledger.refused && stadium_reclaim_due(t, 0)) status = stadium_reclaim(t);
    if (status != ROOST_ERR_MEMORY) return status;
    t->ledger.refused = true;
    *t->base.error = before; /* every item is stored; the table is fuller than asked */
    return ROOST_OK;
}

roost_status stadium_shrink(struct stadium_table *t)
{
    const struct error before = *t->base.error;
    uint64_t room = t->room_keys, steps = 0;
    bool done = false;
    while (low_for(t, slots_for(t, room), t->count) && may_halve(t, room, t->count)) room = (room + 1) / 2, steps++;
    if (!steps) return ROOST_OK;
    roost_status status = rehash(t, room, &done);
    if (done) t->ledger.stats.shrink_steps += steps;
    if (done) t->base.backend->operations->trim(t->base.backend);
    if (!done) t->ledger.stats.shrink_aborts++, t->ledger.refused = true;
    if (status != ROOST_ERR_MEMORY) return status;
    *t->base.error = before; /* a shrink that gets no memory is put off */
    return ROOST_OK;
}
