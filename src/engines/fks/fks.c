/* FKS's policy: creation, finds and erases, and what happens to a table as a whole.  Inserts are in fks_insert.c, parts in fks_parts.c, sizes
 * in fks_size.c. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/fks/fks_engine.h"
#include "engines/fks/fks_table.h"
#include "portable/partition_items.h"
#include "portable/hash_seeds.h"
#include "portable/options.h"

#define OPTIONS_TEXT                                                                                                               \
    "bucket=auto: keys of a bucket, on average, 1 to 700, and as many at least as fill 256 bytes; auto: a third of what it may "   \
    "have, 340 "                                                                                                                   \
    "in lines of 64 bytes\n"                                                                                                       \
    "load=auto: REG_LOAD, the load factor of a bucket that is built, 0.05 to 0.95; auto: the upper fill bound\n"                   \
    "iterations=1: pairs that may be moved for one without a vacancy, 1 to 1000, before its bucket draws a new seed\n"             \
    "dense=0.5: keys of a batch over those that are stored or have room, from which on all buckets are built anew; below it, "     \
    "keys "                                                                                                                        \
    "are written in place\n"                                                                                                       \
    "grow=1.5: keys for which a table that grows gets room, over those it has, 1 or 1.05 to 1.75; 1: an eighth more memory, and "  \
    "buckets "                                                                                                                     \
    "are split\n"                                                                                                                  \
    "split=1.25: keys of a bucket, on average, over `bucket`, above which buckets are split one at a time\n"                       \
    "merge=0.40: and below which they are merged\n" POLICY_BULK_TEXT                                                               \
    "preset=none: none; paper: positions of one slot, load=0.35, iterations=32; or quadratic: n * n of them for n keys, and "      \
    "bucket=2 (both of "                                                                                                           \
    "4+4 bytes), as if they were asked for here\n"                                                                                 \
    "driver=auto: how a tile shares a batch: lane, tile, cooperative or once, where the engine has that pair\n"                    \
    "tile=auto: lanes of a tile, where such a kernel was built\n"                                                                  \
    "find=auto: the kernel of finds, by driver and lanes, such as once2; also erase and write\n"

/* What `roost tune` searches, by the write-up's names: bucket load, REG_LOAD, iterations; and when buckets are split and merged, and keys written in
 * place. */
#define PARAMETERS_TEXT                                                                                                            \
    "bucket=170|340|500\n"                                                                                                         \
    "load=0.6|0.7|0.8|0.9\n"                                                                                                       \
    "iterations=1|8|32\n"                                                                                                          \
    "split=1.1|1.25|1.5\n"                                                                                                         \
    "merge=0.2|0.4|0.6\n"                                                                                                          \
    "dense=0.1|0.2|0.5|1\n"                                                                                                        \
    "find=@\n"                                                                                                                     \
    "erase=@\n"                                                                                                                    \
    "write=@\n"

static struct fks_table *table_of(struct engine_table *table) { return (struct fks_table *)table; }

/* ---- Options ------------------------------------------------------------------------------------------------------------------------- */

static bool preset_set(struct fks_options *o, const char *value)
{
    const int x = option_choice(value, "none|paper|quadratic");
    if (x > 0) o->single = 1;
    if (x == 1) o->load = 0.35, o->iterations = 32;
    if (x == 2) o->quadratic = 1, o->bucket = 2;
    return x >= 0;
}

/* Sets one option; false if the value is none of its values.  *known: whether there is such an option. */
static bool option_set(void *options, const char *name, const char *value, bool *known)
{
    struct fks_options *o = (struct fks_options *)options;
    const bool is_auto = !strcmp(value, "auto");
    *known = true;
    if (!strcmp(name, "bucket")) return (o->bucket = is_auto ? 0 : option_number(value, 1, 700)) >= 0;
    if (!strcmp(name, "load")) return (o->load = is_auto ? 0 : option_fraction(value, 0.05, 0.95)) >= 0;
    if (!strcmp(name, "iterations")) return (o->iterations = option_number(value, 1, 1000)) > 0;
    if (!strcmp(name, "dense")) return (o->dense = option_fraction(value, 0, 1000)) >= 0;
    if (!strcmp(name, "grow")) return (o->grow = option_fraction(value, 1, 1.75)) == 1 || o->grow >= 1.05;
    if (!strcmp(name, "split")) return (o->split = option_fraction(value, 1, 2)) > 0;
    if (!strcmp(name, "merge")) return (o->merge = option_fraction(value, 0, 0.6)) >= 0;
    if (!strcmp(name, "preset")) return preset_set(o, value);
    return policy_kernel_option(&o->kernels, name, value, known);
}

