/* Stadium's sizes: the groups for a number of keys, and the rebuilds with more or fewer groups. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/stadium/stadium_table.h"

enum {
    LEAST_GROUPS = 3,   /* a step needs two */
    LEAST_TICKETS = 67, /* for groups of one ticket */
    /* For an insert; at load 0.97 one in 10^30 keys finds all of them full. */
    MOST_GROUPS = 256,
    MOST_TICKETS = 1024, /* for groups of one ticket: one in 10^13 */
    /* Groups; the only usable slots may be those of erased keys, all in one place. */
    MOST_REFILL = 1 << 16
};

static const uint64_t most_slots = (uint64_t)1 << 39; /* bound of the search for primes */

/* ---- Primes --------------------------------------------------------------------------------- */

static bool is_prime(uint64_t n)
{
    if (n < 4) return n > 1;
    if (n % 2 == 0) return false;
    for (uint64_t d = 3; d * d <= n; d += 2)
        if (n % d == 0) return false;
    return true;
}

static uint64_t prime_from(uint64_t n)
{
    while (!is_prime(n)) n++;
    return n;
}

/* The largest prime up to n, which is at least 2. */
static uint64_t prime_to(uint64_t n)
{
    while (!is_prime(n)) n--;
    return n;
}

/* ---- Fill ----------------------------------------------------------------------------------- */

bool stadium_fits(const struct stadium_table *t, uint64_t keys) { return policy_is_within(&t->base, keys, stadium_slots(t)); }

/* ---- Sizes ---------------------------------------------------------------------------------- */

static uint64_t groups_for(const struct stadium_table *t, uint64_t keys)
{
    const double tickets = (double)stadium_group_tickets(t->base.shape, &t->view);
    const uint64_t least = t->view.single ? LEAST_TICKETS : LEAST_GROUPS;
    uint64_t groups = (uint64_t)ceil((double)keys / (t->base.max_fill * tickets));
    /* The quotient may have been rounded down. */
    while (!policy_is_within(&t->base, keys, groups * (uint64_t)tickets)) groups++;
    return prime_from(groups < least ? least : groups);
}

static roost_status keys_check(const struct stadium_table *t, uint64_t keys)
{
    if ((double)keys / t->base.max_fill <= (double)most_slots / 2) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_MEMORY, "room for %" PRIu64 " keys would take more than 2^38 slots", keys);
}

/* The groups after a shrink: half as many, or as many as this many keys need; the same number if
 * the table may not shrink. */
static uint64_t groups_halved(const struct stadium_table *t, uint64_t groups, uint64_t keys)
{
    const uint64_t least = groups_for(t, t->base.floor_keys > keys ? t->base.floor_keys : keys),
                   half = prime_from((groups + 1) / 2);
    const uint64_t fewer = half > least ? half : least;
    return t->base.growth && fewer < groups ? fewer : groups;
}

bool stadium_would_shrink(const struct engine_table *table, uint64_t keys)
{
    const struct stadium_table *t = stadium_of_const(table);
    return policy_is_low(table, keys, stadium_slots(t)) && groups_halved(t, t->view.groups, keys) < t->view.groups;
}

/* ---- Memory --------------------------------------------------------------------------------- */

static roost_status pairs_allocate(struct stadium_table *t, struct stadium_view *v)
{
    void *pairs;
    bool on_host;
    const roost_status status = stadium_place_allocate(t, stadium_view_pairs_bytes(t->base.shape, v), &pairs, &on_host);
    v->pairs = (unsigned char *)pairs;
    v->on_host = on_host;
    return status;
}

static void view_release(struct stadium_table *t, struct stadium_view *v)
{
    stadium_place_release(t, v->pairs, v->on_host, stadium_view_pairs_bytes(t->base.shape, v));
    if (v->board) backend_release(t->base.backend, v->board, stadium_view_board_bytes(t->base.shape, v));
    v->board = NULL;
    v->pairs = NULL;
}

/* Empties the pairs before the tickets: where pairs have marks, the pair must be empty before its
 * ticket is FREE.  *begun: some pairs are gone.  (Builds with probes fill other pairs as well: a
 * check copies all slots, and the sanitizer reports unwritten memory.) */
static roost_status view_empty(const struct stadium_table *t, const struct stadium_view *v, bool *begun)
{
    struct backend *b = t->base.backend;
    roost_status status = ROOST_OK;
    if (!v->access || ROOST_PROBES) {
        status = b->operations->fill(b, v->pairs, 0xff, stadium_view_pairs_bytes(t->base.shape, v));
        *begun |= !status;
    }
    if (!status) status = b->operations->fill(b, v->board, 0xff, stadium_view_board_bytes(t->base.shape, v));
    *begun |= !status;
    return status;
}

