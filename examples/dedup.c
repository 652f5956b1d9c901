/* Removes duplicates from a stream: threads of the host insert into one table at the same time.
 *
 *     cc dedup.c -pthread $(pkg-config --cflags --libs roost) && ./a.out
 *
 * dedup.cu is the same on a GPU. */
#include "dedup.h"

#include <pthread.h>

enum { THREADS = 4 };

struct part {
    const roost_slab_view *view;
    struct stream stream;
    uint32_t first;
};

static void *part_run(void *argument)
{
    const struct part *p = argument;
    roost_slab_worker worker = roost_slab_worker_make(p->first);
    for (uint32_t i = p->first; i < ITEMS; i += THREADS) {
        const roost_item_status status = dedup_item(p->view, roost_slab_tile_here(1), p->stream.keys[i], &worker);
        if (status == ROOST_ITEM_INSERTED) p->stream.passed[__atomic_fetch_add(&p->stream.counts[0], 1, __ATOMIC_RELAXED)] = i;
        else if (status != ROOST_ITEM_KEPT) __atomic_fetch_add(&p->stream.counts[1], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void run(const roost_slab_view *view, struct stream stream)
{
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) {
        parts[t] = (struct part){view, stream, t};
        if (pthread_create(&threads[t], NULL, part_run, &parts[t])) exit(1);
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
}

int main(void)
{
    static uint64_t keys[ITEMS];
    static uint32_t passed[ITEMS], counts[2];
    roost_slab_view view = roost_slab_view_make();
    roost_table *table = dedup_table("host");
    for (uint64_t i = 0; i < ITEMS; i++) keys[i] = dedup_key(i);
    require(roost_view_acquire(table, &view, sizeof view, DISTINCT, NULL), table);
    run(&view, (struct stream){keys, passed, counts});
    const uint64_t stored = dedup_release(table);
    roost_table_destroy(table);
    return dedup_verify(keys, passed, counts, stored);
}