static roost_status options_parse(struct fks_options *o, const struct engine_config *config, struct error *error)
{
    o->iterations = 1;
    o->dense = 0.5;
    o->grow = 1.5;
    o->split = 1.25;
    o->merge = 0.40;
    return policy_options(&fks_engine, config, option_set, o, &o->kernels, error);
}

/* ---- Creation ------------------------------------------------------------------------------------------------------------------------ */

static const struct shape shapes[] = {FKS_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

static int shape_choose(bool single, int key_bytes, int value_bytes)
{
    for (int i = 0; i < SHAPE_any; i++)
        if (shapes[i].key_bytes == key_bytes && shapes[i].value_bytes == value_bytes && (shapes[i].slots == 1) == single) return i;
    return -1;
}

static struct kernels kernels_of(const struct backend *b)
{
#if defined(ROOST_WITH_CUDA)
    if (b->operations->machine == MACHINE_CUDA) return fks_cuda_kernels();
#endif
    (void)b;
    return fks_host_kernels();
}

static roost_status table_kernels(struct fks_table *t, int shape)
{
    const int operations[] = {FKS_find, FKS_erase, FKS_write};
    const roost_status status = policy_kernels(&t->base, &t->options.kernels, shape, operations);
    t->find = t->base.chosen[0];
    t->erase = t->base.chosen[1];
    t->write = t->base.chosen[2];
    t->shift = kernels_default(t->base.kernels, FKS_shift, shape);
    t->build = kernels_default(t->base.kernels, FKS_build, shape);
    t->export_pairs = kernels_default(t->base.kernels, FKS_export, SHAPE_any);
    t->estimate = kernels_default(t->base.kernels, FKS_estimate, SHAPE_any);
    t->hashes = kernels_default(t->base.kernels, FKS_hashes, SHAPE_any);
    t->bounds = kernels_default(t->base.kernels, FKS_bounds, SHAPE_any);
    t->gather = kernels_default(t->base.kernels, FKS_gather, SHAPE_any);
    t->fates = kernels_default(t->base.kernels, FKS_fates, SHAPE_any);
    t->again = kernels_default(t->base.kernels, FKS_again, SHAPE_any);
    t->codes = kernels_default(t->base.kernels, FKS_codes, SHAPE_any);
    return status;
}

static roost_status table_prepare(const struct fks_table *t)
{
    const struct kernel *const all[] = {t->find,   t->erase,  t->write,  t->shift, t->build, t->export_pairs, t->estimate,
                                        t->hashes, t->bounds, t->gather, t->fates, t->again, t->codes};
    return kernels_prepare(t->base.backend, all, sizeof all / sizeof all[0]);
}

/* The upper bound that buckets reach: positions of one slot, with two for each key, are a cuckoo table that ends at a half. */
static double reach(const struct fks_options *o) { return o->quadratic ? 0.30 : o->single ? 0.40 : 0.92; }

static uint32_t fixed_point(double x) { return (uint32_t)lround(x * 65536); }

/* What the options say of buckets: their lines, and how full those get. */
static void view_plan(struct fks_table *t)
{
    static const double full = 0.92; /* moves of one pair seldom find room for another in buckets that are fuller */
    struct fks_view *v = &t->view;
    const uint32_t line = (uint32_t)shape_bucket_bytes(t->shape), slots = (uint32_t)t->shape.slots;
    const double load = t->options.load > 0 ? fmin(t->options.load, t->max_fill) : t->max_fill;
    if (!t->options.quadratic) t->min_fill = fmin(t->min_fill, 0.45 * load); /* or the table would be below it when it is built */
    v->granule_log = t->options.quadratic ? 5 : FKS_GRANULE_LOG;
    const uint32_t granule = 1u << v->granule_log, most = granule * FKS_CLASSES;
    v->lines_most = (most < FKS_BUCKET_BYTES ? most : FKS_BUCKET_BYTES) / line;
    v->quantum = line < granule ? granule / line : 1;
    while (v->quantum * line % granule) v->quantum *= 2; /* blocks of whole granules */
    v->lines_most = v->lines_most / v->quantum * v->quantum;
    v->line_load = t->options.quadratic ? 0 : fixed_point(load * slots);
    v->line_limit = t->options.quadratic || !t->growth ? 0 : fixed_point(fmax(full, load) * slots);
    v->homes = t->options.quadratic ? 1 : 2;
    v->iterations = (uint32_t)t->options.iterations;
    /* Buckets have a quantum of lines at least, which so many keys fill. */
    const int least = t->options.quadratic ? 1 : (int)(load * v->quantum * slots);
    if (t->options.bucket && t->options.bucket < least) t->options.bucket = least;
    if (!t->options.bucket) { /* a third of what a bucket may have, so that linear hashing's larger ones have room, too */
        t->options.bucket = (int)((double)v->lines_most * slots / 3 * fmin(1, load / 0.8));
        if (!t->options.bucket) t->options.bucket = 1;
    }
}

/* Buckets up to which splits let grow the largest ones have to have a layout. */
static roost_status bucket_check(const struct fks_table *t)
{
    const double most = (double)t->view.lines_most * t->shape.slots;
    const double load = t->view.line_load ? t->view.line_load / 65536.0 / t->shape.slots : 1;
    const double largest = t->options.bucket * t->options.split * 2, keys = t->view.line_load ? most * load : sqrt(most);
    if (largest <= keys * 1.25 || t->options.bucket <= 2) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_ARGUMENT,
                     "bucket=%d: a bucket has %d slots, at most, for twice %.2f times as many at load %.2f", t->options.bucket,
                     (int)most, t->options.split, load);
}

