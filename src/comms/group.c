/* What the ranks of a table agree on before a call, and after its parts. */
#include "comms/group.h"

#include <inttypes.h>

/* ---- Agreement ------------------------------------------------------------------------------- */

static const char *name_of(uint64_t of)
{
    static const char *const names[] = {"roost_table_create", "roost_insert",        "roost_find",        "roost_erase",
                                        "roost_apply",        "roost_table_reserve", "roost_table_clear", "roost_table_sync",
                                        "roost_compact",      "roost_table_check",   "roost_table_stats", "roost_scatter"};
    return of < sizeof names / sizeof names[0] ? names[of] : "another function";
}

/* Without items a rank takes any operations of a mixed batch: it may have given no values. */
static uint64_t flags_beside(const struct said *a, const struct said *b)
{
    const bool any = a->of == COLLECTIVE_APPLY && (!a->n || !b->n);
    return any ? a->flags & ~(uint64_t)UINT16_MAX : a->flags;
}

static bool are_alike(const struct said *a, const struct said *b)
{
    if (a->of != b->of || a->table != b->table) return false;
    return a->refuses || b->refuses ||
           (a->widths == b->widths && flags_beside(a, b) == flags_beside(b, a) && a->number == b->number);
}

/* The rank whose call the others' must be like: one with items, if there is one. */
static int lead_of(const struct said *all, int ranks)
{
    int lead = -1;
    for (int r = 0; r < ranks; r++)
        if (!all[r].refuses && (lead < 0 || (!all[lead].n && all[r].n))) lead = r;
    return lead < 0 ? 0 : lead;
}

static roost_status all_agree(const struct said *all, int ranks, struct agreed *agreed, struct error *error)
{
    const int lead = lead_of(all, ranks);
    *agreed = (struct agreed){0, UINT64_MAX, 0, ROUNDS, true, all[lead].flags, all[lead].widths};
    for (int r = 0; r < ranks; r++) {
        if (all[r].n > agreed->most) agreed->most = all[r].n;
        if (all[r].n && all[r].room < agreed->room) agreed->room = all[r].room;
        agreed->statuses |= all[r].statuses;
        agreed->enqueues = agreed->enqueues && all[r].enqueues;
        if (are_alike(&all[lead], &all[r])) continue;
        return error_set(error, ROOST_ERR_ARGUMENT,
                         "the ranks' calls differ: %s on table %" PRIu64 " by rank %d, %s on table %" PRIu64
                         " by rank %d, or with other flags, widths or numbers",
                         name_of(all[lead].of), all[lead].table, lead, name_of(all[r].of), all[r].table, r);
    }
    if (agreed->most <= agreed->room) agreed->under_way = 1; /* there is one round */
    for (int r = 0; r < ranks; r++)
        if (all[r].n > agreed->room && !all[r].overlap) agreed->under_way = 1;
    return ROOST_OK;
}

roost_status comm_agree(struct comm *c, const struct said *mine, struct agreed *agreed, struct error *error)
{
    const void *all;
    const roost_status status = comm_gather(c, mine, sizeof *mine, true, &all, error);
    return status ? status : all_agree((const struct said *)all, comm_ranks(c), agreed, error);
}

roost_status group_agree(struct roost_table *t, const struct said *mine, struct agreed *agreed)
{
    return comm_agree(group_of(t)->comm, mine, agreed, &t->error);
}

roost_status group_votes(struct roost_table *t, roost_status mine, roost_status items, const struct vote **all)
{
    struct comm *const c = group_of(t)->comm;
    const struct error why = t->error;
    const struct vote vote = {(uint32_t)mine, (uint32_t)items};
    const void *votes;
    roost_status status = comm_gather(c, &vote, sizeof vote, false, &votes, &t->error);
    *all = (const struct vote *)votes;
    for (int r = 0; !status && r < comm_ranks(c); r++) {
        const roost_status of = (roost_status)(*all)[r].status;
        if (of) status = error_set(&t->error, ROOST_ERR_COMM, "rank %d failed: %s", r, roost_status_string(of));
    }
    if (mine) t->error = why;
    return mine ? mine : status;
}

roost_status group_vote(struct roost_table *t, roost_status mine)
{
    const struct vote *all;
    return group_votes(t, mine, ROOST_OK, &all);
}
