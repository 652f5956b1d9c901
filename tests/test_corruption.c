/* roost_table_check of a table whose memory was corrupted at random: it ends, with ROOST_OK or
 * ROOST_ERR_CORRUPT, and the table can be destroyed.  Bits and words of the memory that the
 * table's machine works on are changed, in every engine and width. */
#include "backends/backend.h"
#include "support/draw.h"
#include "support/settings.h"
#include "support/tables.h"

#include <stdlib.h>
#include <string.h>

/* ---- The memory of a table ------------------------------------------------------------------- */

enum { BLOCKS_MOST = 4096 };

static struct {
    struct backend_operations operations;
    const struct backend_operations *inner;
    struct block {
        unsigned char *memory;
        size_t bytes;
    } blocks[BLOCKS_MOST];
    size_t n, bytes;
} watched;

static roost_status watched_allocate(struct backend *b, size_t bytes, void **memory)
{
    const roost_status status = watched.inner->allocate(b, bytes, memory);
    if (status) return status;
    require(watched.n < BLOCKS_MOST, "more than %d blocks", BLOCKS_MOST);
    watched.blocks[watched.n++] = (struct block){*memory, bytes};
    watched.bytes += bytes;
    return ROOST_OK;
}

static void watched_release(struct backend *b, void *memory, size_t bytes)
{
    size_t i = 0;
    while (i < watched.n && watched.blocks[i].memory != memory) i++;
    require(i < watched.n && watched.blocks[i].bytes == bytes, "a block of %zu bytes that was not allocated was released", bytes);
    watched.blocks[i] = watched.blocks[--watched.n];
    watched.bytes -= bytes;
    watched.inner->release(b, memory, bytes);
}

