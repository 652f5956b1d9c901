/* GPH's policy, for both machines: creation, erases, reservations. */
#include "engines/gph/gph.h"

#include <string.h>

#include "engines/gph/gph_engine.h"
#include "engines/gph/gph_table.h"
#include "engines/policy.h"
#include "portable/hash_seeds.h"
#include "portable/options.h"

#define OPTIONS_TEXT                                                                                                               \
    "slots=8: slots of a bucket, 4, 8 or 16 (4+4 bytes; 4+0 has 16, other widths 8)\n"                                             \
    "virtual=8: virtual buckets of a cell, 2, 4, 8 or 16\n"                                                                        \
    "keys=auto: keys of a cell, 1 to 32; auto: 12, or a third of its buckets' slots; 6, and a larger index, for load 0.80\n"       \
    "flagged=0.02: share of the cells that may be flagged before the table grows, 0.001 to 1\n"                                    \
    "index=global: where lookups read the index: global, shared (where it fits a block's shared memory) or routed (in parts that " \
    "do; waits)\n"                                                                                                                 \
    "requester=on: on, or off: finds read a slot a lane instead of vectors (section 5.2), where that was built\n"                  \
    "hash=mix: hash family, mix or summed (the paper's)\n"                                                                         \
    "preset=none: none, or paper: 16 slots, 8 virtual buckets, 12 keys, its hashes and groups, as if they were asked for here; "   \
    "other widths have their slots\n"                                                                                              \
    "driver=auto: how a tile shares a batch: lane, tile, cooperative, once or twice, where the engine has that pair\n"             \
    "tile=auto: lanes of a tile, where such a kernel was built\n"                                                                  \
    "find=auto: the kernel of finds, by driver and lanes, such as once2; also erase, fill, refine and mend\n"

/* What `roost tune` searches, by the paper's names: M, R, keys per cell, where the index is, |g| and
 * the buckets that a lookup group asks for before it looks at one (ILP: once, twice), |h|. */
#define PARAMETERS_TEXT                                                                                                            \
    "slots=4|8|16\n"                                                                                                               \
    "virtual=2|4|8|16\n"                                                                                                           \
    "keys=4|6|8|10|12|16\n"                                                                                                        \
    "index=global|shared|routed\n"                                                                                                 \
    "find=@\n"                                                                                                                     \
    "fill=@\n"                                                                                                                     \
    "refine=@\n"

static struct gph_table *table_of(struct engine_table *table) { return (struct gph_table *)table; }

/* ---- Options ------------------------------------------------------------------------------------------------------------------------- */

static bool is_power(int x) { return x > 0 && (x & (x - 1)) == 0; }

static void preset_paper(struct gph_options *o)
{
    o->paper = true;
    o->slots = 16;
    o->virtuals = 8;
    o->cell_keys = 12;
    o->summed = true;
}

/* Sets one option; false if the value is none of its values.  *known: whether there is such an option. */
static bool option_set(void *options, const char *name, const char *value, bool *known)
{
    struct gph_options *o = (struct gph_options *)options;
    int x = -1;
    *known = true;
    if (!strcmp(name, "slots")) return is_power(o->slots = option_number(value, 4, 16));
    if (!strcmp(name, "virtual")) return is_power(o->virtuals = option_number(value, 2, GPH_MOST_VIRTUAL));
    if (!strcmp(name, "keys")) return (o->cell_keys = option_number(value, 1, 32)) > 0 || !strcmp(value, "auto");
    if (!strcmp(name, "flagged")) return (o->flagged = option_fraction(value, 0.001, 1)) > 0;
    if (!strcmp(name, "index")) return (o->index = option_choice(value, "global|shared|routed")) >= 0;
    if (!strcmp(name, "hash")) return o->summed = (x = option_choice(value, "mix|summed")) == 1, x >= 0;
    if (!strcmp(name, "preset")) {
        if ((x = option_choice(value, "none|paper")) == 1) preset_paper(o);
        return x >= 0;
    }
    return policy_kernel_option(&o->kernels, name, value, known);
}

static roost_status options_parse(struct gph_options *o, const struct engine_config *config, struct error *error)
{
    o->virtuals = 8;
    o->flagged = 0.02;
    o->index = GPH_INDEX_GLOBAL;
    const roost_status status = policy_options(&gph_engine, config, option_set, o, &o->kernels, error);
    if (o->cell_keys < 0) o->cell_keys = 0;
    return status;
}

/* ---- Creation ------------------------------------------------------------------------------------------------------------------------ */

