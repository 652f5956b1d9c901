/* roost_measure: how fast tables of a configuration take keys in and find them, with arrays that lie where the table is. */
#include <math.h>
#include <omp.h>
#include <stdio.h>

#include "api/checks.h"
#include "api/registry.h"

enum {
    KEYS_MOST = INT32_MAX, /* present and absent ones of 4 bytes are distinct */
    PIECE = 1 << 20        /* items that pass through the host at a time */
};

ROOST_EXPORT roost_status roost_measure_plan_init(roost_measure_plan *plan, size_t size)
{
    if (!plan || size != sizeof *plan)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT,
                         "roost_measure_plan_init: plan is NULL, or size is not this version's %zu", sizeof *plan);
    memset(plan, 0, size);
    plan->size = size;
    plan->keys = (uint64_t)1 << 22;
    plan->load = 0.70;
    plan->hits = 0.5;
    plan->repetitions = 3;
    return ROOST_OK;
}

static roost_status plan_check(const roost_measure_plan *p, struct error *error)
{
    if (p->size != sizeof *p)
        return error_set(error, ROOST_ERR_ARGUMENT, "plan.size is not this version's %zu: call roost_measure_plan_init", sizeof *p);
    if (!p->keys || p->keys > KEYS_MOST) return error_set(error, ROOST_ERR_ARGUMENT, "plan.keys: from 1 to %d", KEYS_MOST);
    if (!(p->load > 0 && p->load <= 1)) return error_set(error, ROOST_ERR_ARGUMENT, "plan.load is %g: above 0, at most 1", p->load);
    if (!(p->hits >= 0 && p->hits <= 1)) return error_set(error, ROOST_ERR_ARGUMENT, "plan.hits is %g: from 0 to 1", p->hits);
    if (!p->repetitions || p->repetitions > 1000)
        return error_set(error, ROOST_ERR_ARGUMENT, "plan.repetitions is %u: from 1 to 1000", p->repetitions);
    return ROOST_OK;
}

/* ---- Keys --------------------------------------------------------------------------------------------------------------------------- */

/* What is measured: a table, and arrays where it is. */
struct measure {
    roost_table *table;
    struct backend *backend;
    const roost_measure_plan *plan;
    int key_bytes, value_bytes;
    int threads; /* of the host, as the table's */
    void *keys, *values, *asked, *values_found, *found;
    unsigned char *piece; /* on the host: PIECE keys, values or found bytes */
};

/* Bijections of words of 32 and 64 bits whose rounds are not those of the tables' hash functions: an xorshift-multiply hash found by search
 * (Wellons, "lowbias32"), and the finaliser of SplitMix64. */
static uint64_t scrambled(uint64_t i, int bytes)
{
    if (bytes == 4) {
        uint32_t x = (uint32_t)i;
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        return x ^ x >> 16;
    }
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
    i = (i ^ i >> 27) * 0x94d049bb133111ebu;
    return i ^ i >> 31;
}

/* Keys 0 to n - 1 are stored, those from n on are not. */
static uint64_t key_at(const struct measure *m, uint64_t i) { return scrambled(i + m->plan->seed, m->key_bytes); }
static uint64_t value_at(const struct measure *m, uint64_t i) { return scrambled(~i, m->value_bytes); }

/* Is find i for a stored key? */
static bool is_hit(const struct measure *m, uint64_t i)
{
    return floor((double)(i + 1) * m->plan->hits) > floor((double)i * m->plan->hits);
}

/* Finds come in another order than inserts: the factor is a prime above all n. */
static uint64_t asked_at(const struct measure *m, uint64_t i)
{
    const uint64_t n = m->plan->keys, other = i * 2654435761u % n;
    return is_hit(m, i) ? other : n + other;
}

static uint64_t stored_key(const struct measure *m, uint64_t i) { return key_at(m, i); }
static uint64_t asked_key(const struct measure *m, uint64_t i) { return key_at(m, asked_at(m, i)); }

/* Writes n words of 4 or 8 bytes, word i being word(m, i). */
static roost_status write_words(struct measure *m, uint64_t (*word)(const struct measure *m, uint64_t i), int bytes, void *to)
{
    struct backend *b = m->backend;
    roost_status status = ROOST_OK;
    for (uint64_t first = 0; !status && first < m->plan->keys; first += PIECE) {
        const uint64_t n = m->plan->keys - first < PIECE ? m->plan->keys - first : PIECE;
#pragma omp parallel for num_threads(m->threads)
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t x = word(m, first + i);
            memcpy(m->piece + i * (unsigned)bytes, &x, (unsigned)bytes); /* little-endian, as all machines here */
        }
        status = b->operations->copy(b, (char *)to + first * (unsigned)bytes, m->piece, n * (unsigned)bytes);
        if (!status) status = b->operations->wait(b);
    }
    return status;
}

