/* The exact contents of a table, for the fuzzer of the API: a map from numbers to values, or a
 * multimap, by open addressing in arrays.  Keys and values of all types are numbers here
 * (api_items.h). */
#ifndef ROOST_TESTS_API_EXACT_H
#define ROOST_TESTS_API_EXACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exact_slot {
    uint64_t id;
    uint64_t value; /* of a map */
    uint64_t sum;   /* of a multimap: of mix64 of the values */
    uint32_t pairs; /* 0: the slot is vacant */
    uint32_t first; /* of a multimap: the place of the first value */
};

struct exact_node {
    uint64_t value;
    uint32_t next; /* EXACT_END: none */
};

enum { EXACT_END = 0xffffffffu };

struct exact {
    bool multi;
    struct exact_slot *slots;
    uint64_t capacity; /* a power of two */
    uint64_t keys, pairs;
    struct exact_node *nodes;
    uint32_t room, used, vacant; /* nodes: all, those ever used, and the first of the vacant ones */
};

void exact_make(struct exact *exact, bool multi);
void exact_free(struct exact *exact);
void exact_clear(struct exact *exact);

/* The key's slot; NULL: absent.  It is valid until the next call that writes. */
struct exact_slot *exact_find(const struct exact *exact, uint64_t id);

/* Of maps: stores the key with this value, present or not. */
void exact_put(struct exact *exact, uint64_t id, uint64_t value);

/* Of multimaps: adds a pair. */
void exact_append(struct exact *exact, uint64_t id, uint64_t value);

/* Removes the key with all its pairs; true if it was present. */
bool exact_remove(struct exact *exact, uint64_t id);

/* Of multimaps: is there a pair of this key and value?  Writes the values of a key. */
bool exact_has(const struct exact *exact, uint64_t id, uint64_t value);
void exact_values(const struct exact *exact, uint64_t id, uint64_t *values);

/* A stored key from place `from` on; there must be one. */
uint64_t exact_key_near(const struct exact *exact, uint64_t from);

#endif
