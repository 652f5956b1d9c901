/* An attack on a table, and what it costs. */
#include "fuzz/worst/worst_attack.h"

#include <roost/tuning.h>

#include "support/draw.h"
#include "support/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GENE_NAME(name, values) #name,
#define GENE_VALUES(name, values) values,
#define COST_NAME(name, bound, constant, of_a_key) #name,
#define COST_BOUND(name, bound, constant, of_a_key) {bound, constant, of_a_key},
const char *const worst_genes[GENES] = {WORST_GENES(GENE_NAME)};
const unsigned worst_values[GENES] = {WORST_GENES(GENE_VALUES)};
const char *const worst_costs[COSTS] = {WORST_COSTS(COST_NAME)};
static const struct {
    double bound, constant, of_a_key;
} bounds[COSTS] = {WORST_COSTS(COST_BOUND)};

static const char *const engines[] = {"dycuckoo", "slab", "gph", "stadium", "fks"};
static const double fills[] = {0, 0.5, 0.7, 0.8};

/* ---- Decoded genes --------------------------------------------------------------------------- */

struct attack {
    const char *engine;
    const struct test_shape *shape;
    struct crafted_set set;
    size_t keys, batch;
    double fill;
    unsigned mixed, rounds, left;
    bool growth, capacity, refill;
};

/* 2^(4 + step / 4), and a quarter of the way to the next octave for each rest: 16 to 20,000. */
static size_t size_of_step(unsigned step)
{
    const unsigned octave = step % 41 / 4, rest = step % 41 % 4;
    return (size_t)(4 + rest) << (octave + 2);
}

static struct attack attack_of(const struct genes *genes, bool random)
{
    const unsigned *const g = genes->gene;
    struct attack a = {.engine = engines[g[GENE_engine]],
                       .shape = &shapes[g[GENE_width]],
                       .keys = size_of_step(g[GENE_keys]),
                       .batch = size_of_step(g[GENE_batch]),
                       .fill = fills[g[GENE_fill]],
                       .mixed = g[GENE_mixed],
                       .rounds = g[GENE_rounds],
                       .left = g[GENE_left],
                       .growth = g[GENE_growth] != 0,
                       .capacity = g[GENE_capacity] || !g[GENE_growth],
                       .refill = g[GENE_refill] != 0};
    const struct crafted_set set = {.kind = random ? CRAFTED_RANDOM : (enum crafted_kind)g[GENE_kind],
                                    .seed = g[GENE_seed] + 1,
                                    .key_bytes = a.shape->key_bytes,
                                    .narrow = crafted_is_narrow(a.engine),
                                    .top = g[GENE_top],
                                    .skip = g[GENE_skip],
                                    .second = g[GENE_second],
                                    .pair = g[GENE_pair] != 0,
                                    .low = g[GENE_low],
                                    .shift = g[GENE_shift] % (8 * a.shape->key_bytes)};
    a.set = set;
    if (a.batch < a.keys / 64 + 1) a.batch = a.keys / 64 + 1;
    crafted_fit(&a.set, 2 * a.keys);
    return a;
}

void attack_print(const struct genes *genes)
{
    static const char *const kinds[CRAFTED_KINDS] = {"hashes", "random", "progression", "reversed", "sparse"};
    const struct attack a = attack_of(genes, false);
    printf("%s %s: %zu keys in batches of %zu, growth %d, made for them %d, fill %g, seed %llu, %s", a.engine, a.shape->name,
           a.keys, a.batch, a.growth, a.capacity, a.fill, (unsigned long long)a.set.seed, kinds[a.set.kind]);
    if (a.set.kind == CRAFTED_HASHES)
        printf(" sharing %u bits behind %u, %u of the second hash, the last %u%s", a.set.top, a.set.skip, a.set.second, a.set.low,
               a.set.pair ? ", one pair of subtables" : "");
    if (a.set.kind == CRAFTED_PROGRESSION) printf(" of 2^%u", a.set.shift);
    printf(", %u/4 of them random; %u rounds that leave 1 in %u and refill with %s keys\n", a.mixed, a.rounds, 1u << a.left,
           a.refill ? "other" : "the same");
}

/* ---- The table ------------------------------------------------------------------------------- */

