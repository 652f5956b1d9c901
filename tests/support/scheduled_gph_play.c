/* One scene of a small GPH table on the scheduled machine, drawn from a seed: batches as the
 * policy runs them, several tiles at once. */
#include "support/scheduled_gph_scene.h"

#include <inttypes.h>

enum { ROUNDS = 6, PATIENT = UINT32_MAX };

/* Few slots, so that few keys fill a bucket; one shape has many. The last two shapes are for
 * crowds. */
const struct shape gph_shapes[] = {{4, 4, 2, 1, 2}, {4, 4, 4, 1, 2},  {8, 8, 2, 0, 2}, {8, 8, 4, 0, 2},
                                   {8, 4, 4, 0, 2}, {4, 8, 4, 0, 2},  {4, 0, 4, 1, 2}, {4, 0, 16, 1, 2},
                                   {8, 0, 2, 1, 2}, {4, 0, 16, 1, 2}, {8, 8, 16, 0, 2}};
const char *const gph_shape_names[] = {"4+4 of 2", "4+4 of 4",  "8+8 of 2", "8+8 of 4",         "8+4 of 4",        "4+8 of 4",
                                       "4+0 of 4", "4+0 of 16", "8+0 of 2", "4+0 of 16, crowd", "8+8 of 16, crowd"};

/* Draws a launch of 2 to 8 tiles. */
static struct frame_launch draw_launch(struct gph_scene *s, const struct frame_scenario *scenario)
{
    const struct frame_launch l = {DRIVER_tile, scenario->size, 2 + (int)dice_below(&s->f.dice, 7), scenario->weak};
    return l;
}

/* A random key of the cell, if 32 draws find one. */
static int key_of_cell(struct gph_scene *s, uint32_t cell)
{
    int key = 0;
    for (int tries = 0; tries < 32; tries++) {
        key = 1 + (int)dice_below(&s->f.dice, (uint32_t)s->t.keys - 1);
        if (gph_cell_of(&s->t, key) == cell) break;
    }
    return key;
}

/* Draws keys of all kinds, keys of one cell, or few keys many times. Values are small, so that
 * they coincide, or have random bits everywhere. */
static void draw_items(struct gph_scene *s, int most)
{
    const uint32_t kind = dice_below(&s->f.dice, 4), cell = dice_below(&s->f.dice, s->t.view.cell_count),
                   few = 1 + dice_below(&s->f.dice, 5);
    const uint32_t first = dice_below(&s->f.dice, (uint32_t)s->t.keys - 5);
    s->f.items.n = 1 + (int)dice_below(&s->f.dice, (uint32_t)(kind == 1 && most > 24 ? 24 : most));
    s->f.saturate = dice_below(&s->f.dice, 2);
    for (int i = 0; i < s->f.items.n; i++) {
        const int key = kind == 0   ? key_of_cell(s, cell)
                        : kind == 1 ? (int)(first + dice_below(&s->f.dice, few))
                                    : (int)dice_below(&s->f.dice, (uint32_t)s->t.keys);
        const int shift = dice_below(&s->f.dice, 2) ? 61 : 0;
        frame_item_set(&s->f, i, key, ROOST_OP_KEEP, dice_draw(&s->f.dice) >> shift);
    }
}

static bool play_pass(struct gph_scene *s, enum gph_operation operation, const struct frame_launch *l, int from, int to,
                      uint32_t patience, bool closed)
{
    if (from >= 0 && !s->f.items.list_n[from]) {
        s->f.items.list_n[to] = 0;
        return true;
    }
    gph_batch_call(s, operation, from, to);
    s->call.args.view.patience = patience;
    s->call.args.view.closed = closed;
    return gph_launch_kernel(s, l) && gph_batch_check(s, to);
}

/* Draws a batch's items. */
typedef void draw_function(struct gph_scene *s);

static void draw_many(struct gph_scene *s) { draw_items(s, GPH_MOST_ITEMS); }
static void draw_many_or_few(struct gph_scene *s) { draw_items(s, dice_below(&s->f.dice, 2) ? GPH_MOST_ITEMS : 12); }

/* The first passes of an insert: sometimes updates first, as of a full table. Sometimes refine gets
 * what fill would do; its items then meet at keys and vacancies more often. */
static bool play_fill(struct gph_scene *s, const struct frame_launch *fill)
{
    if (dice_below(&s->f.dice, 3) == 0) {
        s->f.items.list_n[0] = 0;
        for (int i = 0; i < s->f.items.n; i++)
            if (s->f.items.key[i]) s->f.items.list[0][s->f.items.list_n[0]++] = (uint32_t)i;
        return true;
    }
    if (dice_below(&s->f.dice, 2)) return play_pass(s, GPH_fill, fill, -1, 0, 0, false);
    return play_pass(s, GPH_fill, fill, -1, 1, 0, true) && play_pass(s, GPH_fill, fill, 1, 0, 0, false);
}

