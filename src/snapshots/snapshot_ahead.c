/* The filling thread waits while all buffers are full, the other one while none is.  Counts only
 * grow, and are changed and looked at under the lock: a wake between a look and the wait is not
 * lost. */
#include "snapshots/snapshot_ahead.h"

#include <string.h>

/* Is there a buffer to fill?  Waits for one. */
static bool buffer_awaits(struct ahead *a, uint64_t next)
{
    pthread_mutex_lock(&a->lock);
    while (next - a->emptied >= AHEAD && !a->stopped) pthread_cond_wait(&a->changed, &a->lock);
    const bool goes_on = !a->stopped;
    pthread_mutex_unlock(&a->lock);
    return goes_on;
}

static void buffer_filled(struct ahead *a, roost_status status, bool end)
{
    pthread_mutex_lock(&a->lock);
    a->filled += !status;
    a->status = status;
    a->ended = end || status;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

static void *fill_all(void *ahead)
{
    struct ahead *const a = (struct ahead *)ahead;
    bool end = false;
    for (uint64_t i = 0; !end && buffer_awaits(a, i); i++) {
        const roost_status status = a->fill(a->context, (int)(i % AHEAD), &end);
        buffer_filled(a, status, end);
        end |= status != ROOST_OK;
    }
    return NULL;
}

void ahead_begin(struct ahead *a, ahead_fill *fill, void *context, bool threaded)
{
    memset(a, 0, sizeof *a);
    a->fill = fill;
    a->context = context;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    a->threaded = threaded && !pthread_create(&a->thread, NULL, fill_all, a);
}

/* Without a thread. */
static void fill_one(struct ahead *a)
{
    bool end = false;
    if (a->ended) return;
    const roost_status status = a->fill(a->context, (int)(a->filled % AHEAD), &end);
    buffer_filled(a, status, end);
}

roost_status ahead_next(struct ahead *a, int *which)
{
    if (!a->threaded) fill_one(a);
    pthread_mutex_lock(&a->lock);
    a->emptied = a->taken;
    pthread_cond_broadcast(&a->changed);
    while (a->filled == a->taken && !a->ended) pthread_cond_wait(&a->changed, &a->lock);
    const bool there = a->filled > a->taken;
    const roost_status status = there ? ROOST_OK : a->status;
    *which = there ? (int)(a->taken++ % AHEAD) : -1;
    pthread_mutex_unlock(&a->lock);
    return status;
}

void ahead_end(struct ahead *a)
{
    pthread_mutex_lock(&a->lock);
    a->stopped = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    if (a->threaded) pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
}
