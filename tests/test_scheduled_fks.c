/* FKS's builds on the scheduled machine.  Teams of 1, 4 and 32 lanes build regions of one part
 * beside each other: crowded buckets, and keys that come twice.  Every key is in one of its two
 * lines once, counts and statuses are right, and no two buckets have the same lines.  Also a
 * partition's pass run backwards.  Memory is strong: the lanes of a team share scratch memory by
 * atomics, and the machine's weak memory covers atomics only outside of it. */
#include "portable/hash_seeds.h"
#include "portable/partition_items.h"
#include "support/scheduled_fks_build_kernels.h"
#include "support/scheduled_program.h"
#include "support/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUDGET = 4000000, MOST_ITEMS = 1200, BUCKETS = 4, GRANULES = 512, GRANULE = 256 };

/* A part that is built from items alone. */
static struct {
    struct fks_build_call call;
    struct fks_part to, nothing;
    struct fks_space space;
    struct fks_entry directory[BUCKETS];
    _Alignas(64) unsigned char lines[GRANULES * GRANULE];
    uint32_t links[GRANULES];
    _Alignas(64) unsigned char special[64];
    uint32_t hashes[MOST_ITEMS], values[MOST_ITEMS];
    uint8_t statuses[MOST_ITEMS];
    uint64_t bounds[BUCKETS + 1];
} w;

static const struct shape shape = {4, 4, 8, 1, 2};

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Draws n items of `keys` keys, by region: the hashes are in order, and their first bits are the
 * region. */
static void scene_make(struct dice *dice, int n, int keys, int bits, double load)
{
    static uint32_t drawn[MOST_ITEMS];
    memset(&w, 0, sizeof w);
    w.to = (struct fks_part){w.lines, w.directory, BUCKETS, 2 * BUCKETS - 1, GRANULES, 0, w.links};
    w.call.args.view = (struct fks_view){.parts = &w.nothing,
                                         .special = w.special,
                                         .line_load = (uint32_t)(load * 8 * 65536),
                                         .lines_most = 128,
                                         .quantum = 4,
                                         .homes = 2,
                                         .iterations = 1,
                                         .granule_log = 8};
    hash_seeds_draw(&w.call.args.view.seeds, HASH_KEYED, dice_draw(dice));
    memset(w.special, 0xff, sizeof w.special);
    for (int k = 0; k < keys; k++) do
            drawn[k] = (uint32_t)dice_draw(dice);
        while (fks_key(shape, &w.call.args.view, drawn[k]) == 0);
    for (int i = 0; i < n; i++) w.hashes[i] = drawn[i < keys ? i : (int)dice_below(dice, (uint32_t)keys)];
    qsort(w.hashes, (size_t)n, sizeof w.hashes[0], by_number);
    for (int i = 0; i < n; i++) w.values[i] = (uint32_t)i;
    for (int r = 0, i = 0; r <= 1 << bits; r++) {
        while (i < n && (r == 1 << bits || w.hashes[i] >> (32 - bits) < (uint32_t)r)) i++;
        w.bounds[r] = (uint64_t)i;
    }
    w.call.args.batch.statuses = w.statuses;
    w.call.args.batch.values_in = w.values;
    w.call.args.batch.value_type = ROOST_TYPE_U32;
    w.call.args.work = (struct fks_work){.hashes = w.hashes,
                                         .bounds = w.bounds,
                                         .to = &w.to,
                                         .spaces = &w.space,
                                         .digit_bits = (uint32_t)bits,
                                         .bounds_bits = (uint32_t)bits,
                                         .part_count = 1,
                                         .region_count = 1u << bits,
                                         .fresh = 1};
}

/* ---- Verdicts ------------------------------------------------------------------------------- */

static int times_in(const struct fks_entry *e, uint32_t line, roost_key key)
{
    int times = 0;
    const unsigned char *at = w.lines + (size_t)e->first * GRANULE + line * 64;
    for (int i = 0; i < 8; i++) {
        const struct pair pair = pair_load(shape, at, i, false);
        times += pair.taken && pair.key == key;
    }
    return times;
}

