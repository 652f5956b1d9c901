/* GPH's item operations through all schedules of few preemptions, with strong and with weak
 * memory: fills, erases and refinements of one key, of one cell, and of cells that need each
 * other's buckets, beside flagging and mending.  A failure names the schedule. */
#include "support/scheduled_gph_small.h"
#include "support/scheduled_program.h"
#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>

static const struct gph_small scenes[] = {
    {"two fills of one key", GPH_fill, ROOST_OP_ADD, "vv", "--", GPH_ANY},
    {"two fills of one key, KEEP", GPH_fill, ROOST_OP_KEEP, "vv", "--", GPH_ANY},
    {"three fills of one key", GPH_fill, ROOST_OP_MAX, "vvv", "---", GPH_ANY},
    {"fills of a key that overflowed", GPH_fill, ROOST_OP_ADD, "oo", "--", GPH_ANY},
    {"fills of a flagged cell", GPH_fill, ROOST_OP_ASSIGN, "ow", "--", GPH_ANY},
    {"two fills of a new key of a flagged cell", GPH_fill, ROOST_OP_MIN, "oww", "---", GPH_ANY},
    {"two erases of one key", GPH_erase, ROOST_OP_ERASE, "ss", "--", GPH_ANY},
    {"two erases in the overflow store", GPH_erase, ROOST_OP_ERASE, "oo", "--", GPH_ANY},
    {"two refines of one key that moves", GPH_refine, ROOST_OP_ADD, "aa", "mm", GPH_ANY},
    {"two refines of one key that flags", GPH_refine, ROOST_OP_KEEP, "aa", "ff", GPH_ANY},
    {"two refines that move one cell", GPH_refine, ROOST_OP_ASSIGN, "ac", "mm", GPH_ANY},
    {"two refines that flag one cell", GPH_refine, ROOST_OP_ASSIGN, "ac", "ff", GPH_ANY},
    {"two refines that move two cells", GPH_refine, ROOST_OP_ASSIGN, "ab", "mm", GPH_ANY},
    {"a refine that flags, and one that moves", GPH_refine, ROOST_OP_ASSIGN, "ab", "fm", GPH_ANY},
    {"a refine that flags, and one that opens", GPH_refine, ROOST_OP_ASSIGN, "ab", "fm", GPH_OPENS},
    {"a refine that passes an overflow bucket", GPH_refine, ROOST_OP_ASSIGN, "db", "--", GPH_PASSES},
    {"two refines that flag two cells", GPH_refine, ROOST_OP_ASSIGN, "ab", "ff", GPH_ANY},
    {"an update, and a move of its cell", GPH_refine, ROOST_OP_ADD, "ua", "-m", GPH_ANY},
    {"an update, a move, and an insert into its slot", GPH_refine, ROOST_OP_ASSIGN, "uab", "-m-", GPH_IN_TURN},
    {"a refine that moves, and one that flags", GPH_refine, ROOST_OP_ASSIGN, "ab", "mf", GPH_MEETS},
    {"two refines that move one cell, in turn", GPH_refine, ROOST_OP_ASSIGN, "ac", "m-", GPH_TWICE},
    {"an update, a move, and an earlier look", GPH_refine, ROOST_OP_ASSIGN, "uav", "-m-", GPH_BESIDE},
    {"two evictions for one key", GPH_evict, ROOST_OP_ADD, "aa", "ee", GPH_ANY},
    {"two evictions for one cell", GPH_evict, ROOST_OP_ASSIGN, "ac", "ee", GPH_ANY},
    {"two evictions for two cells", GPH_evict, ROOST_OP_ASSIGN, "ab", "ee", GPH_ANY},
    {"two mends", GPH_mend, ROOST_OP_KEEP, "mm", "--", GPH_ANY},
    {"two mends that share a lock", GPH_mend, ROOST_OP_KEEP, "mm", "--", GPH_APART},
};
/* Items that move pairs and wait for locks. */
static bool is_moving(const struct gph_small *small) { return small->operation == GPH_refine || small->operation == GPH_evict; }

/* An item that flags a cell has first tried all its mappings.  So has one that passes an
 * overflow bucket.  Both can be interrupted at hundreds of points. */
static bool tries_all(const struct gph_small *small) { return strchr(small->alone, 'f') || small->relation >= GPH_PASSES; }

/* These scenes show their fault without an interruption. */
static bool in_turn(const struct gph_small *small) { return small->relation == GPH_IN_TURN || small->relation == GPH_TWICE; }

/* Some scenes are about one tile and one memory only. */
static bool setting_matters(const struct gph_small *small, int size, bool weak)
{
    if (small->relation == GPH_BESIDE) return size == 1 && weak;
    return small->relation != GPH_TWICE || (size > 1 && weak);
}

/* Tiles of one lane are interrupted twice, in long runs three times; larger ones and those of
 * weak memory once less.  With weak memory one access may take an old message.  Items that try
 * all mappings are interrupted twice only in long runs. */