/* A table under attack: the keys as patterns, and which of them are stored. */
struct victim {
    const struct attack *attack;
    roost_table *table;
    uint64_t *keys; /* twice as many as are stored at a time */
    unsigned char *array;
    uint8_t *statuses, *found;
    uint64_t *gone; /* exported keys */
    struct cost cost;
};

static void fail(struct victim *v, const char *what, roost_status status)
{
    if (v->cost.failure[0]) return;
    snprintf(v->cost.failure, sizeof v->cost.failure, "%s: %s (%s)", what, roost_status_name(status),
             v->table ? roost_last_error(v->table) : roost_last_error(NULL));
}

static void require_fine(struct victim *v, const char *what, roost_status status)
{
    if (status) fail(v, what, status);
}

static void victim_make(struct victim *v)
{
    const struct attack *a = v->attack;
    roost_config config;
    require_fine(v, "roost_config_init", roost_config_init(&config, sizeof config));
    config.engine = a->engine;
    config.device = "host";
    config.threads = 1;
    config.key_type = a->shape->key_type;
    config.value_type = a->shape->value_type;
    config.seed = a->set.seed;
    config.growth = a->growth;
    config.capacity = a->capacity ? a->keys : 0;
    if (a->fill > 0) config.max_fill = a->fill, config.min_fill = a->fill * 0.35;
    require_fine(v, "roost_table_create", roost_table_create(&v->table, &config));
}

static int keys_compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the keys, and drops those that come again: crafted and random ones may coincide. */
static size_t keys_unique(uint64_t *keys, size_t n)
{
    size_t kept = 0;
    qsort(keys, n, sizeof *keys, keys_compare);
    for (size_t i = 0; i < n; i++)
        if (!i || keys[i] != keys[kept - 1]) keys[kept++] = keys[i];
    return kept;
}

static void keys_make(struct victim *v)
{
    const struct attack *a = v->attack;
    const size_t n = 2 * a->keys;
    v->keys = crafted_keys(&a->set, n);
    for (size_t i = 0; i < n && a->set.kind != CRAFTED_RANDOM; i++)
        if (i % 4 < a->mixed) v->keys[i] = distinct_key(a->shape, n + i);
    v->array = calloc(n, 8);
    v->statuses = calloc(n, 1);
    v->found = calloc(n, 1);
    v->gone = calloc(n + ROOST_EXPORT_MIN, sizeof *v->gone);
    if (!v->array || !v->statuses || !v->found || !v->gone) abort();
}

static void victim_free(struct victim *v)
{
    roost_table_destroy(v->table);
    free(v->keys), free(v->array), free(v->statuses), free(v->found), free(v->gone);
}

/* Random keys may be among the crafted ones: a key that is there already is none that was refused.
 * */
static void insert_batch(struct victim *v, const uint64_t *keys, size_t n)
{
    roost_call call = ROOST_CALL_INIT;
    call.statuses = v->statuses;
    pack_keys(keys, n, v->attack->shape->key_bytes, v->array);
    const roost_status status = roost_insert(v->table, ROOST_KEEP, v->array, v->array, n, &call);
    size_t refused = 0;
    for (size_t i = 0; i < n; i++) refused += v->statuses[i] != ROOST_ITEM_INSERTED && v->statuses[i] != ROOST_ITEM_KEPT;
    v->cost.cost[COST_refused] += (double)refused;
    if ((status != ROOST_OK) != (refused > 0) || (status && (status != ROOST_ERR_FULL || v->attack->growth)))
        fail(v, "roost_insert", status);
}

static void insert_all(struct victim *v, const uint64_t *keys, size_t n)
{
    const size_t batch = v->attack->batch;
    for (size_t i = 0; i < n && !v->cost.failure[0]; i += batch) insert_batch(v, keys + i, n - i < batch ? n - i : batch);
}

/* Exports all keys, which shows in which order they lie. */
static size_t keys_export(struct victim *v)
{
    const unsigned bytes = v->attack->shape->key_bytes;
    const size_t room = 2 * v->attack->keys;
    roost_cursor cursor;
    size_t all = 0;
    memset(&cursor, 0, sizeof cursor);
    while (!cursor.end && !v->cost.failure[0] && all + ROOST_EXPORT_MIN <= room + ROOST_EXPORT_MIN) {
        size_t n = 0;
        const size_t some = room + ROOST_EXPORT_MIN - all;
        require_fine(v, "roost_export",
                     roost_export(v->table, &cursor, (unsigned char *)v->gone + all * bytes, NULL, some, &n, NULL));
        all += n;
    }
    return all;
}

