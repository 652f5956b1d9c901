/* The host's rows of string keys: engine stadium, and libcuckoo on the same strings with the
 * same number of threads. The strings resemble URLs of 20 to 80 bytes. Each contains its number,
 * so all differ, and a query's answer follows from the string. */
#include "bench.h"
#include "peers.h"
#include "roost/strings.h"
#include "roost/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_BYTES = 20, MOST_BYTES = 80, WRITES = 3, FINDS = 5 };

static const int find_hits[TABLE_FIND_LEVELS] = {100, 50, 0};

/* ---- Strings --------------------------------------------------------------------------------- */

/* Strings, their preimages (odd: stored keys), and a table's answers for them. */
struct texts {
    uint64_t n, bytes_n, seed;
    uint64_t *preimages, *offsets, *values;
    char *bytes;
    uint8_t *found;
};

static uint64_t text_random(const struct texts *t, uint64_t i) { return workload_mix(t->seed ^ workload_mix(t->preimages[i] + 1)); }

static uint64_t text_length(const struct texts *t, uint64_t i)
{
    return LEAST_BYTES + text_random(t, i) % (MOST_BYTES - LEAST_BYTES + 1);
}

static uint64_t text_value(const struct texts *t, uint64_t i) { return workload_mix(t->preimages[i] ^ ~t->seed); }

/* Scheme, host, a path of letters, and the number as 8 digits. */
static void text_write(const struct texts *t, uint64_t i, char *to)
{
    static const char *const hosts[] = {"a.io", "www.example.com", "en.wikipedia.org", "maps.example.org",
                                        "static.cdn.example.net"};
    const uint64_t length = text_length(t, i);
    uint64_t random = text_random(t, i) >> 16;
    const char *host = hosts[random % (sizeof hosts / sizeof hosts[0])];
    char number[16];
    if (strlen("http:///") + strlen(host) + 8 > length) host = hosts[0];
    uint64_t at = strlen("http://") + strlen(host);
    memcpy(to, "http://", strlen("http://"));
    memcpy(to + strlen("http://"), host, strlen(host));
    to[at++] = '/';
    for (; at < length - 8; at++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        to[at] = at % 9 ? (char)('a' + (random >> 33) % 26) : '/';
    }
    snprintf(number, sizeof number, "%08x", (unsigned)t->preimages[i]);
    memcpy(to + at, number, 8);
}

static struct texts texts_make(const struct machine *m, uint64_t n, uint64_t seed)
{
    struct texts t = {.n = n, .seed = seed};
    t.preimages = m->allocate(n * sizeof *t.preimages);
    t.offsets = m->allocate((n + 1) * sizeof *t.offsets);
    t.values = m->allocate(n * sizeof *t.values);
    t.bytes = m->allocate(n * MOST_BYTES);
    t.found = m->allocate(n);
    return t;
}

static void texts_free(const struct machine *m, struct texts *t)
{
    m->release(t->preimages, t->n * sizeof *t->preimages);
    m->release(t->offsets, (t->n + 1) * sizeof *t->offsets);
    m->release(t->values, t->n * sizeof *t->values);
    m->release(t->bytes, t->n * MOST_BYTES);
    m->release(t->found, t->n);
}

/* The number of distinct strings, for `keys` stored strings and as many absent ones. */
static uint64_t texts_distinct(const struct machine *m, const struct texts *t, uint64_t keys)
{
    uint8_t *seen = m->allocate(2 * keys);
    uint64_t distinct = 0;
    for (uint64_t i = 0; i < t->n; i++) {
        distinct += !seen[t->preimages[i]];
        seen[t->preimages[i]] = 1;
    }
    m->release(seen, 2 * keys);
    return distinct;
}

/* Writes the strings, whose preimages must be set. */
static void texts_write(struct texts *t)
{
    t->offsets[0] = 0;
    for (uint64_t i = 0; i < t->n; i++) t->offsets[i + 1] = t->offsets[i] + text_length(t, i);
    t->bytes_n = t->offsets[t->n];
    for (uint64_t i = 0; i < t->n; i++) text_write(t, i, t->bytes + t->offsets[i]);
}

