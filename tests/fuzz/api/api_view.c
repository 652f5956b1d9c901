/* Views of the fuzzer of the API: a table of engine slab in loops of the host, item by item. */
#include "fuzz/api/api_life.h"
#include "support/own_kernels.h"

#include <roost/mixed.h>
#include <roost/views.h>

/* own_loops takes this number of items one after the other; further ones would run beside them. */
enum { LOOP_ITEMS = 64 };

/* While the view is out, calls that write are refused. */
static void writers_check(struct api_life *life)
{
    expect(roost_table_clear(life->table) == ROOST_ERR_ARGUMENT, "a clear was not refused beside a view");
    expect(roost_table_reserve(life->table, 1) == ROOST_ERR_ARGUMENT, "a reservation was not refused beside a view");
}

static void loops_run(struct api_life *life, const struct own_view *view, const struct mixture *m)
{
    const struct test_shape *shape = &life->coding.shape;
    for (size_t first = 0; first < m->batch.n; first += LOOP_ITEMS) {
        const size_t n = m->batch.n - first < LOOP_ITEMS ? m->batch.n - first : LOOP_ITEMS;
        const struct own_work work = {m->batch.operations + first,
                                      m->batch.keys + first * shape->key_bytes,
                                      m->values_in ? m->batch.values_in + first * shape->value_bytes : NULL,
                                      m->values_in ? m->batch.values_out + first * shape->value_bytes : NULL,
                                      m->batch.statuses + first,
                                      n};
        expect(own_loops(view, (int)shape->key_bytes, (int)shape->value_bytes, &work) == 0, "no loop for this shape");
    }
}

/* Items take effect one after the other.  One that found no room had none to claim: more were
 * inserted than the view has room for. */
static void item_check(struct api_life *life, const struct mixture *m, uint32_t i)
{
    const struct exact_slot *slot = exact_find(&life->exact, m->batch.ids[i]);
    bool present = slot != NULL;
    uint64_t value = slot ? slot->value : 0;
    if (m->batch.statuses[i] == ROOST_ITEM_FULL) {
        expect(!life->config.growth && !present && m->batch.operations[i] >= ROOST_OP_INSERT, "%s", mixture_text(m, i));
        return;
    }
    expect(mixture_fits(life, m, i, &present, &value), "%s; the key was %s with value %#llx", mixture_text(m, i),
           slot ? "present" : "absent", (unsigned long long)(slot ? slot->value : 0));
    if (present) exact_put(&life->exact, m->batch.ids[i], value);
    else exact_remove(&life->exact, m->batch.ids[i]);
}

/* Operations that the table does not take end NONE, and are drawn for batches alone. */
static uint64_t operations_mend(struct api_life *life, struct mixture *m)
{
    uint64_t inserts = 0;
    for (size_t i = 0; i < m->batch.n; i++) {
        if (!mixture_takes(life, m, m->batch.operations[i])) m->batch.operations[i] = ROOST_OP_FIND;
        inserts += m->batch.operations[i] >= ROOST_OP_INSERT;
    }
    return inserts;
}

static void items_check(struct api_life *life, const struct mixture *m)
{
    for (uint32_t i = 0; i < m->batch.n; i++) item_check(life, m, i);
    life->totals->views += m->batch.n;
}

void step_view(struct api_life *life)
{
    struct mixture m;
    struct own_view view = own_view_make(OWN_slab);
    report_step("view");
    mixture_begin(life, &m);
    m.values_in = m.values_out = shape_has_values(&life->coding.shape);
    const uint64_t inserts = operations_mend(life, &m);
    life_call_begins(life);
    const roost_status status = roost_view_acquire(life->table, &view, own_view_bytes(&view), inserts, NULL);
    life_call_ended(life, status, 0, "the acquisition of a view");
    if (!status) {
        writers_check(life);
        loops_run(life, &view, &m);
        items_check(life, &m);
        life_call_begins(life);
        life_call_ended(life, roost_view_release(life->table), 0, "the release of a view");
    }
    life_wrote_keys(life, m.batch.n);
    mixture_end(&m);
}
