/* Walks a table's export batch by batch and keeps the wanted results. */
#define _GNU_SOURCE 1
#include "cli/harvest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cli/command.h"
#include "cli/pair_sort.h"
#include "cli/ranks.h"
#include "cli/table_walk.h"

/* Smaller counts have a counter each, larger ones are listed. */
#define SMALL_COUNTS ((size_t)1 << 16)

#define HUGE_PAGE ((size_t)2 << 20)

/* A list of pairs that grows by doubling. */
struct list {
    struct key_count *pairs;
    size_t n;
    size_t room;
};

/* The order of keys. */
struct key_order {
    const struct key_store *store; /* NULL: keys are integers */
    uint64_t sign;                 /* the bit of negative ones */
};

struct gathering {
    struct harvest_wish wish;
    struct key_store *store; /* NULL: keys are integers */
    struct key_order order;
    struct list all;
    struct list top;   /* a heap; [0] is dropped first */
    uint64_t *small;   /* [count]: keys that have this count */
    struct list large; /* .key: a count of at least SMALL_COUNTS, once per key that has it */
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

static int compare_keys(const struct key_order *order, uint64_t a, uint64_t b)
{
    if (order->store == NULL) return (a ^ order->sign) < (b ^ order->sign) ? -1 : a != b;
    return key_bytes_compare(key_store_get(order->store, a), key_store_get(order->store, b));
}

/* Does `a` rank below `b` among the most frequent keys? */
static bool below(const struct key_order *order, const struct key_count *a, const struct key_count *b)
{
    return a->count != b->count ? a->count < b->count : compare_keys(order, a->key, b->key) > 0;
}

static int compare_top(const void *a, const void *b, void *key_order)
{
    const struct key_order *order = (const struct key_order *)key_order;
    const struct key_count *x = (const struct key_count *)a;
    const struct key_count *y = (const struct key_count *)b;
    return below(order, y, x) ? -1 : below(order, x, y);
}

static int compare_pairs(const void *a, const void *b, void *key_order)
{
    return compare_keys((const struct key_order *)key_order, ((const struct key_count *)a)->key,
                        ((const struct key_count *)b)->key);
}

static void swap_pairs(struct key_count *a, struct key_count *b)
{
    const struct key_count kept = *a;
    *a = *b;
    *b = kept;
}

static void heap_rise(const struct key_order *order, struct key_count *heap, size_t i)
{
    for (; i > 0 && below(order, &heap[i], &heap[(i - 1) / 2]); i = (i - 1) / 2) swap_pairs(&heap[i], &heap[(i - 1) / 2]);
}

static void heap_sink(const struct key_order *order, struct key_count *heap, size_t n)
{
    for (size_t i = 0, child = 1; child < n; i = child, child = 2 * i + 1) {
        if (child + 1 < n && below(order, &heap[child + 1], &heap[child])) child++;
        if (!below(order, &heap[child], &heap[i])) return;
        swap_pairs(&heap[i], &heap[child]);
    }
}

/* Keeps the pair if it is one of the wish.top most frequent ones so far.  *kept: it is. */
static bool offer_top(struct gathering *g, const struct key_count *pair, bool *kept)
{
    struct list *top = &g->top;
    if (top->n < g->wish.top) {
        if (!list_append(top, pair->key, pair->count)) return false;
        heap_rise(&g->order, top->pairs, top->n - 1);
    } else if (below(&g->order, &top->pairs[0], pair)) {
        top->pairs[0] = *pair;
        heap_sink(&g->order, top->pairs, top->n);
    } else {
        return true;
    }
    *kept = true;
    return true;
}

static bool take_pair(struct gathering *g, struct harvest *harvest, const struct key_count *pair, bool *kept)
{
    const uint64_t largest = g->wish.count_bytes == 4 ? UINT32_MAX : UINT64_MAX;
    harvest->distinct++;
    harvest->once += pair->count == 1;
    if (pair->count > harvest->largest) harvest->largest = pair->count;
    harvest->saturated += pair->count == largest;
    const bool listed = pair->count >= g->wish.least_count && pair->count <= g->wish.most_count;
    *kept = g->wish.all && (listed || g->wish.none_may_lack);
    if (*kept && !list_append(&g->all, pair->key, pair->count)) return false;
    if (g->wish.top > 0 && listed && !offer_top(g, pair, kept)) return false;
    if (!g->wish.spectrum) return true;
    if (pair->count >= SMALL_COUNTS) return list_append(&g->large, pair->count, 1);
    g->small[pair->count]++;
    return true;
}

/* Takes pair i.  A key that is not an integer is put into the store, and removed again if it is
 * not kept. */
static bool take_item(struct gathering *g, struct harvest *harvest, const struct table_walk *walk, size_t i)
{
    struct key_count pair = {0, key_load(walk->values, i, g->wish.count_bytes)};
    bool kept;
    if (g->store == NULL) {
        pair.key = key_load(walk->keys, i, g->wish.kind.bytes);
        return take_pair(g, harvest, &pair, &kept);
    }
    if (!key_store_add(g->store, table_walk_key(walk, i), &pair.key)) return false;
    if (!take_pair(g, harvest, &pair, &kept)) return false;
    if (!kept) g->store->used = (size_t)pair.key;
    return true;
}

/* Memory for n pairs.  Many lie in huge pages, because a sort goes to many places at a time. */
static struct key_count *pairs_make(size_t n)
{
    const size_t bytes = n * sizeof(struct key_count), whole = (bytes / HUGE_PAGE + 1) * HUGE_PAGE;
    if (bytes < HUGE_PAGE) return (struct key_count *)malloc(bytes);
    void *pairs = aligned_alloc(HUGE_PAGE, whole);
    if (pairs != NULL) (void)madvise(pairs, whole, MADV_HUGEPAGE);
    return (struct key_count *)pairs;
}

/* Makes room for all pairs at once: a list that doubles would take up to twice as much. */
static int make_room(struct gathering *g, const roost_table *table)
{
    roost_stats stats;
    if (!g->wish.all || ranks_get()->ranks > 1) return 0;
    if (roost_table_stats(table, &stats, sizeof stats) != ROOST_OK || stats.count == 0) return 0;
    if (stats.count < SIZE_MAX / 2 / sizeof *g->all.pairs) g->all.pairs = pairs_make((size_t)stats.count);
    if (g->all.pairs == NULL) return command_fail("out of memory for the table's export");
    g->all.room = (size_t)stats.count;
    return 0;
}

/* Are the numbers of keys all that is wanted? */
static bool wants_totals(const struct harvest_wish *wish)
{
    return !wish->all && wish->top == 0 && !wish->spectrum && !key_kind_is_bytes(wish->kind);
}

static void take_totals(struct harvest *harvest, const void *counts, size_t count_bytes, size_t n)
{
    uint64_t once = 0, largest = harvest->largest, saturated = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t count = count_bytes == 4 ? ((const uint32_t *)counts)[i] : ((const uint64_t *)counts)[i];
        once += count == 1;
        saturated += count == (count_bytes == 4 ? UINT32_MAX : UINT64_MAX);
        largest = count > largest ? count : largest;
    }
    harvest->distinct += n;
    harvest->once += once;
    harvest->saturated += saturated;
    harvest->largest = largest;
}

