/* DyCuckoo's policy, for both machines: creation, batches, when to grow and shrink, statistics. */
#include "engines/dycuckoo/dycuckoo.h"

#include <inttypes.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_engine.h"
#include "engines/dycuckoo/dycuckoo_table.h"
#include "engines/policy.h"
#include "portable/options.h"

#define OPTIONS_TEXT                                                                                                               \
    "subtables=4: number of subtables, 2 to 8\n"                                                                                   \
    "slots=8: slots of a bucket, 4, 8, 16 or 32 (4+4 bytes; 4+0 has 16, other widths 8)\n"                                         \
    "layers=2: 2: two homes a key; 1: a home in every subtable (4+4 bytes)\n"                                                      \
    "resize=one: grow one subtable at a time, or all\n"                                                                            \
    "hash=mix: hash family, mix or universal (4-byte keys)\n"                                                                      \
    "weights=vacant: spread new keys by vacant slots, or by the paper's n/C(m,2)\n"                                                \
    "publish=auto: pairs that fit one word are published lock-free; locked: under bucket locks (4+4 bytes)\n"                      \
    "requester=on: on, or off: finds read a slot a lane instead of vectors (GPH, section 5.2), where that was built "              \
    "(ROOST_TUNE)\n"                                                                                                               \
    "driver=auto: how a tile shares a batch: lane, tile, cooperative, vote or once, where the engine has that pair\n"              \
    "tile=auto: lanes of a tile, where such a kernel was built\n"                                                                  \
    "find=auto: the kernel of finds, by driver and lanes, such as once2; also erase, fill, evict and path\n"

/* What `roost tune` searches. */
#define PARAMETERS_TEXT                                                                                                            \
    "subtables=2|3|4|5|6|8\n"                                                                                                      \
    "slots=4|8|16|32\n"                                                                                                            \
    "layers=1|2\n"                                                                                                                 \
    "publish=auto|locked\n"                                                                                                        \
    "find=@\n"                                                                                                                     \
    "fill=@\n"                                                                                                                     \
    "evict=@\n"                                                                                                                    \
    "path=@\n"

static struct dycuckoo_table *table_of(struct engine_table *table) { return (struct dycuckoo_table *)table; }

/* ---- Options ------------------------------------------------------------------------------------------------------------------------- */

/* Sets one option; false if the value is none of its values.  *known: whether there is such an option. */
static bool option_set(void *options, const char *name, const char *value, bool *known)
{
    struct dycuckoo_options *o = (struct dycuckoo_options *)options;
    int x = -1;
    *known = true;
    if (!strcmp(name, "subtables")) return o->subtables = (uint32_t)(x = option_number(value, 2, MAX_SUBTABLES)), x >= 0;
    if (!strcmp(name, "slots")) return (o->slots = option_number(value, 4, 32)) >= 4 && (o->slots & (o->slots - 1)) == 0;
    if (!strcmp(name, "layers")) return o->layers = (uint32_t)(x = option_number(value, 1, 2)), x >= 0;
    if (!strcmp(name, "resize")) return o->resize_all = (x = option_choice(value, "one|all")) == 1, x >= 0;
    if (!strcmp(name, "hash")) return o->universal = (x = option_choice(value, "mix|universal")) == 1, x >= 0;
    if (!strcmp(name, "weights")) return o->weights_paper = (x = option_choice(value, "vacant|paper")) == 1, x >= 0;
    if (!strcmp(name, "publish")) return o->locked = (x = option_choice(value, "auto|locked")) == 1, x >= 0;
    return policy_kernel_option(&o->kernels, name, value, known);
}

static roost_status options_parse(struct dycuckoo_options *o, const struct engine_config *config, struct error *error)
{
    o->subtables = 4;
    o->layers = 2;
    return policy_options(&dycuckoo_engine, config, option_set, o, &o->kernels, error);
}

/* ---- Creation ------------------------------------------------------------------------------------------------------------------------ */

