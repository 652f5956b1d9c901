/* An exact multimap: a sorted array of pairs. */
#include "support/multimap.h"

#include <stdlib.h>
#include <string.h>

void multimap_free(struct multimap *m)
{
    free(m->pairs);
    *m = (struct multimap){0};
}

void multimap_add(struct multimap *m, uint64_t key, uint64_t value)
{
    if (m->n == m->room) {
        m->room = 2 * m->room + 64;
        m->pairs = realloc(m->pairs, m->room * sizeof *m->pairs);
        if (!m->pairs) abort();
    }
    m->pairs[m->n++] = (struct multimap_pair){key, value};
    m->is_sorted = false;
}

static int compare(const void *a, const void *b)
{
    const struct multimap_pair *left = a, *right = b;
    if (left->key != right->key) return left->key < right->key ? -1 : 1;
    return left->value < right->value ? -1 : left->value > right->value;
}

/* The index of the first pair that is not below (key, value). */
static size_t lower_bound(struct multimap *m, uint64_t key, uint64_t value)
{
    const struct multimap_pair pair = {key, value};
    if (!m->is_sorted && m->n) qsort(m->pairs, m->n, sizeof *m->pairs, compare);
    m->is_sorted = true;
    size_t first = 0, last = m->n;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (compare(&m->pairs[middle], &pair) < 0) first = middle + 1;
        else last = middle;
    }
    return first;
}

size_t multimap_count(struct multimap *m, uint64_t key, const struct multimap_pair **first)
{
    const size_t at = lower_bound(m, key, 0);
    size_t end = at;
    while (end < m->n && m->pairs[end].key == key) end++;
    if (first) *first = m->pairs + at;
    return end - at;
}

static void take_away(struct multimap *m, size_t at, size_t n)
{
    if (n) memmove(m->pairs + at, m->pairs + at + n, (m->n - at - n) * sizeof *m->pairs);
    m->n -= n;
}

bool multimap_remove(struct multimap *m, uint64_t key, uint64_t value)
{
    const size_t at = lower_bound(m, key, value);
    const bool there = at < m->n && m->pairs[at].key == key && m->pairs[at].value == value;
    if (there) take_away(m, at, 1);
    return there;
}

size_t multimap_remove_all(struct multimap *m, uint64_t key)
{
    const size_t at = lower_bound(m, key, 0), n = multimap_count(m, key, NULL);
    take_away(m, at, n);
    return n;
}
