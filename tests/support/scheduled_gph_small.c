/* Small scenes of GPH: the table is filled by one lane, then every schedule starts from it as it was. */
#include "support/scheduled_gph_small.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_DRAWS = 400000, CHOICES = 8, MOST_TRIES = 16 /* mappings, so that runs stay short */ };

static const struct gph_launch refine_alone = {GPH_refine, 1, 1, false}, fill_alone = {GPH_fill, 1, 1, false},
                               erase_alone = {GPH_erase, 1, 1, false}, mend_alone = {GPH_mend, 1, 1, false};

static struct {
    const struct gph_small *small;
    const struct gph_small_run *run;
    struct gph_scene scene;
    struct gph_explored explored;
    struct gph_image image;
    struct gph_contents before;
    int key[4]; /* the items' */
} p;

/* ---- Making --------------------------------------------------------------------------------------------------------------------- */

static bool has_item(char letter) { return strchr(p.small->items, letter) != NULL; }

/* One kernel by one lane over the items that are set. */
static void work_alone(const struct gph_launch *l)
{
    gph_batch_call(&p.scene, l->operation, -1, 0);
    if (!gph_launch_kernel(&p.scene, l) || !gph_batch_check(&p.scene, l, 0)) {
        printf("alone: %s\n", p.scene.t.wrong);
        abort();
    }
}

static void keys_take(int n, uint8_t operation)
{
    struct gph_scene *s = &p.scene;
    s->items.n = n;
    s->items.operation = operation;
    for (int i = 0; i < n; i++) {
        const int key = 1 + (int)dice_below(&s->dice, (uint32_t)s->t.keys - 1);
        gph_item_set(s, i, key, 100 + dice_below(&s->dice, 100));
    }
}

/* Nearly full main buckets; for some scenes flagged cells, too, and vacancies again. */
static void table_fill(void)
{
    const int slots = (int)p.scene.t.view.bucket_count * p.scene.t.shape.slots;
    keys_take(slots + (int)dice_below(&p.scene.dice, (uint32_t)slots), ROOST_OP_KEEP);
    work_alone(&fill_alone);
    if (!has_item('o') && !has_item('m') && !has_item('d')) return;
    keys_take(slots, ROOST_OP_KEEP);
    work_alone(&refine_alone);
    if (has_item('d')) return;
    keys_take(slots / 2, ROOST_OP_ERASE);
    work_alone(&erase_alone);
}

static void scene_make(uint64_t seed)
{
    const uint32_t words = has_item('m') ? 2 : 1;
    const struct gph_sizes sizes = {.virtual_log = 1,
                                    .cells = 4 * words,
                                    .buckets = 4 * words,
                                    .overflow = has_item('d') ? 2 : 1,
                                    .cell_locks = 4,
                                    .bucket_locks = p.run->bucket_locks,
                                    .keys = 24,
                                    .crowd = has_item('m') || p.small->relation == GPH_OPENS ? 0 : 9,
                                    .family = HASH_MIX};
    struct gph_scene *s = &p.scene;
    memset(s, 0, sizeof *s);
    s->stamped = &gph_sound; /* what is before is the sound kernels' work, also where planted ones are tried */
    s->explored = &p.explored;
    s->dice.state = mix64(seed);
    gph_table_make(&s->t, p.run->shape, &sizes, &s->dice);
    if (!gph_table_walk(&s->t, &s->before)) abort();
    table_fill();
}

/* ---- Choosing the items ----------------------------------------------------------------------------------------------------------- */

/* How many keys lie in a bucket. */
static int bucket_fill(uint32_t bucket)
{
    int n = 0;
    for (int i = 0; i < p.scene.t.keys; i++) n += p.scene.before.stored[i] && p.scene.before.bucket[i] == bucket;
    return n;
}

static bool home_has_room(int key) { return bucket_fill(gph_home(&p.scene.t, key)) < p.scene.t.shape.slots; }

