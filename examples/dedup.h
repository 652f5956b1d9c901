/* Shared by dedup.c and dedup.cu: a stream of keys with duplicates, the work on one item, and
 * the check of the result. */
#ifndef DEDUP_H
#define DEDUP_H

#include <roost/device/slab.h>
#include <roost/views.h>
#include <stdio.h>
#include <stdlib.h>

/* At most DISTINCT keys are distinct, because they are drawn. */
enum { ITEMS = 1 << 20, DISTINCT = 300000 };

/* The stream, and in `passed` the places of the items whose key came first. */
struct stream {
    const uint64_t *keys;
    uint32_t *passed;
    uint32_t *counts; /* number of items that passed, and that were FULL */
};

/* Processes one item: INSERTED if its key came first.  All lanes of the tile call it, and get
 * the same answer. */
ROOST_FN roost_item_status dedup_item(const roost_slab_view *view, const roost_slab_tile tile, uint64_t key,
                                      roost_slab_worker *worker)
{
    return roost_slab_insert(view, tile, roost_slab_shape_of(8, 0), ROOST_KEEP, key, 0, worker);
}

static inline uint64_t dedup_key(uint64_t i)
{
    const uint64_t drawn = ((i * 0x9e3779b97f4a7c15u) >> 20) % DISTINCT;
    return drawn * 0xc4ceb9fe1a85ec53u;
}

static inline void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

/* A set of keys of 8 bytes. */
static inline roost_table *dedup_table(const char *device)
{
    roost_config config;
    roost_table *table;
    require(roost_config_init(&config, sizeof config), NULL);
    config.engine = "slab";
    config.device = device;
    config.key_type = ROOST_TYPE_U64;
    config.value_type = ROOST_TYPE_NONE;
    require(roost_table_create(&table, &config), NULL);
    return table;
}

static inline int dedup_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Replaces the stream by its distinct keys, sorted, and returns their number. */
static inline uint32_t dedup_reference(uint64_t *keys)
{
    uint32_t n = 0;
    qsort(keys, ITEMS, sizeof *keys, dedup_compare);
    for (uint32_t i = 0; i < ITEMS; i++)
        if (i == 0 || keys[i] != keys[n - 1]) keys[n++] = keys[i];
    return n;
}

/* Did each key of the stream pass once?  Returns the exit status.  Changes the keys. */
static inline int dedup_verify(uint64_t *keys, const uint32_t *passed, const uint32_t *counts, uint64_t stored)
{
    uint64_t *seen = (uint64_t *)malloc((counts[0] + 1) * sizeof *seen);
    if (!seen) return 1;
    for (uint32_t i = 0; i < counts[0]; i++) seen[i] = keys[passed[i]];
    const uint32_t distinct = dedup_reference(keys);
    qsort(seen, counts[0], sizeof *seen, dedup_compare);
    const int right = counts[1] == 0 && counts[0] == distinct && stored == distinct && !memcmp(seen, keys, distinct * sizeof *seen);
    printf("%u of %d items passed, %u keys are distinct: %s\n", counts[0], (int)ITEMS, distinct, right ? "right" : "WRONG");
    free(seen);
    return right ? 0 : 1;
}

/* Releases the view and returns the number of keys in the table. */
static inline uint64_t dedup_release(roost_table *table)
{
    roost_stats stats;
    require(roost_view_release(table), table);
    require(roost_table_stats(table, &stats, sizeof stats), table);
    return stats.count;
}

#endif
