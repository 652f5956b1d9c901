/* The allocator of slabs (portable/slab_alloc.h, backends/slab_pool.h) by itself.  Threads take
 * units and give them back, up to exhaustion and after it.  No unit is given out twice, none is
 * lost, and each comes filled with ones.  Also handles at the limits of their bits. */
#include "api/table.h"
#include "backends/slab_pool.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 8, FULL_BLOCKS_UNITS = 3000, MORE_UNITS = 7000 };

/* A pool on a host table's backend. */
struct scene {
    roost_table *table;
    struct backend *backend;
    struct slab_pool_owner owner;
    uint32_t exhausted;
};

/* light: one array, else super blocks. */
static void scene_open(struct scene *s, bool light, uint64_t units)
{
    roost_config config;
    memset(s, 0, sizeof *s);
    require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
    config.seed = 1;
    config.device = "host";
    require_status(ROOST_OK, roost_table_create(&s->table, &config), NULL);
    s->backend = s->table->backend;
    slab_pool_make(&s->owner, light, &s->exhausted);
    require_status(ROOST_OK, slab_pool_reserve(&s->owner, s->backend, units), s->table);
}

static void scene_close(struct scene *s)
{
    slab_pool_unmake(&s->owner, s->backend);
    require(s->owner.units == 0 && slab_pool_bytes(&s->owner) == 0, "a pool that was unmade has memory");
    roost_table_destroy(s->table);
}

static uint32_t unit_number(const struct slab_pool *p, uint32_t handle)
{
    return p->light ? handle : p->first_block[handle >> 24] * SLAB_BLOCK_UNITS + (handle & 0xffffffu);
}

static bool is_filled_with(const struct slab_pool *p, uint32_t handle, int byte)
{
    const unsigned char *at = slab_unit(p, handle);
    for (int i = 0; i < SLAB_BYTES; i++)
        if (at[i] != byte) return false;
    return true;
}

/* ---- Threads -------------------------------------------------------------------------------- */

struct worker {
    const struct slab_pool *pool;
    uint32_t *handles; /* units that it holds */
    size_t n, room;
    uint32_t rounds, number;
    uint64_t wrong;
};

static unsigned char mark_of(const struct worker *w, uint32_t handle) { return (unsigned char)((w->number * 29 + handle) % 251); }

/* A unit comes filled with ones, and belongs to one thread until it is given back. */
static bool take_one(struct worker *w, struct slab_resident *resident)
{
    const uint32_t handle = slab_take(w->pool, tile_make(1), resident);
    if (handle == SLAB_NONE) return false;
    w->wrong += !is_filled_with(w->pool, handle, 0xff);
    memset(slab_unit(w->pool, handle), mark_of(w, handle), SLAB_BYTES);
    w->handles[w->n++] = handle;
    return true;
}

static void give_one(struct worker *w)
{
    const uint32_t handle = w->handles[--w->n];
    w->wrong += !is_filled_with(w->pool, handle, mark_of(w, handle));
    memset(slab_unit(w->pool, handle), 0xff, SLAB_BYTES);
    slab_give(w->pool, handle);
}

/* Takes all units that are left, gives half of its own back, and repeats.  The last round ends
 * with what it could take. */
static void *take_and_give(void *argument)
{
    struct worker *w = argument;
    struct slab_resident resident = slab_resident_none(w->number);
    for (uint32_t round = 0; round < w->rounds; round++) {
        for (size_t half = w->n / 2; w->n > half;) give_one(w);
        while (w->n < w->room && take_one(w, &resident)) continue;
    }
    return NULL;
}

static void run_threads(struct worker *workers)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) require(!pthread_create(&threads[i], NULL, take_and_give, &workers[i]), "no thread %d", i);
    for (int i = 0; i < THREADS; i++) require(!pthread_join(threads[i], NULL), "thread %d", i);
}

/* Each unit is held once: what one thread could not take, another one holds. */
static void require_each_once(const struct scene *s, const struct worker *workers)
{
    const uint64_t numbers = (uint64_t)slab_blocks(&s->owner.pool) * SLAB_BLOCK_UNITS;
    uint8_t *held = calloc(numbers, 1);
    uint64_t all = 0;
    if (!held) abort();
    for (int i = 0; i < THREADS; i++) {
        require(workers[i].wrong == 0, "thread %d saw %llu wrong units", i, (unsigned long long)workers[i].wrong);
        for (size_t k = 0; k < workers[i].n; k++, all++)
            require(!held[unit_number(&s->owner.pool, workers[i].handles[k])]++, "unit %x was given out twice",
                    workers[i].handles[k]);
    }
    require(all == s->owner.units, "%llu of %llu units were found", (unsigned long long)all, (unsigned long long)s->owner.units);
    free(held);
}

