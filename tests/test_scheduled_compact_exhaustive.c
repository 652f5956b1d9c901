/* compact's item operations through all schedules of few preemptions, with strong and with weak
 * memory.  Every pair of an insert, an update, an erase and a find, and chosen triples, on one key
 * and on two keys of one first home: where it has room, is full, or has dead slots; keys in their
 * second home; keys whose tags have one low part.  Then kernels of inserts and of erases alone, and
 * lanes that evict.  A failure names the schedule. */
#include "support/scheduled_compact_scene.h"
#include "support/scheduled_program.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>

enum { FULL = -1, SLOTS = 3 };

/* Keys by letters: `a` and `b` have one first home. */
struct small {
    const char *items, *keys;
    const char *at; /* where `a` and `b` are stored: home 1 or 2, 3 for the stash, or - nowhere */
    int fill;       /* other keys in the first home, before: FULL for all other slots */
    int vacate;     /* of these, those that are erased by a kernel of erases, */
    int die;        /* and by one that mixes operations */
    int turns;      /* of the epoch after that */
    bool blocked;   /* the second homes have no slot for them, and inserts may use the stash */
    bool twins;     /* the tags of `a` and `b` have one low part */
    bool fenced;
    int stale; /* accesses that do not take the newest message; 0: as usual */
    enum compact_operation kernel;
};

static struct compact_scene s;
static struct frame_small p;
static enum compact_operation kernel;
static int evict_preemptions;
static bool stashes;

/* ---- Making a scene -------------------------------------------------------------------------- */

/* Runs one operation by one lane on n keys, from the `first` on. */
static void prepare(enum compact_operation by, uint8_t operation, int first, int n)
{
    if (n <= 0) return;
    if (by == COMPACT_apply && !compact_scene_turn(&s)) abort();
    s.f.items.n = n;
    for (int i = 0; i < n; i++) frame_item_set(&s.f, i, first + i, operation, 100 + (uint64_t)i);
    compact_batch_call(&s, by);
    if (!compact_launch_kernel(&s, &frame_alone, by) || !compact_batch_check(&s, &frame_alone, by)) abort();
}

static void keys_put(const struct small *small, char home)
{
    for (int key = 0; small->at[key]; key++)
        if (small->at[key] == home) prepare(COMPACT_insert, ROOST_OP_ASSIGN, key, 1);
}

/* Slots that a kernel of this epoch has erased. */
static void second_home_block(int key)
{
    const uint32_t bucket = s.t.known[key].home[1].bucket;
    for (int slot = 0; slot < s.t.shape.slots; slot++) {
        const struct compact_slot at = compact_slot_at(s.t.shape, &s.t.view, bucket, slot);
        const struct compact_field low = compact_low_field(s.t.shape, at.i);
        uint32_t *const word = at.half + low.word;
        if (compact_get(low, *word) < COMPACT_TAKEN) *word = compact_with(low, *word, COMPACT_DEAD_0 + s.t.marks.epoch);
    }
}

static void stash_fill(const struct small *small)
{
    for (int key = 0; small->at[key]; key++)
        if (small->at[key] == '3') compact_stash_put(&s.t, key, 90 + (uint64_t)key);
    for (int key = 0; small->blocked && small->at[key]; key++) second_home_block(key);
    if (!compact_table_walk(&s.t, &s.before)) abort();
}

static void table_fill(const struct small *small)
{
    const int slots = s.t.shape.slots;
    keys_put(small, '1');
    const int fill = small->fill == FULL ? slots - s.before.stored : small->fill;
    prepare(COMPACT_insert, ROOST_OP_ASSIGN, 2, fill);
    keys_put(small, '2');
    prepare(COMPACT_erase, ROOST_OP_ERASE, 2, small->vacate);
    prepare(COMPACT_apply, ROOST_OP_ERASE, 2 + small->vacate, small->die);
    for (int i = 0; i < small->turns; i++)
        if (!compact_scene_turn(&s)) abort();
    stash_fill(small);
    for (int key = 0; small->at[key]; key++)
        if (s.before.n[key] != (small->at[key] != '-') || (s.before.n[key] && s.before.at[key] != small->at[key] - '1')) abort();
}

