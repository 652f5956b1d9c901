/* Counts the scheduled machine's switches by verb and by site. */
#include "support/scheduled_sites.h"

#include "portable/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A line of the report: all sites with the same place in the source. */
struct line {
    const struct scheduled_site *site;
    uint64_t switches[SCHEDULED_SIZES];
};

enum { MOST_LINES = 256 };

/* True for a file that tests/plants has changed, about which runs of the sound kernels say
 * nothing. */
static bool is_planted(const struct scheduled_site *site) { return strstr(site->file, "planted_sources/") != NULL; }

static int compare_sites(const struct scheduled_site *a, const struct scheduled_site *b, bool by_verb)
{
    int order = strcmp(a->verb, b->verb);
    if (by_verb) return order;
    if (!order) order = strcmp(a->file, b->file);
    return order ? order : a->line - b->line;
}

static int compare_lines(const void *a, const void *b)
{
    return compare_sites(((const struct line *)a)->site, ((const struct line *)b)->site, false);
}

static int lines_collect(struct line *lines, bool by_verb)
{
    struct scheduled_site **sites;
    const size_t n = scheduled_sites(&sites);
    int count = 0, at;
    for (size_t i = 0; i < n; i++) {
        if ((!by_verb && !sites[i]->is_atomic) || is_planted(sites[i])) continue;
        for (at = 0; at < count && compare_sites(lines[at].site, sites[i], by_verb); at++) {}
        if (at == MOST_LINES) abort();
        if (at == count) memset(&lines[count++], 0, sizeof lines[0]), lines[at].site = sites[i];
        for (int size = 0; size < SCHEDULED_SIZES; size++) lines[at].switches[size] += sites[i]->switches[size];
    }
    qsort(lines, (size_t)count, sizeof lines[0], compare_lines);
    return count;
}

bool scheduled_sites_missing(int size, scheduled_site_runs *runs)
{
    static struct line lines[MOST_LINES];
    const int n = lines_collect(lines, false);
    for (int at = 0; at < n; at++)
        if (runs(lines[at].site, size) && !lines[at].switches[bit_lowest32((uint32_t)size)]) return true;
    return false;
}

int scheduled_sites_print(bool by_verb, scheduled_site_runs *runs)
{
    static struct line lines[MOST_LINES];
    int zeros = 0;
    const int n = lines_collect(lines, by_verb);
    for (int i = 0; i < n; i++) {
        const struct scheduled_site *site = lines[i].site;
        const char *slash = strrchr(site->file, '/');
        const uint64_t *switches = lines[i].switches;
        printf("%-23s %10" PRIu64 " %10" PRIu64 " %10" PRIu64, site->verb, switches[0], switches[2], switches[5]);
        if (!by_verb) printf("  %s:%d %s", slash ? slash + 1 : site->file, site->line, site->function);
        printf("\n");
        for (int size = 1; size <= 32; size *= size == 1 ? 4 : 8)
            zeros += (by_verb || runs(site, size)) && !switches[bit_lowest32((uint32_t)size)];
    }
    return zeros;
}
