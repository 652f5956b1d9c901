/* SlabHash's policy, for both machines: creation, finds and erases, reservations. */
#include "engines/slab/slab.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engines/slab/slab_engine.h"
#include "engines/slab/slab_table.h"
#include "engines/policy.h"
#include "portable/options.h"

#define OPTIONS_TEXT                                                                                                               \
    "utilisation=0.60: share of the slabs' bytes that a reservation's keys take, 0.05 to 0.90; the bucket count follows\n"         \
    "growth=double: double: the bucket count doubles as lists get long; chain: lists get longer\n"                                 \
    "memory=auto: slabs from super blocks as they are needed; light: in one array; paper: 32 x 256 x 1024 at once\n"               \
    "reads=auto: half: 64 bytes of a slab at a time; slab: both halves at once (4+4 bytes); auto: where base slabs are mostly "    \
    "full\n"                                                                                                                       \
    "hash=mix: hash family, mix or universal (4-byte keys)\n"                                                                      \
    "publish=auto: pairs of 16 bytes by 128-bit atomics where there are such; two-step: key first, then value\n"                   \
    "requester=on: on, or off: finds read a slot a lane instead of vectors (GPH, section 5.2), where that was built "              \
    "(ROOST_TUNE)\n" POLICY_BULK_TEXT                                                                                              \
    "driver=auto: how a tile shares a batch: lane, tile, cooperative or once, where the engine has that pair\n"                    \
    "tile=auto: lanes of a tile, where such a kernel was built\n"                                                                  \
    "find=auto: the kernel of finds, by driver and lanes, such as once2; also insert, erase, apply and every\n"

/* What `roost tune` searches; the utilisation is what a table costs, and asked for as its load. */
#define PARAMETERS_TEXT                                                                                                            \
    "reads=half|slab\n"                                                                                                            \
    "memory=auto|light\n"                                                                                                          \
    "publish=auto|two-step\n"                                                                                                      \
    "find=@\n"                                                                                                                     \
    "insert=@\n"

static struct slab_table *table_of(struct engine_table *table) { return (struct slab_table *)table; }

/* ---- Options ------------------------------------------------------------------------------------------------------------------------- */

/* Sets one option; false if the value is none of its values.  *known: whether there is such an option. */
static bool option_set(void *options, const char *name, const char *value, bool *known)
{
    struct slab_options *o = (struct slab_options *)options;
    int x = -1;
    *known = true;
    if (!strcmp(name, "utilisation")) return (o->utilisation = option_fraction(value, 0.05, 0.90)) > 0;
    if (!strcmp(name, "growth")) return o->chain = (x = option_choice(value, "double|chain")) == 1, x >= 0;
    if (!strcmp(name, "memory")) return (o->memory = option_choice(value, "auto|light|paper")) >= 0;
    if (!strcmp(name, "reads")) return (o->reads = option_choice(value, "auto|half|slab")) >= 0;
    if (!strcmp(name, "hash")) return o->universal = (x = option_choice(value, "mix|universal")) == 1, x >= 0;
    if (!strcmp(name, "publish")) return o->two_step = (x = option_choice(value, "auto|two-step")) == 1, x >= 0;
    return policy_kernel_option(&o->kernels, name, value, known);
}

static roost_status options_parse(struct slab_options *o, const struct engine_config *config, struct error *error)
{
    o->utilisation = 0.60;
    o->memory = SLAB_MEMORY_AUTO;
    o->reads = SLAB_READS_AUTO;
    return policy_options(&slab_engine, config, option_set, o, &o->kernels, error);
}

/* ---- Creation ------------------------------------------------------------------------------------------------------------------------ */

static const struct shape shapes[] = {SLAB_SHAPES(ROOST_SHAPE_ROW) ROOST_SHAPE_ANY(ROOST_SHAPE_ROW)};

static struct kernels kernels_of(const struct backend *b)
{
    struct kernels set;
#if defined(ROOST_WITH_CUDA)
    set = b->operations->machine == MACHINE_CUDA ? slab_cuda_kernels() : slab_host_kernels();
#else
    set = slab_host_kernels();
#endif
    set.atomic128 &= b->atomic128;
    return set;
}

