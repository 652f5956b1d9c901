/* What the engines' policies share. */
#include "engines/policy.h"

#include <string.h>

#include "portable/hash_seeds.h"
#include "portable/options.h"

roost_status policy_options(const char *engine, const char *text, policy_option_set *set, void *options, struct error *error)
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

bool policy_driver(const char *value, const char *known, int *driver)
{
    *driver = option_choice(value, "auto|lane|tile|cooperative|vote|once") - 1; /* enum driver's order */
    return option_choice(value, known) >= 0;
}

bool policy_tile(const char *value, int *lanes)
{
    const int x = option_number(value, 1, 32);
    *lanes = x < 0 ? 0 : x;
    return x > 0 || !strcmp(value, "auto");
}

roost_status policy_no_kernel(struct error *error)
{
    return error_set(error, ROOST_ERR_UNSUPPORTED, "no kernel of this width has the asked driver and tile");
}

roost_status policy_seeds(struct hash_seeds *seeds, bool universal, const struct engine_config *config, struct error *error)
{
    if (universal && config->key_bytes != 4)
        return error_set(error, ROOST_ERR_UNSUPPORTED,
                         "hash=universal is for 4-byte keys: its prime must be above the key universe");
    hash_seeds_draw(seeds, universal ? HASH_UNIVERSAL : HASH_MIX, config->config->seed);
    return ROOST_OK;
}

roost_status policy_no_capture(struct error *error)
{
    return error_set(error, ROOST_ERR_UNSUPPORTED,
                     "a call that writes can be captured into a graph only where the table's growth is off");
}
