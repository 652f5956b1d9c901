/* Errors: a call's status is the kind of error, roost_last_error describes it, and each item has
 * its own status.
 *
 *     cc error_handling.c $(pkg-config --cflags --libs roost) && ./a.out */
#include <roost/roost.h>
#include <stdio.h>

enum { KEYS = 1000 };

/* A table of fixed size stores keys while it has room.  Each other item's status is FULL. */
static int fill_a_fixed_table(void)
{
    static uint32_t keys[KEYS];
    static uint8_t statuses[KEYS];
    int by_status[ROOST_ITEM_NO_MEMORY + 1] = {0};
    roost_config config;
    roost_call call;
    roost_table *table;

    for (uint32_t i = 0; i < KEYS; i++) keys[i] = i;
    roost_config_init(&config, sizeof config);
    config.growth = 0;
    config.capacity = 100;
    if (roost_table_create(&table, &config) != ROOST_OK) return 1;
    roost_call_init(&call, sizeof call);
    call.statuses = statuses;
    const roost_status status = roost_insert(table, ROOST_ASSIGN, keys, keys, KEYS, &call);
    for (int i = 0; i < KEYS; i++) by_status[statuses[i]]++;
    printf("insert: %s (%s)\n", roost_status_name(status), roost_last_error(table));
    for (int i = 0; i <= ROOST_ITEM_NO_MEMORY; i++)
        if (by_status[i]) printf("  %d items: %s\n", by_status[i], roost_item_status_string((roost_item_status)i));
    roost_table_destroy(table);
    return status == ROOST_ERR_FULL && by_status[ROOST_ITEM_INSERTED] > 0 ? 0 : 1;
}

/* Wrong arguments are refused before anything is done. */
static int ask_wrongly(void)
{
    roost_config config;
    roost_table *table;

    roost_config_init(&config, sizeof config);
    config.engine = "no-such-engine";
    roost_status status = roost_table_create(&table, &config);
    /* There is no table, so this is the thread's last error. */
    printf("create: %s (%s)\n", roost_status_name(status), roost_last_error(NULL));
    if (status != ROOST_ERR_NOT_FOUND || table) return 1;

    config.engine = NULL;
    if (roost_table_create(&table, &config) != ROOST_OK) return 1;
    status = roost_find(table, NULL, 5, NULL, NULL, NULL);
    printf("find: %s (%s)\n", roost_status_name(status), roost_last_error(table));
    roost_table_destroy(table);
    return status == ROOST_ERR_ARGUMENT ? 0 : 1;
}

int main(void) { return fill_a_fixed_table() || ask_wrongly(); }