/* Pairs of 16 bytes are published in two steps where that is asked for, or nothing else works. */
static int shape_choose(const struct slab_table *t, int key_bytes, int value_bytes)
{
    const bool pairs = !t->options.two_step && t->base.kernels.atomic128;
    for (int i = 0; i < SHAPE_any; i++)
        if (shapes[i].key_bytes == key_bytes && shapes[i].value_bytes == value_bytes &&
            (shapes[i].word == SLAB_WORD || (shapes[i].word == SLAB_PAIR) == pairs))
            return i;
    return -1;
}

/* What reads slabs whole, where it is asked for and stamped; by reads=auto not where that leaves the caller without the kernel that is
 * asked for. */
static int operation_choose(const struct slab_table *t, int choice, int halves, int slabs, int shape)
{
    const struct kernel_ask *ask = &t->options.kernels.of[choice];
    const bool automatic = t->options.reads == SLAB_READS_AUTO;
    if (t->options.reads == SLAB_READS_HALF || (automatic && t->bucket_keys <= t->shape.slots)) return halves;
    const bool asked = automatic && ask->driver >= 0;
    return kernels_find(t->base.kernels, slabs, shape, asked ? ask->driver : -1, asked ? ask->lanes : 0) ? slabs : halves;
}

static roost_status table_kernels(struct slab_table *t, int shape)
{
    const int find = t->options.kernels.by_slots ? SLAB_findslot : operation_choose(t, 0, SLAB_find, SLAB_findslab, shape);
    const int operations[] = {find, operation_choose(t, 1, SLAB_insert, SLAB_insertslab, shape), SLAB_erase,
                              operation_choose(t, 3, SLAB_apply, SLAB_applyslab, shape), SLAB_every};
    const roost_status status = policy_kernels(&t->base, &t->options.kernels, shape, operations);
    t->find = t->base.chosen[0];
    t->insert = t->base.chosen[1];
    t->erase = t->base.chosen[2];
    t->apply = t->base.chosen[3];
    t->every = t->base.chosen[4];
    t->rebuild = kernels_default(t->base.kernels, SLAB_rebuild, SHAPE_any);
    t->survey = kernels_default(t->base.kernels, SLAB_survey, SHAPE_any);
    t->export_pairs = kernels_default(t->base.kernels, SLAB_export, SHAPE_any);
    t->codes = kernels_default(t->base.kernels, SLAB_codes, SHAPE_any);
    return status;
}

static roost_status table_prepare(const struct slab_table *t)
{
    const struct kernel *const all[] = {t->find,    t->insert, t->erase,        t->apply, t->every,
                                        t->rebuild, t->survey, t->export_pairs, t->codes};
    return kernels_prepare(t->base.backend, all, sizeof all / sizeof all[0]);
}

static roost_status bounds_check(const struct slab_table *t)
{
    return t->growth && !t->options.chain ? policy_doubling_bounds(t->min_fill, t->max_fill, t->base.error) : ROOST_OK;
}

/* How many keys a bucket is meant for, and what of that counts as its slots: at least those of its base slab. */
static roost_status buckets_plan(struct slab_table *t)
{
    t->bucket_keys = slab_keys_for(t->shape, t->options.utilisation);
    if (t->bucket_keys <= 0)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "utilisation=%.2f: slabs with %d slots of %d bytes do not reach it",
                         t->options.utilisation, t->shape.slots, slab_slot_bytes(t->shape));
    t->bucket_slots = fmax(t->shape.slots, t->bucket_keys / t->max_fill);
    return ROOST_OK;
}

static roost_status keys_check(const struct slab_table *t, uint64_t keys)
{
    if ((double)keys * (double)slab_slot_bytes(t->shape) <= 1e18) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_ARGUMENT, "%" PRIu64 " keys: their bytes overflow", keys);
}

