/* Batches of the fuzzer of the API with ROOST_ORDERED: the operations on each key take effect in
 * the order of the arrays.  A key whose inserts are refused stays as it was. */
#include "fuzz/api/api_life.h"

#include <roost/mixed.h>
#include <string.h>

/* A key without room: all its inserts are refused, none of its items takes effect. */
static void refused_check(struct api_life *life, const struct mixture *m, const struct api_group *group)
{
    const struct exact_slot *slot = exact_find(&life->exact, group->id);
    for (uint32_t i = group->first; i != UINT32_MAX; i = m->groups.next[i]) {
        bool present = slot != NULL;
        uint64_t value = slot ? slot->value : 0;
        if (mixture_passed_over(life, m, i)) continue;
        expect(m->batch.operations[i] < ROOST_OP_INSERT, "%s, and another insert of the key was refused", mixture_text(m, i));
        expect(mixture_fits(life, m, i, &present, &value) && present == (slot != NULL),
               "%s, in an ordered batch that refused the key's inserts; it was %s", mixture_text(m, i),
               slot ? "present" : "absent");
    }
}

static bool has_refused_insert(const struct api_life *life, const struct mixture *m, const struct api_group *group)
{
    for (uint32_t i = group->first; i != UINT32_MAX; i = m->groups.next[i]) {
        const uint8_t operation = m->batch.operations[i];
        if (operation >= ROOST_OP_INSERT && mixture_takes(life, m, operation) && mixture_passed_over(life, m, i)) return true;
    }
    return false;
}

static void sequence_check(struct api_life *life, const struct mixture *m, const struct api_group *group)
{
    const struct exact_slot *slot = exact_find(&life->exact, group->id);
    bool present = slot != NULL;
    uint64_t value = slot ? slot->value : 0;
    for (uint32_t i = group->first; i != UINT32_MAX; i = m->groups.next[i]) {
        const bool was_present = present;
        const uint64_t was = value;
        if (mixture_passed_over(life, m, i)) continue;
        expect(mixture_fits(life, m, i, &present, &value), "%s; in order the key is %s with value %#llx", mixture_text(m, i),
               was_present ? "present" : "absent", (unsigned long long)was);
    }
    if (present) exact_put(&life->exact, group->id, value);
    else exact_remove(&life->exact, group->id);
}

static void results_check(struct api_life *life, const struct mixture *m)
{
    mixture_count(life, m); /* though the statistics count keys that changed */
    for (size_t k = 0; k < m->groups.n; k++) {
        const struct api_group *group = &m->groups.groups[k];
        if (has_refused_insert(life, m, group)) refused_check(life, m, group);
        else sequence_check(life, m, group);
    }
}

static void ordered_insert(struct api_life *life)
{
    struct mixture m = {.values_in = true};
    const roost_mode mode = life_mode(life);
    report_step("insert in order, mode %d", (int)mode);
    life_draw(life, &m.batch, life_size(life));
    memset(m.batch.operations, ROOST_OP_INSERT + (int)mode, m.batch.n);
    groups_make(&m.groups, &m.batch);
    const roost_call call = life_call(m.batch.statuses, ROOST_ORDERED);
    life_call_begins(life);
    m.status = life_insert_items(life, mode, &m.batch, &call);
    life_call_ended(life, m.status, m.batch.n, "an insert in order");
    life->totals->ordered += m.batch.n;
    results_check(life, &m);
    life_wrote_keys(life, m.batch.n);
    mixture_end(&m);
}

static void ordered_apply(struct api_life *life)
{
    struct mixture m;
    report_step("mixed in order");
    mixture_begin(life, &m);
    mixture_apply(life, &m, ROOST_ORDERED);
    results_check(life, &m);
    life_wrote_keys(life, m.batch.n);
    mixture_end(&m);
}

void step_ordered(struct api_life *life)
{
    if (choose(life->choices, 2)) ordered_apply(life);
    else ordered_insert(life);
}