static roost_status table_configure(struct fks_table *t, const struct engine_config *config)
{
    roost_status status = options_parse(&t->options, config, t->base.error);
    if (status) return status;
    const int shape = shape_choose(t->options.single, config->key_bytes, config->value_bytes);
    if (shape < 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "fks: %d+%d bytes with this preset were not built",
                         config->key_bytes, config->value_bytes);
    hash_seeds_draw(&t->view.seeds, HASH_MIX, config->config->seed);
    t->shape = shapes[shape];
    t->value_type = config->value_type;
    t->growth = config->config->growth != 0;
    t->saturate = config->config->saturate != 0;
    t->floor_keys = config->config->capacity;
    status = policy_reach_bounds(config->config, reach(&t->options), &t->min_fill, &t->max_fill, t->base.error);
    if (status) return status;
    view_plan(t);
    status = bucket_check(t);
    if (!status) status = table_kernels(t, shape);
    return status ? status : table_prepare(t);
}

static void fks_destroy(struct engine_table *table)
{
    struct fks_table *t = table_of(table);
    fks_unmake(t);
    if (t->few) backend_release(t->base.backend, t->few, t->few_bytes);
    lists_release(&t->lists);
    ledger_release(&t->ledger);
    host_delete(&t->base.backend->allocator, t, sizeof *t);
}

static roost_status fks_create(struct engine_table **table, const struct engine_config *config, struct backend *b,
                               struct error *error)
{
    struct fks_table *t = (struct fks_table *)policy_new(sizeof *t, &fks_engine, config, b, error);
    if (!t) return ROOST_ERR_MEMORY;
    t->base.kernels = kernels_of(b);
    roost_status status = table_configure(t, config);
    if (!status) status = fks_words_make(t);
    if (!status) status = fks_few_make(t);
    if (!status) status = lists_begin(&t->lists, &t->base, FKS_CHUNK, sizeof(uint32_t)); /* locks */
    if (!status) status = fks_make(t);
    if (status) fks_destroy(&t->base);
    else *table = &t->base;
    return status;
}

/* ---- Find and erase ----------------------------------------------------------------------------------------------------------------------- */

static roost_status launch_items(struct fks_table *t, const struct kernel *k, const struct batch *batch, bool counts)
{
    struct fks_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = fks_batch_slice(t, batch, 0, batch->n);
    if (!counts) args.batch.counters = NULL;
    const roost_status status = fks_ready(t);
    return status ? status : backend_launch(t->base.backend, k, &args, sizeof args, batch->n);
}

/* ---- Batches by region (batches_by_code.c) --------------------------------------------------- */

/* As many bits as the table's buckets have in common.  Inserts have a partition of their own.
 * Erases that may make the table shrink leave it all memory. */
static struct batch_order fks_order(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    const struct fks_table *t = (const struct fks_table *)table;
    const uint64_t bytes = fks_table_bytes(t), count = fks_count(t);
    const uint32_t bits = fks_digits_most(t);
    struct batch_order order = {0, false, false, false};
    if (call == ENGINE_INSERT) return order;
    if (call == ENGINE_ERASE && fks_would_shrink(t, count > n ? count - n : 0)) return order;
    order.codes = 1u << (bits < PARTITION_DIGIT ? bits : (uint32_t)PARTITION_DIGIT);
    order.pays = call == ENGINE_ERASE ? policy_erases_pay(bytes, n, count) : bytes >= POLICY_FAR;
    return order;
}