static struct scheduled_limits limits_of(const struct gph_small *small, int size, bool weak)
{
    const bool fewer = strlen(small->items) > 2 || size > 1 || small->relation >= GPH_PASSES || weak;
    const size_t most = in_turn(small) ? 0
                        : fewer        ? 1
                                       : 2,
                 more = most + (!is_moving(small) || !weak), whole = tries_all(small) ? most : more,
                 usual = tries_all(small) ? 1 : most;
    const struct scheduled_limits limits = {(int)settings_effort(whole, usual, in_turn(small) ? 0 : 1), weak ? 1 : 0,
                                            settings_effort(UINT64_MAX, 4000000, 4000000)};
    return limits;
}

static void assert_sound(const struct gph_small *small, const struct shape shape, int size, bool weak, uint32_t locks,
                         uint32_t patience, uint64_t seed)
{
    struct gph_small_run run = {&gph_sound, shape, size, weak, locks, patience, seed, limits_of(small, size, weak)};
    struct scheduled_searched searched;
    const char *wrong = gph_small_explore(small, &run, &searched);
    printf("%-42s %d+%d, tile of %d, %-6s %2" PRIu32 " locks %8" PRIu64 " schedules\n", small->name, shape.key_bytes,
           shape.value_bytes, size, weak ? "weak" : "strong", locks, searched.schedules);
    program_assert_searched(wrong, &searched, "%s, seed %" PRIu64, small->name, seed);
}

/* Explores one table with all tiles and memories.  An item that waits and dies many times passes
 * many points at which it may be interrupted.  So only long runs have patient items together
 * with the most interruptions.  If an item tries all mappings, other runs explore every second
 * of the eight settings of shape, tile and memory.  All pairs of these occur, and another table
 * has the other settings. */
static void explore_table(const struct gph_small *small, const struct shape shape, uint32_t locks, uint64_t table)
{
    const bool all = settings_get()->is_long || !tries_all(small);
    for (int size = 1; size <= 4; size *= 4)
        for (int weak = 0; weak < 2; weak++) {
            if (!setting_matters(small, size, weak)) continue;
            if (!all && (table + shape.word + (size > 1) + (uint64_t)weak) % 2) continue;
            const bool fewer = weak ? size == 1 && table % 2 : size > 1;
            const bool patient = is_moving(small) && (fewer || settings_get()->is_long);
            assert_sound(small, shape, size, weak, locks, patient ? UINT32_MAX : 0, settings_get()->seed + table);
        }
}

/* Tables of other seeds differ in which buckets coincide, which keys move, and how far. */
static void explore_tables(const struct gph_small *small, const struct shape shape, uint32_t locks)
{
    const size_t tables = is_moving(small) ? settings_effort(12, small->relation < GPH_PASSES ? 2 : 1, 1) : 1;
    for (uint64_t i = 0; i < tables; i++) explore_table(small, shape, locks, i);
}

static void explore_scene(void **state)
{
    const struct gph_small *small = (const struct gph_small *)*state;
    const struct shape word = {4, 4, 2, 1, 2}, apart = {8, 8, 2, 0, 2}, roomy = {8, 8, 4, 0, 2};
    if (small->relation == GPH_TWICE) explore_tables(small, roomy, 16);
    /* the overflow bucket shares its lock with a target */
    if (small->relation == GPH_MEETS) explore_tables(small, word, 1);
    if (!in_turn(small) && small->relation != GPH_BESIDE && small->relation != GPH_MEETS)
        explore_tables(small, word, small->relation == GPH_APART ? 1 : 2);
    if (small->relation != GPH_APART && small->relation != GPH_TWICE) explore_tables(small, apart, 16);
    program_schedules_print();
}

/* In a search, the lanes of a tile run in one order.  Here a lane may give back a lock that a
 * faster lane has given back already, and that another tile has taken.  One lane may find a key
 * whose value is still to come, and another one the lock that says so. */
static const struct gph_drawn {
    struct gph_small small;
    struct shape shape;
    bool weak;
    uint64_t runs; /* of each table */
} drawn[] = {
    {{"two refines that flag, by chance", GPH_refine, ROOST_OP_ASSIGN, "ab", "ff", GPH_ANY}, {4, 4, 2, 1, 2}, false, 300},
    {{"fills of one key, by chance", GPH_fill, ROOST_OP_ADD, "vvv", "---", GPH_ANY}, {8, 8, 4, 0, 2}, true, 2000},
};

static void draw_runs(void **state)
{
    const struct gph_drawn *which = (const struct gph_drawn *)*state;
    const size_t tables = settings_effort(40, 8, 4);
    for (uint64_t i = 0; i < tables; i++) {
        const uint64_t seed = settings_get()->seed + i;
        const struct gph_small_run run = {&gph_sound, which->shape, i % 2 ? 4 : 2, which->weak, 2, UINT32_MAX, seed, {0, 0, 0}};
        const char *wrong = gph_small_draw(&which->small, &run, which->runs);
        if (wrong) print_error("%s\n  replay: ROOST_TEST_SEED=%" PRIu64 "\n", wrong, seed);
        assert_null(wrong);
    }
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    for (int i = 0; i < PROGRAM_COUNT(scenes); i++) program_case(&cases, scenes[i].name, explore_scene, &scenes[i]);
    for (int i = 0; i < PROGRAM_COUNT(drawn); i++) program_case(&cases, drawn[i].small.name, draw_runs, &drawn[i]);
    return program_run_sampled(argc, argv, "scheduled gph exhaustive", &cases);
}
