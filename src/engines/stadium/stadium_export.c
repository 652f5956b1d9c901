/* What a Stadium table tells about itself: its pairs, a cursor's step at a time, and its numbers. */
#include <string.h>

#include "engines/stadium/stadium_table.h"

/* As many runs of slots as are sure to fit, again and again until none is. */
roost_status stadium_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room, size_t *n)
{
    struct stadium_table *t = (struct stadium_table *)table;
    struct backend *b = table->backend;
    struct stadium_args args;
    uint64_t written = 0;
    roost_status status = ledger_wait(&t->ledger);
    const uint64_t runs = (stadium_all_slots(t->shape, &t->view) + STADIUM_RUN - 1) / STADIUM_RUN;
    memset(&args, 0, sizeof args);
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &t->words->pairs_n;
    if (!status) status = b->operations->fill(b, &t->words->pairs_n, 0, sizeof t->words->pairs_n);
    while (!status && room - written >= STADIUM_RUN && cursor->position < runs) {
        const uint64_t left = runs - cursor->position, most = (room - written) / STADIUM_RUN, fit = most < left ? most : left;
        args.transfer.first = cursor->position * STADIUM_RUN;
        status = stadium_launch_over(t, t->export_pairs, &args, fit);
        if (!status) status = backend_read(b, &written, &t->words->pairs_n, sizeof written);
        cursor->position += fit;
    }
    cursor->end = cursor->position >= runs;
    *n = written;
    return status;
}

roost_status stadium_stats(struct engine_table *table, roost_stats *stats)
{
    struct stadium_table *t = (struct stadium_table *)table;
    const roost_status status = ledger_stats(&t->ledger, stats);
    stats->count = t->count;
    stats->slots = stadium_slots(t);
    stats->load_factor = (double)stats->count / (double)stats->slots;
    stats->table_bytes = stadium_table_bytes(t);
    stats->slots_per_bucket = (uint32_t)stadium_group_tickets(t->shape, &t->view);
    stats->tombstones = t->tombstones;
    stats->ticket_bits = (uint32_t)t->options.ticket;
    stats->board_bytes = stadium_board_bytes(t);
    stats->host_bytes = t->view.on_host ? stadium_pairs_bytes(t) : 0;
    return status;
}
