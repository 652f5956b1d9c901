/* A custom allocator: all memory of a host table comes from the caller's functions, which count
 * it and refuse more than a budget.
 *
 *     cc custom_allocator.c $(pkg-config --cflags --libs roost) && ./a.out */
#include <roost/roost.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 200000, BUDGET = 1 << 20 };

struct budget {
    size_t now, peak, refused;
};

static void *allocate(void *context, size_t bytes)
{
    struct budget *budget = (struct budget *)context;
    if (bytes > BUDGET - budget->now) {
        budget->refused++;
        return NULL;
    }
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory) return NULL;
    budget->now += bytes;
    if (budget->now > budget->peak) budget->peak = budget->now;
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    struct budget *budget = (struct budget *)context;
    budget->now -= bytes;
    free(memory);
}

int main(void)
{
    static uint32_t keys[KEYS];
    static uint8_t statuses[KEYS];
    struct budget budget = {0, 0, 0};
    roost_config config;
    roost_call call;
    roost_table *table;
    size_t stored = 0;

    for (uint32_t i = 0; i < KEYS; i++) keys[i] = i;
    roost_config_init(&config, sizeof config);
    config.device = "host";
    config.allocator.allocate = allocate;
    config.allocator.release = release;
    config.allocator.context = &budget;
    if (roost_table_create(&table, &config) != ROOST_OK) {
        fprintf(stderr, "%s\n", roost_last_error(NULL));
        return 1;
    }
    roost_call_init(&call, sizeof call);
    call.statuses = statuses;
    /* More than the budget allows: the call reports it, and each item's status says whether it
     * is stored. */
    const roost_status status = roost_insert(table, ROOST_ASSIGN, keys, keys, KEYS, &call);
    for (size_t i = 0; i < KEYS; i++) stored += statuses[i] == ROOST_ITEM_INSERTED;
    printf("%s: %zu of %d keys are stored, in %zu bytes at the peak\n", roost_status_name(status), stored, KEYS, budget.peak);
    printf("the last error: %s\n", roost_last_error(table));
    roost_table_destroy(table);
    printf("%zu bytes are left after the table is gone\n", budget.now);
    return status == ROOST_ERR_MEMORY && stored > 0 && budget.now == 0 ? 0 : 1;
}
