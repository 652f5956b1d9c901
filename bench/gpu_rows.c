/* The GPU's rows: sized tables of several widths and options, batches with growth, and the
 * limits that they are compared with. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCHES = 100,
    MOST_LIMITS = 256,
    MOST_ZERO_COPIES = 1 << 22, /* accesses; 0.1 s at 40 million a second */
    MOST_FAST_ZERO_COPIES = 1 << 24
};

struct gpu_run {
    const struct options *o;
    const struct machine *machine;
    char device[16];
    struct gpu_facts facts;
};

/* ---- Limits ---------------------------------------------------------------------------------- */

/* A limit is measured once for each pattern and size of table; sizes that differ by at most 3 %
 * share one. For a profiler no limit is measured. */
struct known_limit {
    enum limit_pattern pattern;
    uint64_t bytes, index_bytes;
    double rate;
};

static struct known_limit known[MOST_LIMITS];
static int known_limits;

static void limit_report(const struct gpu_run *r, const char *name, enum row_unit unit, const struct limit *limit)
{
    struct row row = row_make(name, unit);
    row.rate = limit->rate;
    row.items = limit->operations;
    snprintf(row.shape, sizeof row.shape, "%s", limit->shape);
    for (int i = 0; i < LIMIT_REPETITIONS; i++) row_add_time(&row, limit->seconds[i], 0);
    report_row(r->o, row);
}

/* The limit of a copy, measured once, because its rate does not depend on its bytes. */
static struct access_limit gpu_stream_limit(const struct options *o)
{
    static struct limit copy;
    const struct gpu_run r = {.o = o};
    if (!(copy.rate > 0) && !o->profile) {
        copy = limit_cuda_copy(LIMIT_COPY_BYTES);
        limit_report(&r, "gpu/limit/copy", UNIT_BYTES, &copy);
    }
    return (struct access_limit){"copy", copy.rate};
}

/* The limit of copies between pinned memory and the GPU, in items per second; each kind is
 * measured once. */
static struct access_limit gpu_transfer_limit(const struct options *o, enum access access)
{
    enum { ITEMS = 1 << 26 };
    static double known_rate[ACCESSES];
    static const char *const names[ACCESSES] = {
        [ACCESS_TRANSFER_IN] = "transfer-8-0", [ACCESS_TRANSFER_KEYS] = "transfer-4-0", [ACCESS_TRANSFER_BOTH] = "transfer-4-5"};
    const uint64_t in = access == ACCESS_TRANSFER_IN ? 8 : 4, out = access == ACCESS_TRANSFER_BOTH ? 5 : 0;
    if (!(known_rate[access] > 0) && !o->profile) {
        char name[96];
        const struct gpu_run r = {.o = o};
        void *from = machine_pinned_allocate(in * ITEMS), *to = machine_pinned_allocate(5 * (size_t)ITEMS);
        const struct limit limit = limit_cuda_transfer(from, in * ITEMS, to, out * ITEMS, to, 0, ITEMS);
        machine_pinned_release(from);
        machine_pinned_release(to);
        snprintf(name, sizeof name, "gpu/limit/%s", names[access]);
        limit_report(&r, name, UNIT_GIGA, &limit);
        known_rate[access] = limit.rate;
    }
    return (struct access_limit){names[access], known_rate[access]};
}

static bool about_equal(uint64_t a, uint64_t b) { return a == b || fabs((double)a / (double)b - 1) < 0.03; }

static double limit_indexed(const struct gpu_run *r, enum limit_pattern pattern, uint64_t bytes, uint64_t index_bytes)
{
    char name[96];
    if (r->o->profile) return 0;
    for (int i = 0; i < known_limits; i++)
        if (known[i].pattern == pattern && about_equal(known[i].bytes, bytes) && about_equal(known[i].index_bytes, index_bytes))
            return known[i].rate;
    const bool over_host = LIMIT_OVER_HOST(pattern);
    const uint64_t most = !over_host                      ? r->o->keys
                          : bytes > LIMIT_FAST_HOST_BYTES ? MOST_ZERO_COPIES
                                                          : MOST_FAST_ZERO_COPIES,
                   accesses = r->o->keys < most ? r->o->keys : most;
    const struct limit limit = limit_cuda(pattern, bytes, index_bytes, accesses, r->o->seed);
    if (known_limits < MOST_LIMITS) known[known_limits++] = (struct known_limit){pattern, bytes, index_bytes, limit.rate};
    const int length = snprintf(name, sizeof name, "gpu/limit/%s/%.0fMB", limit_name(pattern), 1e-6 * (double)bytes);
    if (index_bytes) snprintf(name + length, sizeof name - (size_t)length, "/index-%.1fMB", 1e-6 * (double)index_bytes);
    limit_report(r, name, over_host ? UNIT_MEGA : UNIT_GIGA, &limit);
    return limit.rate;
}

