/* Calls of the fuzzer of the API that read: finds, exports, descriptions. */
#include "fuzz/api/api_life.h"

#include <stdlib.h>
#include <string.h>

/* ---- Finds ----------------------------------------------------------------------------------- */

/* Which results a find asks for. */
struct wanted {
    bool values, found, statuses, keeps;
};

static void value_check(const struct api_life *life, const struct api_batch *batch, size_t i, const struct exact_slot *slot,
                        bool keeps)
{
    uint64_t value = 0;
    if (!slot) {
        expect(keeps ? batch_is_unwritten(batch, i) : batch_is_zero(batch, i), "key %#llx is absent, and its value is %s",
               (unsigned long long)batch->ids[i], keeps ? "written" : "not 0");
        return;
    }
    expect(batch_value_out(batch, i, &value), "key %#llx: its value is none that was inserted", (unsigned long long)batch->ids[i]);
    if (life->multi && slot->pairs > 64 && i % 64) return;
    expect(life->multi ? exact_has(&life->exact, slot->id, value) : value == slot->value, "key %#llx: value %#llx instead of %#llx",
           (unsigned long long)batch->ids[i], (unsigned long long)value, (unsigned long long)slot->value);
}

static void found_check(const struct api_life *life, const struct api_batch *batch, const struct wanted *wanted)
{
    for (size_t i = 0; i < batch->n; i++) {
        const struct exact_slot *slot = exact_find(&life->exact, batch->ids[i]);
        expect(!wanted->found || batch->found[i] == (slot != NULL), "key %#llx: found is %u", (unsigned long long)batch->ids[i],
               batch->found[i]);
        expect(!wanted->statuses || batch->statuses[i] == (slot ? ROOST_ITEM_FOUND : ROOST_ITEM_ABSENT), "key %#llx: status %u",
               (unsigned long long)batch->ids[i], batch->statuses[i]);
        if (wanted->values) value_check(life, batch, i, slot, wanted->keeps);
    }
}

void step_find(struct api_life *life)
{
    struct api_batch batch;
    struct wanted wanted = {choose(life->choices, 8) != 0, choose(life->choices, 8) != 0, choose(life->choices, 2) != 0,
                            choose(life->choices, 2) != 0};
    wanted.values &= shape_has_values(&life->coding.shape);
    report_step("find: values %d, found %d, statuses %d, absent values kept %d", wanted.values, wanted.found, wanted.statuses,
                wanted.keeps);
    life_draw(life, &batch, life_size(life));
    const roost_call call = life_call(wanted.statuses ? batch.statuses : NULL, wanted.keeps ? ROOST_ABSENT_KEEP : 0);
    life_call_begins(life);
    const roost_status status =
        life_find_items(life, &batch, wanted.values ? batch.values_out : NULL, wanted.found ? batch.found : NULL, &call);
    life_call_ended(life, status, 0, "a find");
    expect(status != ROOST_ERR_FULL, "a find ended FULL");
    life->totals->finds += batch.n;
    if (!status) found_check(life, &batch, &wanted);
    batch_free(&batch);
}

/* ---- Exports --------------------------------------------------------------------------------- */

/* What has come of each key: by the place of its slot. */
struct seen {
    uint32_t pairs;
    uint64_t sum;
};

struct export
{
    struct api_life *life;
    struct seen *seen;
    roost_cursor cursor;
    size_t room, n;
    uint64_t bytes_room;
    unsigned char *keys, *bytes, *values;
    uint64_t *offsets;
};

/* Draws a room for pairs; at least 64 strings fit. */
static void export_begin(struct export *e, struct api_life *life)
{
    const struct coding *coding = &life->coding;
    const size_t least = 64 * (size_t)(coding->prefix + coding->spread + 16);
    const uint64_t most = life->limits.bytes / (coding->shape.value_bytes + coding->shape.key_bytes + 1);
    memset(e, 0, sizeof *e);
    e->life = life;
    e->room = ROOST_EXPORT_MIN + choose_size(life->choices, 1, most < 100000 ? most : 100000) - 1;
    e->bytes_room = shape_has_strings(&coding->shape) ? least + choose_size(life->choices, 1, 1 << 20) : 0;
    e->keys = api_memory(e->room * coding->shape.key_bytes);
    e->values =
        shape_has_values(&coding->shape) && choose(life->choices, 8) ? api_memory(e->room * coding->shape.value_bytes) : NULL;
    e->bytes = api_memory(e->bytes_room);
    e->offsets = api_memory((e->room + 1) * sizeof *e->offsets);
    e->seen = calloc(life->exact.capacity, sizeof *e->seen);
    if (!e->seen) abort();
}

static void export_end(struct export *e)
{
    free(e->keys);
    free(e->values);
    free(e->bytes);
    free(e->offsets);
    free(e->seen);
}

