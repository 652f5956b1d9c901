/* The engines' own options: under each the same behaviour, checked by random sequences.
 * Combinations that an option excludes are refused when the table is made. */
#include "support/coverage.h"
#include "support/sequences.h"
#include "support/settings.h"

#include <stdio.h>
#include <string.h>

/* Whether a table of these widths must exist with an option, may exist, or must not. */
enum support { REQUIRED, ALLOWED, EXCLUDED };

struct option {
    const char *text;      /* NULL ends a list */
    bool pairs_only;       /* true: widths other than 4+4 may be refused */
    bool narrow_keys_only; /* true: keys of 8 bytes must be refused */
    bool tuned_only;       /* true: must be refused without ROOST_TUNE, with a text that says so */
};

static const struct option compact_options[] = {
    {.text = "step=1.05"},
    {.text = "step=1.1"},
    {.text = "step=2"},
    {.text = "step=4"},
    {.text = "step=4,hash=mix"},
    {.text = "hash=keyed"},
    {.text = "hash=mix"},
    {.text = "bulk=on"},
    {.text = "bulk=on,step=1.1"},
    {.text = "driver=abreast"},
    {.text = "driver=onceabreast"},
    {.text = "tile=2"},
    {.text = "driver=abreast,tile=2"},
    {.text = "find=onceabreast2"},
    {.text = "insert=abreast2"},
    {.text = "find=onceabreast2,insert=abreast2,erase=abreast2,apply=abreast2"},
    {.text = "step=1.5,hash=keyed,find=auto,driver=auto,tile=auto"},
    {0},
};

static const struct option dycuckoo_options[] = {
    {.text = "subtables=2"},
    {.text = "subtables=3"},
    {.text = "subtables=5"},
    {.text = "subtables=6"},
    {.text = "subtables=7"},
    {.text = "subtables=8"},
    {.text = "layers=1", .pairs_only = true, .tuned_only = true},
    {.text = "layers=1,subtables=8", .pairs_only = true, .tuned_only = true},
    {.text = "resize=all"},
    {.text = "resize=all,subtables=2"},
    {.text = "weights=paper"},
    {.text = "hash=mix"},
    {.text = "hash=universal", .narrow_keys_only = true},
    {.text = "slots=4", .pairs_only = true},
    {.text = "slots=8", .pairs_only = true},
    {.text = "slots=16", .pairs_only = true},
    {.text = "slots=32", .pairs_only = true},
    {.text = "publish=locked", .pairs_only = true},
    {.text = "publish=locked,driver=vote", .pairs_only = true},
    {.text = "publish=locked,subtables=3", .pairs_only = true},
    {.text = "driver=lane"},
    {.text = "driver=tile"},
    {.text = "driver=cooperative"},
    {.text = "driver=once"},
    {.text = "driver=vote"},
    {.text = "driver=vote,layers=1", .pairs_only = true, .tuned_only = true},
    {.text = "requester=off", .pairs_only = true, .tuned_only = true},
    {.text = "requester=off,slots=4", .pairs_only = true, .tuned_only = true},
    {.text = "requester=off,slots=16", .pairs_only = true, .tuned_only = true},
    {.text = "subtables=4,slots=8,layers=2,resize=one,hash=mix,weights=vacant,publish=auto,driver=auto", .pairs_only = true},
    {0},
};

static const struct option fks_options[] = {
    {.text = "bucket=1"},
    {.text = "bucket=20"},
    {.text = "bucket=100,split=1"},
    {.text = "load=0.3"},
    {.text = "load=0.95"},
    {.text = "iterations=1"},
    {.text = "iterations=1000"},
    {.text = "dense=0"},
    {.text = "dense=1000"},
    {.text = "grow=1"},
    {.text = "grow=1.75,dense=1000"},
    {.text = "bucket=5,split=1.01,merge=0.6,dense=1"},
    {.text = "merge=0"},
    {.text = "bulk=on"},
    {.text = "preset=paper", .pairs_only = true},
    {.text = "preset=paper,dense=1000", .pairs_only = true},
    {.text = "preset=quadratic", .pairs_only = true},
    {.text = "preset=quadratic,dense=1000", .pairs_only = true},
    {.text = "driver=lane"},
    {.text = "driver=tile"},
    {.text = "driver=once"},
    {.text = "driver=cooperative"},
    {0},
};

static const struct option gph_options[] = {
    {.text = "slots=4", .pairs_only = true},
    {.text = "slots=16", .pairs_only = true},
    {.text = "virtual=2"},
    {.text = "virtual=4"},
    {.text = "virtual=16"},
    {.text = "keys=1"},
    {.text = "keys=6"},
    {.text = "keys=6,virtual=16,flagged=0.005"},
    {.text = "keys=32"},
    {.text = "flagged=0.001"},
    {.text = "flagged=1"},
    {.text = "requester=off", .pairs_only = true, .tuned_only = true},
    {.text = "preset=paper,requester=off", .pairs_only = true, .tuned_only = true},
    {.text = "index=shared"},
    {.text = "index=routed"},
    {.text = "hash=mix"},
    {.text = "hash=summed", .tuned_only = true},
    {.text = "hash=summed,virtual=2", .tuned_only = true},
    {.text = "preset=paper", .tuned_only = true},
    {.text = "preset=paper,keys=6", .tuned_only = true},
    {.text = "driver=lane"},
    {.text = "driver=tile"},
    {.text = "driver=cooperative"},
    {.text = "driver=once"},
    {.text = "driver=twice", .pairs_only = true},
    {.text = "tile=4", .pairs_only = true},
    {0},
};