/* May this key stand for a letter?  `first` is the first item's. */
static bool key_suits(char letter, int key, int first)
{
    const struct gph_scene *s = &p.scene;
    const bool stored = s->before.stored[key], room = home_has_room(key),
               same = gph_cell_of(&s->t, key) == gph_cell_of(&s->t, first);
    switch (letter) {
    case 'a': return !stored && !room;
    case 'd': return !stored && !room && gph_code(&s->t, gph_cell_of(&s->t, key)) == GPH_FLAGGED;
    case 'b': return !stored && !room && !same;
    case 'c': return !stored && !room && same && key != first;
    case 'u': return stored && s->before.bucket[key] < s->t.view.bucket_count;
    case 'v': return !stored && room;
    case 's': return stored && s->before.bucket[key] < s->t.view.bucket_count;
    case 'o': return stored && s->before.bucket[key] >= s->t.view.bucket_count && room;
    default: return !stored && room && same;
    }
}

/* The same letter is the same key; the others' cells are told from the first item's. */
static bool keys_choose(void)
{
    const char *items = p.small->items;
    for (int i = 0; items[i]; i++) {
        const int from = (int)dice_below(&p.scene.dice, (uint32_t)p.scene.t.keys), same = (int)(strchr(items, items[i]) - items);
        p.key[i] = same < i ? p.key[same] : -1;
        for (int k = 0; k < p.scene.t.keys && p.key[i] < 0; k++) {
            const int key = (from + k) % p.scene.t.keys;
            if (key && key_suits(items[i], key, i ? p.key[0] : key)) p.key[i] = key;
        }
        if (p.key[i] < 0) return false;
    }
    return true;
}

/* Where letters ask for it: a's cell is u's. */
static bool cells_suit(void)
{
    const char *items = p.small->items;
    if (items[0] == 'u' && gph_cell_of(&p.scene.t, p.key[1]) != gph_cell_of(&p.scene.t, p.key[0])) return false;
    return items[0] != 'o' || gph_code(&p.scene.t, gph_cell_of(&p.scene.t, p.key[0])) == GPH_FLAGGED;
}

/* ---- What items do alone ---------------------------------------------------------------------------------------------------------- */

static void scene_restore(void)
{
    gph_table_restore(&p.scene.t, &p.image);
    p.scene.before = p.before;
}

static void item_alone(int i)
{
    p.scene.items.n = 1;
    p.scene.items.operation = p.small->mode;
    gph_item_set(&p.scene, 0, p.key[i], 7);
    work_alone(&refine_alone);
}

static bool did(char what)
{
    const struct counters *c = &p.scene.counters;
    if (c->tries > MOST_TRIES && p.small->relation < GPH_PASSES) return false;
    if (what == 'm') return c->delta_moves + c->phi_moves == 1;
    if (what == 'f') return c->flagged == 1;
    return what != 'x' || c->inserted + c->updated == 0;
}

static bool alone_suit(void)
{
    bool ok = true;
    for (int i = 0; ok && p.small->items[i]; i++) {
        item_alone(i);
        ok = did(p.small->alone[i]);
        scene_restore();
    }
    return ok;
}

static bool in_turn_suit(void)
{
    const int n = (int)strlen(p.small->items);
    bool ok = true;
    for (int i = 0; ok && i < n; i++) {
        item_alone(i);
        ok = p.scene.counters.tries <= MOST_TRIES;
    }
    ok = ok && p.scene.before.stored[p.key[n - 1]] && p.scene.before.at[p.key[n - 1]] == p.before.at[p.key[0]];
    scene_restore();
    return ok;
}

static bool opens_suit(void)
{
    const struct gph_scene_table *t = &p.scene.t;
    const uint32_t bucket = gph_key_bucket(&t->view, t->hash[p.key[0]], gph_mapping(&t->view, GPH_FLAGGED));
    const int fill = bucket_fill(bucket);
    item_alone(1);
    const bool ok = fill == t->shape.slots && bucket_fill(bucket) < fill;
    scene_restore();
    return ok;
}

static bool passes_suit(void)
{
    const uint32_t *passed = p.scene.t.view.passed + gph_chain(&p.scene.t.view, gph_cell_of(&p.scene.t, p.key[0]), 0);
    const uint32_t before = *passed;
    item_alone(1);
    const bool ok = !before && *passed;
    scene_restore();
    return ok;
}

static bool relation_suits(void)
{
    switch (p.small->relation) {
    case GPH_IN_TURN: return in_turn_suit();
    case GPH_PASSES: return passes_suit();
    case GPH_OPENS: return opens_suit();
    default: return true;
    }
}

static bool word_flagged(uint32_t word)
{
    for (uint32_t cell = 4 * word; cell < 4 * word + 4; cell++)
        if (gph_code(&p.scene.t, cell) == GPH_FLAGGED) return true;
    return false;
}