/* Draws from `keys` stored strings, or as many absent ones. */
static void texts_draw(struct texts *t, uint64_t keys, int hit_percent, uint64_t stream)
{
    for (uint64_t i = 0; i < t->n; i++) {
        const uint64_t random = workload_mix(t->seed ^ workload_mix((stream << 48) + i + 1));
        t->preimages[i] =
            2 * (uint64_t)(((unsigned __int128)random * keys) >> 64) + ((int)(workload_mix(random) % 100) < hit_percent);
    }
    texts_write(t);
}

static void texts_keys(struct texts *t)
{
    for (uint64_t i = 0; i < t->n; i++) t->preimages[i] = 2 * i + 1;
    texts_write(t);
}

static void texts_values(struct texts *t)
{
    for (uint64_t i = 0; i < t->n; i++) t->values[i] = text_value(t, i);
}

static void texts_poison(struct texts *t)
{
    memset(t->values, BENCH_POISON, t->n * sizeof *t->values);
    memset(t->found, BENCH_POISON, t->n);
}

/* absent: the value that an absent string must have. */
static void texts_verify(const struct texts *t, uint64_t absent, struct row *row)
{
    for (uint64_t i = 0; i < t->n; i++) {
        const bool here = t->preimages[i] & 1;
        row->wrong += t->found[i] != here || t->values[i] != (here ? text_value(t, i) : absent);
    }
    row->verified += t->n;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* A table of strings: Roost's or libcuckoo's. `keys` converts the strings before the timing
 * starts. */
struct rival {
    const struct place *p;
    const char *name;
    uint64_t absent; /* value of an absent string */
    double load;
    /* NULL on failure; the row then says why. */
    void *(*create)(const struct rival *r, uint64_t keys, struct row *row);
    void (*destroy)(void *table);
    void *(*keys)(const struct texts *t);
    void (*keys_free)(void *keys);
    bool (*insert)(const struct rival *r, void *table, const struct texts *t, const void *keys, struct row *row);
    bool (*find)(const struct rival *r, const void *table, struct texts *t, const void *keys, struct row *row);
    void (*describe)(const struct rival *r, const void *table, struct row *row);
};

struct string_rates {
    double insert, find[TABLE_FIND_LEVELS];
};

static struct row rival_row(const struct rival *r, const char *what)
{
    char name[96];
    snprintf(name, sizeof name, "%s/%s/%s", r->p->prefix, r->name, what);
    return row_make(name, UNIT_MEGA);
}

static double rival_report(const struct rival *r, struct row *row)
{
    const double rate = row_rate(row);
    if (row->repetitions) {
        const struct access_limit line = r->p->limit(r->p, ACCESS_LINE, row->stats.table_bytes);
        row_set_limit(row, line.name, line.rate);
    }
    report_row(r->p->o, *row);
    return rate;
}

/* Fills fresh tables with all strings and verifies each; the last one stays. */
static void *measure_inserts(const struct rival *r, struct texts *t, struct row *row)
{
    void *table = NULL, *keys = r->keys(t);
    row->items = row->distinct = t->n;
    for (int i = 0; i < WRITES && row->state == ROW_UNUSED; i++) {
        if (table) r->destroy(table);
        table = r->create(r, t->n, row);
        if (!table) break;
        texts_values(t);
        const double start = machine_now();
        if (!r->insert(r, table, t, keys, row)) break;
        row_add_time(row, machine_now() - start, 0);
        texts_poison(t);
        if (!r->find(r, table, t, keys, row)) break;
        texts_verify(t, r->absent, row);
    }
    if (table) r->describe(r, table, row);
    r->keys_free(keys);
    return table;
}

static double measure_finds(const struct rival *r, const void *table, struct texts *t, uint64_t stored, int level)
{
    char what[16];
    snprintf(what, sizeof what, "find-%d", find_hits[level]);
    struct row row = rival_row(r, what);
    texts_draw(t, stored, find_hits[level], (uint64_t)(1 + level));
    void *keys = r->keys(t);
    row.items = t->n;
    row.distinct = texts_distinct(r->p->machine, t, stored);
    r->describe(r, table, &row);
    /* the first one is a warm-up */
    for (int i = 0; i < 1 + FINDS && row.state == ROW_UNUSED; i++) {
        texts_poison(t);
        const double start = machine_now();
        if (!r->find(r, table, t, keys, &row)) break;
        if (i) row_add_time(&row, machine_now() - start, 0);
        texts_verify(t, r->absent, &row);
    }
    r->keys_free(keys);
    return rival_report(r, &row);
}

static struct string_rates measure_rival(const struct rival *r, uint64_t n)
{
    struct string_rates rates = {0};
    const struct machine *m = r->p->machine;
    struct texts t = texts_make(m, n, r->p->o->seed);
    struct row row = rival_row(r, "insert");
    texts_keys(&t);
    void *table = measure_inserts(r, &t, &row);
    const bool good = table && row.state == ROW_UNUSED;
    rates.insert = rival_report(r, &row);
    for (int i = 0; good && i < TABLE_FIND_LEVELS; i++) rates.find[i] = measure_finds(r, table, &t, n, i);
    if (table) r->destroy(table);
    texts_free(m, &t);
    return rates;
}

/* ---- Roost ----------------------------------------------------------------------------------- */

static bool engine_good(roost_status status, const roost_table *table, struct row *row)
{
    if (status != ROOST_OK) row_fail(row, ROW_FAILED, "%s: %s", roost_status_name(status), roost_last_error(table));
    return status == ROOST_OK;
}

static void *engine_create(const struct rival *r, uint64_t keys, struct row *row)
{
    roost_config config;
    roost_table *table;
    roost_config_init(&config, sizeof config);
    config.engine = "stadium";
    config.device = r->p->device;
    config.key_type = ROOST_TYPE_STRING;
    config.value_type = ROOST_TYPE_U64;
    config.capacity = keys;
    config.min_fill = 0;
    config.max_fill = r->load;
    config.seed = r->p->o->seed;
    config.seed_given = 1;
    config.threads = r->p->threads;
    const roost_status status = roost_table_create(&table, &config);
    if (status) row_fail(row, status == ROOST_ERR_UNSUPPORTED ? ROW_UNAVAILABLE : ROW_FAILED, "%s", roost_last_error(NULL));
    return table;
}

static void engine_destroy(void *table) { roost_table_destroy(table); }

/* The strings are already in Arrow's layout. */
static void *engine_keys(const struct texts *t)
{
    roost_strings *strings = malloc(sizeof *strings);
    if (!strings) return NULL;
    roost_strings_init(strings, sizeof *strings);
    strings->offsets = t->offsets;
    strings->bytes = t->bytes;
    return strings;
}

static bool engine_insert(const struct rival *r, void *table, const struct texts *t, const void *keys, struct row *row)
{
    (void)r;
    return engine_good(roost_insert_strings(table, ROOST_ASSIGN, keys, t->values, t->n, NULL), table, row);
}

static bool engine_find(const struct rival *r, const void *table, struct texts *t, const void *keys, struct row *row)
{
    (void)r;
    return engine_good(roost_find_strings(table, keys, t->n, t->values, t->found, NULL), table, row);
}

static void engine_describe(const struct rival *r, const void *table, struct row *row)
{
    snprintf(row->engine, sizeof row->engine, "%s", roost_table_engine(table));
    row->stats = numbers_read(table);
    row->cache_bytes = r->p->cache_bytes;
    if (row->stats.count == 0 || row->note[0]) return;
    snprintf(row->note, sizeof row->note, "%.1f MB of strings", 1e-6 * (double)row->stats.arena_used);
}

/* ---- libcuckoo ------------------------------------------------------------------------------- */

#ifdef ROOST_BENCH_LIBCUCKOO
static void *peer_create_strings(const struct rival *r, uint64_t keys, struct row *row)
{
    struct peer_strings *peer = peer_strings_create((uint64_t)((double)keys / r->load));
    if (!peer) row_fail(row, ROW_FAILED, "libcuckoo: memory was refused");
    return peer;
}

static void peer_destroy_strings(void *table) { peer_strings_destroy(table); }
static void *peer_make_keys(const struct texts *t) { return peer_keys_make(t->offsets, t->bytes, t->n); }
static void peer_free_keys(void *keys) { peer_keys_free(keys); }

static bool peer_insert_texts(const struct rival *r, void *table, const struct texts *t, const void *keys, struct row *row)
{
    const bool failed = !keys || peer_strings_insert(table, keys, t->values, r->p->threads);
    if (failed) row_fail(row, ROW_FAILED, "libcuckoo did not store all strings");
    return !failed;
}

static bool peer_find_texts(const struct rival *r, const void *table, struct texts *t, const void *keys, struct row *row)
{
    if (keys) peer_strings_find(table, keys, t->values, t->found, r->p->threads);
    else row_fail(row, ROW_FAILED, "libcuckoo: memory was refused");
    return keys != NULL;
}

static void peer_describe_strings(const struct rival *r, const void *table, struct row *row)
{
    snprintf(row->engine, sizeof row->engine, "libcuckoo");
    row->stats.table_bytes = peer_strings_bytes(table);
    row->stats.load_factor = peer_strings_load_factor(table);
    row->cache_bytes = r->p->cache_bytes;
}

/* Reserves to n and to n / load; in each row the faster of the two counts. */
static struct string_rates measure_peer(const struct place *p, uint64_t n)
{
    struct rival r = {p,
                      "libcuckoo-strings",
                      0xEEEEEEEEEEEEEEEEu,
                      1,
                      peer_create_strings,
                      peer_destroy_strings,
                      peer_make_keys,
                      peer_free_keys,
                      peer_insert_texts,
                      peer_find_texts,
                      peer_describe_strings};
    struct string_rates best = measure_rival(&r, n);
    r.name = "libcuckoo-strings[n/load]";
    r.load = p->o->load;
    const struct string_rates roomy = measure_rival(&r, n);
    if (roomy.insert > best.insert) best.insert = roomy.insert;
    for (int i = 0; i < TABLE_FIND_LEVELS; i++)
        if (roomy.find[i] > best.find[i]) best.find[i] = roomy.find[i];
    return best;
}
#else
static struct string_rates measure_peer(const struct place *p, uint64_t n)
{
    const struct string_rates none = {0};
    (void)p, (void)n; /* its other rows say that it was not built */
    return none;
}
#endif

/* ---- Both ------------------------------------------------------------------------------------ */

static void report_ratio(const struct place *p, const char *what, double mine, double other)
{
    char name[64], group[64];
    snprintf(group, sizeof group, "%s/stadium-strings", p->prefix);
    snprintf(name, sizeof name, "%s/libcuckoo", what);
    if (mine > 0 && other > 0) place_ratio(p, group, name, mine / other, "against the faster of libcuckoo's two reservations");
}

void string_rows(const struct place *p)
{
    const uint64_t n = p->keys / 8;
    const struct rival r = {p,    "stadium-strings", 0,           p->o->load,     engine_create, engine_destroy, engine_keys,
                            free, engine_insert,     engine_find, engine_describe};
    char mine[64], other[64];
    snprintf(mine, sizeof mine, "%s/stadium-strings", p->prefix);
    snprintf(other, sizeof other, "%s/libcuckoo-strings", p->prefix);
    if (p->o->engine && strcmp(p->o->engine, "stadium") != 0) return;
    if (!options_want_some(p->o, mine) && !options_want_some(p->o, other)) return;
    const struct string_rates roost = measure_rival(&r, n), peer = measure_peer(p, n);
    report_ratio(p, "insert", roost.insert, peer.insert);
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        char what[16];
        snprintf(what, sizeof what, "find-%d", find_hits[i]);
        report_ratio(p, what, roost.find[i], peer.find[i]);
    }
}
