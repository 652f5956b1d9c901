/* Are calls linearisable?  Many threads work on few keys of tiny tables, each item gets
 * timestamps, and each key's operations in one call are checked against every order that real
 * time permits.  Mixed batches on engines that work on all items at the same time; calls of one
 * operation with many duplicates on all engines; and mixed batches in phases without timestamps. */
#include "support/draw.h"
#include "support/history.h"
#include "support/restless.h"
#include "support/settings.h"
#include "roost/mixed.h"

#include <stdlib.h>

/* Frequency of each operation, in the order of roost_operation. */
struct mix {
    const char *name;
    unsigned find, erase, insert[ROOST_MAX + 1];
    unsigned per_key; /* operations of a call, on average */
    bool hot;         /* true: half of them go to a few of the keys */
    /* true: histories without timestamps can be decided, as few orders explain them */
    bool orders_few;
};

enum {
    UNDECIDED_ONE_IN = 10000 /* histories at most */,
    THREADS = 8 /* host's, more than processors */,
    TABLE_LIFE = 64 /* calls until it is cleared */,
    HOT = 32 /* items, half of them on a hot key */,
    LONGEST = 20 /* times the histories that are wanted */
};

static const struct mix mixes[] = {
    {"everything", 4, 4, {2, 2, 2, 1, 1}, 7, false, true},
    {"tombstones", 2, 4, {0, 4, 0, 0, 0}, 8, false, true},
    {"hot keys", 4, 2, {2, 1, 2, 1, 1}, 8, true, false},
    {"counters", 3, 1, {0, 0, 6, 0, 0}, 8, false, false},
};

static const char *const stampings[] = {"fenced", "unfenced", "unstamped"};

static struct history_counts sums[STAMPS_NONE + 1];
static uint64_t wanted_of[STAMPS_NONE + 1]; /* histories; 0: the earlier cases had none */

static uint8_t draw_operation(struct dice *dice, const struct mix *mix)
{
    unsigned all = mix->find + mix->erase;
    for (unsigned i = 0; i <= ROOST_MAX; i++) all += mix->insert[i];
    unsigned at = (unsigned)draw_below(dice, all);
    if (at < mix->find) return ROOST_OP_FIND;
    at -= mix->find;
    if (at < mix->erase) return ROOST_OP_ERASE;
    at -= mix->erase;
    uint8_t operation = ROOST_OP_INSERT;
    for (; at >= mix->insert[operation - ROOST_OP_INSERT]; operation++) at -= mix->insert[operation - ROOST_OP_INSERT];
    return operation;
}

static uint8_t draw_operation_for(struct dice *dice, const struct mix *mix, const struct test_shape *shape)
{
    const uint8_t operation = draw_operation(dice, mix);
    return !shape_has_arithmetic(shape) && operation >= ROOST_OP_ADD ? ROOST_OP_ASSIGN : operation;
}

/* A GPU works on nearly all items at a time.  The few threads of the host work on items that are
 * adjacent in the batch, so these have few distinct keys. */
static void draw_items(struct dice *dice, struct history *h, const struct mix *mix, size_t n, bool mixed)
{
    const uint8_t one = draw_operation_for(dice, mix, &h->table->shape);
    const size_t keys = h->key_count, near = settings_on_gpu() ? keys : 1 + draw_below(dice, 3);
    for (size_t i = 0; i < n; i++) {
        const size_t hot = settings_on_gpu() ? i % (n / HOT) : i / HOT * HOT * keys / n;
        const size_t key = mix->hot && draw_below(dice, 2) ? hot : i * keys / n + draw_below(dice, near);
        h->items[i].operation = mixed ? draw_operation_for(dice, mix, &h->table->shape) : one;
        h->items[i].key = (uint32_t)(key % keys);
        /* nearly always distinct: a find's value tells which insert it saw */
        h->items[i].argument = draw(dice);
    }
}

/* Holds up hardly any operation, or up to every other atomic; threads take single items, or
 * several adjacent ones. */
static void hold_up(struct dice *dice)
{
    const unsigned one_in = 2u << draw_below(dice, 8);
    const uint64_t piece = UINT64_C(1) << draw_below(dice, 3);
    restless_begin(draw(dice), one_in, piece);
}

static void open_table(struct table *table, const struct variant *variant, size_t keys)
{
    roost_config config;
    table_config(variant, &config);
    config.threads = THREADS;
    config.capacity = keys / 4; /* too few buckets, so that lists grow and share keys */
    table_open(table, variant, &config);
}

/* Share of the wanted histories that must be ones in which operations overlap; per cent. On a GPU
 * single cases have 24 to 70. */
static unsigned overlapping_share(void) { return settings_get()->is_short ? 10 : settings_on_gpu() ? 20 : 30; }

static bool overlaps_enough(const struct history_counts *counts, uint64_t wanted)
{
    return counts->crowded * 100 >= wanted * overlapping_share();
}

/* On a busy machine threads may wake late, when a call is done. Then a campaign goes on. */
static bool campaign_ends(const struct history_counts *counts, uint64_t wanted)
{
    return counts->histories >= wanted && (overlaps_enough(counts, wanted) || counts->histories >= LONGEST * wanted);
}

