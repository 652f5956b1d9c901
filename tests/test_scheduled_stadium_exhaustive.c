/* Stadium hashing's item operations through all schedules of few preemptions, with strong and
 * with weak memory.  Every pair of an insert, an update, an erase and a find, and chosen
 * triples, on one key and on two keys of one order of tickets.  Their group has room, one FREE
 * ticket or none; the key lies behind an erased one; or the table is full.  Also refills.  A
 * failure names the schedule. */
#include "support/scheduled_program.h"
#include "support/scheduled_stadium_scene.h"
#include "support/settings.h"

#include <stdio.h>
#include <stdlib.h>

/* Numbers of keys stored before: of a group's tickets or of all. */
enum { ONE_FREE = -1, FULL_GROUP = -2, ONE_FREE_AT_ALL = -3, FULL_TABLE = -4 };

/* `b` in `keys` is another key of the same order of tickets as `a`. */
struct small {
    const char *items, *keys;
    int before; /* other keys of that order, stored first */
    bool there; /* true: the items' keys are stored behind them */
    int holes;  /* number of those before that are erased then */
    enum stadium_operation operation;
    bool refill, fenced;
};

/* A kind of table. */
struct kind {
    const char *name;
    struct shape shape;
    int ticket_log;
    bool single, access, infos_too; /* infos_too: the keys' infos are the same */
    int size;                       /* lanes of a tile */
};

static struct stadium_scene s;
static struct frame_small p;
static const struct small *played;
static uint32_t lock_mask; /* of refills */

/* ---- Making a scene ------------------------------------------------------------------------- */

static size_t board_bytes(void)
{
    const size_t bits = (size_t)s.t.slots << s.t.view.ticket_log;
    return (bits + STADIUM_BLOCK_BITS - 1) / STADIUM_BLOCK_BITS * (STADIUM_BLOCK_BITS / 8);
}
static size_t pairs_bytes(void) { return (size_t)s.t.slots * (size_t)stadium_pair_bytes(s.t.shape, &s.t.view); }

static int keys_before(int before)
{
    const int tickets = (int)stadium_group_tickets(s.t.shape, &s.t.view), all = (int)stadium_main_slots(s.t.shape, &s.t.view);
    return before == ONE_FREE          ? tickets - 1
           : before == FULL_GROUP      ? tickets
           : before == ONE_FREE_AT_ALL ? all - 1
           : before == FULL_TABLE      ? all - 1
                                       : before;
}

static void fill_groups(const struct small *small)
{
    const int before = keys_before(small->before);
    for (int i = 0; i < before; i++)
        if (!stadium_put(&s.t, 2 + i, 100 + (uint64_t)i)) abort();
    for (int i = 0; small->there && i < (strchr(small->keys, 'b') ? 2 : 1); i++) (void)stadium_put(&s.t, i, 50 + (uint64_t)i);
    for (int i = 0; i < small->holes; i++) stadium_take_away(&s.t, 2 + i);
    if (!stadium_table_walk(&s.t, &s.before)) abort();
}

static void scene_keep(void)
{
    frame_image_keep(&p.image, s.t.board_memory, board_bytes());
    frame_image_keep(&p.image, s.t.pairs_memory, pairs_bytes());
    frame_image_keep(&p.image, s.t.locks, sizeof s.t.locks);
    frame_image_keep(&p.image, &s.before, sizeof s.before);
    frame_image_keep(&p.image, &s.t.longest, sizeof s.t.longest);
}

static void small_reset(void *unused)
{
    (void)unused;
    frame_small_reset(&s.f, &p);
    s.f.counters.longest = 0;
    s.refill = played->refill;
    stadium_batch_call(&s, played->operation, played->operation != STADIUM_erase);
    s.call.driver = DRIVER_tile;
    s.call.size = p.size; /* the verdict may have run a lane alone */
    frame_small_stamps(&p, &s.call.args.batch);
    stadium_watch_begin(&s.watch, &s.t, played->refill);
}

static const char *small_verdict(void *unused)
{
    const struct frame_launch alone = {DRIVER_tile, 1, 1, frame_small_timeless(&p)};
    (void)unused;
    return stadium_batch_check(&s, &alone, played->operation) ? NULL : wrong_text();
}