/* Makes an empty table of this size beside the present one. */
static roost_status view_make(struct stadium_table *t, uint64_t groups, struct stadium_view *v)
{
    void *board = NULL;
    const uint64_t most = t->view.single ? MOST_TICKETS : MOST_GROUPS;
    bool begun = false;
    *v = t->view;
    v->board = NULL;
    v->pairs = NULL;
    v->reach = NULL;
    v->groups = groups;
    v->bound = (uint32_t)(groups < most ? groups : most);
    v->refill_bound = (uint32_t)(groups < MOST_REFILL ? groups : MOST_REFILL);
    roost_status status = backend_allocate(t->base.backend, stadium_view_board_bytes(t->base.shape, v), &board);
    v->board = (uint32_t *)board;
    if (!status) status = pairs_allocate(t, v);
    if (!status) status = view_empty(t, v, &begun);
    if (status) view_release(t, v);
    return status;
}

static uint64_t groups_slots(const struct engine_table *table, uint64_t groups)
{
    return groups * stadium_group_tickets(table->shape, &stadium_of_const(table)->view);
}

/* The number of keys for which n groups have room. */
static uint64_t room_of(const struct stadium_table *t, uint64_t groups)
{
    return (uint64_t)(t->base.max_fill * (double)groups_slots(&t->base, groups));
}

static uint32_t padded_to(uint32_t n, uint32_t to) { return (n + to - 1) / to * to; }

/* The layout of wide pairs: the value first, behind its sequence if it has one, then the key; each
 * where its words are aligned. */
static void wide_plan(struct stadium_table *t)
{
    struct stadium_wide *w = &t->view.wide;
    const bool is_long = value_is_long((uint32_t)t->base.value_bytes);
    w->key_bytes = (uint32_t)t->base.key_bytes;
    w->value_bytes = (uint32_t)t->base.value_bytes;
    w->strings = t->base.key_bytes == 0;
    w->sip = t->options.hash == STADIUM_HASH_SIP ? 2 : t->options.hash == STADIUM_HASH_KEYED ? 1 : 0;
    w->hash_mask = ~0ULL >> (64 - t->options.hash_bits);
    w->ends = &stadium_words(t)->ends;
    w->value_at = is_long ? 8 : 0;
    w->key_at = padded_to(w->value_at + w->value_bytes, is_long || w->strings ? 8 : 4);
    const uint32_t key_bytes = w->strings ? (uint32_t)sizeof(struct stadium_string) : w->key_bytes;
    w->pair_bytes = padded_to(w->key_at + key_bytes, is_long || w->strings || w->value_bytes == 8 ? 8 : 4);
}

roost_status stadium_make(struct engine_table *table)
{
    struct stadium_table *t = stadium_of(table);
    struct stadium_view view;
    t->view.longest = &table->ledger.words->longest;
    if (is_wide(table->shape)) wide_plan(t);
    roost_status status = keys_check(t, table->floor_keys);
    if (!status) status = view_make(t, groups_for(t, table->floor_keys), &view);
    if (!status) t->view = view;
    return status;
}

void stadium_unmake(struct engine_table *table)
{
    struct stadium_table *t = stadium_of(table);
    stadium_reach_release(t);
    view_release(t, &t->view);
    stadium_arena_release(t);
}

/* Makes all slots FREE.  On failure half way, stadium_mend completes it. */
static roost_status slots_empty(struct stadium_table *t)
{
    struct backend *b = t->base.backend;
    roost_status status = view_empty(t, &t->view, &t->half_empty);
    if (!status) status = b->operations->fill(b, &t->base.ledger.words->longest, 0, sizeof(uint64_t));
    if (!status) status = stadium_arena_empty(t);
    if (status) return status;
    t->half_empty = false;
    t->count = t->tombstones = t->kept = t->placed = t->strayed = t->sought = t->astray = t->spent = 0;
    t->view.reach = NULL;
    return ROOST_OK;
}

roost_status stadium_clear(struct engine_table *table)
{
    struct stadium_table *t = stadium_of(table);
    const struct error_mark before = error_keep(table->error);
    struct stadium_view view;
    uint64_t groups = t->view.groups, half;
    const roost_status status = slots_empty(t);
    if (status) return status;
    while ((half = groups_halved(t, groups, 0)) < groups) groups = half;
    if (groups == t->view.groups) return ROOST_OK;
    /* Without memory the empty table stays large. */
    if (view_make(t, groups, &view)) return ledger_put_off(&table->ledger, &before);
    stadium_unmake(table);
    view.wide = t->view.wide; /* without an arena */
    t->view = view;
    return ROOST_OK;
}

/* ---- Rebuilding ----------------------------------------------------------------------------- */

