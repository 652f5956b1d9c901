/* Small scenes of GPH: one lane fills the table, then every schedule starts from that same
 * table. */
#include "support/scheduled_gph_small.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_DRAWS = 400000, CHOICES = 8, MOST_TRIES = 16 /* mappings; keeps runs short */ };

static struct {
    const struct gph_small *small;
    const struct gph_small_run *run;
    struct gph_scene scene;
    struct frame_image image;
    struct gph_contents before;
    int key[4]; /* keys of the items */
} p;

/* ---- Making ---------------------------------------------------------------------------------- */

static bool has_item(char letter) { return strchr(p.small->items, letter) != NULL; }

/* Runs one kernel by one lane over the items that are set. */
static void work_alone(enum gph_operation operation)
{
    gph_batch_call(&p.scene, operation, -1, 0);
    if (!gph_launch_kernel(&p.scene, &frame_alone) || !gph_batch_check(&p.scene, 0)) {
        printf("alone: %s\n", wrong_text());
        abort();
    }
}

static void keys_take(int n, uint8_t operation)
{
    struct gph_scene *s = &p.scene;
    s->f.items.n = n;
    for (int i = 0; i < n; i++) {
        const int key = 1 + (int)dice_below(&s->f.dice, (uint32_t)s->t.keys - 1);
        frame_item_set(&s->f, i, key, operation, 100 + dice_below(&s->f.dice, 100));
    }
}

/* Fills the main buckets nearly; for some scenes also flags cells, and makes vacancies again. */
static void table_fill(void)
{
    const int slots = (int)p.scene.t.view.bucket_count * p.scene.t.shape.slots;
    keys_take(slots + (int)dice_below(&p.scene.f.dice, (uint32_t)slots), ROOST_OP_KEEP);
    work_alone(GPH_fill);
    if (!has_item('o') && !has_item('m') && !has_item('d') && p.small->relation != GPH_MEETS) return;
    keys_take(slots, ROOST_OP_KEEP);
    work_alone(GPH_refine);
    if (has_item('d')) return;
    keys_take(p.small->relation == GPH_MEETS ? slots / 4 : slots / 2, ROOST_OP_ERASE);
    work_alone(GPH_erase);
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
                                    .crowd = has_item('m') || p.small->relation == GPH_OPENS ? 0
                                             : p.small->relation == GPH_MEETS                ? 14
                                                                                             : 9,
                                    .family = HASH_KEYED};
    struct gph_scene *s = &p.scene;
    /* The sound kernels make the table, even where planted ones are tried. */
    gph_scene_begin(s, &gph_sound, mix64(seed));
    gph_scene_make(s, p.run->shape, &sizes);
    if (!gph_table_walk(&s->t, &s->before)) abort();
    table_fill();
}

/* ---- Choosing the items ---------------------------------------------------------------------- */

/* The number of keys in a bucket. */
static int bucket_fill(uint32_t bucket)
{
    int n = 0;
    for (int i = 0; i < p.scene.t.keys; i++) n += p.scene.before.stored[i] && p.scene.before.bucket[i] == bucket;
    return n;
}

static bool home_has_room(int key) { return bucket_fill(gph_home(&p.scene.t, key)) < p.scene.t.shape.slots; }

/* True if this key may stand for the letter. `first` is the first item's key. */
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

/* Equal letters mean equal keys; the letters of the others refer to the first item's cell. */
static bool keys_choose(void)
{
    const char *items = p.small->items;
    for (int i = 0; items[i]; i++) {
        const int from = (int)dice_below(&p.scene.f.dice, (uint32_t)p.scene.t.keys), same = (int)(strchr(items, items[i]) - items);
        p.key[i] = same < i ? p.key[same] : -1;
        for (int k = 0; k < p.scene.t.keys && p.key[i] < 0; k++) {
            const int key = (from + k) % p.scene.t.keys;
            if (key && key_suits(items[i], key, i ? p.key[0] : key)) p.key[i] = key;
        }
        if (p.key[i] < 0) return false;
    }
    return true;
}

/* If the letters ask for it: a's cell is u's. */
static bool cells_suit(void)
{
    const char *items = p.small->items;
    if (items[0] == 'u' && gph_cell_of(&p.scene.t, p.key[1]) != gph_cell_of(&p.scene.t, p.key[0])) return false;
    /* An item that flags its cell writes to other buckets than its cell's. */
    if (p.small->relation == GPH_MEETS) {
        const uint32_t code = gph_code(&p.scene.t, gph_cell_of(&p.scene.t, p.key[1]));
        if (code == 0 || code == GPH_FLAGGED) return false;
    }
    return items[0] != 'o' || gph_code(&p.scene.t, gph_cell_of(&p.scene.t, p.key[0])) == GPH_FLAGGED;
}

/* ---- What items do alone --------------------------------------------------------------------- */

static void scene_restore(void) { frame_image_restore(&p.image); }

static void item_alone(int i)
{
    p.scene.f.items.n = 1;
    frame_item_set(&p.scene.f, 0, p.key[i], p.small->mode, 7);
    work_alone(p.small->operation);
}