static void scene_keep(void)
{
    frame_image_keep(&p.image, &s.t.marks, sizeof s.t.marks);
    frame_image_keep(&p.image, s.t.stash, sizeof s.t.stash);
    for (int i = 0; i < s.t.homes; i++) frame_image_keep(&p.image, compact_bucket_words(&s.t, s.t.home[i]), COMPACT_BYTES);
    frame_image_keep(&p.image, &s.before, sizeof s.before);
}

static void call_make(void)
{
    if (kernel == COMPACT_tidy) compact_tidy_call(&s);
    else compact_batch_call(&s, kernel);
    s.call.args.view.stashes = stashes;
}

static void small_reset(void *unused)
{
    (void)unused;
    frame_small_reset(&s.f, &p);
    call_make();
    s.call.size = p.size;
    frame_small_stamps(&p, &s.call.args.batch);
    if (kernel != COMPACT_find) compact_watch_begin(&s.watch, &s.t, s.watch.kind);
}

static const char *small_verdict(void *unused)
{
    (void)unused;
    const struct frame_launch small = {DRIVER_tile, p.size, 1, frame_small_timeless(&p)};
    const bool ok = kernel == COMPACT_tidy ? compact_tidy_check(&s, &small) : compact_batch_check(&s, &small, kernel);
    return ok ? NULL : wrong_text();
}

/* ---- Running it ------------------------------------------------------------------------------ */

/* A table of few slots, so that an item reads few words. */
static void small_table_make(const struct small *small, enum compact_shape shape, uint64_t seed)
{
    struct compact_sizes sizes;
    bool made = false;
    for (; !made; seed++) {
        compact_scene_begin(&s, &compact_sound, seed);
        compact_sizes_draw(&sizes, shape, &s.f.dice);
        sizes.slots = sizes.slots < SLOTS || sizes.slots % 2 ? sizes.slots : SLOTS - 1;
        if (sizes.crowded) sizes.crowded = 2;
        compact_scene_make(&s, &sizes, COMPACT_MOST_KEYS - 8);
        made = compact_universe_narrow(&s.t, 2 + sizes.slots, small->twins);
        frame_universe(&s.f, s.t.shape, s.t.key, s.t.keys);
        if (!made) compact_table_free(&s.t);
    }
}

/* Lanes that evict read many words, and wait for each other. */
static struct scheduled_limits limits_of(const struct small *small, int size, bool weak)
{
    struct scheduled_limits limits = frame_limits(strlen(small->items), size, weak);
    if (small->stale) limits.stale = small->stale;
    if (kernel == COMPACT_evict) limits.preemptions = evict_preemptions;
    return limits;
}

static const char *explore_made(const struct compact_stamped *stamped, const struct small *small, int size, bool weak,
                                struct scheduled_searched *searched)
{
    const int tiles = small->items[0] ? (int)strlen(small->items) : 2;
    kernel = small->kernel;
    stashes = small->blocked;
    const struct frame_launch launch = {DRIVER_tile, size, tiles, weak};
    const struct scheduled_limits limits = limits_of(small, size, weak);
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    p = (struct frame_small){.items = small->items, .keys = small->keys, .fenced = small->fenced, .weak = weak, .size = size};
    scene_keep();
    s.stamped = stamped;
    call_make();
    const struct scheduled_plan plan = compact_plan(&s, &launch, kernel);
    const char *wrong = scheduled_explore(&plan, &limits, stamped->run[kernel], &s.call, &trial, searched);
    frame_image_restore(&p.image);
    frame_image_free(&p.image);
    return wrong;
}

static const char *explore_small(const struct compact_stamped *stamped, const struct small *small, enum compact_shape shape,
                                 int size, bool weak, bool unwatched, struct scheduled_searched *searched)
{
    small_table_make(small, shape, settings_get()->seed);
    if (!compact_table_walk(&s.t, &s.before)) abort();
    table_fill(small);
    s.unwatched = unwatched;
    const char *wrong = explore_made(stamped, small, size, weak, searched);
    compact_table_free(&s.t);
    return wrong;
}

