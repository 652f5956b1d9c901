/* FKS's inserts in place and erases through all schedules of few preemptions, with strong and with
 * weak memory: writes of one key and of several, into first and second lines; pairs that shift
 * moves; erases of one key and of neighbours.  A failure names the schedule. */
#include "support/scheduled_fks_scene.h"
#include "support/scheduled_program.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>

/* Keys by letters, `a` is the vacant key: see small_make_crowd. */
struct small {
    const char *items, *keys;
    struct small_crowd crowd;
};

static struct fks_scene s;
static struct frame_small p;

/* ---- Making a scene ------------------------------------------------------------------------- */

static void scene_keep(void)
{
    frame_image_keep(&p.image, s.t.lines[0], 3 * shape_bucket_bytes(s.t.shape));
    frame_image_keep(&p.image, s.t.directory, sizeof s.t.directory);
    frame_image_keep(&p.image, s.t.special, sizeof s.t.special);
    frame_image_keep(&p.image, s.t.locks, sizeof s.t.locks);
    frame_image_keep(&p.image, &s.before, sizeof s.before);
}

static void small_reset(void *unused)
{
    (void)unused;
    frame_small_reset(&s.f, &p);
    struct batch *const b = fks_call_begin(&s, s.operation);
    b->park_status = ROOST_ITEM_FULL;
    if (s.operation != FKS_erase) frame_batch_parks(&s.f, b, 0);
}

static const char *small_verdict(void *unused)
{
    (void)unused;
    const bool ok = (s.operation == FKS_erase || fks_list_take(&s, 0)) && fks_kernel_check(&s);
    return ok ? NULL : wrong_text();
}

/* ---- Running it ----------------------------------------------------------------------------- */

/* A shift has many points at which it may be interrupted: in usual runs one tile is, once.
 * Lines of one slot have the same code as others. */
static struct scheduled_limits limits_of(const struct small *small, enum fks_operation operation, int shape, int size, bool weak)
{
    struct scheduled_limits limits = frame_limits(strlen(small->items), size, weak);
    if (operation == FKS_shift || fks_shapes[shape].slots == 1) limits.preemptions = (int)settings_effort(2, 1, 1);
    return limits;
}

static const char *explore_small(const struct fks_stamped *stamped, const struct small *small, enum fks_operation operation,
                                 int shape, int size, bool weak, struct scheduled_searched *searched)
{
    const struct frame_scenario scenario = {
        .kernels = stamped, .shape = shape, .size = size, .weak = weak, .seed = settings_get()->seed};
    const struct frame_launch launch = {DRIVER_tile, size, (int)strlen(small->items), weak};
    const struct scheduled_limits limits = limits_of(small, operation, shape, size, weak);
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    fks_scene_begin(&s, &scenario);
    small_make_crowd(&s.t, &s.f.dice, fks_shapes[shape], &small->crowd);
    if (!fks_scene_walk(&s)) abort();
    s.operation = operation;
    p = (struct frame_small){.items = small->items, .keys = small->keys, .weak = weak, .size = size};
    scene_keep();
    small_reset(NULL);
    const struct scheduled_plan plan = frame_plan(&s.f, &launch);
    const char *wrong = scheduled_explore(&plan, &limits, stamped->run[operation], &s.call, &trial, searched);
    frame_image_free(&p.image);
    return wrong;
}

static const char *const operation_names[] = {"find", "erase", "write", "shift"};

static void assert_sound(const struct small *small, enum fks_operation operation, int shape, int size, bool weak)
{
    struct scheduled_searched searched;
    const char *wrong = explore_small(&fks_sound, small, operation, shape, size, weak, &searched);
    program_assert_searched(wrong, &searched, "%s %s of %s, %d, %d and %d vacancies, %s, tile of %d, %s memory",
                            operation_names[operation], small->items, small->keys, small->crowd.vacancies[0],
                            small->crowd.vacancies[1], small->crowd.vacancies[2], fks_shape_names[shape], size,
                            weak ? "weak" : "strong");
}

/* For pairs of one word, for values that lie apart, and for lines of one slot.  Short runs have one
 * of the first two for each scene. */
static void assert_sound_everywhere(const struct small *small, enum fks_operation operation, int number)
{
    static const int shapes[] = {SHAPE_k4v4, SHAPE_k8v8, SHAPE_k4v4s1};
    for (int i = 0; i < 3; i++) {
        const int slots = fks_shapes[shapes[i]].slots;
        bool fits = !settings_get()->is_short || number % 2 == i;
        for (int line = 0; line < 3; line++) fits &= small->crowd.vacancies[line] <= slots - (slots > 1 ? line == 0 : line == 1);
        for (int size = 1; fits && size <= 4; size *= 4)
            for (int weak = 0; weak < 2; weak++) assert_sound(small, operation, shapes[i], size, weak != 0);
    }
}

