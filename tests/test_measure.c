/* roost_measure: it measures full tables of the requested kind, refuses wrong plans, and notices
 * a single wrong answer. */
#include "batches/batches_kernels.h"
#include "support/settings.h"
#include "support/tables.h"

#include <string.h>

static void plan_of(roost_measure_plan *plan, double hits)
{
    require_status(ROOST_OK, roost_measure_plan_init(plan, sizeof *plan), NULL);
    plan->keys = settings_size(100000, 20000);
    plan->hits = hits;
    plan->repetitions = 2;
}

static void measurements(const struct variant *variant)
{
    static const double hits[] = {0, 0.3, 0.5, 1};
    static roost_measured m;
    for (size_t i = 0; i < sizeof hits / sizeof *hits; i++) {
        roost_config config;
        roost_measure_plan plan;
        table_config(variant, &config);
        plan_of(&plan, hits[i]);
        plan.seed = i;
        suite_step("%g hits", hits[i]);
        require_status(ROOST_OK, roost_measure(&config, &plan, &m, sizeof m), NULL);
        require(m.size == sizeof m && m.insert_seconds > 0 && m.find_seconds > 0 && m.finds_per_second > 0, "no times");
        require(m.load > 0.3 && m.load <= 0.72 && m.slots > plan.keys && m.bytes_peak >= m.table_bytes, "load %.3f", m.load);
        require(strstr(m.kernels, "find=find") == m.kernels, "%s", m.kernels);
    }
}

/* ---- Wrong answers -------------------------------------------------------------------------- */

/* Changes one byte of the answers between the finds and their check. */
static struct {
    struct backend_operations operations;
    const struct backend_operations *inner;
    uint64_t find; /* number of the find with the wrong answer */
    bool value;    /* true: its value is wrong, else its found flag */
} meddler;

static roost_status meddle(struct backend *b, const struct kernel *k, const void *args, size_t args_bytes, uint64_t n)
{
    const struct batches_args *a = (const struct batches_args *)args;
    roost_status status = ROOST_OK;
    if (k == batches_kernel_for(b, BATCHES_check)) {
        uint8_t *values = (uint8_t *)a->batch.values_out, *found = a->batch.found;
        const size_t bytes = (size_t)a->batch.value_bytes;
        status = meddler.inner->fill(b, meddler.value ? values + meddler.find * bytes + bytes - 1 : found + meddler.find, 0xa5, 1);
    }
    return status ? status : meddler.inner->launch(b, k, args, args_bytes, n);
}

static const struct backend_operations *wrap(const struct backend_operations *operations)
{
    meddler.inner = operations;
    meddler.operations = *operations;
    meddler.operations.launch = meddle;
    return &meddler.operations;
}

/* Makes one answer wrong: whether `find` was found, or its value. */
static void one_wrong_answer(const struct variant *variant, uint64_t find, bool value)
{
    static roost_measured m;
    roost_config config;
    roost_measure_plan plan;
    table_config(variant, &config);
    plan_of(&plan, 0.5);
    meddler.find = find < plan.keys ? find : plan.keys - 1;
    meddler.value = value;
    suite_step("find %llu, its %s", (unsigned long long)meddler.find, value ? "value" : "flag");
    backend_wrapper = wrap;
    const roost_status status = roost_measure(&config, &plan, &m, sizeof m);
    backend_wrapper = NULL;
    require_status(ROOST_ERR_CORRUPT, status, NULL);
    require(strstr(roost_last_error(NULL), "1 of "), "%s", roost_last_error(NULL));
}

/* Every second find is a hit. */
static void wrong_answers(const struct variant *variant)
{
    static const uint64_t finds[] = {0, 1, 4321, UINT64_MAX};
    for (size_t i = 0; i < sizeof finds / sizeof *finds; i++) {
        one_wrong_answer(variant, finds[i], false);
        if (variant->shape->value_bytes) one_wrong_answer(variant, finds[i], true);
    }
}

/* ---- Wrong plans ---------------------------------------------------------------------------- */

static void refused_plans(const struct variant *variant)
{
    roost_config config;
    roost_measure_plan plan, wrong;
    static roost_measured m;
    table_config(variant, &config);
    require_status(ROOST_ERR_ARGUMENT, roost_measure_plan_init(&plan, sizeof plan - 1), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_measure_plan_init(NULL, sizeof plan), NULL);
    require_status(ROOST_OK, roost_measure_plan_init(&plan, sizeof plan), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_measure(NULL, &plan, &m, sizeof m), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_measure(&config, NULL, &m, sizeof m), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_measure(&config, &plan, NULL, sizeof m), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_measure(&config, &plan, &m, sizeof m - 1), NULL);
#define REFUSED(member, value)                                                                                                     \
    wrong = plan;                                                                                                                  \
    wrong.member = value;                                                                                                          \
    require_status(ROOST_ERR_ARGUMENT, roost_measure(&config, &wrong, &m, sizeof m), NULL)
    REFUSED(size, 0);
    REFUSED(keys, 0);
    REFUSED(keys, (uint64_t)1 << 31);
    REFUSED(load, 0);
    REFUSED(load, 1.5);
    REFUSED(hits, -0.1);
    REFUSED(hits, 1.1);
    REFUSED(repetitions, 0);
#undef REFUSED
    config.engine = "nosuch";
    require_status(ROOST_ERR_NOT_FOUND, roost_measure(&config, &plan, &m, sizeof m), NULL);
    config.engine = settings_get()->engine;
    config.memory_limit = 1000;
    require_status(ROOST_ERR_MEMORY, roost_measure(&config, &plan, &m, sizeof m), NULL);
    config.size = 0;
    require_status(ROOST_ERR_ARGUMENT, roost_measure(&config, &plan, &m, sizeof m), NULL);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("measurements", measurements);
    suite_add_widths("wrong answers", wrong_answers);
    suite_add_once("refused plans", refused_plans);
    return suite_run("measure");
}
