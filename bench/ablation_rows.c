/* What each part of GPH's design gains (Figure 13): the Bucket Requester and perfect hashing on
 * and off, for lookup groups and buckets of several sizes. Without perfect hashing the table is
 * DyCuckoo, with two buckets for each key, as in the paper. The rows also cover slab, because
 * the paper leaves other engines as future work. Rows of kernels that need ROOST_TUNE say so if
 * the build lacks them. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

/* A load factor that all bucket sizes reach. */
#define ABLATION_LOAD 0.50

struct design {
    const char *engine;
    const char *options; /* for every size; begins with a comma */
    int most_slots;      /* largest bucket; 0: buckets have one size */
};

static const struct design designs[] = {
    {"gph", ",keys=6", 16},
    {"dycuckoo", "", 16},
    {"slab", "", 0},
};

/* Finds with lookup groups of `tile` lanes; slots 0: the engine's own bucket size. */
static void measure_finds(const struct place *p, struct arrays *a, const struct design *d, int slots, int tile, bool requester)
{
    char options[96], group[96], size[24] = "";
    if (slots) snprintf(size, sizeof size, "slots=%d,", slots);
    snprintf(options, sizeof options, "%stile=%d,driver=once,requester=%s%s", size, tile, requester ? "on" : "off", d->options);
    snprintf(group, sizeof group, "%s/ablation/%s/m-%d/g-%d/requester-%s", p->prefix, d->engine, slots, tile,
             requester ? "on" : "off");
    if (!table_wanted(p->o, group)) return;
    struct table_case c = place_case(p, d->engine, options, group);
    c.load = ABLATION_LOAD;
    c.finds_only = c.may_lack = true;
    struct table_rows rows = table_measure(p->o, &c, a);
    const uint64_t bytes = rows.insert.stats.table_bytes;
    for (int i = 0; i < TABLE_FIND_LEVELS; i++) {
        const struct access_limit line = bytes ? p->limit(p, ACCESS_LINE, bytes) : (struct access_limit){"", 0};
        if (rows.find[i].repetitions) row_set_limit(&rows.find[i], line.name, line.rate);
        report_row(p->o, rows.find[i]);
    }
}

static void measure_groups(const struct place *p, struct arrays *a, const struct design *d, int slots)
{
    for (int tile = 1; tile <= 8; tile *= 2)
        for (int requester = 1; requester >= 0; requester--) measure_finds(p, a, d, slots, tile, requester);
}

void ablation_rows(const struct place *p, struct arrays *a)
{
    for (size_t i = 0; i < sizeof designs / sizeof designs[0]; i++) {
        if (p->o->engine && strcmp(p->o->engine, designs[i].engine) != 0) continue;
        if (!designs[i].most_slots) measure_groups(p, a, &designs[i], 0);
        for (int slots = 4; slots <= designs[i].most_slots; slots *= 2) measure_groups(p, a, &designs[i], slots);
    }
}
