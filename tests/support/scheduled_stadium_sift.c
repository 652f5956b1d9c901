/* Finds that the board sifts, on the scheduled machine: a kernel that ends those that no ticket can
 * be of, and a find of the others, which it has parked. */
#include "support/scheduled_stadium_scene.h"

#include <inttypes.h>

/* No region is written for an item that is not parked. */
enum { NO_REGION = 0xfefefefe };

/* Half of the batches are of few keys. */
static void finds_draw(struct stadium_scene *s)
{
    const uint32_t all = (uint32_t)s->t.keys, keys = dice_below(&s->f.dice, 2) ? all : 1 + dice_below(&s->f.dice, 8),
                   from = dice_below(&s->f.dice, all - keys + 1);
    s->f.items.n = 1 + (int)dice_below(&s->f.dice, 60);
    for (int i = 0; i < s->f.items.n; i++) stadium_item_set(&s->f, i, (int)(from + dice_below(&s->f.dice, keys)), ROOST_OP_FIND, 0);
    s->absent_zero = s->t.sizes.wide && dice_below(&s->f.dice, 2);
}

/* An item is parked once, with the region of its first candidate, or has none and has ended. */
static bool item_check(struct stadium_scene *s, int i, int parked, uint32_t region)
{
    const struct stadium_transfer *t = &s->call.args.transfer;
    const int64_t slot = stadium_candidate(&s->t, s->f.items.key[i]);
    const uint32_t wanted = slot < 0 ? NO_REGION : (uint32_t)((uint64_t)slot * t->regions / (uint64_t)s->t.slots);
    if (parked != (slot >= 0) || region != wanted)
        return wrong_say("a sift parks item %d %d times, region %" PRIx32 ", and its candidate is slot %" PRId64, i, parked, region,
                         slot);
    return parked || s->f.items.statuses[i] == ROOST_ITEM_ABSENT ||
           wrong_say("a sift ends item %d with status %d", i, s->f.items.statuses[i]);
}

static bool sifted_check(struct stadium_scene *s, const uint32_t *region)
{
    const struct frame_items *items = &s->f.items;
    int parked[FRAME_ITEMS] = {0};
    bool ok = true;
    stadium_explored.left += items->list_n[0];
    stadium_explored.sifted += (uint64_t)items->n - items->list_n[0];
    for (uint64_t i = 0; i < items->list_n[0]; i++) parked[items->list[0][i]]++;
    for (int i = 0; ok && i < items->n; i++) ok = item_check(s, i, parked[i], region[i]);
    return ok;
}

bool stadium_scene_sift(struct stadium_scene *s, const struct frame_launch *l)
{
    const struct frame_launch lanes = {DRIVER_tile, 1, l->tiles, l->weak};
    uint32_t region[FRAME_ITEMS];
    finds_draw(s);
    if (s->f.items.n % 2) stadium_reach_measure(&s->t);
    stadium_batch_call(s, STADIUM_find, true);
    memset(region, NO_REGION & 0xff, sizeof region);
    s->call.args.transfer.region = region;
    s->call.args.transfer.regions = 1 + dice_below(&s->f.dice, 40);
    bool ok = stadium_launch_kernel(s, &lanes, STADIUM_sift) && sifted_check(s, region);
    frame_batch_again(&s->f, &s->call.args.batch);
    ok = ok && stadium_launch_kernel(s, l, STADIUM_find) && stadium_table_walk(&s->t, &s->after);
    s->t.view.reach = NULL;
    frame_again_is_later(&s->f);
    return ok && stadium_results_check(s, l->weak) && frame_found_all_check(&s->f);
}