static const struct shape shapes[] = {DYCUCKOO_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* The first shape of these widths is the default one; options ask for others. */
static int shape_choose(const struct dycuckoo_options *o, int key_bytes, int value_bytes)
{
    const int word = o->locked ? 0 : -1, homes = o->layers == 1 ? MAX_HOMES : 2;
    for (int i = 0; i < SHAPE_any; i++) {
        const struct shape *s = &shapes[i];
        if (s->key_bytes != key_bytes || s->value_bytes != value_bytes || s->homes != homes) continue;
        if ((o->slots && s->slots != o->slots) || (word >= 0 && s->word != word)) continue;
        return i;
    }
    return -1;
}

static struct kernels kernels_of(const struct backend *b)
{
#if defined(ROOST_WITH_CUDA)
    if (b->operations->machine == MACHINE_CUDA) return dycuckoo_cuda_kernels();
#endif
    (void)b;
    return dycuckoo_host_kernels();
}

static roost_status table_kernels(struct dycuckoo_table *t, int shape)
{
    const int find = t->options.kernels.by_slots ? DYCUCKOO_findslot : DYCUCKOO_find;
    const int operations[] = {find, DYCUCKOO_erase, DYCUCKOO_fill, DYCUCKOO_evict, DYCUCKOO_path};
    const roost_status status = policy_kernels(&t->base, &t->options.kernels, shape, operations);
    t->find = t->base.chosen[0];
    t->erase = t->base.chosen[1];
    t->fill = t->base.chosen[2];
    t->evict = t->base.chosen[3];
    t->path = t->base.chosen[4];
    t->grow = kernels_default(t->base.kernels, DYCUCKOO_grow, SHAPE_any);
    t->halve = kernels_default(t->base.kernels, DYCUCKOO_halve, SHAPE_any);
    t->export_pairs = kernels_default(t->base.kernels, DYCUCKOO_export, SHAPE_any);
    t->estimate = kernels_default(t->base.kernels, DYCUCKOO_estimate, SHAPE_any);
    t->spill_items = kernels_default(t->base.kernels, DYCUCKOO_spill, SHAPE_any);
    return status;
}

static roost_status table_prepare(const struct dycuckoo_table *t)
{
    const struct kernel *const all[] = {t->find, t->erase, t->fill,         t->evict,    t->path,
                                        t->grow, t->halve, t->export_pairs, t->estimate, t->spill_items};
    return kernels_prepare(t->base.backend, all, sizeof all / sizeof all[0]);
}

static roost_status bounds_check(const struct dycuckoo_table *t)
{
    const double d = (double)t->options.subtables;
    if (t->growth && t->options.resize_all) return policy_doubling_bounds(t->min_fill, t->max_fill, t->base.error);
    if (t->growth && t->min_fill > 0 && t->min_fill >= t->max_fill * d / (d + 1))
        return error_set(
            t->base.error, ROOST_ERR_ARGUMENT,
            "fill bounds %.3f..%.3f: with %u subtables the lower must be below %.3f, or growing would lead to shrinking",
            t->min_fill, t->max_fill, t->options.subtables, t->max_fill * d / (d + 1));
    return ROOST_OK;
}

static roost_status table_configure(struct dycuckoo_table *t, const struct engine_config *config)
{
    roost_status status = options_parse(&t->options, config, t->base.error);
    if (status) return status;
    const int shape = shape_choose(&t->options, config->key_bytes, config->value_bytes);
    if (shape < 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                         "dycuckoo: %d+%d bytes with these options (slots, layers, publish) were not built", config->key_bytes,
                         config->value_bytes);
    status = policy_seeds(&t->view.seeds, t->options.universal, config, t->base.error);
    if (status) return status;
    t->shape = shapes[shape];
    t->value_type = config->value_type;
    t->growth = config->config->growth != 0;
    t->saturate = config->config->saturate != 0;
    t->min_fill = config->config->min_fill;
    t->max_fill = config->config->max_fill;
    t->floor_keys = config->config->capacity;
    t->view.subtables = t->options.subtables;
    t->view.excluded = SPECIAL + 1;
    t->halving = MAX_SUBTABLES;
    status = bounds_check(t);
    if (!status) status = table_kernels(t, shape);
    return status ? status : table_prepare(t);
}

static void dycuckoo_destroy(struct engine_table *table)
{
    struct dycuckoo_table *t = table_of(table);
    dycuckoo_unmake(t);
    lists_release(&t->lists);
    dycuckoo_spill_release(t);
    ledger_release(&t->ledger);
    host_delete(&t->base.backend->allocator, t, sizeof *t);
}

static roost_status dycuckoo_create(struct engine_table **table, const struct engine_config *config, struct backend *b,
                                    struct error *error)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)policy_new(sizeof *t, &dycuckoo_engine, config, b, error);
    if (!t) return ROOST_ERR_MEMORY;
    t->base.kernels = kernels_of(b);
    roost_status status = table_configure(t, config);
    if (!status) status = dycuckoo_make(t);
    if (!status) status = dycuckoo_words_make(t);
    if (!status) status = dycuckoo_spill_make(t);
    if (!status) status = lists_begin(&t->lists, &t->base, DYCUCKOO_CHUNK, DYCUCKOO_CLAIM_BITS / 8);
    if (status) dycuckoo_destroy(&t->base);
    else *table = &t->base;
    return status;
}

