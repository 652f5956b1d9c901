/* SlabHash's item operations through all schedules of few preemptions, with strong and with weak memory: every pair of an insert, an update,
 * an erase and a find, and chosen triples, on one key and on two keys of one list, where the list has room and where it ends in a full slab
 * and the pool has none, one or two units more.  A failure names the schedule. */
#include "support/scheduled_slab_scene.h"
#include "support/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Items by letters: K keep, A assign, + add, # add until it saturates, > maximum, E erase, F find; `b` in `keys` is another key of the list
 * than `a`. */
struct small {
    const char *items, *keys;
    int stored; /* pairs in the list before; of those `a` and `b` are, if `there` */
    bool there;
    int units;
    bool churns; /* the second tile fills a unit with the key `a` and gives it back before its item */
    bool fenced; /* stamps come from a counter, between fences: real time counts with weak memory, too */
};

static struct slab_scene s;
static struct slab_explored explored;
static struct {
    const struct small *small;
    unsigned char base[2 * SLAB_BYTES], unit[2][SLAB_BYTES];
    uint32_t bitmap[SLAB_BLOCK_WORDS];
    struct slab_contents before;
    uint64_t clock;
    int size; /* of tiles */
    bool weak;
} p;
static uint64_t schedules;

/* ---- Making a scene --------------------------------------------------------------------------------------------------------------- */

static uint8_t operation_of(char letter)
{
    return letter == 'K'   ? ROOST_OP_KEEP
           : letter == 'A' ? ROOST_OP_ASSIGN
           : letter == '>' ? ROOST_OP_MAX
           : letter == '+' ? ROOST_OP_ADD
           : letter == '#' ? ROOST_OP_ADD

           : letter == 'E' ? ROOST_OP_ERASE
                           : ROOST_OP_FIND;
}

/* An item's argument: for the first maximum more than what is stored, for the second less; so much for a sum that it saturates. */
static uint64_t value_of(int i)
{
    if (p.small->items[i] == '>') return 200 - 100 * (uint64_t)i;
    if (p.small->items[i] == '#') return s.t.shape.value_bytes == 8 ? UINT64_MAX : UINT32_MAX;
    return 1 + (uint64_t)i;
}

/* The list's pairs by one lane: the keys from 2 on, and 0 (`a`) and 1 (`b`) before them if they are to be there. */
static void fill_list(const struct small *small)
{
    static const struct slab_launch alone = {DRIVER_lane, 1, 1, false};
    s.items.n = small->stored;
    for (int i = 0; i < s.items.n; i++) slab_item_set(&s, i, small->there ? i : i + 2, ROOST_OP_ASSIGN, 100 + (uint64_t)i);
    slab_batch_call(&s, SLAB_insert, false);
    if (s.items.n && (!slab_launch_kernel(&s, &alone, SLAB_insert) || !slab_batch_check(&s, SLAB_insert, false))) abort();
}

static void scene_keep(void)
{
    memcpy(p.base, s.t.view.base, sizeof p.base);
    for (int i = 0; i < s.t.sizes.units; i++) memcpy(p.unit[i], slab_unit(&s.t.view.pool, s.t.unit[i]), SLAB_BYTES);
    memcpy(p.bitmap, slab_bitmap(&s.t.view.pool, 0, 0), sizeof p.bitmap);
    p.before = s.before;
}

static void small_reset(void *unused)
{
    (void)unused;
    memcpy(s.t.view.base, p.base, sizeof p.base);
    for (int i = 0; i < s.t.sizes.units; i++) memcpy(slab_unit(&s.t.view.pool, s.t.unit[i]), p.unit[i], SLAB_BYTES);
    memcpy(slab_bitmap(&s.t.view.pool, 0, 0), p.bitmap, sizeof p.bitmap);
    s.before = p.before;
    s.items.n = (int)strlen(p.small->items);
    for (int i = 0; i < s.items.n; i++) slab_item_set(&s, i, p.small->keys[i] - 'a', operation_of(p.small->items[i]), value_of(i));
    s.saturate = strchr(p.small->items, '#') != NULL;

    slab_batch_call(&s, SLAB_apply, true);
    s.t.exhausted = s.t.sizes.units == 0;
    s.call.resides = s.t.sizes.units > 0;
    s.call.driver = DRIVER_tile; /* the verdict may have run a lane alone */
    s.call.size = p.size;
    if (p.weak && !p.small->fenced) s.call.args.batch.stamps = NULL;
    if (p.small->fenced) p.clock = 1, s.call.args.batch.clock = &p.clock;
    s.call.churn = p.small->churns;
    s.call.dirt = slab_pair_of(s.t.key[0], 77);
    slab_watch_begin(&s.watch, &s.t, !p.small->churns);
}