static void assert_sound(const struct small *small, enum compact_shape shape, int size, bool weak)
{
    struct scheduled_searched searched;
    const char *wrong = explore_small(&compact_sound, small, shape, size, weak, false, &searched);
    program_assert_searched(wrong, &searched,
                            "%s of %s, stored at %s, %d others, %d vacated, %d dead, %d turns, %s, tile of %d, %s memory",
                            small->items, small->keys, small->at, small->fill, small->vacate, small->die, small->turns,
                            compact_shape_names[shape], size, weak ? "weak" : "strong");
}

static void assert_sound_everywhere(const struct small *small, enum compact_shape shape)
{
    for (int size = 1; size <= 2; size++)
        for (int weak = 0; weak < 2; weak++) assert_sound(small, shape, size, weak != 0);
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static const char letters[] = "KA+>EF";

/* Two tags to a word, one, two high parts to a word, one high part and 3 slots, and sets. */
static const enum compact_shape shapes[] = {SHAPE_k4v4, SHAPE_k4v8wide, SHAPE_k8v8, SHAPE_k8v8wide, SHAPE_k4v0};

/* Settings of every pair of operations. */
static const struct setting {
    const char *name;
    struct small small;
} settings[] = {
    {"pairs_on_a_new_key", {.keys = "aa", .at = "--", .fill = 1}},
    {"pairs_on_a_stored_key", {.keys = "aa", .at = "1-"}},
    {"pairs_on_two_keys", {.keys = "ab", .at = "--"}},
    {"pairs_of_two_keys_with_one_vacancy", {.keys = "ab", .at = "-1", .fill = FULL, .vacate = 1}},
    {"pairs_beside_a_full_home", {.keys = "aa", .at = "--", .fill = FULL}},
    {"pairs_on_two_keys_beside_a_full_home", {.keys = "ab", .at = "--", .fill = FULL}},
    {"pairs_in_the_second_home", {.keys = "aa", .at = "2-", .fill = FULL}},
    {"pairs_in_the_second_home_beside_a_vacancy", {.keys = "aa", .at = "2-", .fill = FULL, .vacate = 1}},
    {"pairs_on_dead_slots", {.keys = "aa", .at = "--", .fill = FULL, .die = 1}},
    {"pairs_in_the_stash", {.keys = "aa", .at = "3-", .fill = FULL}},
    {"pairs_in_the_stash_beside_a_vacancy", {.keys = "aa", .at = "3-", .fill = FULL, .vacate = 1}},
    {"pairs_that_find_no_room_but_the_stash", {.keys = "aa", .at = "--", .fill = FULL, .blocked = true}},
    {"pairs_on_two_keys_in_the_stash", {.keys = "ab", .at = "-3", .fill = FULL, .blocked = true}},
    {"pairs_on_dead_slots_of_this_epoch", {.keys = "ab", .at = "--", .fill = FULL, .die = 2, .turns = 1}},
};

/* Long runs have all combinations, others some. */
static bool is_chosen(int number) { return number % (int)settings_effort(1, 4, PROGRAM_COUNT(shapes)) == 0; }

static void explore_pairs(void **state)
{
    const struct setting *in = (const struct setting *)*state;
    char items[3] = "";
    for (int shape = 0; shape < PROGRAM_COUNT(shapes); shape++)
        for (int i = 0; letters[i]; i++)
            for (int j = in->small.keys[0] == in->small.keys[1] ? i : 0; letters[j]; j++) {
                struct small small = in->small;
                if (!is_chosen(i + j + shape)) continue;
                items[0] = letters[i], items[1] = letters[j];
                small.items = items;
                small.kernel = COMPACT_apply;
                small.turns++;
                assert_sound_everywhere(&small, shapes[shape]);
            }
    program_schedules_print();
}

/* A key whose tag has the low part of another one's, which is stored in its second home: while the
 * first one is inserted or erased, its slot shows this low part alone. */
static void pairs_of_one_low_part(void **state)
{
    static const enum compact_shape wide[] = {SHAPE_k8v8, SHAPE_k8v8wide};
    static const struct small places[] = {{.keys = "ab", .at = "-2", .fill = FULL, .vacate = 1},
                                          {.keys = "ab", .at = "12", .fill = FULL},
                                          {.keys = "ab", .at = "--"},
                                          {.keys = "ab", .at = "1-"}};
    char items[3] = "";
    (void)state;
    for (int shape = 0; shape < 2; shape++)
        for (int place = 0; place < 4; place++)
            for (int i = 0; letters[i]; i++)
                for (int j = 0; letters[j]; j++) {
                    struct small small = places[place];
                    items[0] = letters[i], items[1] = letters[j];
                    small.items = items;
                    small.kernel = COMPACT_apply;
                    small.twins = true;
                    small.turns = 1;
                    if (!is_chosen(i + j + 2 * shape)) continue;
                    assert_sound_everywhere(&small, wide[shape]);
                }
    program_schedules_print();
}

/* Kernels of inserts of one mode alone, and of erases. */
static void pairs_alone(void **state)
{
    static const char *const items[] = {"KK", "AA", "++", ">>", "##", "EE"};
    static const struct small places[] = {{.keys = "aa", .at = "--"},
                                          {.keys = "ab", .at = "--", .fill = FULL, .die = 1},
                                          {.keys = "aa", .at = "2-", .fill = FULL, .vacate = 1},
                                          {.keys = "aa", .at = "1-"},
                                          {.keys = "ab", .at = "12", .fill = FULL, .twins = true}};
    (void)state;
    for (int shape = 0; shape < PROGRAM_COUNT(shapes); shape++)
        for (int place = 0; place < PROGRAM_COUNT(places); place++)
            for (int i = 0; i < PROGRAM_COUNT(items); i++) {
                struct small small = places[place];
                if (small.twins && shapes[shape] != SHAPE_k8v8 && shapes[shape] != SHAPE_k8v8wide) continue;
                if (settings_get()->is_short && (i + place) % PROGRAM_COUNT(shapes) != shape) continue;
                small.items = items[i];
                small.kernel = items[i][0] == 'E' ? COMPACT_erase : COMPACT_insert;
                assert_sound_everywhere(&small, shapes[shape]);
            }
    program_schedules_print();
}

/* A saturating sum is seen at the top, or as it was before. */
static void sums_that_saturate(void **state)
{
    static const char *const items[] = {"##", "#F", "F#", "#A", "#>", "#E", "#+", "#K"};
    (void)state;
    for (int shape = 0; shape < 4; shape++)
        for (int i = 0; i < PROGRAM_COUNT(items); i++) {
            const struct small small = {.items = items[i], .keys = "aa", .at = "1-", .turns = 1, .kernel = COMPACT_apply};
            if (settings_get()->is_short && i % 4 != shape) continue;
            assert_sound_everywhere(&small, shapes[shape]);
        }
    program_schedules_print();
}

/* An item that was invoked after another one's response sees its effect, if their timestamps say
 * so: also that of a third one, which the other one has seen. */
static void items_between_fences(void **state)
{
    static const char *const items[] = {"KF", "FK", "EF", "FE", "AF", "KK", "KKF", "K+F"};
    static const struct small places[] = {{.keys = "aaa", .at = "--"},
                                          {.keys = "aaa", .at = "--", .fill = FULL},
                                          {.keys = "aaa", .at = "1-"},
                                          {.keys = "aaa", .at = "2-", .fill = FULL}};
    (void)state;
    for (int shape = 0; shape < PROGRAM_COUNT(shapes); shape++)
        for (int place = 0; place < PROGRAM_COUNT(places); place++)
            for (int i = 0; i < PROGRAM_COUNT(items); i++) {
                struct small small = places[place];
                if (settings_get()->is_short && (i + place) % PROGRAM_COUNT(shapes) != shape) continue;
                small.items = items[i];
                small.fenced = true;
                small.turns = 1;
                small.kernel = COMPACT_apply;
                for (int size = 1; size <= 2; size++) assert_sound(&small, shapes[shape], size, true);
            }
    program_schedules_print();
}

/* A key that one item stores in its second home, another one meets there, and a third one finds:
 * the third one sees the bit of the filter, even if the second one did not. */
static void bits_behind_keys(void **state)
{
    static const char *const items[] = {"KKF", "KFF", "K+F"};
    (void)state;
    for (int shape = 0; shape < PROGRAM_COUNT(shapes); shape++)
        for (int i = 0; i < PROGRAM_COUNT(items); i++) {
            const struct small small = {.items = items[i],
                                        .keys = "aaa",
                                        .at = "--",
                                        .fill = FULL,
                                        .turns = 1,
                                        .fenced = true,
                                        .stale = 2,
                                        .kernel = COMPACT_apply};
            if (settings_get()->is_short && i != (shape + 2) % 3) continue;
            assert_sound(&small, shapes[shape], 1, true);
        }
    program_schedules_print();
}

/* Every triple on one new key with at least one insert, with room in its first home and without. */
static void triples(void **state)
{
    char items[4] = "";
    (void)state;
    for (int full = 0; full < 2; full++)
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 6; j++)
                for (int k = j; k < 6; k++) {
                    const struct small small = {
                        .items = items, .keys = "aaa", .at = "--", .fill = full ? FULL : 0, .turns = 1, .kernel = COMPACT_apply};
                    items[0] = letters[i], items[1] = letters[j], items[2] = letters[k];
                    for (int weak = 0; weak < 2; weak++) assert_sound(&small, full ? SHAPE_k4v4 : SHAPE_k8v8wide, 1, weak != 0);
                }
    program_schedules_print();
}

