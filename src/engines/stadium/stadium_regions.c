/* Stadium's batches by region: finds of pairs in memory that is far (batches_sifted), and calls on large tables (batches_bulk).
 *
 * A GPU reads the host's memory at random 15 times faster where the reads of a time stay within some 256 MB, for so much its translation of addresses
 * reaches: docs/stadium.md has the measurement.  The tickets say where a key's pair would be before any pair is read. */
#include "engines/stadium/stadium_table.h"

enum {
    REGION_BYTES = 1 << 28,
    LEAST_SIFTED = 1 << 16, /* keys: fewer are read as fast as they come, a pair in 22 ns */
    MOST_REGIONS = 1000
};

static bool is_auto(const struct stadium_table *t)
{
    return t->options.regions < 1 && t->base.key_bytes > 0 && t->options.memory != STADIUM_MEMORY_DEVICE &&
           t->base.backend->operations->machine == MACHINE_CUDA;
}

roost_status stadium_find(struct engine_table *table, const struct batch *batch)
{
    struct stadium_args args = stadium_batch_args(stadium_of(table), batch);
    if (!ROOST_PROBES) args.batch.counters = NULL; /* finds count nothing but probes */
    return backend_launch(table->backend, table->kernel[STADIUM_find], &args, sizeof args, batch->n);
}

/* Depends on nothing that writes change. */
bool stadium_sifts(const struct engine_table *table)
{
    const struct stadium_table *t = (const struct stadium_table *)table;
    return t->options.regions > 1 || is_auto(t);
}

uint32_t stadium_regions(const struct engine_table *table, uint64_t n)
{
    const struct stadium_table *t = (const struct stadium_table *)table;
    if (!is_auto(t)) return t->options.regions < 1 ? 1 : (uint32_t)t->options.regions;
    if (!t->view.on_host || n < LEAST_SIFTED) return 1;
    const uint64_t regions = (stadium_pairs_bytes(t) + REGION_BYTES - 1) / REGION_BYTES;
    return (uint32_t)(regions < MOST_REGIONS ? regions : MOST_REGIONS);
}

roost_status stadium_sift(struct engine_table *table, const struct batch *batch, uint32_t *region, uint32_t regions)
{
    struct stadium_table *t = (struct stadium_table *)table;
    struct stadium_args args = stadium_batch_args(t, batch);
    args.batch.counters = NULL;
    args.transfer.shape = t->base.shape;
    args.transfer.region = region;
    args.transfer.regions = regions;
    return backend_launch(table->backend, t->base.kernel[STADIUM_sift], &args, sizeof args, batch->n);
}

/* Nearly all keys are in their first groups, or not there; double hashing of single tickets goes anywhere, and keys that are no words are no column.  Hits
 * gain by regions, but misses, which read the board alone, lose as long as that is in reach (docs/stadium.md): so its size decides of finds.  Erases
 * gain, and inserts do not.  Calls that may make the table grow or shrink leave it all memory. */
uint32_t stadium_code_bits(const struct engine_table *table, enum engine_call call, uint64_t n, bool *pays)
{
    const struct stadium_table *t = (const struct stadium_table *)table;
    const uint64_t keys = t->count + t->tombstones + t->base.ledger.coming + n;
    const uint64_t board = stadium_board_bytes(t);
    *pays = call == ENGINE_FIND    ? board >= POLICY_FAR
            : call == ENGINE_ERASE ? policy_erases_pay(board + stadium_pairs_bytes(t), n, t->count)
                                   : false;
    if (call == ENGINE_INSERT && t->base.growth && !stadium_fits(t, keys)) return 0;
    if (call == ENGINE_ERASE && stadium_would_shrink(table, t->count > n ? t->count - n : 0)) return 0;
    return t->view.single || is_wide(t->base.shape) ? 0 : PARTITION_DIGIT;
}

roost_status stadium_codes(struct engine_table *table, const struct batch *batch, const struct partition_codes *codes)
{
    struct stadium_table *t = (struct stadium_table *)table;
    struct stadium_args args = stadium_batch_args(t, batch);
    args.batch.counters = NULL;
    args.batch.n = partition_coded_items(codes);
    args.transfer.shape = t->base.shape;
    args.transfer.codes = *codes;
    return backend_launch(table->backend, t->base.kernel[STADIUM_codes], &args, sizeof args, args.batch.n);
}
