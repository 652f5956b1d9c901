/* roost_measure: the speed of inserts into and finds on tables of a configuration.  The arrays
 * are where the table is. */
#include <stdio.h>

#include "api/checks.h"
#include "api/create.h"
#include "api/registry.h"
#include "roost/tuning.h"
#include "batches/batches_kernels.h"
#include "engines/option_table.h"

/* up to this number all present and absent keys of 4 bytes are distinct */
enum { KEYS_MOST = INT32_MAX };

ROOST_EXPORT roost_status roost_measure_plan_init(roost_measure_plan *plan, size_t size)
{
    return struct_init(&struct_measure_plan, plan, size, "roost_measure_plan_init");
}

static roost_status plan_check(const roost_measure_plan *p, struct error *error)
{
    if (!p->keys || p->keys > KEYS_MOST) return error_set(error, ROOST_ERR_ARGUMENT, "plan.keys: from 1 to %d", KEYS_MOST);
    if (!(p->load > 0 && p->load <= 1)) return error_set(error, ROOST_ERR_ARGUMENT, "plan.load is %g: above 0, at most 1", p->load);
    if (!(p->hits >= 0 && p->hits <= 1)) return error_set(error, ROOST_ERR_ARGUMENT, "plan.hits is %g: from 0 to 1", p->hits);
    if (!p->repetitions || p->repetitions > 1000)
        return error_set(error, ROOST_ERR_ARGUMENT, "plan.repetitions is %u: from 1 to 1000", p->repetitions);
    return ROOST_OK;
}

/* ---- Arrays ---------------------------------------------------------------------------------- */

/* The measured table, and arrays where it is. */
struct measure {
    roost_table *table;
    struct backend *backend;
    const roost_measure_plan *plan;
    int key_bytes, value_bytes;
    void *keys, *values, *asked, *values_found, *found;
    void *wrong; /* 8 bytes: the number of wrong answers */
};

/* Runs a kernel of batches_measure_items.h: they write pairs and keys to find, and check
 * answers. */
static roost_status launch(struct measure *m, enum batches_kernel which, void *keys)
{
    struct batches_args args;
    memset(&args, 0, sizeof args);
    args.n = m->plan->keys;
    args.measure.seed = m->plan->seed;
    args.measure.hits = (uint64_t)(m->plan->hits * 0x1p32);
    args.batch.key_bytes = m->key_bytes;
    args.batch.value_bytes = m->value_bytes;
    args.batch.values_out = m->values_found;
    args.batch.found = (uint8_t *)m->found;
    args.columns.keys = keys;
    args.columns.values_in = m->values;
    args.words = (uint64_t *)m->wrong;
    return m->backend->operations->launch(m->backend, batches_kernel_for(m->backend, which), &args, sizeof args, args.n);
}

static roost_status check_answers(struct measure *m)
{
    const struct backend_operations *o = m->backend->operations;
    uint64_t wrong = 0;
    roost_status status = o->fill(m->backend, m->wrong, 0, sizeof wrong);
    if (!status) status = launch(m, BATCHES_check, NULL);
    if (!status) status = o->read(m->backend, &wrong, m->wrong, sizeof wrong);
    if (status || !wrong) return status;
    return error_set(&m->table->error, ROOST_ERR_CORRUPT, "%llu of %llu finds of a measurement were answered wrongly",
                     (unsigned long long)wrong, (unsigned long long)m->plan->keys);
}

static roost_status array_make(struct measure *m, int bytes, void **array)
{
    if (!bytes) return ROOST_OK;
    return m->backend->operations->allocate(m->backend, (size_t)m->plan->keys * (unsigned)bytes, array);
}

static roost_status arrays_make(struct measure *m)
{
    roost_status status = array_make(m, m->key_bytes, &m->keys);
    if (!status) status = array_make(m, m->key_bytes, &m->asked);
    if (!status) status = array_make(m, 1, &m->found);
    if (!status) status = array_make(m, m->value_bytes, &m->values);
    if (!status) status = array_make(m, m->value_bytes, &m->values_found);
    if (!status) status = m->backend->operations->allocate(m->backend, sizeof(uint64_t), &m->wrong);
    if (!status) status = launch(m, BATCHES_pair, m->keys);
    if (!status) status = launch(m, BATCHES_ask, m->asked);
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
    if (m->wrong) m->backend->operations->release(m->backend, m->wrong, sizeof(uint64_t));
}

/* ---- Measuring ------------------------------------------------------------------------------- */

/* One repetition.  The fastest times are kept. */
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

