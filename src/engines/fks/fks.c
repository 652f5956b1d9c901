/* FKS's face: its options, its kernels, finds and erases, and its hooks. */
#include <inttypes.h>
#include <math.h>

#include "engines/fks/fks_engine.h"
#include "engines/fks/fks_table.h"
#include "engines/partition.h"
#include "engines/seeds.h"
#include "portable/partition_items.h"

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(member) OPTION_AT(fks_options, member)

static const char *const presets[] = {"", "load=0.35,iterations=32", "bucket=2"};

/* `tune` searches the write-up's parameters: bucket load, REG_LOAD, iterations; and when buckets
 * are split and merged, and keys written in place. */
static const struct option options[] = {
    {.name = "bucket",
     .kind = OPTION_NUMBER,
     .at = AT(bucket),
     .least = 1,
     .most = 700,
     .automatic = true,
     .initial = "auto",
     .help = "keys of a bucket, on average, 1 to 700, and as many at least as fill 256 bytes; auto: a third of what it may have, "
             "340 in lines of 64 bytes",
     .tune = "170|340|500"},
    {.name = "load",
     .kind = OPTION_FRACTION,
     .at = AT(load),
     .least = 0.05,
     .most = 0.95,
     .automatic = true,
     .initial = "auto",
     .help = "REG_LOAD, the load factor of a bucket that is built, 0.05 to 0.95; auto: the upper fill bound",
     .tune = "0.6|0.7|0.8|0.9"},
    {.name = "iterations",
     .kind = OPTION_NUMBER,
     .at = AT(iterations),
     .least = 1,
     .most = 1000,
     .initial = "1",
     .help = "pairs that may be moved for one without a vacancy, 1 to 1000, before its bucket draws a new seed",
     .tune = "1|8|32"},
    {.name = "dense",
     .kind = OPTION_FRACTION,
     .at = AT(dense),
     .least = 0,
     .most = 1000,
     .initial = "0.5",
     .help = "keys of a batch over those that are stored or have room, from which on all buckets are rebuilt; below it, keys are "
             "written in place",
     .tune = "0.1|0.2|0.5|1"},
    {.name = "grow",
     .kind = OPTION_FRACTION,
     .at = AT(grow),
     .least = 1,
     .most = 1.75,
     .initial = "1.5",
     .help = "keys for which a table that grows gets room, over those it has, 1 or 1.05 to 1.75; 1: an eighth more memory, and "
             "buckets are split"},
    {.name = "split",
     .kind = OPTION_FRACTION,
     .at = AT(split),
     .least = 1,
     .most = 2,
     .initial = "1.25",
     .help = "keys of a bucket, on average, over `bucket`, above which buckets are split one at a time",
     .tune = "1.1|1.25|1.5"},
    {.name = "merge",
     .kind = OPTION_FRACTION,
     .at = AT(merge),
     .least = 0,
     .most = 0.6,
     .initial = "0.40",
     .help = "and below which they are merged",
     .tune = "0.2|0.4|0.6"},
    {.name = "hash",
     .kind = OPTION_CHOICE,
     .at = AT(hash),
     .values = "keyed|mix",
     .initial = "keyed",
     .help = "hash family, keyed or mix (its multipliers are known)"},
    {.name = "preset",
     .kind = OPTION_PRESET,
     .at = AT(preset),
     .values = "none|paper|quadratic",
     .presets = presets,
     .initial = "none",
     .help = "none; paper: positions of one slot, load=0.35, iterations=32; or quadratic: n * n of them for n keys, and bucket=2 "
             "(both of 4+4 bytes), as if they were asked for here"},
    {.name = NULL}};

static bool is_quadratic(const struct fks_table *t) { return t->options.preset == FKS_PRESET_QUADRATIC; }

/* ---- Creation -------------------------------------------------------------------------------- */