static roost_status export_call(struct export *e)
{
    const roost_table *table = e->life->table;
    if (!shape_has_strings(&e->life->coding.shape))
        return roost_export(table, &e->cursor, e->keys, e->values, e->room, &e->n, NULL);
    return roost_export_strings(table, &e->cursor, e->offsets, 8, e->bytes, e->bytes_room, e->values, e->room, &e->n, NULL);
}

static uint64_t pair_id(const struct export *e, size_t i)
{
    uint64_t id = 0;
    const struct coding *coding = &e->life->coding;
    const bool strings = shape_has_strings(&coding->shape);
    const size_t bytes = coding->shape.key_bytes;
    expect(!strings || (e->offsets[i] <= e->offsets[i + 1] && e->offsets[i + 1] <= e->bytes_room),
           "offsets fall, or pass the room");
    const bool known = strings ? coding_id(coding, e->bytes + e->offsets[i], e->offsets[i + 1] - e->offsets[i], &id)
                               : coding_id(coding, e->keys + i * bytes, bytes, &id);
    expect(known, "pair %zu has a key that was never inserted", i);
    return id;
}

static void pair_check(struct export *e, size_t i)
{
    const uint64_t id = pair_id(e, i);
    uint64_t value = 0;
    const struct exact_slot *slot = exact_find(&e->life->exact, id);
    expect(slot, "key %#llx was exported, and is absent", (unsigned long long)id);
    struct seen *seen = &e->seen[slot - e->life->exact.slots];
    expect(++seen->pairs <= slot->pairs, "key %#llx was exported more than %u times", (unsigned long long)id, slot->pairs);
    if (!e->values) return;
    expect(coding_number(&e->life->coding, e->values, i, &value), "key %#llx has a value that was never inserted",
           (unsigned long long)id);
    seen->sum += mix64(value);
    expect(e->life->multi || value == slot->value, "key %#llx was exported with value %#llx instead of %#llx",
           (unsigned long long)id, (unsigned long long)value, (unsigned long long)slot->value);
}

/* Everything came; of multimaps, with the values that were inserted. */
static void complete_check(const struct export *e, uint64_t n)
{
    const struct exact *exact = &e->life->exact;
    expect(n == exact->pairs, "%llu pairs were exported, not %llu", (unsigned long long)n, (unsigned long long)exact->pairs);
    for (uint64_t i = 0; e->values && exact->multi && i < exact->capacity; i++)
        expect(!exact->slots[i].pairs || e->seen[i].sum == exact->slots[i].sum, "key %#llx was exported with other values",
               (unsigned long long)exact->slots[i].id);
}

void step_export(struct api_life *life)
{
    struct export e;
    uint64_t n = 0;
    roost_status status = ROOST_OK;
    export_begin(&e, life);
    report_step("export, room %zu, bytes %llu, values %d", e.room, (unsigned long long)e.bytes_room, e.values != NULL);
    while (!status && !e.cursor.end) {
        life_call_begins(life);
        status = export_call(&e);
        life_call_ended(life, status, 0, "an export");
        expect(status != ROOST_ERR_FULL && e.n <= e.room, "an export of %zu ended %s with %zu pairs", e.room,
               roost_status_name(status), e.n);
        for (size_t i = 0; !status && i < e.n; i++) pair_check(&e, i);
        n += e.n;
    }
    life->totals->exported += n;
    if (!status) complete_check(&e, n);
    export_end(&e);
}

/* ---- Descriptions ---------------------------------------------------------------------------- */

void step_describe(struct api_life *life)
{
    char text[ROOST_DESCRIPTION_BYTES];
    roost_stat stat = ROOST_STAT_INIT, same = ROOST_STAT_INIT;
    report_step("describe");
    life->allocator.paused = true;
    for (int what = ROOST_DESCRIBE_KERNELS; what <= ROOST_DESCRIBE_PARAMETERS; what++) {
        memset(text, UNWRITTEN, sizeof text);
        const roost_status status = roost_table_describe(life->table, (roost_description)what, text, sizeof text);
        expect(status == ROOST_OK && memchr(text, 0, sizeof text), "description %d ended %s", what, roost_status_name(status));
        expect(roost_table_describe(life->table, (roost_description)what, text, strlen(text)) == ROOST_ERR_ARGUMENT,
               "description %d fits into its own length", what);
    }
    for (size_t i = 0; roost_table_stat_at(life->table, i, &stat) == ROOST_OK; i++)
        expect(roost_table_stat(life->table, stat.name, &same) == ROOST_OK && strcmp(same.name, stat.name) == 0, "statistic %s",
               stat.name);
    expect(!life->config.engine || strcmp(roost_table_engine(life->table), life->config.engine) == 0, "engine %s",
           roost_table_engine(life->table));
    life->allocator.paused = false;
    life->totals->calls++;
}
