/* DyCuckoo's policy, for both machines: creation, batches, when to grow and shrink, statistics. */
#include "engines/dycuckoo/dycuckoo.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engines/dycuckoo/dycuckoo_engine.h"
#include "engines/dycuckoo/dycuckoo_table.h"
#include "portable/hash_seeds.h"
#include "portable/options.h"

#define OPTIONS_TEXT                                                                                                               \
    "subtables=4: number of subtables, 2 to 8\n"                                                                                   \
    "slots=8: slots of a bucket, 4, 8, 16 or 32 (4+4 bytes; 4+0 has 16, other widths 8)\n"                                         \
    "layers=2: 2: two homes a key; 1: a home in every subtable (4+4 bytes)\n"                                                      \
    "resize=one: grow one subtable at a time, or all\n"                                                                            \
    "hash=mix: hash family, mix or universal (4-byte keys)\n"                                                                      \
    "weights=vacant: spread new keys by vacant slots, or by the paper's n/C(m,2)\n"                                                \
    "publish=auto: pairs that fit one word are published lock-free; locked: under bucket locks (4+4 bytes)\n"                      \
    "driver=auto: how a tile shares a batch: lane, tile, cooperative or vote, where the engine has that pair\n"                    \
    "tile=auto: lanes of a tile, where such a kernel was built\n"

static struct dycuckoo_table *table_of(struct engine_table *table) { return (struct dycuckoo_table *)table; }

/* ---- Options ------------------------------------------------------------------------------------------------------------------------- */

/* The value's place in a list "a|b|c", or -1. */
static int choice(const char *value, const char *list)
{
    const size_t length = strlen(value);
    for (int i = 0;; i++) {
        const size_t word = strcspn(list, "|");
        if (word == length && !memcmp(list, value, word)) return i;
        if (!list[word]) return -1;
        list += word + 1;
    }
}

static int number(const char *value, int low, int high)
{
    char *end;
    const long x = strtol(value, &end, 10);
    return *end || end == value || x < low || x > high ? -1 : (int)x;
}

/* Sets one option; false if the value is none of its values.  *known: whether there is such an option. */
static bool option_set(struct dycuckoo_options *o, const char *name, const char *value, bool *known)
{
    int x = -1;
    *known = true;
    if (!strcmp(name, "subtables")) return o->subtables = (uint32_t)(x = number(value, 2, MAX_SUBTABLES)), x >= 0;
    if (!strcmp(name, "slots")) return (o->slots = number(value, 4, 32)) >= 4 && (o->slots & (o->slots - 1)) == 0;
    if (!strcmp(name, "layers")) return o->layers = (uint32_t)(x = number(value, 1, 2)), x >= 0;
    if (!strcmp(name, "resize")) return o->resize_all = (x = choice(value, "one|all")) == 1, x >= 0;
    if (!strcmp(name, "hash")) return o->universal = (x = choice(value, "mix|universal")) == 1, x >= 0;
    if (!strcmp(name, "weights")) return o->weights_paper = (x = choice(value, "vacant|paper")) == 1, x >= 0;
    if (!strcmp(name, "publish")) return o->locked = (x = choice(value, "auto|locked")) == 1, x >= 0;
    if (!strcmp(name, "driver")) return o->driver = (x = choice(value, "auto|lane|tile|cooperative|vote")) - 1, x >= 0;
    if (!strcmp(name, "tile")) return o->tile = number(value, 1, 32), o->tile > 0 || !strcmp(value, "auto");
    return *known = false;
}

static roost_status options_parse(struct dycuckoo_options *o, const char *text, struct error *error)
{
    char name[32], value[32];
    bool known;
    const struct dycuckoo_options defaults = {4, 2, 0, -1, 0, false, false, false, false};
    *o = defaults;
    for (int more; (more = options_next(&text, name, value)) != 0;) {
        if (more < 0) return error_set(error, ROOST_ERR_ARGUMENT, "options: expected name=value,name=value at \"%.40s\"", text);
        if (option_set(o, name, value, &known)) continue;
        if (!known) return error_set(error, ROOST_ERR_NOT_FOUND, "engine dycuckoo has no option \"%s\"", name);
        return error_set(error, ROOST_ERR_ARGUMENT, "option %s=%s: no such value", name, value);
    }
    if (o->tile < 0) o->tile = 0;
    return ROOST_OK;
}