/* The passes of an insert. */
static bool play_insert(struct gph_scene *s, const struct frame_scenario *scenario, draw_function *draw)
{
    const struct frame_launch fill = draw_launch(s, scenario), refine = draw_launch(s, scenario);
    const uint32_t patience = dice_below(&s->f.dice, 3);
    draw(s);
    gph_items_do(s, (uint8_t)(ROOST_OP_INSERT + dice_below(&s->f.dice, 5)));
    if (!play_fill(s, &fill) || !play_pass(s, GPH_refine, &refine, 0, 1, patience, false) || !gph_find_all(s)) return false;
    gph_explored.parked_by_deaths += s->f.items.list_n[1];
    return play_pass(s, GPH_fill, &fill, 1, 0, 0, false) && play_pass(s, GPH_refine, &refine, 0, 1, PATIENT, false) &&
           play_pass(s, GPH_evict, &refine, 1, 0, PATIENT, false) && gph_insert_alone(s, 0) && gph_find_all(s);
}

static bool play_erase(struct gph_scene *s, const struct frame_scenario *scenario, draw_function *draw)
{
    const struct frame_launch erase = draw_launch(s, scenario);
    draw(s);
    gph_items_do(s, ROOST_OP_ERASE);
    return play_pass(s, GPH_erase, &erase, -1, 0, 0, false) && gph_find_all(s);
}

static bool play_mend(struct gph_scene *s, const struct frame_scenario *scenario)
{
    const struct frame_launch mend = draw_launch(s, scenario);
    return gph_mend_launch(s, &mend) && gph_find_all(s) && gph_mend_alone(s) && gph_find_all(s);
}

/* The first two rounds fill the table. */
static bool play(struct gph_scene *s, const struct frame_scenario *scenario)
{
    bool ok = true;
    for (int i = 0; ok && i < ROUNDS; i++) {
        ok = play_insert(s, scenario, draw_many);
        if (ok && i >= 1) ok = play_erase(s, scenario, draw_many_or_few);
        if (ok && i % 2) ok = play_mend(s, scenario);
    }
    return ok;
}

/* ---- More keys of one cell than a workspace holds -------------------------------------------- */

/* Half of the universe's keys are of one cell, and the universe is half as large again as the
 * main slots. */
static void draw_crowd_sizes(struct gph_sizes *sizes, struct dice *dice)
{
    sizes->family = dice_below(dice, 3) ? HASH_KEYED : HASH_SUMMED;
    sizes->virtual_log = 2 + dice_below(dice, 2);
    sizes->cells = 4;
    sizes->buckets = 8;
    sizes->overflow = 2;
    sizes->cell_locks = 4;
    sizes->bucket_locks = 4;
    sizes->keys = 190;
    sizes->crowd = 95;
}

/* Draws the most items that there may be, with keys from `first` on. */
static void draw_from(struct gph_scene *s, uint32_t first, uint32_t n)
{
    s->f.items.n = GPH_MOST_ITEMS;
    for (int i = 0; i < s->f.items.n; i++)
        frame_item_set(&s->f, i, (int)(first + dice_below(&s->f.dice, n)), ROOST_OP_KEEP, dice_below(&s->f.dice, 8));
}

static void draw_others(struct gph_scene *s) { draw_from(s, (uint32_t)s->t.sizes.crowd, (uint32_t)(s->t.keys - s->t.sizes.crowd)); }

static void draw_crowd_or_others(struct gph_scene *s)
{
    if (dice_below(&s->f.dice, 2)) draw_from(s, 1, (uint32_t)s->t.sizes.crowd - 1);
    else draw_others(s);
}

/* Crowd and others are inserted in turn until there is no room. Then the others are erased, and
 * cells are mended. */
static bool play_crowd(struct gph_scene *s, const struct frame_scenario *scenario)
{
    enum { TURNS = 3, BATCHES = 6 };
    bool ok = true;
    for (int turn = 0; ok && turn < TURNS; turn++) {
        for (int i = 0; ok && i < BATCHES; i++) ok = play_insert(s, scenario, draw_crowd_or_others);
        for (int i = 0; ok && i < BATCHES / 2; i++) ok = play_erase(s, scenario, draw_others);
        ok = ok && play_mend(s, scenario);
    }
    return ok;
}

const char *gph_explore(const struct frame_scenario *scenario)
{
    static struct gph_scene s;
    struct gph_sizes sizes;
    const struct shape h = gph_shapes[scenario->shape];
    const bool crowd = scenario->shape >= GPH_SHAPES;
    gph_scene_begin(&s, (const struct gph_stamped *)scenario->kernels,
                    mix64(scenario->seed) ^ (uint64_t)(h.key_bytes << 16 | h.value_bytes << 12 | h.slots << 4 | h.word) ^
                        (uint64_t)scenario->size << 32);
    s.unwatched = scenario->unwatched || crowd;
    if (crowd) draw_crowd_sizes(&sizes, &s.f.dice);
    else gph_table_draw_sizes(&sizes, h, &s.f.dice);
    gph_scene_make(&s, h, &sizes);
    const bool ok = crowd ? play_crowd(&s, scenario) : play(&s, scenario);
    gph_table_free(&s.t);
    return ok ? NULL : wrong_text();
}
