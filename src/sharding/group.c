/* What the ranks of a table agree on before a call, and after its parts. */
#include "sharding/group.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "portable/hash_bytes.h"

/* ---- Agreement ------------------------------------------------------------------------------- */

static const char *name_of(uint64_t of)
{
    static const char *const names[] = {"roost_table_create", "roost_insert",        "roost_find",        "roost_erase",
                                        "roost_apply",        "roost_table_reserve", "roost_table_clear", "roost_table_sync",
                                        "roost_compact",      "roost_table_check",   "roost_table_stats"};
    return of < sizeof names / sizeof names[0] ? names[of] : "another function";
}

static bool are_alike(const struct said *a, const struct said *b)
{
    if (a->of != b->of || a->table != b->table) return false;
    return a->refuses || b->refuses || (a->widths == b->widths && a->flags == b->flags && a->number == b->number);
}

roost_status group_agree(struct roost_table *t, const struct said *mine, struct said *all, uint64_t *most)
{
    struct comm *const c = group_of(t)->comm;
    const roost_status status = comm_gather(c, mine, all, sizeof *mine, true, &t->error);
    *most = 0;
    for (int r = 0; !status && r < comm_ranks(c); r++) {
        if (all[r].n > *most) *most = all[r].n;
        if (!are_alike(&all[0], &all[r]))
            return error_set(&t->error, ROOST_ERR_ARGUMENT,
                             "the ranks' calls differ: %s on table %" PRIu64 " by rank 0, %s on table %" PRIu64
                             " by rank %d, or with other flags, widths or numbers",
                             name_of(all[0].of), all[0].table, name_of(all[r].of), all[r].table, r);
    }
    return status;
}

roost_status group_vote(struct roost_table *t, roost_status mine)
{
    struct comm *const c = group_of(t)->comm;
    const struct error why = t->error;
    const uint32_t vote = (uint32_t)mine;
    uint32_t *const all = (uint32_t *)calloc((size_t)comm_ranks(c), sizeof *all);
    if (!all) {
        comm_kill(c);
        return error_set(&t->error, ROOST_ERR_MEMORY, "no memory for an exchange");
    }
    roost_status status = comm_gather(c, &vote, all, sizeof vote, false, &t->error);
    int failed = 0;
    while (failed < comm_ranks(c) && !all[failed]) failed++;
    if (mine) t->error = why, status = mine;
    else if (!status && failed < comm_ranks(c))
        status = error_set(&t->error, ROOST_ERR_COMM, "rank %d failed: %s", failed, roost_status_string((roost_status)all[failed]));
    free(all);
    return status;
}

int group_owner(const struct group *g, const void *key, int key_bytes)
{
    const uint64_t hash = hash_sip(1, g->owners[0], g->owners[1], (const unsigned char *)key, (uint32_t)key_bytes);
    return (int)range64(hash, (uint32_t)comm_ranks(g->comm));
}
