/* Which device a command's table gets. */
#include "cli/devices.h"

#include <stdio.h>
#include <string.h>

#include "cli/ranks.h"
#include "roost/roost.h"
#include "roost/tuning.h"

enum { BYTES = 4096 };

/* "cuda:0,cuda:1", or "host". */
static void all_gpus(char *text)
{
    roost_device_info info;
    size_t used = 0;
    for (size_t i = 0; roost_device_describe(i, &info, sizeof info) == ROOST_OK; i++)
        if (strncmp(info.name, "cuda", 4) == 0 && used < BYTES - 64)
            used += (size_t)snprintf(text + used, BYTES - used, "%s%s", used > 0 ? "," : "", info.name);
    if (used == 0) strcpy(text, "host");
}

/* Leaves item `wanted` of the list, counted around. */
static const char *pick(char *list, int wanted)
{
    int n = 1;
    for (const char *at = list; *at != 0; at++) n += *at == ',';
    for (int i = 0; i < wanted % n; i++) list = strchr(list, ',') + 1;
    list[strcspn(list, ",")] = 0;
    return list;
}

const char *devices_resolve(const char *option)
{
    static char text[BYTES];
    const struct ranks *const ranks = ranks_get();
    const bool all = option == NULL || strcmp(option, "all") == 0;
    if (!all && strlen(option) >= sizeof text) return option; /* no device has this name */
    if (ranks->ranks == 1 && (option == NULL || !all)) return option;
    if (all) all_gpus(text);
    else strcpy(text, option);
    return ranks->ranks > 1 ? pick(text, ranks->here) : text;
}