static roost_status table_configure(struct slab_table *t, const struct engine_config *config)
{
    roost_status status = options_parse(&t->options, config, t->base.error);
    if (status) return status;
    const int shape = shape_choose(t, config->key_bytes, config->value_bytes);
    if (shape < 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "slab: %d+%d bytes were not built", config->key_bytes,
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
    t->view.multi = (config->config->flags & ROOST_MULTI) != 0;
    t->ledger.stats.longest_list = 1;
    status = bounds_check(t);
    if (!status) status = keys_check(t, t->floor_keys);
    if (!status) status = buckets_plan(t);
    if (!status) status = table_kernels(t, shape);
    return status ? status : table_prepare(t);
}

static void slab_destroy(struct engine_table *table)
{
    struct slab_table *t = table_of(table);
    slab_unmake(t);
    lists_release(&t->lists);
    ledger_release(&t->ledger);
    host_delete(&t->base.backend->allocator, t, sizeof *t);
}

static roost_status slab_create(struct engine_table **table, const struct engine_config *config, struct backend *b,
                                struct error *error)
{
    struct slab_table *t = (struct slab_table *)policy_new(sizeof *t, &slab_engine, config, b, error);
    if (!t) return ROOST_ERR_MEMORY;
    t->base.kernels = kernels_of(b);
    roost_status status = table_configure(t, config);
    if (!status) status = slab_words_make(t);
    if (!status) status = slab_make(t);
    if (!status) status = lists_begin(&t->lists, &t->base, SLAB_CHUNK, 0);
    if (status) slab_destroy(&t->base);
    else *table = &t->base;
    return status;
}

/* ---- Kernels -------------------------------------------------------------------------------------------------------------------------- */

/* Lists this long are looked through for tombstones before they get longer; a list of live keys is looked through once a slab. */
enum { FLUSH_LENGTH = 8 };

struct slab_view slab_view_now(const struct slab_table *t)
{
    struct slab_view view = t->view;
    view.pool = t->pool.pool;
    view.flush_length = FLUSH_LENGTH;
    return view;
}

struct slab_args slab_batch_args(const struct slab_table *t, const struct batch *batch)
{
    struct slab_args args;
    memset(&args, 0, sizeof args);
    args.view = slab_view_now(t);
    args.batch = *batch;
    args.batch.counters = &t->words->counters;
    args.batch.value_type = (uint8_t)t->value_type;
    args.batch.saturate = t->saturate;
    args.batch.park_status = ROOST_ITEM_FULL;
    return args;
}

roost_status slab_launch(struct slab_table *t, const struct kernel *k, const struct slab_args *args)
{
    struct backend *b = t->base.backend;
    if (args->batch.keys) return backend_launch(b, k, args, sizeof *args, args->batch.n); /* counted: its items are a batch's */
    return b->operations->launch(b, k, args, sizeof *args, args->batch.n);
}

/* ---- Finds, erases, all of a key ------------------------------------------------------------------------------------------------------- */

static roost_status slab_find(struct engine_table *table, const struct batch *batch)
{
    struct slab_table *t = table_of(table);
    ledger_catch_up(&t->ledger);
    struct slab_args args = slab_batch_args(t, batch);
    if (!ROOST_PROBES) args.batch.counters = NULL; /* finds count nothing but probes */
    return slab_launch(t, t->find, &args);
}

/* A key's list begins in its bucket's slab; few go on in slabs that lie elsewhere.  Inserts gain nothing.  Calls that may make the table grow or
 * shrink leave it all memory. */
static uint32_t slab_code_bits(const struct engine_table *table, enum engine_call call, uint64_t n, bool *pays)
{
    const struct slab_table *t = (const struct slab_table *)table;
    *pays = slab_table_bytes(t) >= (call == ENGINE_ERASE ? POLICY_ERASES_FAR : POLICY_FAR) && call != ENGINE_INSERT;
    if (call == ENGINE_INSERT && slab_would_grow(t, t->count + t->ledger.coming + n)) return 0;
    if (call == ENGINE_ERASE && slab_would_shrink(t, t->count > n ? t->count - n : 0)) return 0;
    return PARTITION_DIGIT;
}

static roost_status slab_codes(struct engine_table *table, const struct batch *batch, const struct partition_codes *codes)
{
    struct slab_table *t = table_of(table);
    struct slab_args args = slab_batch_args(t, batch);
    args.batch.counters = NULL;
    args.batch.n = partition_coded_items(codes);
    args.transfer.shape = t->shape;
    args.transfer.codes = *codes;
    return slab_launch(t, t->codes, &args);
}

static roost_status slab_count(struct engine_table *table, const struct batch *batch)
{
    struct slab_table *t = table_of(table);
    ledger_catch_up(&t->ledger);
    struct slab_args args = slab_batch_args(t, batch);
    args.batch.counters = NULL;
    args.batch.mode = SLAB_EVERY_COUNT;
    return slab_launch(t, t->every, &args);
}

/* Must an erase of n items wait, because the table may have to shrink?  (How many pairs erasing all of a key takes nobody knows.) */
static bool erase_waits(const struct slab_table *t, uint64_t n)
{
    const uint64_t most = t->ledger.going + n;
    if (t->base.backend->capturing) return false;
    return !t->base.backend->enqueue || t->ledger.refused || t->ledger.broken ||
           slab_would_shrink(t, t->count > most ? t->count - most : 0);
}

static roost_status erase_waiting(struct slab_table *t, const struct kernel *k, const struct slab_args *args)
{
    struct counters since;
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = false;
    if (!status) status = slab_launch(t, k, args);
    if (!status) status = ledger_read(&t->ledger, &since);
    if (!status) t->ledger.stats.erased += since.erased;
    if (!status) status = slab_shrink(t, UINT32_MAX);
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, status);
}

