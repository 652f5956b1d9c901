/* Gathers the answers of all ranks at rank 0. */
#include "cli/replay_gather.h"

#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/ranks.h"

/* *at: the array of `bytes` that this rank has becomes that of all ranks, with *all_bytes. */
static int gather(const void **at, size_t bytes, void **memory, uint64_t *all_bytes)
{
    uint64_t *const of_ranks = (uint64_t *)calloc((size_t)ranks_get()->ranks, sizeof *of_ranks);
    if (of_ranks == NULL) return command_fail("out of memory");
    free(*memory);
    const int result = ranks_gather(*at, bytes, memory, of_ranks);
    *at = *memory;
    *all_bytes = 0;
    for (int r = 0; *memory != NULL && r < ranks_get()->ranks; r++) *all_bytes += of_ranks[r];
    free(of_ranks);
    return result;
}

int replay_gather(struct replay_gathered *gathered, size_t key_bytes, struct replay_items *items)
{
    const size_t n = items->keys.n;
    const void *keys = items->keys.bytes, *values = items->values, *found = items->found, *statuses = items->statuses;
    uint64_t bytes = 0, ignored;
    if (ranks_get()->ranks == 1) return 0;
    int result = gather(&keys, n * key_bytes, &gathered->keys, &bytes);
    if (result == 0 && values != NULL) result = gather(&values, n * sizeof *items->values, &gathered->values, &ignored);
    if (result == 0 && found != NULL) result = gather(&found, n, &gathered->found, &ignored);
    if (result == 0 && statuses != NULL) result = gather(&statuses, n, &gathered->statuses, &ignored);
    *items = (struct replay_items){{(const uint8_t *)keys, NULL, (size_t)bytes / key_bytes},
                                   (const uint32_t *)values,
                                   (const uint8_t *)found,
                                   (const uint8_t *)statuses};
    return result;
}

void replay_gathered_release(struct replay_gathered *gathered)
{
    free(gathered->keys);
    free(gathered->values);
    free(gathered->found);
    free(gathered->statuses);
    memset(gathered, 0, sizeof *gathered);
}

int replay_gather_workload(struct replay_gathered *gathered, const struct workload *workload, struct workload *whole)
{
    struct replay_items held = {{workload->keys.bytes, NULL, workload->held}, NULL, NULL, NULL};
    *whole = *workload;
    if (workload->ranks == 1) return 0;
    const int result = replay_gather(gathered, workload->kind.bytes, &held);
    whole->keys = (struct workload_array){.bytes = (uint8_t *)gathered->keys, .room = held.keys.n};
    whole->held = held.keys.n;
    whole->rank = 0;
    whole->ranks = 1;
    return result;
}