/* ---- Running it ----------------------------------------------------------------------------- */

static const char *explore_small(const struct stadium_stamped *stamped, const struct small *small, const struct kind *kind,
                                 bool weak, bool watched, struct scheduled_searched *searched)
{
    const struct stadium_sizes sizes = {
        kind->single ? 5 : 3, 0, kind->ticket_log, kind->single || kind->size > 1 ? 32 : 16, kind->single, kind->access, NULL};
    const struct frame_launch launch = {DRIVER_tile, kind->size, (int)strlen(small->items), weak};
    const struct scheduled_limits limits = frame_limits(strlen(small->items), kind->size, weak);
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    stadium_scene_begin(&s, stamped, settings_get()->seed);
    stadium_scene_make(&s, kind->shape, &sizes);
    s.t.view.lock_mask = lock_mask;
    s.t.view.on_host = false; /* its fence would hide that the tickets' order is missing */
    stadium_scene_keys(&s, 4 + keys_before(small->before), 4 + keys_before(small->before), kind->infos_too);
    played = small;
    p = (struct frame_small){.items = small->items, .keys = small->keys, .fenced = small->fenced, .weak = weak, .size = kind->size};
    fill_groups(small);
    scene_keep();
    small_reset(NULL);
    struct scheduled_plan plan = stadium_plan(&s, &launch, small->operation);
    if (!watched) plan.watch = NULL;
    const char *wrong = scheduled_explore(&plan, &limits, stadium_kernel(&s, small->operation), &s.call, &trial, searched);
    frame_image_free(&p.image);
    stadium_scene_table_free(&s.t);
    return wrong;
}

static void assert_sound(const struct small *small, const struct kind *kind)
{
    struct scheduled_searched searched;
    for (int weak = kind->shape.key_bytes == 8 && kind->shape.value_bytes == 4 ? 0 : 1; weak >= 0; weak--) {
        const char *wrong = explore_small(&stadium_sound, small, kind, weak != 0, true, &searched);
        program_assert_searched(wrong, &searched, "%s%s of %s, %d before, %d of them erased, %s, %s, tile of %d, %s memory",
                                small->refill ? "refill " : "", small->items, small->keys, small->before, small->holes,
                                small->there ? "there" : "new", kind->name, kind->size, weak ? "weak" : "strong");
    }
}

/* ---- Operations that mix -------------------------------------------------------------------- */

enum {
    KINDS = 6,
    LARGE_SEARCH = 1, /* in full tables these have ten times as many schedules as the others */
    TILES_OF_TWO = 5  /* each with half of a group */
};

static const struct kind *kinds(void)
{
    static struct kind all[KINDS];
    const struct kind made[KINDS] = {
        {"4+4, 16 bits", shape_k4v4(), 4, false, true, false, 1}, {"8+8, 4 bits", shape_k8v8(), 2, false, true, true, 1},
        {"8+4, single", shape_k8v4(), 3, true, true, false, 1},   {"4+4, 2 bits, single", shape_k4v4(), 1, true, true, true, 2},
        {"set, 8 bits", shape_k4v0(), 3, false, true, true, 1},   {"8+8, 16 bits", shape_k8v8(), 4, false, true, false, 2},
    };
    memcpy(all, made, sizeof all);
    return all;
}

static const char letters[] = "KA+EF";

/* Long runs have every kind of table for each scene, others one of them, in turn, and no search
 * that takes much longer than the others. */
static bool left_out(int scene, int kind, int before)
{
    const bool full = before == FULL_TABLE || before == ONE_FREE_AT_ALL;
    if (settings_get()->is_long) return false;
    return scene % KINDS != kind || (full && kind == LARGE_SEARCH);
}

/* Settings of every pair of operations: the keys, others before, whether the items' keys are
 * there, holes among the others.  The last settings have full tables, with one slot left or one
 * that holds the key.  A refill handles an item that finds no room, if there is a hole then. */
