/* Small scenes: one lane fills the table, then every schedule starts from that same table. */
#include "support/scheduled_small.h"

#include <stdlib.h>

enum { BUDGET = 1000000, MOST_NEW = 3 };

static struct {
    const struct small_scene *small;
    struct frame_scenario scenario;
    struct scene scene;
    struct frame_image image;
    struct items items;
    struct scheduled_call call;
    int new_key[MOST_NEW], news; /* keys that found no room */
} p;

/* ---- Making ---------------------------------------------------------------------------------- */

static roost_type small_type(void)
{
    const int bytes = p.scene.t.shape.value_bytes;
    return bytes == 0 ? ROOST_TYPE_NONE : bytes == 4 ? ROOST_TYPE_I32 : ROOST_TYPE_I64;
}

/* Makes a batch of n items, whose keys are not yet set. */
static void items_allocate(struct items *items, int n)
{
    memset(items, 0, sizeof *items);
    items->n = n;
    items->keys = scene_array((size_t)n * 8);
    items->values_in = scene_array((size_t)n * 8);
    items->values_out = scene_array((size_t)n * 8);
    items->statuses = (uint8_t *)scene_array((size_t)n);
    items->found = (uint8_t *)scene_array((size_t)n);
    for (int i = 0; i < 3; i++) items->list[i] = (uint32_t *)scene_array((size_t)n * sizeof(uint32_t));
}

/* Values are below zero, so that a vacant slot's value is not a minimum's identity; each is
 * different. */
static void item_set(struct items *items, int i, int key)
{
    const struct shape s = p.scene.t.shape;
    items->key[i] = key;
    items->value[i] = s.value_bytes == 0 ? 0 : s.value_bytes == 4 ? (uint32_t)(-5 - 2 * i) : (uint64_t)(int64_t)(-5 - 2 * i);
    store_width(s.key_bytes, items->keys, (uint64_t)i, p.scene.t.key[key]);
    if (s.value_bytes) store_width(s.value_bytes, items->values_in, (uint64_t)i, items->value[i]);
}

/* The list in which an operation leaves the items that it finds no room for. */
static int leftovers(enum dycuckoo_operation operation)
{
    return operation == DYCUCKOO_fill ? 0 : operation == DYCUCKOO_evict ? 1 : 2;
}

/* Stores one key by one lane; true if there was room. */
static bool store_key(enum dycuckoo_operation operation, int key)
{
    const struct launch launch = {operation, DRIVER_tile, 1, 1};
    struct contents contents;
    struct items items;
    items_allocate(&items, 1);
    item_set(&items, 0, key);
    struct dycuckoo_args args = scene_insert_args(&p.scene, &items, ROOST_ASSIGN);
    items_pass_over(&args, &items, -1, leftovers(operation));
    if (!scene_launch(&p.scene, launch, &args)) abort();
    const bool stored = items.list_n[leftovers(operation)] == 0;
    scene_counts_take(&p.scene);
    if (!scheduled_table_walk(&p.scene.t, &contents) || (stored && !scene_insert_check(&p.scene, &items, &args, &contents)))
        abort();
    items_free(&items);
    return stored;
}

static void keys_store(void)
{
    int stored = 0;
    for (int key = 1 /* key 0 has a bucket of its own */; key < p.scene.t.keys && stored < p.small->stored && p.news < 2; key++) {
        if (store_key(DYCUCKOO_fill, key)) stored++;
        else p.new_key[p.news++] = key;
    }
    for (int key = p.scene.t.keys - 1; p.news < MOST_NEW; key--)
        if (!p.scene.t.stored[key]) p.new_key[p.news++] = key;
}

static int key_of(char letter)
{
    int key = 0;
    if (letter < 's') return p.new_key[letter - 'a'];
    for (int i = letter - 's'; !p.scene.t.stored[key] || i-- > 0;) key++;
    return key;
}

