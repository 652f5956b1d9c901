/* Export of a Stadium table's pairs, one cursor step at a time, and its statistics. */
#include <inttypes.h>
#include <string.h>

#include "engines/contents.h"
#include "engines/stadium/stadium_table.h"

static uint64_t runs_end(const struct engine_table *table, uint64_t *position)
{
    (void)position;
    const uint64_t slots = stadium_all_slots(table->shape, &stadium_of_const(table)->view);
    return (slots + STADIUM_RUN - 1) / STADIUM_RUN;
}

static roost_status runs_export(struct engine_table *table, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct stadium_args args;
    memset(&args, 0, sizeof args);
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &table_words(table)->pairs_n;
    args.transfer.first = first * STADIUM_RUN;
    return stadium_launch_over(stadium_of(table), table->kernel[STADIUM_export], &args, n);
}

roost_status stadium_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    static const struct exporter exporter = {runs_end, runs_export};
    return export_units(table, &exporter, STADIUM_RUN, cursor, keys, values, room, n);
}

/* Counts the strings of some runs of slots and their bytes, or with arrays writes them. */
static roost_status strings_out(struct stadium_table *t, struct stadium_args *args, uint64_t runs, uint64_t *n, uint64_t *bytes)
{
    uint64_t both = 0;
    roost_status status = pairs_clear(&t->base);
    if (!status) status = stadium_launch_over(t, t->base.kernel[STADIUM_export], args, runs);
    if (!status) status = pairs_read(&t->base, &both);
    *n = both >> STRINGS_SHIFT;
    *bytes = both & STRINGS_BYTES_MOST;
    return status;
}

/* The end of the last string. */
static roost_status offset_write(struct backend *b, const struct string_room *room, uint64_t i, uint64_t offset)
{
    const uint32_t narrow = (uint32_t)offset;
    void *const at = array_at(room->offsets, i, room->offset_bytes);
    const roost_status status = room->offset_bytes == 8 ? b->operations->copy(b, at, &offset, sizeof offset)
                                                        : b->operations->copy(b, at, &narrow, sizeof narrow);
    return status ? status : backend_wait(b);
}

/* Exports as many runs of slots as have no more strings than `room`.  Halves their number until
 * their bytes fit as well. */
roost_status stadium_export_strings(struct engine_table *table, roost_cursor *cursor, const struct string_room *room, size_t *n)
{
    struct stadium_table *t = (struct stadium_table *)table;
    struct stadium_args args;
    uint64_t strings = 0, bytes = 0;
    roost_status status = ledger_wait(&t->base.ledger);
    const uint64_t end = runs_end(table, &cursor->position), left = cursor->position < end ? end - cursor->position : 0;
    const uint64_t most = (room->room < STRINGS_MOST ? room->room : STRINGS_MOST - 1) / STADIUM_RUN;
    uint64_t fit = most < left ? most : left;
    memset(&args, 0, sizeof args);
    args.transfer.pairs_n = &table_words(&t->base)->pairs_n;
    args.transfer.first = cursor->position * STADIUM_RUN;
    for (; !status; fit /= 2) {
        status = strings_out(t, &args, fit, &strings, &bytes);
        if (bytes <= room->bytes_room || fit <= 1) break;
    }
    if (!status && bytes > room->bytes_room)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "the next strings have %" PRIu64 " bytes, and bytes_room is %" PRIu64,
                         bytes, room->bytes_room);
    args.transfer.offsets = room->offsets;
    args.transfer.offset_bytes = room->offset_bytes;
    args.transfer.keys = room->bytes;
    args.transfer.values = room->values;
    if (!status) status = strings_out(t, &args, fit, &strings, &bytes);
    if (!status) status = offset_write(t->base.backend, room, strings, bytes);
    if (status) return status;
    cursor->position += fit;
    cursor->end = cursor->position >= end;
    *n = strings;
    return ROOST_OK;
}

roost_status stadium_stats(struct engine_table *table, struct engine_stats *stats)
{
    const struct stadium_table *t = stadium_of_const(table);
    stats->slots_per_bucket = (uint32_t)stadium_group_tickets(t->base.shape, &t->view);
    stats->tombstones = t->tombstones;
    stats->ticket_bits = (uint32_t)t->options.ticket;
    stats->board_bytes = stadium_board_bytes(t);
    stats->host_bytes = (t->view.on_host ? stadium_pairs_bytes(t) : 0) + (t->view.wide.arena_on_host ? t->arena_room : 0);
    stats->arena_bytes = t->arena_room;
    stats->arena_used = t->ends.used;
    stats->arena_dead = t->ends.dead;
    stats->regions = stadium_regions(t, UINT64_MAX);
    return ROOST_OK;
}
