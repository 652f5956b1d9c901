/* Lists of parked items. */
#include "engines/lists.h"

#include <string.h>

#include "engines/table.h"

_Static_assert(sizeof(struct table_words) <= LEDGER_BYTES, "the ledger reads the words as a whole");

struct table_words *table_words(const struct engine_table *t) { return (struct table_words *)t->ledger.words; }

static size_t list_bytes(const struct lists *l, uint64_t room)
{
    return (size_t)room * (LISTS * sizeof l->list[0][0] + l->extra_bytes);
}

void lists_release(struct lists *l)
{
    if (l->room) backend_release(l->table->backend, l->list[0], list_bytes(l, l->room));
}

roost_status lists_make(struct lists *l, uint64_t n)
{
    void *memory;
    if (n <= l->room) return ROOST_OK;
    if (l->fixed) return error_set(l->table->error, ROOST_ERR_MEMORY, "a captured graph uses the lists, so they cannot grow");
    /* Even: an engine fills the memory behind the lists by whole words. */
    const uint64_t wanted = n < l->least ? l->least : n, room = (wanted + 1) / 2 * 2;
    const roost_status status = backend_allocate(l->table->backend, list_bytes(l, room), &memory);
    if (status) return status;
    lists_release(l);
    l->list[0] = (uint32_t *)memory;
    l->list[1] = l->list[0] + room;
    l->extra = l->list[1] + room;
    l->room = room;
    return ROOST_OK;
}

roost_status lists_begin(struct lists *l, struct engine_table *table, uint64_t least, uint64_t most, size_t extra_bytes)
{
    l->table = table;
    l->least = least;
    l->most = most;
    l->extra_bytes = extra_bytes;
    return lists_make(l, 1);
}

/* Under a memory limit lists have a 32nd of it: the rest is the table's. */
static uint64_t most_granted(const struct lists *l)
{
    const uint64_t limit = l->table->backend->memory_limit;
    return limit ? limit / 32 / list_bytes(l, 1) : UINT64_MAX;
}

uint64_t lists_piece(struct lists *l, uint64_t n)
{
    const struct error_mark before = error_keep(l->table->error);
    const uint64_t granted = most_granted(l), most = l->room > granted ? l->room : granted;
    if (n > l->most) n = l->most;
    if (n > most) n = most;
    if (lists_make(l, n) == ROOST_OK) return n;
    error_restore(&before); /* a shorter piece is no failure */
    return n < l->room ? n : l->room;
}

struct batch source_batch(const struct source *source, const struct batch *whole)
{
    struct batch part = *whole;
    part.order = source->order;
    part.order_n = source->order_n;
    part.n = source->n;
    return part;
}

roost_status lists_clear(const struct lists *l)
{
    struct backend *b = l->table->backend;
    struct table_words *words = table_words(l->table);
    return b->operations->fill(b, words->parked_n, 0, sizeof words->parked_n);
}

/* The list in which indices from `order` on do not lie; NULL, the batch itself, lies in none. */
static uint32_t *list_other(const struct lists *l, const uint32_t *order)
{
    return order >= l->list[0] && order < l->list[0] + l->room ? l->list[1] : l->list[0];
}

void lists_pass(const struct lists *l, struct batch *batch, struct source *source, int pass)
{
    *batch = source_batch(source, batch);
    batch->leftover = list_other(l, source->order);
    batch->leftover_n = &table_words(l->table)->parked_n[pass];
    source->order = batch->leftover;
    source->order_n = batch->leftover_n;
}

roost_status lists_join(const struct lists *l, struct source *items, const struct source *behind)
{
    struct backend *b = l->table->backend;
    uint32_t *const spare = list_other(l, behind->order), *const own = spare == l->list[0] ? l->list[1] : l->list[0];
    uint32_t *const to = own + (behind->order - own) - items->n;
    const size_t bytes = items->n * sizeof *to;
    roost_status status = ROOST_OK;
    if (!behind->n) return status;
    /* By way of the other list: in the same one the places may overlap. */
    if (items->order != spare) status = b->operations->copy(b, spare, items->order, bytes);
    if (!status) status = b->operations->copy(b, to, spare, bytes);
    items->order = to;
    items->n += behind->n;
    return status;
}

roost_status lists_locks(const struct lists *l, uint64_t most, uint32_t **locks, uint32_t *mask)
{
    struct backend *b = l->table->backend;
    uint64_t words = 1;
    while (words * 2 <= l->room && words * 2 <= most) words *= 2;
    *locks = (uint32_t *)l->extra;
    *mask = (uint32_t)(32 * words - 1);
    return b->operations->fill(b, l->extra, 0, words * sizeof(uint32_t));
}

/* The copy is made before the passes are waited for. */
roost_status lists_permits(struct lists *l, uint64_t left, uint64_t n, uint64_t **permits)
{
    struct backend *b = l->table->backend;
    l->permits = left;
    *permits = left < n ? &table_words(l->table)->permits : NULL;
    return *permits ? b->operations->copy(b, *permits, &l->permits, sizeof l->permits) : ROOST_OK;
}

void lists_take(struct lists *l, const void *words)
{
    struct table_words now;
    memcpy(&now, words, sizeof now);
    memcpy(l->waiting, now.parked_n, sizeof l->waiting);
}
