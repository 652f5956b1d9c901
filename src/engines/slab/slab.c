/* SlabHash's face: its options, its kernels and its hooks. */
#include <math.h>
#include <string.h>

#include "engines/slab/slab_engine.h"
#include "engines/slab/slab_table.h"
#include "engines/policy.h"
#include "engines/seeds.h"
#include "engines/views.h"

/* ---- Options -------------------------------------------------------------------------------- */

#define AT(member) OPTION_AT(slab_options, member)

/* `tune` does not search the utilisation: it determines what a table costs, and is given as its
 * load. */
static const struct option options[] = {
    {.name = "utilisation",
     .kind = OPTION_FRACTION,
     .at = AT(utilisation),
     .least = 0.05,
     .most = 0.90,
     .initial = "0.60",
     .help = "share of the slabs' bytes that a reservation's keys take, 0.05 to 0.90, or less if max_fill is below 0.85; the "
             "bucket count follows"},
    {.name = "growth",
     .kind = OPTION_CHOICE,
     .at = AT(chain),
     .values = "double|chain",
     .initial = "double",
     .help = "double: the bucket count doubles when lists get long; chain: lists get longer"},
    {.name = "memory",
     .kind = OPTION_CHOICE,
     .at = AT(memory),
     .values = "auto|light|paper",
     .initial = "auto",
     .help = "auto: super blocks on demand; light: one array; paper: 32 x 256 x 1024 slabs at once",
     .tune = "auto|light"},
    {.name = "reads",
     .kind = OPTION_CHOICE,
     .at = AT(reads),
     .values = "auto|half|slab",
     .initial = "auto",
     .help = "half: 64 bytes of a slab at a time; slab: both halves at once (4+4 bytes; in multimaps finds alone); auto: "
             "slab where base slabs are mostly full",
     .tune = "half|slab"},
    {.name = "hash",
     .kind = OPTION_CHOICE,
     .at = AT(hash),
     .values = "keyed|mix|universal",
     .initial = "keyed",
     .help = "hash family, keyed, mix (its multipliers are known) or universal (4-byte keys)"},
    {.name = "publish",
     .kind = OPTION_CHOICE,
     .at = AT(two_step),
     .values = "auto|two-step",
     .initial = "auto",
     .help = "auto: pairs of 16 bytes by 128-bit atomics if available; two-step: key first, then value",
     .tune = "auto|two-step"},
    {.name = "requester",
     .kind = OPTION_CHOICE,
     .at = AT(requester),
     .values = "on|off",
     .initial = "on",
     .help = "on, or off: finds read one slot per lane instead of vectors (GPH, section 5.2), in builds with ROOST_TUNE"},
    {.name = NULL}};

/* ---- Creation ------------------------------------------------------------------------------- */

static const struct shape shapes[] = {SLAB_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

/* Chooses two steps for pairs of 16 bytes if the options ask for it, or nothing else works. */
static bool is_asked(const struct engine_table *table, struct shape s)
{
    const bool pairs = !slab_of_const(table)->options.two_step && table->kernels.atomic128;
    return s.word == SLAB_WORD || (s.word == SLAB_PAIR) == pairs;
}

enum { CHOICE_FIND, CHOICE_INSERT, CHOICE_ERASE, CHOICE_APPLY, CHOICE_EVERY };
static const int choices[] = {SLAB_find, SLAB_insert, SLAB_erase, SLAB_apply, SLAB_every};

/* Chooses the operation that reads slabs whole, if options ask for it and it is built.  With
 * reads=auto it is not chosen if the caller's kernel exists only for halves.  None of these
 * operations appends. */
static int operation_choose(const struct slab_table *t, int choice, int halves, int slabs, int shape)
{
    const struct kernel_ask *ask = &t->base.asks.of[choice];
    const bool automatic = t->options.reads == SLAB_READS_AUTO;
    if (t->view.multi && choice != CHOICE_FIND) return halves;
    if (t->options.reads == SLAB_READS_HALF || (automatic && t->bucket_keys <= t->base.shape.slots)) return halves;
    const bool asked = automatic && ask->driver >= 0;
    return kernels_find(t->base.kernels, slabs, shape, asked ? ask->driver : -1, asked ? ask->lanes : 0) ? slabs : halves;
}

static roost_status kernels_choose_all(struct slab_table *t, int shape)
{
    static const int others[] = {SLAB_rebuild, SLAB_survey, SLAB_export, SLAB_enqueue, SLAB_serve, SLAB_codes};
    const int find = t->options.requester ? SLAB_findslot : operation_choose(t, CHOICE_FIND, SLAB_find, SLAB_findslab, shape);
    const int operations[] = {find, operation_choose(t, CHOICE_INSERT, SLAB_insert, SLAB_insertslab, shape), SLAB_erase,
                              operation_choose(t, CHOICE_APPLY, SLAB_apply, SLAB_applyslab, shape), SLAB_every};
    if (t->options.requester && !kernels_default(t->base.kernels, SLAB_findslot, shape))
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                         "requester=off needs a build with ROOST_TUNE and pairs of 4+4 bytes");
    return policy_kernels(&t->base, shape, operations, SHAPE_any, others, sizeof others / sizeof others[0]);
}

/* From this upper fill bound on, the default, the utilisation alone plans the lists: it may ask for
 * fuller slabs. */
#define UTILISATION_PLANS 0.85

/* Plans the keys of a bucket, and the number that counts as its slots: at least those of its base
 * slab.  A lower fill bound is one of base slabs. */
