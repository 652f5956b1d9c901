/* Erases of the fuzzer of the API: of equal keys one item ends ERASED, in a multimap one per
 * pair. */
#include "fuzz/api/api_life.h"

#include <stdlib.h>

struct erasure {
    struct api_life *life;
    struct api_batch batch;
    struct api_groups groups;
    roost_status status;
    uint64_t *ids; /* of multimaps: keys that lost pairs, and how many they have left */
    uint32_t *left;
    size_t shortened;
};

/* Items that ended ERASED; *untried: items that had no effect. */
static uint32_t count_erased(const struct erasure *e, const struct api_group *group, uint32_t *untried)
{
    uint32_t erased = 0;
    for (uint32_t i = group->first; i != UINT32_MAX; i = e->groups.next[i]) {
        const uint8_t status = e->batch.statuses[i];
        const bool refused = item_is_untried(e->status, status);
        expect(refused || status == ROOST_ITEM_ERASED || status == ROOST_ITEM_ABSENT,
               "key %#llx: item %u ended %u in a call that ended %s", (unsigned long long)group->id, i, status,
               roost_status_name(e->status));
        erased += status == ROOST_ITEM_ERASED;
        *untried += refused;
    }
    return erased;
}

static void group_check(struct erasure *e, const struct api_group *group, bool guessed)
{
    const struct exact_slot *slot = exact_find(&e->life->exact, group->id);
    const uint32_t pairs = slot ? slot->pairs : 0, most = pairs < group->items ? pairs : group->items;
    uint32_t untried = 0;
    const uint32_t erased = guessed ? most : count_erased(e, group, &untried);
    const uint32_t expected = pairs < group->items - untried ? pairs : group->items - untried;
    expect(erased == expected, "key %#llx has %u pairs: %u of %u items ended ERASED", (unsigned long long)group->id, pairs, erased,
           group->items);
    e->life->erased += erased;
    if (erased == pairs) {
        exact_remove(&e->life->exact, group->id);
        return;
    }
    if (!erased) return;
    e->ids[e->shortened] = group->id;
    e->left[e->shortened++] = pairs - erased;
}

void step_erase(struct api_life *life)
{
    struct erasure e = {.life = life};
    const bool guessed = !life->config.memory_limit && !life->allocator.last && choose_once_in(life->choices, 8);
    report_step("erase, %s", guessed ? "without statuses" : "with statuses");
    life_draw(life, &e.batch, life_size(life));
    const roost_call call = life_call(e.batch.statuses, 0);
    groups_make(&e.groups, &e.batch);
    e.ids = api_memory(e.groups.n * sizeof *e.ids);
    e.left = api_memory(e.groups.n * sizeof *e.left);
    life_call_begins(life);
    e.status = life_erase_items(life, &e.batch, guessed ? NULL : &call);
    life_call_ended(life, e.status, 0, "an erase");
    expect(e.status != ROOST_ERR_FULL, "an erase ended FULL");
    life->totals->erases += e.batch.n;
    for (size_t k = 0; k < e.groups.n; k++) group_check(&e, &e.groups.groups[k], guessed);
    multi_learn(life, e.ids, e.left, e.shortened);
    life_wrote(life, e.batch.n);
    free(e.ids);
    free(e.left);
    groups_free(&e.groups);
    batch_free(&e.batch);
}
