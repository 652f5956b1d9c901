/* A table of dense numbers beside an exact reference. */
#include "support/numbering.h"

#include "roost/numbers.h"

#include <stdlib.h>

typedef unsigned long long ull;

bool shape_has_numbers(const struct test_shape *shape) { return shape_has_arithmetic(shape) && !type_is_float(shape->value_type); }

void numbering_config(const struct variant *variant, roost_config *config)
{
    table_config(variant, config);
    config->flags |= ROOST_NUMBERED;
}

void numbering_open(struct numbering *m, const struct variant *variant, const roost_config *config)
{
    roost_config usual;
    numbering_config(variant, &usual);
    *m = (struct numbering){.numbers = reference_make()};
    table_open(&m->table, variant, config ? config : &usual);
}

void numbering_close(struct numbering *m)
{
    table_close(&m->table);
    reference_free(m->numbers);
}

static uint64_t none_of(const struct numbering *m) { return width_mask(m->table.shape.value_bytes); }
static uint64_t key_of(const struct numbering *m, uint64_t key) { return key & width_mask(m->table.shape.key_bytes); }

/* ---- The state of the table ------------------------------------------------------------------ */

static void check_table(const struct numbering *m)
{
    const uint64_t count = table_stats(&m->table).count;
    require(count == reference_count(m->numbers), "the table counts %llu keys, not %llu", (ull)count,
            (ull)reference_count(m->numbers));
    if (m->looking) *m->looking = true;
    table_check(&m->table);
    if (m->looking) *m->looking = false;
}

void numbering_find(struct numbering *m, const uint64_t *keys, size_t n)
{
    uint64_t *values = make_patterns(n);
    uint8_t *found = make_bytes(n);
    require_status(ROOST_OK, table_find(&m->table, keys, n, values, found, NULL), m->table.handle);
    for (size_t i = 0; i < n; i++) {
        uint64_t number = 0;
        const bool there = reference_get(m->numbers, key_of(m, keys[i]), &number);
        require(found[i] == there && values[i] == number, "key %#llx: found %u, with %llu instead of %llu", (ull)keys[i], found[i],
                (ull)values[i], (ull)number);
    }
    free(values), free(found);
    check_table(m);
}

/* ---- One batch ------------------------------------------------------------------------------- */

/* A batch and its answers. */
struct answered {
    const uint64_t *keys, *numbers;
    const uint8_t *statuses; /* NULL: none */
    size_t n;
    bool ordered;
    roost_status status;
    struct reference *fresh;    /* keys that are new, with their numbers */
    struct reference *inserted; /* those of them with an item that ended INSERTED */
    uint8_t *given;             /* which numbers from m->next on were given */
};

static void check_refused(struct numbering *m, const struct answered *a, size_t i)
{
    const uint8_t status = a->statuses ? a->statuses[i] : ROOST_ITEM_FULL;
    const bool full = a->status == ROOST_ERR_FULL, memory = a->status == ROOST_ERR_MEMORY;
    m->refused++;
    require(full || memory, "item %zu has no number in a call that said %s", i, roost_status_name(a->status));
    require(!a->statuses || (full && status == ROOST_ITEM_FULL) ||
                (memory && (status == ROOST_ITEM_NO_MEMORY || status == ROOST_ITEM_NONE)),
            "item %zu ended %u in a call that said %s", i, status, roost_status_name(a->status));
}

static void check_stored(const struct answered *a, size_t i, uint64_t number)
{
    require(a->numbers[i] == number, "item %zu, key %#llx: number %llu instead of %llu", i, (ull)a->keys[i], (ull)a->numbers[i],
            (ull)number);
    require(!a->statuses || a->statuses[i] == ROOST_ITEM_KEPT, "item %zu, of a key that is there, ended %u", i, a->statuses[i]);
}

/* An item of a new key. */
static void check_new(struct numbering *m, struct answered *a, size_t i, uint64_t key)
{
    uint64_t number = a->numbers[i];
    const bool first = !reference_get(a->fresh, key, &number), inserted = a->statuses && a->statuses[i] == ROOST_ITEM_INSERTED;
    const uint64_t at = number - m->next;
    require(number == a->numbers[i], "item %zu, key %#llx: number %llu, but another item got %llu", i, (ull)key, (ull)a->numbers[i],
            (ull)number);
    if (first) {
        require(at < a->n && !a->given[at], "item %zu, key %#llx: number %llu, and %llu is the next one", i, (ull)key, (ull)number,
                (ull)m->next);
        require(!a->ordered || at == reference_count(a->fresh), "item %zu, key %#llx: number %llu is not in order", i, (ull)key,
                (ull)number);
        a->given[at] = 1;
        reference_put(a->fresh, key, number);
    }
    if (!a->statuses) return;
    require(inserted || a->statuses[i] == ROOST_ITEM_KEPT, "item %zu, of a new key, ended %u", i, a->statuses[i]);
    require(!a->ordered || inserted == first, "item %zu, key %#llx: status %u", i, (ull)key, a->statuses[i]);
    require(!inserted || !reference_get(a->inserted, key, NULL), "two items of key %#llx ended INSERTED", (ull)key);
    if (inserted) reference_put(a->inserted, key, 0);
}

