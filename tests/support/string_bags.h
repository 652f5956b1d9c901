/* Bags of strings: what tables of strings are called with where no reference is beside them. */
#ifndef ROOST_TESTS_STRING_BAGS_H
#define ROOST_TESTS_STRING_BAGS_H

#include "support/tables.h"
#include "roost/strings.h"

/* Strings in the order in which calls get them.  Equal strings have one number, which is their
 * value. */
struct bag {
    uint64_t *offsets, *numbers;
    unsigned char *bytes;
    uint64_t distinct;
    size_t n, room;
    uint64_t bytes_room;
};

/* Adds a string, which the bag copies. */
void bag_put(struct bag *bag, uint64_t number, const void *string, size_t bytes);

/* Puts a string that is not in the bag. */
void bag_new(struct bag *bag, const void *string, size_t bytes);

void bag_free(struct bag *bag);

/* The bytes of string i. */
size_t bag_length(const struct bag *bag, size_t i);

/* Makes a bag of n realistic words: common prefixes, with numbers from
 * `first` on at their ends. */
struct bag words(size_t first, size_t n);

/* A bag as the arguments of a call. */
struct sent {
    struct array offsets, bytes, values, found, statuses;
    roost_strings strings;
    roost_call call;
};

/* first: the first offset; the bytes before it belong to no string. */
struct sent bag_send(const struct bag *bag, const struct table *table, int offset_bytes, uint64_t first);

/* Copies back what the call wrote. */
void sent_fetch(struct sent *sent);
void sent_free(struct sent *sent);

/* Counts the items by status. */
void count_statuses(const struct sent *sent, size_t n, size_t counts[ROOST_ITEM_NO_MEMORY + 1]);

/* Inserts the bag; `fresh` of the items are new keys. */
void bag_insert(struct table *table, roost_mode mode, const struct bag *bag, int offset_bytes, size_t fresh);

/* Erases the bag; `there` of the items are stored. */
void bag_erase(struct table *table, const struct bag *bag, int offset_bytes, size_t there);

/* All strings are found with their numbers, or none is. */
void bag_find(const struct table *table, const struct bag *bag, int offset_bytes, bool there);

void require_count(const struct table *table, uint64_t count);

#endif
