/* Inserts of the fuzzer of the API: each key's items together must have changed it as the mode
 * says, in some order. */
#include "fuzz/api/api_life.h"

#include "support/reference.h"

#include <stdlib.h>

/* An insert and its results. */
struct insertion {
    struct api_life *life;
    struct api_batch batch;
    struct api_groups groups;
    roost_mode mode;
    roost_status status;
    bool guessed;      /* the call gave no statuses */
    size_t refused;    /* items that were not stored */
    uint32_t *unclear; /* groups whose value one of several items gave */
    size_t unclears;
};

uint64_t life_combine(const struct api_life *life, roost_mode mode, bool present, uint64_t value, uint64_t operand)
{
    if (shape_is_set(&life->coding.shape)) return 0;
    if (!present) return operand;
    return reference_combine(mode, life->coding.shape.value_type, life->config.saturate != 0, value, operand);
}

static uint8_t status_of_present(roost_mode mode) { return mode == ROOST_KEEP ? ROOST_ITEM_KEPT : ROOST_ITEM_UPDATED; }

static bool is_stored(const struct insertion *in, uint32_t item)
{
    const uint8_t status = in->batch.statuses[item];
    return status == ROOST_ITEM_INSERTED || status == status_of_present(in->mode);
}

/* Each item has a status that it may have; counts those that are stored and INSERTED. */
static uint32_t count_stored(struct insertion *in, const struct api_group *group, bool present, uint32_t *inserted)
{
    uint32_t stored = 0;
    for (uint32_t i = group->first; i != UINT32_MAX; i = in->groups.next[i]) {
        const uint8_t status = in->batch.statuses[i];
        const bool refused = item_is_refused(in->life, in->status, status) || item_is_untried(in->status, status);
        expect(refused || is_stored(in, i), "key %#llx: item %u ended %u (%s) in a call that ended %s",
               (unsigned long long)group->id, i, status, roost_item_status_string((roost_item_status)status),
               roost_status_name(in->status));
        expect(!present || status != ROOST_ITEM_FULL, "key %#llx is present, but item %u ended FULL", (unsigned long long)group->id,
               i);
        stored += !refused;
        *inserted += status == ROOST_ITEM_INSERTED;
    }
    return stored;
}

/* The value after the stored items of a group.  ASSIGN, and KEEP without statuses, leave a choice
 * where there are several. */
static uint64_t value_after(const struct insertion *in, const struct api_group *group, bool present, uint64_t value)
{
    for (uint32_t i = group->first; i != UINT32_MAX; i = in->groups.next[i]) {
        const bool first = !present && in->mode == ROOST_KEEP;
        if (!is_stored(in, i)) continue;
        if (in->mode == ROOST_KEEP && !first) continue;
        if (first && in->batch.statuses[i] != ROOST_ITEM_INSERTED) continue;
        value = life_combine(in->life, in->mode, present, value, in->batch.values[i]);
        present = true;
    }
    return value;
}

static bool is_unclear(const struct insertion *in, uint32_t stored, bool present)
{
    if (stored < 2 || shape_is_set(&in->life->coding.shape)) return false;
    return in->mode == ROOST_ASSIGN || (in->mode == ROOST_KEEP && !present && in->guessed);
}

static void group_append(struct insertion *in, const struct api_group *group)
{
    for (uint32_t i = group->first; i != UINT32_MAX; i = in->groups.next[i]) {
        const uint8_t status = in->batch.statuses[i];
        const bool refused = item_is_refused(in->life, in->status, status) || item_is_untried(in->status, status);
        expect(refused || status == ROOST_ITEM_INSERTED, "key %#llx: item %u ended %u in a call that ended %s",
               (unsigned long long)group->id, i, status, roost_status_name(in->status));
        in->refused += refused;
        in->life->inserted += !refused;
        if (!refused) exact_append(&in->life->exact, group->id, in->batch.values[i]);
    }
}