static void workers_open(struct scene *s, struct worker *workers, uint32_t rounds)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.pool = &s->owner.pool, .rounds = rounds, .number = i, .room = s->owner.units};
        workers[i].handles = calloc(s->owner.units, sizeof *workers[i].handles);
        if (!workers[i].handles) abort();
    }
}

/* One thread takes the rest.  Then there is nothing for the next one, and `exhausted` says so to
 * all. */
static void take_the_rest(struct scene *s, struct worker *w)
{
    struct slab_resident resident = slab_resident_none(77);
    while (take_one(w, &resident)) continue;
    require(s->exhausted == 1, "no unit is left, but `exhausted` is not set");
    require(slab_take(&s->owner.pool, tile_make(1), &resident) == SLAB_NONE, "a unit of an exhausted pool");
}

/* A thread that started late may hold nothing. */
static struct worker *some_holder(struct worker *workers)
{
    while (workers->n == 0) workers++;
    return workers;
}

static void to_exhaustion_and_back(const struct variant *variant)
{
    struct scene s;
    struct worker workers[THREADS];
    scene_open(&s, variant->number != 0, FULL_BLOCKS_UNITS);
    workers_open(&s, workers, 12);
    run_threads(workers);
    take_the_rest(&s, &workers[0]);
    require_each_once(&s, workers);
    give_one(some_holder(workers));
    require(s.exhausted == 0, "a unit is free, but `exhausted` is set");
    for (int i = 0; i < THREADS; i++)
        while (workers[i].n) give_one(&workers[i]);
    take_the_rest(&s, &workers[0]);
    require_each_once(&s, workers);
    for (int i = 0; i < THREADS; i++) free(workers[i].handles);
    scene_close(&s);
}

/* Memory is added while units are held.  Their handles and contents stay, and the new units are
 * found, too. */
static void memory_is_added(const struct variant *variant)
{
    struct scene s;
    struct worker workers[THREADS];
    scene_open(&s, variant->number != 0, FULL_BLOCKS_UNITS);
    const uint64_t before = s.owner.units;
    workers_open(&s, workers, 1);
    for (int i = 0; i < THREADS; i++) {
        free(workers[i].handles);
        workers[i].room = 10 * MORE_UNITS;
        workers[i].handles = calloc(10 * MORE_UNITS, sizeof *workers[i].handles);
        if (!workers[i].handles) abort();
    }
    take_the_rest(&s, &workers[0]);
    require(workers[0].n == before, "%zu of %llu units", workers[0].n, (unsigned long long)before);
    require_status(ROOST_OK, slab_pool_reserve(&s.owner, s.backend, MORE_UNITS), s.table);
    require(s.owner.units >= MORE_UNITS, "%llu units", (unsigned long long)s.owner.units);
    take_the_rest(&s, &workers[1]);
    require_each_once(&s, workers);
    while (workers[0].n) give_one(&workers[0]);
    require(workers[0].wrong == 0, "%llu units lost their contents", (unsigned long long)workers[0].wrong);
    require_status(ROOST_OK, slab_pool_clear(&s.owner, s.backend), s.table);
    workers[1].n = 0;
    take_the_rest(&s, &workers[2]);
    require_each_once(&s, workers);
    for (int i = 0; i < THREADS; i++) free(workers[i].handles);
    scene_close(&s);
}

/* ---- Super blocks --------------------------------------------------------------------------- */

/* Many small steps do not use up the 256 super blocks. */
static void many_steps(const struct variant *variant)
{
    struct scene s;
    scene_open(&s, variant->number != 0, 1);
    for (uint64_t units = 32; units < 16000; units += 32)
        require_status(ROOST_OK, slab_pool_reserve(&s.owner, s.backend, units), s.table);
    require(s.owner.pool.supers <= (variant->number ? 1 : SLAB_SUPERS / 2), "%u super blocks", s.owner.pool.supers);
    scene_close(&s);
}

/* Only super blocks at the end are freed, and only those without a taken unit. */
static void free_super_blocks_go_back(const struct variant *variant)
{
    struct scene s;
    struct slab_resident resident = slab_resident_none(3);
    (void)variant;
    scene_open(&s, false, 64);
    const uint32_t handle = slab_take(&s.owner.pool, tile_make(1), &resident);
    require(handle != SLAB_NONE, "no unit");
    for (uint64_t units = 128; units <= 512; units *= 2)
        require_status(ROOST_OK, slab_pool_reserve(&s.owner, s.backend, units), s.table);
    require(s.owner.pool.supers == 4, "%u super blocks", s.owner.pool.supers);
    require_status(ROOST_OK, slab_pool_trim(&s.owner, s.backend), s.table);
    require(s.owner.pool.supers == 1 && s.owner.units == 64, "%u super blocks of %llu units stay", s.owner.pool.supers,
            (unsigned long long)s.owner.units);
    slab_give(&s.owner.pool, handle);
    require_status(ROOST_OK, slab_pool_trim(&s.owner, s.backend), s.table);
    require(s.owner.pool.supers == 0, "an empty pool keeps memory");
    scene_close(&s);
}

