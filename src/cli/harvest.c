/* Walks a table's export batch by batch and keeps what was wished for. */
#include "cli/harvest.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

#define ROOM ((size_t)1 << 16)         /* pairs a step of the export */
#define SMALL_COUNTS ((size_t)1 << 16) /* counts below this have a counter each, larger ones are listed */

/* A list of pairs that grows by doubling. */
struct list {
    struct key_count *pairs;
    size_t n;
    size_t room;
};

struct walk {
    struct harvest_wish wish;
    void *keys;
    void *counts;
    struct list all;
    struct list top;   /* a heap: the pair to be dropped first is [0] */
    uint64_t *small;   /* [count]: keys that have this count */
    struct list large; /* .key: a count from SMALL_COUNTS up, once for every key that has it */
};

static bool list_append(struct list *list, uint64_t key, uint64_t count)
{
    if (list->n == list->room) {
        const size_t room = list->room == 0 ? 1024 : 2 * list->room;
        if (room > SIZE_MAX / sizeof *list->pairs) return false;
        struct key_count *pairs = (struct key_count *)realloc(list->pairs, room * sizeof *pairs);
        if (pairs == NULL) return false;
        list->pairs = pairs;
        list->room = room;
    }
    list->pairs[list->n].key = key;
    list->pairs[list->n].count = count;
    list->n++;
    return true;
}

/* Whether `a` stands below `b` among the most frequent keys. */
static bool below(const struct key_count *a, const struct key_count *b)
{
    return a->count != b->count ? a->count < b->count : a->key > b->key;
}

static int compare_top(const void *a, const void *b)
{
    const struct key_count *x = (const struct key_count *)a;
    const struct key_count *y = (const struct key_count *)b;
    return below(y, x) ? -1 : below(x, y);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = ((const struct key_count *)a)->key;
    const uint64_t y = ((const struct key_count *)b)->key;
    return x < y ? -1 : x > y;
}

static void swap_pairs(struct key_count *a, struct key_count *b)
{
    const struct key_count kept = *a;
    *a = *b;
    *b = kept;
}

static void heap_rise(struct key_count *heap, size_t i)
{
    for (; i > 0 && below(&heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) swap_pairs(&heap[i], &heap[(i - 1) / 2]);
}

static void heap_sink(struct key_count *heap, size_t n)
{
    for (size_t i = 0, child = 1; child < n; i = child, child = 2 * i + 1) {
        if (child + 1 < n && below(&heap[child + 1], &heap[child])) child++;
        if (!below(&heap[child], &heap[i])) return;
        swap_pairs(&heap[i], &heap[child]);
    }
}

/* Keeps the pair if it is among the wished number of most frequent ones so far. */
static bool offer_top(struct list *top, uint64_t wished, const struct key_count *pair)
{
    if (top->n < wished) {
        if (!list_append(top, pair->key, pair->count)) return false;
        heap_rise(top->pairs, top->n - 1);
    } else if (below(&top->pairs[0], pair)) {
        top->pairs[0] = *pair;
        heap_sink(top->pairs, top->n);
    }
    return true;
}

static bool take_pair(struct walk *walk, struct harvest *harvest, const struct key_count *pair)
{
    const uint64_t largest = walk->wish.count_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    harvest->distinct++;
    harvest->saturated += pair->count == largest;
    if (walk->wish.all && !list_append(&walk->all, pair->key, pair->count)) return false;
    if (walk->wish.top > 0 && !offer_top(&walk->top, walk->wish.top, pair)) return false;
    if (!walk->wish.spectrum) return true;
    if (pair->count >= SMALL_COUNTS) return list_append(&walk->large, pair->count, 1);
    walk->small[pair->count]++;
    return true;
}

static int walk_export(struct walk *walk, struct harvest *harvest, const roost_table *table)
{
    roost_cursor cursor = {0, 0};
    while (!cursor.end) {
        size_t n = 0;
        const roost_status status = roost_export(table, &cursor, walk->keys, walk->counts, ROOM, &n, NULL);
        if (status != ROOST_OK) return command_fail("cannot export the table: %s", roost_last_error(table));
        for (size_t i = 0; i < n; i++) {
            const struct key_count pair = {key_load(walk->keys, i, walk->wish.key_bytes),
                                           key_load(walk->counts, i, walk->wish.count_bytes)};
            if (!take_pair(walk, harvest, &pair)) return command_fail("out of memory for the table's export");
        }
    }
    return 0;
}

/* Joins the counters of small counts with the runs of large ones. */
static bool build_spectrum(struct walk *walk, struct harvest *harvest)
{
    struct list spectrum = {NULL, 0, 0};
    bool ok = true;
    for (size_t count = 0; count < SMALL_COUNTS && ok; count++)
        if (walk->small[count] > 0) ok = list_append(&spectrum, count, walk->small[count]);
    if (walk->large.n > 0) qsort(walk->large.pairs, walk->large.n, sizeof *walk->large.pairs, compare_keys);
    for (size_t i = 0; i < walk->large.n && ok; i++) {
        if (spectrum.n > 0 && spectrum.pairs[spectrum.n - 1].key == walk->large.pairs[i].key)
            spectrum.pairs[spectrum.n - 1].count++;
        else ok = list_append(&spectrum, walk->large.pairs[i].key, 1);
    }
    harvest->spectrum = spectrum.pairs;
    harvest->spectrum_n = spectrum.n;
    return ok;
}

int harvest_table(struct harvest *harvest, const roost_table *table, const struct harvest_wish *wish)
{
    struct walk walk;
    memset(harvest, 0, sizeof *harvest);
    memset(&walk, 0, sizeof walk);
    walk.wish = *wish;
    walk.keys = malloc(ROOM * wish->key_bytes);
    walk.counts = malloc(ROOM * wish->count_bytes);
    walk.small = (uint64_t *)calloc(SMALL_COUNTS, sizeof *walk.small);
    int result = 0;
    if (walk.keys == NULL || walk.counts == NULL || walk.small == NULL)
        result = command_fail("out of memory for the table's export");
    if (result == 0) result = walk_export(&walk, harvest, table);
    if (result == 0 && wish->spectrum && !build_spectrum(&walk, harvest)) result = command_fail("out of memory for the spectrum");
    if (walk.all.n > 0) qsort(walk.all.pairs, walk.all.n, sizeof *walk.all.pairs, compare_keys);
    if (walk.top.n > 0) qsort(walk.top.pairs, walk.top.n, sizeof *walk.top.pairs, compare_top);
    harvest->all = walk.all.pairs;
    harvest->all_n = walk.all.n;
    harvest->top = walk.top.pairs;
    harvest->top_n = walk.top.n;
    free(walk.keys);
    free(walk.counts);
    free(walk.small);
    free(walk.large.pairs);
    return result;
}

void harvest_release(struct harvest *harvest)
{
    free(harvest->top);
    free(harvest->spectrum);
    free(harvest->all);
    memset(harvest, 0, sizeof *harvest);
}