static const char *small_verdict(void *unused)
{
    (void)unused;
    s.call.resides = false;
    if (s.items.list_n[0] && s.t.sizes.units >= s.items.n) return "an item is parked, though there are units for all";
    return slab_batch_check(&s, SLAB_apply, p.weak && !p.small->fenced) ? NULL : s.t.wrong;
}

/* ---- Running it ------------------------------------------------------------------------------------------------------------------- */

/* Tiles of one lane are interrupted three times, larger ones twice; once less with weak memory, where one access may take an old message.
 * That takes long runs; others have two interruptions of two tiles of one lane, and else one; short ones one. */
static struct scheduled_limits limits_of(const struct small *small, int size, bool weak)
{
    const bool fewer = strlen(small->items) > 2 || weak;
    const size_t whole = (size == 1 ? 3 : 2) - weak;
    const struct scheduled_limits limits = {(int)settings_effort(whole, size == 1 && !fewer ? 2 : 1, 1), weak ? 1 : 0,
                                            settings_effort(UINT64_MAX, 4000000, 4000000)};
    return limits;
}

static const char *explore_small(const struct slab_stamped *stamped, const struct small *small, const struct shape shape, int size,
                                 bool weak, struct scheduled_searched *searched)
{
    const struct slab_sizes sizes = {1, small->units, 1, false, false, 1};
    const struct slab_launch launch = {DRIVER_tile, size, (int)strlen(small->items), weak};
    const struct scheduled_limits limits = limits_of(small, size, weak);
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    memset(&s, 0, sizeof s);
    s.explored = &explored;
    s.stamped = &slab_sound;
    s.dice.state = settings_get()->seed;
    slab_table_make(&s.t, shape, &sizes, 40, 40, &s.dice);
    s.t.view.flush_length = UINT32_MAX;
    if (!slab_table_walk(&s.t, &s.before)) abort();
    p.small = small;
    p.weak = weak;
    p.size = size;
    fill_list(small);
    scene_keep();
    small_reset(NULL);
    s.stamped = stamped;
    const struct scheduled_plan plan = slab_plan(&s, &launch, SLAB_apply);
    const char *wrong = scheduled_explore(&plan, &limits, stamped->run[SLAB_apply], &s.call, &trial, searched);
    schedules += searched->schedules;
    slab_table_free(&s.t);
    return wrong;
}

static void assert_sound(const struct small *small, const struct shape shape, int size, bool weak)
{
    struct scheduled_searched searched;
    const char *wrong = explore_small(&slab_sound, small, shape, size, weak, &searched);
    if (wrong)
        print_error("%s of %s, %d stored, %d units, %d+%d, tile of %d, %s memory: %s\n", small->items, small->keys, small->stored,
                    small->units, shape.key_bytes, shape.value_bytes, size, weak ? "weak" : "strong", wrong);
    assert_null(wrong);
    assert_true(searched.complete);
}

static void assert_sound_everywhere(const struct small *small, const struct shape shape)
{
    for (int size = 1; size <= 4; size *= 4)
        for (int weak = 0; weak < 2; weak++) assert_sound(small, shape, size, weak != 0);
}

static const char letters[] = "KA+>EF";

/* Every pair of operations in this setting, for a word, a pair, and a pair in two steps; short runs have one of the three for each. */
static void explore_pairs(const char *keys, int fill, bool there, int units)
{
    const struct shape shapes[] = {shape_k4v4(), shape_k8v8(), shape_k8v8steps()};
    char items[3] = "";
    for (int shape = 0; shape < 3; shape++)
        for (int i = 0; letters[i]; i++)
            for (int j = keys[0] == keys[1] ? i : 0; letters[j]; j++) {
                if (settings_get()->is_short && (i + j) % 3 != shape) continue;
                const struct small small = {items, keys, fill < 0 ? shapes[shape].slots : fill, there, units, false, false};
                items[0] = letters[i], items[1] = letters[j];
                assert_sound_everywhere(&small, shapes[shape]);
            }
    printf("%" PRIu64 " schedules so far\n", schedules);
}