static const struct setting {
    const char *name, *keys;
    int before;
    bool there;
    int holes;
} settings[] = {
    {"pairs_on_a_new_key", "aa", 0, false, 0},
    {"pairs_on_a_stored_key", "aa", 1, true, 0},
    {"pairs_on_two_keys", "ab", 0, false, 0},
    {"pairs_on_two_stored_keys", "ab", 1, true, 0},
    {"pairs_on_the_last_ticket", "aa", ONE_FREE, false, 0},
    {"pairs_of_two_keys_on_the_last_ticket", "ab", ONE_FREE, false, 0},
    {"pairs_beyond_a_full_group", "aa", FULL_GROUP, false, 0},
    {"pairs_on_a_key_beyond_a_full_group", "aa", FULL_GROUP, true, 0},
    {"pairs_of_two_keys_beyond_a_full_group", "ab", FULL_GROUP, false, 0},
    {"pairs_behind_a_hole", "aa", 2, true, 1},
    {"pairs_behind_a_hole_of_another_group", "aa", FULL_GROUP, true, 1},
    {"pairs_of_two_keys_behind_a_hole", "ab", FULL_GROUP, false, 1},
    {"pairs_of_two_keys_in_a_full_table", "ab", ONE_FREE_AT_ALL, false, 0},
    {"pairs_in_a_full_table", "aa", FULL_TABLE, true, 0},
};

static void explore_pairs(void **state)
{
    const struct setting *in = (const struct setting *)*state;
    char items[3] = "";
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; letters[i]; i++)
            for (int j = in->keys[0] == in->keys[1] ? i : 0; letters[j]; j++) {
                if (left_out(2 * i + j, kind, in->before)) continue;
                const struct small small = {items, in->keys, in->before, in->there, in->holes, STADIUM_apply, false, false};
                items[0] = letters[i], items[1] = letters[j];
                assert_sound(&small, &kinds()[kind]);
            }
    program_schedules_print();
}

/* An item that was invoked after another one's response sees its effect, if their timestamps say
 * so. */
static void pairs_between_fences(void **state)
{
    static const char *const items[] = {"KF", "FK", "EF", "FE", "EK", "KE"};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            const struct small small = {items[i], "aa", 1, i >= 2 && i < 5, 0, STADIUM_apply, false, true};
            assert_sound(&small, &kinds()[kind]);
        }
    program_schedules_print();
}

/* On one key, on the last ticket, and where the second item erases what the third has stored. */
static void pairs_beside_a_third(void **state)
{
    static const struct {
        const char *items, *keys;
        int before;
        bool there;
    } some[] = {{"KKK", "aaa", 0, false},        {"K+E", "aaa", 0, false},          {"AEF", "aaa", 1, true},
                {"+EK", "aaa", 1, true},         {"KEK", "aaa", 1, true},           {"KAF", "aba", ONE_FREE, false},
                {"KEK", "abb", 0, false},        {"KKE", "abb", FULL_GROUP, false}, {"KKK", "aba", ONE_FREE_AT_ALL, false},
                {"EKK", "aab", FULL_TABLE, true}};
    (void)state;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            const struct small small = {some[i].items, some[i].keys, some[i].before, some[i].there, 0, STADIUM_apply, false, false};
            if (left_out((int)i, kind, some[i].before)) continue;
            assert_sound(&small, &kinds()[kind]);
        }
    program_schedules_print();
}

/* A key that is erased and inserted again lies in another slot of its group.  The lanes of a
 * tile may have seen it in both slots, wherever in the group these are. */
static void pairs_met_in_two_slots(void **state)
{
    static const char *const items[] = {"FEK", "+EK", "EEK"};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int before = 0; before < 15; before++) {
            const struct small small = {items[i], "aaa", before, true, 0, STADIUM_apply, false, false};
            assert_sound(&small, &kinds()[TILES_OF_TWO]);
        }
    program_schedules_print();
}

/* ---- Refills -------------------------------------------------------------------------------- */

/* Inserts of one key and of two, under one lock or several.  The table, or a group, is full, or
 * there are FREE tickets; no hole is left, or one or two. */
