/* Random sequences of batches against the reference, for every width, with the default number of
 * threads and with more threads than cores.  From small batches, where each step is checked
 * closely, to large ones. */
#include "support/sequences.h"
#include "support/settings.h"

static void run(const struct variant *variant, const roost_config *config, size_t steps, size_t most)
{
    struct model model;
    struct dice dice = {suite_seed()};
    model_open(&model, variant, config);
    sequence_run(&model, &dice, steps, most);
    model_close(&model);
}

static void small_batches(const struct variant *variant) { run(variant, NULL, settings_size(300, 60), 100); }

static void large_batches(const struct variant *variant) { run(variant, NULL, settings_size(60, 15), 6000); }

/* With narrow bounds the table grows and shrinks much more often. */
static void narrow_fill_bounds(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.max_fill = 0.80;
    config.min_fill = fill_narrow(config.max_fill);
    run(variant, &config, settings_size(60, 15), 4000);
}

static void saturating_sums(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.saturate = 1;
    run(variant, &config, settings_size(40, 15), 1000);
}

static void started_large(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.capacity = 20000;
    run(variant, &config, settings_size(40, 15), 4000);
}

static void never_shrinking(const struct variant *variant)
{
    roost_config config;
    table_config(variant, &config);
    config.min_fill = 0;
    run(variant, &config, settings_size(40, 15), 3000);
}

static void add_threads(const char *behaviour, test_body body, int threads)
{
    for (size_t i = 0; i < SHAPE_COUNT; i++) suite_add(behaviour, body, (struct variant){.shape = &shapes[i], .threads = threads});
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_widths("small batches", small_batches);
    suite_add_widths("large batches", large_batches);
    suite_add_widths("narrow fill bounds", narrow_fill_bounds);
    suite_add_some("saturating sums", saturating_sums, shape_has_values);
    suite_add_wide("small batches", small_batches, shape_is_any);
    suite_add_wide("large batches", large_batches, shape_is_any);
    suite_add_wide("narrow fill bounds", narrow_fill_bounds, shape_is_any);
    suite_add_wide("saturating sums", saturating_sums, shape_is_unsigned);
    suite_add_widths("started large", started_large);
    suite_add_widths("never shrinking", never_shrinking);
    add_threads("small batches", small_batches, 1);
    add_threads("large batches", large_batches, 1);
    add_threads("small batches", small_batches, 8);
    add_threads("large batches", large_batches, 8);
    add_threads("narrow fill bounds", narrow_fill_bounds, 8);
    return suite_run("sequences");
}
