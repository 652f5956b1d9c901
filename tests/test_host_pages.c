/* Mappings that the process keeps: each has one owner at a time, whichever threads take and keep
 * them, they stay within bounds, and groups in parts take those of the groups before. */
#include "backends/host_pages.h"
#include "roost/group.h"
#include "support/draw.h"
#include "support/settings.h"
#include "support/address_space.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK = 1 << 21, MANY = 200, THREADS = 8, ROWS = 1 << 20 };

static void *map(size_t bytes)
{
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    require(memory != MAP_FAILED, "no memory");
    return memory;
}

/* Counts the kept mappings whose size is `bytes`, and drops all mappings. */
static int count_kept(size_t bytes)
{
    int n = 0;
    for (void *memory; (memory = host_pages_take(bytes)); n++) munmap(memory, bytes);
    host_pages_drop();
    return n;
}

static void exact_sizes(const struct variant *variant)
{
    (void)variant;
    host_pages_drop();
    require(!host_pages_take(BLOCK), "nothing was kept");
    char *const memory = (char *)map(BLOCK);
    host_pages_keep(memory, BLOCK);
    require(!host_pages_take(2 * BLOCK) && !host_pages_take(BLOCK / 2), "mappings of other sizes");
    require(host_pages_take(BLOCK) == memory, "another mapping");
    require(!host_pages_take(BLOCK), "a mapping was taken twice");
    memset(memory, 7, BLOCK);
    require(memory[BLOCK - 1] == 7, "pages that cannot be written");
    host_pages_keep(memory, BLOCK);
    host_pages_drop();
    require(!host_pages_take(BLOCK), "a dropped mapping was taken");
}

/* No more than 64 mappings, and no more than 2^30 bytes: the oldest ones go. */
static void bounds(const struct variant *variant)
{
    (void)variant;
    const size_t large = (size_t)3 << 28, whole = (size_t)1 << 30;
    host_pages_drop();
    for (int i = 0; i < MANY; i++) host_pages_keep(map(BLOCK), BLOCK);
    const int kept = count_kept(BLOCK);
    require(kept == 64, "%d mappings are kept", kept);
    host_pages_keep(map(BLOCK), BLOCK);
    host_pages_keep(map(large), large);
    host_pages_keep(map(2 * large), 2 * large);
    require(!host_pages_take(2 * large), "more is kept than the bound");
    host_pages_keep(map(whole), whole);
    require(!host_pages_take(large) && !host_pages_take(BLOCK), "the oldest mappings were to go");
    require(count_kept(whole) == 1, "a mapping as large as the bound is kept");
}

/* Returns the turn in which another thread wrote into a mapping that this one took. */
static void *take_and_keep(void *context)
{
    struct dice dice = {(uint64_t)(uintptr_t)context};
    const int turns = settings_get()->is_short ? 2000 : 20000;
    for (int i = 1; i <= turns; i++) {
        const size_t bytes = ((size_t)1 << 16) << draw_below(&dice, 2);
        uint64_t *memory = (uint64_t *)host_pages_take(bytes);
        const uint64_t mine = draw(&dice);
        if (!memory) memory = (uint64_t *)map(bytes);
        memory[0] = memory[bytes / 8 - 1] = mine;
        if (i % 64 == 0) host_pages_drop();
        if (memory[0] != mine || memory[bytes / 8 - 1] != mine) return (void *)(uintptr_t)i;
        host_pages_keep(memory, bytes);
    }
    return NULL;
}

static void one_owner(const struct variant *variant)
{
    pthread_t thread[THREADS];
    (void)variant;
    for (uintptr_t i = 0; i < THREADS; i++)
        require(!pthread_create(&thread[i], NULL, take_and_keep, (void *)(uintptr_t)(suite_seed() + i)), "no thread");
    for (int i = 0; i < THREADS; i++) {
        void *turn;
        pthread_join(thread[i], &turn);
        require(!turn, "turn %zu: another thread wrote into a mapping that was taken", (size_t)turn);
    }
    host_pages_drop();
}

/* Groups of all rows, whose number is the number of rows: keys differ. */
static void group_once(const uint64_t *keys)
{
    roost_column column = ROOST_COLUMN_INIT;
    roost_group_config config = ROOST_GROUP_CONFIG_INIT;
    roost_group *group;
    size_t n = 0;
    column.type = ROOST_TYPE_U64;
    column.values = keys;
    config.device = "host";
    config.threads = 2;
    config.key_columns = 1;
    config.keys = &column;
    require_status(ROOST_OK, roost_group_create(&group, &config), NULL);
    require_status(ROOST_OK, roost_group_add(group, &column, NULL, ROWS, NULL), NULL);
    require_status(ROOST_OK, roost_group_count(group, &n), NULL);
    require(n == ROWS, "%zu groups of %d keys", n, ROWS);
    roost_group_destroy(group);
}

static void groups_use_them(const struct variant *variant)
{
    const size_t chunk = (size_t)1 << 25;
    uint64_t *const keys = (uint64_t *)malloc(ROWS * sizeof *keys);
    (void)variant;
    if (!keys) abort();
    for (uint64_t i = 0; i < ROWS; i++) keys[i] = mix64(i);
    host_pages_drop();
    group_once(keys);
    void *const kept = host_pages_take(chunk);
    require(kept, "groups in parts keep their memory for the next");
    memset(kept, 0xff, chunk); /* the next ones get it with any contents */
    host_pages_keep(kept, chunk);
    group_once(keys);
    require(count_kept(chunk), "groups in parts keep the memory that they took");
    free(keys);
}

/* A table of 256 MB and more, where the system allows 128 MB: what is kept makes room for it. */
static void refused_memory(const struct variant *variant)
{
    const size_t bytes = (size_t)1 << 29;
    roost_config config;
    roost_table *table = NULL;
    (void)variant;
    if (settings_sanitized()) return suite_skip("sanitizers map more than a limit allows");
    host_pages_drop();
    require_status(ROOST_OK, roost_config_init(&config, sizeof config), NULL);
    config.device = "host";
    config.threads = 1;
    config.capacity = (size_t)1 << 24;
    config.key_type = config.value_type = ROOST_TYPE_U64;
    host_pages_keep(map(bytes), bytes);
    const struct rlimit before = address_space_limit((size_t)1 << 27);
    const roost_status status = roost_table_create(&table, &config);
    address_space_restore(before);
    require_status(ROOST_OK, status, NULL);
    require(!host_pages_take(bytes), "a mapping is kept after memory was refused");
    roost_table_destroy(table);
}

int main(int argc, char **argv)
{
    suite_begin_on_host(argc, argv);
    suite_add_once("exact sizes", exact_sizes);
    suite_add_once("bounds", bounds);
    suite_add_once("one owner", one_owner);
    suite_add_once("groups use them", groups_use_them);
    suite_add_once("refused memory", refused_memory);
    return suite_run("host_pages");
}