static roost_status buckets_plan(struct slab_table *t)
{
    const double bound = t->base.max_fill * t->base.shape.slots;
    t->bucket_keys = slab_keys_for(t->base.shape, t->options.utilisation);
    if (t->bucket_keys <= 0)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "utilisation=%.2f: slabs with %d slots of %d bytes cannot reach it",
                         t->options.utilisation, t->base.shape.slots, slab_slot_bytes(t->base.shape));
    if (t->base.max_fill < UTILISATION_PLANS) t->bucket_keys = fmin(t->bucket_keys, bound);
    t->bucket_slots = fmax(t->base.shape.slots, t->bucket_keys / t->base.max_fill);
    return ROOST_OK;
}

/* A number of keys that takes this many buckets, and not one more. */
static uint64_t slab_room(const struct engine_table *table)
{
    const struct slab_table *t = slab_of_const(table);
    return (uint64_t)(t->bucket_keys * ((double)t->view.buckets - 0.5));
}

static roost_status slab_configure(struct engine_table *table, const struct engine_config *config)
{
    struct slab_table *t = slab_of(table);
    const int shape = policy_shape(table, shapes, SHAPE_any, is_asked, "publish");
    if (shape < 0) return ROOST_ERR_UNSUPPORTED;
    roost_status status = seeds_begin(table, (enum hash_family)t->options.hash, config);
    if (status) return status;
    table->sure_fill = HUGE_VAL; /* lists show whether keys collide, not the fill (slab_passes.c) */
    t->view.multi = (config->config->flags & ROOST_MULTI) != 0;
    table->stats.longest_list = 1;
    if (!t->options.chain) status = policy_doubling_bounds(table);
    if (!status) status = buckets_plan(t);
    return status ? status : kernels_choose_all(t, shape);
}

/* ---- Batches by region ---------------------------------------------------------------------- */

/* A key's list begins in its bucket's slab; few lists continue in slabs elsewhere.  Inserts gain
 * nothing from an order.  Calls that may make the table grow or shrink leave all memory to it. */
static struct batch_order slab_order(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    const struct slab_table *t = (const struct slab_table *)table;
    struct batch_order order = {0, false, false, false};
    if (call == ENGINE_INSERT && slab_would_grow(t, t->count + t->base.ledger.coming + n, slab_spread_of(t, false))) return order;
    if (call == ENGINE_ERASE && slab_would_shrink(table, t->count > n ? t->count - n : 0)) return order;
    order.codes = 1u << PARTITION_DIGIT;
    order.pays = slab_bytes(table) >= (call == ENGINE_ERASE ? POLICY_ERASES_FAR : POLICY_FAR) && call != ENGINE_INSERT;
    return order;
}

static roost_status slab_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes)
{
    struct slab_table *t = slab_of(table);
    struct slab_args args = slab_batch_args(t, batch);
    args.batch.counters = NULL;
    args.batch.n = partition_coded_items(&codes->bytes);
    args.transfer.shape = t->base.shape;
    args.transfer.codes = codes->bytes;
    return slab_launch(t, t->base.kernel[SLAB_codes], &args);
}

/* ---- The engine ----------------------------------------------------------------------------- */

static uint64_t slots_of(const struct engine_table *table) { return slab_slots(slab_of_const(table)); }

static void view_write(const struct engine_table *table, void *to, uint16_t takes)
{
    struct slab_user_view view;
    memset(&view, 0, sizeof view);
    view.layout = SLAB_VIEW_LAYOUT;
    view.at = slab_view_now(slab_of_const(table));
    view.table = view_table(table, takes);
    *(struct slab_user_view *)to = view;
}

static int slab_hashes(const struct engine_table *table, uint64_t key, uint64_t hash[HASHES_MOST])
{
    *hash = hash_first(&slab_of_const(table)->view.seeds, key);
    return 1;
}

const struct engine slab_engine = {
    .name = "slab",
    .summary = "chained slab lists, finds, inserts and erases in one kernel (Ashkiani et al.)",
    .operations = "insert (assign keep add min max append), find, erase, mixes, all of a key, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = options,
    .choices = "find|insert|erase|apply|every",
    .choice_operations = choices,
    .tuned_choices = "find|insert",
    .drivers = "lane|tile|cooperative|once",
    .load_option = "utilisation",
    .captures = true,
    .mixes = true,
    .kernels = ENGINE_KERNELS(slab),
    .hooks =
        {
            .table_bytes = sizeof(struct slab_table),
            .options_at = offsetof(struct slab_table, options),
            .seeds_at = offsetof(struct slab_table, view.seeds),
            .words_bytes = sizeof(struct slab_words),
            .most_parked = SLAB_MOST_PARKED,
            .configure = slab_configure,
            .make = slab_make,
            .unmake = slab_unmake,
            .empty = slab_clear,
            .hashes = slab_hashes,
            .count = slab_stored,
            .slots = slots_of,
            .bytes = slab_bytes,
            .room = slab_room,
            .stats = slab_stats,
            .would_shrink = slab_would_shrink,
            .reserve = slab_reserve,
            .settle = slab_settle,
            .begin = slab_begin,
            .write_piece = slab_write_piece,
            .resume = insertion_resume,
            .has_room = slab_has_room,
            .enqueue = slab_enqueue,
            .erase = slab_erase,
            .take = slab_take_words,
            .mend = slab_mend,
            .compact = slab_compact,
            .view_bytes = sizeof(struct slab_user_view),
            .view_layout = SLAB_VIEW_LAYOUT,
            .view_room = slab_view_room,
            .view_write = view_write,
        },
    .find = slab_find,
    .export_pairs = slab_export,
    .check = slab_check,
    .count = slab_count,
    .find_all = slab_count,
    .order = slab_order,
    .codes = slab_codes,
    .bulk = true,
    .multi = true,
};
