/* All pairs of a key, in the fuzzer of the API: counted, gathered and erased. */
#include "fuzz/api/api_life.h"

#include <roost/multi.h>
#include <stdlib.h>
#include <string.h>

static uint32_t pairs_of(const struct api_life *life, uint64_t id)
{
    const struct exact_slot *slot = exact_find(&life->exact, id);
    return slot ? slot->pairs : 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The values of a key in the exact contents, sorted; to be freed. */
static uint64_t *values_sorted(const struct api_life *life, uint64_t id, uint32_t n)
{
    uint64_t *values = api_memory(n * sizeof *values);
    if (life->multi) exact_values(&life->exact, id, values);
    else if (n) *values = exact_find(&life->exact, id)->value;
    qsort(values, n, sizeof *values, compare_numbers);
    return values;
}

/* Each of the n numbers is one of the sorted `all`, no more often than there. */
static bool are_among(uint64_t *numbers, uint32_t n, const uint64_t *all, uint32_t of)
{
    uint32_t at = 0;
    qsort(numbers, n, sizeof *numbers, compare_numbers);
    for (uint32_t i = 0; i < n; i++, at++) {
        while (at < of && all[at] < numbers[i]) at++;
        if (at == of || all[at] != numbers[i]) return false;
    }
    return true;
}

/* ---- Gathering ------------------------------------------------------------------------------- */

/* The values of n keys, in parts of an array. */
struct gathered {
    uint64_t *offsets; /* n + 1 */
    struct api_batch into;
};

/* Part k of the array has room for room[k] values. */
static void gather(struct api_life *life, const struct api_batch *batch, const uint64_t *room, struct gathered *g,
                   const roost_call *call)
{
    g->offsets = api_memory((batch->n + 1) * sizeof *g->offsets);
    g->offsets[0] = 0;
    for (size_t i = 0; i < batch->n; i++) g->offsets[i + 1] = g->offsets[i] + room[i];
    batch_make(&g->into, &life->coding, g->offsets[batch->n]);
    life->allocator.paused = true;
    const roost_status status = roost_find_all(life->table, batch->keys, batch->n, g->offsets, g->into.values_out, call);
    life->allocator.paused = false;
    life->totals->counts += batch->n;
    expect(status == ROOST_OK, "a find of all values ended %s", roost_status_name(status));
}

static void gathered_free(struct gathered *g)
{
    free(g->offsets);
    batch_free(&g->into);
}

/* The values of part i: as many as fit, each a value of the key.  Places without are unwritten. */
static uint64_t *part_check(const struct api_life *life, const struct gathered *g, size_t i, uint64_t id, uint32_t pairs)
{
    const uint64_t room = g->offsets[i + 1] - g->offsets[i], n = room < pairs ? room : pairs;
    uint64_t *values = api_memory(n * sizeof *values), *all = values_sorted(life, id, pairs_of(life, id));
    for (uint64_t k = 0; k < n; k++)
        expect(batch_value_out(&g->into, g->offsets[i] + k, &values[k]), "key %#llx: value %llu of %llu is none",
               (unsigned long long)id, (unsigned long long)k, (unsigned long long)n);
    for (uint64_t k = n; k < room; k++)
        expect(batch_is_unwritten(&g->into, g->offsets[i] + k), "key %#llx: place %llu beyond its %u values was written",
               (unsigned long long)id, (unsigned long long)k, pairs);
    expect(are_among(values, (uint32_t)n, all, pairs_of(life, id)),
           "key %#llx: a value was gathered that it has not, or more often", (unsigned long long)id);
    free(all);
    return values;
}

/* ---- Learning -------------------------------------------------------------------------------- */

static void bag_replace(struct api_life *life, uint64_t id, const uint64_t *values, uint32_t n)
{
    exact_remove(&life->exact, id);
    for (uint32_t k = 0; k < n; k++) exact_append(&life->exact, id, values[k]);
}

static void learn_sets(struct api_life *life, const uint64_t *ids, const uint32_t *left, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        exact_remove(&life->exact, ids[k]);
        for (uint32_t i = 0; i < left[k]; i++) exact_append(&life->exact, ids[k], 0);
    }
}

static void learn_values(struct api_life *life, const struct api_batch *batch, const uint32_t *left)
{
    struct gathered g;
    uint64_t *room = api_memory(batch->n * sizeof *room);
    for (size_t k = 0; k < batch->n; k++) room[k] = left[k];
    gather(life, batch, room, &g, NULL);
    for (size_t k = 0; k < batch->n; k++) {
        uint64_t *values = part_check(life, &g, k, batch->ids[k], left[k]);
        bag_replace(life, batch->ids[k], values, left[k]);
        free(values);
    }
    gathered_free(&g);
    free(room);
}

