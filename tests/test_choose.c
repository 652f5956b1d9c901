/* The library's choice of engine and device: it keeps what the caller asked for, chooses only
 * engines that support the configuration, and gives its reasons. */
#include "support/settings.h"
#include "support/tables.h"

#include <string.h>

#include "api/choose.h"
#include "api/registry.h"

static roost_config usual(void)
{
    roost_config config;
    require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
    config.device = settings_get()->device;
    return config;
}

static roost_choice choose(const roost_config *config)
{
    roost_choice choice;
    require_status(ROOST_OK, roost_choose(config, &choice, sizeof choice), NULL);
    require(*choice.reason && strstr(choice.reason, choice.engine), "%s, because: %s", choice.engine, choice.reason);
    return choice;
}

/* A table is made with what was chosen. */
static void tables_follow(const struct variant *variant)
{
    static const uint64_t capacities[] = {0, 1000, 100000};
    (void)variant;
    for (int work = ROOST_WORK_ANY; work <= ROOST_WORK_GROWTH; work++)
        for (size_t c = 0; c < sizeof capacities / sizeof capacities[0]; c++) {
            roost_config config = usual();
            roost_table *table;
            config.work = (roost_work)work;
            config.capacity = capacities[c];
            const roost_choice choice = choose(&config);
            require_status(ROOST_OK, roost_table_create(&table, &config), NULL);
            require(!strcmp(roost_table_engine(table), choice.engine), "%s was chosen, and %s made", choice.engine,
                    roost_table_engine(table));
            roost_table_destroy(table);
        }
}

static void requests_are_kept(const struct variant *variant)
{
    (void)variant;
    for (size_t i = 0; registry_at(i); i++) {
        roost_config config = usual();
        config.engine = registry_at(i)->name;
        const roost_choice choice = choose(&config);
        require(!strcmp(choice.engine, config.engine), "%s became %s", config.engine, choice.engine);
    }
    roost_config config = usual();
    config.options = "driver=auto";
    require(!strcmp(choose(&config).engine, registry_at(0)->name), "options without an engine's name are the first one's");
}

/* Only engines that support the configuration are chosen. */
static void only_engines_that_can(const struct variant *variant)
{
    (void)variant;
    roost_config config = usual();
    roost_choice choice;
    config.flags = ROOST_MULTI;
    if (engine_is_built("slab")) require(registry_find(choose(&config).engine)->multi, "no multimaps");
    config = usual();
    config.growth = 0;
    if (registry_find("dycuckoo")) require(registry_find(choose(&config).engine)->captures, "inserts into no graph");
    config = usual();
    config.key_type = ROOST_TYPE_STRING;
    if (engine_is_built("stadium")) require(registry_find(choose(&config).engine)->export_strings != NULL, "no strings");
    config = usual();
    config.engine = "none such";
    require_status(ROOST_ERR_NOT_FOUND, roost_choose(&config, &choice, sizeof choice), NULL);
    config = usual();
    config.work = (roost_work)8;
    require_status(ROOST_ERR_ARGUMENT, roost_choose(&config, &choice, sizeof choice), NULL);
    config.work = (roost_work)-1;
    require_status(ROOST_ERR_ARGUMENT, roost_choose(&config, &choice, sizeof choice), NULL);
    config = usual();
    require_status(ROOST_ERR_ARGUMENT, roost_choose(NULL, &choice, sizeof choice), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_choose(&config, &choice, sizeof choice - 1), NULL);
    require_status(ROOST_ERR_ARGUMENT, roost_choose(&config, NULL, sizeof choice), NULL);
}

/* Where rates are known, the chosen engine has the highest one.  An engine that cannot reach the
 * load has no rate. */
static void the_fastest(const struct variant *variant)
{
    (void)variant;
    for (int place = 0; place < CHOICE_PLACES; place++)
        for (int work = ROOST_WORK_ANY; work <= ROOST_WORK_GROWTH; work++)
            for (int load = 50; load <= 100; load += 5) {
                const struct choice_hints hints = {
                    (enum choice_place)place, (roost_work)work, 1000000, load / 100.0, 4, 4, true, false};
                const double best = choice_rate(choice_engine(&hints), &hints);
                for (size_t i = 0; registry_at(i); i++)
                    require(choice_rate(registry_at(i), &hints) <= best, "%s would be faster", registry_at(i)->name);
            }
    const struct choice_hints full = {CHOICE_GPU, ROOST_WORK_FIND_HITS, 1000000, 1.0, 4, 4, true, false};
    if (registry_find("dycuckoo")) require(choice_rate(registry_find("dycuckoo"), &full) == 0, "dycuckoo gets full");
}

/* Batches from host memory that would take longer on a GPU stay on the host. */
static void small_batches_stay(const struct variant *variant)
{
    (void)variant;
    require(!choice_stays_on_host(0), "an unknown size is none");
    require(!choice_stays_on_host((uint64_t)1 << 40), "large ones do not stay");
    roost_config config = usual();
    config.device = NULL;
    config.batch = 1;
    const roost_choice choice = choose(&config);
    if (choice_stays_on_host(1)) require(!strcmp(choice.device, "host"), "%s", choice.device);
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_once("tables follow", tables_follow);
    suite_add_once("requests are kept", requests_are_kept);
    suite_add_once("only engines that can", only_engines_that_can);
    suite_add_once("the fastest", the_fastest);
    suite_add_once("small batches stay", small_batches_stay);
    return suite_run("choose");
}