/* ---- Find, erase, the rest -------------------------------------------------------------------------------------------------------------- */

struct dycuckoo_view dycuckoo_view_now(const struct dycuckoo_table *t)
{
    struct dycuckoo_view view = t->view;
    if (t->ledger.under_way || t->ledger.broken || t->base.backend->capturing)
        view.tidy = 0; /* or will not be when a graph is launched */
    return view;
}

/* Launches a kernel over a batch and, where the spill list may hold something, the other one after it. */
static roost_status launch_batch(struct dycuckoo_table *t, const struct kernel *k, const struct batch *batch, bool counts,
                                 enum dycuckoo_spill_role role)
{
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = dycuckoo_view_now(t);
    args.batch = dycuckoo_batch_slice(t, batch, 0, batch->n);
    if (!counts) args.batch.counters = NULL;
    const roost_status status = backend_launch(t->base.backend, k, &args, sizeof args, batch->n);
    if (status || !dycuckoo_may_hold(t)) return status;
    return dycuckoo_spill_launch(t, &args, role, batch->n);
}

static roost_status dycuckoo_find(struct engine_table *table, const struct batch *batch)
{
    struct dycuckoo_table *t = table_of(table);
    ledger_catch_up(&t->ledger);
    return launch_batch(t, t->find, batch, ROOST_PROBES, SPILL_FIND); /* finds count nothing but probes */
}

roost_status dycuckoo_begin(struct dycuckoo_table *t)
{
    roost_status status = ledger_wait(&t->ledger);
    return status ? status : dycuckoo_unspill(t);
}

/* Must an erase of n items wait, because the table may have to shrink? */
static bool erase_waits(const struct dycuckoo_table *t, uint64_t n)
{
    const uint64_t most = t->ledger.going + n, count = dycuckoo_count(t);
    if (t->base.backend->capturing) return false;
    return !t->base.backend->enqueue || t->ledger.refused || t->ledger.broken ||
           (t->growth && dycuckoo_would_shrink(t, count > most ? count - most : 0));
}

static roost_status erase_waiting(struct dycuckoo_table *t, const struct batch *batch)
{
    struct counters since;
    roost_status status = dycuckoo_begin(t);
    t->ledger.refused = false;
    if (!status) status = launch_batch(t, t->erase, batch, true, SPILL_ERASE);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (!status) t->ledger.stats.erased += since.erased;
    if (!status && t->growth) status = dycuckoo_shrink(t, false);
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, status);
}

static roost_status dycuckoo_erase(struct engine_table *table, const struct batch *batch)
{
    struct dycuckoo_table *t = table_of(table);
    if (t->base.backend->capturing && t->growth) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    if (erase_waits(t, batch->n)) return erase_waiting(t, batch);
    t->ledger.going += batch->n;
    t->ledger.behind = true;
    return dycuckoo_enqueued(t, launch_batch(t, t->erase, batch, true, SPILL_ERASE));
}