static const struct shape shapes[] = {FKS_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* Presets ask for lines of one slot. */
static bool is_asked(const struct engine_table *table, struct shape s)
{
    return (s.slots == 1) == (fks_of_const(table)->options.preset != FKS_PRESET_NONE);
}

static const int choices[] = {FKS_find, FKS_erase, FKS_write};

static roost_status kernels_choose_all(struct fks_table *t, int shape)
{
    static const int others[] = {FKS_shift,  FKS_build,    FKS_export, FKS_estimate, FKS_hashes, FKS_bounds,
                                 FKS_gather, FKS_outcomes, FKS_remain, FKS_requeue,  FKS_codes};
    const int key = t->base.shape.key_bytes, value = t->base.shape.value_bytes;
    roost_status status = policy_kernels(&t->base, shape, choices, SHAPE_any, others, sizeof others / sizeof others[0]);
    /* What columns are sorted with, by value or by item. */
    if (!status) status = partition_prepare(t->base.backend, key, value);
    return status || value == 4 ? status : partition_prepare(t->base.backend, key, 4);
}

/* The upper bound that buckets reach: positions of one slot, two for each key, are a cuckoo table,
 * which ends at a half. */
static double reach(const struct fks_table *t)
{
    return is_quadratic(t) ? 0.30 : t->options.preset == FKS_PRESET_PAPER ? 0.40 : 0.92;
}

static uint32_t fixed_point(double x) { return (uint32_t)lround(x * 65536); }

/* A bucket's memory, by the options: how many lines, in blocks of whole granules. */
static void view_plan_lines(struct fks_table *t)
{
    struct fks_view *v = &t->view;
    const uint32_t line = (uint32_t)shape_bucket_bytes(t->base.shape);
    v->granule_log = is_quadratic(t) ? 5 : FKS_GRANULE_LOG;
    const uint32_t granule = 1u << v->granule_log, most = granule * FKS_CLASSES;
    v->lines_most = (most < FKS_BUCKET_BYTES ? most : FKS_BUCKET_BYTES) / line;
    v->quantum = line < granule ? granule / line : 1;
    while (v->quantum * line % granule) v->quantum *= 2;
    v->lines_most = v->lines_most / v->quantum * v->quantum;
}

/* Buckets have a quantum of lines at least, and keys that fill it.  The default is a third of what
 * a bucket may have, so that linear hashing's larger ones have room, too. */
static void bucket_plan(struct fks_table *t, double load)
{
    const int slots = t->base.shape.slots, least = is_quadratic(t) ? 1 : (int)(load * t->view.quantum * slots);
    int *const bucket = &t->options.bucket;
    if (*bucket && *bucket < least) *bucket = least;
    if (!*bucket) *bucket = (int)((double)t->view.lines_most * slots / 3 * fmin(1, load / 0.8));
    if (!*bucket) *bucket = 1;
}

/* How full lines get, by the options. */
static void view_plan(struct fks_table *t)
{
    /* In fuller buckets moves of one pair seldom find room for another. */
    static const double full = 0.92;
    struct fks_view *v = &t->view;
    const uint32_t slots = (uint32_t)t->base.shape.slots;
    const double load = t->options.load > 0 ? fmin(t->options.load, t->base.max_fill) : t->base.max_fill;
    /* A table just built is above it. */
    if (!is_quadratic(t)) t->base.min_fill = fmin(t->base.min_fill, 0.45 * load);
    view_plan_lines(t);
    v->line_load = is_quadratic(t) ? 0 : fixed_point(load * slots);
    v->line_limit = is_quadratic(t) || !t->base.growth ? 0 : fixed_point(fmax(full, load) * slots);
    v->homes = is_quadratic(t) ? 1 : 2;
    v->iterations = (uint32_t)t->options.iterations;
    bucket_plan(t, load);
}

/* Buckets that have grown as large as splits let them still need a layout. */
static roost_status bucket_check(const struct fks_table *t)
{
    const double most = (double)t->view.lines_most * t->base.shape.slots;
    const double load = t->view.line_load ? t->view.line_load / 65536.0 / t->base.shape.slots : 1;
    const double largest = t->options.bucket * t->options.split * 2, keys = t->view.line_load ? most * load : sqrt(most);
    if (largest <= keys * 1.25 || t->options.bucket <= 2) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_ARGUMENT,
                     "bucket=%d: a bucket has %d slots, at most, for twice %.2f times as many at load %.2f", t->options.bucket,
                     (int)most, t->options.split, load);
}

static roost_status grow_check(const struct fks_table *t)
{
    if (t->options.grow == 1 || t->options.grow >= 1.05) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_ARGUMENT, "option grow=%g: no such value", t->options.grow);
}

/* Parts of small tables that grow are of few buckets, and have no room from 0.36 of their slots on;
 * fixed tables refused no random key below 0.8 (docs/architecture.md). */
#define SURE_FILL 0.25
#define SURE_FIXED 0.7

/* Parts get their size from the keys that come. */
static uint64_t fks_room(const struct engine_table *table) { return table->floor_keys; }

static roost_status fks_configure(struct engine_table *table, const struct engine_config *config)
{
    struct fks_table *t = fks_of(table);
    roost_status status = grow_check(t);
    if (status) return status;
    const int shape = policy_shape(table, shapes, SHAPE_any, is_asked, "preset");
    if (shape < 0) return ROOST_ERR_UNSUPPORTED;
    status = seeds_begin(table, (enum hash_family)t->options.hash, config);
    if (status) return status;
    status = policy_reach_bounds(table, reach(t));
    if (status) return status;
    view_plan(t);
    table->sure_fill = is_quadratic(t) ? 0 : table->growth ? SURE_FILL : SURE_FIXED;
    status = bucket_check(t);
    return status ? status : kernels_choose_all(t, shape);
}