static const struct option slab_options[] = {
    {.text = "growth=chain"},
    {.text = "memory=light"},
    {.text = "memory=light,growth=chain"},
    {.text = "hash=mix"},
    {.text = "hash=universal", .narrow_keys_only = true},
    {.text = "publish=two-step"},
    {.text = "publish=two-step,growth=chain"},
    {.text = "bulk=on"},
    {.text = "bulk=on,growth=chain"},
    {.text = "driver=lane"},
    {.text = "driver=tile"},
    {.text = "driver=cooperative"},
    {.text = "driver=once"},
    {.text = "requester=off", .pairs_only = true, .tuned_only = true},
    {.text = "utilisation=0.45,requester=off", .pairs_only = true, .tuned_only = true},
    {.text = "utilisation=0.45"},
    {.text = "utilisation=0.75", .pairs_only = true},
    {.text = "utilisation=0.60,growth=double,memory=auto,hash=mix,publish=auto,driver=auto,tile=auto"},
    {0},
};

static const struct option stadium_options[] = {
    {.text = "ticket=1"},
    {.text = "ticket=1,probe=group"},
    {.text = "ticket=2"},
    {.text = "ticket=2,access=off"},
    {.text = "ticket=4"},
    {.text = "ticket=4,access=off,probe=double"},
    {.text = "ticket=8,access=off"},
    {.text = "ticket=16"},
    {.text = "ticket=16,access=off"},
    {.text = "probe=double"},
    {.text = "lookup=pairs"},
    {.text = "lookup=pairs,ticket=1"},
    {.text = "ticket=16,probe=double"},
    {.text = "group=64", .pairs_only = true},
    {.text = "group=64,ticket=16", .pairs_only = true},
    {.text = "memory=host"},
    {.text = "memory=auto"},
    {.text = "regions=auto"},
    {.text = "regions=5"},
    {.text = "bulk=on"},
    {.text = "bulk=on,ticket=4,group=64", .pairs_only = true},
    {.text = "hash=mix"},
    {.text = "hash=universal", .narrow_keys_only = true},
    {.text = "driver=lane"},
    {.text = "driver=tile"},
    {.text = "driver=cooperative"},
    {.text = "driver=once"},
    {.text = "driver=collaborate", .pairs_only = true},
    {.text = "hybrid=0.5", .pairs_only = true},
    {.text = "tile=2", .pairs_only = true},
    {.text = "ticket=8,probe=auto,group=auto,access=auto,memory=device,hash=mix,driver=auto,tile=auto"},
    {0},
};

static const struct option *options; /* of the engine under test */

static bool is_default_pair(const struct test_shape *shape) { return shape->key_bytes == 4 && shape->value_bytes == 4; }

static enum support support_of(const struct option *option, const struct test_shape *shape)
{
    if (option->narrow_keys_only && shape->key_bytes == 8) return EXCLUDED;
    if (option->tuned_only && !settings_tuned()) return EXCLUDED;
    if (is_default_pair(shape)) return REQUIRED;
    const bool names_driver = driver_of_options(option->text) != 0;
    return option->pairs_only || names_driver ? ALLOWED : REQUIRED;
}

static const struct option *option_of(const struct variant *variant)
{
    size_t i = 0;
    while (options[i].text != variant->options) i++;
    return &options[i];
}

/* True if there is a table to test.  Fails if a required table is refused or an excluded one is
 * made. */
static bool can_be_made(const struct variant *variant)
{
    roost_config config;
    struct table table;
    table_config(variant, &config);
    const roost_status status = table_create(&table, variant, &config);
    const enum support support = support_of(option_of(variant), variant->shape);
    require(status == ROOST_OK || status == ROOST_ERR_UNSUPPORTED, "%s: %s", roost_status_name(status), roost_last_error(NULL));
    require(status != ROOST_OK || support != EXCLUDED, "an option that excludes these widths was taken");
    require(status == ROOST_OK || support != REQUIRED, "refused: %s", roost_last_error(NULL));
    if (option_of(variant)->tuned_only && status && is_default_pair(variant->shape))
        require(strstr(roost_last_error(NULL), "ROOST_TUNE"), "\"%s\" does not name ROOST_TUNE", roost_last_error(NULL));
    if (status == ROOST_OK) table_close(&table);
    return status == ROOST_OK;
}

static void sequences(const struct variant *variant)
{
    if (!can_be_made(variant)) return;
    struct dice dice = {suite_seed()};
    struct model model;
    model_open(&model, variant, NULL);
    sequence_run(&model, &dice, settings_size(60, 15), 200);
    sequence_run(&model, &dice, settings_size(20, 6), 4000);
    model_close(&model);
}