/* ---- Creation ------------------------------------------------------------------------------------------------------------------------ */

#define SHAPE_ROW(name, key, value, slots, word, homes) {key, value, slots, word, homes},
static const struct shape shapes[] = {DYCUCKOO_SHAPES(SHAPE_ROW) DYCUCKOO_ANY_SHAPE(SHAPE_ROW)};

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

static const struct kernel *kernel_find(struct dycuckoo_kernels set, int operation, int shape, int driver, int lanes)
{
    for (size_t i = 0; i < set.count; i++) {
        const struct kernel *k = &set.kernel[i];
        if (k->operation == operation && k->shape == shape && (driver < 0 || k->driver == driver) && (!lanes || k->tile == lanes))
            return k;
    }
    return NULL;
}

static struct dycuckoo_kernels kernels_of(const struct backend *b)
{
#if defined(ROOST_WITH_CUDA)
    if (b->operations->machine == MACHINE_CUDA) return dycuckoo_cuda_kernels();
#endif
    (void)b;
    return dycuckoo_host_kernels();
}

/* An asked driver or tile holds for the operations that have such a kernel; at least one must. */
static bool kernel_choose(const struct dycuckoo_table *t, int operation, int shape, const struct kernel **k)
{
    const struct dycuckoo_kernels set = kernels_of(t->base.backend);
    const struct kernel *asked = kernel_find(set, operation, shape, t->options.driver, t->options.tile);
    *k = asked ? asked : kernel_find(set, operation, shape, -1, 0);
    return asked != NULL;
}

static roost_status kernels_choose(struct dycuckoo_table *t, int shape)
{
    bool any = kernel_choose(t, DYCUCKOO_find, shape, &t->find);
    any |= kernel_choose(t, DYCUCKOO_erase, shape, &t->erase);
    any |= kernel_choose(t, DYCUCKOO_fill, shape, &t->fill);
    any |= kernel_choose(t, DYCUCKOO_evict, shape, &t->evict);
    any |= kernel_choose(t, DYCUCKOO_path, shape, &t->path);
    kernel_choose(t, DYCUCKOO_grow, SHAPE_any, &t->grow);
    kernel_choose(t, DYCUCKOO_halve, SHAPE_any, &t->halve);
    kernel_choose(t, DYCUCKOO_export, SHAPE_any, &t->export_pairs);
    kernel_choose(t, DYCUCKOO_estimate, SHAPE_any, &t->estimate);
    return any ? ROOST_OK
               : error_set(t->base.error, ROOST_ERR_UNSUPPORTED, "no kernel of this width has the asked driver and tile");
}

/* Now, not in the middle of somebody's streams. */
static roost_status kernels_prepare(const struct dycuckoo_table *t)
{
    const struct kernel *const all[] = {t->find, t->erase, t->fill,         t->evict,   t->path,
                                        t->grow, t->halve, t->export_pairs, t->estimate};
    roost_status status = ROOST_OK;
    for (size_t i = 0; !status && i < sizeof all / sizeof all[0]; i++)
        status = t->base.backend->operations->prepare(t->base.backend, all[i]);
    return status;
}

static roost_status bounds_check(const struct dycuckoo_table *t)
{
    const double d = (double)t->options.subtables;
    if (t->growth && t->min_fill > 0 && t->min_fill >= t->max_fill * d / (d + 1))
        return error_set(
            t->base.error, ROOST_ERR_ARGUMENT,
            "fill bounds %.3f..%.3f: with %u subtables the lower must be below %.3f, or growing would lead to shrinking",
            t->min_fill, t->max_fill, t->options.subtables, t->max_fill * d / (d + 1));
    return ROOST_OK;
}

