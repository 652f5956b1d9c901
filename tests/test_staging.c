/* Arrays out of the table's reach, staged in pieces.  Every answer is the exact reference's,
 * whatever is pinned, within reach, late or refused.  Values of absent keys are 0, or untouched
 * if the caller asks for that. */
#include "support/late_queues.h"
#include "support/mixes.h"
#include "support/sequences.h"
#include "support/settings.h"

#include <stdlib.h>
#include <string.h>

/* A variant's number has the rules: two bits each for pinned and reachable, one for late. */
static struct late_rules rules_of(const struct variant *variant)
{
    const struct late_rules rules = {(enum late_which)(variant->number & 3), (enum late_which)(variant->number >> 2 & 3),
                                     (variant->number >> 4 & 1) != 0, suite_seed(), false};
    return rules;
}

/* Pieces of about a thousand items, by a memory limit a little above what a table of `keys` keys
 * needs. */
static void open_tight(struct model *model, const struct variant *variant, uint64_t keys, uint64_t room)
{
    const struct late_rules rules = rules_of(variant);
    roost_config config;
    struct table probe;
    table_config(variant, &config);
    config.capacity = keys;
    config.growth = 0; /* growing would need memory of its own */
    table_open(&probe, variant, &config);
    uint64_t *keys_in = make_patterns(room);
    for (uint64_t i = 0; i < room; i++) keys_in[i] = distinct_key(variant->shape, i);
    /* makes the lists */
    require_status(ROOST_OK, table_insert(&probe, ROOST_KEEP, keys_in, keys_in, room, NULL), probe.handle);
    const uint64_t bytes = table_stats(&probe).bytes_peak;
    table_close(&probe);
    free(keys_in);
    config.memory_limit = bytes + 4 * room * 18 + 4096;
    model_open(model, variant, &config);
    late_queues_begin(model->table.handle, &rules);
}

static void draw_keys(struct dice *dice, const struct test_shape *shape, uint64_t among, uint64_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) keys[i] = distinct_key(shape, draw_below(dice, among));
}

/* All operations, with hits and misses mixed, with hits only, and with misses that begin in a
 * late piece. */
static void everything_through_pieces(const struct variant *variant)
{
    enum { N = 20000, ROOM = 2048 };
    static uint64_t keys[N], values[N];
    struct dice dice = {suite_seed()};
    struct mixed mixed = mixed_make(N);
    struct model model;
    open_tight(&model, variant, 3 * N, ROOM);
    for (int round = 0; round < 3; round++) {
        draw_keys(&dice, variant->shape, 3 * N, keys, N);
        for (size_t i = 0; i < N; i++) values[i] = draw(&dice) & width_mask(variant->shape->value_bytes);
        suite_step("round %d: inserting", round);
        model_insert(&model, shape_is_set(variant->shape) ? ROOST_KEEP : ROOST_ADD, keys, values, N);
        suite_step("round %d: finding what is there", round);
        model_find(&model, keys, N);
        suite_step("round %d: finding half of it", round);
        /* hits first: no values travel in before a late piece */
        draw_keys(&dice, variant->shape, 4 * N, keys + N - N / 4, N / 4);
        model_find(&model, keys, N);
        draw_keys(&dice, variant->shape, 6 * N, keys, N);
        model_find(&model, keys, N);
        suite_step("round %d: erasing", round);
        model_erase(&model, keys, N / 2);
        suite_step("round %d: a mixed batch", round);
        mixed_draw(&mixed, &dice, variant->shape, N, 1 << 16, true);
        model_apply(&model, &mixed, 0);
        suite_step("round %d: a batch in order", round);
        mixed_draw(&mixed, &dice, variant->shape, N / 2, N / 4, false);
        model_apply(&model, &mixed, ROOST_ORDERED);
        suite_step("round %d: a batch in order, of few keys", round);
        mixed_draw(&mixed, &dice, variant->shape, N / 2, 3, false);
        model_apply(&model, &mixed, ROOST_ORDERED);
    }
    model_compare(&model);
    mixed_free(&mixed);
    require(late_queues_copies() > (variant->number >> 2 & 3 ? 0u : 100u), "%llu copies: the pieces were too large",
            (unsigned long long)late_queues_copies());
    require(!rules_of(variant).late || late_queues_late_copies() > 0, "nothing was late");
    model_close(&model);
}

/* One item, and all sizes around a piece. */
static void every_size(const struct variant *variant)
{
    static const size_t sizes[] = {1, 2, 31, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 4096, 6145, 8192, 8193};
    enum { MOST = 8193, ROOM = 1024 };
    static uint64_t keys[MOST], values[MOST];
    struct dice dice = {suite_seed()};
    struct model model;
    open_tight(&model, variant, 4 * MOST, ROOM);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        suite_step("%zu items", sizes[i]);
        draw_keys(&dice, variant->shape, 2 * MOST, keys, sizes[i]);
        for (size_t at = 0; at < sizes[i]; at++) values[at] = mix64(at) & width_mask(variant->shape->value_bytes);
        model_insert(&model, ROOST_KEEP, keys, values, sizes[i]);
        model_find(&model, keys, sizes[i]);
        draw_keys(&dice, variant->shape, 4 * MOST, keys, sizes[i]);
        model_find(&model, keys, sizes[i]);
        model_erase(&model, keys, sizes[i] / 2);
    }
    model_compare(&model);
    model_close(&model);
}

int main(int argc, char **argv)
{
    static const struct {
        uint64_t pinned, reachable;
    } rules[] = {{LATE_ALL, LATE_NONE}, {LATE_NONE, LATE_NONE}, {LATE_SOME, LATE_NONE}, {LATE_SOME, LATE_SOME}};
    suite_begin_on_host(argc, argv);
    for (size_t s = 0; s < SHAPE_COUNT; s += settings_size(1, 2))
        for (uint64_t r = 0; r < 2 * sizeof rules / sizeof rules[0]; r++) {
            const uint64_t number = rules[r / 2].pinned | rules[r / 2].reachable << 2 | (r & 1) << 4;
            suite_add("everything through pieces", everything_through_pieces,
                      (struct variant){.shape = &shapes[s], .number = number});
            suite_add("every size", every_size, (struct variant){.shape = &shapes[s], .number = number});
        }
    return suite_run("staging");
}
