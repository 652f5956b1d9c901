/* Blocks of host memory that are released together. */
#include "arrow/arrow_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#if ROOST_PROBES
uint64_t arrow_bytes_copied, arrow_blocks, arrow_refused;
static void blocks_count(int more) { __atomic_fetch_add(&arrow_blocks, (uint64_t)(int64_t)more, __ATOMIC_RELAXED); }
static void copied_count(uint64_t bytes) { __atomic_fetch_add(&arrow_bytes_copied, bytes, __ATOMIC_RELAXED); }
static bool is_refused(void) { return arrow_refused && --arrow_refused == 0; }
#else
static void blocks_count(int more) { (void)more; }
static void copied_count(uint64_t bytes) { (void)bytes; }
static bool is_refused(void) { return false; }
#endif

/* Comes before its memory, in a place of ARROW_ALIGNMENT bytes. */
struct arrow_block {
    struct arrow_block *next;
};

void *arrow_new(struct arrow_memory *m, uint64_t n, uint64_t bytes)
{
    const uint64_t most = SIZE_MAX / 2;
    struct arrow_block *block = NULL;
    if (n <= most / (bytes ? bytes : 1) && !is_refused()) {
        const size_t all = ((size_t)(n * bytes) / ARROW_ALIGNMENT + 2) * ARROW_ALIGNMENT;
        block = (struct arrow_block *)aligned_alloc(ARROW_ALIGNMENT, all);
    }
    if (!block) {
        (void)error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for %" PRIu64 " items of %" PRIu64 " bytes", n, bytes);
        return NULL;
    }
    block->next = m->blocks;
    m->blocks = block;
    blocks_count(1);
    return (char *)block + ARROW_ALIGNMENT;
}

void *arrow_new_zeroed(struct arrow_memory *m, uint64_t n, uint64_t bytes)
{
    void *const memory = arrow_new(m, n, bytes);
    return memory ? memset(memory, 0, (size_t)(n * bytes)) : NULL;
}

void *arrow_new_copy(struct arrow_memory *m, uint64_t n, uint64_t bytes)
{
    void *const memory = arrow_new(m, n, bytes);
    if (memory) copied_count(n * bytes);
    return memory;
}

char *arrow_new_text(struct arrow_memory *m, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    void *const copy = arrow_new(m, bytes, 1);
    return copy ? (char *)memcpy(copy, text, bytes) : NULL;
}

void arrow_free(struct arrow_memory *m)
{
    while (m->blocks) {
        struct arrow_block *const block = m->blocks;
        m->blocks = block->next;
        free(block);
        blocks_count(-1);
    }
}
