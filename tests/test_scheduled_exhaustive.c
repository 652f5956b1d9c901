/* DyCuckoo's item operations through all schedules of few preemptions, with strong and with weak
 * memory: two or three items on the same buckets.  A failure names the schedule, and each line
 * the number of schedules that ran. */
#include "support/scheduled_program.h"
#include "support/scheduled_small.h"
#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- Scenes --------------------------------------------------------------------------------- */

enum { ALL = 1000 /* keys, or as many as fit */ };

static const struct small_scene scenes[] = {
    {"two fills of one key", DYCUCKOO_fill, ROOST_ADD, 2, 0, "aa"},
    {"two fills of one, further on", DYCUCKOO_fill, ROOST_MAX, 2, 6, "aa"},
    {"two fills of two keys", DYCUCKOO_fill, ROOST_MAX, 2, 1, "ab"},
    {"two fills, little room", DYCUCKOO_fill, ROOST_MIN, 2, 7, "ab"},
    {"a fill beside an update", DYCUCKOO_fill, ROOST_MAX, 2, 3, "as"},
    {"two updates", DYCUCKOO_fill, ROOST_MAX, 2, 3, "ss"},
    {"three fills of one key", DYCUCKOO_fill, ROOST_MAX, 2, 0, "aaa"},
    {"two erases of one key", DYCUCKOO_erase, ROOST_ASSIGN, 2, 4, "ss"},
    {"two erases of two keys", DYCUCKOO_erase, ROOST_ASSIGN, 2, 4, "st"},
    {"three erases", DYCUCKOO_erase, ROOST_ASSIGN, 2, 4, "sst"},
    {"two evictions for one key", DYCUCKOO_evict, ROOST_ADD, 3, ALL, "aa"},
    {"two evictions for two keys", DYCUCKOO_evict, ROOST_ADD, 3, ALL, "ab"},
    {"two paths for one key", DYCUCKOO_path, ROOST_MAX, 3, ALL, "aa"},
    {"two paths for two keys", DYCUCKOO_path, ROOST_ADD, 3, ALL, "ab"},
};
enum { SCENES = PROGRAM_COUNT(scenes) };

/* A pair in one word, a pair in two, and a key alone; four slots where there is a choice. */
static const enum dycuckoo_shape shapes[] = {SHAPE_k4v4s4, SHAPE_k4v4apart, SHAPE_k8v0};
enum { SHAPES_HERE = PROGRAM_COUNT(shapes) };

/* ---- Running them --------------------------------------------------------------------------- */

/* Tiles of one lane are interrupted three times, larger ones twice.  It is once less for three
 * items under locks, and for weak memory, where one or two accesses take an old message.  Only
 * long runs have all of it.  Others have fewer where schedules are many: pairs under locks,
 * three items, evictions, and most of all paths.  Short runs have one interruption. */
static struct scheduled_limits limits_of(const struct small_scene *small, const struct small_run *run)
{
    const bool locked = !scheduled_shape(run->shape).word, three = strlen(small->items) > 2;
    const int more = three + (small->operation > DYCUCKOO_fill) + (small->operation > DYCUCKOO_evict);
    const int most = run->size == 1 ? 3 : 2, whole = most - (run->weak || (locked && three));
    const int usual = most - (more > 0 ? more : run->weak) - locked;
    const struct scheduled_limits limits = {(int)settings_effort((size_t)whole, usual > 1 ? (size_t)usual : 1, 1),
                                            !run->weak ? 0
                                            : more     ? 1
                                                       : 2,
                                            settings_effort(UINT64_MAX, 1000000, 1000000)};
    return limits;
}

static const char *scene_explore(const struct small_scene *small, struct small_run *run, struct scheduled_searched *searched)
{
    run->limits = limits_of(small, run);
    return small_scene_explore(small, run, searched);
}

static void assert_sound(const struct small_scene *small, enum dycuckoo_shape shape, int size, bool weak)
{
    struct small_run run = {.kernels = &dycuckoo_sound, .shape = shape, .size = size, .weak = weak, .seed = settings_get()->seed};
    struct scheduled_searched searched;
    const char *wrong = scene_explore(small, &run, &searched);
    printf("%-28s %-10s tile of %d, %-6s %8" PRIu64 " schedules\n", small->name, scheduled_shape_name(shape), size,
           weak ? "weak" : "strong", searched.schedules);
    program_assert_searched(wrong, &searched, "%s", small->name);
}

static void explore_scene(void **state)
{
    const struct small_scene *small = (const struct small_scene *)*state;
    for (int i = 0; i < SHAPES_HERE; i++)
        for (int size = 1; size <= 4; size *= 4)
            for (int weak = 0; weak < 2; weak++) assert_sound(small, shapes[i], size, weak);
}

static void evictions_happened(void **state)
{
    (void)state;
    printf("%" PRIu64 " schedules, %" PRIu64 " pairs evicted\n", program_schedules(), explored.evicted);
    assert_true(explored.evicted > 0);
}

/* ---- Plants --------------------------------------------------------------------------------- */

/* Searches the scenes for one that shows the fault. */
static const char *plant_report(const struct scheduled_kernels *kernels, bool weak, const char **scene)
{
    struct scheduled_searched searched;
    const char *wrong = NULL;
    for (int i = 0; !wrong && i < SCENES * SHAPES_HERE * 2; i++) {
        struct small_run run = {.kernels = kernels, .shape = shapes[i / 2 % SHAPES_HERE], .size = i % 2 ? 4 : 1, .weak = weak};
        run.seed = settings_get()->seed;
        *scene = scenes[i / (SHAPES_HERE * 2)].name;
        wrong = scene_explore(&scenes[i / (SHAPES_HERE * 2)], &run, &searched);
    }
    return wrong;
}

static void plants_are_found(void **state)
{
    static const struct {
        const struct scheduled_kernels *kernels;
        bool weak;
    } plants[] = {{&dycuckoo_clear_first, false},      {&dycuckoo_skip_unlock, false},  {&dycuckoo_no_acquire, true},
                  {&dycuckoo_no_release, true},        {&dycuckoo_take_acquires, true}, {&dycuckoo_sync_votes, true},
                  {&dycuckoo_first_lane_updates, true}};
    const char *scene;
    (void)state;
    for (int i = 0; i < PROGRAM_COUNT(plants); i++) {
        const char *wrong = plant_report(plants[i].kernels, plants[i].weak, &scene);
        printf("%s: %s: %s\n", plants[i].kernels->name, wrong ? scene : "not found", wrong ? wrong : "");
        assert_non_null(wrong);
    }
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    for (int i = 0; i < SCENES; i++) program_case(&cases, scenes[i].name, explore_scene, &scenes[i]);
    PROGRAM_CASE(&cases, evictions_happened);
    PROGRAM_CASE(&cases, plants_are_found);
    return program_run(argc, argv, "scheduled exhaustive", &cases);
}
