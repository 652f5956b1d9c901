/* What the engines' policies share. */
#include "engines/policy.h"

#include <inttypes.h>

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

roost_status policy_no_capture(struct error *error)
{
    return error_set(error, ROOST_ERR_UNSUPPORTED,
                     "a call that writes can be captured into a graph only where the table's growth is off");
}

roost_status policy_failures(uint64_t *failed, bool growth, uint64_t *items_failed, struct error *error)
{
    *items_failed = *failed;
    *failed = 0;
    if (!*items_failed) return ROOST_OK;
    return error_set(error, growth ? ROOST_ERR_MEMORY : ROOST_ERR_FULL,
                     "%" PRIu64 " items of calls that did not wait found no room", *items_failed);
}

void counters_since(const struct counters *now, const struct counters *before, struct counters *since)
{
    const uint64_t *a = (const uint64_t *)now, *b = (const uint64_t *)before;
    uint64_t *c = (uint64_t *)since;
    for (size_t i = 0; i < sizeof *now / sizeof *a; i++) c[i] = a[i] - b[i];
    since->max_bucket_reads = now->max_bucket_reads;
    since->longest = now->longest;
}
