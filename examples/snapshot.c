/* Snapshots: views of pages are counted, saved as a whole, and then by changes alone; a second
 * table, of another engine, is loaded from the files and has the same counts.
 *
 *     cc snapshot.c $(pkg-config --cflags --libs roost) && ./a.out [FOLDER]
 *
 * FOLDER (default: the working one) gets pages.roost, pages.1.roost and pages.2.roost. */
#include <inttypes.h>
#include <roost/snapshot.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGES 100000

static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

static const char *path_of(const char *folder, int changes)
{
    static char path[4096];
    if (changes) snprintf(path, sizeof path, "%s/pages.%d.roost", folder, changes);
    else snprintf(path, sizeof path, "%s/pages.roost", folder);
    return path;
}

/* Every page of [first, end) is seen once more. */
static void pages_seen(roost_table *table, uint64_t first, uint64_t end)
{
    static uint64_t pages[PAGES], ones[PAGES];
    for (uint64_t page = first; page < end; page++) {
        pages[page - first] = page;
        ones[page - first] = 1;
    }
    require(roost_insert(table, ROOST_ADD, pages, ones, (size_t)(end - first), NULL), table);
}

/* Saves what was written since the last save. */
static void changes_save(roost_table *table, const char *folder, int changes)
{
    roost_saved saved = ROOST_SAVED_INIT;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    options.saved = &saved;
    require(roost_save_changes(table, path_of(folder, changes), &options), table);
    printf("changes %u: %" PRIu64 " pairs, %" PRIu64 " removed keys, %" PRIu64 " bytes\n", saved.number, saved.pairs, saved.erased,
           saved.bytes);
}

/* The files are the table's state after each of these steps. */
static void table_save(roost_table *table, const char *folder)
{
    static const uint64_t removed[] = {3, 4, 5};
    roost_saved saved = ROOST_SAVED_INIT;
    roost_save_options options = ROOST_SAVE_OPTIONS_INIT;
    options.saved = &saved;
    pages_seen(table, 0, PAGES);
    require(roost_save_file(table, path_of(folder, 0), &options), table);
    printf("the whole: %" PRIu64 " pairs, %" PRIu64 " bytes\n", saved.pairs, saved.bytes);
    pages_seen(table, 10, 1000);
    require(roost_erase(table, removed, 3, NULL), table);
    changes_save(table, folder, 1);
    pages_seen(table, 0, 4); /* page 3 comes back */
    changes_save(table, folder, 2);
}

static void counts_show(roost_table *table)
{
    const uint64_t pages[] = {0, 3, 4, 10, 1000};
    uint64_t counts[5] = {0};
    uint8_t found[5];
    require(roost_find(table, pages, 5, counts, found, NULL), table);
    for (int i = 0; i < 5; i++)
        if (found[i]) printf("page %" PRIu64 ": %" PRIu64 "\n", pages[i], counts[i]);
        else printf("page %" PRIu64 " is not there\n", pages[i]);
}

int main(int argc, char **argv)
{
    const char *const folder = argc > 1 ? argv[1] : ".";
    roost_config config = ROOST_CONFIG_INIT;
    roost_table *table, *copy;

    config.key_type = config.value_type = ROOST_TYPE_U64;
    config.flags = ROOST_CHANGES;
    require(roost_table_create(&table, &config), NULL);
    table_save(table, folder);
    roost_table_destroy(table);

    config.engine = "slab";
    require(roost_load_file(&copy, path_of(folder, 0), &config, NULL), NULL);
    for (int changes = 1; changes <= 2; changes++) require(roost_load_changes(copy, path_of(folder, changes), NULL), copy);
    counts_show(copy);
    roost_table_destroy(copy);
    return 0;
}