static const char *key_verdict(uint32_t hash)
{
    const roost_key key = fks_key(shape, &w.call.args.view, hash);
    const struct fks_entry *e = &w.directory[fks_bucket_of(&w.to, 0, hash)];
    const struct fks_lines l = fks_lines_of(&w.call.args.view, hash, fks_form_lines(e->form), fks_form_seed(e->form));
    const int first = times_in(e, l.first, key), second = l.second == l.first ? 0 : times_in(e, l.second, key);
    if (first + second > 1) return "a key is stored twice";
    if (first + second == 0) return "a key is lost";
    return second && !fks_marked(e, l.first) ? "a key is in the second line, but the first is not marked" : NULL;
}

static const char *verdict(int n)
{
    static bool used[GRANULES];
    int stored = 0, distinct = 0, inserted = 0, count = 0;
    memset(used, 0, sizeof used);
    if (w.space.trouble) return "a build failed although there was room and a layout";
    for (int b = 0; b < BUCKETS; b++) {
        const struct fks_entry *e = &w.directory[b];
        const uint32_t granules = fks_granules(shape, &w.call.args.view, fks_form_lines(e->form));
        for (uint32_t i = e->first; i < e->first + granules; i++) {
            if (i >= GRANULES || used[i]) return "two buckets have the same lines";
            used[i] = true;
        }
        count += (int)fks_form_count(e->form);
        for (uint32_t i = 0; i < fks_form_lines(e->form) * 8; i++)
            stored += pair_load(shape, w.lines + (size_t)e->first * GRANULE + i / 8 * 64, (int)(i % 8), false).taken;
    }
    for (int i = 0; i < n; i++) {
        const uint8_t fate = w.statuses[i] & (uint8_t)~FKS_TENTATIVE;
        const bool again = i && w.hashes[i] == w.hashes[i - 1];
        const char *wrong = key_verdict(w.hashes[i]);
        if (wrong) return wrong;
        if (fate != ROOST_ITEM_INSERTED && fate != ROOST_ITEM_UPDATED) return "an item has no fate";
        distinct += !again;
        inserted += fate == ROOST_ITEM_INSERTED;
    }
    if (stored != distinct || count != distinct) return "stored pairs or counts differ from the keys inserted";
    if (inserted != distinct || w.space.inserted != (uint64_t)distinct) return "a key was not inserted exactly once";
    return w.space.updated != (uint64_t)(n - distinct) ? "not all others updated it" : NULL;
}

static uint64_t moved, copied, reseeded;

static const char *one_seed(const struct fks_build_stamped *stamped, uint64_t seed, int size)
{
    struct dice dice = {mix64(seed) + (uint64_t)size};
    const int bits = 1 + (int)dice_below(&dice, 2);
    const int n = 40 + (int)dice_below(&dice, size == 32 ? MOST_ITEMS - 40 : 300),
              copies = dice_below(&dice, 4) ? 0 : (int)dice_below(&dice, 30);
    scene_make(&dice, n, n - copies, bits, 0.5 + 0.1 * dice_below(&dice, 5));
    w.call.shape = shape;
    w.call.size = size;
    const struct scheduled_plan plan = {
        .seed = dice_draw(&dice), .size = size, .tiles = 1 << bits, .budget = BUDGET, .scratch_bytes = sizeof(struct fks_scratch)};
    const char *wrong = scheduled_run(&plan, stamped->build, &w.call);
    if (!wrong) wrong = verdict(n);
    moved += w.space.evicted, copied += w.space.updated, reseeded += w.space.reseeded;
    return wrong;
}

static void many_seeds(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < settings_size(2000, 200); seed++)
        for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8) {
            const char *wrong = one_seed(&fks_build_sound, settings_get()->seed + seed, size);
            if (wrong) print_error("seed %" PRIu64 ", team of %d: %s\n", seed, size, wrong);
            assert_null(wrong);
        }
    printf("%" PRIu64 " pairs were moved, %" PRIu64 " items met their key, %" PRIu64 " buckets drew new seeds\n", moved, copied,
           reseeded);
    assert_true(moved > 0 && copied > 0);
}