/* An insert that may move pairs. */
static bool is_moving(void) { return p.small->operation == GPH_refine || p.small->operation == GPH_evict; }

static bool did(char what)
{
    const struct counters *c = &p.scene.f.counters;
    if (c->tries > MOST_TRIES && p.small->relation < GPH_PASSES && p.small->relation != GPH_TWICE) return false;
    if (what == 'm') return c->delta_moves + c->phi_moves == 1;
    if (what == 'f') return c->flagged == 1;
    if (what == 'e') return c->inserted == 1 && c->evicted > 0;
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
        ok = p.scene.f.counters.tries <= MOST_TRIES;
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

/* The key in this slot; 0 if there is none. */
static int key_at(const struct gph_contents *c, uint32_t at)
{
    for (int i = 1; i < p.scene.t.keys; i++)
        if (c->stored[i] && c->at[i] == at) return i;
    return 0;
}

static bool beside_suit(void)
{
    const struct gph_scene_table *t = &p.scene.t;
    const uint32_t slot = p.before.at[p.key[0]], bucket = p.before.bucket[p.key[0]], slots = (uint32_t)t->shape.slots;
    bool ok = false;
    if (gph_home(t, p.key[2]) != bucket || gph_cell_of(t, p.key[2]) == gph_cell_of(t, p.key[0])) return false;
    for (uint32_t at = slot + 1; at < (bucket + 1) * slots; at++) ok = ok || !key_at(&p.before, at);
    item_alone(1);
    ok = ok && !key_at(&p.scene.before, slot);
    /* Otherwise the mover takes that bucket's lock, and the lock's next holder sees all earlier
     * stores. */
    for (int i = 1; i < t->keys; i++)
        ok = ok &&
             !(p.scene.before.stored[i] && p.scene.before.bucket[i] == bucket && gph_cell_of(t, i) == gph_cell_of(t, p.key[0]));
    scene_restore();
    return ok;
}

/* The key's rank among its cell's keys in the order of gathering. */
static int gathered_as(int key)
{
    const uint32_t cell = gph_cell_of(&p.scene.t, key), phi = gph_mapping(&p.scene.t.view, gph_code(&p.scene.t, cell)).phi;
    const bool second = p.before.bucket[key] == gph_bucket(&p.scene.t.view, cell, phi, 1);
    int n = 0;
    for (int i = 1; i < p.scene.t.keys; i++) {
        if (!p.before.stored[i] || gph_cell_of(&p.scene.t, i) != cell) continue;
        if (p.before.bucket[i] == p.before.bucket[key]) n += p.before.at[i] < p.before.at[key];
        else n += second;
    }
    return n;
}

/* The second item needs a slot from which a lane other than the first moved a key. */
static bool twice_suit(void)
{
    const struct gph_scene_table *t = &p.scene.t;
    const uint32_t cell = gph_cell_of(t, p.key[0]);
    bool moves[GPH_MOST_KEYS] = {false}, ok = false;
    for (int i = 1; i < t->keys; i++) moves[i] = p.before.stored[i] && gph_cell_of(t, i) == cell && gathered_as(i) > 0;
    item_alone(0);
    const uint32_t phi = gph_mapping(&t->view, gph_code(t, cell)).phi;
    for (int i = 1; i < t->keys; i++) {
        if (!moves[i] || key_at(&p.scene.before, p.before.at[i])) continue;
        for (uint32_t k = 0; k < 2; k++) ok = ok || gph_bucket(&t->view, cell, phi, k) == p.before.bucket[i];
    }
    if (ok) item_alone(1);
    ok = ok && (did('m') || did('f'));
    scene_restore();
    return ok;
}

static bool meets_suit(void)
{
    struct gph_contents first;
    bool ok = false;
    item_alone(0);
    first = p.scene.before;
    scene_restore();
    item_alone(1);
    for (int i = 1; i < p.scene.t.keys; i++) {
        const uint32_t at = p.scene.before.at[i];
        ok = ok || (p.scene.before.stored[i] && !key_at(&p.before, at) && key_at(&first, at));
    }
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
    case GPH_BESIDE: return beside_suit();
    case GPH_TWICE: return twice_suit();
    case GPH_MEETS: return meets_suit();
    case GPH_PASSES: return passes_suit();
    case GPH_OPENS: return opens_suit();
    default: return true;
    }
}

/* Counts the flagged cells of a word; *which: the last one. */
static int word_flagged(uint32_t word, uint32_t *which)
{
    int n = 0;
    for (uint32_t cell = 4 * word; cell < 4 * word + 4; cell++) {
        if (gph_code(&p.scene.t, cell) != GPH_FLAGGED) continue;
        *which = cell;
        n++;
    }
    return n;
}

/* Two flagged cells: true if both have keys, and their buckets under mapping 0 are all
 * different. */