static roost_status enlarge_for(struct dycuckoo_table *t, uint64_t keys)
{
    roost_status status = ROOST_OK;
    const uint64_t slots = dycuckoo_slots(t);
    while (!status && (double)dycuckoo_slots(t) * t->max_fill < (double)keys) status = dycuckoo_enlarge(t, false);
    if (!status) return ROOST_OK;
    const struct error why = *t->base.error;
    (void)dycuckoo_shrink_back(t, slots); /* if this is refused, too, the table stays larger than it was */
    *t->base.error = why;
    return status;
}

static roost_status dycuckoo_reserve(struct engine_table *table, uint64_t keys)
{
    struct dycuckoo_table *t = table_of(table);
    if ((double)keys * (double)(t->shape.key_bytes + t->shape.value_bytes) > 1e18)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "%" PRIu64 " keys: their bytes overflow", keys);
    roost_status status = dycuckoo_begin(t);
    if (status) return ledger_ended(&t->ledger, status);
    if (!dycuckoo_growth_fits(t, keys))
        return error_set(t->base.error, ROOST_ERR_MEMORY,
                         "room for %" PRIu64 " keys would pass the memory limit, or 2^31 buckets in a subtable", keys);
    t->ledger.refused = false;
    status = enlarge_for(t, keys);
    if (status == ROOST_ERR_MEMORY) t->ledger.refused = true;
    if (status) return ledger_ended(&t->ledger, status);
    t->floor_keys = keys;
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, t->growth ? dycuckoo_shrink(t, false) : ROOST_OK);
}

/* All slots vacant, and none in the spill list. */
static roost_status clear_all(struct dycuckoo_table *t)
{
    struct backend *b = t->base.backend;
    roost_status status = dycuckoo_spill_clear(t);
    for (uint32_t i = 0; !status && i <= MAX_SUBTABLES; i++) {
        const struct dycuckoo_subtable *sub = &t->view.sub[i];
        if (!sub->buckets) continue;
        const size_t bytes = (size_t)sub->bucket_count * shape_bucket_bytes(t->shape);
        status = b->operations->fill(b, sub->buckets, i == SPECIAL ? 0xff : 0, bytes);
        if (!status) t->count[i] = 0;
    }
    return status;
}

/* Then as small as the reservation allows; the halvings of an empty table move nothing. */
static roost_status dycuckoo_clear(struct engine_table *table)
{
    struct dycuckoo_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = clear_all(t);
    if (status) return ledger_ended(&t->ledger, status);
    dycuckoo_set_tidy(t);
    t->ledger.refused = t->ledger.behind = false;
    return ledger_ended(&t->ledger, t->growth ? dycuckoo_shrink(t, true) : ROOST_OK);
}

static roost_status dycuckoo_sync(struct engine_table *table, uint64_t *items_failed)
{
    struct dycuckoo_table *t = table_of(table);
    *items_failed = 0;
    roost_status status = backend_wait(table->backend);
    if (!status) status = dycuckoo_begin(t);
    if (!status && t->growth) { /* what calls before could not do */
        t->ledger.refused = t->ledger.behind = false;
        status = dycuckoo_settle(t);
        if (!status) status = dycuckoo_shrink(t, false);
    }
    return status ? ledger_ended(&t->ledger, status) : ledger_failures(&t->ledger, t->growth, items_failed);
}

const struct engine dycuckoo_engine = {
    .name = "dycuckoo",
    .summary = "cuckoo hashing in several subtables, two homes a key, resized one subtable at a time (Li et al.)",
    .operations = "insert (assign keep add min max), find, erase, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = OPTIONS_TEXT,
    .parameters = PARAMETERS_TEXT,
    .choices = "find|erase|fill|evict|path",
    .drivers = "lane|tile|cooperative|vote|once",
    .captures = true,
    .create = dycuckoo_create,
    .destroy = dycuckoo_destroy,
    .clear = dycuckoo_clear,
    .reserve = dycuckoo_reserve,
    .sync = dycuckoo_sync,
    .insert = dycuckoo_insert,
    .find = dycuckoo_find,
    .erase = dycuckoo_erase,
    .export_pairs = dycuckoo_export,
    .stats = dycuckoo_stats,
    .check = dycuckoo_check,
};
