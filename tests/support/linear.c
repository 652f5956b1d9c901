/* A checker of linearisability for one key's operations. */
#include "support/linear.h"

#include "support/draw.h"
#include "roost/mixed.h"

#include <stdlib.h>
#include <string.h>

/* How far a search has come: all operations below `first` are done, and of the later ones those
 * in `done`. */
struct place {
    size_t first;
    uint64_t done; /* bit i: operation first + i; bit 0 is never set */
    struct linear_state state;
};

/* A place that the search has visited, and what it has tried there. */
struct visit {
    struct place place;
    size_t next;  /* next turn; there is a turn for each candidate and rank */
    size_t end;   /* end of the candidates */
    bool settled; /* the last one tried needs no alternative */
};

struct known {
    struct place place;
    uint64_t search; /* number of the search; 0: none */
};

enum { KNOWN_AT_FIRST = 1 << 12 };

/* In the order of trying: an operation whose value no find saw, one whose value a find saw, one
 * whose value is there at the end. */
enum rank { RANK_UNSEEN, RANK_SEEN, RANK_LAST, RANKS };

struct linear {
    uint64_t mask;
    uint8_t *ranks;
    struct visit *visits;
    size_t room;
    /* hash table of this search's dead ends; at least two slots for each place that it has
     * visited */
    struct known *known;
    uint64_t known_room; /* a power of two */
    uint64_t search, places, most_places;
};

static void *memory(void *p, size_t bytes)
{
    p = realloc(p, bytes);
    if (!p) abort();
    return p;
}

static struct known *known_new(uint64_t room)
{
    struct known *known = calloc(room, sizeof *known);
    if (!known) abort();
    return known;
}

struct linear *linear_new(uint64_t mask, uint64_t places)
{
    struct linear *linear = memory(NULL, sizeof *linear);
    *linear =
        (struct linear){.mask = mask, .most_places = places, .known = known_new(KNOWN_AT_FIRST), .known_room = KNOWN_AT_FIRST};
    return linear;
}

void linear_free(struct linear *linear)
{
    free(linear->ranks);
    free(linear->visits);
    free(linear->known);
    free(linear);
}

/* ---- One key, one operation after the other -------------------------------------------------- */

static uint64_t combine(const struct linear_op *op, uint64_t mask, uint64_t value)
{
    const uint64_t sum = (value + op->argument) & mask;
    switch (op->operation) {
    case ROOST_OP_ADD: return op->saturates && sum < value ? mask : sum;
    case ROOST_OP_MIN: return op->argument < value ? op->argument : value;
    case ROOST_OP_MAX: return op->argument > value ? op->argument : value;
    default: return op->argument;
    }
}

static bool step_insert(const struct linear_op *op, uint64_t mask, struct linear_state *state)
{
    switch (op->status) {
    case ROOST_ITEM_INSERTED:
        if (state->present) return false;
        *state = (struct linear_state){true, op->argument & mask};
        return true;
    case ROOST_ITEM_UPDATED:
        if (!state->present || op->operation == ROOST_OP_KEEP) return false;
        state->value = combine(op, mask, state->value);
        return true;
    case ROOST_ITEM_KEPT: return state->present && op->operation == ROOST_OP_KEEP;
    case ROOST_ITEM_FULL:
    case ROOST_ITEM_NO_MEMORY: return true;
    default: return false;
    }
}

bool linear_step(const struct linear_op *op, uint64_t mask, struct linear_state *state)
{
    switch (op->operation) {
    case ROOST_OP_FIND:
        if (op->status == ROOST_ITEM_FOUND) return state->present && state->value == op->value;
        return op->status == ROOST_ITEM_ABSENT && !state->present;
    case ROOST_OP_ERASE:
        if (op->status == ROOST_ITEM_ABSENT) return !state->present;
        if (op->status != ROOST_ITEM_ERASED || !state->present) return false;
        *state = (struct linear_state){false, 0};
        return true;
    default: return step_insert(op, mask, state);
    }
}

/* True for a result that means that the operation changed nothing, whatever the state. Such an
 * operation may come as soon as it fits. */
static bool changes_nothing(const struct linear_op *op)
{
    return op->status != ROOST_ITEM_INSERTED && op->status != ROOST_ITEM_UPDATED && op->status != ROOST_ITEM_ERASED;
}

/* ---- Order of trying ------------------------------------------------------------------------- */

static enum rank rank_of(const struct linear_op *ops, size_t n, const struct linear_op *op, struct linear_state end)
{
    if (op->operation == ROOST_OP_FIND || op->operation == ROOST_OP_ERASE) return RANK_SEEN;
    if (end.present && end.value == op->argument) return RANK_LAST;
    for (size_t i = 0; i < n; i++)
        if (ops[i].operation == ROOST_OP_FIND && ops[i].value == op->argument) return RANK_SEEN;
    return RANK_UNSEEN;
}

/* ---- The search ------------------------------------------------------------------------------ */

static bool is_done(const struct place *p, size_t i) { return p->done >> (i - p->first) & 1; }

static struct place place_after(struct place p, size_t i, struct linear_state state)
{
    p.done |= UINT64_C(1) << (i - p.first);
    p.state = state;
    while (p.done & 1) p.done >>= 1, p.first++;
    return p;
}

/* Which operations are done decides whether the key is there. */
static bool same_place(const struct place *a, const struct place *b)
{
    return a->first == b->first && a->done == b->done && a->state.value == b->state.value;
}