enum { FULL_SLAB = -1 };

static void pairs_on_a_new_key(void **state)
{
    (void)state;
    explore_pairs("aa", 1, false, 1);
}

static void pairs_on_a_stored_key(void **state)
{
    (void)state;
    explore_pairs("aa", 2, true, 1);
}

/* Sums that saturate are seen at the top, or as they were before. */
static void sums_that_saturate(void **state)
{
    const struct shape shapes[] = {shape_k4v4(), shape_k8v8(), shape_k8v8steps()};
    static const char *const items[] = {"##", "#F", "F#", "#A", "#>", "#E", "#+", "#K"};
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
            const struct small small = {items[i], "aa", 2, true, 1, false, false};
            assert_sound_everywhere(&small, shapes[shape]);
        }
    printf("%" PRIu64 " schedules so far\n", schedules);
}

static void pairs_on_two_keys(void **state)
{
    (void)state;
    explore_pairs("ab", 1, false, 1);
}

static void pairs_behind_a_full_slab(void **state)
{
    (void)state;
    explore_pairs("aa", FULL_SLAB, false, 2);
    explore_pairs("ab", FULL_SLAB, false, 1);
}

/* What a unit held before it was linked is not seen by who follows the link, or loses the race for it. */
static void pairs_behind_a_used_slab(void **state)
{
    const struct shape shapes[] = {shape_k4v4(), shape_k8v8()};
    (void)state;
    for (int shape = 0; shape < 2; shape++)
        for (int size = 1; size <= 4; size *= 4) {
            const struct small small = {"KK", "ab", shapes[shape].slots, false, 2, true, false};
            assert_sound(&small, shapes[shape], size, true);
        }
    printf("%" PRIu64 " schedules so far\n", schedules);
}

/* Who was invoked after another's response sees what that one did, if their stamps say so. */
static void pairs_between_fences(void **state)
{
    static const char *const items[] = {"KF", "FK", "EF", "FE"};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int size = 1; size <= 4; size *= 4) {
            const struct small small = {items[i], "aa", 2, i >= 2, 0, false, true};
            assert_sound(&small, shape_k4v4(), size, true);
        }
    printf("%" PRIu64 " schedules so far\n", schedules);
}

static void pairs_without_units(void **state)
{
    (void)state;
    explore_pairs("ab", FULL_SLAB, false, 0);
}

/* Every triple on one new key that inserts at all, and three that need a slab. */
static void triples(void **state)
{
    const struct small three = {"K+A", "aab", shape_k4v4().slots, false, 2, false, false};
    char items[4] = "";
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 5; j++)
            for (int k = j; k < 5; k++) {
                const struct small small = {items, "aaa", 0, false, 0, false, false};
                items[0] = letters[i], items[1] = letters[j], items[2] = letters[k];
                assert_sound_everywhere(&small, shape_k4v4());
            }
    assert_sound_everywhere(&three, shape_k4v4());
    printf("%" PRIu64 " schedules so far\n", schedules);
}

/* Planted faults show in a pair. */
static void plants_are_found(void **state)
{
    static const struct small erases = {"EE", "aa", 2, true, 0, false, false};
    struct scheduled_searched searched;
    (void)state;
    const char *wrong = explore_small(&slab_delete_stores, &erases, shape_k4v4(), 1, false, &searched);
    printf("%s: %s\n", slab_delete_stores.name, wrong ? wrong : "not found");
    assert_non_null(wrong);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_on_a_new_key),
        cmocka_unit_test(pairs_on_a_stored_key),
        cmocka_unit_test(sums_that_saturate),
        cmocka_unit_test(pairs_on_two_keys),
        cmocka_unit_test(pairs_behind_a_full_slab),
        cmocka_unit_test(pairs_behind_a_used_slab),
        cmocka_unit_test(pairs_between_fences),
        cmocka_unit_test(pairs_without_units),
        cmocka_unit_test(triples),
        cmocka_unit_test(plants_are_found),
    };
    settings_read(argc, argv);
    printf("seed %" PRIu64 "%s\n", settings_get()->seed, settings_get()->is_short ? ", short" : "");
    if (settings_get()->only) cmocka_set_test_filter(settings_get()->only);
    return cmocka_run_group_tests_name("scheduled slab exhaustive", tests, NULL, NULL) ? EXIT_FAILURE : EXIT_SUCCESS;
}