static roost_status table_configure(struct dycuckoo_table *t, const struct engine_config *config)
{
    roost_status status = options_parse(&t->options, config->config->options, t->base.error);
    if (status) return status;
    const int shape = shape_choose(&t->options, config->key_bytes, config->value_bytes);
    if (shape < 0)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                         "dycuckoo: %d+%d bytes with these options (slots, layers, publish) were not built", config->key_bytes,
                         config->value_bytes);
    if (t->options.universal && config->key_bytes != 4)
        return error_set(t->base.error, ROOST_ERR_UNSUPPORTED,
                         "hash=universal is for 4-byte keys: its prime must be above the key universe");
    t->shape = shapes[shape];
    t->value_type = config->value_type;
    t->growth = config->config->growth != 0;
    t->saturate = config->config->saturate != 0;
    t->min_fill = config->config->min_fill;
    t->max_fill = config->config->max_fill;
    t->floor_keys = config->config->capacity;
    t->view.subtables = t->options.subtables;
    t->view.excluded = SPECIAL + 1;
    hash_seeds_draw(&t->view.seeds, t->options.universal ? HASH_UNIVERSAL : HASH_MIX, config->config->seed);
    status = bounds_check(t);
    if (!status) status = kernels_choose(t, shape);
    return status ? status : kernels_prepare(t);
}

/* What the kernels write besides the table. */
struct counters_and_lists {
    struct counters counters;
    uint64_t list_n[DYCUCKOO_PASSES];
};

enum { COUNTERS_BYTES = (sizeof(struct counters_and_lists) + 63) / 64 * 64 };

static roost_status counters_make(struct dycuckoo_table *t)
{
    void *memory;
    const roost_status status = backend_allocate(t->base.backend, COUNTERS_BYTES, &memory);
    if (status) return status;
    t->counters = (struct counters *)memory;
    t->list_n = (uint64_t *)(t->counters + 1);
    return t->base.backend->operations->fill(t->base.backend, memory, 0, COUNTERS_BYTES);
}

static void dycuckoo_destroy(struct engine_table *table)
{
    struct dycuckoo_table *t = table_of(table);
    struct backend *b = t->base.backend;
    dycuckoo_unmake(t);
    dycuckoo_lists_release(t);
    backend_release(b, t->counters, COUNTERS_BYTES);
    free(t);
}

static roost_status dycuckoo_create(struct engine_table **table, const struct engine_config *config, struct backend *b,
                                    struct error *error)
{
    struct dycuckoo_table *t = (struct dycuckoo_table *)calloc(1, sizeof *t);
    if (!t) return error_set(error, ROOST_ERR_MEMORY, "no memory for the table's description");
    t->base.engine = &dycuckoo_engine;
    t->base.backend = b;
    t->base.error = error;
    roost_status status = table_configure(t, config);
    if (!status) status = dycuckoo_make(t);
    if (!status) status = counters_make(t);
    if (!status) status = dycuckoo_lists(t, 1); /* short lists from the start: however little memory is left, inserts go on */
    if (status) dycuckoo_destroy(&t->base);
    else *table = &t->base;
    return status;
}

/* ---- Counters ------------------------------------------------------------------------------------------------------------------------ */

/* Counters only rise, so no kernel has to be waited for before they are reset; what came since the last read is the difference. */
static void counters_since(const struct counters *now, const struct counters *before, struct counters *since)
{
    const uint64_t *a = (const uint64_t *)now, *b = (const uint64_t *)before;
    uint64_t *c = (uint64_t *)since;
    for (size_t i = 0; i < sizeof *now / sizeof *a; i++) c[i] = a[i] - b[i];
    since->max_bucket_reads = now->max_bucket_reads;
}

/* One wait brings the counters and, behind them, the lists' lengths. */
roost_status dycuckoo_read_counters(struct dycuckoo_table *t, struct counters *since)
{
    struct counters_and_lists now;
    const roost_status status = backend_read(t->base.backend, &now, t->counters, sizeof now);
    if (status) return status;
    counters_since(&now.counters, &t->seen, since);
    t->seen = now.counters;
    memcpy(t->waiting, now.list_n, sizeof t->waiting);
    for (int i = 0; i <= MAX_SUBTABLES; i++) t->count[i] += since->stored[i];
    t->stats.evicted += since->evicted;
    t->stats.put_back += since->put_back;
    t->stats.bucket_reads += since->bucket_reads;
    t->stats.max_bucket_reads = since->max_bucket_reads;
    if (since->untidy || since->erased) t->view.tidy = 0;
    for (int i = 0; i < ROOST_PATH_LENGTHS; i++) t->stats.path_length[i] += since->path_length[i];
    const uint64_t expected = t->expected_moves;
    t->expected_moves = 0;
    if (since->moved == expected) return ROOST_OK;
    return error_set(t->base.error, ROOST_ERR_CORRUPT, "resizing moved %" PRIu64 " pairs where the subtables held %" PRIu64,
                     since->moved, expected);
}

