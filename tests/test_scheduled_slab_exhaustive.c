/* SlabHash's item operations through all schedules of few preemptions, with strong and with weak
 * memory.  Every pair of an insert, an update, an erase and a find, and chosen triples, on one
 * key and on two keys of one list.  The list has room, or it ends in a full slab and the pool
 * has no, one or two units more.  Then the same in lists long enough for jumps, with appends.  A
 * failure names the schedule. */
#include "support/scheduled_program.h"
#include "support/scheduled_slab_scene.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>

/* `b` in `keys` is another key of the same list as `a`. */
struct small {
    const char *items, *keys;
    int stored; /* pairs in the list before, with `a` and `b` if `there` */
    bool there;
    int units;
    bool churns; /* true: the second tile first fills a unit with the key `a` and gives it back */
    bool fenced;
    bool multi;
    int dead; /* slabs behind the near ones that have tombstones alone */
};

enum { KEYS = 94 };

static struct slab_scene s;
static struct frame_small p;
static bool churns;

/* ---- Making a scene ------------------------------------------------------------------------- */

/* Runs one operation by one lane on pairs of the list, from the `first` on. */
static void prepare(const struct small *small, enum slab_operation kernel, uint8_t operation, int first, int n)
{
    s.f.items.n = n;
    for (int i = 0; i < n; i++) frame_item_set(&s.f, i, first + (small->there ? i : i + 2), operation, 100 + (uint64_t)i);
    slab_batch_call(&s, kernel, false);
    if (n && (!slab_launch_kernel(&s, &frame_alone, kernel) || !slab_batch_check(&s, &frame_alone, kernel))) abort();
}

/* Fills the list by one lane with the keys from 2 on, and before them 0 (`a`) and 1 (`b`) if
 * they are to be there. */
static void fill_list(const struct small *small)
{
    const int slots = s.t.shape.slots;
    prepare(small, SLAB_insert, small->multi ? ROOST_OP_APPEND : ROOST_OP_ASSIGN, 0, small->stored);
    prepare(small, SLAB_erase, ROOST_OP_ERASE, (int)s.t.view.near * slots, small->dead * slots);
}

static void scene_keep(void)
{
    frame_image_keep(&p.image, s.t.base_memory, 2 * SLAB_BYTES);
    for (int i = 0; i < s.t.sizes.units; i++) frame_image_keep(&p.image, slab_unit(&s.t.view.pool, s.t.unit[i]), SLAB_BYTES);
    frame_image_keep(&p.image, slab_bitmap(&s.t.view.pool, 0, 0), SLAB_BLOCK_WORDS * sizeof(uint32_t));
    frame_image_keep(&p.image, &s.before, sizeof s.before);
}

static void small_reset(void *unused)
{
    (void)unused;
    frame_small_reset(&s.f, &p);
    slab_batch_call(&s, SLAB_apply, true);
    s.t.exhausted = s.t.sizes.units == 0;
    s.call.resides = s.t.sizes.units > 0;
    s.call.driver = DRIVER_tile; /* the verdict may have run a lane alone */
    s.call.size = p.size;
    frame_small_stamps(&p, &s.call.args.batch);
    s.call.churn = churns;
    s.call.dirt = slab_pair_of(s.t.key[0], 77);
    slab_watch_begin(&s.watch, &s.t, !churns);
}

static const char *small_verdict(void *unused)
{
    (void)unused;
    s.call.resides = false;
    if (s.f.items.list_n[0] && s.t.sizes.units - s.before.taken >= s.f.items.n)
        return "an item is parked, though there are units for all";
    const struct frame_launch small = {DRIVER_tile, p.size, 1, frame_small_timeless(&p)};
    return slab_batch_check(&s, &small, SLAB_apply) ? NULL : wrong_text();
}

/* ---- Running it ----------------------------------------------------------------------------- */

/* Each of a few items has its tile; many are served by three. */
static int tiles_of(const struct small *small)
{
    const int n = (int)strlen(small->items);
    return n <= 4 ? n : 3;
}

/* Four items run in turn: their fault shows without an interruption.  Three interruptions of more
 * items make 10^8 schedules. */
static struct scheduled_limits limits_of(const struct small *small, int size, bool weak)
{
    enum { MANY_MOST = 2 };
    const size_t n = strlen(small->items);
    struct scheduled_limits limits = frame_limits(n, size, weak);
    if (n == 4) limits.preemptions = 0;
    if (n > 4 && limits.preemptions > MANY_MOST) limits.preemptions = MANY_MOST;
    return limits;
}