static double limit_of(const struct gpu_run *r, enum limit_pattern pattern, uint64_t bytes)
{
    return limit_indexed(r, pattern, bytes, 0);
}

static void limits_all(const struct gpu_run *r, uint64_t bytes)
{
    for (int pattern = 0; pattern < LIMIT_PATTERNS; pattern++)
        if (!LIMIT_HAS_INDEX(pattern) && !LIMIT_OVER_HOST(pattern)) limit_of(r, (enum limit_pattern)pattern, bytes);
    (void)gpu_stream_limit(r->o);
}

/* The limit of the faster of two patterns. */
static struct access_limit best_limit(const struct gpu_run *r, enum limit_pattern a, enum limit_pattern b, uint64_t bytes)
{
    const double first = limit_of(r, a, bytes), second = limit_of(r, b, bytes);
    return (struct access_limit){limit_name(first >= second ? a : b), first >= second ? first : second};
}

/* Reads of one bucket. A bucket above 256 bytes is compared with reads of 256, which can only
 * lower the row's share. */
static enum limit_pattern pattern_of_bucket(uint64_t bucket_bytes)
{
    enum limit_pattern pattern = LIMIT_GATHER_8;
    for (uint64_t bytes = 8; bytes < bucket_bytes && pattern < LIMIT_GATHER_256; bytes *= 2)
        pattern = (enum limit_pattern)(pattern + 1);
    return pattern;
}

/* The pattern of the least that a find reads: a bucket, or half a slab. */
static enum limit_pattern pattern_of_find(const struct row *insert, struct workload w)
{
    const uint64_t slots = insert->stats.slots_per_bucket ? insert->stats.slots_per_bucket : 8;
    if (strcmp(insert->engine, "slab") == 0) return LIMIT_GATHER_64;
    return pattern_of_bucket(slots * (uint64_t)(w.key_bytes + w.value_bytes));
}

static struct access_limit gpu_access_limit(const struct place *p, enum access access, uint64_t bytes)
{
    if (access == ACCESS_STREAM) return gpu_stream_limit(p->o);
    if (access == ACCESS_TRANSFER_IN || access == ACCESS_TRANSFER_KEYS || access == ACCESS_TRANSFER_BOTH)
        return gpu_transfer_limit(p->o, access);
    static const enum limit_pattern patterns[ACCESSES][2] = {
        [ACCESS_SECTOR] = {LIMIT_GATHER_32, LIMIT_GATHER_32},
        [ACCESS_LINE] = {LIMIT_GATHER_64, LIMIT_GATHER_64},
        [ACCESS_SLAB] = {LIMIT_GATHER_128, LIMIT_GATHER_128},
        [ACCESS_UPDATE] = {LIMIT_READ1_CAS, LIMIT_READ1_STORE},
        [ACCESS_ZERO_COPY_READ] = {LIMIT_ZERO_COPY_READ_16, LIMIT_ZERO_COPY_READ_16},
        [ACCESS_ZERO_COPY_WRITE] = {LIMIT_ZERO_COPY_WRITE_16, LIMIT_ZERO_COPY_WRITE_16}};
    const struct gpu_run r = {.o = p->o};
    return best_limit(&r, patterns[access][0], patterns[access][1], bytes);
}

/* An entry of an index of `index_bytes` bytes, and then a bucket. */
static struct access_limit gpu_index_limit(const struct place *p, uint64_t bucket_bytes, uint64_t bytes, uint64_t index_bytes,
                                           bool values)
{
    const int wider = bucket_bytes <= 32 ? 0 : bucket_bytes <= 64 ? 1 : 2;
    const enum limit_pattern pattern = (enum limit_pattern)((values ? LIMIT_INDEX_32 : LIMIT_FLAGS_32) + wider);
    const struct gpu_run r = {.o = p->o};
    return (struct access_limit){limit_name(pattern), limit_indexed(&r, pattern, bytes, index_bytes)};
}

