/* Blocks of host memory that are released together: those of a call, or those of what it gives. */
#ifndef ROOST_ARROW_ARROW_MEMORY_H
#define ROOST_ARROW_ARROW_MEMORY_H

#include "api/checks.h"
#include "roost/arrow.h"

#if ROOST_PROBES
/* For tests: bytes of buffers that calls copied or decoded; blocks that are not released; and the
 * block from now on, from 1, that is refused (0: none). */
extern uint64_t arrow_bytes_copied, arrow_blocks, arrow_refused;
#endif

enum { ARROW_ALIGNMENT = 64 /* bytes: as Arrow recommends for buffers */ };

struct arrow_block;
struct arrow_memory {
    struct arrow_block *blocks;
};

/* A block of n items of `bytes` bytes each, aligned to ARROW_ALIGNMENT; also of none.
 * Returns: NULL, with the error in thread_error(), if it is refused or too large. */
void *arrow_new(struct arrow_memory *m, uint64_t n, uint64_t bytes);
/* The same, all 0. */
void *arrow_new_zeroed(struct arrow_memory *m, uint64_t n, uint64_t bytes);
/* The same, for a copy or decoded items of a buffer. */
void *arrow_new_copy(struct arrow_memory *m, uint64_t n, uint64_t bytes);
/* A copy of a text. */
char *arrow_new_text(struct arrow_memory *m, const char *text);
void arrow_free(struct arrow_memory *m);

#endif