/* Two or three items show each planted fault by their results. */
static void plants_are_found(void **state)
{
    static const struct {
        const struct compact_stamped *kernels;
        enum compact_shape shape;
        bool weak;
        struct small small;
    } planted[] = {
        {&compact_stash_sure, SHAPE_k4v4, false, {"KK", "aa", .at = "--", .fill = FULL, .blocked = true}},
        {&compact_stash_unmarked, SHAPE_k4v4, false, {"KF", "aa", .at = "3-", .fill = FULL, .vacate = 1}},
        {&compact_bit_unreleased, SHAPE_k4v0, true, {"KKF", "aaa", .at = "--", .fill = FULL, .fenced = true, .stale = 2}},
        {&compact_bit_after_claim, SHAPE_k4v4, false, {"KKF", "aaa", .at = "--", .fill = FULL}},
        {&compact_meets_incomplete, SHAPE_k8v8, false, {"KF", "ab", .at = "-2", .fill = FULL, .vacate = 1, .twins = true}},
        {&compact_meets_incomplete, SHAPE_k8v8wide, false, {"EE", "ab", .at = "12", .fill = FULL, .twins = true}},
        {&compact_no_second_look, SHAPE_k4v4, false, {"KF", "aa", .at = "2-", .fill = FULL, .vacate = 1}},
        {&compact_no_reload, SHAPE_k4v4, false, {"KF", "aa", .at = "--"}},
        {&compact_no_release, SHAPE_k4v4, true, {"KF", "aa", .at = "--"}},
        {&compact_erase_stores, SHAPE_k4v4, false, {"EE", "aa", .at = "1-"}},
    };
    struct scheduled_searched searched;
    (void)state;
    for (int i = 0; i < PROGRAM_COUNT(planted); i++) {
        struct small small = planted[i].small;
        small.turns = 1;
        small.kernel = COMPACT_apply;
        const char *wrong = explore_small(planted[i].kernels, &small, planted[i].shape, 1, planted[i].weak, true, &searched);
        printf("%s: %s\n", planted[i].kernels->name, wrong ? wrong : "not found");
        assert_non_null(wrong);
    }
}