static const struct backend_operations *watch(const struct backend_operations *inner)
{
    watched.inner = inner;
    watched.operations = *inner;
    watched.operations.allocate = watched_allocate;
    watched.operations.release = watched_release;
    return &watched.operations;
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* Words of any block that were changed, and what was there. */
enum { FAULTS_MOST = 64 };

struct fault {
    unsigned char *at;
    unsigned char before[8];
    size_t bytes;
};

/* Small blocks are hit as often as large ones, every other time: they have links and counts. */
static struct block block_draw(struct dice *dice)
{
    if (draw_below(dice, 2)) return watched.blocks[draw_below(dice, watched.n)];
    uint64_t at = draw_below(dice, watched.bytes);
    size_t i = 0;
    for (; at >= watched.blocks[i].bytes; i++) at -= watched.blocks[i].bytes;
    return watched.blocks[i];
}

/* A bit, or a byte or a word that becomes 0, ~0, a small or any number. */
static void corrupt(struct dice *dice, struct fault *fault)
{
    static const size_t widths[] = {1, 4, 4, 8};
    const struct block block = block_draw(dice);
    const uint64_t kind = draw_below(dice, 6), any = draw(dice);
    const uint64_t number = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : kind == 2 ? any % 1000 : any;
    fault->bytes = widths[draw_below(dice, sizeof widths / sizeof *widths)];
    if (fault->bytes > block.bytes) fault->bytes = 1;
    fault->at = block.memory + draw_below(dice, block.bytes / fault->bytes) * fault->bytes;
    memcpy(fault->before, fault->at, fault->bytes);
    if (kind < 4) memcpy(fault->at, &number, fault->bytes);
    else fault->at[number % fault->bytes] ^= (unsigned char)(1u << (number >> 32) % 8);
}

static void restore(const struct fault *faults, size_t n)
{
    while (n-- > 0) memcpy(faults[n].at, faults[n].before, faults[n].bytes);
}

/* ---- The body -------------------------------------------------------------------------------- */

static roost_status check(const struct table *table, const char *engine)
{
    const roost_status status = roost_table_check(table->handle);
    require(status == ROOST_OK || status == ROOST_ERR_CORRUPT, "%s: the check ended %s: %s", engine, roost_status_name(status),
            roost_last_error(table->handle));
    return status;
}

/* Checks with more and more faults; all are taken back in between, and in the end half of the
 * tables are destroyed with theirs. */
static size_t rounds_run(const struct table *table, const char *engine, struct dice *dice, size_t rounds)
{
    struct fault faults[FAULTS_MOST];
    size_t found = 0;
    for (size_t round = 0; round < rounds; round++) {
        const size_t n = 1 + draw_below(dice, round % 4 ? 3 : FAULTS_MOST);
        suite_step("%s: round %zu, %zu faults", engine, round, n);
        for (size_t i = 0; i < n; i++) corrupt(dice, &faults[i]);
        found += check(table, engine) == ROOST_ERR_CORRUPT;
        if (round + 1 < rounds || draw_below(dice, 2)) restore(faults, n);
    }
    return found;
}

/* Keys that were inserted, some of them erased: marks, free blocks and lists longer than one. */
static void fill(struct table *table, size_t n)
{
    uint64_t *keys = numbered_keys(&table->shape, 0, n);
    require_status(ROOST_OK, table_insert(table, ROOST_ASSIGN, keys, keys, n, NULL), table->handle);
    require_status(ROOST_OK, table_erase(table, keys + n / 2, n / 8, NULL), table->handle);
    require_status(ROOST_OK, roost_table_check(table->handle), table->handle);
    free(keys);
}

/* Many keys have the same hash, so each is compared with others by all bytes. */
static bool collides(const char *options) { return options && !strcmp(options, "hash_bits=4"); }

static void corrupt_table(const struct variant *variant, const char *engine, const char *options)
{
    struct table table;
    struct dice dice = {suite_seed() + mix64(strlen(engine) + (options ? strlen(options) : 0))};
    struct variant own = *variant;
    roost_config config;
    table_config(&own, &config);
    config.engine = engine;
    config.options = options;
    config.device = "host";
    own.options = options;
    backend_wrapper = watch;
    require_status(ROOST_OK, table_create(&table, &own, &config), NULL);
    fill(&table, variant->shape->key_bytes > 2 && !collides(options) ? 3000 : 300);
    const size_t rounds = settings_size(400, 60), found = rounds_run(&table, engine, &dice, rounds);
    require(found >= rounds / 10, "%s: %zu of %zu corrupted tables were found corrupt", engine, found, rounds);
    roost_table_destroy(table.handle);
    backend_wrapper = NULL;
    require(watched.n == 0, "%s: %zu blocks were not released", engine, watched.n);
}

/* Options that lay a table out otherwise, by engine. */
static const struct layout {
    const char *engine, *options;
} layouts[] = {{"dycuckoo", NULL},
               {"fks", NULL},
               {"gph", NULL},
               {"slab", NULL},
               {"slab", "memory=light"},
               {"slab", "growth=chain"},
               {"stadium", NULL},
               {"stadium", "ticket=16"},
               {"stadium", "access=off"},
               {"stadium", "ticket=1"},
               {"stadium", "hash_bits=4"}};

static bool is_wide(const struct test_shape *shape) { return shape_index(shape) >= SHAPE_COUNT; }

/* Keys that look like marks have words alone; wide ones have hashes that can collide. */
static bool takes_shape(const struct layout *layout, const struct test_shape *shape)
{
    const bool is_stadium = !strcmp(layout->engine, "stadium");
    const bool has_marks = layout->options && (!strcmp(layout->options, "access=off") || !strcmp(layout->options, "ticket=1"));
    if (collides(layout->options)) return is_wide(shape);
    return !is_wide(shape) || (is_stadium && !has_marks);
}

static void memory_corrupted_at_random(const struct variant *variant)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        const bool takes = takes_shape(&layouts[i], variant->shape);
        if (takes && engine_is_built(layouts[i].engine)) corrupt_table(variant, layouts[i].engine, layouts[i].options);
    }
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_widths("memory corrupted at random", memory_corrupted_at_random);
    static const char *const wide[] = {"2+8 u64", "7+12", "16+16", "s+0", "s+256"};
    for (size_t i = 0; engine_is_built("stadium") && i < sizeof wide / sizeof *wide; i++)
        suite_add("memory corrupted at random", memory_corrupted_at_random, (struct variant){.shape = shape_named(wide[i])});
    return suite_run("test_corruption");
}
