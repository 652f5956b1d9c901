/* The calls of the fuzzer of the API, and what holds after each. */
#include "fuzz/api/api_life.h"

#include <math.h>

enum { LARGE = 500 /* keys */ };

roost_call life_call(uint8_t *statuses, uint32_t flags)
{
    roost_call call = ROOST_CALL_INIT;
    call.statuses = statuses;
    call.flags = flags;
    return call;
}

static bool has_strings(const struct api_life *life) { return shape_has_strings(&life->coding.shape); }

roost_status life_insert_items(struct api_life *life, roost_mode mode, struct api_batch *batch, const roost_call *call)
{
    if (has_strings(life)) return roost_insert_strings(life->table, mode, &batch->strings, batch->values_in, batch->n, call);
    return roost_insert(life->table, mode, batch->keys, batch->values_in, batch->n, call);
}

roost_status life_find_items(struct api_life *life, struct api_batch *batch, void *values, uint8_t *found, const roost_call *call)
{
    if (has_strings(life)) return roost_find_strings(life->table, &batch->strings, batch->n, values, found, call);
    return roost_find(life->table, batch->keys, batch->n, values, found, call);
}

roost_status life_erase_items(struct api_life *life, struct api_batch *batch, const roost_call *call)
{
    if (has_strings(life)) return roost_erase_strings(life->table, &batch->strings, batch->n, call);
    return roost_erase(life->table, batch->keys, batch->n, call);
}

void life_look_up(struct api_life *life, struct api_batch *batch)
{
    life->allocator.paused = true;
    const roost_status status = life_find_items(life, batch, batch->values_out, batch->found, NULL);
    life->allocator.paused = false;
    life->totals->finds += batch->n;
    expect(status == ROOST_OK, "a find ended %s: %s", roost_status_name(status), roost_last_error(life->table));
}

/* ---- Refusals -------------------------------------------------------------------------------- */

void life_call_begins(struct api_life *life)
{
    life->allocator.refused = 0;
    life->totals->calls++;
}

/* A fixed table holds the keys of its capacity; which of its slots are left for the last ones is a
 * matter of chance. */
static bool may_be_full(const struct api_life *life, size_t items)
{
    return life->config.capacity < LARGE || 2 * (life->exact.pairs + items) > life->config.capacity;
}

void life_call_ended(struct api_life *life, roost_status status, size_t items, const char *what)
{
    const bool refused = status == ROOST_ERR_MEMORY && (life->allocator.refused || life->config.memory_limit);
    const bool full = status == ROOST_ERR_FULL && !life->config.growth && may_be_full(life, items);
    expect(status == ROOST_OK || refused || full, "%s ended %s: %s", what, roost_status_name(status),
           roost_last_error(life->table));
    if (!status) return;
    report_step("  ended %s: %s", roost_status_name(status), roost_last_error(life->table));
    expect(*roost_last_error(life->table) && *roost_last_error(NULL), "%s ended %s without a text", what,
           roost_status_name(status));
    life->totals->refused_calls++;
}

bool item_is_refused(const struct api_life *life, roost_status call, uint8_t status)
{
    if (status == ROOST_ITEM_FULL) return call != ROOST_OK && !life->config.growth;
    /* Pieces of one call may be refused for either reason; the first one names the call's. */
    return status == ROOST_ITEM_NO_MEMORY && (call == ROOST_ERR_MEMORY || call == ROOST_ERR_FULL);
}

bool item_is_untried(roost_status call, uint8_t status)
{
    return call == ROOST_ERR_MEMORY && (status == ROOST_ITEM_NONE || status == UNWRITTEN);
}

/* ---- After calls that write ------------------------------------------------------------------ */

static void numbers_check(struct api_life *life)
{
    roost_stats now;
    const roost_status status = roost_table_stats(life->table, &now, sizeof now);
    expect(status == ROOST_OK, "the statistics ended %s", roost_status_name(status));
    expect(now.count == life->exact.pairs, "the table counts %llu pairs, not %llu", (unsigned long long)now.count,
           (unsigned long long)life->exact.pairs);
    expect(now.count <= now.slots, "%llu keys in %llu slots", (unsigned long long)now.count, (unsigned long long)now.slots);
    expect(now.slots == 0 || fabs(now.load_factor - (double)now.count / (double)now.slots) < 1e-9, "load factor %.9f",
           now.load_factor);
    expect(now.bytes_now <= now.bytes_peak, "%llu bytes now, %llu at most", (unsigned long long)now.bytes_now,
           (unsigned long long)now.bytes_peak);
    expect(!life->config.memory_limit || now.bytes_peak <= life->config.memory_limit, "%llu bytes under a limit of %llu",
           (unsigned long long)now.bytes_peak, (unsigned long long)life->config.memory_limit);
    expect(now.inserted == life->inserted && now.updated == life->updated && now.erased == life->erased,
           "counted are %llu inserted, %llu updated, %llu erased items; %llu, %llu, %llu ended so",
           (unsigned long long)now.inserted, (unsigned long long)now.updated, (unsigned long long)now.erased,
           (unsigned long long)life->inserted, (unsigned long long)life->updated, (unsigned long long)life->erased);
    life->before = now;
}

static void table_check(struct api_life *life)
{
    const roost_status status = roost_table_check(life->table);
    expect(status == ROOST_OK, "the table's check ended %s: %s", roost_status_name(status), roost_last_error(life->table));
    life->unchecked = 0;
    life->totals->checks++;
}

/* The check takes time for all slots, so a large table is checked after as many items. */
void life_wrote(struct api_life *life, size_t n)
{
    life->unchecked += n + 20;
    life->allocator.paused = true;
    numbers_check(life);
    if (4 * life->unchecked >= life->before.slots) table_check(life);
    life->allocator.paused = false;
}

void life_wrote_keys(struct api_life *life, size_t n)
{
    roost_stats now;
    life->allocator.paused = true;
    expect(roost_table_stats(life->table, &now, sizeof now) == ROOST_OK, "no statistics");
    life->inserted = now.inserted;
    life->updated = now.updated;
    life->erased = now.erased;
    life_wrote(life, n);
}

/* ---- Modes ----------------------------------------------------------------------------------- */

roost_mode life_mode(struct api_life *life)
{
    if (life->multi) return ROOST_APPEND;
    return (roost_mode)choose(life->choices, shape_has_arithmetic(&life->coding.shape) ? ROOST_MAX + 1 : ROOST_KEEP + 1);
}