static void scene_make(const struct small_run *run, uint64_t seed)
{
    /* The sound kernels make the table, even where planted ones are tried. */
    const int n = (int)strlen(p.small->items);
    p.scenario = (struct frame_scenario){
        .kernels = &dycuckoo_sound, .shape = (int)run->shape, .driver = DRIVER_tile, .size = run->size, .seed = run->seed};
    p.news = 0;
    p.scene.scenario = &p.scenario;
    p.scene.dice.state = seed;
    scheduled_table_make_small(&p.scene.t, scheduled_shape(run->shape), p.small->subtables, &p.scene.dice);
    p.scene.type = small_type();
    keys_store();
    items_allocate(&p.items, n);
    for (int i = 0; i < n; i++) item_set(&p.items, i, key_of(p.small->items[i]));
}

static void scene_unmake(void)
{
    items_free(&p.items);
    scheduled_table_free(&p.scene.t);
}

static bool makes_room(void) { return p.small->operation == DYCUCKOO_evict || p.small->operation == DYCUCKOO_path; }

/* Draws tables until an item alone can make room for a key. Otherwise every schedule would
 * search the whole table in vain. */
static void scene_make_feasible(const struct small_run *run)
{
    uint64_t seed = mix64(run->seed);
    for (bool feasible = !makes_room(); !feasible;) {
        scene_make(run, seed);
        feasible = store_key(p.small->operation, key_of('a'));
        scene_unmake();
        if (!feasible) seed = mix64(seed);
    }
    scene_make(run, seed);
}

static void scene_keep(void)
{
    frame_image_keep(&p.image, &p.scene.t, sizeof p.scene.t);
    for (int i = 0; i <= MAX_SUBTABLES; i++) {
        const struct dycuckoo_subtable *sub = &p.scene.t.view.sub[i];
        if (!sub->buckets) continue;
        frame_image_keep(&p.image, sub->buckets, sub->bucket_count * shape_bucket_bytes(p.scene.t.shape));
        frame_image_keep(&p.image, sub->locks, sizeof *sub->locks);
    }
}

/* ---- One schedule ---------------------------------------------------------------------------- */

static bool inserts(void) { return p.small->operation != DYCUCKOO_erase; }

static void small_reset(void *unused)
{
    struct scene *s = &p.scene;
    (void)unused;
    frame_image_restore(&p.image);
    memset(p.items.statuses, 0xee, (size_t)p.items.n);
    p.call.args = inserts() ? scene_insert_args(s, &p.items, p.small->mode) : scene_args(s, &p.items);
    if (!inserts()) {
        p.call.args.batch.values_in = NULL;
        return;
    }
    items_pass_over(&p.call.args, &p.items, -1, leftovers(p.small->operation));
    scheduled_watch_begin(&s->watch, &s->t, &p.call.args.view);
}

static const char *small_verdict(void *unused)
{
    struct scene *s = &p.scene;
    bool ok;
    (void)unused;
    if (inserts()) {
        ok = scene_insert_finish(s, &p.items, &p.call.args, p.small->operation);
    } else {
        scene_counts_take(s);
        ok = scene_erase_check(s, &p.items) && scheduled_table_check(&s->t);
    }
    return ok ? NULL : wrong_text();
}

const char *small_scene_explore(const struct small_scene *small, const struct small_run *run, struct scheduled_searched *searched)
{
    const struct scheduled_trial trial = {small_reset, small_verdict, NULL};
    p.small = small;
    scene_make_feasible(run);
    scene_keep();
    p.call.shape = p.scene.t.shape;
    p.call.driver = DRIVER_tile;
    p.call.size = run->size;
    const struct scheduled_plan plan = {.size = run->size,
                                        .tiles = p.items.n,
                                        .budget = BUDGET,
                                        .scratch_bytes = DYCUCKOO_SCRATCH_path,
                                        .watch = inserts() ? scheduled_watch_look : NULL,
                                        .context = &p.scene.watch,
                                        .weak = run->weak};
    const char *report = scheduled_explore(&plan, &run->limits, run->kernels->run[small->operation], &p.call, &trial, searched);
    frame_image_free(&p.image);
    scene_unmake();
    return report;
}
