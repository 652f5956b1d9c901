/* Invariants over many operations: every key's value is the sum of what was added to it; a key
 * is present if it was inserted once more than it was erased; the table's size is inserts less
 * erases; and a full scan finds each key once. */
#include "support/draw.h"
#include "support/history.h"
#include "support/restless.h"
#include "support/settings.h"
#include "roost/mixed.h"

#include <stdlib.h>

enum { THREADS = 4 };

/* One call's items are repeated in many calls, so that the table's work takes most of the time. */
struct effort {
    size_t keys, items, calls;
};

static struct effort effort_of(void)
{
    const bool gpu = settings_on_gpu();
    struct effort effort = {.keys = gpu ? settings_effort(1 << 20, 1 << 17, 1 << 14) : settings_effort(1 << 14, 1 << 12, 1 << 9)};
    effort.items = 4 * effort.keys;
    effort.calls = gpu ? settings_effort(24, 8, 4) : settings_effort(1600, 16, 4);
    return effort;
}

static struct history *open_table(struct table *table, const struct variant *variant, const struct effort *effort)
{
    roost_config config;
    table_config(variant, &config);
    config.threads = THREADS;
    config.capacity = effort->keys / 8; /* small: the table or its lists grow */
    table_open(table, variant, &config);
    return history_open(table, STAMPS_NONE, effort->keys, effort->items);
}

static void print_done(const struct effort *effort)
{
    printf("%zu operations on %zu keys\n", effort->calls * effort->items, effort->keys);
}

/* Finds run beside additions; the final values are the sums. */
static void sums(const struct variant *variant)
{
    struct dice dice = {suite_seed()};
    const struct effort effort = effort_of();
    const uint64_t mask = width_mask(variant->shape->value_bytes);
    struct table table;
    struct history *h = open_table(&table, variant, &effort);
    uint64_t *sum = make_patterns(effort.keys), inserted = 0;
    uint8_t *touched = calloc(effort.keys, 1);
    for (size_t i = 0; i < effort.items; i++) {
        const bool adds = draw_below(&dice, 4) != 0;
        h->items[i] =
            (struct history_item){draw(&dice), (uint32_t)draw_below(&dice, effort.keys), adds ? ROOST_OP_ADD : ROOST_OP_FIND};
        sum[h->items[i].key] += adds ? h->items[i].argument : 0;
        touched[h->items[i].key] |= adds;
    }
    for (size_t call = 0; call < effort.calls; call++) {
        restless_begin(draw(&dice), 1u << 16, 64);
        history_call(h, effort.items, true);
        restless_end();
        for (size_t i = 0; i < effort.items; i++) inserted += history_statuses(h)[i] == ROOST_ITEM_INSERTED;
    }
    history_read(h);
    for (size_t k = 0; k < effort.keys; k++) {
        require(h->states[k].present == touched[k], "key 0x%llx is there: %d", (unsigned long long)h->keys[k],
                h->states[k].present);
        require(h->states[k].value == (effort.calls * sum[k] & mask), "key 0x%llx has 0x%llx", (unsigned long long)h->keys[k],
                (unsigned long long)h->states[k].value);
    }
    require(table_stats(&table).count == inserted, "%llu insertions", (unsigned long long)inserted);
    table_check(&table);
    print_done(&effort);
    free(sum);
    free(touched);
    history_close(h);
    table_close(&table);
}

/* Sums what the statuses of one call say about each key. */
static void book(const struct history *h, size_t n, int32_t *net)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t status = history_statuses(h)[i];
        net[h->items[i].key] += (status == ROOST_ITEM_INSERTED) - (status == ROOST_ITEM_ERASED);
    }
}

static void compare(struct history *h, const int32_t *net)
{
    uint64_t present = 0;
    history_read(h);
    for (size_t k = 0; k < h->key_count; k++) {
        require(net[k] == h->states[k].present, "key 0x%llx: %d more insertions than erasures, and it is there: %d",
                (unsigned long long)h->keys[k], net[k], h->states[k].present);
        present += h->states[k].present;
    }
    require(table_stats(h->table).count == present, "the table counts %llu, a scan %llu",
            (unsigned long long)table_stats(h->table).count, (unsigned long long)present);
}

/* Keys are inserted and erased many times. */
static void comings_and_goings(const struct variant *variant)
{
    static const uint8_t operations[] = {ROOST_OP_KEEP, ROOST_OP_ERASE, ROOST_OP_ASSIGN, ROOST_OP_ERASE, ROOST_OP_FIND};
    struct dice dice = {suite_seed()};
    const struct effort effort = effort_of();
    struct table table;
    struct history *h = open_table(&table, variant, &effort);
    int32_t *net = calloc(effort.keys, sizeof *net);
    for (size_t i = 0; i < effort.items; i++)
        h->items[i] =
            (struct history_item){draw(&dice), (uint32_t)draw_below(&dice, effort.keys), operations[draw_below(&dice, 5)]};
    for (size_t call = 0; call < effort.calls; call++) {
        suite_step("call %zu", call);
        restless_begin(draw(&dice), 1u << 16, 64);
        history_call(h, effort.items, true);
        restless_end();
        book(h, effort.items, net);
        if (call % 8 == 7 || call + 1 == effort.calls) compare(h, net);
    }
    table_check(&table);
    print_done(&effort);
    free(net);
    history_close(h);
    table_close(&table);
}

/* Items of a history have no string keys. */
static bool has_sums(const struct test_shape *shape) { return shape_has_fixed_keys(shape) && shape_has_arithmetic(shape); }

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    suite_add_some("sums", sums, shape_has_values);
    suite_add_widths("comings and goings", comings_and_goings);
    suite_add_wide("sums", sums, has_sums);
    suite_add_wide("comings and goings", comings_and_goings, shape_has_fixed_keys);
    return suite_run("conservation");
}