/* ---- Find and erase -------------------------------------------------------------------------- */

static roost_status launch_items(struct fks_table *t, const struct kernel *k, const struct batch *batch)
{
    const struct fks_args args = fks_batch_args(t, batch);
    const roost_status status = fks_ready(t);
    return status ? status : backend_launch(t->base.backend, k, &args, sizeof args, batch->n);
}

static roost_status fks_find(struct engine_table *table, const struct batch *batch)
{
    struct batch whole = batch_slice(table, batch, 0, batch->n);
    if (!ROOST_PROBES) whole.counters = NULL; /* finds count nothing else */
    return launch_items(fks_of(table), table->kernel[FKS_find], &whole);
}

static roost_status fks_erase(struct engine_table *table, const struct write *w)
{
    const struct batch whole = batch_slice(table, w->batch, 0, w->batch->n);
    return launch_items(fks_of(table), table->kernel[FKS_erase], &whole);
}

static roost_status fks_begin(struct engine_table *table, const struct write *w)
{
    (void)w;
    return fks_ready(fks_of(table));
}

/* ---- Batches by region (batches_by_code.c) --------------------------------------------------- */

/* As many bits as the table's buckets have in common.  Inserts have a partition of their own.
 * Erases that may make the table shrink leave it all memory. */
static struct batch_order fks_order(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    const uint64_t bytes = fks_bytes(table), count = fks_count(table);
    const uint32_t bits = fks_digits_most(fks_of_const(table));
    struct batch_order order = {0, false, false, false};
    if (call == ENGINE_INSERT) return order;
    if (call == ENGINE_ERASE && fks_would_shrink(table, count > n ? count - n : 0)) return order;
    order.codes = 1u << (bits < PARTITION_DIGIT ? bits : (uint32_t)PARTITION_DIGIT);
    order.pays = call == ENGINE_ERASE ? policy_erases_pay(bytes, n, count) : bytes >= POLICY_FAR;
    return order;
}

static roost_status fks_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes)
{
    const struct batch whole = batch_slice(table, batch, 0, batch->n);
    struct fks_args args = fks_batch_args(fks_of(table), &whole);
    args.transfer.codes = codes->bytes;
    args.batch.n = partition_coded_items(&codes->bytes);
    return backend_launch(table->backend, table->kernel[FKS_codes], &args, sizeof args, args.batch.n);
}

/* ---- The engine ------------------------------------------------------------------------------ */

/* The first 32 bits choose the bucket, and the last ones its lines. */
static int fks_hashes(const struct engine_table *table, uint64_t key, uint64_t hash[HASHES_MOST])
{
    const struct shape s = table->shape;
    hash[0] = fks_hash(s, &fks_of_const(table)->view, key) << (64 - 8 * s.key_bytes);
    hash[1] = hash[0] << 32;
    return s.key_bytes == 8 ? 2 : 1;
}

const struct engine fks_engine = {
    .name = "fks",
    .alias = "hh",
    .summary = "two levels, cuckoo hashing in buckets of hundreds of keys, built in fast memory (HH Hash)",
    .operations = "insert (assign keep add min max), find, erase, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = options,
    .choices = "find|erase|write",
    .choice_operations = choices,
    .tuned_choices = "find|erase|write",
    .drivers = "lane|tile|cooperative|once",
    .captures = true,
    .kernels = ENGINE_KERNELS(fks),
    .hooks =
        {
            .table_bytes = sizeof(struct fks_table),
            .options_at = offsetof(struct fks_table, options),
            .seeds_at = offsetof(struct fks_table, view.seeds),
            .words_bytes = sizeof(struct table_words),
            .least_parked = FKS_LIST_ROOM,
            .most_parked = FKS_LAUNCH_ITEMS,
            .extra_bytes = sizeof(uint32_t), /* locks */
            .parks = true,
            .configure = fks_configure,
            .make = fks_make,
            .unmake = fks_unmake,
            .empty = fks_empty,
            .hashes = fks_hashes,
            .count = fks_count,
            .slots = fks_slots,
            .bytes = fks_bytes,
            .room = fks_room,
            .stats = fks_stats,
            .would_shrink = fks_would_shrink,
            .reserve = fks_reserve,
            .settle = fks_settle,
            .begin = fks_begin,
            .write_piece = fks_write_piece,
            .resume = fks_resume,
            .has_room = fks_has_room,
            .enqueue = fks_enqueue,
            .erase = fks_erase,
            .take = fks_counters_take,
            .mend = fks_recount,
        },
    .find = fks_find,
    .order = fks_order,
    .codes = fks_codes,
    .bulk = true,
    .export_pairs = fks_export,
    .check = fks_check,
};
