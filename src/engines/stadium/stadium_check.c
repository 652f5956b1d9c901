/* Walks a whole Stadium table and verifies its lettered invariants (stadium.h). */
#include <inttypes.h>
#include <string.h>

#include "engines/stadium/stadium_table.h"
#include "engines/walk.h"

/* A copy of the table in host memory, and the walk's counts. */
struct walk {
    const struct stadium_table *t;
    struct stadium_view view;
    struct copies copies;
    struct stadium_ends ends;                          /* of the copied arena */
    uint64_t count, tombstones, longest, string_bytes; /* stored */
    uint64_t marks;                                    /* keys that look like marks */
};

static roost_status broken(const struct walk *w, char letter, const char *what, uint64_t slot)
{
    return error_set(w->t->base.error, ROOST_ERR_CORRUPT, "invariant %c: %s (slot %" PRIu64 ")", letter, what, slot);
}

/* Copies the strings' bytes, and the ends that the table claims. */
static roost_status arena_copy(struct walk *w)
{
    const struct stadium_table *t = w->t;
    struct backend *b = t->base.backend;
    if (!w->view.wide.strings) return ROOST_OK;
    const roost_status status = backend_read(b, &w->ends, &stadium_words(t)->ends, sizeof w->ends);
    if (status) return status;
    if (w->ends.used > t->arena_room) return broken(w, 'H', "the arena's used bytes exceed its size", 0);
    if (!t->arena_room) return ROOST_OK;
    w->view.wide.arena = (unsigned char *)copy_room(&w->copies, t->arena_room);
    return w->copies.status ? w->copies.status : backend_read(b, w->view.wide.arena, t->view.wide.arena, w->ends.used);
}

static roost_status copies_make(struct walk *w)
{
    const struct stadium_view *v = &w->t->view;
    w->view = *v;
    w->view.board = (uint32_t *)copy_of(&w->copies, v->board, stadium_board_bytes(w->t));
    w->view.pairs = (unsigned char *)copy_of(&w->copies, v->pairs, stadium_pairs_bytes(w->t));
    if (v->reach) w->view.reach = (uint32_t *)copy_of(&w->copies, v->reach, stadium_reach_bytes(w->t));
    roost_status status = w->copies.status;
    if (!status) status = backend_read(w->t->base.backend, &w->longest, v->longest, sizeof w->longest);
    return status ? status : arena_copy(w);
}

/* A stored pair's key and its hash. */
static uint64_t key_of_pair(const struct walk *w, const struct pair *pair, struct stadium_key *k)
{
    const struct shape s = w->t->base.shape;
    const unsigned char *const at = (const unsigned char *)(uintptr_t)pair->key;
    memset(k, 0, sizeof *k);
    if (!is_wide(s)) {
        k->key = stadium_stored_key(s, &w->view, pair->key);
        return stadium_hash(s, &w->view, pair->key);
    }
    const struct bytes key = wide_slot_key(&w->view, at);
    const uint64_t hash = wide_hash(&w->view, key);
    k->key = (roost_key)(uintptr_t)key.at;
    k->bytes = key.n;
    k->tag = wide_tag(hash);
    return hash;
}

/* Counts a key in a walk's current group, where its copies have its ticket (invariant A).
 * *has_free: does the group have a FREE ticket? */
static int occurrences(const struct walk *w, const struct stadium_walk *way, const struct stadium_key *k, uint32_t ticket,
                       bool *has_free)
{
    const struct shape s = w->t->base.shape;
    const uint64_t tickets = stadium_group_tickets(s, &w->view), first = way->at * tickets;
    int n = 0;
    *has_free = false;
    for (uint64_t i = first; i < first + tickets; i++) {
        struct pair pair;
        roost_value value;
        const uint32_t other = stadium_ticket(s, &w->view, i);
        *has_free |= (other & 1) && stadium_slot(s, &w->view, i, &pair) == SLOT_FREE;
        if (other != ticket || stadium_slot(s, &w->view, i, &pair) != SLOT_STORED) continue;
        n += stadium_pair_look(QUIESCENT, s, &w->view, stadium_pair(s, &w->view, i), k, &value) == PAIR_MATCH;
    }
    return n;
}

/* Checks A, B, C and J for a stored key, on the way from its home to its own group.  Of two copies
 * of a key, which have the same way, the one that is further from home finds the other. */
static roost_status check_key(const struct walk *w, uint64_t slot, const struct pair *pair)
{
    struct stadium_key k;
    const struct shape s = w->t->base.shape;
    const struct stadium_view *v = &w->view;
    const uint64_t hash = key_of_pair(w, pair, &k), tickets = stadium_group_tickets(s, v), group = slot / tickets;
    struct stadium_walk way = stadium_walk_begin(s, v, hash, k.key, stadium_inverts(s, v, pair->key));
    bool passed_free = false, met = false, has_free;
    int copies = 0;
    const uint32_t reach = v->reach && way.bound > 1 ? v->reach[stadium_reach_of(s, v, way.at)] : UINT32_MAX;
    if (way.bound > 1) /* except for marks, which have one group */
        way.bound = (uint32_t)(w->longest < v->groups ? w->longest : v->groups);
    const uint32_t ticket = stadium_ticket(s, v, slot);
    if (ticket != stadium_info(s, v, hash) << 1) return broken(w, 'A', "a ticket does not hold its key's info", slot);
    do {
        met = way.at == group;
        if (met && way.passed >= reach) return broken(w, 'J', "a key is beyond the reach of its home", slot);
        if (met && passed_free) return broken(w, 'C', "a group before a key's own has a free ticket", slot);
        copies += occurrences(w, &way, &k, ticket, &has_free);
        passed_free |= has_free;
    } while (!met && stadium_walk_next(s, v, &way));
    if (!met) return broken(w, 'A', "a key lies in no group of its order", slot);
    return copies == 1 ? ROOST_OK : broken(w, 'B', "a key is stored twice", slot);
}