void multi_learn(struct api_life *life, const uint64_t *ids, const uint32_t *left, size_t n)
{
    struct api_batch batch;
    if (n == 0) return;
    batch_make(&batch, &life->coding, n);
    memcpy(batch.ids, ids, n * sizeof *ids);
    memset(batch.values, 0, n * sizeof *batch.values);
    batch_encode(&batch, 8);
    life->allocator.paused = true;
    const roost_status status = roost_count(life->table, batch.keys, n, batch.counts, NULL);
    expect(status == ROOST_OK, "a count ended %s", roost_status_name(status));
    for (size_t k = 0; k < n; k++)
        expect(batch.counts[k] == left[k], "key %#llx has %llu pairs, not %u", (unsigned long long)ids[k],
               (unsigned long long)batch.counts[k], left[k]);
    if (shape_is_set(&life->coding.shape)) learn_sets(life, ids, left, n);
    else learn_values(life, &batch, left);
    life->allocator.paused = false;
    life->totals->counts += n;
    batch_free(&batch);
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static void presence_check(const struct api_life *life, const struct api_batch *batch)
{
    for (size_t i = 0; i < batch->n; i++)
        expect(batch->statuses[i] == (pairs_of(life, batch->ids[i]) ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT),
               "key %#llx has %u pairs, status %u", (unsigned long long)batch->ids[i], pairs_of(life, batch->ids[i]),
               batch->statuses[i]);
}

static void count_step(struct api_life *life, struct api_batch *batch, const roost_call *call)
{
    report_step("count");
    life_call_begins(life);
    const roost_status status = roost_count(life->table, batch->keys, batch->n, batch->counts, call);
    life_call_ended(life, status, 0, "a count");
    life->totals->counts += batch->n;
    if (status) return;
    presence_check(life, batch);
    for (size_t i = 0; i < batch->n; i++)
        expect(batch->counts[i] == pairs_of(life, batch->ids[i]), "key %#llx has %llu pairs, not %u",
               (unsigned long long)batch->ids[i], (unsigned long long)batch->counts[i], pairs_of(life, batch->ids[i]));
}

/* Each part has room for the key's values, for fewer or for more.  Hot keys would fill memory. */
static void gather_step(struct api_life *life, struct api_batch *batch, const roost_call *call)
{
    struct gathered g;
    struct dice dice = choose_dice(life->choices);
    uint64_t *room = api_memory(batch->n * sizeof *room), left = life->limits.bytes / (life->coding.shape.value_bytes + 1);
    report_step("find all values");
    for (size_t i = 0; i < batch->n; i++) {
        const uint64_t pairs = pairs_of(life, batch->ids[i]),
                       wanted = draw_below(&dice, 3) ? pairs : draw_below(&dice, 2 * pairs + 3);
        room[i] = wanted < left ? wanted : left;
        left -= room[i];
    }
    gather(life, batch, room, &g, call);
    presence_check(life, batch);
    for (size_t i = 0; i < batch->n; i++) free(part_check(life, &g, i, batch->ids[i], pairs_of(life, batch->ids[i])));
    gathered_free(&g);
    free(room);
}

/* The pairs that the items of one key counted are all that it had. */
static void erased_check(struct api_life *life, const struct api_batch *batch, const struct api_groups *groups,
                         const struct api_group *group, roost_status call)
{
    const uint32_t pairs = pairs_of(life, group->id);
    uint64_t removed = 0, untried = 0;
    for (uint32_t i = group->first; i != UINT32_MAX; i = groups->next[i]) {
        const uint8_t status = batch->statuses[i];
        if (item_is_untried(call, status)) {
            untried++;
            continue;
        }
        expect(status == (batch->counts[i] ? ROOST_ITEM_ERASED : ROOST_ITEM_ABSENT),
               "key %#llx: item %u removed %llu pairs, status %u", (unsigned long long)group->id, i,
               (unsigned long long)batch->counts[i], status);
        removed += batch->counts[i];
        life->erased += batch->counts[i]; /* pairs, not items */
    }
    expect(removed == (untried == group->items ? 0 : pairs), "key %#llx has %u pairs; %llu were removed",
           (unsigned long long)group->id, pairs, (unsigned long long)removed);
    if (removed) exact_remove(&life->exact, group->id);
}

static void erase_all_step(struct api_life *life, struct api_batch *batch, const roost_call *call)
{
    struct api_groups groups;
    report_step("erase all pairs");
    groups_make(&groups, batch);
    life_call_begins(life);
    const roost_status status = roost_erase_all(life->table, batch->keys, batch->n, batch->counts, call);
    life_call_ended(life, status, 0, "an erase of all pairs");
    life->totals->erases += batch->n;
    for (size_t k = 0; k < groups.n; k++) erased_check(life, batch, &groups, &groups.groups[k], status);
    groups_free(&groups);
    life_wrote(life, batch->n);
}

void step_all(struct api_life *life)
{
    struct api_batch batch;
    life_draw(life, &batch, life_size(life));
    const roost_call call = life_call(batch.statuses, 0);
    const uint64_t number = choose(life->choices, 3);
    if (number == 0) erase_all_step(life, &batch, &call);
    else if (number == 1 && shape_has_values(&life->coding.shape)) gather_step(life, &batch, &call);
    else count_step(life, &batch, &call);
    batch_free(&batch);
}
