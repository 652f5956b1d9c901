/* DyCuckoo's face: its options, its kernels and its hooks. */
#include "engines/dycuckoo/dycuckoo_engine.h"
#include "engines/dycuckoo/dycuckoo_table.h"
#include "engines/policy.h"
#include "engines/seeds.h"

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(member) OPTION_AT(dycuckoo_options, member)

static const struct option options[] = {
    {.name = "subtables",
     .kind = OPTION_NUMBER,
     .at = AT(subtables),
     .least = 2,
     .most = MAX_SUBTABLES,
     .initial = "4",
     .help = "number of subtables, 2 to 8",
     .tune = "2|3|4|5|6|8"},
    {.name = "slots",
     .kind = OPTION_POWER,
     .at = AT(slots),
     .least = 4,
     .most = 32,
     .automatic = true,
     .initial = "auto",
     .help = "slots of a bucket, 4, 8, 16 or 32 (4+4 bytes); auto: 8, or 16 of sets of 4-byte keys",
     .tune = "4|8|16|32"},
    {.name = "layers",
     .kind = OPTION_NUMBER,
     .at = AT(layers),
     .least = 1,
     .most = 2,
     .initial = "2",
     .help = "2: two homes per key; 1: a home in every subtable (4+4 bytes), in builds with ROOST_TUNE",
     .tune = DYCUCKOO_TUNE_LAYERS},
    {.name = "resize",
     .kind = OPTION_CHOICE,
     .at = AT(resize),
     .values = "level|one|all",
     .initial = "level",
     .help = "level: all subtables grow by half (of two, as one); one: one at a time doubles, as in the paper; all: all double"},
    {.name = "hash",
     .kind = OPTION_CHOICE,
     .at = AT(hash),
     .values = "keyed|mix|universal",
     .initial = "keyed",
     .help = "hash family, keyed, mix (its multipliers are known) or universal (4-byte keys)"},
    {.name = "weights",
     .kind = OPTION_CHOICE,
     .at = AT(weights_paper),
     .values = "vacant|paper",
     .initial = "vacant",
     .help = "spread new keys by vacant slots, or by the paper's n/C(m,2)"},
    {.name = "publish",
     .kind = OPTION_CHOICE,
     .at = AT(locked),
     .values = "auto|locked",
     .initial = "auto",
     .help = "auto: pairs that fit one word are published lock-free; locked: under bucket locks (4+4 bytes)",
     .tune = "auto|locked"},
    {.name = "requester",
     .kind = OPTION_CHOICE,
     .at = AT(requester),
     .values = "on|off",
     .initial = "on",
     .help = "on, or off: finds read one slot per lane instead of vectors (GPH, section 5.2), in builds with ROOST_TUNE"},
    {.name = NULL}};

/* ---- Creation -------------------------------------------------------------------------------- */

static const struct shape shapes[] = {DYCUCKOO_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* The first shape of these widths is the default one; options ask for others. */
static bool is_asked(const struct engine_table *table, struct shape s)
{
    const struct dycuckoo_options *o = &dycuckoo_of_const(table)->options;
    return s.homes == (o->layers == 1 ? MAX_HOMES : 2) && (!o->slots || s.slots == o->slots) && !(o->locked && s.word);
}

static const int choices[] = {DYCUCKOO_find, DYCUCKOO_erase, DYCUCKOO_fill, DYCUCKOO_evict, DYCUCKOO_path};

/* Comparisons of one section of a paper are built for tuning alone. */
static roost_status tuned_check(const struct dycuckoo_table *t, int shape)
{
    const char *missing = NULL;
    if (t->options.requester && !kernels_default(t->base.kernels, DYCUCKOO_findslot, shape)) missing = "requester=off";
    if (t->options.layers == 1 && !kernels_default(t->base.kernels, DYCUCKOO_find, shape)) missing = "layers=1";
    if (!missing) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                     "%s is built with ROOST_TUNE, for pairs of 4+4 bytes: this build or table lacks it", missing);
}

static roost_status kernels_choose_all(struct dycuckoo_table *t, int shape)
{
    static const int others[] = {DYCUCKOO_resize, DYCUCKOO_export, DYCUCKOO_estimate, DYCUCKOO_spill};
    const int find = t->options.requester ? DYCUCKOO_findslot : DYCUCKOO_find;
    const int operations[] = {find, DYCUCKOO_erase, DYCUCKOO_fill, DYCUCKOO_evict, DYCUCKOO_path};
    const roost_status status = tuned_check(t, shape);
    if (status) return status;
    return policy_kernels(&t->base, shape, operations, SHAPE_any, others, sizeof others / sizeof others[0]);
}

static roost_status bounds_check(const struct dycuckoo_table *t)
{
    const double d = (double)t->options.subtables, low = t->base.min_fill, high = t->base.max_fill;
    if (!t->base.growth) return ROOST_OK;
    if (t->options.resize == RESIZE_ALL) return policy_doubling_bounds(&t->base);
    if (low <= 0 || low < high * d / (d + 1)) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_ARGUMENT,
                     "fill bounds %.3f..%.3f: with %u subtables the lower must be below %.3f, or growing would lead to shrinking",
                     low, high, t->options.subtables, high * d / (d + 1));
}