/* Checks H and I for a stored wide pair: all except its key's place. */
static roost_status check_wide(struct walk *w, uint64_t slot, const struct pair *pair)
{
    const struct stadium_wide *const wide = &w->view.wide;
    unsigned char *const at = (unsigned char *)(uintptr_t)pair->key;
    if (value_is_long(wide->value_bytes) && (*wide_sequence(at) & 1)) return broken(w, 'I', "a value is being written", slot);
    if (!wide->strings) return ROOST_OK;
    const struct stadium_string *const string = (const struct stadium_string *)(const void *)(at + wide->key_at);
    const uint64_t bytes = bytes_padded(string->length);
    if (string->length > ROOST_STRING_MOST || string->offset > w->ends.used || bytes > w->ends.used - string->offset)
        return broken(w, 'H', "a string lies outside the arena's used part", slot);
    if (string->tag != wide_tag(wide_hash(&w->view, wide_slot_key(&w->view, at))))
        return broken(w, 'H', "a string's tag does not match its hash", slot);
    w->string_bytes += bytes;
    return ROOST_OK;
}

/* All strings lie inside before any is compared with another. */
static roost_status check_wide_slots(struct walk *w)
{
    const struct shape s = w->t->base.shape;
    roost_status status = ROOST_OK;
    for (uint64_t slot = 0; is_wide(s) && !status && slot < stadium_all_slots(s, &w->view); slot++) {
        struct pair pair;
        if (stadium_slot(s, &w->view, slot, &pair) == SLOT_STORED) status = check_wide(w, slot, &pair);
    }
    return status;
}

static roost_status check_slot(struct walk *w, uint64_t slot)
{
    const struct shape s = w->t->base.shape;
    struct pair pair;
    const enum slot_state state = stadium_slot(s, &w->view, slot, &pair);
    if (state == SLOT_RESERVED) return broken(w, 'E', "a ticket is RESERVED, but no insert is running", slot);
    w->tombstones += state == SLOT_ERASED;
    if (state == SLOT_FREE && !w->view.access) {
        const uint64_t unit = stadium_unit_load(QUIESCENT, s, stadium_pair(s, &w->view, slot));
        if ((s.word ? unit_key(s, unit) : unit) != stadium_empty(s)) return broken(w, 'G', "a free slot is not empty", slot);
    }
    if (state != SLOT_STORED) return ROOST_OK;
    w->count++;
    w->marks += slot >= stadium_main_slots(s, &w->view);
    if (!w->view.access && (slot >= stadium_main_slots(s, &w->view)) != stadium_inverts(s, &w->view, pair.key))
        return broken(w, 'G', "a key that looks like a mark is outside the marks' group, or another key is in it", slot);
    return check_key(w, slot, &pair);
}

static roost_status check_fill(const struct walk *w)
{
    const struct stadium_table *t = w->t;
    if (w->count != t->count || w->tombstones != t->tombstones)
        return error_set(w->t->base.error, ROOST_ERR_CORRUPT,
                         "invariant D: stored %" PRIu64 " keys and %" PRIu64 " erased slots, counted %" PRIu64 " and %" PRIu64,
                         w->count, w->tombstones, t->count, t->tombstones);
    if (!t->base.ledger.captured && w->count - w->marks > stadium_keys_most(t))
        return error_set(w->t->base.error, ROOST_ERR_CORRUPT, "invariant K: %" PRIu64 " keys in a table that is full with %" PRIu64,
                         w->count - w->marks, stadium_keys_most(t));
    if (w->string_bytes + w->ends.dead != w->ends.used)
        return error_set(w->t->base.error, ROOST_ERR_CORRUPT,
                         "invariant H: strings have %" PRIu64 " stored and %" PRIu64 " dead bytes, but %" PRIu64 " are used",
                         w->string_bytes, w->ends.dead, w->ends.used);
    return check_bounds(&t->base, stadium_fits(t, t->count) ? NULL : "the fill", stadium_would_shrink(&t->base, t->count));
}

roost_status stadium_check(struct engine_table *table)
{
    struct walk w;
    memset(&w, 0, sizeof w);
    w.t = (const struct stadium_table *)table;
    w.copies.table = table;
    roost_status status = ledger_wait(&table->ledger);
    if (!status) status = copies_make(&w);
    if (!status) status = check_wide_slots(&w);
    for (uint64_t slot = 0; !status && slot < stadium_all_slots(w.t->base.shape, &w.view); slot++) status = check_slot(&w, slot);
    if (!status) status = check_fill(&w);
    copies_free(&w.copies);
    return status;
}