/* Of two lanes that move the same pair, the later one overwrites what the first one stored: the
 * verdict shows it. */
static void a_plant_is_found(void **state)
{
    const char *wrong = NULL;
    (void)state;
    for (uint64_t seed = 0; seed < 200 && !wrong; seed++)
        wrong = one_seed(&fks_build_shift_stores, settings_get()->seed + seed, seed % 2 ? 4 : 32);
    printf("found: %s\n", wrong ? wrong : "nothing");
    assert_non_null(wrong);
}

/* ---- Blocks --------------------------------------------------------------------------------- */

enum { LARGEST = 5, FEW_GRANULES = 24 };

/* The part has not enough memory for all takes. */
static uint32_t blocks[TAKERS][TAKES];
static struct fks_take_call takes = {.part = &w.to, .space = &w.space, .blocks = blocks};

static const char *use(uint8_t owners[FEW_GRANULES], uint32_t block, uint32_t granules, uint32_t *sum)
{
    *sum += granules;
    if (block >= FEW_GRANULES || granules > FEW_GRANULES - block) return "a block lies behind the memory";
    for (uint32_t i = block; i < block + granules; i++)
        if (owners[i]++) return "a block was handed out twice";
    return NULL;
}

static const char *blocks_verdict(void)
{
    uint8_t owners[FEW_GRANULES] = {0};
    const uint32_t used = w.space.used < FEW_GRANULES ? w.space.used : FEW_GRANULES;
    const char *wrong = NULL;
    uint32_t sum = 0;
    for (int who = 0; who < TAKERS; who++)
        for (int i = 0; i < TAKES && !wrong; i++)
            if (takes.kept[who][i] && blocks[who][i] != ~0u) wrong = use(owners, blocks[who][i], takes.sizes[who][i], &sum);
    for (uint32_t c = 0; c < FKS_CLASSES; c++)
        for (uint32_t top = (uint32_t)w.space.free[c]; top && !wrong; top = w.links[top - 1])
            wrong = use(owners, top - 1, c + 1, &sum);
    return wrong || sum == used ? wrong : "memory has no owner";
}

static const char *take_once(const struct fks_build_stamped *stamped, uint64_t seed)
{
    struct dice dice = {mix64(seed)};
    memset(&w, 0, sizeof w);
    w.to = (struct fks_part){w.lines, w.directory, BUCKETS, 2 * BUCKETS - 1, FEW_GRANULES, 0, w.links};
    for (int who = 0; who < TAKERS; who++)
        for (int i = 0; i < TAKES; i++) {
            takes.sizes[who][i] = 1 + dice_below(&dice, LARGEST);
            takes.kept[who][i] = dice_below(&dice, 2);
        }
    const struct scheduled_plan plan = {.seed = dice_draw(&dice), .size = 1, .tiles = TAKERS, .budget = BUDGET};
    const char *wrong = scheduled_run(&plan, stamped->take, &takes);
    return wrong ? wrong : blocks_verdict();
}

static const char *take_often(const struct fks_build_stamped *stamped, uint64_t times)
{
    const char *wrong = NULL;
    for (uint64_t seed = 0; seed < times && !wrong; seed++) wrong = take_once(stamped, settings_get()->seed + seed);
    return wrong;
}

static void blocks_are_handed_out_once(void **state)
{
    (void)state;
    const char *wrong = take_often(&fks_build_sound, settings_size(200000, 20000));
    if (wrong) print_error("%s\n", wrong);
    assert_null(wrong);
}

static void shares_given_back_are_found(void **state)
{
    (void)state;
    const char *wrong = take_often(&fks_build_give_back, 200000);
    printf("found: %s\n", wrong ? wrong : "nothing");
    assert_non_null(wrong);
}

