/* The exact contents of a table: a map or a multimap of numbers, by open addressing in arrays. */
#include "fuzz/api/api_exact.h"

#include "support/draw.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64 };

static void slots_make(struct exact *exact, uint64_t capacity)
{
    exact->capacity = capacity;
    exact->slots = calloc(capacity, sizeof *exact->slots);
    if (!exact->slots) abort();
}

void exact_make(struct exact *exact, bool multi)
{
    *exact = (struct exact){.multi = multi, .vacant = EXACT_END};
    slots_make(exact, SMALLEST);
}

void exact_free(struct exact *exact)
{
    free(exact->slots);
    free(exact->nodes);
}

void exact_clear(struct exact *exact)
{
    free(exact->slots);
    slots_make(exact, SMALLEST);
    exact->keys = exact->pairs = 0;
    exact->used = 0;
    exact->vacant = EXACT_END;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

static uint64_t home_of(const struct exact *exact, uint64_t id) { return mix64(id ^ 0x5bd1e995) & (exact->capacity - 1); }

static uint64_t next_of(const struct exact *exact, uint64_t place) { return (place + 1) & (exact->capacity - 1); }

/* The key's slot, or the vacant one where it would be. */
static struct exact_slot *locate(const struct exact *exact, uint64_t id)
{
    uint64_t place = home_of(exact, id);
    while (exact->slots[place].pairs && exact->slots[place].id != id) place = next_of(exact, place);
    return &exact->slots[place];
}

struct exact_slot *exact_find(const struct exact *exact, uint64_t id)
{
    struct exact_slot *slot = locate(exact, id);
    return slot->pairs ? slot : NULL;
}

static void slots_double(struct exact *exact)
{
    struct exact_slot *old = exact->slots;
    const uint64_t n = exact->capacity;
    slots_make(exact, 2 * n);
    for (uint64_t i = 0; i < n; i++)
        if (old[i].pairs) *locate(exact, old[i].id) = old[i];
    free(old);
}

/* The key's slot, made if there was none. */
static struct exact_slot *take(struct exact *exact, uint64_t id)
{
    if (2 * exact->keys >= exact->capacity) slots_double(exact);
    struct exact_slot *slot = locate(exact, id);
    if (slot->pairs) return slot;
    *slot = (struct exact_slot){.id = id, .first = EXACT_END};
    exact->keys++;
    return slot;
}

/* Vacates a place, and moves keys after it back to where they are found. */
static void vacate(struct exact *exact, uint64_t hole)
{
    for (uint64_t place = next_of(exact, hole); exact->slots[place].pairs; place = next_of(exact, place)) {
        const uint64_t home = home_of(exact, exact->slots[place].id), mask = exact->capacity - 1;
        if (((place - home) & mask) < ((place - hole) & mask)) continue;
        exact->slots[hole] = exact->slots[place];
        hole = place;
    }
    exact->slots[hole].pairs = 0;
}

uint64_t exact_key_near(const struct exact *exact, uint64_t from)
{
    uint64_t place = from & (exact->capacity - 1);
    while (!exact->slots[place].pairs) place = next_of(exact, place);
    return exact->slots[place].id;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

void exact_put(struct exact *exact, uint64_t id, uint64_t value)
{
    struct exact_slot *slot = take(exact, id);
    exact->pairs += !slot->pairs;
    slot->pairs = 1;
    slot->value = value;
}

static uint32_t node_take(struct exact *exact)
{
    const uint32_t node = exact->vacant;
    if (node != EXACT_END) {
        exact->vacant = exact->nodes[node].next;
        return node;
    }
    if (exact->used == exact->room) {
        exact->room = exact->room ? 2 * exact->room : SMALLEST;
        exact->nodes = realloc(exact->nodes, exact->room * sizeof *exact->nodes);
        if (!exact->nodes) abort();
    }
    return exact->used++;
}

void exact_append(struct exact *exact, uint64_t id, uint64_t value)
{
    const uint32_t node = node_take(exact);
    struct exact_slot *slot = take(exact, id);
    exact->nodes[node] = (struct exact_node){value, slot->first};
    slot->first = node;
    slot->sum += mix64(value);
    slot->pairs++;
    exact->pairs++;
}

bool exact_remove(struct exact *exact, uint64_t id)
{
    struct exact_slot *slot = exact_find(exact, id);
    if (!slot) return false;
    for (uint32_t node = exact->multi ? slot->first : EXACT_END, next; node != EXACT_END; node = next) {
        next = exact->nodes[node].next;
        exact->nodes[node].next = exact->vacant;
        exact->vacant = node;
    }
    exact->pairs -= slot->pairs;
    exact->keys--;
    vacate(exact, (uint64_t)(slot - exact->slots));
    return true;
}

bool exact_has(const struct exact *exact, uint64_t id, uint64_t value)
{
    const struct exact_slot *slot = exact_find(exact, id);
    uint32_t node = slot ? slot->first : EXACT_END;
    while (node != EXACT_END && exact->nodes[node].value != value) node = exact->nodes[node].next;
    return node != EXACT_END;
}

void exact_values(const struct exact *exact, uint64_t id, uint64_t *values)
{
    const struct exact_slot *slot = exact_find(exact, id);
    for (uint32_t node = slot ? slot->first : EXACT_END; node != EXACT_END; node = exact->nodes[node].next)
        *values++ = exact->nodes[node].value;
}
