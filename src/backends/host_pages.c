/* Kept mappings: an array, the oldest first.  All threads share it.  A thread that finds the lock
 * held does without: so does the child of a fork(), if another thread held the lock meanwhile. */
#define _GNU_SOURCE 1 /* MADV_FREE */
#include "backends/host_pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum { MAPPINGS_MOST = 64 };
#define BYTES_MOST ((size_t)1 << 30)

struct mapping {
    void *memory;
    size_t bytes;
};

static struct {
    pthread_mutex_t lock;
    int n;
    size_t bytes; /* of all */
    struct mapping mapping[MAPPINGS_MOST];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool lock(void) { return !pthread_mutex_trylock(&kept.lock); }
static void unlock(void) { pthread_mutex_unlock(&kept.lock); }

static struct mapping remove_at(int i)
{
    const struct mapping removed = kept.mapping[i];
    kept.bytes -= removed.bytes;
    memmove(&kept.mapping[i], &kept.mapping[i + 1], (unsigned)(--kept.n - i) * sizeof *kept.mapping);
    return removed;
}

static void unmap_oldest(void)
{
    const struct mapping oldest = remove_at(0);
    munmap(oldest.memory, oldest.bytes);
}

void *host_pages_take(size_t bytes)
{
    void *memory = NULL;
    if (!lock()) return NULL;
    for (int i = kept.n - 1; !memory && i >= 0; i--)
        if (kept.mapping[i].bytes == bytes) memory = remove_at(i).memory;
    unlock();
    return memory;
}

void host_pages_keep(void *memory, size_t bytes)
{
    if (bytes > BYTES_MOST || madvise(memory, bytes, MADV_FREE) || !lock()) {
        munmap(memory, bytes);
        return;
    }
    while (kept.n == MAPPINGS_MOST || kept.bytes > BYTES_MOST - bytes) unmap_oldest();
    kept.mapping[kept.n++] = (struct mapping){memory, bytes};
    kept.bytes += bytes;
    unlock();
}

void host_pages_drop(void)
{
    if (!lock()) return;
    while (kept.n) unmap_oldest();
    unlock();
}

/* Nothing stays behind when the library is unloaded. */
__attribute__((destructor)) static void drop(void) { host_pages_drop(); }