/* The slot of the place, or the vacant one where it would be. */
static struct known *known_at(const struct linear *linear, const struct place *p)
{
    uint64_t at = mix64(p->first + mix64(p->done + mix64(p->state.value)));
    for (;; at++) {
        struct known *known = &linear->known[at & (linear->known_room - 1)];
        if (known->search != linear->search || same_place(&known->place, p)) return known;
    }
}

static bool leads_nowhere(const struct linear *linear, const struct place *p)
{
    return known_at(linear, p)->search == linear->search;
}

static void remember(const struct linear *linear, const struct place *p)
{
    *known_at(linear, p) = (struct known){*p, linear->search};
}

/* Counts one more place; false if it is one too many. The memory grows with the count, so that
 * short searches stay in a cache. */
static bool places_count(struct linear *linear)
{
    if (++linear->places > linear->most_places) return false;
    if (2 * linear->places <= linear->known_room) return true;
    struct known *old = linear->known;
    const uint64_t n = linear->known_room;
    linear->known_room = 2 * n;
    linear->known = known_new(2 * n);
    for (uint64_t i = 0; i < n; i++)
        if (old[i].search == linear->search) remember(linear, &old[i].place);
    free(old);
    return true;
}

/* Finds the operations that may come next at this place: those invoked before any open one has
 * responded. They are sorted, so none comes after the first that was invoked too late. False:
 * more operations overlap than a window holds. */
static bool visit_begin(const struct linear_op *ops, size_t n, const struct place *p, struct visit *v)
{
    uint64_t limit = UINT64_MAX;
    size_t end = p->first;
    for (; end < n && ops[end].invoked <= limit; end++) {
        if (end - p->first == LINEAR_WINDOW) return false;
        if (!is_done(p, end) && ops[end].responded < limit) limit = ops[end].responded;
    }
    *v = (struct visit){.place = *p, .end = end};
    return true;
}

/* A candidate that fits here and changes nothing; v->end if there is none. */
static size_t settled_candidate(const struct linear *linear, const struct linear_op *ops, const struct visit *v)
{
    size_t i = v->place.first;
    for (; i < v->end; i++) {
        struct linear_state state = v->place.state;
        if (is_done(&v->place, i) || !changes_nothing(&ops[i])) continue;
        if (linear_step(&ops[i], linear->mask, &state)) break;
    }
    return i;
}

/* The next place to visit from here; false if there is none. */
static bool visit_next(const struct linear *linear, const struct linear_op *ops, struct visit *v, struct place *to)
{
    if (v->settled) return false;
    const size_t candidates = v->end - v->place.first;
    const size_t settled = v->next == 0 ? settled_candidate(linear, ops, v) : v->end;
    if (settled < v->end) {
        v->settled = true;
        *to = place_after(v->place, settled, v->place.state);
        return true;
    }
    while (v->next < RANKS * candidates) {
        const size_t i = v->place.first + v->next % candidates, rank = v->next / candidates;
        struct linear_state state = v->place.state;
        v->next++;
        if (is_done(&v->place, i) || linear->ranks[i] != rank) continue;
        if (!linear_step(&ops[i], linear->mask, &state)) continue;
        *to = place_after(v->place, i, state);
        return true;
    }
    return false;
}

static enum linear_verdict search(struct linear *linear, const struct linear_op *ops, size_t n, struct linear_state start,
                                  struct linear_state end)
{
    size_t depth = 0;
    struct place place = {.state = start};
    for (;;) {
        const bool last = place.first == n;
        if (last && place.state.present == end.present && place.state.value == end.value) return LINEAR_YES;
        if (!last && !leads_nowhere(linear, &place)) {
            if (!places_count(linear) || !visit_begin(ops, n, &place, &linear->visits[depth])) return LINEAR_UNDECIDED;
            depth++;
        }
        while (depth && !visit_next(linear, ops, &linear->visits[depth - 1], &place))
            remember(linear, &linear->visits[--depth].place);
        if (!depth) return LINEAR_NO;
    }
}

static int by_invocation(const void *a, const void *b)
{
    const struct linear_op *x = a, *y = b;
    return (x->invoked > y->invoked) - (x->invoked < y->invoked);
}

enum linear_verdict linear_check(struct linear *linear, struct linear_op *ops, size_t n, struct linear_state start,
                                 struct linear_state end)
{
    if (linear->room < n) {
        linear->room = n;
        linear->visits = memory(linear->visits, n * sizeof *linear->visits);
        linear->ranks = memory(linear->ranks, n);
    }
    linear->search++;
    linear->places = 0;
    qsort(ops, n, sizeof *ops, by_invocation);
    for (size_t i = 0; i < n; i++) linear->ranks[i] = (uint8_t)rank_of(ops, n, &ops[i], end);
    return search(linear, ops, n, start, end);
}

bool linear_crowded(const struct linear_op *ops, size_t n)
{
    for (size_t i = 2; i < n; i++) {
        size_t others = 0;
        bool updates = ops[i].operation != ROOST_OP_FIND;
        for (size_t j = 0; j < i; j++) {
            if (ops[j].responded < ops[i].invoked) continue;
            others++;
            updates |= ops[j].operation != ROOST_OP_FIND;
        }
        if (others >= 2 && updates) return true;
    }
    return false;
}
