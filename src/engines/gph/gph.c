/* GPH's face: its options, its kernels and its hooks. */
#include "engines/gph/gph_engine.h"
#include "engines/gph/gph_table.h"
#include "engines/policy.h"
#include "engines/seeds.h"
#include "portable/options.h"

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(member) OPTION_AT(gph_options, member)

static const char *const presets[] = {"", "slots=16,virtual=8,keys=12,hash=summed"};

/* `tune` searches the paper's parameters: M, R, keys of a cell, where the index is.  The kernels
 * give |g|, the buckets that a lookup group reads before it looks at one (ILP: once, twice), and
 * |h|. */
static const struct option options[] = {
    {.name = "slots",
     .kind = OPTION_POWER,
     .at = AT(slots),
     .least = 4,
     .most = 16,
     .automatic = true,
     .initial = "auto",
     .help = "slots of a bucket, 4, 8 or 16 (4+4 bytes); auto: 8, or 16 of sets of 4-byte keys",
     .tune = "4|8|16"},
    {.name = "virtual",
     .kind = OPTION_POWER,
     .at = AT(virtuals),
     .least = 2,
     .most = GPH_MOST_VIRTUAL,
     .initial = "8",
     .help = "virtual buckets of a cell, 2, 4, 8 or 16",
     .tune = "2|4|8|16"},
    {.name = "keys",
     .kind = OPTION_NUMBER,
     .at = AT(cell_keys),
     .least = 1,
     .most = 32,
     .automatic = true,
     .initial = "auto",
     .help = "keys of a cell, 1 to 32; auto: 12, or a third of its buckets' slots; 6, and a larger index, for load 0.80",
     .tune = "4|6|8|10|12|16"},
    {.name = "flagged",
     .kind = OPTION_FRACTION,
     .at = AT(flagged),
     .least = 0.001,
     .most = 1,
     .initial = "0.02",
     .help = "share of the cells that may be flagged before the table grows, 0.001 to 1"},
    {.name = "index",
     .kind = OPTION_CHOICE,
     .at = AT(index),
     .values = "global|shared|routed",
     .initial = "global",
     .help = "where lookups read the index: global, shared (where it fits a block's shared memory) or routed (in parts that do; "
             "waits)",
     .tune = "global|shared|routed"},
    {.name = "requester",
     .kind = OPTION_CHOICE,
     .at = AT(requester),
     .values = "on|off",
     .initial = "on",
     .help = "on, or off: finds read one slot per lane instead of vectors (section 5.2), in builds with ROOST_TUNE"},
    {.name = "hash",
     .kind = OPTION_CHOICE,
     .at = AT(hash),
     .values = "keyed|mix|summed",
     .initial = "keyed",
     .help = "hash family, keyed, mix (its multipliers are known), or in builds with ROOST_TUNE summed (the paper's)"},
    {.name = "preset",
     .kind = OPTION_PRESET,
     .at = AT(paper),
     .values = "none|paper",
     .presets = presets,
     .initial = "none",
     .help = "none, or in builds with ROOST_TUNE paper: 16 slots, 8 virtual buckets, 12 keys, its hashes and groups, as if they "
             "were asked for here; other widths have their slots"},
    {.name = NULL}};

/* ---- Creation -------------------------------------------------------------------------------- */

static const struct shape shapes[] = {GPH_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* The first shape of these widths is the default one; options ask for others.  The paper's slots
 * are those of pairs of 4+4 bytes: other widths have their own. */
static bool is_asked(const struct engine_table *table, struct shape s)
{
    const struct gph_options *o = &gph_of_const(table)->options;
    const bool own = o->paper && (s.key_bytes != 4 || s.value_bytes != 4);
    return !o->slots || s.slots == o->slots || own;
}

enum { CHOICE_FIND, CHOICE_ERASE, CHOICE_FILL, CHOICE_REFINE, CHOICE_MEND };
static const int choices[] = {GPH_find, GPH_erase, GPH_fill, GPH_refine, GPH_mend};

/* The paper's insert groups have 8 lanes, unless the caller asks for others. */
static void paper_groups(struct gph_table *t, int shape)
{
    const struct kernel *k = kernels_find(t->base.kernels, GPH_fill, shape, DRIVER_tile, 8);
    if (!t->options.paper || !k || !policy_unasked(&t->base, CHOICE_FILL)) return;
    t->base.chosen[CHOICE_FILL] = t->base.kernel[GPH_fill] = k;
}

/* Comparisons with one section of the paper are built for tuning alone. */
static roost_status tuned_check(const struct gph_table *t, int shape)
{
    const struct gph_options *o = &t->options;
    const char *missing = NULL;
    if (o->requester && !kernels_default(t->base.kernels, GPH_findslot, shape)) missing = "requester=off";
    if (!gph_is_summed(HASH_SUMMED)) missing = o->paper ? "preset=paper" : o->hash == GPH_HASH_SUMMED ? "hash=summed" : missing;
    if (missing)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "%s is built with ROOST_TUNE%s: this build or table lacks it",
                         missing, o->requester ? ", for pairs of 4+4 bytes" : "");
    if (!o->requester || o->index == GPH_INDEX_GLOBAL) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "requester=off: finds that copy the index need the requester");
}