static const struct shape shapes[] = {GPH_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* The first shape of these widths is the default one; options ask for others. */
static int shape_choose(int slots, int key_bytes, int value_bytes)
{
    for (int i = 0; i < SHAPE_any; i++)
        if (shapes[i].key_bytes == key_bytes && shapes[i].value_bytes == value_bytes && (!slots || shapes[i].slots == slots))
            return i;
    return -1;
}

static struct kernels kernels_of(const struct backend *b)
{
#if defined(ROOST_WITH_CUDA)
    if (b->operations->machine == MACHINE_CUDA) return gph_cuda_kernels();
#endif
    (void)b;
    return gph_host_kernels();
}

/* The paper's insert groups have 8 lanes, where nothing else is asked for and they are built. */
static void paper_groups(struct gph_table *t, int shape)
{
    const struct kernel_asks *asks = &t->options.kernels;
    const struct kernel *k = kernels_find(t->base.kernels, GPH_fill, shape, DRIVER_tile, 8);
    if (t->options.paper && k && asks->of[2].driver < 0 && asks->all.driver < 0 && !asks->all.lanes) t->base.chosen[2] = k;
}

static roost_status requester_check(const struct gph_table *t, int shape)
{
    if (!t->options.kernels.by_slots) return ROOST_OK;
    if (t->options.index != GPH_INDEX_GLOBAL)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                         "requester=off: lookups that copy the index were built with it alone");
    if (kernels_default(t->base.kernels, GPH_findslot, shape)) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "requester=off was not built for these widths and slots");
}

static roost_status table_kernels(struct gph_table *t, int shape)
{
    const int operations[] = {t->options.kernels.by_slots ? GPH_findslot : GPH_find, GPH_erase, GPH_fill, GPH_refine, GPH_mend};
    roost_status status = requester_check(t, shape);
    if (!status) status = policy_kernels(&t->base, &t->options.kernels, shape, operations);
    if (!status) paper_groups(t, shape);
    t->base.orders_finds = t->options.index == GPH_INDEX_ROUTED;
    t->find = t->base.chosen[0];
    t->erase = t->base.chosen[1];
    t->fill = t->base.chosen[2];
    t->refine = t->base.chosen[3];
    t->mend = t->base.chosen[4];
    t->export_pairs = kernels_default(t->base.kernels, GPH_export, SHAPE_any);
    t->estimate = kernels_default(t->base.kernels, GPH_estimate, SHAPE_any);
    t->route = kernels_default(t->base.kernels, GPH_route, SHAPE_any);
    t->staged = kernels_find(t->base.kernels, GPH_find, shape, DRIVER_staged, 0);
    return status;
}

static roost_status table_prepare(const struct gph_table *t)
{
    const struct kernel *const all[] = {t->find,     t->erase, t->fill,
                                        t->refine,   t->mend,  t->export_pairs,
                                        t->estimate, t->route, t->options.index == GPH_INDEX_GLOBAL ? t->find : t->staged};
    return kernels_prepare(t->base.backend, all, sizeof all / sizeof all[0]);
}

/* How many keys a cell has: not so many that no mapping would fit even in an empty table, and small buckets overflow sooner. */
static roost_status cells_plan(struct gph_table *t)
{
    const int slots = t->options.virtuals * t->shape.slots, most = t->shape.slots < 8 ? slots * 3 / 8 : slots / 2;
    if (!t->options.cell_keys) t->options.cell_keys = slots / 3 < 12 ? slots / 3 : 12;
    if (t->options.cell_keys <= most) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_ARGUMENT, "keys=%d: the buckets of a cell have %d slots, for %d keys at most",
                     t->options.cell_keys, slots, most);
}

static roost_status table_configure(struct gph_table *t, const struct engine_config *config)
{
    roost_status status = options_parse(&t->options, config, t->base.error);
    if (status) return status;
    int shape = shape_choose(t->options.slots, config->key_bytes, config->value_bytes);
    if (shape < 0 && t->options.paper) shape = shape_choose(0, config->key_bytes, config->value_bytes);
    if (shape < 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "gph: %d+%d bytes with these options (slots, preset) were not built",
                         config->key_bytes, config->value_bytes);
    hash_seeds_draw(&t->view.seeds, t->options.summed ? HASH_SUMMED : HASH_MIX, config->config->seed);
    t->shape = shapes[shape];
    t->value_type = config->value_type;
    t->growth = config->config->growth != 0;
    t->saturate = config->config->saturate != 0;
    t->floor_keys = config->config->capacity;
    while (1 << t->view.virtual_log < t->options.virtuals) t->view.virtual_log++;
    status = cells_plan(t);
    if (!status)
        status = policy_reach_bounds(config->config, gph_reach(t->shape.slots, t->options.virtuals, t->options.cell_keys),
                                     &t->min_fill, &t->max_fill, t->base.error);
    if (!status) status = table_kernels(t, shape);
    return status ? status : table_prepare(t);
}

static void gph_destroy(struct engine_table *table)
{
    struct gph_table *t = table_of(table);
    gph_unmake(t);
    lists_release(&t->lists);
    ledger_release(&t->ledger);
    host_delete(&t->base.backend->allocator, t, sizeof *t);
}