/* ---- Answers ------------------------------------------------------------------------------------------------------------------------ */

static roost_status answer_wrong(struct measure *m, uint64_t i)
{
    return error_set(&m->table->error, ROOST_ERR_CORRUPT, "find %llu of a measurement was answered wrongly", (unsigned long long)i);
}

static roost_status check_found(struct measure *m, uint64_t first, uint64_t n)
{
    const roost_status status = m->backend->operations->read(m->backend, m->piece, (char *)m->found + first, n);
    uint64_t wrong = UINT64_MAX;
    if (status) return status;
#pragma omp parallel for num_threads(m->threads) reduction(min : wrong)
    for (uint64_t i = 0; i < n; i++)
        if (m->piece[i] != is_hit(m, first + i) && i < wrong) wrong = i;
    return wrong == UINT64_MAX ? ROOST_OK : answer_wrong(m, first + wrong);
}

static roost_status check_values(struct measure *m, uint64_t first, uint64_t n)
{
    const size_t bytes = (size_t)m->value_bytes;
    uint64_t wrong = UINT64_MAX;
    if (!bytes) return ROOST_OK;
    const roost_status status =
        m->backend->operations->read(m->backend, m->piece, (char *)m->values_found + first * bytes, n * bytes);
    if (status) return status;
#pragma omp parallel for num_threads(m->threads) reduction(min : wrong)
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t expected = value_at(m, asked_at(m, first + i));
        if (is_hit(m, first + i) && memcmp(m->piece + i * bytes, &expected, bytes) != 0 && i < wrong) wrong = i;
    }
    return wrong == UINT64_MAX ? ROOST_OK : answer_wrong(m, first + wrong);
}

static roost_status check_answers(struct measure *m)
{
    roost_status status = ROOST_OK;
    for (uint64_t first = 0; !status && first < m->plan->keys; first += PIECE) {
        const uint64_t n = m->plan->keys - first < PIECE ? m->plan->keys - first : PIECE;
        status = check_found(m, first, n);
        if (!status) status = check_values(m, first, n);
    }
    return status;
}

/* ---- Measuring ---------------------------------------------------------------------------------------------------------------------- */

static roost_status arrays_make(struct measure *m)
{
    const size_t n = (size_t)m->plan->keys, keys = n * (unsigned)m->key_bytes, values = n * (unsigned)m->value_bytes;
    m->piece = (unsigned char *)host_new(&m->table->allocator, (size_t)PIECE * 8);
    if (!m->piece) return error_set(&m->table->error, ROOST_ERR_MEMORY, "no memory for a piece of the keys");
    roost_status status = m->backend->operations->allocate(m->backend, keys, &m->keys);
    if (!status) status = m->backend->operations->allocate(m->backend, keys, &m->asked);
    if (!status) status = m->backend->operations->allocate(m->backend, n, &m->found);
    if (!status && values) status = m->backend->operations->allocate(m->backend, values, &m->values);
    if (!status && values) status = m->backend->operations->allocate(m->backend, values, &m->values_found);
    if (!status) status = write_words(m, stored_key, m->key_bytes, m->keys);
    if (!status) status = write_words(m, asked_key, m->key_bytes, m->asked);
    if (!status && values) status = write_words(m, value_at, m->value_bytes, m->values);
    return status;
}

static void array_release(struct measure *m, void *array, int bytes)
{
    if (array) m->backend->operations->release(m->backend, array, (size_t)m->plan->keys * (unsigned)bytes);
}

static void arrays_release(struct measure *m)
{
    array_release(m, m->keys, m->key_bytes);
    array_release(m, m->asked, m->key_bytes);
    array_release(m, m->found, 1);
    array_release(m, m->values, m->value_bytes);
    array_release(m, m->values_found, m->value_bytes);
    host_delete(&m->table->allocator, m->piece, (size_t)PIECE * 8);
}