/* Inserts all pairs of the present table into the new one.  *moved: pairs that found room there. */
static roost_status pairs_move(struct stadium_table *t, const struct stadium_view *to, uint64_t *moved)
{
    struct backend *b = t->base.backend;
    const uint64_t n = stadium_all_slots(t->base.shape, &t->view);
    struct counters now;
    struct stadium_args args;
    struct counters since;
    memset(&args, 0, sizeof args);
    args.view = *to;
    args.batch.counters = t->base.ledger.words;
    args.batch.n = n;
    args.transfer.from = t->view;
    args.transfer.shape = t->base.shape;
    if (!t->base.growth) /* the pairs may have filled the old table, and no larger one follows */
        args.view.bound = to->refill_bound;
    roost_status status = b->operations->launch(b, t->base.kernel[STADIUM_rebuild], &args, sizeof args, n);
    if (!status) status = backend_read(b, &now, t->base.ledger.words, sizeof now);
    if (status) return status;
    *moved = now.moved - t->base.ledger.seen.moved;
    ledger_expect_moves(&t->base.ledger, *moved); /* the caller checks that these are all */
    return ledger_read(&t->base.ledger, &since);
}

/* Rebuilds the table with n groups.  *done is false if some pair found no room.  In that case, and
 * on failure, the table is unchanged. */
static roost_status rehash(struct stadium_table *t, uint64_t groups, bool *done)
{
    struct stadium_view view, old = t->view;
    uint64_t moved = 0;
    *done = false;
    roost_status status = view_make(t, groups, &view);
    if (status) return status;
    t->placed = t->strayed = t->sought = t->astray = t->spent = 0;
    status = pairs_move(t, &view, &moved);
    *done = !status && moved == t->count;
    if (!*done) {
        view_release(t, &view);
        return status;
    }
    stadium_reach_release(t);
    t->view = view;
    t->tombstones = t->kept = 0;
    view_release(t, &old);
    t->base.stats.rehashed += t->count;
    return ROOST_OK;
}

/* The bytes of a number of groups that count against a memory limit.  A table that fills all of it
 * has memory for its reach. */
static uint64_t groups_bytes(const struct engine_table *table, uint64_t groups)
{
    const struct stadium_table *t = stadium_of_const(table);
    struct stadium_view v = t->view;
    v.groups = groups;
    const uint64_t pairs = v.on_host ? 0 : stadium_view_pairs_bytes(table->shape, &v);
    return stadium_view_board_bytes(table->shape, &v) + pairs + stadium_view_reach_bytes(table->shape, &v);
}

/* The groups after a step of growth: at most twice as many, or as many as the keys need, or what a
 * memory limit leaves. */
static uint64_t groups_grown(const struct stadium_table *t, uint64_t keys)
{
    const uint64_t now = t->view.groups, twice = prime_to(2 * now), least = groups_for(t, keys);
    const uint64_t wanted = twice > least ? twice : least;
    const struct growth growth = {.now = now, .wanted = wanted, .keys = keys, .bytes_of = groups_bytes, .slots_of = groups_slots};
    const uint64_t size = prime_to(policy_growth_size(&t->base, &growth));
    return size > now ? size : wanted;
}

roost_status stadium_enlarge(struct stadium_table *t, uint64_t keys, bool forced)
{
    roost_status status = keys_check(t, keys);
    bool done = false;
    /* A very small table may have bad luck with its hashes. */
    for (uint64_t groups = status ? 0 : groups_grown(t, keys); !status && !done; groups = prime_to(2 * groups)) {
        status = keys_check(t, room_of(t, groups));
        if (!status) status = rehash(t, groups, &done);
    }
    return policy_grown(&t->base, status, t->count, forced);
}

roost_status stadium_reserve(struct engine_table *table, uint64_t keys)
{
    struct stadium_table *t = stadium_of(table);
    bool done = stadium_fits(t, keys);
    roost_status status = done ? ROOST_OK : keys_check(t, keys);
    for (uint64_t groups = done || status ? 0 : groups_for(t, keys); !status && !done; groups = prime_from(2 * groups)) {
        status = rehash(t, groups, &done);
        table->stats.grow_steps += done;
    }
    return status;
}

/* ---- Erased slots --------------------------------------------------------------------------- */

/* True once ERASED slots have grown by a quarter of all slots since the last pass: those that
 * stayed then are in groups without a FREE ticket. */
static bool compact_is_due(const struct stadium_table *t)
{
    const uint64_t erased = t->tombstones, kept = t->kept < erased ? t->kept : erased;
    return t->view.access && !t->view.single && 4 * (erased - kept) > stadium_slots(t);
}

bool stadium_crowded(const struct stadium_table *t)
{
    return 16 * t->tombstones > stadium_slots(t) && !stadium_fits(t, t->count + t->tombstones);
}

