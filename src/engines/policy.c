/* What the engines' policies share. */
#include "engines/policy.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "portable/hash_seeds.h"
#include "portable/options.h"

void *policy_new(size_t bytes, const struct engine *engine, const struct engine_config *config, struct backend *b,
                 struct error *error)
{
    struct engine_table *table = (struct engine_table *)host_new(&b->allocator, bytes);
    if (!table) {
        (void)error_set(error, ROOST_ERR_MEMORY, "no memory for the table's description");
        return NULL;
    }
    table->engine = engine;
    table->backend = b;
    table->error = error;
    table->warnings = config->warnings;
    return table;
}

/* ---- Options ------------------------------------------------------------------------------------------------------------------------ */

static roost_status options_read(const char *engine, const char *text, policy_option_set *set, void *options, struct error *error)
{
    char name[32], value[32];
    bool known;
    for (int more; (more = options_next(&text, name, value)) != 0;) {
        if (more < 0) return error_set(error, ROOST_ERR_ARGUMENT, "options: expected name=value,name=value at \"%.40s\"", text);
        if (set(options, name, value, &known)) continue;
        if (!known) return error_set(error, ROOST_ERR_NOT_FOUND, "engine %s has no option \"%s\"", engine, name);
        return error_set(error, ROOST_ERR_ARGUMENT, "option %s=%s: no such value", name, value);
    }
    return ROOST_OK;
}

static const struct kernel_ask nothing = {-1, 0, false, ""};

roost_status policy_options(const struct engine *engine, const struct engine_config *config, policy_option_set *set, void *options,
                            struct kernel_asks *asks, struct error *error)
{
    asks->choices = engine->choices;
    asks->drivers = engine->drivers;
    asks->all = nothing;
    asks->regions = engine->bulk;
    asks->bulk = BULK_AUTO;
    asks->by_slots = false;
    for (int i = 0; i < ENGINE_CHOICES; i++) asks->of[i] = nothing;
    asks->profiles = true;
    const roost_status status = options_read(engine->name, config->profile, set, options, error);
    asks->profiles = false;
    return status ? status : options_read(engine->name, config->config->options, set, options, error);
}

/* What the caller asks of all operations is asked of those, too, for which the profile says another. */
static void profiles_give_way(struct kernel_asks *asks)
{
    for (int i = 0; i < ENGINE_CHOICES; i++)
        if (asks->of[i].profiles && !asks->profiles) asks->of[i] = nothing;
}

bool policy_kernel_option(struct kernel_asks *asks, const char *name, const char *value, bool *known)
{
    const int choice = option_choice(name, asks->choices);
    *known = true;
    if (choice >= 0) {
        struct kernel_ask *ask = &asks->of[choice];
        ask->profiles = asks->profiles;
        snprintf(ask->value, sizeof ask->value, "%s", value);
        if (kernels_parse(value, &ask->driver, &ask->lanes)) return true;
        ask->driver = INT_MAX; /* which no kernel has */
        ask->lanes = 1;
        return asks->profiles;
    }
    if (!strcmp(name, "driver")) {
        profiles_give_way(asks);
        asks->all.driver = option_choice(value, ROOST_DRIVER_NAMES);
        return !strcmp(value, "auto") || option_choice(value, asks->drivers) >= 0;
    }
    if (!strcmp(name, "tile")) {
        profiles_give_way(asks);
        const int x = option_number(value, 1, 32);
        return asks->all.lanes = x < 0 ? 0 : x, x > 0 || !strcmp(value, "auto");
    }
    if (!strcmp(name, "requester")) {
        const int x = option_choice(value, "on|off");
        return asks->by_slots = x == 1, x >= 0;
    }
    if (!strcmp(name, "bulk") && asks->regions) return (asks->bulk = option_choice(value, "auto|on|off")) >= 0;
    return *known = false;
}

/* ---- Kernels ------------------------------------------------------------------------------------------------------------------------ */