static void check_items(struct numbering *m, struct answered *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const uint64_t key = key_of(m, a->keys[i]);
        uint64_t number = 0;
        if (reference_get(m->numbers, key, &number)) check_stored(a, i, number);
        else if (a->numbers[i] == none_of(m)) check_refused(m, a, i);
        else check_new(m, a, i, key);
    }
    const uint64_t fresh = reference_count(a->fresh);
    for (uint64_t i = 0; i < fresh; i++)
        require(a->given[i], "of %llu new keys none got number %llu", (ull)fresh, (ull)(m->next + i));
    require(!a->statuses || reference_count(a->inserted) == fresh, "%llu items ended INSERTED, of %llu new keys",
            (ull)reference_count(a->inserted), (ull)fresh);
    require((a->status == ROOST_OK) == (m->refused == 0), "%zu items have no number, but the call said %s", m->refused,
            roost_status_name(a->status));
}

/* The new keys are stored now. */
static void take_over(struct numbering *m, const struct answered *a)
{
    m->next += reference_count(a->fresh);
    for (size_t i = 0; i < a->n; i++)
        if (a->numbers[i] != none_of(m)) reference_put(m->numbers, key_of(m, a->keys[i]), a->numbers[i]);
}

roost_status numbering_run(struct numbering *m, const uint64_t *keys, size_t n, uint32_t flags, bool statuses)
{
    uint64_t *numbers = make_patterns(n);
    uint8_t *ended = statuses ? make_bytes(n) : NULL, *given = make_bytes(n);
    for (size_t i = 0; i < n; i++) given[i] = 0;
    const roost_status status = table_number(&m->table, keys, n, numbers, ended, flags);
    struct answered a = {keys, numbers, ended, n, (flags & ROOST_ORDERED) != 0, status, reference_make(), reference_make(), given};
    require(status == ROOST_OK || status == ROOST_ERR_FULL || status == ROOST_ERR_MEMORY, "%s: %s", roost_status_name(status),
            roost_last_error(m->table.handle));
    m->refused = 0;
    check_items(m, &a);
    take_over(m, &a);
    numbering_find(m, keys, n);
    reference_free(a.fresh), reference_free(a.inserted);
    free(numbers), free(ended), free(given);
    return status;
}

/* ---- Other calls ----------------------------------------------------------------------------- */

void numbering_erase(struct numbering *m, const uint64_t *keys, size_t n)
{
    require_status(ROOST_OK, table_erase(&m->table, keys, n, NULL), m->table.handle);
    for (size_t i = 0; i < n; i++) (void)reference_remove(m->numbers, key_of(m, keys[i]));
    numbering_find(m, keys, n);
}

void numbering_clear(struct numbering *m)
{
    require_status(ROOST_OK, roost_table_clear(m->table.handle), m->table.handle);
    reference_clear(m->numbers);
    m->next = 0;
    check_table(m);
}

void numbering_compare(struct numbering *m, size_t room)
{
    const bool in_order = !shape_has_strings(&m->table.shape);
    struct pairs pairs = table_export_flagged(&m->table, room, in_order ? ROOST_NUMBER_ORDER : 0);
    require(pairs.n == reference_count(m->numbers), "%zu pairs were exported, not %llu", pairs.n, (ull)reference_count(m->numbers));
    for (size_t i = 0; i < pairs.n; i++) {
        uint64_t number = 0;
        require(reference_get(m->numbers, pairs.keys[i], &number) && number == pairs.values[i],
                "key %#llx was exported with number %llu, not %llu", (ull)pairs.keys[i], (ull)pairs.values[i], (ull)number);
        require(!in_order || !i || pairs.values[i - 1] < pairs.values[i], "number %llu comes after %llu", (ull)pairs.values[i],
                (ull)pairs.values[i ? i - 1 : 0]);
    }
    pairs_free(&pairs);
}
