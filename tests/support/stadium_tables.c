/* Tables of engine stadium. */
#include "support/stadium_tables.h"

#include <string.h>

void stadium_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->engine = "stadium";
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
