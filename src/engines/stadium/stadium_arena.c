/* The arena that holds the bytes of a Stadium table's strings: room for a batch before it begins,
 * and compaction once erased strings have left enough garbage. */
#include <string.h>

#include "engines/stadium/stadium_table.h"

enum {
    LEAST_ROOM = 1 << 16, /* bytes */
    /* Of a piece; for lack of memory it is not cut any shorter. */
    LEAST_STRINGS = 1024,
    /* A piece has at most this many bytes of strings, or as many as are stored if that is more: so
     * the arena grows little for strings that are stored already. */
    MOVED_BYTES = 1 << 26
};

/* ---- Memory --------------------------------------------------------------------------------- */

void stadium_arena_release(struct stadium_table *t)
{
    struct stadium_wide *w = &t->view.wide;
    stadium_place_release(t, w->arena, w->arena_on_host, t->arena_room);
    w->arena = NULL;
    t->arena_room = 0;
}

/* Switches to another arena.  Frees the old one once no work in flight reads it. */
static roost_status arena_switch(struct stadium_table *t, void *arena, bool on_host, uint64_t room)
{
    const roost_status status = backend_wait(t->base.backend);
    stadium_arena_release(t);
    t->view.wide.arena = (unsigned char *)arena;
    t->view.wide.arena_on_host = on_host;
    t->arena_room = room;
    return status;
}

/* Copies the stored strings to a new arena, one after the other, and counts them there. */
static roost_status strings_move(struct stadium_table *t, void *arena)
{
    struct backend *b = t->base.backend;
    struct stadium_args args;
    memset(&args, 0, sizeof args);
    args.batch.counters = t->base.ledger.words;
    args.transfer.arena = (unsigned char *)arena;
    args.transfer.arena_used = &stadium_words(t)->moved.used;
    roost_status status = b->operations->fill(b, &stadium_words(t)->moved, 0, sizeof(struct stadium_ends));
    if (!status) status = stadium_launch_over(t, t->base.kernel[STADIUM_compact], &args, t->view.groups);
    return status;
}

/* After strings_move its ends are the table's.  One copy makes them so: dead bytes of the arena
 * before would count among the used ones of the new one. */
static roost_status ends_move(struct stadium_table *t)
{
    struct stadium_words *const words = stadium_words(t);
    struct backend *b = t->base.backend;
    const roost_status status = b->operations->copy(b, &words->ends, &words->moved, sizeof words->ends);
    t->half_moved = status != ROOST_OK;
    return status;
}

roost_status stadium_arena_mend(struct stadium_table *t)
{
    if (!t->half_moved) return ROOST_OK;
    const roost_status status = ends_move(t);
    return status ? status : backend_read(t->base.backend, &t->ends, &stadium_words(t)->ends, sizeof t->ends);
}

/* Moves the strings to a new arena of this many bytes, without the erased ones. */
static roost_status arena_renew(struct stadium_table *t, uint64_t room)
{
    struct backend *b = t->base.backend;
    const bool garbage = t->ends.dead > 0;
    struct counters since;
    bool on_host;
    void *arena;
    roost_status status = stadium_place_allocate(t, room, &arena, &on_host);
    if (status) return status;
    /* a check also copies the memory between strings */
    if (ROOST_PROBES) status = b->operations->fill(b, arena, 0xa5, room);
    if (!status && garbage) status = strings_move(t, arena);
    else if (!status && t->ends.used) status = b->operations->copy(b, arena, t->view.wide.arena, t->ends.used);
    if (status) {
        stadium_place_release(t, arena, on_host, room);
        return status;
    }
    const roost_status ended = arena_switch(t, arena, on_host, room);
    if (garbage) status = ends_move(t);
    if (garbage && !status) status = ledger_read(&t->base.ledger, &since);
    return ended ? ended : status;
}

roost_status stadium_arena_empty(struct stadium_table *t)
{
    struct backend *b = t->base.backend;
    if (!t->view.wide.strings) return ROOST_OK;
    const roost_status status = b->operations->fill(b, &stadium_words(t)->ends, 0, sizeof(struct stadium_ends));
    if (!status) memset(&t->ends, 0, sizeof t->ends);
    return status;
}

/* Is more than half of it garbage? */
static bool arena_is_due(const struct stadium_table *t) { return t->ends.dead > LEAST_ROOM && 2 * t->ends.dead > t->ends.used; }

roost_status stadium_arena_compact(struct stadium_table *t, bool all)
{
    const uint64_t live = t->ends.used - t->ends.dead;
    if (!t->view.wide.strings || !t->ends.dead || !(all || arena_is_due(t))) return ROOST_OK;
    return arena_renew(t, live > LEAST_ROOM ? live : LEAST_ROOM);
}

/* ---- Room for a batch ----------------------------------------------------------------------- */

/* An upper bound of the arena bytes of n strings from the batch's `first` on.  Offsets that fall
 * make it larger than needed. */
static roost_status strings_bytes(const struct stadium_table *t, const struct batch *b, uint64_t first, uint64_t n, uint64_t *bytes)
{
    uint64_t from, to;
    struct backend *const backend = t->base.backend;
    roost_status status = backend_read_offset(backend, b->key_offsets, b->offset_bytes, first, &from);
    if (!status) status = backend_read_offset(backend, b->key_offsets, b->offset_bytes, first + n, &to);
    if (!status) *bytes = (to < from ? 0 : to - from) + 7 * n;
    return status;
}

/* Makes room for this many more bytes: doubles the arena, or makes it just large enough. */
static roost_status arena_enlarge(struct stadium_table *t, uint64_t bytes)
{
    const uint64_t live = t->ends.used - t->ends.dead, need = live + bytes + LEAST_ROOM;
    const struct error_mark before = error_keep(t->base.error);
    roost_status status = ROOST_ERR_MEMORY;
    if (2 * live > need) status = arena_renew(t, bytes_padded(2 * live));
    if (status == ROOST_ERR_MEMORY) status = arena_renew(t, bytes_padded(need));
    if (!status) error_restore(&before);
    return status;
}

roost_status stadium_arena_piece(struct stadium_table *t, const struct batch *batch, uint64_t first, uint64_t *n)
{
    const uint64_t live = t->ends.used - t->ends.dead, most = live > MOVED_BYTES ? live : MOVED_BYTES;
    uint64_t bytes = 0;
    t->view.wide.closed = 0;
    for (;;) {
        roost_status status = strings_bytes(t, batch, first, *n, &bytes);
        if (!status && bytes > most && *n > LEAST_STRINGS) {
            *n = *n / 2;
            continue;
        }
        if (status || bytes <= t->arena_room - t->ends.used) return status;
        status = arena_enlarge(t, bytes);
        if (status != ROOST_ERR_MEMORY) return status;
        if (*n <= LEAST_STRINGS) break;
        *n = *n / 2;
    }
    /* strings that are stored already are updated, and others end NO_MEMORY */
    t->view.wide.closed = 1;
    ledger_refuse(&t->base.ledger);
    return ROOST_OK;
}