static roost_status gph_create(struct engine_table **table, const struct engine_config *config, struct backend *b,
                               struct error *error)
{
    struct gph_table *t = (struct gph_table *)policy_new(sizeof *t, &gph_engine, config, b, error);
    if (!t) return ROOST_ERR_MEMORY;
    t->base.kernels = kernels_of(b);
    roost_status status = table_configure(t, config);
    if (!status) status = gph_make(t);
    if (!status) status = gph_words_make(t);
    if (!status) status = lists_begin(&t->lists, &t->base, GPH_CHUNK, 0);
    if (status) gph_destroy(&t->base);
    else *table = &t->base;
    return status;
}

/* ---- Erase ------------------------------------------------------------------------------------------------------------------------------ */

roost_status gph_launch_over(struct gph_table *t, const struct kernel *k, struct gph_args *args, uint64_t n)
{
    args->view = t->view;
    args->view.patience = UINT32_MAX;
    args->batch.n = n;
    args->transfer.shape = t->shape;
    return t->base.backend->operations->launch(t->base.backend, k, args, sizeof *args, n);
}

static roost_status launch_erase(struct gph_table *t, const struct batch *batch)
{
    struct gph_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch = gph_batch_slice(t, batch, 0, batch->n);
    return backend_launch(t->base.backend, t->erase, &args, sizeof args, batch->n);
}

/* Must an erase of n items wait, because the table may have to shrink? */
static bool erase_waits(const struct gph_table *t, uint64_t n)
{
    const uint64_t most = t->ledger.going + n, count = gph_count(t);
    if (t->base.backend->capturing) return false;
    return !t->base.backend->enqueue || t->ledger.refused || t->ledger.broken ||
           gph_would_shrink(t, count > most ? count - most : 0);
}

/* What erases leave to do: fewer keys may need no flag any more, or a smaller table, unless too many of its cells are flagged. */
static roost_status erases_settle(struct gph_table *t)
{
    roost_status status = ROOST_OK;
    if (t->growth) status = gph_shrink(t);
    return status ? status : gph_settle(t);
}

static roost_status erase_waiting(struct gph_table *t, const struct batch *batch)
{
    struct counters since;
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = false;
    if (!status) status = launch_erase(t, batch);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (!status) t->ledger.stats.erased += since.erased;
    if (!status) status = erases_settle(t);
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, status);
}

static roost_status gph_erase(struct engine_table *table, const struct batch *batch)
{
    struct gph_table *t = table_of(table);
    if (t->base.backend->capturing && t->growth) return policy_no_capture(t->base.error);
    ledger_catch_up(&t->ledger);
    if (erase_waits(t, batch->n)) return erase_waiting(t, batch);
    t->ledger.going += batch->n;
    t->ledger.behind = true;
    return ledger_enqueued(&t->ledger, launch_erase(t, batch));
}

/* ---- The rest -------------------------------------------------------------------------------------------------------------------------- */

static roost_status gph_reserve(struct engine_table *table, uint64_t keys)
{
    struct gph_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    if (status) return ledger_ended(&t->ledger, status);
    const bool refused = t->ledger.refused;
    t->ledger.refused = false;
    if (keys > t->room_keys) status = gph_reserve_room(t, keys);
    if (status == ROOST_ERR_MEMORY || status == ROOST_ERR_ARGUMENT) {
        t->ledger.refused = refused;
        return status; /* the table is what it was */
    }
    if (status) return ledger_ended(&t->ledger, status);
    t->floor_keys = keys;
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, t->growth ? erases_settle(t) : ROOST_OK);
}

static roost_status gph_clear(struct engine_table *table)
{
    struct gph_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = t->ledger.behind = t->erased = false;
    if (!status) status = gph_make_empty(t);
    return ledger_ended(&t->ledger, status);
}

static roost_status gph_sync(struct engine_table *table, uint64_t *items_failed)
{
    struct gph_table *t = table_of(table);
    *items_failed = 0;
    roost_status status = backend_wait(table->backend);
    if (!status) status = ledger_wait(&t->ledger);
    if (!status) { /* what calls before could not do */
        t->ledger.refused = t->ledger.behind = false;
        status = gph_settle(t);
        if (!status) status = erases_settle(t);
    }
    return status ? ledger_ended(&t->ledger, status) : ledger_failures(&t->ledger, t->growth, items_failed);
}

const struct engine gph_engine = {
    .name = "gph",
    .summary = "perfect hashing with inserts and erases, one bucket read a lookup (Cao et al.)",
    .operations = "insert (assign keep add min max), find, erase, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = OPTIONS_TEXT,
    .parameters = PARAMETERS_TEXT,
    .choices = "find|erase|fill|refine|mend",
    .drivers = "lane|tile|cooperative|once|twice",
    .captures = true,
    .create = gph_create,
    .destroy = gph_destroy,
    .clear = gph_clear,
    .reserve = gph_reserve,
    .sync = gph_sync,
    .insert = gph_insert,
    .find = gph_find,
    .erase = gph_erase,
    .export_pairs = gph_export,
    .stats = gph_stats,
    .check = gph_check,
    .order = gph_order,
    .codes = gph_codes,
    .running = gph_running,
};
