/* What a table's numbers must satisfy after every batch: the fill bounds, and balanced
 * subtables. */
#include "support/fill.h"

#include "support/settings.h"

#include <math.h>
#include <string.h>

enum { MANY_KEYS = 20000 /* enough that rounding does not affect the fill */ };

/* An engine that does not reach the upper bound lowers the lower bound, too: to this share of
 * the fill that it reaches. */
#define LOWERED 0.45

/* Lists that get longer instead of more numerous have no bounds. */
static bool chains(const roost_config *config) { return config->options && strstr(config->options, "growth=chain"); }

/* Slots of a table created for `keys` keys. */
static uint64_t slots_for(const struct variant *variant, const roost_config *config, uint64_t keys)
{
    roost_config fresh = *config;
    struct table table;
    fresh.memory_limit = 0;
    fresh.capacity = keys;
    table_open(&table, variant, &fresh);
    const uint64_t slots = table_stats(&table).slots;
    table_close(&table);
    return slots;
}

struct fill_rules fill_rules_of(const struct variant *variant, const roost_config *config)
{
    const bool doubles = !settings_on_dycuckoo(), fixed = !config->growth || config->memory_limit || chains(config);
    /* no other member is read */
    if (fixed) return (struct fill_rules){.max_fill = config->max_fill, .fixed = true};
    const double reach = MANY_KEYS / (double)slots_for(variant, config, MANY_KEYS);
    /* compact makes its tables for a fill a little below the bound. */
    const double near = settings_on_compact() ? 0.96 : 0.95;
    return (struct fill_rules){.min_fill =
                                   reach < near * config->max_fill ? fmin(config->min_fill, LOWERED * reach) : config->min_fill,
                               .max_fill = config->max_fill,
                               .created = slots_for(variant, config, config->capacity),
                               .asked = config->capacity,
                               .reserved = config->capacity,
                               .reserved_fill = doubles ? reach / 2 : config->min_fill};
}

double fill_narrow(double max_fill) { return max_fill * (settings_on_dycuckoo() ? 0.8 : 0.5) - 0.01; }

uint64_t largest_subtable(const struct table_numbers *stats)
{
    uint64_t largest = stats->subtables ? 0 : stats->slots;
    for (uint32_t i = 0; i < stats->subtables; i++)
        if (stats->subtable_slots[i] > largest) largest = stats->subtable_slots[i];
    return largest;
}

/* An engine may keep one key beside its subtables: the key whose bits mean "vacant".  In a full
 * table it adds a slot. */
static void check_subtables(const struct table_numbers *stats)
{
    uint64_t slots = 0, keys = 0;
    require(stats->subtables <= NUMBERS_SUBTABLES, "%u subtables", (unsigned)stats->subtables);
    for (uint32_t i = 0; i < stats->subtables; i++) {
        slots += stats->subtable_slots[i];
        keys += stats->subtable_count[i];
        require(2 * stats->subtable_slots[i] >= largest_subtable(stats), "subtable %u has %llu slots, another %llu", i,
                (unsigned long long)stats->subtable_slots[i], (unsigned long long)largest_subtable(stats));
        require(stats->subtable_count[i] <= stats->subtable_slots[i], "subtable %u is overfull", i);
        require(stats->subtable_slots[i] % stats->slots_per_bucket == 0, "subtable %u has a broken bucket", i);
    }
    if (!stats->subtables) return;
    require(slots == stats->slots || (slots + 1 == stats->slots && stats->slots == stats->count),
            "subtables of %llu slots in a table of %llu", (unsigned long long)slots, (unsigned long long)stats->slots);
    require(keys == stats->count || keys + 1 == stats->count, "subtables with %llu of %llu keys", (unsigned long long)keys,
            (unsigned long long)stats->count);
}

static void check_bounds(struct fill_rules *rules, const struct table_numbers *stats)
{
    const double slots = (double)stats->slots, count = (double)stats->count, rounding = 1e-9 * slots;
    /* GPH's bounds apply to its main slots; the overflow store has at least four buckets. */
    const double bounded = settings_on_gph() ? slots - 4 * stats->slots_per_bucket : slots;
    const double meant = count > (double)rules->reserved ? count : (double)rules->reserved;
    require(count <= rules->max_fill * slots + rounding, "fill %.6f is above the bound %.6f", count / slots, rules->max_fill);
    /* Growth forced by cells without a mapping, however low the fill is. */
    const bool forced = settings_on_gph() && stats->forced_grow_steps;
    const uint64_t excuses = stats->shrink_aborts + stats->forced_grow_steps;
    if (meant >= rules->min_fill * bounded - rounding) rules->excuses = excuses;
    require(meant >= rules->min_fill * bounded - rounding || stats->slots <= rules->created || forced || excuses > rules->excuses ||
                (double)rules->reserved >= rules->reserved_fill * bounded - rounding,
            "fill %.6f (%llu slots, %llu keys reserved, created with %llu, %llu shrinks undone) is below the bound %.6f",
            count / slots, (unsigned long long)stats->slots, (unsigned long long)rules->reserved,
            (unsigned long long)rules->created, (unsigned long long)stats->shrink_aborts, rules->min_fill);
}

void fill_check(struct fill_rules *rules, const struct table_numbers *stats)
{
    require(stats->count <= stats->slots, "%llu keys in %llu slots", (unsigned long long)stats->count,
            (unsigned long long)stats->slots);
    require(fabs(stats->load_factor - (double)stats->count / (double)stats->slots) < 1e-9, "load factor %.9f", stats->load_factor);
    if (settings_get()->ranks > 1) return; /* the rest holds for each shard */
    check_subtables(stats);
    if (!rules->fixed) check_bounds(rules, stats);
}