/* ---- Find, erase, the rest -------------------------------------------------------------------------------------------------------------- */

static roost_status launch_batch(struct dycuckoo_table *t, const struct kernel *k, const struct batch *batch, bool counts)
{
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    if (t->base.backend->capturing) args.view.tidy = 0; /* it need not be tidy any more when the graph is launched */
    args.batch = dycuckoo_batch_slice(t, batch, 0, batch->n);
    if (!counts) args.batch.counters = NULL;
    return t->base.backend->operations->launch(t->base.backend, k, &args, sizeof args, batch->n);
}

static roost_status dycuckoo_find(struct engine_table *table, const struct batch *batch)
{
    return launch_batch(table_of(table), table_of(table)->find, batch, ROOST_PROBES); /* finds count nothing but probes */
}

static roost_status dycuckoo_erase(struct engine_table *table, const struct batch *batch)
{
    struct dycuckoo_table *t = table_of(table);
    struct counters since;
    t->refused = false;
    roost_status status = launch_batch(t, t->erase, batch, true);
    if (!status) status = dycuckoo_read_counters(t, &since);
    if (!status) t->stats.erased += since.erased;
    if (!status && t->growth) status = dycuckoo_shrink(t, false);
    return dycuckoo_ended(t, status);
}

static roost_status dycuckoo_reserve(struct engine_table *table, uint64_t keys)
{
    struct dycuckoo_table *t = table_of(table);
    const uint64_t slots = dycuckoo_slots(t);
    roost_status status = ROOST_OK;
    if ((double)keys * (double)(t->shape.key_bytes + t->shape.value_bytes) > 1e18)
        return error_set(t->base.error, ROOST_ERR_ARGUMENT, "%" PRIu64 " keys: their bytes overflow", keys);
    t->refused = false;
    if (!dycuckoo_growth_fits(t, keys))
        return error_set(t->base.error, ROOST_ERR_MEMORY, "room for %" PRIu64 " keys would pass the memory limit", keys);
    while (!status && (double)dycuckoo_slots(t) * t->max_fill < (double)keys) status = dycuckoo_enlarge(t, false);
    if (status) {
        const struct error why = *t->base.error;
        (void)dycuckoo_shrink_back(t, slots); /* if this is refused, too, the table stays larger than it was */
        *t->base.error = why;
        return dycuckoo_ended(t, status);
    }
    t->floor_keys = keys;
    return t->growth ? dycuckoo_shrink(t, false) : ROOST_OK;
}

/* All slots vacant, then as small as the reservation allows; the halvings of an empty table move nothing. */
static roost_status dycuckoo_clear(struct engine_table *table)
{
    struct dycuckoo_table *t = table_of(table);
    struct backend *b = t->base.backend;
    t->refused = true; /* until all is done: what is half cleared is neither tidy nor filled within the bounds */
    t->view.tidy = 0;
    for (uint32_t i = 0; i <= MAX_SUBTABLES; i++) {
        const struct dycuckoo_subtable *sub = &t->view.sub[i];
        if (!sub->buckets) continue;
        const size_t bytes = (size_t)sub->bucket_count * shape_bucket_bytes(t->shape);
        const roost_status status = b->operations->fill(b, sub->buckets, i == SPECIAL ? 0xff : 0, bytes);
        if (status) return status;
        t->count[i] = 0;
    }
    dycuckoo_set_tidy(t);
    t->refused = false;
    return dycuckoo_ended(t, t->growth ? dycuckoo_shrink(t, true) : ROOST_OK);
}

static roost_status dycuckoo_sync(struct engine_table *table, uint64_t *items_failed)
{
    struct dycuckoo_table *t = table_of(table);
    *items_failed = 0; /* inserts and erases have waited themselves */
    roost_status status = backend_wait(table->backend);
    if (status || !t->refused || !t->growth) return status;
    t->refused = false; /* what a call before could not do */
    status = dycuckoo_settle(t);
    if (!status) status = dycuckoo_shrink(t, false);
    return dycuckoo_ended(t, status);
}