/* The statistics show that the option is in effect. */
static void options_take_effect(const struct variant *variant)
{
    for (unsigned subtables = 2; subtables <= 8; subtables++) {
        char text[32];
        struct variant with = *variant;
        struct table table;
        snprintf(text, sizeof text, "subtables=%u", subtables);
        with.options = text;
        table_open(&table, &with, NULL);
        require(table_stats(&table).subtables == subtables, "%s made %u", text, (unsigned)table_stats(&table).subtables);
        table_close(&table);
    }
    for (unsigned slots = 4; slots <= 32; slots *= 2) {
        char text[32];
        struct variant with = *variant;
        struct table table;
        snprintf(text, sizeof text, "slots=%u", slots);
        with.options = text;
        table_open(&table, &with, NULL);
        require(table_stats(&table).slots_per_bucket == slots, "%s made %u", text, (unsigned)table_stats(&table).slots_per_bucket);
        table_close(&table);
    }
}

/* Growth in steps changes one subtable; with `resize=all` all stay equal. */
static void resizing_all_keeps_subtables_equal(const struct variant *variant)
{
    static uint64_t keys[5000];
    struct variant with = *variant;
    struct table table;
    with.options = "resize=all";
    table_open(&table, &with, NULL);
    for (size_t i = 0; i < 5000; i++) keys[i] = distinct_key(variant->shape, i);
    require_status(ROOST_OK, table_insert(&table, ROOST_ASSIGN, keys, keys, 5000, NULL), table.handle);
    const struct table_numbers stats = table_stats(&table);
    require(stats.grow_steps > 0, "the table did not grow");
    for (uint32_t i = 1; i < stats.subtables; i++)
        require(stats.subtable_slots[i] == stats.subtable_slots[0], "subtable %u has %llu slots, the first %llu", i,
                (unsigned long long)stats.subtable_slots[i], (unsigned long long)stats.subtable_slots[0]);
    table_close(&table);
}

/* The fractions of compact's option begin at 1. */
static const char *fraction_option(void)
{
    return settings_on_compact() ? "step"
           : settings_on_gph()   ? "flagged"
           : settings_on_fks()   ? "load"
           : settings_on_slab()  ? "utilisation"
                                 : "hybrid";
}

/* Plain decimals are accepted, and nothing else that strtod would read: a blank would end a
 * profile's line. */
static void fractions(const struct variant *variant)
{
    static const struct {
        const char *value;
        roost_status status;
    } cases[] = {
        {"0.5", ROOST_OK},
        {"0.50", ROOST_OK},
        {" 0.5", ROOST_ERR_ARGUMENT},
        {"0.5 ", ROOST_ERR_ARGUMENT},
        {"\n0.5", ROOST_ERR_ARGUMENT},
        {"+0.5", ROOST_ERR_ARGUMENT},
        {"-0.5", ROOST_ERR_ARGUMENT},
        {"00.5", ROOST_ERR_ARGUMENT},
        {".5", ROOST_ERR_ARGUMENT},
        {"0.", ROOST_ERR_ARGUMENT},
        {"1.", ROOST_ERR_ARGUMENT},
        {".", ROOST_ERR_ARGUMENT},
        {"5e-1", ROOST_ERR_ARGUMENT},
        {"0x1p-1", ROOST_ERR_ARGUMENT},
        {"0.5.0", ROOST_ERR_ARGUMENT},
        {"0.5x", ROOST_ERR_ARGUMENT},
        {"nan", ROOST_ERR_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        struct variant with = *variant;
        struct table table;
        roost_config config;
        snprintf(text, sizeof text, "%s=%s", fraction_option(), cases[i].value);
        char *const whole = settings_on_compact() ? strstr(text, "0.") : NULL;
        if (whole) *whole = '1';
        suite_step("%s", text);
        with.options = text;
        table_config(&with, &config);
        require_status(cases[i].status, table_create(&table, &with, &config), NULL);
        if (cases[i].status == ROOST_OK) table_close(&table);
    }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    options = settings_on_compact()   ? compact_options
              : settings_on_gph()     ? gph_options
              : settings_on_fks()     ? fks_options
              : settings_on_slab()    ? slab_options
              : settings_on_stadium() ? stadium_options
                                      : dycuckoo_options;
    for (size_t o = 0; options[o].text; o++)
        for (size_t s = 0; s < SHAPE_COUNT; s++)
            suite_add("sequences", sequences, (struct variant){.shape = &shapes[s], .options = options[o].text});
    for (size_t o = 0; options[o].text; o++)
        suite_add("sequences", sequences, (struct variant){.shape = &shapes[0], .options = options[o].text, .threads = 8});
    if (settings_on_dycuckoo()) suite_add_once("options take effect", options_take_effect);
    if (settings_on_dycuckoo()) suite_add_once("resize=all keeps subtables equal", resizing_all_keeps_subtables_equal);
    if (!settings_on_dycuckoo()) suite_add_once("fractions", fractions);
    return suite_run("options");
}