/* The name of choice i. */
static int choice_name(const struct engine *engine, int i, const char **name)
{
    *name = engine->choices;
    for (; i > 0; i--) *name = strchr(*name, '|') + 1;
    return (int)strcspn(*name, "|");
}

/* One that was asked for by its operation's name. */
static roost_status kernel_by_name(struct engine_table *t, const struct kernel_ask *ask, int shape, int operation, int choice)
{
    const char *name;
    const int length = choice_name(t->engine, choice, &name);
    t->chosen[choice] = kernels_find(t->kernels, operation, shape, ask->driver, ask->lanes);
    if (t->chosen[choice]) return ROOST_OK;
    if (!ask->profiles)
        return error_set(t->error, ROOST_ERR_UNSUPPORTED, "%.*s=%s: this build has no such kernel for these widths and options",
                         length, name, ask->value);
    t->chosen[choice] = kernels_nearest(t->kernels, operation, shape, ask->driver, ask->lanes);
    if (t->chosen[choice])
        warning_add(t->warnings, "the profile's %.*s=%s is no kernel of this build for these widths and options: %s is used",
                    length, name, ask->value, t->chosen[choice]->name);
    return ROOST_OK;
}

roost_status policy_kernels(struct engine_table *table, const struct kernel_asks *asks, int shape, const int *operations)
{
    table->bulk = asks->bulk;
    bool any = false; /* an asked driver or tile holds for the operations that have such a kernel; at least one must */
    bool all = true;  /* what is not of every shape may be asked for, too */
    for (int i = 0; i < option_choices(table->engine->choices); i++) {
        if (asks->of[i].driver >= 0) {
            const roost_status status = kernel_by_name(table, &asks->of[i], shape, operations[i], i);
            if (status) return status;
            any |= asks->all.driver < 0 && !asks->all.lanes;
        } else {
            any |= kernels_choose(table->kernels, operations[i], shape, asks->all.driver, asks->all.lanes, &table->chosen[i]);
        }
        all &= table->chosen[i] != NULL;
    }
    if (any && all) return ROOST_OK;
    return error_set(table->error, ROOST_ERR_UNSUPPORTED, "no kernel of this width has the asked driver and tile");
}

roost_status policy_seeds(struct hash_seeds *seeds, bool universal, const struct engine_config *config, struct error *error)
{
    if (universal && config->key_bytes != 4)
        return error_set(error, ROOST_ERR_UNSUPPORTED,
                         "hash=universal is for 4-byte keys: its prime must be above the key universe");
    hash_seeds_draw(seeds, universal ? HASH_UNIVERSAL : HASH_MIX, config->config->seed);
    return ROOST_OK;
}

roost_status policy_doubling_bounds(double min_fill, double max_fill, struct error *error)
{
    if (min_fill <= 0 || min_fill < max_fill / 2) return ROOST_OK;
    return error_set(
        error, ROOST_ERR_ARGUMENT,
        "fill bounds %.3f..%.3f: the table doubles, so the lower must be below %.3f, or growing would lead to shrinking", min_fill,
        max_fill, max_fill / 2);
}

roost_status policy_reach_bounds(const roost_config *config, double reach, double *min_fill, double *max_fill, struct error *error)
{
    *max_fill = fmin(config->max_fill, reach);
    *min_fill = *max_fill < config->max_fill ? fmin(config->min_fill, 0.45 * *max_fill) : config->min_fill;
    return config->growth ? policy_doubling_bounds(config->min_fill, config->max_fill, error) : ROOST_OK;
}

roost_status policy_no_capture(struct error *error)
{
    return error_set(error, ROOST_ERR_UNSUPPORTED,
                     "a call that writes can be captured into a graph only where the table's growth is off");
}

/* Bytes of a table that no cache holds as a whole, but each of its regions. */
#define REUSED ((uint64_t)1000000000)

bool policy_erases_pay(uint64_t bytes, uint64_t n, uint64_t count)
{
    return bytes >= POLICY_ERASES_FAR || (bytes >= REUSED && n >= count / 2);
}