/* ---- Evictions ------------------------------------------------------------------------------- */

/* Fills a table until evictions place no key more but the first three, and erases some keys. */
static void full_table_make(enum compact_shape shape, int erased, uint64_t seed)
{
    struct compact_sizes sizes;
    compact_scene_begin(&s, &compact_sound, seed);
    compact_sizes_draw(&sizes, shape, &s.f.dice);
    sizes.slots = SLOTS - 1;
    if (sizes.crowded) sizes.crowded = 4;
    compact_scene_make(&s, &sizes, sizes.crowded ? 12 : 0);
    if (!compact_table_walk(&s.t, &s.before)) abort();
    prepare(COMPACT_insert, ROOST_OP_ASSIGN, 3, s.t.keys - 3);
    prepare(COMPACT_erase, ROOST_OP_ERASE, 3, erased);
}

/* Two items evict for keys that are not stored, or for one; stashed: key `a` is in the stash. */
static void explore_evictions(enum compact_shape shape, const char *items, const char *keys, bool stashed, int erased, bool weak)
{
    struct scheduled_searched searched;
    const struct small small = {.items = items, .keys = keys, .at = "", .kernel = COMPACT_evict};
    full_table_make(shape, erased, settings_get()->seed + (uint64_t)erased);
    if (stashed) compact_stash_put(&s.t, 0, 90);
    if (!compact_table_walk(&s.t, &s.before)) abort();
    const char *wrong = explore_made(&compact_sound, &small, 1, weak, &searched);
    compact_table_free(&s.t);
    program_assert_searched(wrong, &searched, "evictions, %s of %s, stashed: %d, %d erased, %s, %s memory", items, keys, stashed,
                            erased, compact_shape_names[shape], weak ? "weak" : "strong");
}

