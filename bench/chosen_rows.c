/* Rows of keys that somebody chose who knows the source and the table's seed, beside random keys:
 * the top bits of their hashes are equal, so that they lie in one bucket, cell, list or group
 * (docs/architecture.md, "Keys that somebody chose"). */
#include "bench.h"
#include "portable/hash_bytes.h"
#include "portable/hash_seeds.h"
#include "roost/strings.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHOSEN_KEYS = 1000000, CHOSEN_BATCH = 10000, CHOSEN_RUNS = 5, CHOSEN_TOP_8 = 24, CHOSEN_TOP_4 = 12, CHOSEN_TOP_TEXT = 8 };
enum { TEXT_BYTES = 16 };
#define CHOSEN_BITS 0x5a5a5a5a5a5a5a5aULL

/* How the keys come to a table. */
struct arrival {
    const char *name;
    uint64_t batch;
    bool fixed;
};

/* An engine's keys of one width: [0] random, [1] chosen. */
struct chosen_case {
    const struct place *p;
    const char *engine;
    int key_bytes; /* 0: strings */
    uint64_t n;
    void *keys[2];
    uint64_t *offsets; /* of the strings, all of TEXT_BYTES */
    uint64_t seed;
};

/* ---- Keys ------------------------------------------------------------------------------------ */

/* Engines whose keys of 4 bytes have hashes of 4 bytes. */
static bool hash_is_narrow(const char *engine)
{
    static const char *const narrow[] = {"gph", "fks", "stadium"};
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++)
        if (strcmp(engine, narrow[i]) == 0) return true;
    return false;
}

static void choose_long(const struct hash_seeds *seeds, uint64_t n, uint64_t *keys)
{
    const int low = 64 - CHOSEN_TOP_8;
    for (uint64_t i = 0; i < n; i++)
        keys[i] = hash_unword64(seeds, CHOSEN_BITS >> low << low | workload_mix(i + 1) >> CHOSEN_TOP_8);
}

/* Of 2^32 keys 2^20 have these first 12 bits; a hash of 8 bytes is found by trying all. */
static void choose_short(const struct hash_seeds *seeds, bool narrow, uint64_t n, uint32_t *keys)
{
    const int low = 32 - CHOSEN_TOP_4;
    uint32_t key = 0;
    for (uint64_t i = 0; i < n && narrow; i++) keys[i] = hash_unword32(seeds, (uint32_t)CHOSEN_BITS >> low << low | (uint32_t)i);
    for (uint64_t i = 0; i < n && !narrow; key++)
        if (hash_word64(seeds, key) >> (low + 32) == CHOSEN_BITS >> (low + 32)) keys[i++] = key;
}

/* Strings that are numbers; the chosen ones are found by trying all. */
static void texts_choose(const struct hash_seeds *seeds, struct chosen_case *c)
{
    const struct bytes_hash hash = {seeds->a[0], seeds->a[1], ~0ULL, 1};
    char text[TEXT_BYTES + 1];
    for (uint64_t i = 0, random = 0, chosen = 0; random < c->n || chosen < c->n; i++) {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)workload_mix(i + 1));
        const struct bytes key = {(const unsigned char *)text, TEXT_BYTES};
        const int low = 64 - CHOSEN_TOP_TEXT;
        const bool meets = hash_bytes(hash, key) >> low == CHOSEN_BITS >> low;
        if (random < c->n) memcpy((char *)c->keys[0] + TEXT_BYTES * random++, text, TEXT_BYTES);
        if (meets && chosen < c->n) memcpy((char *)c->keys[1] + TEXT_BYTES * chosen++, text, TEXT_BYTES);
    }
    for (uint64_t i = 0; i <= c->n; i++) c->offsets[i] = TEXT_BYTES * i;
}

static size_t key_room(const struct chosen_case *c) { return c->key_bytes ? (size_t)c->key_bytes : TEXT_BYTES; }