/* ---- Limits --------------------------------------------------------------------------------- */

/* Bitmaps of `blocks` blocks, with all units taken except the last.  Only reserved addresses lie
 * behind them: pages come on first use. */
static unsigned char *units_behind_bitmaps(uint64_t blocks, unsigned char **mapped, size_t *bytes)
{
    *bytes = blocks * SLAB_BLOCK_WORDS * sizeof(uint32_t);
    *mapped = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(*mapped != MAP_FAILED, "no %zu bytes of addresses", *bytes);
    uint32_t *last = (uint32_t *)(void *)(*mapped + *bytes) - SLAB_BLOCK_WORDS;
    memset(last, 0xff, SLAB_BLOCK_WORDS * sizeof *last);
    last[SLAB_BLOCK_WORDS - 1] &= ~(1u << 30);
    return *mapped + *bytes;
}

/* Unit 1022 of the last block is free.  It is taken by its handle and lies at its address, and
 * giving it back frees its bit. */
static void require_last_unit(const struct slab_pool *pool, uint32_t expected, uint64_t number)
{
    struct slab_resident resident = slab_resident_none(5);
    const uint32_t blocks = slab_blocks(pool), super = slab_super(pool, blocks - 1);
    const uint32_t *word = slab_bitmap(pool, super, blocks - 1) + SLAB_BLOCK_WORDS - 1;
    slab_reside(pool, tile_make(1), &resident, blocks - 1, SLAB_BLOCK_WORDS - 1);
    const uint32_t handle = slab_resident_take(tile_make(1), &resident);
    require(handle == expected && handle != SLAB_NONE, "handle %x, not %x", handle, expected);
    require(*word == 0xffffffffu, "the bitmap says %x", *word);
    require((uintptr_t)slab_unit(pool, handle) == (uintptr_t)pool->units[super] + number * SLAB_BYTES, "unit %x at another address",
            handle);
    slab_give(pool, handle);
    require(*word == ~(1u << 30), "the bitmap says %x", *word);
}

/* The last of 256 super blocks of the largest size; the others are as large, but have no memory. */
static void last_handle_of_super_blocks(const struct variant *variant)
{
    static struct slab_pool pool;
    uint32_t exhausted = 0;
    unsigned char *mapped;
    size_t bytes;
    (void)variant;
    memset(&pool, 0, sizeof pool);
    pool.exhausted = &exhausted;
    pool.supers = SLAB_SUPERS;
    for (uint32_t i = 0; i < SLAB_SUPERS; i++) pool.first_block[i + 1] = pool.first_block[i] + SLAB_SUPER_BLOCKS;
    pool.units[SLAB_SUPERS - 1] = units_behind_bitmaps(SLAB_SUPER_BLOCKS, &mapped, &bytes);
    const uint32_t in_super = SLAB_SUPER_BLOCKS * SLAB_BLOCK_UNITS - 2;
    require_last_unit(&pool, 255u << 24 | in_super, in_super);
    munmap(mapped, bytes);
}

/* One array of 2^22 blocks: unit numbers take all values of 32 bits, except all ones. */
static void last_handle_of_one_array(const struct variant *variant)
{
    static struct slab_pool pool;
    uint32_t exhausted = 0;
    unsigned char *mapped;
    size_t bytes;
    (void)variant;
    memset(&pool, 0, sizeof pool);
    pool.exhausted = &exhausted;
    pool.supers = 1;
    pool.light = 1;
    pool.first_block[1] = 1u << 22;
    pool.units[0] = units_behind_bitmaps(pool.first_block[1], &mapped, &bytes);
    require_last_unit(&pool, SLAB_NONE - 1, SLAB_NONE - 1);
    munmap(mapped, bytes);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    for (uint64_t light = 0; light <= 1; light++) {
        const struct variant variant = {.shape = &shapes[0], .number = light};
        suite_add("to exhaustion and back", to_exhaustion_and_back, variant);
        suite_add("memory is added", memory_is_added, variant);
        suite_add("many steps", many_steps, variant);
    }
    suite_add_once("free super blocks go back", free_super_blocks_go_back);
    suite_add_once("last handle of super blocks", last_handle_of_super_blocks);
    suite_add_once("last handle of one array", last_handle_of_one_array);
    return suite_run("slab_pool");
}
