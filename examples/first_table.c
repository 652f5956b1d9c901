/* A first table: inserts pairs, finds some, erases one, and shows what is left.
 *
 *     cc first_table.c $(pkg-config --cflags --libs roost) && ./a.out */
#include <roost/roost.h>
#include <roost/tuning.h>
#include <stdio.h>
#include <stdlib.h>

/* Every call returns a status.  If it is not ROOST_OK, prints the library's message and ends the
 * program. */
static void require(roost_status status, const roost_table *table)
{
    if (status == ROOST_OK) return;
    fprintf(stderr, "%s: %s\n", roost_status_name(status), roost_last_error(table));
    exit(1);
}

int main(void)
{
    const uint32_t keys[] = {10, 20, 30, 0, UINT32_MAX}; /* every key is allowed, also 0 and ~0 */
    const uint32_t values[] = {1, 2, 3, 4, 5};
    const uint32_t asked[] = {30, 40, UINT32_MAX};
    uint32_t answers[3] = {0};
    uint8_t found[3];
    roost_config config;
    roost_table *table;
    roost_stats stats;

    /* Defaults: 4-byte keys and values, on the first GPU or else the host. */
    require(roost_config_init(&config, sizeof config), NULL);
    require(roost_table_create(&table, &config), NULL);
    require(roost_insert(table, ROOST_ASSIGN, keys, values, 5, NULL), table);
    require(roost_find(table, asked, 3, answers, found, NULL), table);
    for (int i = 0; i < 3; i++) {
        if (found[i]) printf("%u has the value %u\n", asked[i], answers[i]);
        else printf("%u is not there\n", asked[i]);
    }
    require(roost_erase(table, keys, 1, NULL), table);
    require(roost_table_stats(table, &stats, sizeof stats), table);
    printf("%llu keys are left, on %s\n", (unsigned long long)stats.count, roost_table_device(table));
    roost_table_destroy(table);
    return 0;
}