static roost_status fks_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes)
{
    struct fks_table *t = table_of(table);
    struct fks_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = fks_batch_slice(t, batch, 0, batch->n);
    args.transfer.shape = t->shape;
    args.transfer.codes = codes->bytes;
    args.batch.n = partition_coded_items(&codes->bytes);
    return backend_launch(t->base.backend, t->codes, &args, sizeof args, args.batch.n);
}

static roost_status fks_find(struct engine_table *table, const struct batch *batch)
{
    struct fks_table *t = table_of(table);
    ledger_catch_up(&t->ledger);
    return launch_items(t, t->find, batch, ROOST_PROBES); /* finds count nothing but probes */
}

/* Must an erase of n items wait, because the table may have to shrink? */
static bool erase_waits(const struct fks_table *t, uint64_t n)
{
    const uint64_t most = t->ledger.going + n, count = fks_count(t);
    if (t->base.backend->capturing) return false;
    return !t->base.backend->enqueue || t->ledger.refused || t->ledger.broken ||
           fks_would_shrink(t, count > most ? count - most : 0);
}

static roost_status erase_waiting(struct fks_table *t, const struct batch *batch)
{
    struct counters since;
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = false;
    if (!status) status = launch_items(t, t->erase, batch, true);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (!status) t->ledger.stats.erased += since.erased;
    if (!status) status = fks_settle(t, true);
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, status);
}

static roost_status fks_erase(struct engine_table *table, const struct batch *batch)
{
    struct fks_table *t = table_of(table);
    if (t->base.backend->capturing && t->growth) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    if (erase_waits(t, batch->n)) return erase_waiting(t, batch);
    t->ledger.going += batch->n;
    t->ledger.behind = true;
    return ledger_enqueued(&t->ledger, launch_items(t, t->erase, batch, true));
}

/* ---- The rest -------------------------------------------------------------------------------------------------------------------------- */

static roost_status fks_reserve(struct engine_table *table, uint64_t keys)
{
    struct fks_table *t = table_of(table);
    const uint64_t before = t->floor_keys;
    roost_status status = ledger_wait(&t->ledger);
    if (status) return ledger_ended(&t->ledger, status);
    const bool refused = t->ledger.refused;
    t->ledger.refused = false;
    t->floor_keys = keys;
    if (keys > before) status = fks_reserve_room(t, keys);
    if (status) t->floor_keys = before;
    if (status == ROOST_ERR_MEMORY || status == ROOST_ERR_ARGUMENT) {
        t->ledger.refused = refused;
        return status; /* the table is what it was, or has some of its parts larger */
    }
    if (status) return ledger_ended(&t->ledger, status);
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, fks_settle(t, true));
}

static roost_status fks_clear(struct engine_table *table)
{
    struct fks_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = t->ledger.behind = false;
    if (!status) status = fks_empty(t);
    return ledger_ended(&t->ledger, status);
}

static roost_status fks_sync(struct engine_table *table, uint64_t *items_failed)
{
    struct fks_table *t = table_of(table);
    *items_failed = 0;
    roost_status status = backend_wait(table->backend);
    if (!status) status = ledger_wait(&t->ledger);
    if (!status) { /* what calls before could not do */
        t->ledger.refused = t->ledger.behind = false;
        status = fks_settle(t, true);
    }
    return status ? ledger_ended(&t->ledger, status) : ledger_failures(&t->ledger, t->growth, items_failed);
}

const struct engine fks_engine = {
    .name = "fks",
    .alias = "hh",
    .summary = "two levels, cuckoo hashing in buckets of hundreds of keys, built in fast memory (HH Hash)",
    .operations = "insert (assign keep add min max), find, erase, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = OPTIONS_TEXT,
    .parameters = PARAMETERS_TEXT,
    .choices = "find|erase|write",
    .drivers = "lane|tile|cooperative|once",
    .captures = true,
    .create = fks_create,
    .destroy = fks_destroy,
    .clear = fks_clear,
    .reserve = fks_reserve,
    .sync = fks_sync,
    .insert = fks_insert,
    .find = fks_find,
    .order = fks_order,
    .codes = fks_codes,
    .bulk = true,
    .erase = fks_erase,
    .export_pairs = fks_export,
    .stats = fks_stats,
    .check = fks_check,
};