static bool cells_apart(const uint32_t cell[2])
{
    const struct gph_view *v = &p.scene.t.view;
    bool apart = true, has[2] = {false, false};
    for (uint32_t i = 0; i < 4; i++) apart = apart && gph_bucket(v, cell[0], 0, i / 2) != gph_bucket(v, cell[1], 0, i % 2);
    for (int i = 1; i < p.scene.t.keys; i++)
        for (int k = 0; k < 2; k++) has[k] = has[k] || (p.before.stored[i] && gph_cell_of(&p.scene.t, i) == cell[k]);
    return apart && has[0] && has[1];
}

static bool mends_suit(void)
{
    const bool one_each = p.small->relation == GPH_APART;
    uint32_t cell[2];
    const int first = word_flagged(0, &cell[0]), second = word_flagged(1, &cell[1]);
    if (!first || !second || (one_each && (first + second > 2 || !cells_apart(cell)))) return false;
    if (!gph_mend_launch(&p.scene, &frame_alone)) abort();
    bool ok = p.before.flagged >= p.scene.before.flagged + 2 && p.scene.f.counters.tries <= 2 * MOST_TRIES;
    for (int i = 0; i < 2 && one_each; i++) ok = ok && gph_mapping(&p.scene.t.view, gph_code(&p.scene.t, cell[i])).phi == 0;
    scene_restore();
    return ok;
}

static bool scene_suits(void)
{
    if (p.small->operation == GPH_mend) return mends_suit();
    for (int i = 0; i < CHOICES; i++) {
        if (!keys_choose() || !cells_suit()) continue;
        if (!is_moving() || (alone_suit() && relation_suits())) return true;
    }
    return false;
}

static void scene_keep(void)
{
    gph_table_keep(&p.scene.t, &p.image);
    frame_image_keep(&p.image, &p.scene.before, sizeof p.scene.before);
    p.before = p.scene.before;
}

static void scene_unmake(void)
{
    frame_image_free(&p.image);
    gph_table_free(&p.scene.t);
}

/* The last table that was found; runs with other tiles and memories start from the same one. */
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

/* ---- One schedule ---------------------------------------------------------------------------- */

static struct frame_launch launch_of(void)
{
    const struct frame_launch l = {DRIVER_tile, p.run->size, (int)strlen(p.small->items), p.run->weak};
    return l;
}

static void small_reset(void *unused)
{
    struct gph_scene *s = &p.scene;
    const struct frame_launch l = launch_of();
    (void)unused;
    scene_restore();
    s->f.items.n = l.tiles;
    for (int i = 0; i < s->f.items.n && p.small->operation != GPH_mend; i++)
        frame_item_set(&s->f, i, p.key[i], p.small->mode, 7 + 2 * (uint64_t)i);
    if (p.small->operation == GPH_mend) gph_mend_call(s);
    else gph_batch_call(s, p.small->operation, -1, 0);
    s->call.args.view.patience = p.run->patience;
    s->call.size = p.run->size;
    s->stamped = p.run->stamped;
    scheduled_gph_kept = 0;
    if (!p.run->weak) gph_watch_launch(s, &l);
}

/* A cell whose buckets are its own fits, whatever the other items do. */
static bool mended_check(struct gph_scene *s)
{
    return p.small->relation != GPH_APART || s->t.flagged == 0 || wrong_say("a cell stays flagged, and has room");
}

static const char *small_verdict(void *unused)
{
    struct gph_scene *s = &p.scene;
    bool ok;
    (void)unused;
    s->stamped = &gph_sound;
    if (scheduled_gph_kept) return "a step returned with a lock";
    if (p.small->operation == GPH_mend) ok = gph_mend_check(s) && mended_check(s) && gph_mend_alone(s);
    else ok = gph_batch_check(s, 0);
    if (ok && is_moving()) ok = gph_insert_alone(s, 0);
    if (ok && p.small->operation == GPH_fill && s->f.items.list_n[0]) ok = wrong_say("an item is parked, and there is room");
    return ok && gph_find_all(s) ? NULL : wrong_text();
}

static void small_begin(const struct gph_small *small, const struct gph_small_run *run)
{
    p.small = small;
    p.run = run;
    scene_find();
    small_reset(NULL);
    /* A cell's keys may be in flight without a lock. */
    p.scene.unwatched = run->stamped != &gph_sound;
}

static struct scheduled_plan small_plan(void)
{
    const struct frame_launch l = launch_of();
    return gph_plan(&p.scene, &l);
}

const char *gph_small_explore(const struct gph_small *small, const struct gph_small_run *run, struct scheduled_searched *searched)
{
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    small_begin(small, run);
    const struct scheduled_plan plan = small_plan();
    const char *report =
        scheduled_explore(&plan, &run->limits, run->stamped->run[small->operation], &p.scene.call, &trial, searched);
    scene_unmake();
    return report;
}

const char *gph_small_draw(const struct gph_small *small, const struct gph_small_run *run, uint64_t runs)
{
    const char *report = NULL;
    small_begin(small, run);
    for (uint64_t i = 0; i < runs && !report; i++) {
        small_reset(NULL);
        const struct scheduled_plan plan = small_plan();
        report = scheduled_run(&plan, run->stamped->run[small->operation], &p.scene.call);
        if (!report) report = small_verdict(NULL);
    }
    scene_unmake();
    return report;
}
