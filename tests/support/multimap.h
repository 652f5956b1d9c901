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

/* How often the key is there; *first: its pairs, by rising value, until the map is changed. */
size_t multimap_count(struct multimap *m, uint64_t key, const struct multimap_pair **first);

/* Takes a pair away; false: there is none such. */
bool multimap_remove(struct multimap *m, uint64_t key, uint64_t value);

/* Takes all pairs of the key away; how many. */
size_t multimap_remove_all(struct multimap *m, uint64_t key);

#endif