static void group_check(struct insertion *in, uint32_t number)
{
    const struct api_group *group = &in->groups.groups[number];
    const struct exact_slot *slot = exact_find(&in->life->exact, group->id);
    const bool present = slot != NULL;
    uint32_t inserted = 0;
    const uint32_t stored = count_stored(in, group, present, &inserted);
    expect(inserted == (!present && stored), "key %#llx, %s: %u of %u items ended INSERTED", (unsigned long long)group->id,
           present ? "present" : "new", inserted, group->items);
    in->refused += group->items - stored;
    in->life->inserted += inserted;
    in->life->updated += stored - inserted;
    if (!stored) return;
    if (is_unclear(in, stored, present)) in->unclear[in->unclears++] = number;
    exact_put(&in->life->exact, group->id, value_after(in, group, present, slot ? slot->value : 0));
}

/* Without statuses: as if the first item of each new key had inserted it. */
static void statuses_guess(struct insertion *in)
{
    for (size_t k = 0; k < in->groups.n; k++) {
        const struct api_group *group = &in->groups.groups[k];
        const bool absent = in->life->multi || !exact_find(&in->life->exact, group->id);
        for (uint32_t i = group->first; i != UINT32_MAX; i = in->groups.next[i]) {
            const bool inserts = absent && (in->life->multi || i == group->first);
            in->batch.statuses[i] = inserts ? ROOST_ITEM_INSERTED : status_of_present(in->mode);
        }
    }
}

/* ---- Values that are unclear ----------------------------------------------------------------- */

static bool is_brought(const struct insertion *in, const struct api_group *group, uint64_t value)
{
    for (uint32_t i = group->first; i != UINT32_MAX; i = in->groups.next[i])
        if (is_stored(in, i) && in->batch.values[i] == value) return true;
    return false;
}

/* Looks up the keys whose value is unclear: it must be one that an item brought. */
static void unclear_learn(struct insertion *in)
{
    struct api_batch finds;
    if (!in->unclears) return;
    batch_make(&finds, &in->life->coding, in->unclears);
    for (size_t k = 0; k < in->unclears; k++) finds.ids[k] = in->groups.groups[in->unclear[k]].id, finds.values[k] = 0;
    batch_encode(&finds, 8);
    life_look_up(in->life, &finds);
    for (size_t k = 0; k < in->unclears; k++) {
        const struct api_group *group = &in->groups.groups[in->unclear[k]];
        uint64_t value = 0;
        expect(finds.found[k] == 1, "key %#llx was inserted and is absent", (unsigned long long)group->id);
        expect(batch_value_out(&finds, k, &value) && is_brought(in, group, value),
               "key %#llx has value %#llx, which none of its %u items brought", (unsigned long long)group->id,
               (unsigned long long)value, group->items);
        exact_put(&in->life->exact, group->id, value);
    }
    batch_free(&finds);
}

/* ---- The step -------------------------------------------------------------------------------- */

/* Refusals are only known from statuses. */
static bool may_refuse(const struct api_life *life)
{
    return !life->config.growth || life->config.memory_limit || life->allocator.last;
}

static void insertion_run(struct insertion *in)
{
    const roost_call call = life_call(in->batch.statuses, 0);
    life_call_begins(in->life);
    in->status = life_insert_items(in->life, in->mode, &in->batch, in->guessed ? NULL : &call);
    life_call_ended(in->life, in->status, in->batch.n, "an insert");
    in->life->totals->inserts += in->batch.n;
}

void step_insert(struct api_life *life)
{
    struct insertion in = {.life = life, .mode = life_mode(life), .guessed = !may_refuse(life) && choose_once_in(life->choices, 8)};
    report_step("insert, mode %d, %s", (int)in.mode, in.guessed ? "without statuses" : "with statuses");
    life_draw(life, &in.batch, life_size(life));
    groups_make(&in.groups, &in.batch);
    in.unclear = api_memory(in.groups.n * sizeof *in.unclear);
    insertion_run(&in);
    if (in.guessed) statuses_guess(&in);
    for (uint32_t k = 0; k < in.groups.n; k++)
        if (life->multi) group_append(&in, &in.groups.groups[k]);
        else group_check(&in, k);
    expect((in.status == ROOST_OK) == (in.refused == 0), "%zu items were not stored, but the call ended %s", in.refused,
           roost_status_name(in.status));
    unclear_learn(&in);
    life_wrote(life, in.batch.n);
    free(in.unclear);
    groups_free(&in.groups);
    batch_free(&in.batch);
}
