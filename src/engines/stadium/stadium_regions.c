/* The order of Stadium's batches: finds of pairs in the host's memory, and calls on large tables.
 * A GPU reads the host's memory at random 15 times faster if its reads stay within about 256 MB at
 * a time, the reach of its address translation (measured in docs/stadium.md).  The tickets tell
 * where a key's pair would be before any pair is read. */
#include "engines/stadium/stadium_table.h"

enum {
    REGION_BYTES = 1 << 28,
    LEAST_SIFTED = 1 << 16, /* keys; for fewer, unordered reads are as fast: 22 ns a pair */
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
    if (!ROOST_PROBES) args.batch.counters = NULL; /* finds count only probes */
    return backend_launch(table->backend, table->kernel[STADIUM_find], &args, sizeof args, batch->n);
}

bool stadium_sifts(const struct stadium_table *t) { return t->options.regions > 1 || is_auto(t); }

uint32_t stadium_regions(const struct stadium_table *t, uint64_t n)
{
    if (!is_auto(t)) return t->options.regions < 1 ? 1 : (uint32_t)t->options.regions;
    if (!t->view.on_host || n < LEAST_SIFTED) return 1;
    const uint64_t regions = (stadium_pairs_bytes(t) + REGION_BYTES - 1) / REGION_BYTES;
    return (uint32_t)(regions < MOST_REGIONS ? regions : MOST_REGIONS);
}

/* Can a call with n keys be partitioned?  Nearly all stored keys are in their first groups.  Single
 * tickets cannot: double hashing spreads a key's slots over the whole table.  Wide keys cannot:
 * they are no column of words.  Calls that may make the table grow or shrink leave all memory to
 * it. */
static bool can_partition(const struct stadium_table *t, enum engine_call call, uint64_t n)
{
    const uint64_t keys = t->count + t->tombstones + t->base.ledger.coming + n;
    if (call == ENGINE_INSERT && t->base.growth && !stadium_fits(t, keys)) return false;
    if (call == ENGINE_ERASE && stadium_would_shrink(&t->base, t->count > n ? t->count - n : 0)) return false;
    return !t->view.single && !is_wide(t->base.shape);
}

/* Is a partition faster on a GPU?  Hits gain by it.  Misses read only the board, and lose while it
 * is in reach (docs/stadium.md): so the size of the board decides for finds.  Erases gain, and
 * inserts do not. */
static bool partition_pays(const struct stadium_table *t, enum engine_call call, uint64_t n)
{
    const uint64_t board = stadium_board_bytes(t);
    if (call == ENGINE_FIND) return board >= POLICY_FAR;
    return call == ENGINE_ERASE && policy_erases_pay(board + stadium_pairs_bytes(t), n, t->count);
}

struct batch_order stadium_order(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    const struct stadium_table *t = (const struct stadium_table *)table;
    struct batch_order order = {0, true, false, false};
    if (call == ENGINE_FIND && stadium_sifts(t)) {
        order.codes = stadium_regions(t, n);
        order.near = true;
    } else if (can_partition(t, call, n)) {
        order.codes = 1u << PARTITION_DIGIT;
        order.pays = partition_pays(t, call, n);
    }
    return order;
}

/* Arguments of a sift, which answers the finds that the board alone decides, and computes the
 * regions of the others' pairs. */
static void sift_args(const struct batch_codes *codes, struct stadium_args *args)
{
    args->batch.leftover = codes->items;
    args->batch.leftover_n = codes->items_n;
    args->transfer.region = codes->code;
    args->transfer.regions = codes->codes;
}

roost_status stadium_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes)
{
    struct stadium_table *t = (struct stadium_table *)table;
    const bool partition = codes->bytes.codes != NULL;
    if (!partition) ledger_catch_up(&t->base.ledger);
    struct stadium_args args = stadium_batch_args(t, batch);
    args.batch.counters = NULL;
    args.transfer.shape = t->base.shape;
    if (partition) {
        args.batch.n = partition_coded_items(&codes->bytes);
        args.transfer.codes = codes->bytes;
    } else sift_args(codes, &args);
    return backend_launch(table->backend, t->base.kernel[partition ? STADIUM_codes : STADIUM_sift], &args, sizeof args,
                          args.batch.n);
}