static void keys_make(struct chosen_case *c)
{
    const struct workload w = {.seed = c->seed, .keys = c->n, .key_bytes = c->key_bytes};
    struct hash_seeds seeds;
    for (int i = 0; i < 2; i++)
        if (!(c->keys[i] = calloc(c->n, key_room(c)))) exit(1);
    if (!(c->offsets = calloc(c->n + 1, sizeof *c->offsets))) exit(1);
    hash_seeds_draw(&seeds, HASH_KEYED, c->seed);
    if (!c->key_bytes) texts_choose(&seeds, c);
    else if (c->key_bytes == 8) choose_long(&seeds, c->n, c->keys[1]);
    else choose_short(&seeds, hash_is_narrow(c->engine), c->n, c->keys[1]);
    for (uint64_t i = 0; c->key_bytes && i < c->n; i++) {
        const uint64_t key = workload_stored_key(w, i);
        if (c->key_bytes == 8) ((uint64_t *)c->keys[0])[i] = key;
        else ((uint32_t *)c->keys[0])[i] = (uint32_t)key;
    }
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static roost_status chosen_open(const struct chosen_case *c, const struct arrival *by, roost_table **table)
{
    roost_config config = ROOST_CONFIG_INIT;
    config.device = c->p->device;
    config.engine = c->engine;
    config.seed = c->seed;
    config.seed_given = 1;
    config.key_type = c->key_bytes == 8 ? ROOST_TYPE_U64 : c->key_bytes ? ROOST_TYPE_U32 : ROOST_TYPE_STRING;
    config.value_type = ROOST_TYPE_NONE;
    config.threads = c->p->threads;
    config.growth = !by->fixed;
    config.capacity = by->fixed ? c->n : 0;
    return roost_table_create(table, &config);
}

/* The strings from the i-th on. */
static roost_strings texts_from(const struct chosen_case *c, const void *keys, uint64_t i)
{
    roost_strings strings = ROOST_STRINGS_INIT;
    strings.offsets = c->offsets + i;
    strings.bytes = keys;
    return strings;
}

/* Inserts n keys from the i-th on. */
static roost_status chosen_put(const struct chosen_case *c, roost_table *table, const void *keys, uint64_t i, uint64_t n)
{
    const roost_strings strings = texts_from(c, keys, i);
    if (!c->key_bytes) return roost_insert_strings(table, ROOST_KEEP, &strings, NULL, n, NULL);
    return roost_insert(table, ROOST_KEEP, (const char *)keys + i * (uint64_t)c->key_bytes, NULL, n, NULL);
}

static roost_status chosen_find(const struct chosen_case *c, roost_table *table, const void *keys, uint8_t *found)
{
    const roost_strings strings = texts_from(c, keys, 0);
    if (!c->key_bytes) return roost_find_strings(table, &strings, c->n, NULL, found, NULL);
    return roost_find(table, keys, c->n, NULL, found, NULL);
}

static roost_status chosen_insert(const struct chosen_case *c, const struct arrival *by, roost_table *table, const void *keys)
{
    roost_status status = ROOST_OK;
    for (uint64_t i = 0; !status && i < c->n; i += by->batch)
        status = chosen_put(c, table, keys, i, c->n - i < by->batch ? c->n - i : by->batch);
    const roost_status ended = roost_table_sync(table, NULL);
    return status ? status : ended;
}

/* All keys are found, and no others are stored. */
static void chosen_verify(const struct chosen_case *c, roost_table *table, const void *keys, struct row *row)
{
    roost_stats stats;
    uint8_t *found = calloc(c->n, 1);
    if (!found || chosen_find(c, table, keys, found) || roost_table_sync(table, NULL) ||
        roost_table_stats(table, &stats, sizeof stats))
        row_fail(row, ROW_FAILED, "%s", roost_last_error(table));
    else row->wrong += stats.count > c->n ? stats.count - c->n : c->n - stats.count;
    for (uint64_t i = 0; found && i < c->n; i++) row->wrong += !found[i];
    row->verified += c->n;
    free(found);
}

/* One table of these keys; *peak: the most bytes that it held. */
static void chosen_time(const struct chosen_case *c, const struct arrival *by, const void *keys, struct row *row, double *peak)
{
    roost_table *table = NULL;
    roost_status status = chosen_open(c, by, &table);
    const double begin = machine_now();
    if (!status) status = chosen_insert(c, by, table, keys);
    row_add_time(row, machine_now() - begin, 0);
    row->stats = numbers_read(table);
    *peak = (double)row->stats.bytes_peak;
    snprintf(row->note, sizeof row->note, "%.0f bytes at most, %llu reseeds", *peak, (unsigned long long)row->stats.reseeds);
    if (status) row_fail(row, ROW_FAILED, "%s", roost_last_error(table));
    else chosen_verify(c, table, keys, row);
    roost_table_destroy(table);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void chosen_ratio(const struct chosen_case *c, const char *group, const char *what, double ratio)
{
    place_ratio(c->p, group, what, ratio, "of chosen keys over random ones; the rule asks for 2 at most");
}

static const char *kind_name(int key_bytes) { return key_bytes == 8 ? "8" : key_bytes ? "4" : "strings"; }

/* The two kinds of keys by turns, since the machine's other work varies. */
static void arrival_rows(const struct chosen_case *c, const struct arrival *by)
{
    static const char *const kinds[] = {"random", "chosen"};
    struct row rows[2];
    double peak[2] = {0, 0};
    char group[64], name[96];
    snprintf(group, sizeof group, "%s/chosen/%s/%s/%s", c->p->prefix, c->engine, kind_name(c->key_bytes), by->name);
    if (!options_want_some(c->p->o, group)) return;
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s/%s", group, kinds[k]);
        rows[k] = row_make(name, c->p->unit);
        rows[k].items = c->n;
    }
    for (int i = 0; i < CHOSEN_RUNS; i++)
        for (int k = 0; k < 2; k++) chosen_time(c, by, c->keys[k], &rows[k], &peak[k]);
    const double seconds[] = {row_seconds(&rows[0]), row_seconds(&rows[1])};
    for (int k = 0; k < 2; k++) {
        place_set_limit(c->p, &rows[k], ACCESS_UPDATE, (uint64_t)peak[0]);
        report_row(c->p->o, rows[k]);
    }
    if (seconds[0] > 0 && peak[0] > 0) {
        chosen_ratio(c, group, "time", seconds[1] / seconds[0]);
        chosen_ratio(c, group, "bytes", peak[1] / peak[0]);
    }
}

static void engine_rows(const struct place *p, const char *engine, int key_bytes)
{
    static const struct arrival arrivals[] = {
        {"growing", CHOSEN_KEYS, false}, {"batches", CHOSEN_BATCH, false}, {"fixed", CHOSEN_KEYS, true}};
    struct chosen_case c = {
        .p = p, .engine = engine, .key_bytes = key_bytes, .n = p->o->quick ? CHOSEN_KEYS / 100 : CHOSEN_KEYS, .seed = p->o->seed};
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s/chosen/%s/%s", p->prefix, engine, kind_name(key_bytes));
    if (!options_want_some(p->o, prefix)) return;
    keys_make(&c);
    for (size_t i = 0; i < sizeof arrivals / sizeof arrivals[0]; i++) arrival_rows(&c, &arrivals[i]);
    for (int i = 0; i < 2; i++) free(c.keys[i]);
    free(c.offsets);
}

/* ---- What keyed hashes cost ------------------------------------------------------------------ */

/* Seconds that one thread of the host takes for 10^7 hashes of 8 bytes. */
static double hash_seconds(const struct hash_seeds *seeds, bool sip)
{
    enum { HASHES = 10000000 };
    const struct bytes_hash bytes = {seeds->a[0], seeds->a[1], ~0ULL, 1};
    volatile uint64_t sum = 0;
    uint64_t all = 0;
    const double begin = machine_now();
    for (uint64_t key = 0; key < HASHES; key++) {
        const struct bytes text = {(const unsigned char *)&key, sizeof key};
        all ^= sip ? hash_bytes(bytes, text) : hash_word64(seeds, key);
    }
    sum = all;
    (void)sum;
    return machine_now() - begin;
}

/* SipHash beside the keyed hash of words, without a table; the least of some runs by turns. */
static void hash_cost_row(const struct place *p)
{
    struct hash_seeds seeds;
    double least[2] = {1e9, 1e9};
    char group[64];
    snprintf(group, sizeof group, "%s/chosen/hash", p->prefix);
    if (p->machine->space != ROOST_SPACE_HOST || !options_want_some(p->o, group)) return;
    hash_seeds_draw(&seeds, HASH_KEYED, p->o->seed);
    for (int i = 0; i < CHOSEN_RUNS; i++)
        for (int sip = 0; sip < 2; sip++) {
            const double seconds = hash_seconds(&seeds, sip);
            if (seconds < least[sip]) least[sip] = seconds;
        }
    place_ratio(p, group, "siphash-1-3", least[1] / least[0], "times that the keyed hash of 8 bytes takes");
}

/* Finds with the keyed hash and with the mix whose constants everybody knows. */
static void hash_rows(const struct place *p, struct arrays *a, const char *engine)
{
    static const char *const hashes[] = {"hash=mix", "hash=keyed"};
    double rates[2] = {0, 0};
    char group[64];
    for (int k = 0; k < 2; k++) {
        snprintf(group, sizeof group, "%s/chosen/%s/%s", p->prefix, engine, hashes[k]);
        struct table_case c = place_case(p, engine, hashes[k], group);
        c.finds_only = true;
        struct table_rows rows = table_measure(p->o, &c, a);
        rates[k] = row_rate(&rows.find[0]);
        place_set_limit(p, &rows.find[0], ACCESS_LINE, rows.insert.stats.table_bytes);
        report_row(p->o, rows.find[0]);
    }
    if (rates[0] > 0) place_ratio(p, group, "find-100/mix", rates[1] / rates[0], "rate of hits over that with hash=mix");
}

static void engine_hashes(const struct place *p, struct arrays *a)
{
    roost_engine_info info;
    for (size_t i = 0; !roost_engine_describe(i, &info, sizeof info); i++) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%s/chosen/%s/hash", p->prefix, info.name);
        if (options_want_some(p->o, prefix) && (!p->o->engine || strcmp(p->o->engine, info.name) == 0)) hash_rows(p, a, info.name);
    }
}

void chosen_rows(const struct place *p)
{
    const struct workload w = {.seed = p->o->seed, .keys = p->keys, .key_bytes = 4, .value_bytes = 4};
    char prefix[64];
    roost_engine_info info;
    snprintf(prefix, sizeof prefix, "%s/chosen", p->prefix);
    if (!p->o->only || !options_want_some(p->o, prefix)) return;
    for (size_t i = 0; !roost_engine_describe(i, &info, sizeof info); i++) {
        if (p->o->engine && strcmp(p->o->engine, info.name) != 0) continue;
        engine_rows(p, info.name, 4);
        engine_rows(p, info.name, 8);
        if (strcmp(info.name, "stadium") == 0) engine_rows(p, info.name, 0);
    }
    struct arrays a = arrays_make(p->machine, w, w.keys);
    engine_hashes(p, &a);
    hash_cost_row(p);
    arrays_free(p->machine, &a);
}