static void pairs_that_refill(void **state)
{
    static const char *const items[] = {"KK", "KA", "A+", "++", "KKA"};
    static const char *const keys[] = {"aaa", "aba"};
    static const int before[] = {FULL_TABLE, FULL_GROUP, 2};
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int key = 0; key < 2; key++)
            for (int setting = 0; setting < 3; setting++)
                for (int holes = 0; holes <= 2; holes++)
                    for (int kind = 0; kind < KINDS; kind++) {
                        const struct small small = {items[i], keys[key], before[setting], false, holes, STADIUM_apply, true, false};
                        lock_mask = (i + kind) % 2 ? 0 : STADIUM_MOST_LOCKS - 1;
                        if (left_out(i + key + setting + holes, kind, before[setting])) continue;
                        assert_sound(&small, &kinds()[kind]);
                    }
    program_schedules_print();
}

/* ---- access=off ----------------------------------------------------------------------------- */

static const struct kind off[] = {{"4+4, 1 bit, access=off", {4, 4, 32, 1, 1}, 0, false, false, false, 1},
                                  {"8+8, 1 bit, single, access=off", {8, 8, 32, 0, 1}, 0, true, false, false, 1},
                                  {"set, 8 bits, access=off", {4, 0, 32, 1, 1}, 3, false, false, true, 2},
                                  {"4+8, 4 bits, access=off", {4, 8, 32, 0, 1}, 2, false, false, true, 1}};

/* Only inserts, and only erases. */
static void pairs_without_access(void **state)
{
    static const char *const items[] = {"KK", "AA", "++", "KKK", "EE", "EEE"};
    static const char *const keys[] = {"aaa", "aba"};
    (void)state;
    for (int i = 0; i < 6; i++)
        for (int key = 0; key < 2; key++)
            for (int there = i >= 4; there < 2; there++)
                for (int kind = 0; kind < 4; kind++) {
                    const struct small small = {items[i], keys[key], 1, there != 0, i % 2, i >= 4 ? STADIUM_erase : STADIUM_insert,
                                                false,    false};
                    assert_sound(&small, &off[kind]);
                }
    program_schedules_print();
}

/* ---- Plants --------------------------------------------------------------------------------- */

/* Two or three items show each planted fault by their results, without a watch while they run. */
static void plants_are_found(void **state)
{
    const struct {
        const struct stadium_stamped *stamped;
        struct small small;
        bool weak;
    } plants[] = {
        {&stadium_takes_erased, {"KF", "aa", FULL_GROUP, true, 1, STADIUM_apply, false, false}, false},
        {&stadium_skips_reserved, {"KK", "aa", 0, false, 0, STADIUM_apply, false, false}, false},
        {&stadium_no_release, {"KK", "aa", 0, false, 0, STADIUM_apply, false, false}, true},
        {&stadium_reserves_by_and, {"KKE", "abb", 0, false, 0, STADIUM_apply, false, false}, false},
        {&stadium_info_at_once, {"KK", "ab", 0, false, 0, STADIUM_apply, false, false}, false},
    };
    struct scheduled_searched searched;
    (void)state;
    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i++) {
        const char *sound = explore_small(&stadium_sound, &plants[i].small, &kinds()[0], plants[i].weak, false, &searched);
        assert_null(sound);
        const char *wrong = explore_small(plants[i].stamped, &plants[i].small, &kinds()[0], plants[i].weak, false, &searched);
        printf("%s: %.400s\n", plants[i].stamped->name, wrong ? wrong : "not found");
        assert_non_null(wrong);
    }
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    for (int i = 0; i < PROGRAM_COUNT(settings); i++) program_case(&cases, settings[i].name, explore_pairs, &settings[i]);
    PROGRAM_CASE(&cases, pairs_between_fences);
    PROGRAM_CASE(&cases, pairs_beside_a_third);
    PROGRAM_CASE(&cases, pairs_met_in_two_slots);
    PROGRAM_CASE(&cases, pairs_that_refill);
    PROGRAM_CASE(&cases, pairs_without_access);
    PROGRAM_CASE(&cases, plants_are_found);
    return program_run_sampled(argc, argv, "scheduled stadium exhaustive", &cases);
}
