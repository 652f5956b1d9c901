/* Calls of the fuzzer of the API on a table as a whole: clear, reserve, sync, compact. */
#include "fuzz/api/api_life.h"

static void clear(struct api_life *life)
{
    report_step("clear");
    life_call_begins(life);
    const roost_status status = roost_table_clear(life->table);
    life_call_ended(life, status, 0, "a clear");
    if (!status) exact_clear(&life->exact);
}

static void reserve(struct api_life *life)
{
    const uint64_t keys = choose(life->choices, 3) ? choose_size(life->choices, 1, 2 * life->limits.keys) : 0;
    report_step("reserve %llu keys", (unsigned long long)keys);
    life_call_begins(life);
    life_call_ended(life, roost_table_reserve(life->table, keys), keys, "a reservation");
}

static void sync(struct api_life *life)
{
    uint64_t failed = 0;
    report_step("sync");
    life_call_begins(life);
    life_call_ended(life, roost_table_sync(life->table, choose(life->choices, 2) ? &failed : NULL), 0, "a sync");
    expect(failed == 0, "%llu items of no asynchronous call failed", (unsigned long long)failed);
}

static void compact(struct api_life *life)
{
    report_step("compact");
    life_call_begins(life);
    life_call_ended(life, roost_compact(life->table), 0, "a compaction");
}

void step_whole(struct api_life *life)
{
    const uint64_t number = choose(life->choices, 10);
    if (number == 0) clear(life);
    else if (number < 4) reserve(life);
    else if (number < 7) sync(life);
    else compact(life);
    life_wrote(life, life->before.slots / 64);
}
