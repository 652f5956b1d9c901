/* Tables of engine stadium. */
#include "support/stadium_tables.h"

#include <string.h>

#include "support/draw.h"

void stadium_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->engine = "stadium";
}

void open_table(struct table *table, const struct variant *variant)
{
    roost_config config;
    stadium_config(variant, &config);
    table_open(table, variant, &config);
}

void open_model(struct model *model, const struct variant *variant, uint64_t capacity, int growth)
{
    roost_config config;
    stadium_config(variant, &config);
    config.capacity = capacity;
    config.growth = growth;
    model_open(model, variant, &config);
    model->rules.fixed = !growth;
}

bool has_option(const struct variant *variant, const char *text) { return variant->options && strstr(variant->options, text); }

bool has_marks(const struct variant *variant) { return has_option(variant, "access=off") || has_option(variant, "ticket=1,"); }

uint64_t *any_values(const struct test_shape *shape, size_t n)
{
    struct dice dice = {suite_seed()};
    uint64_t *values = make_patterns(n);
    for (size_t i = 0; i < n; i++) values[i] = draw_value(&dice, shape->value_type);
    return values;
}
