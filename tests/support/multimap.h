/* An exact multimap: keys with any number of values each, a sorted array of pairs. */
#ifndef ROOST_TESTS_MULTIMAP_H
#define ROOST_TESTS_MULTIMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct multimap_pair {
    uint64_t key, value;
};

struct multimap {
    struct multimap_pair *pairs;
    size_t n, room;
    bool is_sorted;
};

void multimap_free(struct multimap *m);
void multimap_add(struct multimap *m, uint64_t key, uint64_t value);

/* Counts the key's pairs. *first: these pairs by rising value, valid until the map changes. */
size_t multimap_count(struct multimap *m, uint64_t key, const struct multimap_pair **first);

/* Removes a pair; false if there is none. */
bool multimap_remove(struct multimap *m, uint64_t key, uint64_t value);

/* Removes all pairs of the key; returns their number. */
size_t multimap_remove_all(struct multimap *m, uint64_t key);

#endif