static struct place gpu_place(const struct gpu_run *r)
{
    return (struct place){.o = r->o,
                          .machine = r->machine,
                          .device = r->device,
                          .prefix = "gpu",
                          .keys = r->o->keys,
                          .cache_bytes = r->facts.l2_bytes,
                          .unit = UNIT_GIGA,
                          .limit = gpu_access_limit,
                          .index_limit = gpu_index_limit};
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A find is compared with one read of a bucket; an erase with one line read and one update. */
static void rows_set_limits(const struct gpu_run *r, struct table_rows *rows, struct workload w)
{
    static const double reads[TABLE_FIND_LEVELS] = {1.5, 1.75, 2.0};
    const uint64_t bytes = rows->insert.stats.table_bytes;
    const enum limit_pattern pattern = pattern_of_find(&rows->insert, w);
    const struct place p = gpu_place(r);

    place_set_insert_limit(&p, &rows->insert, w, bytes);
    place_set_limit(&p, &rows->erase, ACCESS_UPDATE, bytes);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        if (!rows->find[i].repetitions) continue;
        row_set_limit(&rows->find[i], limit_name(pattern), limit_of(r, pattern, bytes));
        if (strcmp(rows->find[i].engine, "dycuckoo") == 0) rows->find[i].bucket_reads = reads[i];
    }
    if (rows->find_erased.repetitions) row_set_limit(&rows->find_erased, limit_name(pattern), limit_of(r, pattern, bytes));
}

static void measure_case(const struct gpu_run *r, const struct table_case *c, struct arrays *a)
{
    if (!table_wanted(r->o, c->group)) return;
    struct table_rows rows = table_measure(r->o, c, a);
    if (rows.insert.stats.table_bytes) rows_set_limits(r, &rows, a->w);
    report_row(r->o, rows.insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) report_row(r->o, rows.find[i]);
    report_row(r->o, rows.erase);
    report_row(r->o, rows.find_erased);
}

static void measure_options(const struct gpu_run *r, struct arrays *a, const char *widths, const char *options, bool insert_only)
{
    char group[80];
    snprintf(group, sizeof group, "gpu/%s[%s]", widths, options);
    const struct place p = gpu_place(r);
    struct table_case c = place_case(&p, r->o->engine, options, group);
    c.insert_only = insert_only;
    c.may_lack = !insert_only;
    measure_case(r, &c, a);
}

/* A table that grows by batches; is reserved before; grows as DyCuckoo's paper has it; and shrinks
 * by batches of erases. */
static const struct batches_row {
    const char *ending, *options;
    bool reserved, erases;
} batches_rows[] = {{"", NULL, false, false},
                    {"-reserved", NULL, true, false},
                    {"/resize=one", "resize=one", false, false},
                    {"-erased", NULL, false, true}};

static void measure_batches(const struct gpu_run *r, struct arrays *a, const char *widths, const struct batches_row *b)
{
    char name[80];
    snprintf(name, sizeof name, "gpu/%s/batches%s", widths, b->ending);
    if (!options_want(r->o, name)) return;
    const struct place p = gpu_place(r);
    struct table_case c = place_case(&p, r->o->engine, b->options, name);
    c.reserved = b->reserved;
    c.may_lack = b->options != NULL;
    struct row row = table_measure_batches(&c, a, name, BATCHES, b->erases);
    if (row.stats.table_bytes) {
        const struct access_limit limit = best_limit(r, LIMIT_READ2_CAS, LIMIT_READ2_STORE, row.stats.table_bytes);
        row_set_limit(&row, limit.name, limit.rate);
    }
    report_row(r->o, row);
}

static void measure_sweep(const struct gpu_run *r, struct arrays *a, const char *widths)
{
    char *list = strdup(r->o->sweep), *rest = list;
    if (!list) return;
    for (char *options; (options = strsep(&rest, ";")) != NULL;)
        if (options[0]) measure_options(r, a, widths, options, false);
    free(list);
}

static void measure_group(const struct gpu_run *r, struct arrays *a, const char *widths)
{
    char group[32];
    snprintf(group, sizeof group, "gpu/%s", widths);
    const struct place p = gpu_place(r);
    const struct table_case c = place_case(&p, r->o->engine, NULL, group);
    measure_case(r, &c, a);
}