static void campaign(const struct variant *variant, const struct mix *mix, enum stamping stamping, bool mixed)
{
    const bool gpu = settings_on_gpu();
    const size_t wanted = gpu ? settings_effort(1000000, 50000, 20000) : settings_effort(220000, 2000, 400);
    const size_t room = gpu ? settings_size(1 << 17, 1 << 14) : settings_size(2048, 512), keys = room / mix->per_key;
    struct dice dice = {suite_seed()};
    struct table table;
    open_table(&table, variant, keys);
    struct history *h = history_open(&table, stamping, keys, room);
    for (unsigned call = 0; !campaign_ends(&h->counts, wanted); call++) {
        suite_step("call %u", call);
        const size_t n = room / 2 + draw_below(&dice, room / 2) + 1;
        draw_items(&dice, h, mix, n, mixed);
        hold_up(&dice);
        history_run(h, n, mixed);
        restless_end();
        if (call % TABLE_LIFE != TABLE_LIFE - 1) continue;
        table_check(&table);
        require_status(ROOST_OK, roost_table_clear(table.handle), table.handle);
        history_cleared(h);
    }
    table_check(&table);
    history_print(stdout, stampings[stamping], &h->counts);
    history_add(&sums[stamping], &h->counts);
    wanted_of[stamping] += wanted;
    history_close(h);
    table_close(&table);
}

static void mixed_calls(const struct variant *variant)
{
    campaign(variant, &mixes[variant->number % 10], (enum stamping)(variant->number / 10), true);
}

static void single_calls(const struct variant *variant)
{
    campaign(variant, &mixes[variant->number % 10], (enum stamping)(variant->number / 10), false);
}

/* Over the earlier cases: operations overlapped (less under sanitizers), and hardly any history
 * was undecided. */
static void overlaps(const struct variant *variant)
{
    (void)variant;
    for (int s = 0; s <= STAMPS_NONE; s++) {
        if (!wanted_of[s]) continue;
        char name[32];
        snprintf(name, sizeof name, "all %s", stampings[s]);
        history_print(stdout, name, &sums[s]);
        require(sums[s].undecided * UNDECIDED_ONE_IN <= sums[s].histories, "%llu histories are undecided",
                (unsigned long long)sums[s].undecided);
        require(overlaps_enough(&sums[s], wanted_of[s]), "in too few histories three operations overlap");
    }
}

/* True if this run's engine works on all items of a mixed batch at once. */
static bool engine_mixes(void)
{
    const struct variant variant = {.shape = &shapes[0]};
    roost_config config;
    struct table table;
    require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
    config.seed = 1;
    config.engine = table_engine(&variant);
    config.device = "host";
    require_status(ROOST_OK, table_create(&table, &variant, &config), NULL);
    const bool mixes_all = history_mixes(&table);
    table_close(&table);
    return mixes_all;
}

/* Adds three of the shapes with other options. */
static void add_options(const char *options, size_t first_shape, size_t mix)
{
    char name[64];
    snprintf(name, sizeof name, "mixed, %s, %s", mixes[mix].name, stampings[STAMPS_FENCED]);
    for (size_t i = first_shape; i < first_shape + 3; i++)
        suite_add(name, mixed_calls, (struct variant){.shape = &shapes[i], .number = 10 * STAMPS_FENCED + mix, .options = options});
}

/* Adds other widths of keys and values.  Longer ones are published in parts, and read beside
 * writers. */
static void add_wide(size_t mix)
{
    static const char *const names[] = {"12+0", "12+4 u32", "16+16", "8+256"};
    char name[64];
    snprintf(name, sizeof name, "mixed, %s, %s", mixes[mix].name, stampings[STAMPS_FENCED]);
    for (size_t i = 0; i < sizeof names / sizeof *names && settings_on_stadium(); i++)
        suite_add(name, mixed_calls,
                  (struct variant){.shape = shape_named(names[i]),
                                   .number = 10 * STAMPS_FENCED + mix,
                                   .placement = settings_on_gpu() && i % 2 ? PLACE_DEVICE : PLACE_HOST});
}

/* Slab: publishing in two steps where one would do.  Stadium: infos that do not tell keys apart;
 * groups of one. */
static void add_engines_options(size_t mix)
{
    if (settings_on_slab()) add_options("publish=two-step", 1, mix);
    if (settings_on_stadium()) add_options("ticket=2,probe=group", 0, mix);
    if (settings_on_stadium()) add_options("ticket=16,probe=double", 3, mix);
}

static void add_cases(const char *behaviour, test_body body, size_t mix, enum stamping stamping)
{
    char name[64];
    snprintf(name, sizeof name, "%s, %s, %s", behaviour, mixes[mix].name, stampings[stamping]);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        const enum placement placement = settings_on_gpu() && i % 3 ? PLACE_DEVICE : PLACE_HOST;
        suite_add(name, body, (struct variant){.shape = &shapes[i], .number = 10 * stamping + mix, .placement = placement});
    }
}

int main(int argc, char **argv)
{
    suite_begin(argc, argv);
    const bool all_at_once = engine_mixes();
    for (size_t mix = 0; mix < sizeof mixes / sizeof *mixes; mix++) {
        for (int s = STAMPS_FENCED; s <= STAMPS_UNFENCED && all_at_once; s++)
            add_cases("mixed", mixed_calls, mix, (enum stamping)s);
        for (int s = STAMPS_FENCED; s <= STAMPS_UNFENCED; s++) add_cases("single", single_calls, mix, (enum stamping)s);
        if (!all_at_once && mixes[mix].orders_few) add_cases("mixed", mixed_calls, mix, STAMPS_NONE);
    }
    for (size_t mix = 0; mix < sizeof mixes / sizeof *mixes; mix++) {
        add_engines_options(mix);
        add_wide(mix);
    }
    suite_add_once("overlaps", overlaps);
    return suite_run("linearisable");
}
