/* Tables of engine gph. */
#include "support/gph_tables.h"

#include "support/settings.h"

void gph_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->engine = "gph";
}

void open_gph(struct table *table, const struct variant *variant, uint64_t capacity)
{
    roost_config config;
    gph_config(variant, &config);
    config.capacity = capacity;
    table_open(table, variant, &config);
}

void open_gph_model(struct model *model, const struct variant *variant, uint64_t capacity, int growth, uint64_t seed)
{
    roost_config config;
    gph_config(variant, &config);
    config.capacity = capacity;
    config.growth = growth;
    config.seed = seed;
    model_open(model, variant, &config);
    model->rules.fixed = true;
}

void gph_insert(struct table *table, const uint64_t *keys, size_t n, size_t pieces)
{
    for (size_t piece = 0; piece < pieces; piece++) {
        const size_t first = n * piece / pieces, end = n * (piece + 1) / pieces;
        require_status(ROOST_OK, table_insert(table, ROOST_ASSIGN, keys + first, keys + first, end - first, NULL), table->handle);
    }
}

/* Every width, and options.  shapes[] has pairs of 4 bytes first, then of 8. */
struct kind {
    unsigned shape;
    const char *options;
};

static const struct kind kinds[] = {
    {0, NULL},
    {1, NULL},
    {2, NULL},
    {3, NULL},
    {4, NULL},
    {5, NULL},
    {0, "slots=4,keys=8"},
    {0, "slots=16"},
    {0, "virtual=2"},
    {0, "virtual=16"},
    {0, "keys=6"},
    {1, "virtual=4"},
    /* These need ROOST_TUNE. */
    {0, "hash=summed"},
    {0, "preset=paper"},
    {1, "hash=summed"},
    {5, "preset=paper"},
};

enum { KINDS = sizeof kinds / sizeof kinds[0], TUNED_KINDS = 4 };

void add_gph_kinds(const char *behaviour, test_body body, int threads, uint64_t number)
{
    for (size_t i = 0; i < KINDS - (settings_tuned() ? 0 : TUNED_KINDS); i++)
        for (int p = PLACE_HOST; p < suite_placements(); p++)
            suite_add(behaviour, body,
                      (struct variant){.shape = &shapes[kinds[i].shape],
                                       .options = kinds[i].options,
                                       .threads = threads,
                                       .placement = (enum placement)p,
                                       .number = number});
}
