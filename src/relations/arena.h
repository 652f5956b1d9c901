/* Memory of the parts of groups, on a host: pieces of large mappings, which have huge pages.  Parts
 * have arrays of like sizes, so a piece that one of them releases serves the next. */
#ifndef ROOST_RELATIONS_ARENA_H
#define ROOST_RELATIONS_ARENA_H

#include <pthread.h>

#include "backends/backend.h"

enum { ARENA_SIZES = 8 * 18 /* of pieces: eight for each power of two from 64 bytes to 8 MiB */ };

struct arena {
    struct backend *b;       /* whose mappings they are */
    pthread_mutex_t lock;    /* threads allocate for their parts: of what follows */
    void *free[ARENA_SIZES]; /* pieces by size; each begins with the next one's address */
    char *chunk;             /* the last one; each begins with the one before */
    size_t used;             /* of it */
};

void arena_begin(struct arena *a, struct backend *b);
void arena_end(struct arena *a); /* all pieces have been released */

/* An allocator of this arena, for several threads. */
roost_allocator arena_allocator(struct arena *a);

#endif