static roost_status erase_batch(struct slab_table *t, const struct kernel *k, const struct slab_args *args, bool waits)
{
    if (t->base.backend->capturing && t->growth) return policy_no_capture(t->base.error);
    if (waits || erase_waits(t, args->batch.n)) return erase_waiting(t, k, args);
    t->ledger.going += args->batch.n;
    t->ledger.behind = true;
    return ledger_enqueued(&t->ledger, slab_launch(t, k, args));
}

static roost_status slab_erase(struct engine_table *table, const struct batch *batch)
{
    struct slab_table *t = table_of(table);
    ledger_catch_up(&t->ledger);
    const struct slab_args args = slab_batch_args(t, batch);
    return erase_batch(t, t->erase, &args, false);
}

static roost_status slab_erase_all(struct engine_table *table, const struct batch *batch)
{
    struct slab_table *t = table_of(table);
    ledger_catch_up(&t->ledger);
    struct slab_args args = slab_batch_args(t, batch);
    args.batch.mode = SLAB_EVERY_ERASE;
    return erase_batch(t, t->every, &args, !t->base.backend->capturing);
}

/* ---- The rest -------------------------------------------------------------------------------------------------------------------------- */

/* Room for so many keys; a table that was refused the memory is as good as before. */
static roost_status make_room(struct slab_table *t, uint64_t keys)
{
    const roost_status status = slab_enlarge_for(t, keys);
    return status == ROOST_ERR_MEMORY ? status : ledger_ended(&t->ledger, status);
}

static roost_status slab_reserve(struct engine_table *table, uint64_t keys)
{
    struct slab_table *t = table_of(table);
    roost_status status = keys_check(t, keys);
    if (status) return status;
    status = ledger_wait(&t->ledger);
    if (status) return ledger_ended(&t->ledger, status);
    t->ledger.refused = false;
    status = make_room(t, keys);
    if (status) return status;
    t->floor_keys = keys;
    t->ledger.behind = false;
    return ledger_ended(&t->ledger, slab_shrink(t, UINT32_MAX));
}

static roost_status slab_clear(struct engine_table *table)
{
    struct slab_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = slab_make_empty(t);
    t->ledger.refused = t->ledger.behind = false;
    return ledger_ended(&t->ledger, status);
}

static roost_status slab_sync(struct engine_table *table, uint64_t *items_failed)
{
    struct slab_table *t = table_of(table);
    *items_failed = 0;
    roost_status status = backend_wait(table->backend);
    if (!status) status = ledger_wait(&t->ledger);
    if (!status) { /* what calls before could not do */
        t->ledger.refused = t->ledger.behind = false;
        status = slab_settle(t);
        if (!status) status = slab_shrink(t, UINT32_MAX);
    }
    return status ? ledger_ended(&t->ledger, status) : ledger_failures(&t->ledger, t->growth, items_failed);
}

static roost_status slab_compact(struct engine_table *table)
{
    struct slab_table *t = table_of(table);
    roost_status status = ledger_wait(&t->ledger);
    if (!status) status = slab_flush(t);
    if (!status && t->growth && t->options.memory == SLAB_MEMORY_AUTO) status = slab_pool_trim(&t->pool, table->backend);
    return ledger_ended(&t->ledger, status);
}

/* ---- Views ------------------------------------------------------------------------------------------------------------------------------ */