/* ---- A pass backwards ----------------------------------------------------------------------- */

enum { ANSWERS = PARTITION_CHUNK + 300, CHUNKS = PARTITION_GROUP };

static struct {
    struct partition_replay r;
    _Alignas(8) uint8_t codes[ANSWERS];
    uint8_t fates[ANSWERS], statuses_out[ANSWERS], found_out[ANSWERS];
    uint32_t values[ANSWERS], values_out[ANSWERS], places[PARTITION_DIGITS * CHUNKS];
    int size;
} back;

static void count(const void *args, void *scratch)
{
    (void)args;
    partition_count(tile_make(back.size), &back.r, (uint32_t)tile_rank(back.size), (uint32_t *)scratch);
}

static void bring_back(const void *args, void *scratch)
{
    (void)args;
    partition_back(tile_make(back.size), &back.r, (uint32_t)tile_rank(back.size), (struct partition_scratch *)scratch);
}

/* Two of three are found. */
static uint8_t fate_of(int i) { return i % 3 ? ROOST_ITEM_FOUND : i % 2 ? ROOST_ITEM_ABSENT : ROOST_ITEM_ERASED; }

static void backwards(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < settings_size(8, 3); seed++) {
        struct dice dice = {mix64(seed + settings_get()->seed)};
        const uint32_t digits = seed % 2 ? PARTITION_DIGITS : 3;
        uint32_t next[PARTITION_DIGITS] = {0}, before = 0;
        memset(&back, 0, sizeof back);
        back.size = seed % 3 ? 32 : 4;
        back.r = (struct partition_replay){.codes = back.codes,
                                           .n = ANSWERS,
                                           .value_bytes = 4,
                                           .values = back.values,
                                           .fates = back.fates,
                                           .values_out = back.values_out,
                                           .found_out = back.found_out,
                                           .statuses_out = back.statuses_out,
                                           .absent_zero = true,
                                           .places = back.places,
                                           .chunks = CHUNKS};
        for (int i = 0; i < ANSWERS; i++) next[back.codes[i] = (uint8_t)dice_below(&dice, digits)]++;
        for (uint32_t d = 0; d < PARTITION_DIGITS; d++) {
            const uint32_t here = next[d];
            next[d] = before, before += here;
        }
        for (int i = 0; i < ANSWERS; i++) { /* as a stable partition places them */
            const uint32_t place = next[back.codes[i]]++;
            back.values[place] = (uint32_t)i + 1, back.fates[place] = fate_of(i);
        }
        struct scheduled_plan plan = {.seed = dice_draw(&dice),
                                      .size = back.size,
                                      .tiles = CHUNKS / PARTITION_GROUP,
                                      .budget = BUDGET,
                                      .scratch_bytes = sizeof(struct partition_scratch)};
        const char *wrong = scheduled_run(&plan, count, NULL);
        before = 0;
        for (int i = 0; i < PARTITION_DIGITS * CHUNKS; i++) {
            const uint32_t here = back.places[i];
            back.places[i] = before, before += here;
        }
        plan.tiles = CHUNKS;
        if (!wrong) wrong = scheduled_run(&plan, bring_back, NULL);
        for (int i = 0; i < ANSWERS && !wrong; i++)
            if (back.statuses_out[i] != fate_of(i) || back.found_out[i] != (i % 3 != 0) || back.values_out[i] != (uint32_t)i + 1)
                wrong = "an answer came to another item";
        if (wrong) print_error("seed %" PRIu64 ": %s\n", seed, wrong);
        assert_null(wrong);
    }
}

int main(int argc, char **argv)
{
    static struct program_cases cases;
    PROGRAM_CASE(&cases, many_seeds);
    PROGRAM_CASE(&cases, a_plant_is_found);
    PROGRAM_CASE(&cases, blocks_are_handed_out_once);
    PROGRAM_CASE(&cases, shares_given_back_are_found);
    PROGRAM_CASE(&cases, backwards);
    return program_run(argc, argv, "scheduled fks", &cases);
}
