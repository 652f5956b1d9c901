/* Room that the ranks of a process give each other for keys of finds that are enqueued. */
#include <stdlib.h>

#include "comms/group.h"

/* Arrays of a rank's room: the columns of all ranks' items; how many of each have come. */
enum { COUNTS = COLUMNS, ARRAYS, ROOM_LEAST = 1 << 12 /* items of a rank */ };

/* What a rank tells the others of its room. */
struct offer {
    uint64_t status; /* a roost_status */
    void *at[ARRAYS];
};

static void room_sides(struct side side[COLUMNS], void *const at[ARRAYS])
{
    for (int c = 0; c < COLUMNS; c++) side[c] = (struct side){(char *)at[c], NULL};
}

static struct offer room_make(const struct group *g, uint64_t room, const int item_bytes[COLUMNS])
{
    const uint64_t ranks = (uint64_t)comm_ranks(g->comm);
    struct offer offer = {ROOST_OK, {NULL}};
    size_t bytes[ARRAYS];
    void *memory;
    for (int c = 0; c < COLUMNS; c++) bytes[c] = room * ranks * (unsigned)item_bytes[c];
    bytes[COUNTS] = ranks * sizeof(uint64_t);
    offer.status = (uint64_t)peers_room(g->peers, backend_arrays_bytes(bytes, ARRAYS), &memory);
    if (!offer.status) backend_arrays_place(memory, bytes, ARRAYS, offer.at);
    return offer;
}

/* This rank's part of every owner's room, and its own room. */
static void room_take(struct group *g, uint64_t room, const int bytes[COLUMNS], const struct offer *all)
{
    const int own = comm_rank(g->comm);
    struct side side[COLUMNS];
    for (int rank = 0; rank < comm_ranks(g->comm); rank++) {
        struct travel_end *const end = &g->posts.ends[rank];
        room_sides(side, all[rank].at);
        end->columns = columns_at(bytes, side, room * (unsigned)own);
        end->count = (uint64_t *)all[rank].at[COUNTS] + own;
    }
    room_sides(g->posts.side, all[own].at);
    g->posts.counts = (const uint64_t *)all[own].at[COUNTS];
    g->posts.room = room;
}

static bool all_have(const struct offer *all, int ranks)
{
    bool have = true;
    for (int rank = 0; rank < ranks; rank++) have = have && !all[rank].status;
    return have;
}

roost_status posts_agree(struct roost_table *t, uint64_t most, const int bytes[COLUMNS], bool *all)
{
    struct group *const g = group_of(t);
    const void *gathered;
    uint64_t room = ROOM_LEAST;
    *all = g->posts.room >= most;
    if (*all) return ROOST_OK;
    while (room < most) room *= 2;
    const struct error_mark before = error_keep(&t->error);
    struct offer mine = room_make(g, room, bytes);
    const bool made = !mine.status;
    if (!g->posts.ends) g->posts.ends = (struct travel_end *)calloc((size_t)comm_ranks(g->comm), sizeof *g->posts.ends);
    if (!g->posts.ends) mine.status = ROOST_ERR_MEMORY;
    const roost_status status = comm_gather(g->comm, &mine, sizeof mine, false, &gathered, &t->error);
    if (status) return status;
    error_restore(&before);
    *all = all_have((const struct offer *)gathered, comm_ranks(g->comm));
    if (*all) room_take(g, room, bytes, (const struct offer *)gathered);
    else if (made) peers_room_drop(g->peers);
    return ROOST_OK;
}