static struct slab_user_view view_of(const struct slab_table *t, uint16_t takes)
{
    struct slab_user_view view;
    memset(&view, 0, sizeof view);
    view.layout = SLAB_VIEW_LAYOUT;
    view.at = slab_view_now(t);
    view.key_bytes = (uint8_t)t->shape.key_bytes;
    view.value_bytes = (uint8_t)t->shape.value_bytes;
    view.kind = (uint8_t)t->shape.word;
    view.value_type = (uint8_t)t->value_type;
    view.saturate = t->saturate;
    view.takes = takes;
    return view;
}

/* Memory for so many new keys; for pairs of a multimap, which may all have one key, whatever lists they go to. */
static roost_status view_room(struct slab_table *t, uint64_t inserts)
{
    const roost_status status = t->options.chain ? slab_room_reserve(t, t->count + inserts) : make_room(t, t->count + inserts);
    if (status || !t->view.multi) return status;
    return slab_units_reserve(t, inserts / (unsigned)t->shape.slots + t->view.buckets + 2);
}

/* The caller's kernels must have this library's layout and hash functions. */
static roost_status view_layout_check(const void *view, size_t bytes, struct error *error)
{
    uint64_t layout = 0;
    if (bytes >= sizeof layout) memcpy(&layout, view, sizeof layout);
    if (bytes == sizeof(struct slab_user_view) && layout == SLAB_VIEW_LAYOUT) return ROOST_OK;
    return error_set(error, ROOST_ERR_ARGUMENT,
                     "the view has %zu bytes of layout %#" PRIx64 ", the library's %zu of layout %#" PRIx64
                     ": begin with roost_slab_view_make(), and compile the kernels with this library's roost/device/slab.h",
                     bytes, layout, sizeof(struct slab_user_view), SLAB_VIEW_LAYOUT);
}

/* What the user's kernels will do is not known before the lists are counted. */
static roost_status slab_view_acquire(struct engine_table *table, void *view, size_t bytes, uint64_t inserts, uint16_t takes)
{
    struct slab_table *t = table_of(table);
    roost_status status = view_layout_check(view, bytes, table->error);
    if (!status) status = keys_check(t, inserts);
    if (status) return status;
    status = slab_write_begin(t);
    if (status) return ledger_ended(&t->ledger, status);
    if (t->growth) status = view_room(t, inserts);
    if (status) return status;
    *(struct slab_user_view *)view = view_of(t, takes);
    t->ledger.viewed = t->ledger.broken = true;
    return ROOST_OK;
}

static roost_status slab_view_release(struct engine_table *table)
{
    struct slab_table *t = table_of(table);
    t->ledger.viewed = false;
    roost_status status = ledger_wait(&t->ledger);
    t->ledger.refused = t->ledger.behind = false;
    if (!status) status = slab_settle(t);
    if (!status) status = slab_shrink(t, UINT32_MAX);
    return ledger_ended(&t->ledger, status);
}

const struct engine slab_engine = {
    .name = "slab",
    .summary = "chained slab lists, finds, inserts and erases in one kernel (Ashkiani et al.)",
    .operations = "insert (assign keep add min max append), find, erase, mixes, all of a key, export",
    .widths = "4+4 8+8 8+4 4+8 4+0 8+0",
    .options = OPTIONS_TEXT,
    .parameters = PARAMETERS_TEXT,
    .choices = "find|insert|erase|apply|every",
    .drivers = "lane|tile|cooperative|once",
    .load_option = "utilisation",
    .captures = true,
    .create = slab_create,
    .destroy = slab_destroy,
    .clear = slab_clear,
    .reserve = slab_reserve,
    .sync = slab_sync,
    .insert = slab_insert,
    .find = slab_find,
    .erase = slab_erase,
    .export_pairs = slab_export,
    .stats = slab_stats,
    .check = slab_check,
    .apply = slab_apply,
    .count = slab_count,
    .find_all = slab_count,
    .erase_all = slab_erase_all,
    .compact = slab_compact,
    .view_acquire = slab_view_acquire,
    .view_release = slab_view_release,
    .code_bits = slab_code_bits,
    .codes = slab_codes,
    .by_region = 1 << ENGINE_FIND | 1 << ENGINE_INSERT | 1 << ENGINE_ERASE,
    .multi = true,
};