static const char *explore_small(const struct slab_stamped *stamped, const struct small *small, const struct shape shape, int size,
                                 bool weak, struct scheduled_searched *searched)
{
    const struct slab_sizes sizes = {1, small->units, 1, false, small->multi, 1};
    const struct frame_launch launch = {DRIVER_tile, size, tiles_of(small), weak};
    const struct scheduled_limits limits = limits_of(small, size, weak);
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    slab_scene_begin(&s, &slab_sound, settings_get()->seed);
    slab_scene_make(&s, shape, &sizes, KEYS, KEYS);
    s.t.view.flush_length = UINT32_MAX;
    s.t.view.sure_length = 0;
    if (!slab_table_walk(&s.t, &s.before)) abort();
    p = (struct frame_small){.items = small->items, .keys = small->keys, .fenced = small->fenced, .weak = weak, .size = size};
    churns = small->churns;
    fill_list(small);
    scene_keep();
    small_reset(NULL);
    s.stamped = stamped;
    const struct scheduled_plan plan = slab_plan(&s, &launch, SLAB_apply);
    const char *wrong = scheduled_explore(&plan, &limits, stamped->run[SLAB_apply], &s.call, &trial, searched);
    frame_image_free(&p.image);
    slab_table_free(&s.t);
    return wrong;
}

static void assert_sound(const struct small *small, const struct shape shape, int size, bool weak)
{
    struct scheduled_searched searched;
    const char *wrong = explore_small(&slab_sound, small, shape, size, weak, &searched);
    program_assert_searched(wrong, &searched, "%s of %s, %d stored, %d dead slabs, %d units, %d+%d, tile of %d, %s memory",
                            small->items, small->keys, small->stored, small->dead, small->units, shape.key_bytes, shape.value_bytes,
                            size, weak ? "weak" : "strong");
}

static void assert_sound_everywhere(const struct small *small, const struct shape shape)
{
    for (int size = 1; size <= 4; size *= 4)
        for (int weak = 0; weak < 2; weak++) assert_sound(small, shape, size, weak != 0);
}

static const char letters[] = "KA+>EF";

enum { FULL_SLAB = -1 };

/* Settings of every pair of operations: the keys, the number of pairs in the list (the items'
 * keys among them, if `there`), and units. */
static const struct setting {
    const char *name, *keys;
    int fill;
    bool there;
    int units;
} settings[] = {
    {"pairs_on_a_new_key", "aa", 1, false, 1},
    {"pairs_on_a_stored_key", "aa", 2, true, 1},
    {"pairs_on_two_keys", "ab", 1, false, 1},
    {"pairs_behind_a_full_slab", "aa", FULL_SLAB, false, 2},
    {"pairs_of_two_keys_behind_a_full_slab", "ab", FULL_SLAB, false, 1},
    {"pairs_without_units", "ab", FULL_SLAB, false, 0},
};

/* For a word, a pair, and a pair in two steps; short runs have one of the three for each. */
static void explore_pairs(void **state)
{
    const struct setting *in = (const struct setting *)*state;
    const struct shape shapes[] = {shape_k4v4(), shape_k8v8(), shape_k8v8steps()};
    char items[3] = "";
    for (int shape = 0; shape < 3; shape++)
        for (int i = 0; letters[i]; i++)
            for (int j = in->keys[0] == in->keys[1] ? i : 0; letters[j]; j++) {
                if (settings_get()->is_short && (i + j) % 3 != shape) continue;
                const int fill = in->fill < 0 ? shapes[shape].slots : in->fill;
                const struct small small = {items, in->keys, fill, in->there, in->units, false, false, false, 0};
                items[0] = letters[i], items[1] = letters[j];
                assert_sound_everywhere(&small, shapes[shape]);
            }
    program_schedules_print();
}

/* A saturating sum is seen at the top, or as it was before. */
static void sums_that_saturate(void **state)
{
    const struct shape shapes[] = {shape_k4v4(), shape_k8v8(), shape_k8v8steps()};
    static const char *const items[] = {"##", "#F", "F#", "#A", "#>", "#E", "#+", "#K"};
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (size_t i = 0; i < sizeof items / sizeof items[0]; i++) {
            const struct small small = {items[i], "aa", 2, true, 1, false, false, false, 0};
            assert_sound_everywhere(&small, shapes[shape]);
        }
    program_schedules_print();
}

/* What a unit held before it was linked is seen neither by an item that follows the link nor by
 * one that loses the race for it. */
static void pairs_behind_a_used_slab(void **state)
{
    const struct shape shapes[] = {shape_k4v4(), shape_k8v8()};
    (void)state;
    for (int shape = 0; shape < 2; shape++)
        for (int size = 1; size <= 4; size *= 4) {
            const struct small small = {"KK", "ab", shapes[shape].slots, false, 2, true, false, false, 0};
            assert_sound(&small, shapes[shape], size, true);
        }
    program_schedules_print();
}

/* An item that was invoked after another one's response sees its effect, if their timestamps say
 * so. */
static void pairs_between_fences(void **state)
{
    static const char *const items[] = {"KF", "FK", "EF", "FE"};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int size = 1; size <= 4; size *= 4) {
            const struct small small = {items[i], "aa", 2, i >= 2, 0, false, true, false, 0};
            assert_sound(&small, shape_k4v4(), size, true);
        }
    program_schedules_print();
}

/* Every triple on one new key with at least one insert, and three triples that need a slab. */
static void triples(void **state)
{
    const struct small three = {"K+A", "aab", shape_k4v4().slots, false, 2, false, false, false, 0};
    char items[4] = "";
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 5; j++)
            for (int k = j; k < 5; k++) {
                const struct small small = {items, "aaa", 0, false, 0, false, false, false, 0};
                items[0] = letters[i], items[1] = letters[j], items[2] = letters[k];
                assert_sound_everywhere(&small, shape_k4v4());
            }
    assert_sound_everywhere(&three, shape_k4v4());
    program_schedules_print();
}

