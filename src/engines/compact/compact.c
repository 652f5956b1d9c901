/* compact's face: its options, its kernels and its hooks. */
#include "engines/compact/compact_engine.h"
#include "engines/compact/compact_table.h"
#include "engines/seeds.h"
#include "engines/views.h"

#include <string.h>

/* ---- Options --------------------------------------------------------------------------------- */

#define AT(member) OPTION_AT(compact_options, member)

static const struct option options[] = {{.name = "step",
                                         .kind = OPTION_FRACTION,
                                         .at = AT(step),
                                         .least = 1.05,
                                         .most = 4,
                                         .initial = "1.5",
                                         .help = "factor of a growth step, 1.05 to 4; at most what the fill bounds allow"},
                                        {.name = "hash",
                                         .kind = OPTION_CHOICE,
                                         .at = AT(hash),
                                         .values = "keyed|mix",
                                         .initial = "keyed",
                                         .help = "hash family, keyed or mix (its multipliers are known)"},
                                        {.name = "growth",
                                         .kind = OPTION_CHOICE,
                                         .at = AT(in_place),
                                         .values = "copy|in-place",
                                         .initial = "copy",
                                         .help = "copy: to a second table; in-place: from 64 MiB on, with 0.15 beside it"},
                                        {.name = NULL}};

/* ---- Creation -------------------------------------------------------------------------------- */

const struct shape compact_shapes[] = {COMPACT_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

static bool is_asked(const struct engine_table *table, struct shape s)
{
    (void)table, (void)s;
    return true;
}

/* The least slots of a bucket among the shapes of the table's widths. */
static int least_slots(const struct engine_table *table)
{
    int least = COMPACT_BYTES;
    for (int i = 0; i < SHAPE_any; i++)
        if (compact_shapes[i].key_bytes == table->key_bytes && compact_shapes[i].value_bytes == table->value_bytes &&
            compact_shapes[i].slots < least)
            least = compact_shapes[i].slots;
    return least;
}

/* Tables up to this share of their reach refused no random key. */
#define SURE_SHARE 0.98

static roost_status compact_configure(struct engine_table *table, const struct engine_config *config)
{
    struct compact_table *t = compact_of(table);
    const int shape = policy_shape(table, compact_shapes, SHAPE_any, is_asked, "none");
    if (shape < 0) return ROOST_ERR_UNSUPPORTED;
    if (t->options.in_place && !table->backend->mapped_unit)
        return error_set(table->error, ROOST_ERR_UNSUPPORTED,
                         "growth=in-place: the table's memory must be mapped by the library, not come from the caller's allocator");
    const double reach = compact_reach(least_slots(table));
    if (config->like) t->options.hash = compact_of_const(config->like)->options.hash;
    roost_status status = seeds_begin(table, t->options.hash ? HASH_MIX : HASH_KEYED, config);
    table->sure_fill = SURE_SHARE * reach;
    if (!status) status = policy_reach_bounds(table, reach);
    return status ? status : compact_use_shape(t, shape);
}

/* ---- Batches by region ----------------------------------------------------------------------- */

/* Regions are ranges of buckets.  Inserts gain nothing from their order: items of one region want
 * the same slots at the same time.  Calls that may make the table grow or shrink leave all memory
 * to it. */
static struct batch_order compact_order(const struct engine_table *table, enum engine_call call, uint64_t n)
{
    const struct compact_table *t = compact_of_const(table);
    const uint64_t keys = t->count + table->ledger.coming + n;
    struct batch_order order = {0, false, false, false};
    if (call == ENGINE_INSERT && table->growth && !policy_is_within(table, keys, compact_slots(table))) return order;
    if (call == ENGINE_ERASE && compact_would_shrink(table, t->count > n ? t->count - n : 0)) return order;
    order.codes = 1u << PARTITION_DIGIT;
    order.pays = call != ENGINE_INSERT && compact_bytes(table) >= (call == ENGINE_FIND ? POLICY_FAR : POLICY_ERASES_FAR);
    return order;
}

static roost_status compact_codes(struct engine_table *table, const struct batch *batch, const struct batch_codes *codes)
{
    struct compact_args args;
    memset(&args, 0, sizeof args);
    args.batch = *batch;
    args.batch.counters = NULL;
    args.transfer.codes = codes->bytes;
    return compact_launch_over(compact_of(table), table->kernel[COMPACT_codes], &args, partition_coded_items(&codes->bytes));
}

/* ---- The engine ------------------------------------------------------------------------------ */

enum { CHOICE_FIND, CHOICE_INSERT, CHOICE_ERASE, CHOICE_APPLY };
const int compact_choices[] = {COMPACT_find, COMPACT_insert, COMPACT_erase, COMPACT_apply};

/* Those of both homes; a hash of 4 bytes in the upper half. */
static int compact_hashes(const struct engine_table *table, uint64_t key, uint64_t hash[HASHES_MOST])
{
    const int bits = 8 * table->key_bytes;
    const uint64_t first = compact_hash(bits, &compact_of_const(table)->view.seeds, key);
    hash[0] = first << (64 - bits);
    hash[1] = compact_second(bits, first) << (64 - bits);
    return 2;
}

/* A user's kernels may add to the stash. */
static void view_write(const struct engine_table *table, void *to, uint16_t takes)
{
    const struct compact_table *t = compact_of_const(table);
    struct compact_user_view view;
    memset(&view, 0, sizeof view);
    view.layout = COMPACT_VIEW_LAYOUT;
    view.at = t->view;
    view.at.marks = &compact_words_of(t)->marks;
    view.at.permits = table->growth ? NULL : &table_words(table)->permits;
    view.at.stashes = true;
    view.table = view_table(table, takes);
    *(struct compact_user_view *)to = view;
}

const struct engine compact_engine = {
    .name = "compact",
    .summary = "one line of memory a lookup, no key bits that the bucket tells (our own)",
    .operations = "insert (assign keep add min max), find, erase, mixes, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = options,
    .choices = "find|insert|erase|apply",
    .choice_operations = compact_choices,
    .tuned_choices = "find|insert",
    .drivers = "abreast|onceabreast",
    .captures = true,
    .mixes = true,
    .kernels = ENGINE_KERNELS(compact),
    .hooks =
        {
            .table_bytes = sizeof(struct compact_table),
            .options_at = offsetof(struct compact_table, options),
            .seeds_at = offsetof(struct compact_table, view.seeds),
            .words_bytes = sizeof(struct compact_words),
            .most_parked = COMPACT_CHUNK,
            .parks = true,
            .configure = compact_configure,
            .make = compact_make,
            .unmake = compact_unmake,
            .empty = compact_empty,
            .hashes = compact_hashes,
            .count = compact_count,
            .slots = compact_slots,
            .bytes = compact_bytes,
            .room = compact_room,
            .would_shrink = compact_would_shrink,
            .reserve = compact_reserve,
            .settle = compact_settle,
            .write_piece = compact_write_piece,
            .resume = compact_resume,
            .has_room = compact_has_room,
            .enqueue = compact_enqueue,
            .erase = compact_erase,
            .take = compact_take,
            .begin = compact_begin,
            .mend = compact_recount,
            .compact = compact_pack,
            .view_bytes = sizeof(struct compact_user_view),
            .view_layout = COMPACT_VIEW_LAYOUT,
            .view_room = compact_view_room,
            .view_write = view_write,
        },
    .find = compact_find,
    .export_pairs = compact_export,
    .ranking = &compact_ranking,
    .check = compact_check,
    .order = compact_order,
    .codes = compact_codes,
    .bulk = true,
};