static int take_step(struct gathering *g, struct harvest *harvest, const struct table_walk *walk)
{
    for (size_t i = 0; i < walk->n; i++)
        if (!take_item(g, harvest, walk, i)) return command_fail("out of memory for the table's export");
    return 0;
}

static int walk_export(struct gathering *g, struct harvest *harvest, const roost_table *table)
{
    struct table_walk walk;
    int result = make_room(g, table);
    if (result != 0) return result;
    result = table_walk_begin(&walk, table, g->wish.kind, g->wish.count_bytes);
    while (result == 0 && !walk.cursor.end) {
        result = table_walk_next(&walk);
        if (result == 0 && wants_totals(&g->wish)) take_totals(harvest, walk.values, g->wish.count_bytes, walk.n);
        else if (result == 0) result = take_step(g, harvest, &walk);
    }
    table_walk_release(&walk);
    return result;
}

static void sort(struct key_count *pairs, size_t n, int (*compare)(const void *, const void *, void *),
                 const struct key_order *order)
{
    if (n > 0) qsort_r(pairs, n, sizeof *pairs, compare, (void *)order);
}

/* By rising key. */
static void sort_all(struct key_count *pairs, size_t n, const struct key_order *order)
{
    if (order->store == NULL) pair_sort(pairs, n, order->sign);
    else sort(pairs, n, compare_pairs, order);
}

/* Joins the counters of small counts with runs of equal large ones. */
static bool build_spectrum(struct gathering *g, struct harvest *harvest)
{
    struct list spectrum = {NULL, 0, 0};
    bool ok = true;
    for (size_t count = 0; count < SMALL_COUNTS && ok; count++)
        if (g->small[count] > 0) ok = list_append(&spectrum, count, g->small[count]);
    pair_sort(g->large.pairs, g->large.n, 0);
    for (size_t i = 0; i < g->large.n && ok; i++) {
        if (spectrum.n > 0 && spectrum.pairs[spectrum.n - 1].key == g->large.pairs[i].key) spectrum.pairs[spectrum.n - 1].count++;
        else ok = list_append(&spectrum, g->large.pairs[i].key, 1);
    }
    harvest->spectrum = spectrum.pairs;
    harvest->spectrum_n = spectrum.n;
    return ok;
}