static bool mends_suit(void)
{
    if (!word_flagged(0) || !word_flagged(1)) return false;
    if (!gph_mend_launch(&p.scene, &mend_alone)) abort();
    const bool ok = p.before.flagged >= p.scene.before.flagged + 2 && p.scene.counters.tries <= 2 * MOST_TRIES;
    scene_restore();
    return ok;
}

static bool scene_suits(void)
{
    if (p.small->operation == GPH_mend) return mends_suit();
    for (int i = 0; i < CHOICES; i++) {
        if (!keys_choose() || !cells_suit()) continue;
        if (p.small->operation != GPH_refine || (alone_suit() && relation_suits())) return true;
    }
    return false;
}

static void scene_keep(void)
{
    gph_table_save(&p.scene.t, &p.image);
    p.before = p.scene.before;
}

static void scene_unmake(void)
{
    gph_image_free(&p.image);
    gph_table_free(&p.scene.t);
}

/* The last table that was looked for and found: other tiles and memories start from the same. */
static struct {
    const struct gph_small *small;
    struct shape shape;
    uint32_t bucket_locks;
    uint64_t seed, found;
} known;

static bool scene_known(void)
{
    return known.small == p.small && known.seed == p.run->seed && known.bucket_locks == p.run->bucket_locks &&
           !memcmp(&known.shape, &p.run->shape, sizeof known.shape);
}

static void scene_find(void)
{
    uint64_t seed = scene_known() ? known.found : mix64(p.run->seed);
    known.small = p.small;
    known.shape = p.run->shape;
    known.bucket_locks = p.run->bucket_locks;
    known.seed = p.run->seed;
    for (int i = 0; i < MOST_DRAWS; i++, seed = mix64(seed)) {
        known.found = seed;
        scene_make(seed);
        scene_keep();
        if (scene_suits()) return;
        scene_unmake();
    }
    printf("%s: no table suits\n", p.small->name);
    abort();
}

/* ---- One schedule --------------------------------------------------------------------------------------------------------------- */

static void small_reset(void *unused)
{
    struct gph_scene *s = &p.scene;
    (void)unused;
    scene_restore();
    s->items.n = p.small->operation == GPH_mend ? 0 : (int)strlen(p.small->items);
    s->items.operation = p.small->mode;
    for (int i = 0; i < s->items.n; i++) gph_item_set(s, i, p.key[i], 7 + 2 * (uint64_t)i);
    gph_batch_call(s, p.small->operation, -1, 0);
    if (p.small->operation == GPH_mend) {
        gph_call_clear(s);
        s->call.args.batch.n = s->t.view.cell_count / 4;
    }
    s->call.args.view.patience = p.run->patience;
    s->call.size = p.run->size;
    s->stamped = p.run->stamped;
    scheduled_gph_kept = 0;
    if (!p.run->weak) gph_watch_begin(&s->watch, &s->t, p.small->operation == GPH_erase);
}

static const char *small_verdict(void *unused)
{
    struct gph_scene *s = &p.scene;
    const struct gph_launch l = {p.small->operation, 1, 1, false};
    bool ok;
    (void)unused;
    s->stamped = &gph_sound;
    if (scheduled_gph_kept) return "a step returned with a lock";
    if (p.small->operation == GPH_mend) ok = gph_mend_check(s) && gph_mend_alone(s);
    else ok = gph_batch_check(s, &l, 0);
    if (ok && p.small->operation == GPH_refine) ok = gph_refine_alone(s, 0);
    if (ok && p.small->operation == GPH_fill && s->items.list_n[0]) ok = gph_wrong(&s->t, "an item is parked, and there is room");
    return ok && gph_find_all(s) ? NULL : s->t.wrong;
}

const char *gph_small_explore(const struct gph_small *small, const struct gph_small_run *run, struct scheduled_searched *searched)
{
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    const struct gph_launch launch = {small->operation, run->size, (int)strlen(small->items), run->weak};
    p.small = small;
    p.run = run;
    scene_find();
    small_reset(NULL);
    p.scene.unwatched = run->stamped != &gph_sound; /* a cell may be on its way without a lock */
    const struct scheduled_plan plan = gph_plan(&p.scene, &launch);
    const char *report =
        scheduled_explore(&plan, &run->limits, run->stamped->run[small->operation], &p.scene.call, &trial, searched);
    scene_unmake();
    return report;
}
