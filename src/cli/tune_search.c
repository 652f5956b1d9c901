/* The search and the random draws of `roost tune`. */
#include "cli/tune_search.h"

#include <stdlib.h>
#include <string.h>

#include "cli/clock.h"
#include "cli/command.h"

#define SEARCH_SHARE 0.6 /* of the budget at most */
/* Most draws per random setting: some have no tables, and small spaces have few settings. */
#define DRAWS_EACH 20

/* ---- The search ------------------------------------------------------------------------------ */

static bool has_kernels(const struct tune *tune, const struct tune_setting *setting)
{
    for (size_t i = 0; i < tune->space.n; i++)
        if (tune->space.parameter[i].kernel && setting->value[i][0] != 0) return true;
    return false;
}

static void forget_kernels(const struct tune *tune, struct tune_setting *setting)
{
    for (size_t i = 0; i < tune->space.n; i++)
        if (tune->space.parameter[i].kernel) setting->value[i][0] = 0;
}

static int search_try(struct tune *tune, const struct tune_setting *setting, size_t *place)
{
    const int result = tune_try(tune, setting, place);
    if (result == 0) tune->trials[*place].searched = true;
    return result;
}

/* Tries the best setting so far with another value.  If its kernels do not exist for that value,
 * tries the value with its default kernels. */
static int try_value(struct tune *tune, size_t parameter, const char *value)
{
    struct tune_setting setting = tune->trials[tune->best_searched].setting;
    size_t place;
    strcpy(setting.value[parameter], value);
    int result = search_try(tune, &setting, &place);
    if (result == 0 && tune->trials[place].refused && !tune->space.parameter[parameter].kernel && has_kernels(tune, &setting)) {
        forget_kernels(tune, &setting);
        result = search_try(tune, &setting, &place);
    }
    if (result == 0 && tune_better(tune, place, tune->best_searched, TUNE_MARGIN)) tune->best_searched = place;
    return result;
}

/* Tries a parameter's default, and its values for tables like the best one. */
static int try_parameter(struct tune *tune, size_t parameter)
{
    struct tune_space space = {0};
    roost_table *table = tune_table(tune, &tune->trials[tune->best_searched].setting);
    if (table != NULL) tune_space_of(&space, table, tune->options.engine_options);
    roost_table_destroy(table);
    if (parameter >= space.n || space.parameter[parameter].n < 2) return 0;
    int result = try_value(tune, parameter, "");
    for (size_t i = 0; result == 0 && i < space.parameter[parameter].n && tune_spent(tune) < SEARCH_SHARE; i++)
        result = try_value(tune, parameter, space.parameter[parameter].value[i]);
    return result;
}

int tune_descend(struct tune *tune)
{
    const struct tune_setting defaults = {{""}};
    size_t before = TUNE_NONE;
    int result = search_try(tune, &defaults, &tune->best_searched);
    while (result == 0 && before != tune->best_searched) {
        before = tune->best_searched;
        for (size_t i = 0; result == 0 && i < tune->space.n && tune_spent(tune) < SEARCH_SHARE; i++)
            result = try_parameter(tune, i);
    }
    return result;
}

/* ---- Chance ---------------------------------------------------------------------------------- */

/* SplitMix64. */
static size_t draw_below(uint64_t *state, size_t n)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (size_t)((x ^ x >> 31) % n);
}

static void draw_values(uint64_t *state, const struct tune_space *space, bool kernels, struct tune_setting *setting)
{
    for (size_t i = 0; i < space->n; i++) {
        const struct tune_parameter *parameter = &space->parameter[i];
        if (parameter->kernel == kernels) strcpy(setting->value[i], parameter->value[draw_below(state, parameter->n)]);
    }
}

/* Draws the shape first, then kernels that exist for it.  False: there are no such tables. */
static bool draw_setting(const struct tune *tune, uint64_t *state, struct tune_setting *setting)
{
    struct tune_space space;
    memset(setting, 0, sizeof *setting);
    draw_values(state, &tune->space, false, setting);
    roost_table *table = tune_table(tune, setting);
    if (table == NULL) return false;
    tune_space_of(&space, table, tune->options.engine_options);
    roost_table_destroy(table);
    if (space.n == tune->space.n) draw_values(state, &space, true, setting);
    return true;
}

int tune_draw(struct tune *tune)
{
    uint64_t state = tune->options.seed, drawn = 0;
    for (uint64_t i = 0; i < DRAWS_EACH * tune->options.random && drawn < tune->options.random && tune_spent(tune) < 1; i++) {
        struct tune_setting setting;
        size_t place;
        if (!draw_setting(tune, &state, &setting)) continue;
        const int result = tune_try(tune, &setting, &place);
        if (result != 0) return result;
        struct tune_trial *trial = &tune->trials[place];
        drawn += !trial->refused && !trial->drawn;
        trial->drawn = !trial->refused;
        if (tune_better(tune, place, tune->best_drawn, 0)) tune->best_drawn = place;
    }
    return 0;
}

/* ---- The end --------------------------------------------------------------------------------- */

/* By rising objective.  Settings that do not reach the load come after the others, and those
 * without tables last. */
static int compare(const void *a, const void *b)
{
    const struct tune_trial *x = *(const struct tune_trial *const *)a, *y = *(const struct tune_trial *const *)b;
    if (x->refused != y->refused) return x->refused ? 1 : -1;
    if (x->measured.reaches != y->measured.reaches) return x->measured.reaches ? -1 : 1;
    return (x->objective > y->objective) - (x->objective < y->objective);
}

/* Sorts before anything is written.  A report may still fail, but not for lack of this memory. */
static int put_in_order(struct tune *tune)
{
    tune->order = (const struct tune_trial **)calloc(tune->n, sizeof *tune->order);
    if (tune->order == NULL) return command_fail("out of memory for %zu settings", tune->n);
    for (size_t i = 0; i < tune->n; i++) tune->order[i] = &tune->trials[i];
    qsort(tune->order, tune->n, sizeof *tune->order, compare);
    return 0;
}

static int none_reaches(const struct tune *tune)
{
    const struct tune_trial *fullest = &tune->trials[0];
    for (size_t i = 1; i < tune->n; i++)
        if (!tune->trials[i].refused && tune->trials[i].measured.load > fullest->measured.load) fullest = &tune->trials[i];
    return command_fail("none of %zu settings reaches load %g: the fullest table had %.3f (%s)", tune->n, tune->options.load,
                        fullest->measured.load, *fullest->options != 0 ? fullest->options : "the defaults");
}

int tune_settle(struct tune *tune)
{
    const size_t searched = tune->best_searched, drawn = tune->best_drawn;
    int result = tune_try_again(tune, 0);
    if (result == 0 && searched != 0) result = tune_try_again(tune, searched);
    if (result == 0 && drawn != TUNE_NONE && drawn != 0 && drawn != searched) result = tune_try_again(tune, drawn);
    tune->best = 0;
    if (tune_better(tune, searched, tune->best, TUNE_MARGIN)) tune->best = searched;
    if (tune_better(tune, drawn, tune->best, TUNE_MARGIN)) tune->best = drawn;
    tune->seconds = clock_seconds() - tune->begun;
    if (result == 0) result = put_in_order(tune);
    return result == 0 && !tune->trials[tune->best].measured.reaches ? none_reaches(tune) : result;
}