static void explore_all(const struct small *small, size_t n, enum fks_operation operation)
{
    for (size_t i = 0; i < n; i++) assert_sound_everywhere(&small[i], operation, (int)i);
    program_schedules_print();
}

/* ---- Scenes --------------------------------------------------------------------------------- */

static void writes(void **state)
{
    static const struct small all[] = {
        {"AA", "bb", {{2, 2, 2}, false}},   /* a new key */
        {"++", "bb", {{5, 2, 2}, false}},   /* ... in a slot that another lane reads */
        {">>", "bb", {{1, 1, 1}, false}},   /* ... in its line's last slot */
        {"KK", "bb", {{0, 1, 1}, false}},   /* ... that goes to its second line */
        {"AA", "bc", {{2, 2, 0}, false}},   /* two new keys of one line */
        {"AA", "bc", {{1, 1, 0}, false}},   /* the second one goes to its second line */
        {"AA", "bc", {{0, 1, 0}, false}},   /* one finds no room */
        {"AA", "bd", {{1, 0, 0}, false}},   /* to one, the other's line is its second */
        {"AA", "bd", {{0, 1, 0}, false}},   /* the same */
        {"++", "ff", {{2, 0, 0}, false}},   /* updates */
        {"++", "ee", {{1, 1, 0}, false}},   /* updates behind a mark */
        {"AA", "be", {{1, 1, 0}, false}},   /* an update behind a mark, and a new key */
        {"AA", "aa", {{1, 1, 1}, false}},   /* the vacant key */
        {"++", "aa", {{1, 1, 1}, true}},    /* its updates */
        {"+++", "bbb", {{1, 1, 0}, false}}, /* triples */
        {"AAA", "bbc", {{1, 1, 0}, false}},
    };
    (void)state;
    explore_all(all, PROGRAM_COUNT(all), FKS_write);
}

/* Pairs move to line 2, which has a vacancy, or there is none. */
static void shifts(void **state)
{
    static const struct small all[] = {
        {"AA", "bb", {{0, 0, 2}, false}}, /* a new key in the slot of a pair that moves */
        {"AA", "bc", {{0, 0, 2}, false}}, /* two of them */
        {"AA", "bc", {{0, 0, 1}, false}}, /* one finds no room */
        {"AA", "bd", {{0, 0, 2}, false}}, /* their lines are the same two */
        {"++", "bf", {{0, 0, 2}, false}}, /* an update beside a move */
        {"++", "be", {{0, 0, 2}, false}}, /* of a pair behind a mark */
        {"++", "bb", {{1, 0, 0}, false}}, /* a vacancy */
        {"AA", "bc", {{0, 1, 0}, false}}, /* in the second line */
        {"AA", "bc", {{0, 0, 0}, false}}, /* none */
        {"++", "aa", {{1, 1, 1}, false}}, /* the vacant key */
        {"++", "ab", {{0, 0, 1}, true}},  /* its update, and a move */
    };
    (void)state;
    explore_all(all, PROGRAM_COUNT(all), FKS_shift);
}

static void erases(void **state)
{
    static const struct small all[] = {
        {"EE", "ff", {{2, 2, 2}, false}}, /* one key */
        {"EE", "ee", {{0, 0, 2}, false}}, /* behind a mark */
        {"EE", "ef", {{0, 0, 2}, false}}, /* two of one bucket */
        {"EE", "fb", {{0, 0, 2}, false}}, /* one of them absent */
        {"EE", "aa", {{1, 1, 1}, true}},  /* the vacant key */
        {"EE", "af", {{1, 1, 1}, true}},  {"EEE", "eff", {{0, 0, 0}, false}},
    };
    (void)state;
    explore_all(all, PROGRAM_COUNT(all), FKS_erase);
}

/* Two writes of one key show each planted fault. */
static void plants_are_found(void **state)
{
    static const struct fks_stamped *const planted[] = {&fks_no_mark, &fks_store_claims, &fks_no_locks, &fks_updates_early};
    static const struct small small[] = {
        {"AA", "bb", {{0, 1, 1}, false}}, {"AA", "bc", {{2, 2, 0}, false}}, {"AA", "bb", {{2, 2, 2}, false}}};
    (void)state;
    for (int i = 0; i < PROGRAM_COUNT(planted); i++) {
        const char *wrong = NULL;
        struct scheduled_searched searched;
        for (int j = 0; j < 12 && !wrong; j++)
            wrong = explore_small(planted[i], &small[j % 3], FKS_write, j / 3 % 2 ? SHAPE_k8v8 : SHAPE_k4v4, 1, j > 5, &searched);
        printf("%s: %s\n", planted[i]->name, wrong ? wrong : "not found");
        assert_non_null(wrong);
    }
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    PROGRAM_CASE(&cases, writes);
    PROGRAM_CASE(&cases, shifts);
    PROGRAM_CASE(&cases, erases);
    PROGRAM_CASE(&cases, plants_are_found);
    return program_run_sampled(argc, argv, "scheduled fks exhaustive", &cases);
}