/* ---- Export ------------------------------------------------------------------------------------------------------------------------------ */

/* Where a cursor's position, a number of buckets counted through all subtables, lies. */
static bool cursor_place(const struct dycuckoo_table *t, uint64_t position, uint32_t *sub, uint64_t *bucket)
{
    for (uint32_t i = 0; i <= MAX_SUBTABLES; i++) {
        const uint64_t buckets = t->view.sub[i].buckets ? t->view.sub[i].bucket_count : 0;
        if (position < buckets) {
            *sub = i, *bucket = position;
            return true;
        }
        position -= buckets;
    }
    return false;
}

roost_status dycuckoo_export_buckets(struct dycuckoo_table *t, uint32_t sub, uint64_t first, uint64_t n, void *keys, void *values)
{
    struct dycuckoo_args args;
    memset(&args, 0, sizeof args);
    args.view = t->view;
    args.batch.n = n;
    args.transfer.shape = t->shape;
    args.transfer.sub = sub;
    args.transfer.from = t->view.sub[sub].buckets + first * shape_bucket_bytes(t->shape);
    args.transfer.keys = keys;
    args.transfer.values = values;
    args.transfer.pairs_n = &t->list_n[0];
    return t->base.backend->operations->launch(t->base.backend, t->export_pairs, &args, sizeof args, n);
}

/* Exports as many whole buckets as are sure to fit, again and again until none is. */
static roost_status dycuckoo_export(struct engine_table *table, roost_cursor *cursor, void *keys, void *values, size_t room,
                                    size_t *n)
{
    struct dycuckoo_table *t = table_of(table);
    struct backend *b = t->base.backend;
    uint64_t written = 0;
    roost_status status = dycuckoo_list_clear(t, 0, 1);
    while (!status && room - written >= (uint64_t)t->shape.slots) {
        uint32_t sub;
        uint64_t bucket, fit = (room - written) / (uint64_t)t->shape.slots;
        cursor->end = !cursor_place(t, cursor->position, &sub, &bucket);
        if (cursor->end) break;
        if (fit > t->view.sub[sub].bucket_count - bucket) fit = t->view.sub[sub].bucket_count - bucket;
        status = dycuckoo_export_buckets(t, sub, bucket, fit, keys, values);
        if (!status) status = backend_read(b, &written, &t->list_n[0], sizeof written);
        cursor->position += fit;
    }
    *n = written;
    return status;
}

/* ---- Statistics --------------------------------------------------------------------------------------------------------------------------- */

static roost_status dycuckoo_stats(struct engine_table *table, roost_stats *stats)
{
    struct dycuckoo_table *t = table_of(table);
    struct counters since;
    const roost_status status = ROOST_PROBES || t->refused
                                    ? dycuckoo_read_counters(t, &since)
                                    : ROOST_OK; /* what finds, which do not wait, or a call that failed has left */
    *stats = t->stats;
    stats->count = dycuckoo_count(t);
    stats->slots = dycuckoo_slots(t);
    stats->load_factor = (double)stats->count / (double)stats->slots;
    stats->table_bytes = dycuckoo_table_bytes(t);
    stats->subtables = t->options.subtables;
    stats->slots_per_bucket = (uint32_t)t->shape.slots;
    for (uint32_t i = 0; i < t->options.subtables; i++) {
        stats->subtable_slots[i] = (uint64_t)t->view.sub[i].bucket_count * (unsigned)t->shape.slots;
        stats->subtable_count[i] = t->count[i];
    }
    return status;
}

const struct engine dycuckoo_engine = {
    "dycuckoo",
    "cuckoo hashing in several subtables, two homes a key, resized one subtable at a time (Li et al.)",
    "insert (assign keep add min max), find, erase, export",
    "4+4 8+8 8+4 4+8 4+0 8+0",
    OPTIONS_TEXT,
    dycuckoo_create,
    dycuckoo_destroy,
    dycuckoo_clear,
    dycuckoo_reserve,
    dycuckoo_sync,
    dycuckoo_insert,
    dycuckoo_find,
    dycuckoo_erase,
    dycuckoo_export,
    dycuckoo_stats,
    dycuckoo_check,
};