/* Rows that exist only at 4+4. */
static void measure_main(const struct gpu_run *r, struct arrays *a, const char *widths)
{
    const struct place p = gpu_place(r);
    measure_options(r, a, widths, "publish=locked", true);
    for (size_t i = 0; i < sizeof batches_rows / sizeof batches_rows[0]; i++) measure_batches(r, a, widths, &batches_rows[i]);
    if (options_want_some(r->o, "gpu/stream")) stream_rows(r->o, r->machine, r->device, a);
    if (r->o->sweep) measure_sweep(r, a, widths);
    slab_rows(&p, a);
    phase_rows(&p, a);
    gph_rows(&p, a);
    fks_rows(&p, a);
    stadium_rows(&p, a);
    if (r->o->ablation) ablation_rows(&p, a);
    if (r->o->figures) figure_rows(&p, a);
    if (r->o->figures) stadium_figure_rows(&p, a);
    if (r->o->figures) region_rows(&p);
    if (r->o->figures) reach_rows(&p);
}

static bool main_wanted(const struct options *o)
{
    return options_want_some(o, "gpu/stream") || options_want_some(o, "gpu/slab") || options_want_some(o, "gpu/phases") ||
           options_want_some(o, "gpu/gph") || options_want_some(o, "gpu/fks") || options_want_some(o, "gpu/stadium") ||
           (o->ablation && options_want_some(o, "gpu/ablation")) || (o->figures && options_want_some(o, "gpu/figures"));
}

static void measure_width(const struct gpu_run *r, int key_bytes, int value_bytes)
{
    char widths[8], group[32];
    snprintf(widths, sizeof widths, "%d+%d", key_bytes, value_bytes);
    snprintf(group, sizeof group, "gpu/%s", widths);
    const bool main_width = key_bytes == 4 && value_bytes == 4;
    if (!options_want_some(r->o, group) && !(main_width && main_wanted(r->o))) return;
    struct workload w = {.seed = r->o->seed, .keys = r->o->keys, .key_bytes = key_bytes, .value_bytes = value_bytes};
    struct arrays a = arrays_make(r->machine, w, 2 * w.keys);
    measure_group(r, &a, widths);
    if (main_width) measure_main(r, &a, widths);
    arrays_free(r->machine, &a);
}

/* ---- All rows -------------------------------------------------------------------------------- */

static bool gpu_open(struct gpu_run *r)
{
    const char *name = r->o->device ? r->o->device : "cuda:0";
    const char *colon = strchr(name, ':');
    int ordinal = colon ? atoi(colon + 1) : 0;
    snprintf(r->device, sizeof r->device, "cuda:%d", ordinal);
    r->machine = machine_cuda(ordinal, &r->facts);
    if (r->machine) {
        report_gpu(&r->facts);
        return true;
    }
    struct row row = row_make("gpu", UNIT_GIGA);
    row_fail(&row, r->o->device ? ROW_FAILED : ROW_UNAVAILABLE, "this machine has no GPU %s", r->device);
    report_row(r->o, row);
    return false;
}

void gpu_rows(const struct options *o)
{
    static const int widths[][2] = {{4, 4}, {8, 8}, {8, 4}, {4, 8}, {4, 0}, {8, 0}};
    struct gpu_run r = {.o = o};
    if (!gpu_open(&r)) return;
    report_heading();
    if (options_want_some(o, "gpu/limit")) limits_all(&r, (uint64_t)(8.0 * (double)o->keys / o->load));
    const size_t n = o->all_widths ? sizeof widths / sizeof widths[0] : 1;
    for (size_t i = 0; i < n; i++) measure_width(&r, widths[i][0], widths[i][1]);
    const struct place p = gpu_place(&r);
    slab_batch_rows(&p);
    slab_alloc_rows(&p);
    stadium_host_rows(&p);
    chosen_rows(&p);
    compact_rows(&p);
    ranks_rows(&p);
    relations_rows(&p);
    snapshot_rows(&p);
    if (o->house) house_rows(&p);
    if (o->figures) stadium_size_rows(&p);
    if (o->figures) fks_figure_rows(&p);
    if (o->all_widths) slab_width_rows(&p);
    if (o->all_widths) gph_width_rows(&p);
    if (o->all_widths) fks_width_rows(&p);
    if (o->all_widths) stadium_width_rows(&p);
}