static roost_status kernels_choose_all(struct gph_table *t, int shape)
{
    static const int others[] = {GPH_evict, GPH_export, GPH_estimate, GPH_route};
    const int operations[] = {t->options.requester ? GPH_findslot : GPH_find, GPH_erase, GPH_fill, GPH_refine, GPH_mend};
    roost_status status = tuned_check(t, shape);
    if (!status) status = policy_kernels(&t->base, shape, operations, SHAPE_any, others, sizeof others / sizeof others[0]);
    if (status) return status;
    paper_groups(t, shape);
    t->base.orders_finds = t->options.index == GPH_INDEX_ROUTED;
    t->staged = kernels_find(t->base.kernels, GPH_find, shape, DRIVER_staged, 0);
    return kernels_prepare(t->base.backend, &t->staged, 1);
}

/* Sets the keys of a cell.  With too many no mapping fits, even in an empty table; small buckets
 * overflow sooner. */
static roost_status cells_plan(struct gph_table *t)
{
    const int slots = t->options.virtuals * t->base.shape.slots, most = t->base.shape.slots < 8 ? slots * 3 / 8 : slots / 2;
    if (!t->options.cell_keys) t->options.cell_keys = slots / 3 < 12 ? slots / 3 : 12;
    if (t->options.cell_keys <= most) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_ARGUMENT, "keys=%d: the buckets of a cell have %d slots, for %d keys at most",
                     t->options.cell_keys, slots, most);
}

/* Fixed tables refused no random key below this share of their reach, and had no more flagged
 * cells than makes a table grow (docs/architecture.md). */
#define SURE_SHARE 0.8

static uint64_t gph_room(const struct engine_table *table) { return gph_of_const(table)->room_keys; }

static roost_status gph_configure(struct engine_table *table, const struct engine_config *config)
{
    struct gph_table *t = gph_of(table);
    const struct gph_options *o = &t->options;
    const int shape = policy_shape(table, shapes, SHAPE_any, is_asked, "slots, preset");
    if (shape < 0) return ROOST_ERR_UNSUPPORTED;
    static const enum hash_family families[] = {HASH_KEYED, HASH_MIX, HASH_SUMMED};
    roost_status status = seeds_begin(table, families[o->hash], config);
    if (status) return status;
    while (1 << t->view.virtual_log < o->virtuals) t->view.virtual_log++;
    status = cells_plan(t);
    const double reach = status ? 0 : gph_reach(table->shape.slots, o->virtuals, o->cell_keys);
    table->sure_fill = SURE_SHARE * reach;
    if (!status) status = policy_reach_bounds(table, reach);
    return status ? status : kernels_choose_all(t, shape);
}

/* ---- The engine ------------------------------------------------------------------------------ */

static roost_status gph_erase(struct engine_table *table, const struct write *w)
{
    const struct batch batch = batch_slice(table, w->batch, 0, w->batch->n);
    const struct gph_args args = gph_batch_args(gph_of(table), &batch);
    return backend_launch(table->backend, table->kernel[GPH_erase], &args, sizeof args, batch.n);
}

/* The cell's. */
static int gph_hashes(const struct engine_table *table, uint64_t key, uint64_t hash[HASHES_MOST])
{
    const struct gph_view *v = &gph_of_const(table)->view;
    const bool wide = table->key_bytes == 8;
    if (gph_is_summed(v->seeds.family)) *hash = (uint64_t)summed_outer(v, 0, summed_inner(v, 0, table->key_bytes, key)) << 32;
    else *hash = wide ? hash_word64(&v->seeds, key) : (uint64_t)hash_word32(&v->seeds, (uint32_t)key) << 32;
    return 1;
}

const struct engine gph_engine = {
    .name = "gph",
    .summary = "perfect hashing with inserts and erases, one bucket read a lookup (Cao et al.)",
    .operations = "insert (assign keep add min max), find, erase, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = options,
    .choices = "find|erase|fill|refine|mend",
    .choice_operations = choices,
    .tuned_choices = "find|fill|refine",
    .drivers = "lane|tile|cooperative|once|twice",
    .captures = true,
    .kernels = ENGINE_KERNELS(gph),
    .hooks =
        {
            .table_bytes = sizeof(struct gph_table),
            .options_at = offsetof(struct gph_table, options),
            .seeds_at = offsetof(struct gph_table, view.seeds),
            .words_bytes = sizeof(struct table_words),
            .most_parked = GPH_CHUNK,
            .parks = true,
            .configure = gph_configure,
            .make = gph_make,
            .unmake = gph_unmake,
            .empty = gph_empty,
            .hashes = gph_hashes,
            .count = gph_count,
            .slots = gph_slots,
            .bytes = gph_bytes,
            .room = gph_room,
            .stats = gph_stats,
            .would_shrink = gph_would_shrink,
            .reserve = gph_reserve,
            .settle = gph_settle,
            .write_piece = gph_write_piece,
            .resume = gph_resume,
            .has_room = gph_has_room,
            .enqueue = gph_enqueue,
            .erase = gph_erase,
            .take = gph_take,
            .mend = gph_recount,
        },
    .find = gph_find,
    .export_pairs = gph_export,
    .check = gph_check,
    .order = gph_order,
    .codes = gph_codes,
    .running = gph_running,
};