/* ---- Lists with jumps ----------------------------------------------------------------------- */

/* Appends beside each other, erases and finds, in a list whose tail is behind the near slabs: it
 * has room, or is full and appends link the next one, or there is none. */
static void pairs_at_the_tail(void **state)
{
    static const char *const items[] = {"PP", "PE", "PF"};
    const struct shape shapes[] = {shape_k4v4(), shape_k8v8(), shape_k8v8steps()};
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (int fill = 0; fill < 3; fill++)
            for (int i = 0; i < 3; i++) {
                const int all = 3 * shapes[shape].slots;
                const struct small small = {items[i], "aa", fill ? all : all - 1, true, fill == 2 ? 2 : 4, false, false, true, 0};
                if (settings_get()->is_short && (fill + i) % 3 != shape) continue;
                assert_sound_everywhere(&small, shapes[shape]);
            }
    program_schedules_print();
}

/* A walk that passes two dead slabs lets others jump over them; others insert behind them. */
static void pairs_behind_dead_slabs(void **state)
{
    static const char *const uniques[] = {"EE", "EF", "EK", "KK"}, *const multis[] = {"EE", "EF", "EP", "PP"};
    const struct shape shapes[] = {shape_k8v8(), shape_k8v8steps()};
    (void)state;
    for (int shape = 0; shape < 2; shape++)
        for (int i = 0; i < 8; i++) {
            const bool multi = i >= 4;
            const struct small small = {
                (multi ? multis : uniques)[i % 4], "aa", 4 * shapes[shape].slots + 1, false, 5, false, false, multi, 2};
            if (settings_get()->is_short && i % 2 != shape) continue;
            assert_sound_everywhere(&small, shapes[shape]);
        }
    program_schedules_print();
}

/* What a unit held before it was linked is not seen by an append that goes to it by the tail, nor
 * by a find that jumps to it.  The tile that churns finds no other unit. */
static void jumps_to_a_used_slab(void **state)
{
    const struct shape shapes[] = {shape_k4v4(), shape_k4v0(), shape_k8v8(), shape_k8v8steps()};
    (void)state;
    for (int shape = 0; shape < 4; shape++)
        for (int size = 1; size <= 4; size *= 4) {
            const int slots = shapes[shape].slots;
            const struct small tail = {"PP", "ab", 3 * slots, false, 3, true, false, true, 0};
            const struct small skip = {"FPEF", "abaa", 4 * slots, false, 4, true, false, true, 2};
            assert_sound(&tail, shapes[shape], size, true);
            const uint64_t skips = slab_explored.skips;
            if (shape > 1) assert_sound(&skip, shapes[shape], size, true);
            if (shape > 1) assert_true(slab_explored.skips > skips);
        }
    program_schedules_print();
}

/* A tile that links the first slab behind the near ones is interrupted.  It writes the tail when
 * others have filled that slab and linked the next: appends go beyond a tail that is old. */
static void jumps_to_an_old_tail(void **state)
{
    const struct shape shapes[] = {shape_k8v8(), shape_k8v8steps()};
    (void)state;
    for (int shape = 0; shape < 2; shape++)
        for (int size = 1; size <= 4; size *= 4) {
            const struct small small = {
                "PPPPPPPPPPPPPP", "aaaaaaaaaaaaaa", 2 * shapes[shape].slots, true, 6, false, false, true, 0};
            if (settings_get()->is_short && shape != (size == 1)) continue;
            assert_sound(&small, shapes[shape], size, false);
        }
    program_schedules_print();
}

/* A pair of operations shows each planted fault. */
static void plants_are_found(void **state)
{
    static const struct small erases = {"EE", "aa", 2, true, 0, false, false, false, 0};
    struct scheduled_searched searched;
    (void)state;
    const char *wrong = explore_small(&slab_delete_stores, &erases, shape_k4v4(), 1, false, &searched);
    printf("%s: %s\n", slab_delete_stores.name, wrong ? wrong : "not found");
    assert_non_null(wrong);
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    for (int i = 0; i < PROGRAM_COUNT(settings); i++) program_case(&cases, settings[i].name, explore_pairs, &settings[i]);
    PROGRAM_CASE(&cases, sums_that_saturate);
    PROGRAM_CASE(&cases, pairs_behind_a_used_slab);
    PROGRAM_CASE(&cases, pairs_between_fences);
    PROGRAM_CASE(&cases, triples);
    PROGRAM_CASE(&cases, pairs_at_the_tail);
    PROGRAM_CASE(&cases, pairs_behind_dead_slabs);
    PROGRAM_CASE(&cases, jumps_to_a_used_slab);
    PROGRAM_CASE(&cases, jumps_to_an_old_tail);
    PROGRAM_CASE(&cases, plants_are_found);
    return program_run_sampled(argc, argv, "scheduled slab exhaustive", &cases);
}