/* One repetition; the faster times stay. */
static roost_status repeat(struct measure *m, roost_measured *measured, bool first)
{
    struct backend *b = m->backend;
    const size_t n = (size_t)m->plan->keys;
    roost_status status = first ? ROOST_OK : roost_table_clear(m->table);
    if (!status) status = b->operations->wait(b);
    const double start = backend_seconds();
    if (!status) status = roost_insert(m->table, ROOST_ASSIGN, m->keys, m->values, n, NULL);
    if (!status) status = b->operations->wait(b);
    const double filled = backend_seconds();
    if (!status) status = roost_find(m->table, m->asked, n, m->values_found, (uint8_t *)m->found, NULL);
    if (!status) status = b->operations->wait(b);
    const double found = backend_seconds();
    if (!status) status = check_answers(m);
    if (status) return status;
    if (first || filled - start < measured->insert_seconds) measured->insert_seconds = filled - start;
    if (first || found - filled < measured->find_seconds) measured->find_seconds = found - filled;
    return ROOST_OK;
}

static double rate(const struct measure *m, double seconds) { return seconds > 0 ? (double)m->plan->keys / seconds : 0; }

static roost_status conclude(struct measure *m, roost_measured *measured)
{
    roost_stats stats;
    roost_status status = roost_table_stats(m->table, &stats, sizeof stats);
    if (status) return status;
    if (stats.count != m->plan->keys)
        return error_set(&m->table->error, ROOST_ERR_CORRUPT, "%llu keys were inserted, and %llu are there",
                         (unsigned long long)m->plan->keys, (unsigned long long)stats.count);
    measured->inserts_per_second = rate(m, measured->insert_seconds);
    measured->finds_per_second = rate(m, measured->find_seconds);
    measured->load = m->table->engine->load_option ? stats.memory_utilisation : stats.load_factor;
    measured->reaches = measured->load >= 0.97 * m->plan->load;
    measured->slots = stats.slots;
    measured->table_bytes = stats.table_bytes;
    measured->bytes_peak = stats.bytes_peak;
    status = roost_table_describe(m->table, ROOST_DESCRIBE_KERNELS, measured->kernels, sizeof measured->kernels);
    return status ? status : roost_table_describe(m->table, ROOST_DESCRIBE_OPTIONS, measured->options, sizeof measured->options);
}

static roost_status measure_table(roost_table *table, const roost_measure_plan *plan, roost_measured *measured)
{
    struct measure m = {.table = table, .backend = table->backend, .plan = plan};
    m.key_bytes = table->key_bytes;
    m.value_bytes = table->value_bytes;
    m.threads = table->backend->threads > 0 ? table->backend->threads : omp_get_num_procs();
    roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    if (!status) status = call_end(table, ACCESS_WRITE, arrays_make(&m));
    for (unsigned i = 0; !status && i < plan->repetitions; i++) status = repeat(&m, measured, i == 0);
    if (!status) status = conclude(&m, measured);
    arrays_release(&m);
    return call_finish(table, status);
}

/* A table with room for the plan's keys at its load, which is the caller's only where the options say so. */
static roost_status table_make(roost_table **table, const roost_config *config, const roost_measure_plan *plan)
{
    roost_config own = *config;
    const struct engine *engine = registry_find(config->engine);
    const char *asked = config->options ? config->options : "";
    const size_t room = strlen(asked) + 64;
    own.capacity = plan->keys;
    own.min_fill = 0;
    if (!engine || !engine->load_option) {
        own.max_fill = plan->load;
        return roost_table_create(table, &own);
    }
    char *options = (char *)host_new(&config->allocator, room);
    if (!options) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for a table's options");
    snprintf(options, room, "%s=%.4f%s%s", engine->load_option, plan->load, *asked ? "," : "", asked);
    own.options = options;
    const roost_status status = roost_table_create(table, &own);
    host_delete(&config->allocator, options, room);
    return status;
}

ROOST_EXPORT roost_status roost_measure(const roost_config *config, const roost_measure_plan *plan, roost_measured *measured,
                                        size_t size)
{
    roost_table *table;
    if (!config || !plan || !measured || size != sizeof *measured)
        return error_set(thread_error(), ROOST_ERR_ARGUMENT,
                         "roost_measure: an argument is NULL, or size is not this version's %zu", sizeof *measured);
    memset(measured, 0, sizeof *measured);
    measured->size = size;
    roost_status status = plan_check(plan, thread_error());
    if (!status && config->size != sizeof *config)
        status = error_set(thread_error(), ROOST_ERR_ARGUMENT, "config.size is not this version's %zu: call roost_config_init",
                           sizeof *config);
    if (!status) status = table_make(&table, config, plan);
    if (status) return status;
    status = measure_table(table, plan, measured);
    roost_table_destroy(table);
    return status;
}