/* A rebuild takes 70 to 90 ns a slot, so 2 microseconds for each one that it frees. */
bool stadium_cramped(const struct stadium_table *t, uint64_t n)
{
    const double taken = (double)t->count + (double)t->tombstones + (double)n;
    return !t->base.growth && 24 * t->tombstones > stadium_slots(t) && taken > STADIUM_REACH * (double)stadium_slots(t);
}

bool stadium_may_rebuild(const struct stadium_table *t) { return !t->base.ledger.captured; }

static roost_status compact_groups(struct stadium_table *t)
{
    struct stadium_args args;
    struct counters since;
    /* no group has both a FREE ticket and an ERASED one, or pairs have the marks */
    if (!t->view.access || t->view.single) return ROOST_OK;
    memset(&args, 0, sizeof args);
    args.batch.counters = t->base.ledger.words;
    roost_status status = stadium_launch_over(t, t->base.kernel[STADIUM_compact], &args, t->view.groups);
    if (!status) status = ledger_read(&t->base.ledger, &since);
    if (status) return status;
    t->kept = t->tombstones;
    t->base.stats.flushes++;
    return ROOST_OK;
}

roost_status stadium_reclaim(struct stadium_table *t, bool all)
{
    const uint64_t before = t->tombstones;
    bool done = true;
    roost_status status = compact_groups(t);
    if (status || !t->tombstones || !stadium_may_rebuild(t)) return status;
    if (!all && t->tombstones < before / 2 && !stadium_crowded(t)) return ROOST_OK;
    status = rehash(t, t->view.groups, &done);
    /* a piece has filled nearly all slots */
    if (!status && !done && t->base.growth) return stadium_enlarge(t, t->count, true);
    if (!status && !done)
        status = error_set(t->base.error, ROOST_ERR_MEMORY, "the pairs found no room in a table of the same size");
    t->base.stats.flushes += !status;
    return status;
}

/* ---- Bounds --------------------------------------------------------------------------------- */

static roost_status grow(struct engine_table *table) { return stadium_enlarge(stadium_of(table), stadium_stored(table), false); }

/* Frees the slots that a pass over the board can free, and strings' bytes.  Refused memory is no
 * failure. */
static roost_status tidy(struct stadium_table *t)
{
    const struct error_mark before = error_keep(t->base.error);
    roost_status status = compact_is_due(t) ? compact_groups(t) : ROOST_OK;
    if (!status) status = stadium_arena_compact(t, false);
    return ledger_forgive(&t->base.ledger, &before, status);
}

/* Halves a table that would shrink, as often as its bounds allow, by one rebuild. */
static roost_status shrink(struct engine_table *table)
{
    struct stadium_table *t = stadium_of(table);
    const uint64_t tickets = stadium_group_tickets(table->shape, &t->view);
    uint64_t groups = t->view.groups, steps = 0;
    bool done;
    do groups = groups_halved(t, groups, t->count), steps++;
    while (policy_is_low(table, t->count, groups * tickets) && groups_halved(t, groups, t->count) < groups);
    const roost_status status = rehash(t, groups, &done);
    return policy_shrunk(table, status, done, steps);
}

/* Do pairs pass more full groups on their ways than those of random keys?  At the load factor of
 * 0.85 a quarter of these find the first one full, of those before them fewer.  In small tables
 * their number varies: at that load factor by nine standard deviations less than 64, or than a
 * tenth of the pairs. */
static bool strays(const struct stadium_table *t)
{
    enum { VARIES = 64 /* groups */ };
    const bool crowded = (double)stadium_taken(&t->base) > 0.85 * (double)stadium_slots(t);
    return !t->view.single && !crowded && (double)t->strayed > 0.35 * (double)t->placed + VARIES;
}

roost_status stadium_settle(struct engine_table *table, bool shrinks)
{
    roost_status status = policy_grow(table, policy_over_full, grow);
    if (!status) status = tidy(stadium_of(table));
    if (strays(stadium_of(table)) && policy_doubts(table)) table->doubtful = true;
    return status || !shrinks ? status : policy_shrink(table, shrink);
}

roost_status stadium_mend(struct engine_table *table)
{
    struct stadium_table *t = stadium_of(table);
    roost_status status = stadium_arena_mend(t);
    if (!status && t->half_empty) status = slots_empty(t);
    t->view.reach = NULL;
    return status ? status : stadium_survey_slots(t);
}

roost_status stadium_compact_all(struct engine_table *table)
{
    struct stadium_table *t = stadium_of(table);
    const roost_status status = t->tombstones ? stadium_reclaim(t, true) : ROOST_OK;
    return status ? status : stadium_arena_compact(t, true);
}
