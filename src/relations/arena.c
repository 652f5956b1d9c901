/* Pieces are 64 bytes and more, their sizes eighths of powers of two: at most an eighth of a piece
 * is not used.  What is larger than a quarter of a chunk is mapped by itself. */
#include "relations/arena.h"

#include <string.h>

enum { CHUNK = 1 << 25, HEAD = 64, LEAST_BITS = 6, LARGE = CHUNK / 4 };

static int bits_of(size_t bytes)
{
    int bits = 0;
    while (bytes >> bits > 1) bits++;
    return bits;
}

/* Rounds up to the size of a piece, and returns the number of that size. */
static unsigned size_of(size_t *bytes)
{
    const size_t least = (size_t)1 << LEAST_BITS;
    if (*bytes <= least) return (void)(*bytes = least), 0;
    const int bits = bits_of(*bytes - 1); /* 2^bits < *bytes <= 2^(bits + 1) */
    const size_t step = (size_t)1 << (bits - 3), steps = (*bytes + step - 1) / step;
    *bytes = steps * step;
    return (unsigned)(8 * (bits - LEAST_BITS)) + (unsigned)steps - 8;
}

/* A piece at the end of the last chunk, or of a new one. */
static void *piece_cut(struct arena *a, size_t bytes)
{
    void *chunk, *piece;
    bytes = (bytes + HEAD - 1) / HEAD * HEAD;
    if (!a->chunk || CHUNK - a->used < bytes) {
        if (backend_allocate(a->b, CHUNK, &chunk)) return NULL;
        memcpy(chunk, &a->chunk, sizeof a->chunk);
        a->chunk = (char *)chunk;
        a->used = HEAD;
    }
    piece = a->chunk + a->used;
    a->used += bytes;
    return piece;
}

static void *piece_take(struct arena *a, size_t bytes)
{
    const unsigned size = size_of(&bytes);
    void *const piece = a->free[size];
    if (!piece) return piece_cut(a, bytes);
    memcpy(&a->free[size], piece, sizeof piece);
    return piece;
}

static void *arena_allocate(void *context, size_t bytes)
{
    struct arena *const a = (struct arena *)context;
    void *memory = NULL;
    pthread_mutex_lock(&a->lock);
    if (bytes <= LARGE) memory = piece_take(a, bytes);
    else if (backend_allocate(a->b, bytes, &memory)) memory = NULL;
    pthread_mutex_unlock(&a->lock);
    return memory;
}

static void arena_release(void *context, void *memory, size_t bytes)
{
    struct arena *const a = (struct arena *)context;
    pthread_mutex_lock(&a->lock);
    if (bytes <= LARGE) {
        const unsigned size = size_of(&bytes);
        memcpy(memory, &a->free[size], sizeof memory);
        a->free[size] = memory;
    } else backend_release(a->b, memory, bytes);
    pthread_mutex_unlock(&a->lock);
}

void arena_begin(struct arena *a, struct backend *b)
{
    memset(a, 0, sizeof *a);
    a->b = b;
    pthread_mutex_init(&a->lock, NULL); /* cannot fail with default attributes */
}

void arena_end(struct arena *a)
{
    while (a->chunk) {
        char *const chunk = a->chunk;
        memcpy(&a->chunk, chunk, sizeof a->chunk);
        backend_release(a->b, chunk, CHUNK);
    }
    pthread_mutex_destroy(&a->lock);
}

roost_allocator arena_allocator(struct arena *a) { return (roost_allocator){arena_allocate, arena_release, a}; }