int harvest_table(struct harvest *harvest, const roost_table *table, const struct harvest_wish *wish)
{
    struct gathering g;
    memset(harvest, 0, sizeof *harvest);
    memset(&g, 0, sizeof g);
    g.wish = *wish;
    g.store = key_kind_is_bytes(wish->kind) ? &harvest->store : NULL;
    g.order = (struct key_order){g.store, key_kind_sign(wish->kind)};
    g.small = (uint64_t *)calloc(SMALL_COUNTS, sizeof *g.small);
    int result = g.small != NULL ? 0 : command_fail("out of memory for the table's export");
    if (result == 0) result = walk_export(&g, harvest, table);
    if (result == 0 && wish->spectrum && !build_spectrum(&g, harvest)) result = command_fail("out of memory for the spectrum");
    sort_all(g.all.pairs, g.all.n, &g.order);
    sort(g.top.pairs, g.top.n, compare_top, &g.order);
    harvest->all = g.all.pairs;
    harvest->all_n = g.all.n;
    harvest->top = g.top.pairs;
    harvest->top_n = g.top.n;
    free(g.small);
    free(g.large.pairs);
    return result;
}

/* ---- Several ranks --------------------------------------------------------------------------- */

/* What the ranks sent, one after another. */
struct parcels {
    void *all;
    uint64_t *bytes; /* of each rank */
};

static int parcels_gather(struct parcels *p, const void *mine, size_t bytes)
{
    p->bytes = (uint64_t *)calloc((size_t)ranks_get()->ranks, sizeof *p->bytes);
    if (p->bytes == NULL) return command_fail("out of memory");
    return ranks_gather(mine, bytes, &p->all, p->bytes);
}

static void parcels_release(struct parcels *p) { free(p->all), free(p->bytes); }

/* Gathers pairs.  stores: how many bytes of keys each rank has in its store, whose places move;
 * NULL: keys are integers. */
static int pairs_gather(struct key_count **pairs, size_t *n, const uint64_t *stores)
{
    struct parcels p = {NULL, NULL};
    const int result = parcels_gather(&p, *pairs, *n * sizeof **pairs);
    struct key_count *const all = (struct key_count *)p.all;
    size_t at = 0;
    uint64_t moved = 0;
    for (int r = 0; result == 0 && all != NULL && r < ranks_get()->ranks; r++) {
        const size_t of_rank = (size_t)p.bytes[r] / sizeof *all;
        for (size_t i = 0; i < of_rank; i++, at++) all[at].key += moved;
        moved += stores != NULL ? stores[r] : 0;
    }
    free(*pairs);
    *pairs = all;
    *n = at;
    p.all = NULL;
    parcels_release(&p);
    return result;
}

static int store_gather(struct key_store *store, struct parcels *p)
{
    const int result = parcels_gather(p, store->bytes, store->used);
    if (result != 0) return result;
    key_store_release(store);
    for (int r = 0; p->all != NULL && r < ranks_get()->ranks; r++) store->used += (size_t)p->bytes[r];
    store->bytes = (uint8_t *)p->all;
    store->room = store->used;
    p->all = NULL;
    return 0;
}

/* Joins runs of equal counts. */
static void spectrum_join(struct harvest *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->spectrum_n; i++) {
        if (n > 0 && h->spectrum[n - 1].key == h->spectrum[i].key) h->spectrum[n - 1].count += h->spectrum[i].count;
        else h->spectrum[n++] = h->spectrum[i];
    }
    h->spectrum_n = n;
}

/* Makes a number the largest of all ranks, on rank 0. */
static int largest_gather(uint64_t *number)
{
    struct parcels p = {NULL, NULL};
    const int result = parcels_gather(&p, number, sizeof *number);
    const uint64_t *const all = (const uint64_t *)p.all;
    for (int r = 0; result == 0 && all != NULL && r < ranks_get()->ranks; r++)
        if (all[r] > *number) *number = all[r];
    parcels_release(&p);
    return result;
}

int harvest_gather(struct harvest *harvest, const struct harvest_wish *wish)
{
    struct harvest *const h = harvest;
    struct parcels stores = {NULL, NULL};
    struct key_store *const store = key_kind_is_bytes(wish->kind) ? &h->store : NULL;
    uint64_t sums[] = {h->distinct, h->saturated, h->once};
    if (ranks_get()->ranks == 1) return 0;
    int result = ranks_sum(sums, 3);
    h->distinct = sums[0], h->saturated = sums[1], h->once = sums[2];
    if (result == 0) result = largest_gather(&h->largest);
    if (result == 0 && store != NULL) result = store_gather(store, &stores);
    if (result == 0) result = pairs_gather(&h->all, &h->all_n, stores.bytes);
    if (result == 0) result = pairs_gather(&h->top, &h->top_n, stores.bytes);
    if (result == 0) result = pairs_gather(&h->spectrum, &h->spectrum_n, NULL);
    parcels_release(&stores);
    if (result != 0) return result;
    const struct key_order order = {store, key_kind_sign(wish->kind)};
    sort_all(h->all, h->all_n, &order);
    sort(h->top, h->top_n, compare_top, &order);
    pair_sort(h->spectrum, h->spectrum_n, 0);
    if (h->top_n > wish->top) h->top_n = (size_t)wish->top;
    spectrum_join(h);
    return 0;
}

void harvest_release(struct harvest *harvest)
{
    free(harvest->top);
    free(harvest->spectrum);
    free(harvest->all);
    key_store_release(&harvest->store);
    memset(harvest, 0, sizeof *harvest);
}