static void evictions(void **state)
{
    static const enum compact_shape of[] = {SHAPE_k4v4wide, SHAPE_k8v8wide, SHAPE_k8v8};
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (int erased = (int)settings_effort(0, 1, 1); erased < 5; erased++)
            for (int run = 0; run < 2; run++) {
                const bool weak = run & 1;
                if (settings_get()->is_short && erased % 3 != shape) continue;
                /* where a vacancy is near a search is short */
                evict_preemptions = weak ? erased >= (int)settings_effort(3, 3, 4) : 1 + (erased >= (int)settings_effort(3, 4, 5));
                explore_evictions(of[shape], "KK", "ab", false, erased, weak);
                explore_evictions(of[shape], "++", "aa", false, erased, weak);
                explore_evictions(of[shape], "K+", "ab", true, erased, weak);
            }
    program_schedules_print();
}

/* Two lanes bring keys home, of which some find room that others leave. */
static const char *explore_tidying(const struct compact_stamped *stamped, enum compact_shape shape, int erased, bool weak,
                                   int stale, bool unwatched, struct scheduled_searched *searched)
{
    const struct small small = {.items = "", .keys = "", .at = "", .kernel = COMPACT_tidy, .stale = stale};
    full_table_make(shape, erased, settings_get()->seed + (uint64_t)erased);
    s.unwatched = unwatched;
    const char *wrong = explore_made(stamped, &small, 1, weak, searched);
    compact_table_free(&s.t);
    return wrong;
}

static void tidying(void **state)
{
    static const enum compact_shape of[] = {SHAPE_k4v4wide, SHAPE_k8v8, SHAPE_k8v8wide};
    struct scheduled_searched searched;
    (void)state;
    for (int shape = 0; shape < 3; shape++)
        for (int erased = 1; erased < 7; erased++)
            for (int weak = 0; weak < 2; weak++) {
                const char *wrong = explore_tidying(&compact_sound, of[shape], erased, weak != 0, 0, false, &searched);
                program_assert_searched(wrong, &searched, "tidying, %d erased, %s, %s memory", erased,
                                        compact_shape_names[of[shape]], weak ? "weak" : "strong");
            }
    program_schedules_print();
}

/* A lane loads the high part twice, when it looks for a slot and when it completes it. */
static void tidying_without_a_fence_is_found(void **state)
{
    struct scheduled_searched searched;
    int found = 0;
    (void)state;
    for (int erased = 1; erased < 7; erased++) {
        const char *wrong = explore_tidying(&compact_tidy_unfenced, SHAPE_k8v8wide, erased, true, 2, true, &searched);
        if (wrong && !found++) printf("%s: %s\n", compact_tidy_unfenced.name, wrong);
    }
    printf("found in %d of 6 tables\n", found);
    assert_true(found > 0);
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    for (int i = 0; i < PROGRAM_COUNT(settings); i++) program_case(&cases, settings[i].name, explore_pairs, &settings[i]);
    PROGRAM_CASE(&cases, pairs_of_one_low_part);
    PROGRAM_CASE(&cases, pairs_alone);
    PROGRAM_CASE(&cases, sums_that_saturate);
    PROGRAM_CASE(&cases, items_between_fences);
    PROGRAM_CASE(&cases, bits_behind_keys);
    PROGRAM_CASE(&cases, triples);
    PROGRAM_CASE(&cases, evictions);
    PROGRAM_CASE(&cases, tidying);
    PROGRAM_CASE(&cases, plants_are_found);
    PROGRAM_CASE(&cases, tidying_without_a_fence_is_found);
    return program_run_sampled(argc, argv, "scheduled compact exhaustive", &cases);
}