/* The load factor, or the utilisation of engines with a load option. */
static roost_status load_read(struct measure *m, const roost_stats *stats, double *load)
{
    char name[sizeof(((roost_stat *)NULL)->name)];
    roost_stat stat = ROOST_STAT_INIT;
    *load = stats->load_factor;
    if (!m->table->engine->load_option) return ROOST_OK;
    snprintf(name, sizeof name, "%s.memory_utilisation", m->table->engine->name);
    const roost_status status = roost_table_stat(m->table, name, &stat);
    *load = stat.value.f64;
    return status;
}

static roost_status conclude(struct measure *m, roost_measured *measured)
{
    roost_stats stats;
    roost_status status = roost_table_stats(m->table, &stats, sizeof stats);
    if (!status) status = load_read(m, &stats, &measured->load);
    if (status) return status;
    if (stats.count != m->plan->keys)
        return error_set(&m->table->error, ROOST_ERR_CORRUPT, "%llu keys were inserted, and %llu are there",
                         (unsigned long long)m->plan->keys, (unsigned long long)stats.count);
    measured->inserts_per_second = rate(m, measured->insert_seconds);
    measured->finds_per_second = rate(m, measured->find_seconds);
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
    if (m.key_bytes < 4)
        return call_finish(table, error_set(&table->error, ROOST_ERR_UNSUPPORTED,
                                            "roost_measure draws keys of 4 to %d bytes, not shorter ones or strings",
                                            ROOST_KEY_BYTES_MOST));
    roost_status status = call_begin(table, NULL, ACCESS_WRITE);
    if (!status) status = call_end(table, ACCESS_WRITE, arrays_make(&m));
    for (unsigned i = 0; !status && i < plan->repetitions; i++) status = repeat(&m, measured, i == 0);
    if (!status) status = conclude(&m, measured);
    arrays_release(&m);
    return call_finish(table, status);
}

/* Makes a table with room for the plan's keys at a load factor.  An engine with a load option
 * gets the load as an option, unless the caller's options have it. */
static roost_status table_make(roost_table **table, const roost_config *config, const roost_measure_plan *plan, double load)
{
    roost_config own = *config;
    const struct engine *engine = registry_find(config->engine);
    const char *asked = config->options ? config->options : "";
    const size_t room = strlen(asked) + 64;
    own.capacity = plan->keys;
    own.min_fill = 0;
    if (!engine || !engine->load_option) {
        own.max_fill = load;
        return table_create_one(table, &own);
    }
    if (option_given(asked, engine->load_option)) return table_create_one(table, &own);
    char *options = (char *)host_new(&config->allocator, room);
    if (!options) return error_set(thread_error(), ROOST_ERR_MEMORY, "no memory for a table's options");
    snprintf(options, room, "%s=%.4f%s%s", engine->load_option, load, *asked ? "," : "", asked);
    own.options = options;
    const roost_status status = table_create_one(table, &own);
    host_delete(&config->allocator, options, room);
    return status;
}

static roost_status measure_at(const roost_config *config, const roost_measure_plan *plan, double load, roost_measured *measured)
{
    roost_table *table;
    roost_status status = table_make(&table, config, plan, load);
    if (status) return status;
    status = measure_table(table, plan, measured);
    roost_table_destroy(table);
    return status;
}

/* An engine that rounds its number of buckets up may end somewhat below the load.  Once,
 * measures a table that is made for a load higher by the same ratio. */
static void measure_again(const roost_config *config, const roost_measure_plan *plan, roost_measured *measured)
{
    static const double near = 0.8;
    roost_measured again = {0};
    const double load = plan->load * plan->load / measured->load;
    if (measured->reaches || measured->load < near * plan->load || load > 1) return;
    if (measure_at(config, plan, load, &again) == ROOST_OK && again.reaches) *measured = again;
}

ROOST_EXPORT roost_status roost_measure(const roost_config *config, const roost_measure_plan *plan, roost_measured *measured,
                                        size_t size)
{
    roost_config own;
    roost_measure_plan own_plan;
    roost_measured results = {0};
    if (!config || !plan || !measured) return error_set(thread_error(), ROOST_ERR_ARGUMENT, "roost_measure: an argument is NULL");
    roost_status status = struct_size_check(&struct_measured, size, thread_error());
    if (!status) status = struct_read(&struct_measure_plan, &own_plan, plan, thread_error());
    if (!status) status = plan_check(&own_plan, thread_error());
    if (!status) status = struct_read(&struct_config, &own, config, thread_error());
    if (!status) status = measure_at(&own, &own_plan, own_plan.load, &results);
    if (!status) measure_again(&own, &own_plan, &results);
    if (!status) struct_write(measured, size, &results);
    return status;
}