/* Fixed tables of 16 slots and more refused no random key below 0.9 of their slots, or 0.87 where
 * buckets have 4 (docs/architecture.md). */
#define SURE_FILL 0.85
#define SURE_FILL_SMALL 0.70

static roost_status dycuckoo_configure(struct engine_table *table, const struct engine_config *config)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    const int shape = policy_shape(table, shapes, SHAPE_any, is_asked, "slots, layers, publish");
    if (shape < 0) return ROOST_ERR_UNSUPPORTED;
    roost_status status = seeds_begin(table, (enum hash_family)t->options.hash, config);
    if (status) return status;
    t->view.subtables = t->options.subtables;
    if (t->options.resize == RESIZE_LEVEL && t->options.subtables == 2) t->options.resize = RESIZE_ONE;
    table->sure_fill = table->shape.slots < 8 ? SURE_FILL_SMALL : SURE_FILL;
    t->view.excluded = SPECIAL + 1;
    t->resizing = MAX_SUBTABLES;
    status = bounds_check(t);
    return status ? status : kernels_choose_all(t, shape);
}

/* ---- Batches --------------------------------------------------------------------------------- */

/* Finds count nothing but probes. */
static roost_status dycuckoo_find(struct engine_table *table, const struct batch *batch)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    const struct batch all = batch_slice(table, batch, 0, batch->n);
    struct dycuckoo_args args = dycuckoo_batch_args(t, &all);
    if (!ROOST_PROBES) args.batch.counters = NULL;
    return dycuckoo_batch_launch(t, table->kernel[DYCUCKOO_find], &args, SPILL_FIND);
}

/* The launches of a graph leave vacancies behind at any time: the table is not tidy any more. */
static roost_status dycuckoo_erase(struct engine_table *table, const struct write *w)
{
    struct dycuckoo_table *t = dycuckoo_of(table);
    const struct batch all = batch_slice(table, w->batch, 0, w->batch->n);
    struct dycuckoo_args args = dycuckoo_batch_args(t, &all);
    const roost_status status = dycuckoo_batch_launch(t, table->kernel[DYCUCKOO_erase], &args, SPILL_ERASE);
    if (table->backend->capturing) t->view.tidy = 0;
    return status;
}

/* ---- The engine ------------------------------------------------------------------------------ */

/* Both homes count, whichever subtables they are in. */
static int dycuckoo_hashes(const struct engine_table *table, uint64_t key, uint64_t hash[HASHES_MOST])
{
    const struct hash_seeds *seeds = &dycuckoo_of_const(table)->view.seeds;
    hash[0] = hash_home(seeds, key, hash_first(seeds, key), 0);
    hash[1] = hash_home(seeds, key, hash[0], 1);
    return 2;
}

const struct engine dycuckoo_engine = {
    .name = "dycuckoo",
    .summary = "cuckoo hashing in several subtables, two homes per key, resized subtable by subtable (Li et al.)",
    .operations = "insert (assign keep add min max), find, erase, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = options,
    .choices = "find|erase|fill|evict|path",
    .choice_operations = choices,
    .tuned_choices = "find|fill|evict|path",
    .drivers = "lane|tile|cooperative|vote|once",
    .captures = true,
    .kernels = ENGINE_KERNELS(dycuckoo),
    .hooks =
        {
            .table_bytes = sizeof(struct dycuckoo_table),
            .options_at = offsetof(struct dycuckoo_table, options),
            .seeds_at = offsetof(struct dycuckoo_table, view.seeds),
            .words_bytes = sizeof(struct dycuckoo_words),
            .most_parked = DYCUCKOO_CHUNK,
            .extra_bytes = DYCUCKOO_CLAIM_BITS / 8,
            .parks = true,
            .configure = dycuckoo_configure,
            .make = dycuckoo_make,
            .unmake = dycuckoo_unmake,
            .empty = dycuckoo_empty,
            .hashes = dycuckoo_hashes,
            .count = dycuckoo_count,
            .slots = dycuckoo_slots,
            .bytes = dycuckoo_bytes,
            .room = dycuckoo_room,
            .stats = dycuckoo_stats,
            .would_shrink = dycuckoo_would_shrink,
            .reserve = dycuckoo_reserve,
            .settle = dycuckoo_settle,
            .begin = dycuckoo_begin,
            .write_piece = dycuckoo_write_piece,
            .resume = dycuckoo_resume,
            .has_room = dycuckoo_has_room,
            .enqueue = dycuckoo_enqueue,
            .erase = dycuckoo_erase,
            .take = dycuckoo_take,
            .mend = dycuckoo_mend,
        },
    .find = dycuckoo_find,
    .export_pairs = dycuckoo_export,
    .check = dycuckoo_check,
};
