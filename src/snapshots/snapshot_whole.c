/* All blocks of a whole snapshot, of one file or of several. */
#include "snapshots/snapshot_whole.h"

#include <stdlib.h>

#include "api/changes.h"
#include "roost/numbers.h"
#include "snapshots/snapshot_ranks.h"

static roost_status block_load(struct load *l, const struct block *block)
{
    roost_status status = block_insert(l, block, l->t->multi ? ROOST_APPEND : ROOST_KEEP);
    if (!status) status = keys_check(l, block);
    if (!status) status = numbers_check(l, block);
    return status ? status : load_progress(l, l->loaded);
}

/* The snapshot's header; of several files that of their manifest. */
static const struct header *whole_header(const struct load *l) { return l->shards ? &l->shards->header : &l->reader.header; }

static void saved_take(struct load *l)
{
    struct roost_table *const t = l->t;
    const uint64_t id = l->shards ? l->shards->id : l->reader.id;
    if (t->numbered) t->at->numbers.next = whole_header(l)->next_number;
    t->saved.id = l->refused || l->before.lost || l->reader.lost ? 0 : id;
    t->saved.last = t->saved.id;
    t->saved.number = 0;
    t->saved.written = false;
    if (t->saved.id) changes_begin(t);
}

/* The next block of the one file.  Rank 0 of several has them all. */
static roost_status file_next(struct load *l, struct block *block, bool *end)
{
    *end = l->reader.ended || (is_shard(l->t) && l->t->group->rank);
    if (*end) return ROOST_OK;
    roost_status status = reader_next(&l->reader, block);
    *end = l->reader.ended;
    if (!status && *end) status = counts_check(l);
    return !status && *end && l->alone ? reader_at_end(&l->reader) : status;
}

/* The next block of this rank. */
static roost_status block_next(struct load *l, struct block *block, bool *end)
{
    const roost_status status = l->shards ? shards_next(l->shards, l, block, end) : file_next(l, block, end);
    if (status || *end || block->frame.kind == BLOCK_PAIRS) return status;
    return block_damaged(&l->reader, block->frame.index, "is of a kind that has no place here");
}

static roost_status blocks_load(struct load *l)
{
    struct block block;
    roost_status status = ROOST_OK;
    for (bool end = false; !status && !end;) {
        status = block_next(l, &block, &end);
        if (!status && !end) status = block_load(l, &block);
    }
    return status;
}

/* Do all ranks load the snapshot that rank 0 loads? */
static roost_status ids_agree(struct load *l)
{
    const uint64_t own = l->shards ? l->shards->id : l->reader.id;
    uint64_t first = l->t->group->rank ? 0 : own;
    const roost_status status = shards_sum(l->t, &first, 1, ROOST_OK);
    if (status) *l->reader.error = l->t->error;
    if (status || first == own) return status;
    return error_set(l->reader.error, ROOST_ERR_ARGUMENT, "%s: rank 0 loads another snapshot", l->reader.from);
}

/* All ranks insert as long as one has a block.  Before each insert they learn how all fared, and
 * that all can insert: a rank that did not would leave the others in that call. */
static roost_status blocks_load_together(struct load *l)
{
    struct block block;
    roost_status status = ids_agree(l);
    for (;;) {
        bool end = true;
        if (!status) status = block_next(l, &block, &end);
        if (!status && !end) status = block_ready(l, &block);
        uint64_t going = !end;
        const roost_status together = shards_sum(l->t, &going, 1, status);
        if (together && !status) *l->reader.error = l->t->error;
        if (together || !going) return together;
        status = end ? roost_insert(l->t, ROOST_KEEP, NULL, NULL, 0, NULL) : block_load(l, &block);
    }
}

roost_status load_whole(struct load *l)
{
    roost_status status = numbers_begin(l); /* of tables without a comm */
    if (!status) status = is_shard(l->t) ? blocks_load_together(l) : blocks_load(l);
    if (!status && !l->t->origin.config.growth && l->roomed) status = load_room(l, capacity_most(l, l->loaded));
    /* Fewer pairs have come than there is room for. */
    if (!status && !l->t->group && l->loaded < l->roomed) status = roost_table_sync(l->t, NULL);
    if (!status) saved_take(l);
    return status;
}

static void loaded_tell(const struct load *l)
{
    const struct reader *const r = &l->reader;
    const struct loaded_before *const b = &l->before;
    const uint64_t promised = l->promised, stored = l->loaded;
    const roost_loaded told = {sizeof told,
                               l->loaded,
                               b->erased + r->totals.erased,
                               b->blocks + r->totals.blocks,
                               b->bytes + r->bytes,
                               b->lost + r->lost,
                               promised > stored && r->salvage ? promised - stored : 0,
                               b->lost ? b->first_damaged : r->first_damaged};
    if (l->options.loaded) *l->options.loaded = told;
}

void load_release(struct load *l)
{
    loaded_tell(l);
    free(l->statuses);
    reader_release(&l->reader);
    roost_table_destroy(l->seen);
}

roost_status load_end(struct load *l, roost_table **table, roost_status status)
{
    load_release(l);
    if (status) roost_table_destroy(l->t);
    else *table = l->t;
    return status;
}