/* Erases all keys except those of the first buckets, and inserts again. */
static void erase_and_refill(struct victim *v, unsigned round)
{
    const struct attack *a = v->attack;
    const unsigned bytes = a->shape->key_bytes;
    const size_t n = keys_export(v), left = n >> a->left, again = a->refill && round % 2 == 0 ? a->keys : 0;
    if (v->cost.failure[0]) return;
    require_fine(v, "roost_erase", roost_erase(v->table, (unsigned char *)v->gone + left * bytes, n - left, NULL));
    insert_all(v, v->keys + again, a->keys - left);
}

/* ---- The cost -------------------------------------------------------------------------------- */

static double stat_of(const roost_table *table, const char *engine, const char *name)
{
    roost_stat stat = ROOST_STAT_INIT;
    char full[64];
    snprintf(full, sizeof full, "%s.%s", engine, name);
    return roost_table_stat(table, full, &stat) == ROOST_OK ? (double)stat.value.u64 : 0;
}

static double reads_of(const struct victim *v) { return stat_of(v->table, "table", "bucket_reads"); }

/* Finds all keys of the set, which is sorted then. */
static void find_all(struct victim *v)
{
    const struct attack *a = v->attack;
    const double before = reads_of(v);
    const size_t n = keys_unique(v->keys, 2 * a->keys);
    size_t hits = 0;
    roost_stats stats;
    pack_keys(v->keys, n, a->shape->key_bytes, v->array);
    require_fine(v, "roost_find", roost_find(v->table, v->array, n, NULL, v->found, NULL));
    require_fine(v, "roost_table_stats", roost_table_stats(v->table, &stats, sizeof stats));
    for (size_t i = 0; i < n; i++) hits += v->found[i];
    if (hits != stats.count && !v->cost.failure[0])
        snprintf(v->cost.failure, sizeof v->cost.failure, "%zu keys are found of %llu", hits, (unsigned long long)stats.count);
    v->cost.cost[COST_found_reads] = reads_of(v) - before;
}

static void costs_read(struct victim *v)
{
    roost_stats stats;
    double *const cost = v->cost.cost;
    require_fine(v, "roost_table_stats", roost_table_stats(v->table, &stats, sizeof stats));
    cost[COST_slots] = (double)stats.slots;
    cost[COST_table_bytes] = (double)stats.table_bytes;
    cost[COST_bytes_peak] = (double)stats.bytes_peak;
    cost[COST_rehashed] = (double)stats.rehashed;
    cost[COST_launches] = (double)stats.launches;
    cost[COST_reads] = reads_of(v);
    cost[COST_parked] = stat_of(v->table, "table", "parked");
    cost[COST_reseeds] = stat_of(v->table, "table", "reseeds");
    require_fine(v, "roost_table_check", roost_table_check(v->table));
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct cost attack_run(const struct genes *genes, bool random)
{
    const struct attack a = attack_of(genes, random);
    struct victim v = {.attack = &a, .cost = {.keys = a.keys}};
    keys_make(&v);
    const double begin = seconds_now();
    victim_make(&v);
    if (!v.cost.failure[0]) insert_all(&v, v.keys, a.keys);
    for (unsigned i = 0; i < a.rounds && !v.cost.failure[0]; i++) erase_and_refill(&v, i);
    if (!v.cost.failure[0]) find_all(&v);
    v.cost.seconds = seconds_now() - begin;
    if (!v.cost.failure[0]) costs_read(&v);
    victim_free(&v);
    return v.cost;
}

double attack_score(const struct cost *attack, const struct cost *random, int *which)
{
    double worst = -1;
    for (int i = 0; i < COSTS; i++) {
        const double most = bounds[i].bound * random->cost[i] + bounds[i].constant + bounds[i].of_a_key * (double)random->keys;
        const double share = attack->cost[i] / (most > 1 ? most : 1);
        if (share > worst) worst = share, *which = i;
    }
    return worst;
}
